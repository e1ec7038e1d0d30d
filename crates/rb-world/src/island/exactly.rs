//! Which exact solvers an island asks, one after the other, and how exactly.
//!
//! What the first of them leave is nearly always small, and nobody may have asked for more: those that come after them
//! are content with what is enough, and the dear ones are asked only for what is above the tolerance.

use super::{Island, Shared};
use rb_core::law::Law;
use rb_core::params::SolvePlan;
use rb_core::problem::Pass;
use rb_core::report::Reason;
use rb_core::residual::grade_pass;
use rb_core::solver::{Budget, IslandSolver, SolveStatus};
use rb_solve::{Exact, Part, Pivoting};

/// Violation (m/s) at which the exact solver stops: rounding of ordinary scenes, so that its answer does
/// not depend on where it started.
const EXACT_STOP: f64 = 1e-13;
/// The same as a share of the tolerance, where contacts are soft and it is asked only because their answer was
/// above that: rounding would take three times the steps.
const SOFT_STOP: f64 = 1e-5;
/// Share of the tolerance that spares an island the exact methods which come after the first; the dear ones among them
/// are spared by the tolerance itself.
const ENOUGH: f64 = 0.1;
/// The tolerance so many times over is near enough for Newton without an interior point.
const NEAR: f64 = 100.0;

/// One of the exact solvers an island may ask.
struct Asked {
    solver: &'static dyn IslandSolver,
    /// Violation (m/s) it is asked for: rounding, or what is enough.
    stop: f64,
    /// Grade (m/s) of those before it by which it is spared.
    unless: f64,
}

impl Island {
    /// Asks the exact solvers in turn until one is content, each from the best answer so far, and keeps
    /// the best.
    pub(super) fn solve_exactly(
        &mut self,
        shared: &Shared,
        pass: Pass,
        budget: Budget,
        fast: f64,
    ) -> u32 {
        let stop = self.exact_stop(shared, budget.stop);
        let (mut least, mut iterations) = (fast, 0);
        let mut best: Vec<f64> = self.problem.rows.iter().map(|r| r.lambda).collect();
        let solvers = self.exact_solvers(shared, stop, fast);
        for (k, asked) in solvers.into_iter().enumerate() {
            if k > 0 && least <= asked.unless {
                break;
            }
            let (solver, stop) = (asked.solver, asked.stop);
            let exact = Budget { stop, ..budget };
            let out = solver.solve(&mut self.problem, pass, exact, &mut self.scratch);
            iterations += out.iterations;
            let grade = grade_pass(&self.problem, pass, 0.0).abs;
            if grade < least {
                self.escalated.solver = Some(solver.name());
                least = grade;
                let lambda = self.problem.rows.iter().map(|r| r.lambda);
                best.iter_mut().zip(lambda).for_each(|(b, l)| *b = l);
            } else {
                let rows = self.problem.rows.iter_mut();
                rows.zip(&best).for_each(|(row, b)| row.lambda = *b);
                self.problem.rebuild_velocities();
            }
            if out.status == SolveStatus::Converged {
                break;
            }
        }
        iterations
    }

    /// Violation (m/s) at which the exact solver stops in a pass whose sweeps stop at `stop`.
    fn exact_stop(&self, shared: &Shared, stop: f64) -> f64 {
        let soft = shared.params.contact.softening.is_some();
        match self.escalated.reason {
            Some(Reason::Residual(_) | Reason::Position(_) | Reason::Held) if soft => {
                SOFT_STOP * shared.params.tolerances.velocity
            }
            _ => stop.min(EXACT_STOP),
        }
    }

    /// Grade (m/s) within `share` of the tolerance, which spares an island further methods where nobody asked for the exact
    /// answer.
    fn within(&self, shared: &Shared, share: f64) -> f64 {
        match self.escalated.reason {
            Some(Reason::Plan | Reason::Precise) => 0.0,
            _ => share * shared.params.tolerances.velocity,
        }
    }

    /// Whether rigid contacts are so near to an answer that a step or two of a held Newton may do: they rest, and sweeps
    /// came to no end.
    fn is_near(&self, shared: &Shared, fast: f64) -> bool {
        let params = shared.params;
        let missed = matches!(
            self.escalated.reason,
            Some(Reason::Residual(_) | Reason::Position(_) | Reason::Held)
        );
        missed && params.contact.softening.is_none() && fast <= NEAR * params.tolerances.velocity
    }

    /// Who may solve the present problem, which sweeps have left `fast` (m/s) above its law, in order of preference.
    fn exact_solvers(&self, shared: &Shared, stop: f64, fast: f64) -> Vec<Asked> {
        let policy = shared.params.escalation;
        let blocks = || self.problem.blocks.iter().map(|b| b.law);
        let flat = |law| matches!(law, Law::Boxed { .. } | Law::Pyramid { .. });
        let wanted: &[Pivoting] = match policy.plan {
            SolvePlan::Lemke => &[Pivoting::Lemke],
            SolvePlan::Pivot => &[Pivoting::Pivot],
            SolvePlan::Fallback if blocks().any(flat) => &[Pivoting::Pivot, Pivoting::Lemke],
            _ => &[],
        };
        let small = self.problem.rows.len() <= policy.pivot_rows as usize;
        let able = small && Pivoting::takes(&self.problem);
        let enough = self.within(shared, ENOUGH);
        let asked = |solver, stop, unless| Asked {
            solver,
            stop,
            unless,
        };
        let pivoting = wanted.iter().filter(|_| able);
        let mut list: Vec<Asked> = pivoting.map(|s| asked(s, stop, enough)).collect();
        let less = stop.max(enough / Exact::LEEWAY);
        if self.is_near(shared, fast) {
            list.push(asked(&Part::Firm, less, enough));
        }
        list.push(asked(&Part::Brief, stop, enough));
        list.push(asked(&Part::Firm, less, enough));
        list.push(asked(&Part::Rest, less, self.within(shared, 1.0)));
        list
    }
}
