//! What became of the manifolds whose friction is one, a line for each, in the order in which they were packed.
//!
//! That is the order in which their impulses are stored. Whoever asked the batches for them would fetch a line for
//! nearly every number, and wait for it; here a batch is read once, and its columns are turned into rows.

use super::batch::Packed;
use super::dispatch;
use super::pack::ContactLanes;
use super::precision::either;
use super::section::Section;
use super::simd::{AllLanes, Stored};
use crate::parallel;
use rb_core::manifold::MAX_POINTS;

impl ContactLanes {
    /// Ends the sweeps of a step: what is [stored](Self::store) is that of now.
    pub fn settle(&mut self) {
        parallel::for_each(&mut self.sections, 1, Section::settle);
        self.settle_seam();
    }

    /// The same, where every section [has done so](super::Watch::settle).
    pub fn settle_seam(&mut self) {
        self.own = true;
        parallel::for_each(self.seam.parts_mut(), 1, Section::settle);
    }
}

impl Section {
    pub(super) fn settle(&mut self) {
        either!(&mut self.packed, |packed| run(packed));
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
        let ([a, b, c, d], [x, y, twist]) = (loads, grip.whole(batch, points));
        let lines = S::transposed([a, b, c, d, x, y, twist, S::zero()]);
        for (line, member) in lines.into_iter().zip(batch.members) {
            if let Some(to) = packed.settled.get_mut(member as usize) {
                line.write(&mut to.0);
            }
        }
    }
}
