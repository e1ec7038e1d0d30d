//! The certificate, the points of two manifolds side by side, and the common friction of eight.

use super::each::{Each as Own, slips, tangents};
use super::visit::{Speeds, splat, sum};
use super::whole::Whole;
use super::{Friction, Normals, Thin};
use crate::lanes::dispatch;
use crate::lanes::grade::{Each, Normal, One, Sums, raise};
use crate::lanes::grip::Patch;
use crate::lanes::pack::State;
use crate::lanes::simd::{Halves, LANES, Line, Narrow, two};
use crate::lanes::vector::V3;
use rb_core::manifold::{FrictionLaw, MAX_POINTS};

/// Points of the lanes: those of one manifold, then those of another.
const POINTS: Narrow = Narrow([0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0]);

/// Counts every point; a place says point and manifold, as `MAX_POINTS` times the number of that, the first of which is
/// `first`, and the point.
pub(in crate::lanes) fn grade(
    manifolds: &[Thin],
    first: usize,
    bodies: State,
    floor: f64,
    sums: &mut Sums<Narrow>,
) {
    dispatch!(single all(
        manifolds: &[Thin],
        first: usize,
        bodies: State,
        floor: f64,
        sums: &mut Sums<Narrow>
    ))
}

#[inline(always)]
fn all<S: Halves>(
    manifolds: &[Thin],
    first: usize,
    bodies: State,
    floor: f64,
    sums: &mut Sums<Narrow>,
) {
    for (k, eight) in manifolds.chunks(LANES).enumerate() {
        let first = first + LANES * k;
        let sticks = patches::<S>(eight, first, bodies, floor, sums);
        let mut k = 0;
        while k < eight.len() {
            let points = Points::<S>::of(&eight[k].normals, first + k, sticks[k], bodies);
            match (&eight[k].friction, eight.get(k + 1)) {
                (Friction::Each(own), _) => {
                    points
                        .alone()
                        .count_slipping(&eight[k].normals, own, bodies, floor, sums);
                }
                (_, Some(next)) if matches!(next.friction, Friction::Whole(_)) => {
                    let others = Points::of(&next.normals, first + k + 1, sticks[k + 1], bodies);
                    points.beside(&others).count(floor, sums);
                    k += 1;
                }
                _ => points.alone().count(floor, sums),
            }
            k += 1;
        }
    }
}

/// The normals of a manifold, in both halves; in the upper half of another, or none.
struct Points<S> {
    place: S,
    /// s, or 0 for a point that is none.
    root: S,
    impulse: S,
    /// Present gap (m), speed with its constant part, and the speed of the free velocity (m/s).
    gap: S,
    w: S,
    rest: S,
    /// Whether the friction of the manifold sticks, as 1 or 0.
    sticks: S,
}

impl<S: Halves> Points<S> {
    /// Those of the manifold `number`.
    #[inline(always)]
    fn of(m: &Normals, number: usize, sticks: f32, bodies: State) -> Self {
        let root = S::load(&m.root);
        Self {
            place: S::load(&POINTS).add(S::splat((MAX_POINTS * number) as f64)),
            root,
            impulse: S::load(&m.impulse).mul(root),
            gap: S::load(&m.gap).add(Speeds::<S>::of(m, bodies.moved).approach(m)),
            w: Speeds::<S>::of(m, bodies.vel)
                .along(&m.rows)
                .add(S::load(&m.bias))
                .mul(S::load(&m.stiff)),
            rest: Speeds::<S>::of(m, bodies.free).approach(m),
            sticks: splat(sticks),
        }
    }

    /// With an idle upper half.
    #[inline(always)]
    fn alone(self) -> Self {
        let zero = S::zero();
        Self {
            root: self.root.lows(zero),
            impulse: self.impulse.lows(zero),
            w: self.w.lows(zero),
            ..self
        }
    }

    #[inline(always)]
    fn beside(&self, o: &Self) -> Self {
        Self {
            place: self.place.lows(o.place),
            root: self.root.lows(o.root),
            impulse: self.impulse.lows(o.impulse),
            gap: self.gap.lows(o.gap),
            w: self.w.lows(o.w),
            rest: self.rest.lows(o.rest),
            sticks: self.sticks.lows(o.sticks),
        }
    }

    /// Counts normals alone.
    #[inline(always)]
    fn count(self, floor: f64, sums: &mut Sums<Narrow>) {
        let (live, stiff, yields) = self.normals(sums);
        let normal = Normal {
            stiff,
            yields,
            impulse: self.impulse,
            w: self.w,
            rest: self.rest,
            sticks: self.sticks,
        };
        normal.count(live, self.place, floor, sums);
    }

