//! What every visit of a manifold does: reading the velocities, writing them; and terms and warm start.

use super::{Friction, Normals, Thin};
use crate::lanes::batch::Wide3;
use crate::lanes::dispatch;
use crate::lanes::kernel::Numbers;
use crate::lanes::simd::{Halves, Line, Wide};
use crate::lanes::vector::V3;
use rb_core::manifold::MAX_POINTS;

/// Visits every manifold once, there or back: `$visit` is compiled for either way.
macro_rules! in_turn {
    ($visit:ident::<$simd:ty>, $manifolds:ident, $backwards:ident, $($arg:expr),*) => {
        if $backwards {
            for m in $manifolds.iter_mut().rev() {
                $visit::<$simd, true>(m, $($arg),*);
            }
        } else {
            for m in $manifolds {
                $visit::<$simd, false>(m, $($arg),*);
            }
        }
    };
}
pub(super) use in_turn;

/// A number in the lower half, another in the upper.
#[inline(always)]
pub(super) fn halves<S: Halves>(a: f64, b: f64) -> S {
    S::splat(a).lows(S::splat(b))
}

#[inline(always)]
pub(super) fn splat<S: Halves>(v: &[f64; 3]) -> V3<S> {
    V3([S::splat(v[0]), S::splat(v[1]), S::splat(v[2])])
}

/// Velocities or displacements of both bodies of a manifold: of a in all lanes of the lower half, of b in those
/// of the upper.
pub(super) struct Speeds<S> {
    pub(super) lin: V3<S>,
    pub(super) ang: V3<S>,
}

impl<S: Halves> Speeds<S> {
    #[inline(always)]
    pub(super) fn of(m: &Normals, lines: &[Line]) -> Self {
        let [a, b] = m.bodies;
        let (a, b) = (&lines[a as usize].0, &lines[b as usize].0);
        Self {
            lin: V3([halves(a[0], b[0]), halves(a[1], b[1]), halves(a[2], b[2])]),
            ang: V3([halves(a[4], b[4]), halves(a[5], b[5]), halves(a[6], b[6])]),
        }
    }

    /// Speed of b relative to a along rows with these axes and levers.
    #[inline(always)]
    pub(super) fn along(&self, axis: V3<S>, lever: &Wide3) -> S {
        let w = self.ang.dot(V3::load(lever)).add(self.lin.dot(axis));
        w.swapped().sub(w)
    }
}

/// Speed of b relative to a along the normal, for each point.
#[inline(always)]
pub(super) fn approach<S: Halves>(m: &Normals, speeds: &Speeds<S>) -> S {
    speeds.along(splat(&m.axes[0]), &m.lever)
}

/// What each normal would take for itself, with these b.
#[inline(always)]
pub(super) fn own<S: Halves>(m: &Normals, speeds: &Speeds<S>, bias: &Wide) -> S {
    let w = approach(m, speeds).add(S::load(bias));
    S::load(&m.root).nfma(w, S::load(&m.impulse))
}

/// Angular velocities of a, then of b, each the same in all lanes.
pub(super) struct Spins<S>([V3<S>; 2]);

impl<S: Halves> Spins<S> {
    #[inline(always)]
    pub(super) fn of(m: &Normals, lines: &[Line]) -> Self {
        let [a, b] = m.bodies;
        let (a, b) = (&lines[a as usize].0, &lines[b as usize].0);
        Self([splat(&[a[4], a[5], a[6]]), splat(&[b[4], b[5], b[6]])])
    }

    /// What they add to `start` in rows with these levers: in the lower half.
    #[inline(always)]
    pub(super) fn onto(&self, pull: &Wide3, start: S) -> S {
        let ([a, b], pull) = (self.0, V3::load(pull));
        a.dot_onto(pull, start).add(b.dot(pull.highs(pull)))
    }
}

/// The velocities of both bodies as they lie in their lines: a in the lower half, b in the upper.
pub(super) struct Lines<S> {
    at: [usize; 2],
    lin: S,
    ang: S,
}

impl<S: Halves> Lines<S> {
    #[inline(always)]
    pub(super) fn of(m: &Normals, vel: &[Line]) -> Self {
        let at = m.bodies.map(|body| body as usize);
        let (a, b) = (S::load(&vel[at[0]]), S::load(&vel[at[1]]));
        Self {
            at,
            lin: a.lows(b),
            ang: a.highs(b),
        }
    }

    #[inline(always)]
    pub(super) fn put_back(&self, vel: &mut [Line]) {
        let [a, b] = self.at;
        self.lin.lows(self.ang).store(&mut vel[a]);
        self.lin.highs(self.ang).store(&mut vel[b]);
    }

    /// Linear velocity of b relative to a along t, u, none and n: in the lower half.
    #[inline(always)]
    pub(super) fn apart(&self, m: &Normals) -> S {
        let off = self.lin.swapped().sub(self.lin);
        let ([x, y], z) = ([off.spread::<0>(), off.spread::<1>()], off.spread::<2>());
        let (xy, last) = (S::load(&m.along[0]), S::load(&m.along[1]));
        z.fma(last, y.fma(xy.swapped(), x.mul(xy)))
    }

