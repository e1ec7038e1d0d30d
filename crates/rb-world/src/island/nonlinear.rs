//! Joint equations at the end of the substep, not only to first order.
//!
//! The linear step leaves φ(q⁺) of order h²v²/2L. Adding φ(q⁺)/h to the constant part of each hard
//! position row and solving again is Newton's method with the Jacobian of the start of the substep;
//! it shrinks the error by about the angle turned in the substep each time. Contacts keep their linear
//! gaps, which are exact for rolling balls. Source: M. Anitescu, F. Potra, "A time-stepping method for
//! stiff multibody dynamics with contact and friction", 2002 (the linear step); `docs/theory/joints.md`.

use super::{Island, Shared};
use rb_core::integrate::Mover;
use rb_core::problem::{Pass, ProblemRow, Source};
use rb_core::row::{Row, RowKind};
use rb_joints::{Joint, JointBody, JointCx};

impl Island {
    /// Solves the position pass again until the joints hold at its end poses.
    pub(super) fn close_joints(&mut self, shared: &Shared) {
        let Some(settings) = shared.params.nonlinear else {
            return;
        };
        if self.joints.is_empty() {
            return;
        }
        let mut least = f64::INFINITY;
        for _ in 0..settings.iterations {
            let ends = self.end_poses(shared);
            let error = self.joint_errors(shared, &ends);
            let worst = error.iter().fold(0.0f64, |m, (_, e)| m.max(e.abs()));
            // Limits and loops may not close; no use in going on once it does not help.
            if worst <= settings.tolerance || worst >= 0.5 * least {
                return;
            }
            least = worst;
            for (r, e) in error {
                let row = &mut self.problem.rows[r];
                let both = row.position == row.velocity;
                row.position.bias += e / shared.h;
                if both {
                    row.velocity = row.position;
                }
            }
            self.solve(shared, Pass::Position, shared.params.sweeps.position);
        }
    }

    /// Where the position pass takes the bodies.
    fn end_poses(&self, shared: &Shared) -> Vec<Mover> {
        let beta = shared.params.scheme.beta;
        let bodies = self.movers.iter().zip(&self.problem.bodies);
        bodies
            .map(|(m, b)| {
                let mut end = m.clone();
                let v = b.vel * beta + m.vel * (1.0 - beta);
                end.advance(shared.h, v, shared.params.gyroscopic);
                end
            })
            .collect()
    }

    /// φ(q⁺) of every hard bilateral position row of a joint.
    fn joint_errors(&mut self, shared: &Shared, ends: &[Mover]) -> Vec<(usize, f64)> {
        let mut errors = Vec::new();
        for block in &self.problem.blocks {
            let Source::Joint(j) = block.source else {
                continue;
            };
            let joint = &self.joints[j as usize];
            let Some(slot) = shared.joints.slot(joint.slot) else {
                continue;
            };
            let see = |i: u32| {
                let m = &ends[i as usize];
                JointBody {
                    pose: m.frame(),
                    com: m.com,
                    vel: m.vel,
                }
            };
            let cx = JointCx {
                a: see(joint.movers[0]),
                b: see(joint.movers[1]),
                h: shared.h,
            };
            self.rows.clear();
            slot.desc.kind.rows(&cx, &joint.memory, &mut self.rows);
            for r in block.rows() {
                let own = &self.problem.rows[r];
                let end = self.rows.iter().find(|end| end.slot == own.slot);
                if let Some(end) = end.filter(|end| is_hard(end, own)) {
                    errors.push((r, end.gap));
                }
            }
        }
        errors
    }
}

/// Whether a row states φ = 0 rigidly, and did so at the start of the substep.
fn is_hard(end: &Row, own: &ProblemRow) -> bool {
    let hard = RowKind::Position {
        compliance: 0.0,
        damping: 0.0,
    };
    end.kind == hard && end.target == 0.0 && own.is_bilateral() && own.position.reg == 0.0
}
