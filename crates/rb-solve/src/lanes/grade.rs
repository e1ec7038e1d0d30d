//! The certificate of contacts in lanes: the natural map of `rb_core::residual`, eight points at once.

mod normal;
mod point;
mod tally;

use normal::Row;

pub(super) use normal::Normal;
pub(super) use point::{Each, One};
pub(super) use tally::Tally;
pub use tally::{Graded, Sample};

use super::dispatch;

use super::axes::{Along, Arms, Axes};
use super::batch::{Batch, Packed};
use super::grip::{Grip, load};
use super::pack::State;
use super::pair::Pair;
use super::position::{levers, more};
use super::simd::{Simd, Stored, Wide, Within, by_halves};
use core::ops::Range;
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
    let (axes, at) = (Axes::of(batch), Within::both(&batch.bodies, bodies.vel));
    let ways = Ways {
        vel: Along::new(&axes, &Pair::<S>::gather(bodies.vel, at)),
        free: Along::new(&axes, &Pair::<S>::gather(bodies.free, at)),
        moved: Along::new(&axes, &Pair::<S>::gather(bodies.moved, at)),
    };
    match packed.grips.get(batch.grip as usize) {
        Some(grip) => grade_gripped(packed, batch, grip, &ways, floor, sums),
        None => grade_apart(packed, batch, &ways, floor, sums),
    }
}

/// How the bodies of a batch move along its axes, how they would without impulses, and how they have.
struct Ways<S> {
    vel: Along<S>,
    free: Along<S>,
    moved: Along<S>,
}

/// A batch whose manifolds have one friction each: its points have none.
#[inline(always)]
fn grade_gripped<S: Simd>(
    packed: &Packed<S::Stored>,
    batch: &Batch<S::Stored>,
    grip: &Grip<S::Stored>,
    ways: &Ways<S>,
    floor: f64,
    sums: &mut Sums<S::Stored>,
) {
    let (points, heights) = packed.of(batch);
    let sticks = grip.grade(batch, load(points), &ways.vel, floor, sums);
    let sticks = S::select(sticks, S::splat(1.0), S::zero());
    let levers = levers(batch);
    let [(vel, rolls), (free, rolls_free), (moved, rolled)] = [
        ways.vel.normal(&levers),
        ways.free.normal(&levers),
        ways.moved.normal(&levers),
    ];
    for (k, (p, at)) in points.iter().zip(heights).enumerate() {
        let row = Row::<S>::of(packed, batch, k);
        row.sink(moved.add(more(p, rolled, S::load(&at.gap))), sums);
        let impulse = S::load(&p.impulse);
        let w = vel.add(more(p, rolls, row.bias));
        let normal = Normal {
            stiff: row.stiff,
            yields: row.yields,
            impulse: row.of_live(impulse),
            w: row.of_live(row.reg.fma(impulse, w)),
            rest: free.add(more(p, rolls_free, S::zero())),
            sticks,
        };
        let place = S::splat((batch.first as usize + k) as f64);
        normal.count(row.live, place, floor, sums);
    }
}

/// A batch whose points have a friction each, or none at all.
#[inline(always)]
fn grade_apart<S: Simd>(
    packed: &Packed<S::Stored>,
    batch: &Batch<S::Stored>,
    ways: &Ways<S>,
    floor: f64,
    sums: &mut Sums<S::Stored>,
) {
    let zero = S::zero();
    let (points, heights) = packed.of(batch);
    let slips = &packed.slips[batch.slips()];
    let arms = Arms::of(batch, heights);
    let each = Each {
        law: batch.law,
        mu: S::load(&batch.mu),
        floor,
    };
    for (k, (p, at)) in points.iter().zip(heights).enumerate() {
        let (arm, row) = (arms.to(p, at), Row::<S>::of(packed, batch, k));
        row.sink(S::load(&at.gap).add(ways.moved.slip(&arm).0[0]), sums);
        let load = S::load(&p.impulse);
        let (slip, rest) = (ways.vel.slip(&arm).0, ways.free.slip(&arm).0);
        let mut one = One {
            mean: row.stiff,
            per_mean: row.yields,
            impulse: [load, zero, zero],
            w: [row.reg.fma(load, slip[0].add(row.bias)), zero, zero],
            rest: [rest[0], zero, zero],
        };
        if let (Some(s), true) = (slips.get(k), each.law != FrictionLaw::None) {
            let step = S::load(&s.step).max(S::splat(S::Stored::TINY));
            one.take_mean(S::splat(2.0).div(step).add(row.stiff));
            for t in 0..2 {
                one.impulse[1 + t] = S::load(&s.impulse[t]);
                one.w[1 + t] = slip[1 + t].sub(S::load(&batch.belt[t]));
                one.rest[1 + t] = rest[1 + t];
            }
        }
        let place = S::splat((batch.first as usize + k) as f64);
        one.count(&each, row.live, place, sums);
    }
}
