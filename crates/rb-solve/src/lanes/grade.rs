//! The certificate of contacts in lanes: the natural map of `rb_core::residual`, eight points at once.

mod tally;

pub(super) use tally::Tally;
pub use tally::{Graded, Sample};

use super::dispatch;

use super::axes::{Along, Arms, Axes};
use super::batch::{Batch, NONE, Packed};
use super::grip::load;
use super::pack::State;
use super::pair::Pair;
use super::simd::{Simd, Stored, Wide, Within, by_halves};
use crate::lanes::LANES;
use core::ops::Range;
use glam::DVec3;
use rb_core::law::Law;
use rb_core::manifold::FrictionLaw;

/// Running numbers, lane by lane. Lengths are kept squared: a root for each lane in the end, not for each point.
#[derive(Default)]
pub(super) struct Sums<W = Wide> {
    abs2: W,
    place: W,
    error2_max: W,
    scale2_max: W,
    error2: W,
    scale2: W,
    pub(super) outside2: W,
    closing: W,
    product: W,
    dissipation: W,
    open: W,
    stick: W,
    slide: W,
    pub(super) depth: W,
}

#[inline(always)]
pub(super) fn add<S: Simd>(to: &mut S::Stored, x: S) {
    S::load(to).add(x).store(to);
}

#[inline(always)]
pub(super) fn raise<S: Simd>(to: &mut S::Stored, x: S) {
    x.max(S::load(to)).store(to);
}

impl<W: Stored> Sums<W> {
    /// Violations of a block in each lane that has one: ε² (m²/s²), 1/a, and the square of the largest scaled
    /// quantity; `place` is its entry of `points`.
    #[inline(always)]
    pub(super) fn add<S: Simd<Stored = W>>(
        &mut self,
        abs2: S,
        per_a: S,
        size: S,
        live: S::Mask,
        place: S,
    ) {
        let zero = S::zero();
        // What is no number compares as no, and counts as infinite.
        let known = S::gt(S::splat(f64::INFINITY), abs2);
        let abs2 = S::select(known, abs2, S::splat(f64::INFINITY));
        let error = abs2.mul(per_a);
        let [abs2, error, size] = [
            S::select(live, abs2, zero),
            S::select(live, error, zero),
            S::select(live, size, zero),
        ];
        let best = S::load(&self.abs2);
        S::select(S::gt(abs2, best), place, S::load(&self.place)).store(&mut self.place);
        raise(&mut self.abs2, abs2);
        raise(&mut self.error2_max, error);
        add(&mut self.error2, error);
        raise(&mut self.scale2_max, size);
        add(&mut self.scale2, size);
    }
}

fn run<W: Stored>(
    packed: &Packed<W>,
    units: Range<usize>,
    bodies: State,
    floor: f64,
    sums: &mut Sums<W>,
) {
    dispatch!(of W grade(
        packed: &Packed<W>,
        units: Range<usize>,
        bodies: State,
        floor: f64,
        sums: &mut Sums<W>
    ))
}

#[inline(always)]
fn grade<S: Simd>(
    packed: &Packed<S::Stored>,
    units: Range<usize>,
    bodies: State,
    floor: f64,
    sums: &mut Sums<S::Stored>,
) {
    for batch in &packed.batches[units] {
        by_halves!(grade_one::<S>(packed, batch, bodies, floor, sums));
    }
}