    /// Adds what the normals' λ̂ do.
    #[inline(always)]
    pub(super) fn warm(&mut self, m: &Normals) {
        let mut sum = 0.0;
        for k in 0..MAX_POINTS {
            self.turn(&m.turn[k], m.impulse.0[k]);
            sum = m.root.0[k].mul_add(m.impulse.0[k], sum);
        }
        self.shift(&m.shift, sum);
    }

    /// Adds a multiple to the linear velocities.
    #[inline(always)]
    pub(super) fn shift(&mut self, by: &Wide, times: f64) {
        self.lin = S::load(by).fma(S::splat(times), self.lin);
    }

    /// Speed of b relative to a along the normal, the linear part: in the lower half.
    #[inline(always)]
    pub(super) fn nearing(&self, m: &Normals) -> S {
        let off = self.lin.swapped().sub(self.lin);
        sum(off.mul(S::load(&m.along[1]).swapped()))
    }

    /// Takes a multiple from the linear velocities.
    #[inline(always)]
    pub(super) fn shift_back(&mut self, by: &Wide, times: f64) {
        self.lin = S::load(by).nfma(S::splat(times), self.lin);
    }

    /// Takes what a change of λ̂ of a point does to the linear velocities. The change is waited for, so that it comes
    /// last of the factors.
    #[inline(always)]
    pub(super) fn shift_last(&mut self, m: &Normals, k: usize, change: f64) {
        let by = S::load(&m.shift).mul(S::splat(m.root.0[k]));
        self.lin = by.nfma(S::splat(change), self.lin);
    }

    /// Takes a multiple from the angular velocities.
    #[inline(always)]
    pub(super) fn turn_back(&mut self, by: &Wide, times: f64) {
        self.ang = S::load(by).nfma(S::splat(times), self.ang);
    }

    /// Adds a multiple to the angular velocities.
    #[inline(always)]
    pub(super) fn turn(&mut self, by: &Wide, times: f64) {
        self.ang = S::load(by).fma(S::splat(times), self.ang);
    }
}

/// Sum of each half, in all its lanes.
#[inline(always)]
pub(super) fn sum<S: Halves>(x: S) -> S {
    let pair = x.add(x.turned().turned());
    pair.add(pair.turned())
}

pub(super) fn run_pose(manifolds: &mut [Thin], moved: &[Line], numbers: &Numbers) {
    dispatch!(narrow pose(manifolds: &mut [Thin], moved: &[Line], numbers: &Numbers))
}

/// Terms of both passes at the present gaps.
#[inline(always)]
pub(super) fn pose<S: Halves>(manifolds: &mut [Thin], moved: &[Line], numbers: &Numbers) {
    let one = S::splat(1.0);
    for Thin { normals: m, .. } in manifolds {
        let gap = S::load(&m.gap).add(approach(m, &Speeds::<S>::of(m, moved)));
        let pace = [S::splat(m.pace[0]), S::splat(m.pace[1])];
        let (bias, reg) = numbers.terms(gap, pace);
        let after = bias.max(S::zero());
        let share = one.div(one.add(reg));
        bias.lows(share).store(&mut m.soft);
        after.lows(reg).store(&mut m.bias);
    }
}

pub(super) fn run_warm(manifolds: &[Thin], inv: &[Line], vel: &mut [Line]) {
    dispatch!(narrow warm(manifolds: &[Thin], inv: &[Line], vel: &mut [Line]))
}

/// Adds what all impulses do.
#[inline(always)]
pub(super) fn warm<S: Halves>(manifolds: &[Thin], inv: &[Line], vel: &mut [Line]) {
    for Thin { normals, friction } in manifolds {
        match friction {
            Friction::Each(each) => each.warm(normals, inv, vel),
            Friction::Whole(whole) => whole.warm::<S>(normals, vel),
        }
    }
}

pub(super) fn run_velocity(
    manifolds: &mut [Thin],
    inv: &[Line],
    vel: &mut [Line],
    backwards: bool,
) {
    dispatch!(narrow velocity(manifolds: &mut [Thin], inv: &[Line], vel: &mut [Line], backwards: bool))
}

/// Normals and friction under the law itself, one manifold after the other.
#[inline(always)]
pub(super) fn velocity<S: Halves>(
    manifolds: &mut [Thin],
    inv: &[Line],
    vel: &mut [Line],
    backwards: bool,
) {
    in_turn!(visit::<S>, manifolds, backwards, inv, vel);
}

#[inline(always)]
fn visit<S: Halves, const BACK: bool>(m: &mut Thin, inv: &[Line], vel: &mut [Line]) {
    match &mut m.friction {
        Friction::Each(each) => each.visit::<S, BACK>(&mut m.normals, inv, vel),
        Friction::Whole(whole) => whole.visit::<S, BACK>(&mut m.normals, vel),
    }
}

/// The point visited in place `i`.
#[inline(always)]
pub(super) fn nth<const BACK: bool>(i: usize) -> usize {
    if BACK { MAX_POINTS - 1 - i } else { i }
}

#[inline(always)]
pub(super) fn positive(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.0 }
}

#[inline(always)]
fn arm(m: &Normals, side: usize, k: usize) -> [f64; 3] {
    let at = MAX_POINTS * side + k;
    [m.arm[0].0[at], m.arm[1].0[at], m.arm[2].0[at]]
}

#[inline(always)]
pub(super) fn arms(m: &Normals, k: usize) -> [[f64; 3]; 2] {
    [arm(m, 0, k), arm(m, 1, k)]
}
