//! The certificate of contacts in lanes: the natural map of `rb_core::residual`, eight points at once.

mod tally;

pub(super) use tally::Tally;
pub use tally::{Graded, Sample};

use super::dispatch;

use super::batch::{Batch, PLAIN, Point, Special};
use super::pack::State;
use super::simd::{Simd, Wide, two};
use super::vector::{Motion, V3};
use crate::lanes::LANES;
use glam::DVec3;
use rb_core::law::Law;
use rb_core::manifold::FrictionLaw;

/// Running numbers, lane by lane. Lengths are kept squared: a root for each lane in the end, not for each point.
#[derive(Default)]
pub(super) struct Sums {
    abs2: Wide,
    place: Wide,
    error2_max: Wide,
    scale2_max: Wide,
    error2: Wide,
    scale2: Wide,
    outside2: Wide,
    closing: Wide,
    product: Wide,
    dissipation: Wide,
    open: Wide,
    stick: Wide,
    slide: Wide,
    pub(super) depth: Wide,
}

#[inline(always)]
pub(super) fn add<S: Simd>(to: &mut Wide, x: S) {
    S::load(to).add(x).store(to);
}

#[inline(always)]
pub(super) fn raise<S: Simd>(to: &mut Wide, x: S) {
    x.max(S::load(to)).store(to);
}

fn run(
    batches: &[Batch],
    points: &[Point],
    special: &[Special],
    bodies: State,
    floor: f64,
    sums: &mut Sums,
) {
    dispatch!(grade(
        batches: &[Batch],
        points: &[Point],
        special: &[Special],
        bodies: State,
        floor: f64,
        sums: &mut Sums
    ))
}

#[inline(always)]
fn grade<S: Simd>(
    batches: &[Batch],
    points: &[Point],
    special: &[Special],
    bodies: State,
    floor: f64,
    sums: &mut Sums,
) {
    for batch in batches {
        let vel = Motion::<S>::gather(bodies.vel, batch);
        let free = Motion::<S>::gather(bodies.free, batch);
        let moved = Motion::<S>::gather(bodies.moved, batch);
        let (n, t) = (V3::load(&batch.normal), V3::load(&batch.tangent));
        let axes = [n, t, n.cross(t)];
        for k in 0..batch.len as usize {
            let number = batch.first as usize + k;
            let p = &points[number];
            let arm = two!(|s| V3::load(&p.arm[s]));
            let gap = S::load(&p.gap).add(n.dot(moved.slip(&arm)));
            let live = S::gt(S::load(&p.inverse), S::zero());
            let reg = if batch.special == PLAIN {
                S::zero()
            } else {
                S::load(&special[batch.special as usize + k].reg[1])
            };
            let rigid = S::select(S::gt(reg, S::zero()), S::zero(), S::zero().sub(gap));
            raise(&mut sums.depth, S::select(live, rigid, S::zero()));
            let along = |v: V3<S>| [axes[0].dot(v), axes[1].dot(v), axes[2].dot(v)];
            let [wn, wx, wy] = along(vel.slip(&arm));
            let inverse = S::select(live, S::load(&p.inverse), S::splat(1.0));
            let a = S::splat(1.0).div(inverse);
            let impulse = V3::<S>::load(&p.impulse).0;
            let w = [
                wn.add(S::load(&p.bias[1])).add(reg.mul(a).mul(impulse[0])),
                wx.sub(S::load(&batch.belt[0])),
                wy.sub(S::load(&batch.belt[1])),
            ];
            let mut rest = along(free.slip(&arm));
            if batch.law == FrictionLaw::None {
                rest = [rest[0], S::zero(), S::zero()];
            }
            let step = S::load(&p.step).max(S::splat(f64::MIN_POSITIVE));
            let stiff = a.fma(reg, a);
            let mean = if batch.law == FrictionLaw::None {
                stiff
            } else {
                S::splat(2.0).div(step).add(stiff).div(S::splat(3.0))
            };
            let one = One {
                mu: S::load(&batch.mu),
                mean,
                impulse,
                w,
                rest,
                floor,
            };
            one.count(batch.law, live, number, sums);
        }
    }
}

