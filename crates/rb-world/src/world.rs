//! The facade: create, step, read. No physics in here.

use crate::events::Events;
use crate::frame::Frame;
use crate::hooks::Hooks;
use crate::state::State;
use crate::step::{self, StepError};
use crate::threads::Threads;
use rb_core::Result;
use rb_core::math::Twist;
use rb_core::params::Params;
use rb_core::problem::Problem;
use rb_core::report::StepReport;
use rb_core::solver::IslandSolver;
use rb_solve::Pgs;
use std::sync::Arc;

/// A world of bodies, colliders and joints.
///
/// ```
/// use rb_world::prelude::*;
/// let mut world = World::new(Params::game())?;
/// let floor = world.add_body(BodyDesc::fixed())?;
/// world.add_collider(floor, ColliderDesc::new(Shape::half_space(DVec3::Y)?))?;
/// let ball = world.add_body(BodyDesc::dynamic().at([0.0, 1.0, 0.0]))?;
/// world.add_collider(ball, ColliderDesc::new(Shape::ball(0.5)?))?;
/// for _ in 0..60 {
///     let report = world.step(1.0 / 60.0)?;
///     assert!(report.residual < 1e-2);
/// }
/// assert!((world.position(ball)?.y - 0.5).abs() < 5e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct World {
    pub(crate) state: State,
    pub(crate) frame: Frame,
    pub(crate) events: Events,
    pub(crate) hooks: Option<Arc<dyn Hooks>>,
    pub(crate) solver: Arc<dyn IslandSolver + Send>,
    pub(crate) threads: Threads,
    pub(crate) report: StepReport,
}

impl World {
    /// An empty world.
    ///
    /// # Errors
    /// The first setting that is out of range.
    pub fn new(params: Params) -> Result<Self> {
        params.validate()?;
        Ok(Self::from_state(State::new(params)))
    }

    pub(crate) fn from_state(state: State) -> Self {
        Self {
            state,
            frame: Frame::default(),
            events: Events::default(),
            hooks: None,
            solver: Arc::new(Pgs),
            threads: Threads::default(),
            report: StepReport::default(),
        }
    }

    /// Advances the world by `dt` (s).
    ///
    /// Never panics and never spreads a NaN: a body whose state becomes non-finite is put back,
    /// frozen and named in the report, and its neighbours go on without it.
    ///
    /// # Errors
    /// `dt` is not finite or not above zero; or the world is strict and the step is above its
    /// tolerances. Then nothing has changed.
    pub fn step(&mut self, dt: f64) -> std::result::Result<StepReport, StepError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(StepError::BadTimeStep(dt));
        }
        let strict = self.state.params.strict;
        let copy = |w: &Self| (w.state.clone(), w.events.clone(), w.report.clone());
        let before = strict.then(|| copy(self));
        let Self {
            state,
            frame,
            events,
            report,
            hooks,
            solver,
            threads,
        } = self;
        let (hooks, solver) = (hooks.as_deref(), &**solver);
        let work = state.work().saturating_sub(frame.undivided());
        threads.run(work, || {
            step::step(state, frame, events, hooks, solver, dt, report)
        });
        let found = self.report.clone();
        if let Some((state, events, report)) = before.filter(|_| !found.met) {
            (self.state, self.events, self.report) = (state, events, report);
            // Where shapes stood is not known, nor what has changed since.
            self.frame.placed.clear();
            self.frame.partitioned = false;
            return Err(StepError::Unmet(Box::new(found)));
        }
        Ok(found)
    }

    /// Settings.
    pub fn params(&self) -> &Params {
        &self.state.params
    }

    /// Replaces the settings; everything wakes.
    ///
    /// # Errors
    /// The first setting that is out of range.
    pub fn set_params(&mut self, params: Params) -> Result<()> {
        params.validate()?;
        self.state.params = params;
        self.state.rejoined = true;
        let slots: Vec<u32> = self.state.bodies.iter().map(|(h, _)| h.index()).collect();
        slots.into_iter().for_each(|s| {
            self.state.body_mut(s).grid = params.grid;
            self.state.wake(s);
        });
        Ok(())
    }

    /// User hooks into the step.
    pub fn set_hooks(&mut self, hooks: Arc<dyn Hooks>) {
        self.hooks = Some(hooks);
    }

    /// A stranger's solver for all islands.
    pub fn use_solver(&mut self, solver: Arc<dyn IslandSolver + Send>) {
        self.solver = solver;
    }

    /// Runs steps on a pool of `n` threads of the world's own; 0 returns to the surrounding rayon
    /// pool. The result of a step is the same, bit for bit, for every number of threads.
    ///
    /// # Errors
    /// The operating system refuses the threads.
    pub fn set_threads(&mut self, n: usize) -> Result<()> {
        self.threads.set(n)
    }

    /// Steps with less work than this stay on the calling thread, since the way to a pool and back costs
    /// more than it saves: bodies, three for each manifold and six for each joint, without the largest
    /// island with joints, which one thread solves; 1000 unless set.
    pub fn set_parallel_threshold(&mut self, work: usize) {
        self.threads.threshold = work;
    }

    /// What the last step told.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// What happened during the last step.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// Steps taken.
    pub fn step_count(&self) -> u64 {
        self.state.step
    }

    /// Simulated time (s).
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Kinetic and gravitational energy of all dynamic bodies (J); heights from the origin.
    pub fn energy(&self) -> (f64, f64) {
        self.state.energy()
    }

    /// Linear momentum (kg·m/s) and angular momentum about the origin (kg·m²/s) of all dynamic
    /// bodies.
    pub fn momentum(&self) -> Twist {
        self.state.momentum()
    }

    /// The solved problems of the last step's awake islands, in the order of their reports: the last
    /// substep's rows with their multipliers, impulses of as many substeps as the island took. What the
    /// certificate graded, for audits and dumps.
    pub fn problems(&self) -> impl Iterator<Item = Problem> {
        (0..self.frame.island_count).map(|island| self.frame.problem(island))
    }

    /// Bytes held by bodies, colliders, joints and contacts, with all scratch. (Not those of shapes that
    /// share their vertices.)
    pub fn memory_bytes(&self) -> usize {
        self.state.bytes() + self.frame.bytes()
    }
}

impl Clone for World {
    /// The same state; scratch starts empty, hooks, solver and threads are shared.
    fn clone(&self) -> Self {
        Self {
            hooks: self.hooks.clone(),
            solver: Arc::clone(&self.solver),
            threads: self.threads.clone(),
            events: self.events.clone(),
            report: self.report.clone(),
            ..Self::from_state(self.state.clone())
        }
    }
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("bodies", &self.state.bodies.len())
            .field("colliders", &self.state.colliders.len())
            .field("joints", &self.state.joints.len())
            .field("step", &self.state.step)
            .finish_non_exhaustive()
    }
}
