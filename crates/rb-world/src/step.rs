//! The step, top to bottom: six calls and a stopwatch.

use crate::events::Events;
use crate::frame::Frame;
use crate::hooks::Hooks;
use crate::stage;
use crate::state::State;
use rb_core::report::StepReport;
use rb_core::solver::IslandSolver;
use std::time::Instant;

/// Why a step was refused; the world is unchanged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The time step is not a positive finite number.
    #[error("dt must be finite and > 0, got {0}")]
    BadTimeStep(f64),
    /// The world is strict and the step was above the tolerances; what it would have reported.
    #[error("step above the tolerances: {:.3e} m/s, {:.3e} m", .0.residual, .0.penetration.max(.0.joint_error))]
    Unmet(Box<StepReport>),
}

/// Measures stages; its readings never steer the physics.
struct Clock(Instant, Instant);

impl Clock {
    fn start() -> Self {
        let now = Instant::now();
        Self(now, now)
    }

    fn lap(&mut self) -> f64 {
        let now = Instant::now();
        let lap = now.duration_since(self.1).as_secs_f64();
        self.1 = now;
        lap
    }

    fn total(&self) -> f64 {
        self.1.duration_since(self.0).as_secs_f64()
    }
}

/// Advances the state by `dt` (s, checked by the caller) and reports on it in place of the last report.
pub(crate) fn step(
    state: &mut State,
    frame: &mut Frame,
    events: &mut Events,
    hooks: Option<&dyn Hooks>,
    solver: &dyn IslandSolver,
    dt: f64,
    report: &mut StepReport,
) {
    let mut clock = Clock::start();
    frame.tasks = 0;
    events.clear();

    stage::broad::run(state, frame, events, dt);
    report.times.broad = clock.lap();
    stage::narrow::run(state, frame, events, hooks, dt);
    report.times.narrow = clock.lap();
    stage::partition::run(state, frame, dt);
    report.times.partition = clock.lap();
    stage::solve::run(state, frame, solver, dt);
    report.times.solve = clock.lap();
    stage::advance::run(state, frame, events, hooks, dt);
    stage::publish::run(state, frame, events, solver.name(), dt, report);
    report.times.publish = clock.lap();
    report.times.total = clock.total();
}
