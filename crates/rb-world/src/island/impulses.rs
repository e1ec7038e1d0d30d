//! Impulses of joints and constraints from substep to substep, and from step to step.

use super::Island;
use rb_core::law::Law;
use rb_core::problem::{ProblemRow, Source};

impl Island {
    /// Turns impulses of the last step's substep into impulses of this one's.
    pub(super) fn rescale(&mut self, factor: f64) {
        if factor == 1.0 {
            return;
        }
        let joints = self.joints.iter_mut().map(|j| &mut j.memory);
        let constraints = self.constraints.iter_mut().map(|c| &mut c.memory);
        joints.chain(constraints).for_each(|m| m.scale(factor));
    }

    /// Turns impulses of the last substep into what is stored, and what the next step begins with.
    pub(crate) fn hand_over(&mut self) {
        self.rescale(self.unit);
    }

    /// Takes the multipliers back to where they belong.
    pub(super) fn keep_impulses(&mut self) {
        for joint in &mut self.joints {
            joint.memory.store([]);
        }
        for constraint in &mut self.constraints {
            constraint.memory.store([]);
        }
        for block in &self.problem.blocks {
            let rows = &self.problem.rows[block.rows()];
            match block.source {
                Source::Joint(j) => {
                    let memory = &mut self.joints[j as usize].memory;
                    memory.store(remembered(rows));
                }
                Source::Constraint(k) => {
                    let memory = &mut self.constraints[k as usize].memory;
                    memory.store(remembered(rows));
                }
                Source::Contact { manifold, point } => {
                    let contact = &mut self.posed[manifold as usize];
                    if matches!(block.law, Law::Spin { .. }) {
                        contact.spin = rows.iter().map(|r| r.jac[1].ang * r.lambda).sum();
                        continue;
                    }
                    let impulse = &mut contact.impulse[point as usize];
                    rows.iter()
                        .for_each(|r| impulse[r.slot as usize] = r.lambda);
                    if let Some(grain) = contact.grain {
                        *impulse = grain.outward(*impulse);
                    }
                }
            }
        }
    }
}

/// Slot of rows nobody asks for again.
pub(crate) const NO_SLOT: u8 = u8::MAX;

/// Impulses by slot, without those of rows that are made anew in every step.
fn remembered(rows: &[ProblemRow]) -> impl Iterator<Item = (u8, f64)> + '_ {
    let kept = rows.iter().filter(|r| r.slot != NO_SLOT);
    kept.map(|r| (r.slot, r.lambda))
}
