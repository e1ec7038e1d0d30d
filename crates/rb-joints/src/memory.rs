//! What a joint remembers from one step to the next.
//!
//! Angles come out of a pose only up to whole turns; the memory holds the number of turns, so that
//! a hinge can have limits at ±3 turns. Impulses are kept by slot for the warm start of the next
//! step and for reports; a feature without a row in a step forgets its impulse.

use core::f64::consts::{PI, TAU};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// State of one joint between steps.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JointMemory {
    /// Last value (rad) of those of the coordinates `AngX`, `AngY`, `AngZ` that count whole turns. To tell these is
    /// what it is for: of a [pin](crate::pin) or a bearing it is right to within a hundredth.
    pub angle: [f64; 3],
    impulses: SmallVec<[(u8, f64); 8]>,
}

impl Clone for JointMemory {
    /// As derived, but impulses are copied as a whole: every joint is cloned in every step.
    fn clone(&self) -> Self {
        Self {
            angle: self.angle,
            impulses: SmallVec::from_slice(&self.impulses),
        }
    }

    #[inline]
    fn clone_from(&mut self, source: &Self) {
        self.angle = source.angle;
        self.take_impulses(&source.impulses);
    }
}

impl JointMemory {
    /// Takes impulses as [`impulses`](Self::impulses) lists them.
    #[inline]
    pub fn take_impulses(&mut self, source: &[(u8, f64)]) {
        if self.impulses.len() == source.len() {
            self.impulses.copy_from_slice(source);
        } else {
            self.impulses = SmallVec::from_slice(source);
        }
    }

    /// Last impulse (N·s or N·m·s) of a slot; 0 when the slot had no row.
    #[inline]
    pub fn impulse(&self, slot: u8) -> f64 {
        let found = self.impulses.iter().find(|(s, _)| *s == slot);
        found.map_or(0.0, |(_, impulse)| *impulse)
    }

    /// All impulses of the last step as (slot, N·s or N·m·s), in the order of the rows.
    #[inline]
    pub fn impulses(&self) -> &[(u8, f64)] {
        &self.impulses
    }

    /// Replaces all impulses by those of the rows just solved: (`Row::slot`, λ).
    pub fn store(&mut self, impulses: impl IntoIterator<Item = (u8, f64)>) {
        let (mut impulses, mut kept) = (impulses.into_iter(), 0);
        // Nearly always there are as many as before, and there is room for these.
        for place in &mut self.impulses {
            let Some(impulse) = impulses.next() else {
                break;
            };
            (*place, kept) = (impulse, kept + 1);
        }
        self.impulses.truncate(kept);
        // One by one: `extend` asks for a size first, which no iterator over rows knows.
        impulses.for_each(|impulse| self.impulses.push(impulse));
    }

    /// Multiplies all impulses: the same forces over a substep of another length.
    #[inline]
    pub fn scale(&mut self, factor: f64) {
        if factor == 1.0 {
            return;
        }
        self.impulses.iter_mut().for_each(|(_, p)| *p *= factor);
    }

    /// The angle nearest to `previous` (rad) that agrees with `angle` up to whole turns.
    #[inline]
    pub fn unwrap_angle(previous: f64, angle: f64) -> f64 {
        // Nearly always there is none.
        if (previous - angle).abs() <= PI {
            return angle;
        }
        angle + TAU * libm::rint((previous - angle) / TAU)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_counted_without_drift() {
        let (mut angle, step) = (0.0, 0.37);
        for k in 1..=10_000 {
            let wrapped = rb_core::math::wrap_angle(step * k as f64);
            angle = JointMemory::unwrap_angle(angle, wrapped);
        }
        assert!((angle - 3_700.0).abs() < 1e-9, "{angle}");
    }

    #[test]
    fn a_slot_without_a_row_forgets() {
        let mut memory = JointMemory::default();
        memory.store([(3, 1.5), (7, -2.0)]);
        assert_eq!((memory.impulse(3), memory.impulse(7)), (1.5, -2.0));
        memory.store([(7, 4.0)]);
        assert_eq!((memory.impulse(3), memory.impulse(7)), (0.0, 4.0));
    }
}
