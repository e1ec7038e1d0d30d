//! Joints that hold two points together and at most lock or stop the turn between their bodies, stated without
//! rows: their frames follow their bodies, and a kernel makes the rows of all eight.
//!
//! The three rows of the points are anchored ones (see `carry`). Those of the turn are what the joint
//! would state (see `swivel`); a stop has a row in a substep in which it is near to at least one of the
//! eight.

use super::carry::Turns;
use super::fill::set;
use super::pack::{Batch, JointLanes};
use super::swivel;
use crate::lanes::batch::Wide3;
use crate::lanes::simd::{Double, Line, Place, Wide, two};
use crate::lanes::{BodyLines, LANES};
use core::ops::Range;
use glam::{DMat3, DQuat, DVec3};
use rb_core::discretise::Discretiser;

/// No bearing.
pub(super) const NO_BEARING: u32 = u32::MAX;
/// Most rows of a batch: three of the points, two locks, three stops.
const MOST: usize = 8;
/// Rows of the points.
pub(super) const POINT: usize = 3;
/// How many of them are not of stops.
const FIRM: usize = 5;
/// Which rows of a batch are locks.
pub(super) const LOCKS: Range<usize> = POINT..FIRM;

/// A joint as lanes take it. Rows are in this order throughout: the points along x, y and z of a's frame,
/// the locks of the swing about x and y, the stops of the cone and of the lower and the upper twist.
#[derive(Clone, Copy, Debug)]
pub struct LaneBearing {
    /// Joint frames of a and b in the axes of their bodies.
    pub frame: [DQuat; 2],
    /// Their origins, from the centres of mass (m, axes of the bodies).
    pub arm: [DVec3; 2],
    /// Whether the swing is locked.
    pub locked: bool,
    /// Stops of the cone and of the lower and the upper twist (rad); ±∞ where there is none.
    pub stops: [f64; 3],
    /// Largest extent of the two bodies: of those that can move, and of both (m).
    pub extent: [f64; 2],
}

/// What a bearing starts a step with.
#[derive(Clone, Copy, Debug, Default)]
pub struct BearingStart {
    /// The last twist (rad).
    pub angle: f64,
    /// Warm start of each row (N·s, N·m·s).
    pub impulses: [f64; MOST],
}

/// What rows there are of, and when stops have one.
#[derive(Clone, Copy, Debug)]
pub struct Stops {
    /// Slot of each row.
    pub slots: [u8; MOST],
    /// Gap below which a stop always has a row (rad).
    pub margin: f64,
}

/// What up to eight bearings are in the axes of their bodies, from where they are turned in every step.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Rest {
    /// Joint frames of a and b, the axes of the first, and from the centres of mass to both.
    frame: [[Wide; 4]; 2],
    pub(super) axes: [Wide3; 3],
    pub(super) arm: [Wide3; 2],
}

/// Up to eight bearings.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Bearing {
    /// Joint frames of a and b: x, y, z, w of their quaternions. Until they follow the bodies for the first time in a step
    /// they are `home`, and have no meaning.
    frame: [[Wide; 4]; 2],
    home: bool,
    /// Above zero where the swing is locked.
    pub(super) locked: Wide,
    pub(super) stops: [Wide; 3],
    pub(super) angle: Wide,
    /// Impulses of the stops while rows are made.
    pub(super) impulses: [Wide; 3],
    /// Largest extents of the bodies that can move, and of both (m).
    pub(super) extent: [Wide; 2],
    /// Whether any swing is locked, any has a stop of each kind, and which of these have a row now.
    pub(super) locks: bool,
    pub(super) stopped: [bool; 3],
    pub(super) stands: [bool; 3],
    /// Slots of the stops' rows.
    pub(super) slots: [u8; 3],
}

impl Rest {
    fn put(&mut self, lane: usize, joint: &LaneBearing) {
        for (to, q) in self.frame.iter_mut().zip(joint.frame) {
            for (to, x) in to.iter_mut().zip(q.to_array()) {
                to.0[lane] = x;
            }
        }
        let axes = DMat3::from_quat(joint.frame[0]);
        for (k, axis) in self.axes.iter_mut().enumerate() {
            set(axis, lane, axes.col(k));
        }
        for (arm, own) in self.arm.iter_mut().zip(joint.arm) {
            set(arm, lane, own);
        }
    }
}

impl Bearing {
    fn put(&mut self, lane: usize, joint: &LaneBearing) {
        self.locked.0[lane] = f64::from(u8::from(joint.locked));
        for k in 0..3 {
            self.stops[k].0[lane] = joint.stops[k];
        }
        for k in 0..2 {
            self.extent[k].0[lane] = joint.extent[k];
        }
    }

    /// Whether it is more than eight pins.
    #[inline(always)]
    pub(super) fn turns(&self) -> bool {
        self.locks || self.stopped.contains(&true)
    }

    /// Rows without bounds.
    #[inline(always)]
    pub(super) fn plain(&self) -> usize {
        if self.locks { FIRM } else { FIRM - 2 }
    }

    /// The frames turned with the bodies.
    #[inline(always)]
    pub(super) fn turned<S: Double>(
        &self,
        rest: &Rest,
        turned: &[Line],
        bodies: &[[Place; LANES]; 2],
    ) -> [[S; 4]; 2] {
        let now = Turns::<S>::of(turned, bodies);
        let from = if self.home { &rest.frame } else { &self.frame };
        two!(|s| swivel::product(now.turn[s].numbers(), swivel::load(&from[s])))
    }

