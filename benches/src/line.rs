//! The JSON line of one scene.

use crate::Profile;
use crate::quality::Quality;
use crate::run::{Finished, Setup, Step};
use crate::stats::{mean, quantile, round};
use rb_scenes::SceneDesc;
use serde::Serialize;

/// Milliseconds of a step.
#[derive(Debug, Serialize)]
struct Milliseconds {
    mean: f64,
    median: f64,
    p99: f64,
    /// The first step, which finds all pairs and allocates; the others leave it out.
    first: f64,
}

/// Mean milliseconds of each stage.
#[derive(Debug, Serialize)]
struct Stages {
    broad: f64,
    narrow: f64,
    partition: f64,
    solve: f64,
    publish: f64,
}

/// A number at the end of the run and its largest value.
#[derive(Debug, Serialize)]
struct Course {
    last: f64,
    worst: f64,
}

/// One line of output.
#[derive(Debug, Serialize)]
pub(crate) struct Line {
    scene: String,
    size: usize,
    profile: &'static str,
    threads: usize,
    steps: usize,
    bodies: usize,
    joints: usize,
    ms: Milliseconds,
    stages_ms: Stages,
    contacts: u32,
    rows: u32,
    islands: usize,
    bytes_per_body: usize,
    /// Violation of the velocity law (m/s).
    residual: Course,
    /// Depth of the deepest contact (mm).
    penetration_mm: Course,
    /// Largest joint error (mm).
    joint_error_mm: Course,
    /// Share of steps within the profile's tolerances (%).
    met_pct: f64,
    quality: Quality,
}

impl Line {
    pub(crate) fn new(setup: &Setup, desc: &SceneDesc, run: &Finished) -> Self {
        let dynamic = desc.dynamic().count();
        let last = run.steps.last().copied();
        let met = run.steps.iter().filter(|s| s.met).count();
        Self {
            scene: desc.name.clone(),
            size: desc.size,
            profile: setup.profile.name(),
            threads: setup.threads,
            steps: run.steps.len(),
            bodies: dynamic,
            joints: desc.joints.len(),
            ms: Milliseconds::new(&run.steps),
            stages_ms: Stages::new(&run.steps),
            contacts: last.map_or(0, |s| s.contacts),
            rows: last.map_or(0, |s| s.rows),
            islands: last.map_or(0, |s| s.islands),
            bytes_per_body: run.world.memory_bytes() / dynamic.max(1),
            residual: Course::new(&run.steps, |s| s.residual),
            penetration_mm: Course::new(&run.steps, |s| 1e3 * s.penetration),
            joint_error_mm: Course::new(&run.steps, |s| 1e3 * s.joint_error),
            met_pct: round(100.0 * met as f64 / run.steps.len().max(1) as f64),
            quality: Quality::new(desc, run),
        }
    }
}

impl Profile {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Game => "game",
            Self::Robotics => "robotics",
        }
    }
}

/// All steps but the first.
fn warm(steps: &[Step]) -> &[Step] {
    steps.get(1..).unwrap_or_default()
}

impl Milliseconds {
    fn new(steps: &[Step]) -> Self {
        let ms: Vec<f64> = warm(steps).iter().map(|s| s.ms).collect();
        Self {
            mean: round(mean(&ms)),
            median: round(quantile(&ms, 0.5)),
            p99: round(quantile(&ms, 0.99)),
            first: round(steps.first().map_or(0.0, |s| s.ms)),
        }
    }
}

impl Stages {
    fn new(steps: &[Step]) -> Self {
        let stage = |pick: fn(&Step) -> f64| {
            let seconds: Vec<f64> = warm(steps).iter().map(pick).collect();
            round(1e3 * mean(&seconds))
        };
        Self {
            broad: stage(|s| s.times.broad),
            narrow: stage(|s| s.times.narrow),
            partition: stage(|s| s.times.partition),
            solve: stage(|s| s.times.solve),
            publish: stage(|s| s.times.publish),
        }
    }
}

impl Course {
    fn new(steps: &[Step], pick: fn(&Step) -> f64) -> Self {
        let worst = steps.iter().map(pick).fold(0.0, f64::max);
        Self {
            last: round(steps.last().map_or(0.0, pick)),
            worst: round(worst),
        }
    }
}
