//! Warm start and velocity pass where every point has a friction of its own: of single points, which most contacts of
//! round shapes and edges are, and of all points where friction is asked for point by point.
//!
//! A point is visited normal first, then its tangents, which are told what that changed:
//!
//! ```text
//! λ_n ← max(λ_n − (w_n + b)/a, 0),   λ_t ← Π(λ_t − ρ (w_t − belt + A_tn Δλ_n), μ λ_n)
//! ```

use super::axes::{Along, Arms, Axes};
use super::batch::{Batch, Height, Point, Slip, Special};
use super::kernel::project;
use super::pair::Pair;
use super::position::again;
use super::response::Inertia;
use super::simd::{Simd, Stored, Within, two};
use super::vector::V3;

/// The points of a batch.
pub(super) struct Apart<'a, W> {
    pub(super) points: &'a mut [Point<W>],
    pub(super) heights: &'a [Height<W>],
    pub(super) slips: &'a mut [Slip<W>],
    pub(super) special: Option<&'a [Special<W>]>,
}

/// Starts a batch from its last impulses.
#[inline(always)]
pub(super) fn start_each<S: Simd, L: Stored>(
    batch: &Batch<S::Stored>,
    inertia: Inertia<S::Stored>,
    points: &[Point<S::Stored>],
    heights: &[Height<S::Stored>],
    slips: &[Slip<S::Stored>],
    vel: &mut [L],
) {
    let at = Within::both(&batch.bodies, vel);
    let (axes, mut pair) = (Axes::of(batch), Pair::<S>::gather(vel, at));
    let arms = Arms::of(batch, heights);
    for (slip, (p, at)) in slips.iter().zip(points.iter().zip(heights)) {
        let [x, y] = two!(|s| S::load(&slip.impulse[s]));
        let impulse = V3([S::load(&p.impulse), x, y]);
        inertia.push_at(&mut pair, &axes, &arms.to(p, at), impulse);
    }
    pair.scatter(vel, at);
}

/// Visits a batch.
#[inline(always)]
pub(super) fn visit_each<S: Simd, L: Stored, const BACKWARDS: bool>(
    batch: &Batch<S::Stored>,
    inertia: Inertia<S::Stored>,
    apart: &mut Apart<S::Stored>,
    vel: &mut [L],
) {
    if let ([p], [slip]) = (&mut *apart.points, &mut *apart.slips) {
        let special = apart.special.and_then(<[_]>::first);
        return visit_one::<S, L>(batch, inertia, p, (slip, special), vel);
    }
    let (arms, count) = (Arms::of(batch, apart.heights), apart.points.len());
    let at = Within::both(&batch.bodies, vel);
    let mut pair = Pair::<S>::gather(vel, at);
    for i in 0..count {
        let k = if BACKWARDS { count - 1 - i } else { i };
        let (p, slip) = (&mut apart.points[k], &mut apart.slips[k]);
        let (axes, arm) = (Axes::of(batch), arms.to(p, &apart.heights[k]));
        let w = Along::new(&axes, &pair).slip(&arm);
        let change = solve(batch, p, (slip, apart.special.map(|s| &s[k])), w);
        inertia.push_at(&mut pair, &axes, &arm, change);
    }
    pair.scatter(vel, at);
}

/// Visits a batch of single points, which are the first of their manifolds.
#[inline(always)]
fn visit_one<S: Simd, L: Stored>(
    batch: &Batch<S::Stored>,
    inertia: Inertia<S::Stored>,
    p: &mut Point<S::Stored>,
    friction: (&mut Slip<S::Stored>, Option<&Special<S::Stored>>),
    vel: &mut [L],
) {
    let at = Within::both(&batch.bodies, vel);
    let mut pair = Pair::<S>::gather(vel, at);
    let w = Along::new(&Axes::of(batch), &pair).slip(&arms(batch));
    let change = solve(batch, p, friction, w);
    let batch = again(batch);
    inertia.push_at(&mut pair, &Axes::of(batch), &arms(batch), change);
    pair.scatter(vel, at);
}

/// Arms to the first points of a batch.
#[inline(always)]
fn arms<S: Simd>(batch: &Batch<S::Stored>) -> [V3<S>; 2] {
    two!(|s| V3::load(&batch.arm[s]))
}

/// Solves a point where b moves by `w` against a, along the axes; returns what its impulses have gained. What is known before `w`
/// is goes first.
#[inline(always)]
fn solve<S: Simd>(
    batch: &Batch<S::Stored>,
    p: &mut Point<S::Stored>,
    (slip, special): (&mut Slip<S::Stored>, Option<&Special<S::Stored>>),
    w: V3<S>,
) -> V3<S> {
    let (old, inverse, w) = (S::load(&p.impulse), S::load(&p.inverse), w.0);
    let (bias, reg) = match special {
        None => (p.after(), None),
        Some(special) => {
            let [bias, reg] = special.after();
            (bias, Some(reg))
        }
    };
    let alone = inverse.nfma(w[0], inverse.nfma(bias, old));
    let wanted = match reg {
        None => alone,
        Some(reg) => alone.div(S::splat(1.0).add(reg)),
    };
    let n = wanted.max(S::zero());
    let delta = n.sub(old);
    let ([x, y], step) = (two!(|k| S::load(&slip.impulse[k])), S::load(&slip.step));
    let told = two!(|k| step.mul(S::load(&slip.cross[k])));
    let [px, py] = two!(|k| w[k + 1].sub(S::load(&batch.belt[k])));
    let wanted = [
        told[0].nfma(delta, step.nfma(px, x)),
        told[1].nfma(delta, step.nfma(py, y)),
    ];
    let t = project(batch.law, S::load(&batch.mu).mul(n), wanted);
    n.store(&mut p.impulse);
    t[0].store(&mut slip.impulse[0]);
    t[1].store(&mut slip.impulse[1]);
    V3([delta, t[0].sub(x), t[1].sub(y)])
}
