//! Normals: their rows, and what is counted of those without a friction of their own, where the manifold has one.

use super::{Sums, add, raise};
use crate::lanes::batch::{Batch, NONE, Packed};
use crate::lanes::simd::Simd;

/// The row of the normal of a point in the velocity pass.
pub(super) struct Row<S: Simd> {
    /// Lanes that have the point.
    pub(super) live: S::Mask,
    /// Constant part (m/s).
    pub(super) bias: S,
    /// R/a, and R (1/kg).
    share: S,
    pub(super) reg: S,
    /// a + R (1/kg), and 1 over that (kg).
    pub(super) stiff: S,
    pub(super) yields: S,
}

impl<S: Simd> Row<S> {
    #[inline(always)]
    pub(super) fn of(packed: &Packed<S::Stored>, batch: &Batch<S::Stored>, k: usize) -> Self {
        let (zero, one) = (S::zero(), S::splat(1.0));
        let p = &packed.points[batch.first as usize + k];
        let [bias, share] = match batch.special {
            NONE => [p.after(), zero],
            first => packed.special[first as usize + k].after(),
        };
        let inverse = S::load(&p.inverse);
        let live = S::gt(inverse, zero);
        let inverse = S::select(live, inverse, one);
        let a = one.div(inverse);
        let stiff = a.fma(share, a);
        Self {
            live,
            bias,
            share,
            reg: share.mul(a),
            stiff,
            yields: match batch.special {
                NONE => inverse,
                _ => one.div(stiff),
            },
        }
    }

    /// What lanes with the point have, else 0.
    #[inline(always)]
    pub(super) fn of_live(&self, x: S) -> S {
        S::select(self.live, x, S::zero())
    }

    /// Counts how deep the point is at its gap, unless it yields.
    #[inline(always)]
    pub(super) fn sink(&self, gap: S, sums: &mut Sums<S::Stored>) {
        let zero = S::zero();
        let depth = S::select(S::gt(self.share, zero), zero, zero.sub(gap));
        raise(&mut sums.depth, self.of_live(depth));
    }
}

/// The normal of a point in each lane. In a lane without one, impulse and w are zero.
pub(in crate::lanes) struct Normal<S> {
    /// a + R of its row (1/kg), and 1 over that (kg).
    pub(in crate::lanes) stiff: S,
    pub(in crate::lanes) yields: S,
    pub(in crate::lanes) impulse: S,
    /// w with the constant part of the row, and that of the free velocity (m/s).
    pub(in crate::lanes) w: S,
    pub(in crate::lanes) rest: S,
    /// 1 where the friction of its manifold sticks, else 0.
    pub(in crate::lanes) sticks: S,
}

impl<S: Simd> Normal<S> {
    /// ε = (a + R) λ − max(0, (a + R) λ − w), and what else is counted of a normal; `place` is its entry of `points`.
    #[inline(always)]
    pub(in crate::lanes) fn count(
        self,
        live: S::Mask,
        place: S,
        floor: f64,
        sums: &mut Sums<S::Stored>,
    ) {
        let (zero, one) = (S::zero(), S::splat(1.0));
        let (impulse, w, per_a) = (self.impulse, self.w, self.yields);
        let load = self.stiff.mul(impulse);
        // In this order what is no number stays so.
        let off = load.sub(zero.max(load.sub(w)));
        let size = load.mul(load).max(self.rest.mul(self.rest));
        let size = size.max(S::splat(floor * floor)).mul(per_a);
        sums.add(off.mul(off), per_a, size, live, place);
        let outside = load.sub(zero.max(load));
        raise(&mut sums.outside2, outside.mul(outside));
        raise(&mut sums.closing, zero.sub(w));
        let product = impulse.mul(w);
        raise(&mut sums.product, product.max(zero.sub(product)));
        let loaded = S::select(S::gt(impulse, zero), one, zero);
        let stuck = loaded.mul(self.sticks);
        add(&mut sums.open, S::select(live, one, zero).sub(loaded));
        add(&mut sums.stick, stuck);
        add(&mut sums.slide, loaded.sub(stuck));
    }
}
