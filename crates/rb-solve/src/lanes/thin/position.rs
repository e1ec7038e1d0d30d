//! The position pass: normals under the soft step, one manifold after the other.

use super::visit::{Load, arm, in_turn, normal, nth, positive, speeds, turn, upper};
use super::{Normals, Thin};
use crate::lanes::dispatch;
use crate::lanes::simd::{Line, Simd, Wide};
use rb_core::manifold::MAX_POINTS;

pub(super) fn run(manifolds: &mut [Thin], inv: &[Line], vel: &mut [Line], backwards: bool) {
    dispatch!(narrow position(manifolds: &mut [Thin], inv: &[Line], vel: &mut [Line], backwards: bool))
}

#[inline(always)]
pub(super) fn position<S: Simd>(
    manifolds: &mut [Thin],
    inv: &[Line],
    vel: &mut [Line],
    backwards: bool,
) {
    let upper = upper::<S>();
    in_turn!(visit::<S>, manifolds, backwards, inv, vel, upper);
}

#[inline(always)]
fn visit<S: Simd, const BACK: bool>(m: &mut Thin, inv: &[Line], vel: &mut [Line], upper: S::Mask) {
    let m = &mut m.normals;
    let w = normal(m, speeds::<S>(m, vel, upper)).add(S::load(&m.soft));
    let x = S::load(&m.root).nfma(w, S::load(&m.impulse));
    press::<S, BACK, true>(m, x).push(m, inv, vel);
}

/// Visits the normals one after the other, from what each would take for itself; says what that does.
#[inline(always)]
pub(super) fn press<S: Simd, const BACK: bool, const SOFT: bool>(m: &mut Normals, own: S) -> Load {
    let mut x = Wide::default();
    own.store(&mut x);
    let mut push = Push {
        x: [x.0[0], x.0[1], x.0[2], x.0[3]],
        sum: 0.0,
        centre: [[0.0; 3]; 2],
    };
    push.visit::<BACK, SOFT, 0>(m);
    push.visit::<BACK, SOFT, 1>(m);
    push.visit::<BACK, SOFT, 2>(m);
    push.visit::<BACK, SOFT, 3>(m);
    let n = m.axes[0];
    Load {
        force: [n[0] * push.sum, n[1] * push.sum, n[2] * push.sum],
        torque: [
            turn([0.0; 3], push.centre[0], n),
            turn([0.0; 3], push.centre[1], n),
        ],
    }
}

/// A visit of normals.
struct Push {
    /// x of the normals.
    x: [f64; MAX_POINTS],
    /// Sum of the changes of impulse, and of the arms times these.
    sum: f64,
    centre: [[f64; 3]; 2],
}

impl Push {
    /// The point in place `I`.
    #[inline(always)]
    fn visit<const BACK: bool, const SOFT: bool, const I: usize>(&mut self, m: &mut Normals) {
        let k = nth::<BACK>(I);
        if k >= m.points as usize {
            return;
        }
        let give = if SOFT { m.soft.0[MAX_POINTS + k] } else { 1.0 };
        let new = positive(self.x[k] * give);
        let delta = new - m.impulse.0[k];
        m.impulse.0[k] = new;
        for j in I + 1..MAX_POINTS {
            let l = nth::<BACK>(j);
            self.x[l] = m.coupling(k, l).mul_add(-delta, self.x[l]);
        }
        let impulse = m.root.0[k] * delta;
        self.sum += impulse;
        for s in 0..2 {
            let arm = arm(m, s, k);
            for c in 0..3 {
                self.centre[s][c] = arm[c].mul_add(impulse, self.centre[s][c]);
            }
        }
    }
}
