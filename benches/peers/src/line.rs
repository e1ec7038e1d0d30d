//! One engine's result in one scene.

use crate::clock::Clock;
use crate::engines::Engine;
use crate::referee::Quality;
use crate::run::{Run, Setup, Step};
use rb_scenes::SceneDesc;
use serde::Serialize;

/// Milliseconds of a step; the first, which finds all pairs and allocates, apart.
#[derive(Debug, Serialize)]
pub(crate) struct Milliseconds {
    pub(crate) mean: f64,
    pub(crate) median: f64,
    pub(crate) first: f64,
    /// Mean of broad and narrow phase, by the engine's own timers.
    pub(crate) collide: f64,
    /// Mean of what the engine counts as solving.
    pub(crate) solve: f64,
}

/// A row of the table; a line of JSON.
#[derive(Debug, Serialize)]
pub(crate) struct Line {
    pub(crate) scene: String,
    pub(crate) size: usize,
    /// Dynamic bodies.
    pub(crate) bodies: usize,
    pub(crate) engine: &'static str,
    settings: String,
    threads: usize,
    clock: Clock,
    steps: usize,
    reps: usize,
    pub(crate) ms: Milliseconds,
    /// Mean over that of the fastest peer; nothing if no peer ran.
    pub(crate) ratio: Option<f64>,
    /// Whether all repeats ended in the very same states.
    pub(crate) repeatable: bool,
    pub(crate) quality: Quality,
}

impl Milliseconds {
    fn new(steps: &[Step]) -> Self {
        let warm = steps.get(1..).unwrap_or_default();
        let mean =
            |pick: fn(&Step) -> f64| warm.iter().map(pick).sum::<f64>() / warm.len().max(1) as f64;
        Self {
            mean: mean(|s| s.ms),
            median: median(warm.iter().map(|s| s.ms).collect()),
            first: steps.first().map_or(0.0, |s| s.ms),
            collide: mean(|s| s.stages.collide),
            solve: mean(|s| s.stages.solve),
        }
    }
}

/// Of an even number of values the upper one in the middle; 0 of nothing.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// The lines of a scene, one for each engine and its run.
pub(crate) fn lines(
    setup: &Setup,
    scene: &SceneDesc,
    runs: Vec<Run>,
    judge: impl Fn(&Run) -> Quality,
) -> Vec<Line> {
    let times: Vec<_> = runs.iter().map(|r| Milliseconds::new(&r.steps)).collect();
    let peers = setup.engines.iter().zip(&times);
    let peers = peers.filter(|(engine, _)| **engine != Engine::Rb);
    let fastest = peers.map(|(_, ms)| ms.mean).reduce(f64::min);
    let of_each = setup.engines.iter().zip(runs).zip(times);
    let line = |((engine, run), ms): ((&Engine, Run), Milliseconds)| Line {
        scene: scene.name.clone(),
        size: scene.size,
        bodies: scene.dynamic().count(),
        engine: engine.name(),
        settings: engine.settings(),
        threads: setup.threads,
        clock: setup.clock(),
        steps: run.steps.len(),
        reps: setup.reps,
        ratio: fastest.map(|fastest| ms.mean / fastest),
        ms,
        repeatable: run.repeatable,
        quality: judge(&run),
    };
    of_each.map(line).collect()
}
