//! Points with a friction each, eight at once.

use super::{Sums, add, raise};
use crate::lanes::LANES;
use crate::lanes::simd::{Simd, Stored};
use glam::DVec3;
use rb_core::law::Law;
use rb_core::manifold::FrictionLaw;

/// What the points of a manifold share.
pub(in crate::lanes) struct Each<S: Simd> {
    pub(in crate::lanes) law: FrictionLaw,
    pub(in crate::lanes) mu: S,
    pub(in crate::lanes) floor: f64,
}

/// A point in every lane.
pub(in crate::lanes) struct One<S> {
    /// a of the block, and 1/a.
    pub(in crate::lanes) mean: S,
    pub(in crate::lanes) per_mean: S,
    pub(in crate::lanes) impulse: [S; 3],
    pub(in crate::lanes) w: [S; 3],
    /// w of the free velocity.
    pub(in crate::lanes) rest: [S; 3],
}

impl<S: Simd> One<S> {
    /// Has tangents too; `trace` is that of the block.
    #[inline(always)]
    pub(in crate::lanes) fn take_mean(&mut self, trace: S) {
        self.mean = trace.div(S::splat(3.0));
        self.per_mean = S::splat(3.0).div(trace);
    }

    #[inline(always)]
    pub(in crate::lanes) fn count(
        self,
        each: &Each<S>,
        live: S::Mask,
        place: S,
        sums: &mut Sums<S::Stored>,
    ) {
        let zero = S::zero();
        let (law, mu) = (each.law, each.mu);
        let (a, [ln, lx, ly], [wn, wx, wy]) = (self.mean, self.impulse, self.w);
        let lift = support(law, mu, [wx, wy]);
        // ε = ‖a λ − Π(a λ − w − σ eₙ)‖, with a K = K.
        let l = [a.mul(ln), a.mul(lx), a.mul(ly)];
        let target = [l[0].sub(wn).sub(lift), l[1].sub(wx), l[2].sub(wy)];
        let held = cone(law, mu, target);
        let square = |x: [S; 3]| x[2].fma(x[2], x[1].fma(x[1], x[0].mul(x[0])));
        let error = square([l[0].sub(held[0]), l[1].sub(held[1]), l[2].sub(held[2])]);
        let floor = S::splat(each.floor * each.floor);
        let size = square(l).max(square(self.rest)).max(floor);
        let per_a = self.per_mean;
        sums.add(error, per_a, size.mul(per_a), live, place);
        let pick = |x: S| S::select(live, x, zero);
        let inside = cone(law, mu, l);
        let outside = square([
            l[0].sub(inside[0]),
            l[1].sub(inside[1]),
            l[2].sub(inside[2]),
        ]);
        raise(&mut sums.outside2, pick(outside));
        raise(&mut sums.closing, pick(zero.sub(wn)));
        let size = |x: S| x.max(zero.sub(x));
        raise(&mut sums.product, pick(size(ln.mul(wn))));
        let lost = ly.fma(wy, lx.fma(wx, ln.mul(lift)));
        raise(&mut sums.dissipation, pick(size(lost)));
        self.state(each, live, sums);
    }

    /// Open, sticking or sliding.
    #[inline(always)]
    fn state(&self, each: &Each<S>, live: S::Mask, sums: &mut Sums<S::Stored>) {
        let (zero, one) = (S::zero(), S::splat(1.0));
        let [n, x, y] = self.impulse;
        let load = S::select(S::gt(n, zero), one, zero);
        let more = S::splat(1.0 + S::Stored::CLOSE);
        let (x, y, r) = (x.mul(more), y.mul(more), each.mu.mul(n));
        let size = |v: S| v.max(zero.sub(v));
        let slides = match each.law {
            FrictionLaw::Boxed => S::gt(size(x).max(size(y)), r),
            FrictionLaw::Pyramid => S::gt(size(x).add(size(y)), r),
            _ => S::gt(y.fma(y, x.mul(x)), r.mul(r)),
        };
        let slips = match each.law {
            FrictionLaw::None => one,
            _ => S::select(slides, one, zero),
        };
        let pick = |v: S| S::select(live, v, zero);
        add(&mut sums.open, pick(one.sub(load)));
        add(&mut sums.slide, pick(load.mul(slips)));
        add(&mut sums.stick, pick(load.mul(one.sub(slips))));
    }
}

