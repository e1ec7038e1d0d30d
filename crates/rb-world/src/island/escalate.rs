//! Which solver an island gets: fast first, exact where the certificate or the masses ask for it.
//!
//! Decisions read the island's own data and state alone, never a clock, so that a step stays the same
//! for every number of threads. An island that starts a step with the exact solver is posed rigidly:
//! softening is for solvers that stop early.
//!
//! A rigid pass is graded by its own law. Where that passes, an error of positions is what the
//! linearisation or the speed limit of pushing out leaves, and the exact solver would leave it too. A
//! soft step is judged by where the bodies end: beyond the tolerance of positions it is made again,
//! rigidly, and the island stays with the exact solver while its load would make it sink again.

use super::{Island, Shared};
use rb_core::params::{Params, SolvePlan};
use rb_core::problem::Pass;
use rb_core::report::Reason;
use rb_core::residual::grade_pass;
use rb_core::solver::{Budget, IslandSolver, SolveStatus};
use rb_solve::Smooth;

/// Sweeps of the fast solver in an island that goes to the exact one anyway: a start for it. As many as
/// any pass may have, since the exact one is asked in all of them.
const STARTING_SWEEPS: u32 = 4;
/// Rows a joint is counted for before it has stated them.
const ROWS_PER_JOINT: usize = 6;

/// What speaks against an answer of the fast solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ask {
    /// It is not finite.
    Broken,
    /// It is this far above its law (m/s).
    Residual(f64),
    /// It let the bodies sink so far (m).
    Depth(f64),
}

impl Ask {
    /// How many times the tolerance the error is; infinite if the answer must not stand.
    pub(crate) fn urgency(self, params: &Params) -> f64 {
        match self {
            Self::Broken => f64::INFINITY,
            Self::Residual(r) => (r / params.tolerances.velocity).min(f64::MAX),
            Self::Depth(d) => (d / params.tolerances.position).min(f64::MAX),
        }
    }
}

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
    /// Steps in which it is not asked for depth: before the step, and after it the new number.
    pub(crate) rest: u8,
    /// Whether the fast solver was above the tolerance in this step, or had not come to an end.
    pub(super) failed: bool,
    /// Whether the exact solver halved the depth it was asked for.
    pub(super) helped: bool,
}

impl Island {
    /// Decides at the start of a step whether the exact solver is asked from the outset.
    pub(super) fn choose(&mut self, shared: &Shared) {
        let policy = shared.params.escalation;
        let size = self.rows_ahead();
        let e = &self.escalated;
        let (precise, held) = (e.precise, e.hold > 0);
        let small = size <= policy.rows as usize;
        let reason = match policy.plan {
            _ if shared.params.contact.smooth.is_some() => Some(Reason::Plan),
            SolvePlan::Fast => None,
            SolvePlan::Exact | SolvePlan::Lemke | SolvePlan::Pivot => Some(Reason::Plan),
            SolvePlan::Fallback if precise => Some(Reason::Precise),
            SolvePlan::Fallback if small && self.heavy_on_light(shared) => Some(Reason::MassRatio),
            SolvePlan::Fallback if small && held => Some(Reason::Held),
            SolvePlan::Fallback => None,
        };
        self.escalated.reason = reason;
        (self.escalated.solver, self.escalated.failed) = (None, false);
        self.escalated.helped = false;
    }

    /// Whether it would stay with the exact solver for no other reason than that it was there.
    pub(crate) fn is_merely_held(&self, shared: &Shared) -> bool {
        let e = &self.escalated;
        e.hold > 0 && !e.precise && !self.heavy_on_light(shared)
    }

