//! The engines, behind one interface.
//!
//! Rules of the mapping, the same for all: bodies in the order of the scene, gravity of the scene,
//! no restitution, no damping, nothing sleeps, joined bodies do not collide, ghosts do not collide
//! with one another; every other setting is the engine's own default.

#[cfg(feature = "box3d")]
mod box3d;
mod rapier;
mod rb;

use clap::ValueEnum;
use glam::{DQuat, DVec3, Quat, Vec3};
use rb_scenes::SceneDesc;

/// Length of a step (s).
pub(crate) const DT: f64 = 1.0 / 60.0;

/// An engine that takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// This repository.
    Rb,
    /// Rapier, <https://rapier.rs>.
    Rapier,
    /// Box3D, <https://box2d.org>.
    #[cfg(feature = "box3d")]
    Box3d,
}

/// One world of one engine. Only `step` runs under the clock.
pub(crate) trait Simulation {
    /// Advances by [`DT`].
    fn step(&mut self) -> anyhow::Result<()>;
    /// Where the last step spent its time, by the engine's own timers.
    fn stages(&self) -> Stages;
    /// State of every body of the scene.
    fn states(&self) -> anyhow::Result<Vec<State>>;
}

/// Parts of a step (ms).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stages {
    /// Broad and narrow phase.
    pub(crate) collide: f64,
    /// Everything the engine counts as solving, integration among it.
    pub(crate) solve: f64,
}

/// State of a body, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct State {
    /// Position of the body frame (m).
    pub(crate) pos: DVec3,
    /// Attitude.
    pub(crate) rot: DQuat,
    /// Velocity of the centre of mass (m/s).
    pub(crate) lin: DVec3,
    /// Angular velocity (rad/s).
    pub(crate) ang: DVec3,
}

impl State {
    /// From an engine that computes in f32; the rotation is made of unit length in f64.
    fn widened(pos: Vec3, rot: Quat, lin: Vec3, ang: Vec3) -> Self {
        Self {
            pos: pos.as_dvec3(),
            rot: rot.as_dquat().normalize(),
            lin: lin.as_dvec3(),
            ang: ang.as_dvec3(),
        }
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.pos.is_finite() && self.rot.is_finite() && self.lin.is_finite() && self.ang.is_finite()
    }
}

impl Engine {
    /// Name, as on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rb => "rb",
            Self::Rapier => "rapier",
            #[cfg(feature = "box3d")]
            Self::Box3d => "box3d",
        }
    }

    /// Version and the settings that decide speed and quality, read from the engine.
    pub(crate) fn settings(self) -> String {
        match self {
            Self::Rb => rb::settings(),
            Self::Rapier => rapier::settings(),
            #[cfg(feature = "box3d")]
            Self::Box3d => box3d::settings(),
        }
    }

    /// A world of the scene, on `threads` threads with the calling one among them.
    pub(crate) fn simulate(
        self,
        scene: &SceneDesc,
        threads: usize,
    ) -> anyhow::Result<Box<dyn Simulation>> {
        Ok(match self {
            Self::Rb => Box::new(rb::Rb::new(scene, threads)?),
            Self::Rapier => Box::new(rapier::Rapier::new(scene, threads)?),
            #[cfg(feature = "box3d")]
            Self::Box3d => Box::new(box3d::Box3d::new(scene, threads)?),
        })
    }
}
