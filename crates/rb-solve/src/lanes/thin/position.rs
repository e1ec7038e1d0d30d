//! The position pass: normals under the soft step, one manifold after the other.

use super::visit::{Lines, Spins, in_turn, nth};
use super::{Normals, Thin};
use crate::lanes::dispatch;
use crate::lanes::simd::{Halves, Line, Wide};
use rb_core::manifold::MAX_POINTS;

pub(super) fn run(manifolds: &mut [Thin], vel: &mut [Line], backwards: bool) {
    dispatch!(narrow position(manifolds: &mut [Thin], vel: &mut [Line], backwards: bool))
}

#[inline(always)]
pub(super) fn position<S: Halves>(manifolds: &mut [Thin], vel: &mut [Line], backwards: bool) {
    in_turn!(visit::<S>, manifolds, backwards, vel);
}

#[inline(always)]
fn visit<S: Halves, const BACK: bool>(m: &mut Thin, vel: &mut [Line]) {
    let m = &mut m.normals;
    let mut lines = Lines::<S>::of(m, vel);
    let (root, firm) = (S::load(&m.root), S::load(&m.bias).swapped());
    let start = root.fma(S::load(&m.soft), firm.mul(S::load(&m.impulse)));
    let turning = Spins::of(m, vel).onto(&m.pull, start);
    let change = root.fma(lines.nearing(m), turning);
    press::<S, BACK, true>(m, change, &mut lines);
    lines.put_back(vel);
}

/// Visits the normals one after the other, from what each would give up by itself.
#[inline(always)]
pub(super) fn press<S: Halves, const BACK: bool, const SOFT: bool>(
    m: &mut Normals,
    change: S,
    lines: &mut Lines<S>,
) {
    let mut wide = Wide::default();
    change.store(&mut wide);
    let mut push = Push {
        change: [wide.0[0], wide.0[1], wide.0[2], wide.0[3]],
        sum: 0.0,
    };
    // A point that is none takes nothing, but time.
    let many = m.points > 2;
    if many || !BACK {
        push.visit::<S, BACK, SOFT, 0>(m, lines);
        push.visit::<S, BACK, SOFT, 1>(m, lines);
    }
    if many || BACK {
        push.visit::<S, BACK, SOFT, 2>(m, lines);
    }
    // The last of all changes is waited for; this is not.
    lines.shift_back(&m.shift, push.sum);
    if many || BACK {
        push.visit::<S, BACK, SOFT, 3>(m, lines);
    }
}

/// A visit of normals.
struct Push {
    /// d of the normals.
    change: [f64; MAX_POINTS],
    /// Sum of the impulses given up.
    sum: f64,
}

impl Push {
    /// The point in place `I`.
    #[inline(always)]
    fn visit<S: Halves, const BACK: bool, const SOFT: bool, const I: usize>(
        &mut self,
        m: &mut Normals,
        lines: &mut Lines<S>,
    ) {
        let k = nth::<BACK>(I);
        let give = if SOFT { m.soft.0[MAX_POINTS + k] } else { 1.0 };
        let delta = at_most(self.change[k] * give, m.impulse.0[k]);
        m.impulse.0[k] -= delta;
        for j in I + 1..MAX_POINTS {
            let l = nth::<BACK>(j);
            self.change[l] = m.coupling(k, l).mul_add(-delta, self.change[l]);
        }
        lines.turn_back(&m.turn[k], delta);
        if I + 1 < MAX_POINTS {
            self.sum = m.root.0[k].mul_add(delta, self.sum);
        } else {
            lines.shift_last(m, k, delta);
        }
    }
}

#[inline(always)]
fn at_most(x: f64, most: f64) -> f64 {
    if x < most { x } else { most }
}
