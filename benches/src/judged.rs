//! The record a referee grades: times of all steps and states of all bodies at four moments.
//!
//! A harness that compares engines exports a scene as JSON, lets each engine run it, and measures
//! penetration, drift and separation from the states alone, the same way for all.

use crate::run::{Setup, State, run};
use crate::stats::{mean, round};
use anyhow::Context;
use rb_scenes::SceneDesc;
use serde::Serialize;
use std::path::Path;

/// The record; states are those after a quarter, half, three quarters and all of the steps.
#[derive(Debug, Serialize)]
struct Record {
    engine: &'static str,
    version: &'static str,
    settings: String,
    scene: String,
    size: usize,
    threads: usize,
    steps: usize,
    contacts: u32,
    /// The first step (ms); not among `wall_ms`.
    first_ms: f64,
    wall_ms: Vec<f64>,
    collide_ms: f64,
    solve_ms: f64,
    errors: Option<String>,
    samples: Vec<Vec<State>>,
}

/// Runs the scene in `file` and writes its record to `out` or to standard output.
pub(crate) fn record(setup: &Setup, file: &Path, out: Option<&Path>) -> anyhow::Result<()> {
    let name = || file.display().to_string();
    let text = std::fs::read_to_string(file).with_context(name)?;
    let desc: SceneDesc = serde_json::from_str(&text).with_context(name)?;
    let json = serde_json::to_string(&measured(setup, desc)?)?;
    match out {
        Some(path) => std::fs::write(path, json).with_context(|| path.display().to_string()),
        None => {
            println!("{json}");
            Ok(())
        }
    }
}

fn measured(setup: &Setup, desc: SceneDesc) -> anyhow::Result<Record> {
    let steps = setup.steps(&desc);
    let quarters = [steps / 4, steps / 2, 3 * steps / 4, steps];
    let run = run(setup, &desc, &quarters)?;
    let (first, warm) = run.steps.split_first().context("the scene has no steps")?;
    let milliseconds = |pick: fn(&crate::run::Step) -> f64| {
        round(1e3 * mean(&warm.iter().map(pick).collect::<Vec<_>>()))
    };
    let lost = run.world.bodies().filter(|(_, b)| !b.is_sound()).count();
    Ok(Record {
        engine: "rb",
        version: concat!("rb ", env!("CARGO_PKG_VERSION")),
        settings: settings(setup),
        scene: desc.name,
        size: desc.size,
        threads: setup.threads,
        steps,
        contacts: run.steps.last().map_or(0, |s| s.contacts),
        first_ms: first.ms,
        wall_ms: warm.iter().map(|s| s.ms).collect(),
        collide_ms: milliseconds(|s| s.times.broad + s.times.narrow),
        solve_ms: milliseconds(|s| s.times.partition + s.times.solve + s.times.publish),
        errors: (lost > 0).then(|| format!("{lost} bodies are not finite")),
        samples: run.samples,
    })
}

/// The settings that decide speed and quality, in words.
fn settings(setup: &Setup) -> String {
    let p = setup.params();
    let contacts = match p.contact.softening {
        Some(soft) => format!(
            "soft step at {} of the substep rate, zeta {}",
            soft.rate, soft.ratio
        ),
        None => "rigid contacts".into(),
    };
    format!(
        "profile {}: {} substeps, {contacts}, at most {} + {} sweeps (the last time {}), f64, warm start; sleeping off",
        setup.profile.name(),
        p.substeps,
        p.sweeps.position,
        p.sweeps.velocity,
        p.sweeps.velocity_in(true),
    )
}
