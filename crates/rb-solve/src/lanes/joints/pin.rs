//! Joints that hold two points together and nothing else, stated without rows of their own: at the start of a
//! step their frames are carried from the bodies' own axes to where the bodies are.

use super::carry::run;
use super::fill::set;
use super::pack::JointLanes;
use crate::lanes::LANES;
use crate::lanes::simd::Wide;
use glam::{DMat3, DVec3};
use rb_core::discretise::Discretiser;

/// A joint that is three anchored rows.
#[derive(Clone, Copy, Debug)]
pub struct LanePin {
    /// Directions of the rows, in the axes of body a.
    pub axes: DMat3,
    /// From the centres of mass of a and b to what is held together, each in the axes of its body (m).
    pub arm: [DVec3; 2],
    /// Warm start along the rows (N·s).
    pub impulse: DVec3,
}

impl JointLanes {
    /// Starts a batch of pins, with R of their rows in units of J W Jᵀ and their slots.
    pub fn open_pins(&mut self, batch: usize, soft: f64, slots: [u8; 3]) {
        let all = |x: f64| Wide([x; LANES]);
        for (row, slot) in self.make_room(batch, [3, 0]).iter_mut().zip(slots) {
            // The others follow when the row is carried to its bodies and its mass is known.
            row.lin = Default::default();
            row.impulse = Wide::default();
            (row.bias, row.reg) = Default::default();
            row.bounds = [all(f64::NEG_INFINITY), all(f64::INFINITY)];
            (row.soft, row.length) = (all(soft), all(1.0));
            row.slot = [slot; LANES];
        }
        let to = &mut self.batches[batch];
        (to.anchored, to.square, to.local) = (3, true, true);
        (self.softens, self.differs) = (true, true);
    }

    /// Puts a pin into a lane of a batch of pins.
    pub fn put_pin(&mut self, batch: usize, lane: usize, pin: &LanePin) {
        self.place(batch, lane, pin.arm, DVec3::ZERO);
        let rows = self.batches[batch].range();
        for (k, row) in self.rows[rows].iter_mut().enumerate() {
            set(&mut row.lin, lane, pin.axes.col(k));
            row.impulse.0[lane] = pin.impulse[k];
        }
    }

    /// Carries all pins to where the bodies are; their centres of mass and attitudes have been set in
    /// place of what they did.
    pub fn carry_pins(&mut self, numbers: &Discretiser) {
        run(self, numbers, true);
        self.batches.iter_mut().for_each(|b| b.local = false);
    }
}
