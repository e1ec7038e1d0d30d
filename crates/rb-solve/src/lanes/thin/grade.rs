//! The certificate, one manifold after the other, its points side by side.

use super::each::{slips, tangents};
use super::visit::{Speeds, approach};
use super::whole::Whole;
use super::{Friction, Normals, Thin};
use crate::lanes::dispatch;
use crate::lanes::grade::{Each, One, Sums, raise};
use crate::lanes::grip::Patch;
use crate::lanes::pack::State;
use crate::lanes::simd::{Simd, Wide};
use rb_core::manifold::{FrictionLaw, MAX_POINTS};

/// Says which lane is the first.
const FIRST: Wide = Wide([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);

/// Counts every point; a place is the number of a manifold, the first of which is `first`, its lane the
/// point.
pub(in crate::lanes) fn grade(
    manifolds: &[Thin],
    first: usize,
    bodies: State,
    floor: f64,
    sums: &mut Sums,
) {
    dispatch!(narrow all(
        manifolds: &[Thin],
        first: usize,
        bodies: State,
        floor: f64,
        sums: &mut Sums
    ))
}

#[inline(always)]
fn all<S: Simd>(manifolds: &[Thin], first: usize, bodies: State, floor: f64, sums: &mut Sums) {
    let (zero, one) = (S::zero(), S::splat(1.0));
    for (
        k,
        Thin {
            normals: m,
            friction,
        },
    ) in manifolds.iter().enumerate()
    {
        let (number, root) = (first + k, S::load(&m.root));
        let live = S::gt(root, zero);
        let gap = S::load(&m.gap).add(approach(m, &Speeds::of(m, bodies.moved)));
        raise(&mut sums.depth, S::select(live, zero.sub(gap), zero));
        let (vel, free) = (Speeds::<S>::of(m, bodies.vel), Speeds::of(m, bodies.free));
        let yields = S::select(live, root.mul(root), one);
        let stiff = one.div(yields);
        let mut point = One {
            mean: stiff,
            per_mean: yields,
            impulse: [S::load(&m.impulse).mul(root), zero, zero],
            w: [approach(m, &vel).add(S::load(&m.bias)), zero, zero],
            rest: [approach(m, &free), zero, zero],
        };
        let mut each = Each {
            law: m.law,
            mu: S::splat(m.mu),
            sticks: S::gt(zero, zero),
            floor,
        };
        match friction {
            Friction::Whole(whole) => {
                let patch = patch(m, whole, &vel);
                each.sticks = patch.grade(S::load(&FIRST), S::splat(number as f64), floor, sums);
                each.law = FrictionLaw::None;
            }
            Friction::Each(_) if m.law == FrictionLaw::None => {}
            Friction::Each(own) => {
                let root = S::load(&own.root);
                let p = S::load(&own.impulse).mul(root);
                let t = slips(m, &vel);
                let free = tangents(m, &free);
                let trace = S::splat(2.0).div(S::select(live, root.mul(root), one));
                point.take_mean(trace.add(stiff));
                (point.impulse[1], point.impulse[2]) = (p, p.swapped());
                (point.w[1], point.w[2]) = (t, t.swapped());
                (point.rest[1], point.rest[2]) = (free, free.swapped());
            }
        }
        point.count(&each, live, number, sums);
    }
}

/// The friction of a manifold, the same in all lanes.
#[inline(always)]
fn patch<S: Simd>(m: &Normals, whole: &Whole, vel: &Speeds<S>) -> Patch<S> {
    let mut load = 0.0;
    for k in 0..MAX_POINTS {
        load = m.root.0[k].mul_add(m.impulse.0[k], load);
    }
    let ([step, spin], [x, y, z]) = (whole.steps(), whole.impulses());
    let mut w = Wide::default();
    whole.speed(vel).store(&mut w);
    let ([wx, wy, wz, ..], [bx, by]) = (w.0, m.belt);
    Patch {
        law: m.law,
        limit: S::splat(m.mu * load),
        step: [S::splat(step), S::splat(spin)],
        impulse: [S::splat(x), S::splat(y), S::splat(z)],
        w: [S::splat(wx - bx), S::splat(wy - by), S::splat(wz)],
    }
}
