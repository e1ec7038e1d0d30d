//! What became of the manifolds whose friction is one, a line for each, in the order in which they were packed.
//!
//! That is the order in which their impulses are stored. Whoever asked the batches for them would fetch a line for
//! nearly every number, and wait for it; here a batch is read once, and its columns are turned into rows.

use super::batch::Packed;
use super::dispatch;
use super::grip::share_out;
use super::pack::ContactLanes;
use super::precision::either;
use super::section::Section;
use super::simd::{AllLanes, Line, Stored};
use super::vector::V3;
use crate::parallel;
use rb_core::manifold::MAX_POINTS;

/// The normal impulses of four points, the friction along both tangents (N·s), and the twist that is left
/// (N·m·s).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Settled(pub(super) Line);

impl Settled {
    /// Impulses of the points, and the twist beside them.
    #[inline]
    pub(super) fn impulses(&self) -> ([[f64; 3]; MAX_POINTS], f64) {
        let [a, b, c, d, x, y, twist, _] = self.0.0;
        let mut impulses = [a, b, c, d].map(|load| [load, 0.0, 0.0]);
        share_out([x, y], &mut impulses);
        (impulses, twist)
    }
}

impl ContactLanes {
    /// Ends the sweeps of a step: [`impulses`](Self::impulses) are those of now.
    pub fn settle(&mut self) {
        let settle = |section: &mut Section| either!(&mut section.packed, |packed| run(packed));
        parallel::for_each(&mut self.sections, 1, settle);
        settle(&mut self.seam);
    }
}

fn run<W: Stored>(packed: &mut Packed<W>) {
    dispatch!(of W settle(packed: &mut Packed<W>))
}

#[inline(always)]
pub(super) fn settle<S: AllLanes>(packed: &mut Packed<S::Stored>) {
    for batch in &packed.batches {
        let Some(grip) = packed.grips.get(batch.grip as usize) else {
            continue;
        };
        let points = &packed.points[batch.range()];
        let mut loads = [S::zero(); MAX_POINTS];
        for (load, p) in loads.iter_mut().zip(points) {
            *load = S::load(&p.impulse);
        }
        let twist = grip.twist(batch, points, &loads);
        let [a, b, c, d] = loads;
        let [x, y, _] = V3::load(&grip.impulse).0;
        let lines = S::transposed([a, b, c, d, x, y, twist, S::zero()]);
        for (line, member) in lines.into_iter().zip(batch.members) {
            if let Some(to) = packed.settled.get_mut(member as usize) {
                line.write(&mut to.0.0);
            }
        }
    }
}
