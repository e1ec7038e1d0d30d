//! This repository's engine, in its game profile.

use super::{DT, Simulation, Stages, State};
use rb_scenes::SceneDesc;
use rb_world::core::report::StageTimes;
use rb_world::prelude::*;

pub(super) struct Rb {
    world: World,
    bodies: Vec<BodyHandle>,
    times: StageTimes,
}

/// The game profile; nothing may sleep, so that every step is worked for.
fn params() -> Params {
    let mut params = Params::game();
    params.sleep.enabled = false;
    params
}

pub(super) fn settings() -> String {
    let p = params();
    let contacts = match p.contact.softening {
        Some(soft) => format!(
            "contacts at {} of the substep rate, zeta {}",
            soft.rate, soft.ratio
        ),
        None => "rigid contacts".into(),
    };
    format!(
        "this repository, contacts and nets of ball joints swept in f32 and the rest in f64, profile game: {} substeps of {} + {} sweeps (the last of {} + {}), {contacts}, warm start",
        p.substeps,
        p.sweeps.position,
        p.sweeps.velocity,
        p.sweeps.position,
        p.sweeps.velocity_in(true),
    )
}

impl Rb {
    pub(super) fn new(scene: &SceneDesc, threads: usize) -> anyhow::Result<Self> {
        let (mut world, bodies) = scene.build(params())?;
        world.set_threads(threads)?;
        Ok(Self {
            world,
            bodies,
            times: StageTimes::default(),
        })
    }
}

impl Simulation for Rb {
    fn step(&mut self) -> anyhow::Result<()> {
        self.times = self.world.step(DT)?.times;
        Ok(())
    }

    fn stages(&self) -> Stages {
        let t = &self.times;
        Stages {
            collide: 1e3 * (t.broad + t.narrow),
            solve: 1e3 * (t.partition + t.solve + t.publish),
        }
    }

    fn states(&self) -> anyhow::Result<Vec<State>> {
        let state = |&body: &BodyHandle| {
            let (pose, velocity) = (self.world.pose(body)?, self.world.velocity(body)?);
            Ok(State {
                pos: pose.p,
                rot: pose.q,
                lin: velocity.lin,
                ang: velocity.ang,
            })
        };
        self.bodies.iter().map(state).collect()
    }
}
