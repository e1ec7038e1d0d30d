//! The position pass: normals under the soft step, one manifold after the other.

use super::Thin;
use super::visit::{Load, arm, in_turn, normal, nth, positive, speeds, turn, upper};
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
    let w = normal(m, speeds::<S>(m, vel, upper)).add(S::load(&m.soft));
    let own = S::load(&m.root[0]).nfma(w, S::load(&m.impulse[0]));
    let mut x = Wide::default();
    own.store(&mut x);
    let mut push = Push {
        x: [x.0[0], x.0[1], x.0[2], x.0[3]],
        sum: 0.0,
        centre: [[0.0; 3]; 2],
    };
    push.visit::<BACK, 0>(m);
    push.visit::<BACK, 1>(m);
    push.visit::<BACK, 2>(m);
    push.visit::<BACK, 3>(m);
    let n = m.axes[0];
    let force = [n[0] * push.sum, n[1] * push.sum, n[2] * push.sum];
    let turned = |s: usize| turn([0.0; 3], push.centre[s], n);
    let torque = [turned(0), turned(1)];
    Load { force, torque }.push(m, inv, vel);
}

/// A visit in the position pass.
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
    fn visit<const BACK: bool, const I: usize>(&mut self, m: &mut Thin) {
        let k = nth::<BACK>(I);
        if k >= m.points as usize {
            return;
        }
        let new = positive(self.x[k] * m.soft.0[MAX_POINTS + k]);
        let delta = new - m.impulse[0].0[k];
        m.impulse[0].0[k] = new;
        for j in I + 1..MAX_POINTS {
            let l = nth::<BACK>(j);
            self.x[l] = m.coupling([k, 0], [l, 0]).mul_add(-delta, self.x[l]);
        }
        let impulse = m.root[0].0[k] * delta;
        self.sum += impulse;
        for s in 0..2 {
            let arm = arm(m, s, k);
            for c in 0..3 {
                self.centre[s][c] = arm[c].mul_add(impulse, self.centre[s][c]);
            }
        }
    }
}
