//! Runs one scene under the clock.

use crate::Profile;
use anyhow::Context;
use rb_scenes::SceneDesc;
use rb_world::core::report::StageTimes;
use rb_world::prelude::*;
use std::time::Instant;

/// Length of a step (s).
pub(crate) const DT: f64 = 1.0 / 60.0;

/// How to run scenes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup {
    pub(crate) profile: Profile,
    pub(crate) threads: usize,
    pub(crate) steps: Option<usize>,
    pub(crate) substeps: Option<u32>,
    pub(crate) sampling: u32,
}

impl Setup {
    /// Settings of the profile; nothing may sleep, so that every step is worked for.
    pub(crate) fn params(&self) -> Params {
        let mut params = match self.profile {
            Profile::Game => Params::game(),
            Profile::Robotics => Params::robotics(),
        };
        params.sleep.enabled = false;
        params.sampling = self.sampling;
        params.substeps = self.substeps.unwrap_or(params.substeps);
        params
    }

    pub(crate) fn steps(&self, desc: &SceneDesc) -> usize {
        self.steps.unwrap_or(desc.default_steps)
    }
}

/// What a step left behind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// Wall-clock time (ms).
    pub(crate) ms: f64,
    pub(crate) times: StageTimes,
    pub(crate) residual: f64,
    pub(crate) penetration: f64,
    pub(crate) joint_error: f64,
    pub(crate) contacts: u32,
    pub(crate) rows: u32,
    pub(crate) islands: usize,
    pub(crate) met: bool,
}

/// A finished run.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) world: World,
    pub(crate) bodies: Vec<BodyHandle>,
    pub(crate) steps: Vec<Step>,
    /// States of all bodies after each of the steps asked for.
    pub(crate) samples: Vec<Vec<State>>,
    /// Kinetic and potential energy (J) at the start.
    pub(crate) energy: (f64, f64),
}

/// Position (m), rotation (x, y, z, w), velocity (m/s), angular velocity (rad/s) of a body.
pub(crate) type State = [f64; 13];

/// Runs a scene and samples its bodies after the steps (from 1) in `samples_at`.
pub(crate) fn run(
    setup: &Setup,
    desc: &SceneDesc,
    samples_at: &[usize],
) -> anyhow::Result<Finished> {
    let (mut world, bodies) = desc.build(setup.params()).context(desc.name.clone())?;
    world.set_threads(setup.threads)?;
    let energy = world.energy();
    let (mut steps, mut samples) = (Vec::new(), Vec::new());
    for i in 1..=setup.steps(desc) {
        steps.push(step(&mut world)?);
        if samples_at.contains(&i) {
            samples.push(states(&world, &bodies)?);
        }
    }
    Ok(Finished {
        world,
        bodies,
        steps,
        samples,
        energy,
    })
}

fn step(world: &mut World) -> anyhow::Result<Step> {
    let started = Instant::now();
    let report = world.step(DT)?;
    let ms = started.elapsed().as_secs_f64() * 1e3;
    Ok(Step {
        ms,
        times: report.times,
        residual: report.residual,
        penetration: report.penetration,
        joint_error: report.joint_error,
        contacts: report.contacts,
        rows: report.rows,
        islands: report.islands.len(),
        met: report.met,
    })
}

fn states(world: &World, bodies: &[BodyHandle]) -> anyhow::Result<Vec<State>> {
    let state = |&handle: &BodyHandle| {
        let (pose, velocity) = (world.pose(handle)?, world.velocity(handle)?);
        let mut out = [0.0; 13];
        pose.p.write_to_slice(&mut out[0..3]);
        pose.q.write_to_slice(&mut out[3..7]);
        velocity.lin.write_to_slice(&mut out[7..10]);
        velocity.ang.write_to_slice(&mut out[10..13]);
        Ok(out)
    };
    bodies.iter().map(state).collect()
}
