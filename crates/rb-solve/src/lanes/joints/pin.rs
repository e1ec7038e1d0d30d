//! Joints that hold two points together and nothing else, stated without rows: at the start of a step their
//! frames are carried from the bodies' own axes to where the bodies are.

use super::carry::run;
use super::fill::set;
use super::pack::JointLanes;
use crate::lanes::LANES;
use crate::lanes::batch::Wide3;
use crate::lanes::simd::{Stored, Wide};
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

/// Up to eight of them.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Pins<W = Wide> {
    pub(super) axes: [Wide3<W>; 3],
    pub(super) arm: [Wide3<W>; 2],
}

impl<W: Stored> Pins<W> {
    pub(super) fn put(&mut self, lane: usize, pin: &LanePin) {
        for (k, axis) in self.axes.iter_mut().enumerate() {
            set(axis, lane, pin.axes.col(k));
        }
        for (arm, own) in self.arm.iter_mut().zip(pin.arm) {
            set(arm, lane, own);
        }
    }
}

impl JointLanes {
    /// Makes a batch one of pins, that are swept, with R of their rows in units of J W Jᵀ and their slots. The pins
    /// themselves follow.
    pub fn open_pins(&mut self, batch: usize, soft: f64, slots: [u8; 3]) {
        debug_assert!(self.groups.is_empty(), "trees have no points");
        let (bodies, full) = (self.batches[batch].bodies, self.is_full(batch));
        match self.net.is_used {
            true => {
                debug_assert_eq!(batch, self.numbered as usize, "nets have nothing but pins");
                self.net.open(batch).open(&bodies, full, soft, slots);
                (self.batches[batch].point, self.numbered) = (self.numbered, self.numbered + 1);
            }
            false => self.open_point(batch).open(&bodies, full, soft, slots),
        }
        self.of_pins += 1;
        let to = &mut self.batches[batch];
        (to.plain, to.bounded, to.anchored) = (3, 0, 3);
        (to.square, to.local) = (true, true);
        (self.softens, self.differs) = (true, true);
    }

    /// Whether all joints are pins.
    pub fn has_only_pins(&self) -> bool {
        self.of_pins as usize == self.batches.len()
    }

    /// Puts a pin into a lane of a batch of pins.
    #[inline]
    pub fn put_pin(&mut self, batch: usize, lane: usize, pin: &LanePin) {
        let point = self.batches[batch].point as usize;
        if self.net.is_used {
            return self.net.put(point, lane, pin);
        }
        self.pins[point].put(lane, pin);
        self.points[point].start(lane, pin.impulse);
    }

    /// Starts another step with pins as they were put and the impulses that were last [noted](Self::note_points): where
    /// [all are pins](Self::has_only_pins).
    pub(super) fn stay(&mut self) {
        self.batches.iter_mut().for_each(|b| b.local = true);
    }

    /// Whether a batch has a joint in every lane.
    fn is_full(&self, batch: usize) -> bool {
        self.joint(batch, LANES - 1).is_some()
    }

    /// Carries all pins to where the bodies are; their centres of mass and attitudes have been set in
    /// place of what they did.
    pub fn carry_pins(&mut self, numbers: &Discretiser) {
        match self.net.is_used {
            true => self.carry_net(numbers, true, false),
            false => run(self, numbers, true),
        }
        self.batches.iter_mut().for_each(|b| b.local = false);
    }
}
