//! Which joint sits where: level by level, and within a large level by the number of rows.

use super::MOST;
use super::bearing::NO_BEARING;
use super::pack::{Batch, JointLanes, NOBODY};
use super::point::NO_POINT;
use crate::lanes::LANES;
use crate::lanes::simd::Line;

impl JointLanes {
    /// Gives every joint a seat. `joints` are their bodies, of which the first `movable` can move, and
    /// a guess of their numbers of rows; `bodies` is the number of bodies.
    pub fn seat(
        &mut self,
        joints: impl Iterator<Item = ([u32; 2], usize)> + Clone,
        movable: usize,
        bodies: usize,
    ) {
        self.seat_some(joints, movable, bodies, |_| true);
    }

    /// The same for the joints that are `ours`, by their numbers among all.
    pub(super) fn seat_some(
        &mut self,
        joints: impl Iterator<Item = ([u32; 2], usize)> + Clone,
        movable: usize,
        bodies: usize,
        ours: impl Fn(usize) -> bool,
    ) {
        self.start(bodies);
        self.tops.clear();
        self.tops.resize(movable, 0);
        self.places.clear();
        for (j, (pair, guess)) in joints.clone().enumerate() {
            if !ours(j) {
                self.seats.push([NOBODY; 2]);
                continue;
            }
            let ours = pair.map(|b| b as usize).into_iter();
            let ours = ours.filter(|&b| b < movable);
            let level = ours.clone().map(|b| self.tops[b]).max().unwrap_or(0);
            ours.for_each(|b| self.tops[b] = level + 1);
            self.seats.push([level, guess.min(2 * MOST - 1) as u32]);
        }
        self.sort_seats();
        for place in &mut self.places {
            let more = self.batches.len() + place[1].div_ceil(LANES as u32) as usize;
            *place = [self.batches.len() as u32, 0];
            self.batches.resize(more, idle(bodies as u32));
        }
        let seated = self.seats.iter_mut().zip(joints).enumerate();
        for (j, (seat, (pair, _))) in seated.filter(|(_, (seat, _))| seat[0] != NOBODY) {
            let [first, next] = &mut self.places[seat[0] as usize];
            *seat = [*first + *next / LANES as u32, *next % LANES as u32];
            *next += 1;
            let batch = &mut self.batches[seat[0] as usize];
            let lane = seat[1] as usize;
            batch.joints[lane] = j as u32;
            (batch.bodies[0][lane], batch.bodies[1][lane]) = (pair[0], pair[1]);
        }
        self.visits.extend(0..self.batches.len() as u32);
    }

    /// Turns level and number of rows into the key of a batch. A level that fits into one batch is one,
    /// however many rows its joints have: idle rows cost less than a further visit.
    fn sort_seats(&mut self) {
        let seated = |seat: &&[u32; 2]| seat[0] != NOBODY;
        let levels = self.seats.iter().filter(seated);
        let levels = levels.map(|seat| seat[0] as usize + 1);
        self.tops.clear();
        self.tops.resize(levels.max().unwrap_or(0), 0);
        for seat in self.seats.iter().filter(seated) {
            self.tops[seat[0] as usize] += 1;
        }
        self.places.resize(self.tops.len() * 2 * MOST, [0; 2]);
        let seated = self.seats.iter_mut().filter(|seat| seat[0] != NOBODY);
        for [level, rows] in seated {
            let small = self.tops[*level as usize] as usize <= LANES;
            let key = *level as usize * 2 * MOST + if small { 0 } else { *rows as usize };
            self.places[key][1] += 1;
            (*level, *rows) = (key as u32, 0);
        }
    }

    /// Forgets all joints and makes room for `bodies` bodies.
    pub(super) fn start(&mut self, bodies: usize) {
        self.clear();
        self.staged.resize(2, Default::default());
        for lines in [&mut self.turned, &mut self.levers] {
            // One more: the body of idle lanes.
            lines.clear();
            lines.resize(bodies + 1, Line::default());
        }
    }
}

pub(super) fn idle(nobody: u32) -> Batch {
    Batch {
        bodies: [[nobody; LANES]; 2],
        joints: [NOBODY; LANES],
        first: 0,
        plain: 0,
        bounded: 0,
        anchored: 0,
        square: false,
        local: false,
        point: NO_POINT,
        bearing: NO_BEARING,
        arm: Default::default(),
        apart: Default::default(),
        mass: Default::default(),
        factor: 0,
        softened: false,
    }
}