    /// Has them stay so.
    #[inline(always)]
    pub(super) fn follow<S: Double>(&mut self, frame: &[[S; 4]; 2]) {
        self.home = false;
        for s in 0..2 {
            for k in 0..4 {
                frame[s][k].store(&mut self.frame[s][k]);
            }
        }
    }
}

impl Batch {
    /// How many rows may have a linear half: these are the first.
    #[inline(always)]
    pub(super) fn pushing(&self) -> usize {
        match self.bearing {
            NO_BEARING => self.len(),
            _ => POINT,
        }
    }
}

impl JointLanes {
    /// Makes a batch one of bearings, which are to be [started](Self::start_bearings). What is there of it has no meaning.
    pub fn open_bearings(&mut self, batch: usize, joints: &[LaneBearing], stops: &Stops) {
        let (locks, stopped) = (
            joints.iter().any(|j| j.locked),
            [0, 1, 2].map(|k| joints.iter().any(|j| j.stops[k].is_finite())),
        );
        let number = self.bearings.len() as u32;
        let mut bearing = Bearing {
            stops: [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY].map(|x| Wide([x; LANES])),
            locks,
            stopped,
            slots: [5, 6, 7].map(|k| stops.slots[k]),
            ..Bearing::default()
        };
        let mut rest = Rest::default();
        // Room for all the rows there may be in this step.
        let most = if locks { FIRM } else { FIRM - 2 };
        let room = [most as u8, stopped.iter().filter(|s| **s).count() as u8];
        self.make_room(batch, room);
        let to = &mut self.batches[batch];
        (to.bounded, to.anchored) = (0, 3);
        (to.square, to.bearing) = (false, number);
        let all = |x: f64| Wide([x; LANES]);
        let rows = &mut self.rows[to.range()];
        for (row, slot) in rows.iter_mut().zip(stops.slots) {
            *row = Default::default();
            row.bounds = [all(f64::NEG_INFINITY), all(f64::INFINITY)];
            row.length = all(1.0);
            row.slot = [slot; LANES];
        }
        for (lane, joint) in joints.iter().enumerate() {
            rest.put(lane, joint);
            bearing.put(lane, joint);
            for row in &mut rows[POINT..] {
                row.length.0[lane] = joint.extent[0];
            }
        }
        self.bearings.push(bearing);
        self.rests.push(rest);
    }

    /// Starts another step with the bearings of a batch, lane by lane, as they were put.
    pub fn start_bearings(&mut self, batch: usize, starts: &[BearingStart]) {
        let to = &mut self.batches[batch];
        let number = to.bearing as usize;
        let bearing = &mut self.bearings[number];
        (to.bounded, to.local) = (0, true);
        (bearing.home, bearing.stands) = (true, [false; 3]);
        let rows = &mut self.rows[to.range()];
        for (lane, start) in starts.iter().enumerate() {
            bearing.angle.0[lane] = start.angle;
            for k in 0..3 {
                bearing.impulses[k].0[lane] = start.impulses[FIRM + k];
            }
            let locked = bearing.locked.0[lane] > 0.0;
            for (k, row) in rows.iter_mut().enumerate() {
                let stated = k < POINT || locked;
                row.impulse.0[lane] = if stated { start.impulses[k] } else { 0.0 };
            }
        }
    }

    /// Whether all joints are bearings.
    pub fn has_only_bearings(&self) -> bool {
        self.bearings.len() == self.batches.len()
    }

    /// Whether a batch is one of bearings.
    pub fn has_bearings(&self, batch: usize) -> bool {
        self.batches[batch].bearing != NO_BEARING
    }

    /// Turns all bearings with their bodies, and makes the rows of their locks and stops, as rigid ones, at the
    /// velocities of the `bodies` of their section. Anchored rows have been carried there.
    pub fn turn_bearings(&mut self, bodies: &BodyLines, numbers: &Discretiser, stops: &Stops) {
        let terms = swivel::Terms {
            rate: 1.0 / numbers.h,
            push: numbers.contact.push_out,
            ahead: 2.0 * numbers.h,
            margin: stops.margin,
        };
        swivel::run(self, bodies.vel, terms);
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{START, STOPS, bearing, state};
    use super::*;
    use crate::lanes::ContactLanes;
    use rb_core::problem::Pass;

    const BODIES: usize = 2 * LANES;

    /// Velocities and impulses after so many steps, with bearings placed in the first alone or in all.
    fn stepped(steps: usize, anew: bool) -> Vec<f64> {
        let (mut lanes, mut contacts) = (JointLanes::default(), ContactLanes::default());
        contacts.reset(BODIES);
        let pairs = (0..LANES as u32).map(|j| ([2 * j, 2 * j + 1], 5));
        lanes.seat(pairs, BODIES, BODIES);
        let joints: Vec<_> = (0..LANES).map(bearing).collect();
        for step in 0..steps {
            if anew || step == 0 {
                lanes.renew();
                lanes.open_bearings(0, &joints, &STOPS);
            }
            assert!(lanes.has_only_bearings());
            lanes.start_bearings(0, &[START; LANES]);
            state(&mut lanes, &mut contacts, BODIES);
            lanes.prepare(&contacts);
            for pass in [Pass::Position, Pass::Velocity] {
                lanes.sweep(&mut contacts, pass, false);
            }
        }
        let rows = &lanes.rows[lanes.batches[0].range()];
        let impulses = rows.iter().map(|row| &row.impulse);
        let all = contacts.vel.iter().chain(impulses).flat_map(|w| w.0);
        all.collect()
    }

    #[test]
    fn a_step_starts_with_bearings_as_they_were_put() {
        assert_eq!(stepped(3, false), stepped(3, true));
    }
}
