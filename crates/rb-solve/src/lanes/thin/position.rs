//! The position pass: normals under the soft step, one manifold after the other.

use super::visit::{Lines, Speeds, in_turn, nth};
use super::{Normals, Thin};
use crate::lanes::dispatch;
use crate::lanes::simd::{Line, Simd, Wide};
use rb_core::manifold::MAX_POINTS;

pub(super) fn run(manifolds: &mut [Thin], vel: &mut [Line], backwards: bool) {
    dispatch!(narrow position(manifolds: &mut [Thin], vel: &mut [Line], backwards: bool))
}

#[inline(always)]
pub(super) fn position<S: Simd>(manifolds: &mut [Thin], vel: &mut [Line], backwards: bool) {
    in_turn!(visit::<S>, manifolds, backwards, vel);
}

#[inline(always)]
fn visit<S: Simd, const BACK: bool>(m: &mut Thin, vel: &mut [Line]) {
    let m = &mut m.normals;
    let (soft, firm) = (S::load(&m.soft), S::load(&m.bias).swapped());
    let give = firm.mul(S::load(&m.impulse));
    let start = S::load(&m.root).fma(soft, give);
    let change = Speeds::<S>::of(m, vel).onto(&m.draw, &m.pull, S::zero().sub(start));
    let mut lines = Lines::of(m, vel);
    press::<S, BACK, true>(m, change, &mut lines);
    lines.put_back(m, vel);
}

/// Visits the normals one after the other, from how each would change by itself.
#[inline(always)]
pub(super) fn press<S: Simd, const BACK: bool, const SOFT: bool>(
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
    push.visit::<S, BACK, SOFT, 0>(m, lines);
    push.visit::<S, BACK, SOFT, 1>(m, lines);
    push.visit::<S, BACK, SOFT, 2>(m, lines);
    // The last of all changes is waited for; this is not.
    lines.shift(&m.shift, push.sum);
    push.sum = 0.0;
    push.visit::<S, BACK, SOFT, 3>(m, lines);
    lines.shift(&m.shift, push.sum);
}

/// A visit of normals.
struct Push {
    /// d of the normals.
    change: [f64; MAX_POINTS],
    /// Sum of the changes of impulse.
    sum: f64,
}

impl Push {
    /// The point in place `I`.
    #[inline(always)]
    fn visit<S: Simd, const BACK: bool, const SOFT: bool, const I: usize>(
        &mut self,
        m: &mut Normals,
        lines: &mut Lines<S>,
    ) {
        let k = nth::<BACK>(I);
        if k >= m.points as usize {
            return;
        }
        let give = if SOFT { m.soft.0[MAX_POINTS + k] } else { 1.0 };
        let delta = at_least(self.change[k] * give, -m.impulse.0[k]);
        m.impulse.0[k] += delta;
        for j in I + 1..MAX_POINTS {
            let l = nth::<BACK>(j);
            self.change[l] = m.coupling(k, l).mul_add(-delta, self.change[l]);
        }
        lines.turn(&m.turn[k], delta);
        self.sum = m.root.0[k].mul_add(delta, self.sum);
    }
}

#[inline(always)]
fn at_least(x: f64, least: f64) -> f64 {
    if x > least { x } else { least }
}