    /// Counts points with friction of their own.
    #[inline(always)]
    fn count_slipping(
        &self,
        m: &Normals,
        own: &Own,
        bodies: State,
        floor: f64,
        sums: &mut Sums<Narrow>,
    ) {
        let zero = S::zero();
        let (live, mean, per_mean) = self.normals(sums);
        let mut point = One {
            mean,
            per_mean,
            impulse: [self.impulse, zero, zero],
            w: [self.w, zero, zero],
            rest: [self.rest, zero, zero],
        };
        if m.law != FrictionLaw::None {
            let root = S::load(&own.root);
            let p = S::load(&own.impulse).mul(root);
            let t = slips(m, &Speeds::<S>::of(m, bodies.vel));
            let free = tangents(m, &Speeds::<S>::of(m, bodies.free));
            let squares = S::select(live, root.mul(root), S::splat(1.0));
            point.take_mean(S::splat(2.0).div(squares).add(point.mean));
            (point.impulse[1], point.impulse[2]) = (p, p.swapped());
            (point.w[1], point.w[2]) = (t, t.swapped());
            (point.rest[1], point.rest[2]) = (free, free.swapped());
        }
        let each = Each {
            law: m.law,
            mu: S::splat(f64::from(m.mu)),
            floor,
        };
        point.count(&each, live, self.place, sums);
    }

    /// Which lanes have a normal, its a (1/kg), and 1 over that (kg); counts how deep they are.
    #[inline(always)]
    fn normals(&self, sums: &mut Sums<Narrow>) -> (S::Mask, S, S) {
        let (zero, one) = (S::zero(), S::splat(1.0));
        let live = S::gt(self.root, zero);
        raise(&mut sums.depth, S::select(live, zero.sub(self.gap), zero));
        let yields = S::select(live, self.root.mul(self.root), one);
        (live, one.div(yields), yields)
    }
}

/// Common frictions, a manifold in each lane.
#[derive(Default)]
struct Patches {
    counts: Narrow,
    place: Narrow,
    limit: Narrow,
    step: [Narrow; 2],
    impulse: [Narrow; 3],
    w: [Narrow; 3],
}

impl Patches {
    #[inline(always)]
    fn take<S: Halves>(
        &mut self,
        k: usize,
        m: &Normals,
        whole: &Whole,
        number: usize,
        vel: &[Line],
    ) {
        let load = sum(S::load(&m.root).mul(S::load(&m.impulse)));
        let (steps, impulses) = (whole.steps(), whole.impulses());
        let mut w = Narrow::default();
        whole.speed::<S>(m, vel).store(&mut w);
        let ([wx, wy, wz, ..], [bx, by]) = (w.0, m.belt);
        let mut limit = Narrow::default();
        splat::<S>(m.mu).mul(load).store(&mut limit);
        self.counts.0[k] = 1.0;
        self.place.0[k] = (MAX_POINTS * number) as f32;
        self.limit.0[k] = limit.0[0];
        (self.step[0].0[k], self.step[1].0[k]) = (steps[0], steps[1]);
        for c in 0..3 {
            self.impulse[c].0[k] = impulses[c] as f32;
            self.w[c].0[k] = [wx - bx, wy - by, wz][c];
        }
    }
}

/// Counts the common friction of up to eight manifolds; says with 1 which sticks.
#[inline(always)]
fn patches<S: Halves>(
    manifolds: &[Thin],
    first: usize,
    bodies: State,
    floor: f64,
    sums: &mut Sums<Narrow>,
) -> [f32; LANES] {
    let mut all = Patches::default();
    for (k, Thin { normals, friction }) in manifolds.iter().enumerate() {
        if let Friction::Whole(whole) = friction {
            all.take::<S>(k, normals, whole, first + k, bodies.vel);
        }
    }
    let patch = Patch {
        law: FrictionLaw::Conic,
        limit: S::load(&all.limit),
        step: two!(|s| S::load(&all.step[s])),
        impulse: V3::<S>::load(&all.impulse).0,
        w: V3::<S>::load(&all.w).0,
    };
    let (counts, place) = (S::load(&all.counts), S::load(&all.place));
    let sticks = patch.grade(counts, place, floor, sums);
    let mut out = Narrow::default();
    S::select(sticks, S::splat(1.0), S::zero()).store(&mut out);
    out.0
}
