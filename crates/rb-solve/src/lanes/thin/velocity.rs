//! The velocity pass: normals and friction under the law itself, one manifold after the other.

use super::Thin;
use super::visit::{Load, in_turn, normal, nth, positive, speeds, tangents, upper};
use crate::lanes::dispatch;
use crate::lanes::simd::{Line, Simd, Wide};
use glam::DVec2;
use rb_core::law::Law;
use rb_core::manifold::{FrictionLaw, MAX_POINTS};

pub(super) fn run(manifolds: &mut [Thin], inv: &[Line], vel: &mut [Line], backwards: bool) {
    dispatch!(narrow velocity(manifolds: &mut [Thin], inv: &[Line], vel: &mut [Line], backwards: bool))
}

#[inline(always)]
pub(super) fn velocity<S: Simd>(
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
    let mut visit = Visit {
        x: own::<S>(m, vel, upper),
        load: Load::default(),
    };
    visit.point::<BACK, 0>(m);
    visit.point::<BACK, 1>(m);
    visit.point::<BACK, 2>(m);
    visit.point::<BACK, 3>(m);
    visit.load.push(m, inv, vel);
}

/// A visit in the velocity pass.
struct Visit {
    /// x of normals, first tangents, second tangents.
    x: [[f64; MAX_POINTS]; 3],
    /// What has changed.
    load: Load,
}

impl Visit {
    /// The point in place `I`.
    #[inline(always)]
    fn point<const BACK: bool, const I: usize>(&mut self, m: &mut Thin) {
        let k = nth::<BACK>(I);
        if k >= m.points as usize {
            return;
        }
        let u = MAX_POINTS + k;
        let old = [m.impulse[0].0[k], m.impulse[1].0[k], m.impulse[1].0[u]];
        let n = positive(self.x[0][k]);
        let dn = n - old[0];
        let wanted = [
            m.cross.0[k].mul_add(-dn, self.x[1][k]),
            m.cross.0[u].mul_add(-dn, self.x[2][k]),
        ];
        let t = project(m.law, m.limit.0[k] * n, wanted);
        (m.impulse[0].0[k], m.impulse[1].0[k], m.impulse[1].0[u]) = (n, t[0], t[1]);
        let delta = [dn, t[0] - old[1], t[1] - old[2]];
        for j in I + 1..MAX_POINTS {
            let l = nth::<BACK>(j);
            for r in 0..3 {
                for c in 0..3 {
                    let g = m.coupling([k, c], [l, r]);
                    self.x[r][l] = g.mul_add(-delta[c], self.x[r][l]);
                }
            }
        }
        let (rn, rt) = (m.root[0].0[k], m.root[1].0[k]);
        let impulse = [rn * delta[0], rt * delta[1], rt * delta[2]];
        self.load.add(m, k, impulse);
    }
}

/// x of all rows: normals, first tangents, second tangents.
#[inline(always)]
fn own<S: Simd>(m: &Thin, vel: &[Line], upper: S::Mask) -> [[f64; MAX_POINTS]; 3] {
    let v = speeds::<S>(m, vel, upper);
    let n = normal(m, v).add(S::load(&m.bias[0]));
    let t = tangents(m, v, upper).add(S::load(&m.bias[1]));
    let mut x = [Wide::default(); 2];
    S::load(&m.root[0])
        .nfma(n, S::load(&m.impulse[0]))
        .store(&mut x[0]);
    S::load(&m.root[1])
        .nfma(t, S::load(&m.impulse[1]))
        .store(&mut x[1]);
    let [n, t] = [x[0].0, x[1].0];
    [
        [n[0], n[1], n[2], n[3]],
        [t[0], t[1], t[2], t[3]],
        [t[4], t[5], t[6], t[7]],
    ]
}

/// Nearest point of the friction disc, square or diamond of radius `r`.
#[inline(always)]
fn project(law: FrictionLaw, r: f64, [x, y]: [f64; 2]) -> [f64; 2] {
    match law {
        FrictionLaw::Boxed => [clamp(x, r), clamp(y, r)],
        FrictionLaw::Pyramid => diamond(r, x, y),
        // A point without load has no friction.
        _ if r <= 0.0 => [0.0; 2],
        _ => {
            let square = y.mul_add(y, x * x);
            if square > r * r {
                let share = r / square.sqrt();
                [x * share, y * share]
            } else {
                [x, y]
            }
        }
    }
}

#[inline(always)]
fn clamp(x: f64, r: f64) -> f64 {
    let x = if x < r { x } else { r };
    if x > -r { x } else { -r }
}

#[cold]
#[inline(never)]
fn diamond(r: f64, x: f64, y: f64) -> [f64; 2] {
    let t = Law::Pyramid { mu: 1.0 }.project_tangent(DVec2::new(x, y), r);
    [t.x, t.y]
}