    /// Rows to expect.
    pub(crate) fn rows_ahead(&self) -> usize {
        3 * self.points + ROWS_PER_JOINT * self.joints.len()
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
                let load = shared.contacts.manifolds[c.manifold as usize].normal_impulse();
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
        let start = self.start(shared, pass, budget);
        let out = shared
            .solver
            .solve(&mut self.problem, pass, start, &mut self.scratch);
        let ran_out = start.followed && out.status == SolveStatus::Unmet;
        // A sweep that moved nothing has nothing left to grade.
        let still = !ran_out && out.change <= 1e-3 * shared.params.tolerances.velocity;
        if !asked && (still || !self.may_escalate(shared, pass)) {
            return out.iterations;
        }
        let fast = grade_pass(&self.problem, pass, 0.0).abs;
        let unmet = ran_out || fast > shared.params.tolerances.velocity;
        self.escalated.failed |= unmet;
        if !asked {
            if !unmet {
                return out.iterations;
            }
            self.escalated.reason = Some(Reason::Residual(fast));
        } else if fast <= self.good_enough(shared, budget) {
            return out.iterations;
        }
        out.iterations + self.solve_exactly(shared, pass, budget, fast)
    }

    /// What the fast solver may spend: a start for the exact one where that is asked anyway. Rigid contacts are swept
    /// until they stand still, or would not in time: then the exact solver costs less.
    fn start(&self, shared: &Shared, pass: Pass, budget: Budget) -> Budget {
        let params = shared.params;
        if self.escalated.reason.is_some() {
            let most = params.sweeps.velocity_in(true);
            let sweeps = budget.sweeps.max(most).min(STARTING_SWEEPS);
            return Budget { sweeps, ..budget };
        }
        let rigid = params.contact.softening.is_none();
        let followed = rigid && self.may_escalate(shared, pass);
        Budget { followed, ..budget }
    }

    /// Grade that spares an island the exact solver it asked for: where that is a precaution alone, the
    /// fast solver well within the tolerance will do.
    fn good_enough(&self, shared: &Shared, budget: Budget) -> f64 {
        match self.escalated.reason {
            Some(Reason::Held) => 0.1 * shared.params.tolerances.velocity,
            _ => budget.stop,
        }
    }

    /// Whether the exact solver may be asked if the fast one does not do.
    fn may_escalate(&self, shared: &Shared, pass: Pass) -> bool {
        let policy = shared.params.escalation;
        // A softened pass does not pose the certificate's law. Whether a row is soft at all hangs
        // on the sign of a gap, so the settings decide and not the rows.
        let softened = pass == Pass::Position && shared.params.contact.softening.is_some();
        let small = self.problem.rows.len() <= policy.rows as usize;
        policy.plan != SolvePlan::Fast && small && !softened
    }

    /// Judges the answer of the fast solver: whether the step should be made again.
    pub(crate) fn judge(&mut self, shared: &Shared) {
        let (policy, grade) = (shared.params.escalation, self.outcome.grade.abs);
        let swept = self.linked && !self.has_trees();
        let small = self.rows() <= policy.rows || self.may_step_again(shared);
        let any = self.linked || !self.contacts.is_empty();
        let may = small && self.in_lanes && !swept && any && policy.plan != SolvePlan::Fast;
        self.ask = if self.in_lanes && !self.unsound().is_empty() {
            Some(Ask::Broken)
        } else if may && grade > shared.params.tolerances.velocity {
            self.escalated.failed = true;
            Some(Ask::Residual(grade))
        } else {
            self.sunk(shared).map(Ask::Depth)
        };
        if self.ask.is_none() {
            self.settle_hold(shared);
        }
    }

    /// Lets the fast solver's answer stand all the same.
    pub(crate) fn let_stand(&mut self, shared: &Shared) {
        self.ask = None;
        self.escalated.failed = false;
        self.settle_hold(shared);
    }

    /// How far a soft step let the bodies sink (m), if beyond the tolerance and in an island the exact
    /// solver may take.
    pub(super) fn sunk(&self, shared: &Shared) -> Option<f64> {
        let (params, e) = (shared.params, &self.escalated);
        let policy = params.escalation;
        let fast = policy.plan == SolvePlan::Fallback && e.reason.is_none() && e.rest == 0;
        if !fast || self.rows() > policy.rows || !self.frozen.is_empty() {
            return None;
        }
        let soft_joints = params.joint_softening.is_some() && self.scratch.plan.work.is_none();
        let error = match (params.contact.softening.is_some(), soft_joints) {
            (true, true) => self.outcome.position(),
            (true, false) => self.outcome.penetration,
            (false, true) => self.outcome.joint_error,
            (false, false) => 0.0,
        };
        (error > params.tolerances.position).then_some(error)
    }
}
