//! The certificate, one manifold after the other, its points side by side.

use super::Thin;
use super::visit::{normal, speeds, tangents, upper};
use crate::lanes::dispatch;
use crate::lanes::grade::{One, Sums, raise};
use crate::lanes::pack::State;
use crate::lanes::simd::Simd;
use rb_core::manifold::FrictionLaw;

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
    let (upper, zero, one) = (upper::<S>(), S::zero(), S::splat(1.0));
    for (number, m) in manifolds.iter().enumerate() {
        let roots = [S::load(&m.root[0]), S::load(&m.root[1])];
        let live = S::gt(roots[0], zero);
        let gap = S::load(&m.gap).add(normal(m, speeds::<S>(m, bodies.moved, upper)));
        raise(&mut sums.depth, S::select(live, zero.sub(gap), zero));
        let (vel, free) = (
            speeds::<S>(m, bodies.vel, upper),
            speeds::<S>(m, bodies.free, upper),
        );
        let t = tangents(m, vel, upper).add(S::load(&m.bias[1]));
        let w = [normal(m, vel).add(S::load(&m.bias[0])), t, t.swapped()];
        let rest = normal(m, free);
        let p = S::load(&m.impulse[1]).mul(roots[1]);
        let impulse = [S::load(&m.impulse[0]).mul(roots[0]), p, p.swapped()];
        let stiff = |root: S| one.div(S::select(live, root.mul(root), one));
        let (mean, rest) = if m.law == FrictionLaw::None {
            (stiff(roots[0]), [rest, zero, zero])
        } else {
            let t = tangents(m, free, upper);
            let trace = S::splat(2.0).mul(stiff(roots[1]));
            let mean = trace.add(stiff(roots[0])).div(S::splat(3.0));
            (mean, [rest, t, t.swapped()])
        };
        let point = One {
            mu: S::splat(m.friction),
            mean,
            impulse,
            w,
            rest,
            floor,
        };
        point.count(m.law, live, first + number, sums);
    }
}