/// A point in every lane.
pub(super) struct One<S> {
    pub(super) mu: S,
    /// a of the block.
    pub(super) mean: S,
    pub(super) impulse: [S; 3],
    pub(super) w: [S; 3],
    /// w of the free velocity.
    pub(super) rest: [S; 3],
    pub(super) floor: f64,
}

impl<S: Simd> One<S> {
    #[inline(always)]
    pub(super) fn count(self, law: FrictionLaw, live: S::Mask, number: usize, sums: &mut Sums) {
        let zero = S::zero();
        let (a, [ln, lx, ly], [wn, wx, wy]) = (self.mean, self.impulse, self.w);
        let lift = support(law, self.mu, [wx, wy]);
        // ε = ‖a λ − Π(a λ − w − σ eₙ)‖, with a K = K.
        let l = [a.mul(ln), a.mul(lx), a.mul(ly)];
        let target = [l[0].sub(wn).sub(lift), l[1].sub(wx), l[2].sub(wy)];
        let held = cone(law, self.mu, target);
        let square = |x: [S; 3]| x[2].fma(x[2], x[1].fma(x[1], x[0].mul(x[0])));
        let error = square([l[0].sub(held[0]), l[1].sub(held[1]), l[2].sub(held[2])]);
        // What is no number compares as no, and counts as infinite.
        let known = S::gt(S::splat(f64::INFINITY), error);
        let error = S::select(known, error, S::splat(f64::INFINITY));
        let pick = |x: S| S::select(live, x, zero);
        let abs2 = pick(error);
        let best = S::load(&sums.abs2);
        let place = S::splat(number as f64);
        S::select(S::gt(abs2, best), place, S::load(&sums.place)).store(&mut sums.place);
        raise(&mut sums.abs2, abs2);
        let inverse = S::splat(1.0).div(a);
        let scaled = pick(error.mul(inverse));
        raise(&mut sums.error2_max, scaled);
        add(&mut sums.error2, scaled);
        let floor = S::splat(self.floor * self.floor);
        let size = pick(square(l).max(square(self.rest)).max(floor).mul(inverse));
        raise(&mut sums.scale2_max, size);
        add(&mut sums.scale2, size);
        let inside = cone(law, self.mu, l);
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
        self.state(law, live, sums);
    }

    /// Open, sticking or sliding.
    #[inline(always)]
    fn state(&self, law: FrictionLaw, live: S::Mask, sums: &mut Sums) {
        let (zero, one) = (S::zero(), S::splat(1.0));
        let [n, x, y] = self.impulse;
        let load = S::select(S::gt(n, zero), one, zero);
        let more = S::splat(1.0 + 1e-9);
        let (x, y, r) = (x.mul(more), y.mul(more), self.mu.mul(n));
        let size = |v: S| v.max(zero.sub(v));
        let slides = match law {
            FrictionLaw::Boxed => S::gt(size(x).max(size(y)), r),
            FrictionLaw::Pyramid => S::gt(size(x).add(size(y)), r),
            _ => S::gt(y.fma(y, x.mul(x)), r.mul(r)),
        };
        let slips = match law {
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
        _ => y.fma(y, x.mul(x)).sqrt(),
    };
    mu.mul(norm)
}

/// Nearest point of the cone n ≥ 0, t ∈ μ n D.
#[inline(always)]
fn cone<S: Simd>(law: FrictionLaw, mu: S, p: [S; 3]) -> [S; 3] {
    if !matches!(law, FrictionLaw::Boxed | FrictionLaw::Pyramid) {
        return disc(mu, p);
    }
    let mut wide = [Wide::default(); 4];
    for (to, x) in wide.iter_mut().zip([mu, p[0], p[1], p[2]]) {
        x.store(to);
    }
    let mut out = [Wide::default(); 3];
    for i in 0..LANES {
        let [mu, n, x, y] = wide.map(|w| w.0[i]);
        let held = Law::friction(law, mu).project(DVec3::new(n, x, y));
        let held = [held.x, held.y, held.z];
        (0..3).for_each(|k| out[k].0[i] = held[k]);
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
    let share = mu.mul(top).div(t.max(S::splat(f64::MIN_POSITIVE)));
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
    use glam::DVec2;

    #[test]
    fn the_support_is_that_of_the_law() {
        use super::super::simd::Plain;
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