/// σ_D(−wₜ): De Saxcé's lift.
#[inline(always)]
fn support<S: Simd>(law: FrictionLaw, mu: S, [x, y]: [S; 2]) -> S {
    let size = |v: S| v.max(S::zero().sub(v));
    let norm = match law {
        FrictionLaw::Boxed => size(x).add(size(y)),
        FrictionLaw::Pyramid => size(x).max(size(y)),
        FrictionLaw::None => return S::zero(),
        _ => y.fma(y, x.mul(x)).sqrt(),
    };
    mu.mul(norm)
}

/// Nearest point of the cone n ≥ 0, t ∈ μ n D.
#[inline(always)]
fn cone<S: Simd>(law: FrictionLaw, mu: S, p: [S; 3]) -> [S; 3] {
    if law == FrictionLaw::None {
        let zero = S::zero();
        return [S::select(S::gt(zero, p[0]), zero, p[0]), zero, zero];
    }
    if !matches!(law, FrictionLaw::Boxed | FrictionLaw::Pyramid) {
        return disc(mu, p);
    }
    let mut wide = [S::Stored::default(); 4];
    for (to, x) in wide.iter_mut().zip([mu, p[0], p[1], p[2]]) {
        x.store(to);
    }
    let mut out = [S::Stored::default(); 3];
    for i in 0..LANES {
        let [mu, n, x, y] = wide.map(|w| w.at(i));
        let held = Law::friction(law, mu).project(DVec3::new(n, x, y));
        let held = [held.x, held.y, held.z];
        (0..3).for_each(|k| out[k].set(i, held[k]));
    }
    [S::load(&out[0]), S::load(&out[1]), S::load(&out[2])]
}

#[inline(always)]
fn disc<S: Simd>(mu: S, [n, x, y]: [S; 3]) -> [S; 3] {
    let (zero, one) = (S::zero(), S::splat(1.0));
    let t = y.fma(y, x.mul(x)).sqrt();
    let out = S::gt(t, mu.mul(n));
    let polar = S::gt(mu.mul(t), zero.sub(n));
    let top = mu.fma(t, n).div(mu.fma(mu, one));
    let share = mu.mul(top).div(t.max(S::splat(S::Stored::TINY)));
    // Without friction the polar cone meets the cone's own side where t = 0.
    let below = S::gt(zero, n);
    let pick = |inside: S, edge: S| {
        let inside = S::select(below, zero, inside);
        S::select(out, S::select(polar, edge, zero), inside)
    };
    [pick(n, top), pick(x, share.mul(x)), pick(y, share.mul(y))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::simd::{Plain, Wide};
    use glam::DVec2;

    #[test]
    fn the_support_is_that_of_the_law() {
        let cases = [
            (FrictionLaw::Boxed, Law::Boxed { mu: 0.4 }),
            (FrictionLaw::Pyramid, Law::Pyramid { mu: 0.4 }),
            (FrictionLaw::Conic, Law::Cone { mu: 0.4 }),
        ];
        for (law, exact) in cases {
            for [x, y] in [[0.3, -0.7], [-1.0, 0.1], [0.0, 0.0]] {
                let [mu, x, y] = [0.4, x, y].map(Plain::splat);
                let mut got = Wide::default();
                support(law, mu, [x, y]).store(&mut got);
                let mut at = [Wide::default(); 2];
                x.store(&mut at[0]);
                y.store(&mut at[1]);
                let want = exact.support(DVec2::new(at[0].0[0], at[1].0[0]));
                assert!((got.0[0] - want).abs() < 1e-15, "{law:?}");
            }
        }
    }
}
