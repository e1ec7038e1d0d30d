//! Which joint sits where: level by level, and within a large level by the number of rows. A batch that a level leaves
//! room in takes joints of the next.

use super::MOST;
use super::bearing::NO_BEARING;
use super::pack::{Batch, JointLanes, NOBODY};
use super::point::NO_POINT;
use crate::lanes::LANES;
use crate::lanes::simd::{Line, Place};

/// Joints with any number of rows.
const ANY: u32 = 2 * MOST as u32;

impl JointLanes {
    /// Gives every joint a seat. `joints` are their bodies, of which the first `movable` can move, and
    /// a guess of their numbers of rows; `bodies` is the number of bodies.
    pub fn seat(
        &mut self,
        joints: impl Iterator<Item = ([u32; 2], usize)>,
        movable: usize,
        bodies: usize,
    ) {
        self.seat_some(joints, movable, bodies, |_| true);
    }

    /// The same for the joints that are `ours`, by their numbers among all.
    pub(super) fn seat_some(
        &mut self,
        joints: impl Iterator<Item = ([u32; 2], usize)>,
        movable: usize,
        bodies: usize,
        ours: impl Fn(usize) -> bool,
    ) {
        self.start(bodies);
        self.tops.clear();
        self.tops.resize(movable, 0);
        self.pairs.clear();
        for (j, (pair, guess)) in joints.enumerate() {
            self.pairs.push(pair);
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
        self.fill_seats(movable, bodies);
        self.visits.extend(0..self.batches.len() as u32);
    }

    /// Sorts the joints by level, and turns level and number of rows of each into what its batch is to hold: joints
    /// with so many rows. A level that fits into one batch is for any, however many rows its joints have: idle rows
    /// cost less than a further visit.
    fn sort_seats(&mut self) {
        self.sorted.clear();
        self.fills.clear();
        for (j, seat) in self.seats.iter().enumerate() {
            if seat[0] == NOBODY {
                continue;
            }
            self.sorted.push((u64::from(seat[0]), j as u32));
            let least = self.fills.len().max(seat[0] as usize + 1);
            self.fills.resize(least, 0);
            self.fills[seat[0] as usize] += 1;
        }
        self.sorted.sort_unstable();
        for seat in self.seats.iter_mut().filter(|seat| seat[0] != NOBODY) {
            let small = self.fills[seat[0] as usize] as usize <= LANES;
            *seat = [if small { ANY } else { seat[1] }, 0];
        }
    }

    /// Level by level, gives each joint the first free seat behind the joints that come before it at its bodies. What
    /// is left over of a level so goes with the next one, and the joints of a body keep their order.
    fn fill_seats(&mut self, movable: usize, bodies: usize) {
        self.tops.clear();
        self.tops.resize(movable, 0);
        self.fills.clear();
        self.kinds.clear();
        // There is no seat for joints with so many rows before this batch.
        let mut open = [0; ANY as usize + 1];
        for &(_, j) in &self.sorted {
            let (pair, rows) = (self.pairs[j as usize], self.seats[j as usize][0]);
            let ours = pair.into_iter().filter(|&b| (b as usize) < movable);
            let first = ours.clone().map(|b| self.tops[b as usize]).max();
            let (first, open) = (first.unwrap_or(0) as usize, &mut open[rows as usize]);
            let free = |&at: &usize| self.kinds[at] == rows && self.fills[at] < LANES as u32;
            let at = (first.max(*open)..self.fills.len()).find(free);
            let at = at.unwrap_or(self.fills.len());
            if at == self.fills.len() {
                self.batches.push(idle(bodies as u32));
                self.kinds.push(rows);
                self.fills.push(0);
            }
            if first <= *open {
                *open = at;
            }
            let lane = self.fills[at] as usize;
            self.fills[at] += 1;
            ours.for_each(|b| self.tops[b as usize] = at as u32 + 1);
            self.seats[j as usize] = [at as u32, lane as u32];
            let batch = &mut self.batches[at];
            batch.joints[lane] = j;
            for (side, body) in batch.bodies.iter_mut().zip(pair) {
                side[lane] = Place::new(body);
            }
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
        bodies: [[Place::new(nobody); LANES]; 2],
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
        even: false,
        factor: 0,
        softened: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDE: u32 = 20;

    /// Bodies of the joints of a cloth whose top row does not move, column by column.
    fn cloth() -> Vec<[u32; 2]> {
        let movable = SIDE * (SIDE - 1);
        let body = |column: u32, row: u32| match row {
            0 => movable + column,
            _ => column * (SIDE - 1) + row - 1,
        };
        let places = (0..SIDE).flat_map(|column| (1..SIDE).map(move |row| (column, row)));
        let joints = places.flat_map(|(column, row)| {
            let left = (column > 0).then(|| [body(column.max(1) - 1, row), body(column, row)]);
            [Some([body(column, row - 1), body(column, row)]), left]
        });
        joints.flatten().collect()
    }

    #[test]
    fn joints_of_a_body_keep_their_order_and_leave_few_seats_free() {
        let (pairs, movable) = (cloth(), (SIDE * (SIDE - 1)) as usize);
        let mut lanes = JointLanes::default();
        for rows in [1, 2] {
            let joints = pairs.iter().enumerate();
            let joints = joints.map(|(j, &pair)| (pair, 3 + j % rows));
            lanes.seat(joints, movable, movable + SIDE as usize);
            let mut last = vec![None; movable];
            for (j, pair) in pairs.iter().enumerate() {
                let [batch, lane] = lanes.seats[j];
                let batch = batch as usize;
                assert_eq!(lanes.joint(batch, lane as usize), Some(j as u32));
                for &body in pair.iter().filter(|&&b| (b as usize) < movable) {
                    assert!(last[body as usize] < Some(batch), "joint {j}");
                    last[body as usize] = Some(batch);
                }
            }
            let seats = lanes.batches() * LANES;
            // Where sorts differ, each leaves seats of its own free.
            let most = pairs.len() * if rows == 1 { 5 } else { 6 };
            assert!(seats * 4 < most, "{seats} for {}", pairs.len());
        }
    }
}