#[inline(always)]
fn grade_one<S: Simd>(
    packed: &Packed<S::Stored>,
    batch: &Batch<S::Stored>,
    bodies: State,
    floor: f64,
    sums: &mut Sums<S::Stored>,
) {
    let zero = S::zero();
    let axes = Axes::of(batch);
    let vel = Along::new(
        &axes,
        &Pair::<S>::gather(bodies.vel, Within::both(&batch.bodies, bodies.vel)),
    );
    let free = Along::new(
        &axes,
        &Pair::<S>::gather(bodies.free, Within::both(&batch.bodies, bodies.free)),
    );
    let moved = Along::new(
        &axes,
        &Pair::<S>::gather(bodies.moved, Within::both(&batch.bodies, bodies.moved)),
    );
    let (points, heights) = packed.of(batch);
    let slips = &packed.slips[batch.slips()];
    let arms = Arms::of(batch, heights);
    // A manifold with one friction has points without any.
    let mut each = Each {
        law: batch.law,
        mu: S::load(&batch.mu),
        sticks: S::gt(zero, zero),
        floor,
    };
    if let Some(grip) = packed.grips.get(batch.grip as usize) {
        each.sticks = grip.grade(batch, load(points), &vel, floor, sums);
        each.law = FrictionLaw::None;
    }
    for (k, (p, at)) in points.iter().zip(heights).enumerate() {
        let arm = arms.to(p, at);
        let gap = S::load(&at.gap).add(moved.slip(&arm).0[0]);
        let live = S::gt(S::load(&p.inverse), zero);
        let [bias, reg] = match batch.special {
            NONE => [p.after(), zero],
            first => packed.special[first as usize + k].after(),
        };
        let rigid = S::select(S::gt(reg, zero), zero, zero.sub(gap));
        raise(&mut sums.depth, S::select(live, rigid, zero));
        let inverse = S::select(live, S::load(&p.inverse), S::splat(1.0));
        let a = S::splat(1.0).div(inverse);
        let stiff = a.fma(reg, a);
        let yields = match batch.special {
            NONE => inverse,
            _ => S::splat(1.0).div(stiff),
        };
        let load = S::load(&p.impulse);
        let (slip, rest) = (vel.slip(&arm).0, free.slip(&arm).0);
        let wn = slip[0].add(bias);
        let wn = wn.add(reg.mul(a).mul(load));
        let mut one = One {
            mean: stiff,
            per_mean: yields,
            impulse: [load, zero, zero],
            w: [wn, zero, zero],
            rest: [rest[0], zero, zero],
        };
        if let (Some(s), true) = (slips.get(k), each.law != FrictionLaw::None) {
            let step = S::load(&s.step).max(S::splat(S::Stored::TINY));
            one.take_mean(S::splat(2.0).div(step).add(stiff));
            for t in 0..2 {
                one.impulse[1 + t] = S::load(&s.impulse[t]);
                one.w[1 + t] = slip[1 + t].sub(S::load(&batch.belt[t]));
                one.rest[1 + t] = rest[1 + t];
            }
        }
        let place = S::splat((batch.first as usize + k) as f64);
        one.count(&each, live, place, sums);
    }
}

/// What the points of a manifold share.
pub(super) struct Each<S: Simd> {
    pub(super) law: FrictionLaw,
    pub(super) mu: S,
    /// Lanes whose points stick although they have no friction of their own.
    pub(super) sticks: S::Mask,
    pub(super) floor: f64,
}

/// A point in every lane.
pub(super) struct One<S> {
    /// a of the block, and 1/a.
    pub(super) mean: S,
    pub(super) per_mean: S,
    pub(super) impulse: [S; 3],
    pub(super) w: [S; 3],
    /// w of the free velocity.
    pub(super) rest: [S; 3],
}

impl<S: Simd> One<S> {
    /// Has tangents too; `trace` is that of the block.
    #[inline(always)]
    pub(super) fn take_mean(&mut self, trace: S) {
        self.mean = trace.div(S::splat(3.0));
        self.per_mean = S::splat(3.0).div(trace);
    }

    #[inline(always)]
    pub(super) fn count(self, each: &Each<S>, live: S::Mask, place: S, sums: &mut Sums<S::Stored>) {
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
            FrictionLaw::None => S::select(each.sticks, zero, one),
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
    use glam::DVec2;

    #[test]
    fn the_support_is_that_of_the_law() {
        use super::super::simd::{Plain, Wide};
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
