//! Which solver an island gets: fast first, exact where the certificate or the masses ask for it.
//!
//! Decisions read the island's own data and state alone, never a clock, so that a step stays the same
//! for every number of threads. An island that starts a step with the exact solver is posed rigidly:
//! softening is for solvers that stop early.

use super::{Island, Shared};
use rb_core::params::{Params, SolvePlan};
use rb_core::problem::Pass;
use rb_core::report::Reason;
use rb_core::residual::grade_pass;
use rb_core::solver::{Budget, IslandSolver};
use rb_solve::{Exact, Smooth};

/// Sweeps of the fast solver in an island that goes to the exact one anyway: a start for it.
const STARTING_SWEEPS: u32 = 4;
/// Violation (m/s) at which the exact solver stops: rounding of ordinary scenes, so that its answer does
/// not depend on where it started.
const EXACT_STOP: f64 = 1e-13;
/// Rows a joint is counted for before it has stated them.
const ROWS_PER_JOINT: usize = 6;

/// What an island asks for, and what it got.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Escalated {
    /// A precise body or joint.
    pub(crate) precise: bool,
    /// Steps to stay with the exact solver: before the step, and after it the new number.
    pub(crate) hold: u8,
    /// Why the exact solver was asked.
    pub(crate) reason: Option<Reason>,
    /// Who gave an answer that was better than the fast solver's.
    pub(crate) solver: Option<&'static str>,
    /// Whether the fast solver was above the tolerance in this step.
    pub(super) failed: bool,
}

impl Island {
    /// Decides at the start of a step whether the exact solver is asked from the outset.
    pub(super) fn choose(&mut self, shared: &Shared) {
        let policy = shared.params.escalation;
        let size = self.rows_ahead(shared);
        let e = &self.escalated;
        let (precise, held) = (e.precise, e.hold > 0);
        let small = size <= policy.rows as usize;
        let reason = match policy.plan {
            _ if shared.params.contact.smooth.is_some() => Some(Reason::Plan),
            SolvePlan::Fast => None,
            SolvePlan::Exact => Some(Reason::Plan),
            SolvePlan::Fallback if precise => Some(Reason::Precise),
            SolvePlan::Fallback if small && self.heavy_on_light(shared) => Some(Reason::MassRatio),
            SolvePlan::Fallback if small && held => Some(Reason::Held),
            SolvePlan::Fallback => None,
        };
        self.escalated.reason = reason;
        (self.escalated.solver, self.escalated.failed) = (None, false);
    }

    /// Rows to expect.
    fn rows_ahead(&self, shared: &Shared) -> usize {
        let contacts = self.contacts.iter();
        let points: usize = contacts
            .map(|c| shared.contacts.count(c.manifold as usize))
            .sum();
        3 * points + ROWS_PER_JOINT * self.joints.len()
    }

    /// Whether a contact between bodies of very different masses carries more than the lighter could
    /// press on it by its own weight, as far as the last impulses tell.
    fn heavy_on_light(&self, shared: &Shared) -> bool {
        let ratio = shared.params.escalation.mass_ratio;
        let weight = shared.params.gravity.length() * shared.h;
        self.contacts.iter().any(|c| {
            let [a, b] = c.movers.map(|m| &self.movers[m as usize]);
            if a.inv.is_zero() || b.inv.is_zero() {
                return false;
            }
            let (light, heavy) = (a.mass.min(b.mass), a.mass.max(b.mass));
            heavy > ratio * light && {
                let load = shared.contacts.normal_impulse(c.manifold as usize);
                load * shared.warm_scale > light * weight
            }
        })
    }

    /// Whether the present substep is posed without softening.
    pub(super) fn rigid(&self) -> bool {
        self.escalated.reason.is_some()
    }

    /// Solves one pass from the multipliers present; returns the iterations.
    pub(super) fn solve_pass(&mut self, shared: &Shared, pass: Pass, budget: Budget) -> u32 {
        if let Some(kappa) = shared.params.contact.smooth {
            let h = shared.h;
            let smooth = Smooth { kappa, h };
            let out = smooth.solve(&mut self.problem, pass, budget, &mut self.scratch);
            self.escalated.solver = Some(smooth.name());
            return out.iterations;
        }
        let asked = self.escalated.reason.is_some();
        let sweeps = if asked {
            budget.sweeps.min(STARTING_SWEEPS)
        } else {
            budget.sweeps
        };
        let start = Budget { sweeps, ..budget };
        let out = shared
            .solver
            .solve(&mut self.problem, pass, start, &mut self.scratch);
        let Some(fast) = self.grade_fast(shared, pass, out.change) else {
            return out.iterations;
        };
        self.escalated.failed |= fast > shared.params.tolerances.velocity;
        if !asked {
            if fast <= shared.params.tolerances.velocity {
                return out.iterations;
            }
            self.escalated.reason = Some(Reason::Residual(fast));
        } else if fast <= self.good_enough(shared, budget) {
            return out.iterations;
        }
        out.iterations + self.solve_exactly(pass, budget, fast)
    }

    /// Grade that spares an island the exact solver it asked for: where that is a precaution alone, the
    /// fast solver well within the tolerance will do.
    fn good_enough(&self, shared: &Shared, budget: Budget) -> f64 {
        match self.escalated.reason {
            Some(Reason::Held) => 0.1 * shared.params.tolerances.velocity,
            _ => budget.stop,
        }
    }

    /// Grade of the fast solver's answer, where the exact one could follow.
    fn grade_fast(&self, shared: &Shared, pass: Pass, change: f64) -> Option<f64> {
        let policy = shared.params.escalation;
        if self.escalated.reason.is_none() {
            // A softened pass does not pose the certificate's law. Whether a row is soft at all hangs
            // on the sign of a gap, so the settings decide and not the rows.
            let softened = pass == Pass::Position && shared.params.contact.softening.is_some();
            let small = self.problem.rows.len() <= policy.rows as usize;
            if policy.plan == SolvePlan::Fast || !small || softened {
                return None;
            }
            // A sweep that moved nothing has nothing left to grade.
            if change <= 1e-3 * shared.params.tolerances.velocity {
                return None;
            }
        }
        Some(grade_pass(&self.problem, pass, 0.0).abs)
    }

    /// Asks the exact solver and keeps the better answer.
    fn solve_exactly(&mut self, pass: Pass, budget: Budget, fast: f64) -> u32 {
        let before: Vec<f64> = self.problem.rows.iter().map(|r| r.lambda).collect();
        let exact = Budget {
            stop: budget.stop.min(EXACT_STOP),
            ..budget
        };
        let out = Exact::default().solve(&mut self.problem, pass, exact, &mut self.scratch);
        if grade_pass(&self.problem, pass, 0.0).abs < fast {
            self.escalated.solver = Some(Exact::default().name());
        } else {
            for (row, lambda) in self.problem.rows.iter_mut().zip(before) {
                row.lambda = lambda;
            }
            self.problem.rebuild_velocities();
        }
        out.iterations
    }

    /// Counts the steps the island is to stay with the exact solver.
    pub(super) fn settle_hold(&mut self, params: &Params) {
        let e = &mut self.escalated;
        e.hold = if params.escalation.plan != SolvePlan::Fallback {
            0
        } else if e.failed {
            params.escalation.hold
        } else {
            e.hold.saturating_sub(1)
        };
    }
}
