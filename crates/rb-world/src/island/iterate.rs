//! Position rows iterated to φ(x⁺) = 0 within a step.
//!
//! A row linearised at the start of the step leaves the curvature ε = φ(x⁺) − φ(x) − h J v of its
//! function as an error. Adding ε/l to its bias and solving again is Newton's method with the matrix
//! of the first round; its fixed point has ε accounted for exactly, so φ(x⁺) = 0 for a hard row and
//! the nonlinear implicit law for a soft one. J stays that of the start of the step: both balances of
//! momentum hold as before, and a hard mechanism moves by the SHAKE scheme, which has no energy drift.
//! Limit: where J loses rank (all bars of a four-bar in one line) the lost direction is not determined
//! and iterating amplifies its rounding; use [`Stabilisation::Implicit`] for motions through such points.
//! Source: J. Ryckaert, G. Ciccotti, H. Berendsen, "Numerical integration of the cartesian equations
//! of motion of a system with constraints", 1977.

use super::{Island, Shared};
use glam::{DQuat, DVec3};
use rb_core::discretise::Discretiser;
use rb_core::math::Twist;
use rb_core::problem::{Pass, Source};
use rb_core::row::Row;
use rb_core::stabilise::Stabilisation;
use rb_joints::Joint;

/// Rounds at most; the error shrinks by the square of the turn per step in each.
const ROUNDS: usize = 40;
/// Change of ε (m or rad) that counts as none.
const STILL: f64 = 2e-16;

/// A row to be iterated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bent {
    source: Source,
    slot: u8,
    /// Its number in the problem, and its block's.
    row: usize,
    block: usize,
    /// What its gap is divided by (s).
    divisor: f64,
    /// φ at the start of the substep.
    gap: f64,
    /// ε accounted for so far.
    bend: f64,
}

type Start = Vec<(DVec3, DQuat, Twist)>;

impl Island {
    /// Notes the rows of the block just pushed that are to be iterated.
    pub(super) fn note_bent<'a>(
        &mut self,
        numbers: &Discretiser,
        source: Source,
        rows: impl Iterator<Item = &'a Row>,
    ) {
        let block = self.problem.blocks.len().wrapping_sub(1);
        let Some(pushed) = self
            .problem
            .blocks
            .get(block)
            .filter(|b| b.source == source)
        else {
            return;
        };
        for row in rows {
            let divisor = match row.kind {
                rb_core::row::RowKind::Position { .. } => numbers.divisor(row),
                _ => 0.0,
            };
            let closed = !row.is_one_sided() || row.gap * (row.lo + row.hi).signum() <= 0.0;
            if numbers.way(row) != Some(Stabilisation::Iterated) || divisor <= 0.0 || !closed {
                continue;
            }
            let mut numbered = pushed.rows();
            if let Some(number) = numbered.find(|&r| self.problem.rows[r].slot == row.slot) {
                self.bent.push(Bent {
                    source,
                    slot: row.slot,
                    row: number,
                    block,
                    divisor,
                    gap: row.gap,
                    bend: 0.0,
                });
            }
        }
    }

    /// Moves the bodies; where rows are to be iterated, again and again until φ(x⁺) stands still.
    pub(super) fn move_bodies(&mut self, shared: &Shared) {
        if self.bent.is_empty() {
            return self.advance(shared);
        }
        let pose = |m: &rb_core::integrate::Mover| (m.com, m.q, m.moved);
        let start: Start = self.movers.iter().map(pose).collect();
        let (mut last, mut before) = (f64::INFINITY, Vec::new());
        for _ in 0..ROUNDS {
            self.advance(shared);
            let bends = self.bends(shared);
            let change = bends.iter().fold(0.0f64, |m, (_, new)| m.max(new.abs()));
            if change > last {
                // J loses rank here: the round before made it worse, so it is taken back.
                before
                    .iter_mut()
                    .for_each(|(_, new): &mut (usize, f64)| *new = -*new);
                self.again(shared, &before, &start);
                self.advance(shared);
                break;
            }
            // Below rounding the changes only wander.
            if change <= STILL || change > 0.5 * last {
                break;
            }
            self.again(shared, &bends, &start);
            (last, before) = (change, bends);
        }
    }

    /// Solves again from the poses at the start, with more of ε in the biases.
    fn again(&mut self, shared: &Shared, bends: &[(usize, f64)], start: &Start) {
        self.account_for(bends);
        for (m, s) in self.movers.iter_mut().zip(start) {
            (m.com, m.q, m.moved) = *s;
        }
        self.solve(shared, Pass::Position);
    }

    /// What is new in ε at the poses reached, by number in `bent`.
    fn bends(&mut self, shared: &Shared) -> Vec<(usize, f64)> {
        let beta = shared.params.scheme.beta;
        let bent = std::mem::take(&mut self.bent);
        let mut rows: (Option<Source>, Vec<(u8, f64)>) = (None, Vec::new());
        let mut out = Vec::with_capacity(bent.len());
        for (i, b) in bent.iter().enumerate() {
            if rows.0 != Some(b.source) {
                rows = (Some(b.source), self.gaps_now(shared, b.source));
            }
            let Some(&(_, now)) = rows.1.iter().find(|(slot, _)| *slot == b.slot) else {
                continue;
            };
            let block = &self.problem.blocks[b.block];
            let columns = self.problem.columns(block, b.row);
            let moved: f64 = columns
                .map(|(i, jac, _)| {
                    let v = self.problem.bodies[i].vel * beta + self.movers[i].vel * (1.0 - beta);
                    jac.dot(&v)
                })
                .sum();
            out.push((i, now - b.gap - shared.h * moved - b.bend));
        }
        self.bent = bent;
        out
    }

    /// Adds to the biases what is new in ε.
    fn account_for(&mut self, bends: &[(usize, f64)]) {
        for &(i, new) in bends {
            let b = &mut self.bent[i];
            b.bend += new;
            let row = &mut self.problem.rows[b.row];
            row.position.bias += new / b.divisor;
            row.velocity.bias += new / b.divisor;
        }
    }

    /// Gaps of all rows of a joint or constraint at the present poses, by slot.
    fn gaps_now(&mut self, shared: &Shared, source: Source) -> Vec<(u8, f64)> {
        match source {
            Source::Joint(j) => {
                let joint = &self.joints[j as usize];
                let cx = self.joint_cx(joint, shared.h);
                let Some(slot) = shared.joints.slot(joint.slot) else {
                    return Vec::new();
                };
                self.rows.clear();
                slot.desc.kind.rows(&cx, &joint.memory, &mut self.rows);
                self.rows.iter().map(|r| (r.slot, r.gap)).collect()
            }
            Source::Constraint(c) => {
                let rows = self.constraint_rows(shared, c as usize);
                rows.iter().map(|r| (r.row.slot, r.row.gap)).collect()
            }
            Source::Contact { .. } => Vec::new(),
        }
    }
}
