//! Runs the engines on a scene under one clock, in turns.

use crate::clock::Clock;
use crate::engines::{Engine, Stages, State};
use anyhow::Context;
use rb_scenes::SceneDesc;
use std::thread;

/// Stack of a run's thread (bytes): what the main thread of a program usually has.
const STACK: usize = 8 << 20;

/// How to run scenes.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) engines: Vec<Engine>,
    /// The calling one included.
    pub(crate) threads: usize,
    /// Instead of the scene's own number.
    pub(crate) steps: Option<usize>,
    /// Repeats of each run.
    pub(crate) reps: usize,
}

impl Setup {
    pub(crate) fn clock(&self) -> Clock {
        Clock::of(self.threads)
    }

    pub(crate) fn steps(&self, scene: &SceneDesc) -> usize {
        self.steps.unwrap_or(scene.default_steps)
    }
}

/// What a step took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// By the setup's clock (ms).
    pub(crate) ms: f64,
    pub(crate) stages: Stages,
}

/// One engine's run of a scene.
#[derive(Debug)]
pub(crate) struct Run {
    /// Each step as the fastest of the repeats took it.
    pub(crate) steps: Vec<Step>,
    /// All bodies at the end.
    pub(crate) states: Vec<State>,
    /// Whether all repeats ended in the very same states, as least times suppose.
    pub(crate) repeatable: bool,
}

impl Run {
    /// Takes the faster of each step. The engines are deterministic: a step is the same work in
    /// every repeat, and the least time is the least disturbed one.
    fn absorb(&mut self, other: Self) {
        for (best, step) in self.steps.iter_mut().zip(other.steps) {
            if step.ms < best.ms {
                *best = step;
            }
        }
        self.repeatable &= other.states == self.states;
    }
}

/// Runs all engines, one after the other in turns that begin with another one each time; tells
/// `before` each run which engine it is.
pub(crate) fn compare(
    setup: &Setup,
    scene: &SceneDesc,
    before: impl Fn(Engine),
) -> anyhow::Result<Vec<Run>> {
    let count = setup.engines.len();
    let mut runs: Vec<Option<Run>> = (0..count).map(|_| None).collect();
    for rep in 0..setup.reps {
        for turn in 0..count {
            let at = (rep + turn) % count;
            let engine = setup.engines[at];
            before(engine);
            let run = alone(engine, setup, scene)
                .with_context(|| format!("{} in {}", engine.name(), scene.name))?;
            match &mut runs[at] {
                Some(best) => best.absorb(run),
                empty => *empty = Some(run),
            }
        }
    }
    Ok(runs.into_iter().flatten().collect())
}

/// One run on a thread of its own, so that no engine inherits another's thread pool.
fn alone(engine: Engine, setup: &Setup, scene: &SceneDesc) -> anyhow::Result<Run> {
    thread::scope(|scope| {
        let run = || run(engine, setup, scene);
        let worker = thread::Builder::new().stack_size(STACK);
        let worker = worker.spawn_scoped(scope, run)?;
        worker.join().expect("a panic has ended the program")
    })
}

fn run(engine: Engine, setup: &Setup, scene: &SceneDesc) -> anyhow::Result<Run> {
    let mut simulation = engine.simulate(scene, setup.threads)?;
    let mut steps = Vec::with_capacity(setup.steps(scene));
    for _ in 0..setup.steps(scene) {
        let ms = setup.clock().time(|| simulation.step())?;
        let stages = simulation.stages();
        steps.push(Step { ms, stages });
    }
    Ok(Run {
        steps,
        states: simulation.states()?,
        repeatable: true,
    })
}
