//! Geometric stiffness as rows: K = Σ λᵢ ∂²φᵢ/∂x² of a joint under load, split into its principal
//! directions g with stiffness k (positive resists motion).
//!
//! M̂ = M − h² β K, with the right-hand side + h² K v, is exactly what one compliant row per direction
//! does to the step: p = −h² k g·(β v⁺ + (1−β) v), so R = 1/(h² β k) and b = (1−β)/β g·v. Solvers need
//! nothing new. λ is that of the last step. Rows that tie no momentum: K is invariant under common
//! translation, so linear momentum is kept; angular momentum about a turning line of action is kept
//! to second order only.
//! Source: M. Tournier and others, "Stable constrained dynamics", 2015; theory §4.12.

use super::{Island, NO_SLOT, Shared};
use rb_core::math::Twist;
use rb_core::params::GeometricStiffness;
use rb_core::problem::ProblemRow;
use rb_joints::{Joint, JointCx, JointMemory, eigen, stiffness};

/// Share of the largest stiffness below which a direction counts as free.
const NOTHING: f64 = 1e-9;

impl Island {
    /// Stiffness rows of a joint.
    pub(super) fn joint_stiffness(
        &self,
        shared: &Shared,
        joint: &dyn Joint,
        cx: &JointCx,
        j: usize,
    ) -> Vec<ProblemRow> {
        let memory = &self.joints[j].memory;
        if shared.params.geometric == GeometricStiffness::Off || !loaded(memory) {
            return Vec::new();
        }
        let k = stiffness(2, |by| {
            let rows = cx.rows_at(joint, memory, by);
            let rows = rows.iter().map(|row| (row.slot, &row.jac[..]));
            load(2, rows, memory, shared.h)
        });
        let movers = self.joints[j].movers;
        let rows = self.stiffness_rows(shared, k, &movers);
        rows.into_iter().map(|(row, _)| row).collect()
    }

    /// Stiffness rows of a constraint, each with its columns beyond the second body.
    pub(super) fn constraint_stiffness(
        &self,
        shared: &Shared,
        c: usize,
    ) -> Vec<(ProblemRow, Vec<Twist>)> {
        let memory = &self.constraints[c].memory;
        if shared.params.geometric == GeometricStiffness::Off || !loaded(memory) {
            return Vec::new();
        }
        let movers = &self.constraints[c].movers;
        let k = self.with_constraint_cx(shared, c, |cx, constraint| {
            stiffness(movers.len(), |by| {
                let rows = cx.rows_at(constraint, by);
                let rows = rows.iter().map(|r| (r.row.slot, &r.jac[..]));
                load(movers.len(), rows, memory, shared.h)
            })
        });
        k.map_or_else(Vec::new, |k| self.stiffness_rows(shared, k, movers))
    }

    fn stiffness_rows(
        &self,
        shared: &Shared,
        mut k: Vec<f64>,
        movers: &[u32],
    ) -> Vec<(ProblemRow, Vec<Twist>)> {
        let (h, beta) = (shared.h, shared.params.scheme.beta);
        let n = 6 * movers.len();
        let (values, vectors) = eigen(&mut k, n);
        let largest = values.iter().fold(0.0f64, |s, v| s.max(v.abs()));
        let exact = shared.params.geometric == GeometricStiffness::Exact;
        let mut out = Vec::new();
        for (i, value) in values.iter().enumerate() {
            // The force changes by K dx: what resists has a negative eigenvalue.
            let resists = -value;
            if beta == 0.0 || resists.abs() <= NOTHING * largest || (resists < 0.0 && !exact) {
                continue;
            }
            let part = |m: usize| {
                let v = |r: usize| vectors[(6 * m + r) * n + i];
                Twist::new(
                    glam::DVec3::new(v(0), v(1), v(2)),
                    glam::DVec3::new(v(3), v(4), v(5)),
                )
            };
            let parts: Vec<Twist> = (0..movers.len()).map(part).collect();
            let vel = movers.iter().map(|&m| self.movers[m as usize].vel);
            let rate: f64 = parts.iter().zip(vel).map(|(g, v)| g.dot(&v)).sum();
            let second = parts.get(1).copied().unwrap_or_default();
            let mut row = ProblemRow {
                jac: [parts[0], second],
                lo: f64::NEG_INFINITY,
                hi: f64::INFINITY,
                slot: NO_SLOT,
                ..ProblemRow::default()
            };
            row.both((1.0 - beta) / beta * rate, 1.0 / (h * h * beta * resists));
            out.push((row, parts.into_iter().skip(2).collect()));
        }
        out
    }
}

/// Σ Jᵀ λ/h per body over rows (slot, J) with their last impulses.
fn load<'a>(
    bodies: usize,
    rows: impl Iterator<Item = (u8, &'a [Twist])>,
    memory: &JointMemory,
    h: f64,
) -> Vec<Twist> {
    let mut load = vec![Twist::ZERO; bodies];
    for (slot, jac) in rows {
        let force = memory.impulse(slot) / h;
        for (sum, part) in load.iter_mut().zip(jac) {
            *sum += *part * force;
        }
    }
    load
}

fn loaded(memory: &JointMemory) -> bool {
    memory.impulses().iter().any(|(_, p)| *p != 0.0)
}
