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
use crate::lanes::simd::{Double, Line, Wide};
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
    /// The last twist (rad).
    pub angle: f64,
    /// Warm start of each row (N·s, N·m·s).
    pub impulses: [f64; MOST],
    /// Largest extent of the two bodies: of those that can move, and of both (m).
    pub extent: [f64; 2],
}

/// What rows there are of, and when stops have one.
#[derive(Clone, Copy, Debug)]
pub struct Stops {
    /// Slot of each row.
    pub slots: [u8; MOST],
    /// Gap below which a stop always has a row (rad).
    pub margin: f64,
}

/// Up to eight bearings.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Bearing {
    /// Joint frames of a and b: x, y, z, w of their quaternions.
    pub(super) frame: [[Wide; 4]; 2],
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

impl Bearing {
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

    /// Turns the frames with the bodies.
    #[inline(always)]
    pub(super) fn follow<S: Double>(&mut self, turned: &[Line], bodies: &[[u32; LANES]; 2]) {
        let now = Turns::<S>::of(turned, bodies);
        for s in 0..2 {
            let frame = swivel::product(now.turn[s].numbers(), swivel::load(&self.frame[s]));
            for k in 0..4 {
                frame[k].store(&mut self.frame[s][k]);
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
    /// Makes a batch one of bearings. What is there of it has no meaning.
    pub fn open_bearings(&mut self, batch: usize, joints: &[LaneBearing], stops: &Stops) {
        let (locks, stopped) = (
            joints.iter().any(|j| j.locked),
            [0, 1, 2].map(|k| joints.iter().any(|j| j.stops[k].is_finite())),
        );
        let number = self.bearings.len() as u32;
        self.bearings.push(Bearing {
            stops: [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY].map(|x| Wide([x; LANES])),
            locks,
            stopped,
            slots: [5, 6, 7].map(|k| stops.slots[k]),
            ..Bearing::default()
        });
        // Room for all the rows there may be in this step.
        let most = if locks { FIRM } else { FIRM - 2 };
        let room = [most as u8, stopped.iter().filter(|s| **s).count() as u8];
        self.make_room(batch, room);
        let to = &mut self.batches[batch];
        (to.bounded, to.anchored) = (0, 3);
        (to.square, to.local, to.bearing) = (false, true, number);
        let rows = to.range();
        let all = |x: f64| Wide([x; LANES]);
        for (row, slot) in self.rows[rows].iter_mut().zip(stops.slots) {
            *row = Default::default();
            row.bounds = [all(f64::NEG_INFINITY), all(f64::INFINITY)];
            row.length = all(1.0);
            row.slot = [slot; LANES];
        }
        for (lane, joint) in joints.iter().enumerate() {
            self.put_bearing(batch, lane, joint);
        }
    }

    fn put_bearing(&mut self, batch: usize, lane: usize, joint: &LaneBearing) {
        self.place(batch, lane, joint.arm, DVec3::ZERO);
        let batch = &self.batches[batch];
        let bearing = &mut self.bearings[batch.bearing as usize];
        for (to, q) in bearing.frame.iter_mut().zip(joint.frame) {
            for (to, x) in to.iter_mut().zip(q.to_array()) {
                to.0[lane] = x;
            }
        }
        bearing.locked.0[lane] = f64::from(u8::from(joint.locked));
        bearing.angle.0[lane] = joint.angle;
        for k in 0..3 {
            bearing.stops[k].0[lane] = joint.stops[k];
            bearing.impulses[k].0[lane] = joint.impulses[FIRM + k];
        }
        for k in 0..2 {
            bearing.extent[k].0[lane] = joint.extent[k];
        }
        let axes = DMat3::from_quat(joint.frame[0]);
        for (k, row) in self.rows[batch.range()].iter_mut().enumerate() {
            if k < 3 {
                set(&mut row.lin, lane, axes.col(k));
            } else {
                row.length.0[lane] = joint.extent[0];
            }
            let stated = k < 3 || joint.locked;
            row.impulse.0[lane] = if stated { joint.impulses[k] } else { 0.0 };
        }
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
