//! What the points of a manifold are to one another: Ĝ = s J W Jᵀ s, at the start of the step.

use super::Thin;
use crate::lanes::pack::matrix;
use crate::lanes::simd::Line;
use glam::DVec3;
use rb_core::manifold::MAX_POINTS;

/// Sets the coupling of all manifolds.
pub(super) fn couple(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]) {
    for m in manifolds {
        let sides = m.bodies.map(|b| matrix(&inv[b as usize], &vel[b as usize]));
        let axes = m.axes.map(DVec3::from_array);
        let linear = sides[0].0 + sides[1].0;
        let linear = axes.map(|e| axes.map(|f| (e * linear).dot(f)));
        let levers = |k: usize| {
            [0, 1].map(|s| {
                let at = s * MAX_POINTS + k;
                let arm = DVec3::new(m.arm[0].0[at], m.arm[1].0[at], m.arm[2].0[at]);
                axes.map(|e| arm.cross(e))
            })
        };
        let levers: [_; MAX_POINTS] = core::array::from_fn(levers);
        let mut pair = 0;
        for i in 0..MAX_POINTS {
            let turned = [0, 1].map(|s| levers[i][s].map(|l| sides[s].1 * l));
            for j in i + 1..MAX_POINTS {
                m.couple[pair] = block(m, [i, j], &linear, &turned, &levers[j]);
                pair += 1;
            }
        }
    }
}

/// Ĝ between two points: `turned` is W times the levers of the first.
fn block(
    m: &Thin,
    [i, j]: [usize; 2],
    linear: &[[f64; 3]; 3],
    turned: &[[DVec3; 3]; 2],
    levers: &[[DVec3; 3]; 2],
) -> [f64; 9] {
    let root = |k: usize, row: usize| m.root[row.min(1)].0[k];
    core::array::from_fn(|at| {
        let (r, c) = (at / 3, at % 3);
        let turn = turned[0][r].dot(levers[0][c]) + turned[1][r].dot(levers[1][c]);
        root(i, r) * root(j, c) * (linear[r][c] + turn)
    })
}
