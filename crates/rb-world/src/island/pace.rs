//! In how many substeps islands take the step, and what all read that take as many.
//!
//! Crowds, heaps of ragdolls and the like, take fewer: joints that are solved exactly need no substeps, and contacts
//! of a heap are not stacked high. Impulses are those of a substep; they are stored as if all had taken as many.

use super::Island;
use crate::frame::Frame;
use crate::state::{ConstraintSlot, JointSlot, State};
use rb_core::arena::Arena;
use rb_core::body::Body;
use rb_core::discretise::Discretiser;
use rb_core::handle::{BodyKey, ConstraintKey, JointKey};
use rb_core::manifold::Contacts;
use rb_core::params::Params;
use rb_core::solver::IslandSolver;
use rb_solve::lanes::{Sample, Terms};

/// What all islands read that take as many substeps.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'a> {
    pub(crate) params: &'a Params,
    pub(crate) bodies: &'a Arena<BodyKey, Body>,
    pub(crate) contacts: Contacts<'a>,
    pub(crate) joints: &'a Arena<JointKey, JointSlot>,
    pub(crate) constraints: &'a Arena<ConstraintKey, ConstraintSlot>,
    /// Time at the start of the step (s), and steps so far.
    pub(crate) time: f64,
    pub(crate) step: u64,
    pub(crate) solver: &'a dyn IslandSolver,
    pub(crate) substeps: u32,
    pub(crate) h: f64,
    /// Stored impulses times this are impulses of the present substep.
    pub(crate) warm_scale: f64,
    /// Impulses of the present substep times this are as they will be stored.
    pub(crate) unit: f64,
    /// Whether islands have the same bodies and contacts as in the last step.
    pub(crate) same: bool,
    /// Whether their joints are as well, with the impulses that were stored.
    pub(crate) joints_stay: bool,
    /// How often joints may have been edited.
    pub(crate) joint_changes: u64,
}

impl<'a> Shared<'a> {
    pub(crate) fn new(
        state: &'a State,
        solver: &'a dyn IslandSolver,
        frame: &Frame,
        fresh: &'a [bool],
        dt: f64,
    ) -> Self {
        let h = state.params.substep(dt);
        Self {
            params: &state.params,
            bodies: &state.bodies,
            contacts: Contacts {
                fresh,
                ..state.contacts()
            },
            joints: &state.joints,
            constraints: &state.constraints,
            time: state.time,
            step: state.step,
            solver,
            substeps: state.params.substeps,
            h,
            warm_scale: state.scale_to(h),
            unit: 1.0,
            same: frame.same,
            joints_stay: frame.same && frame.joints_stay,
            joint_changes: frame.joint_changes,
        }
    }

    /// The same for so many substeps.
    fn in_substeps(self, substeps: u32) -> Self {
        let unit = f64::from(substeps) / f64::from(self.substeps);
        Self {
            substeps,
            h: self.h / unit,
            warm_scale: self.warm_scale / unit,
            unit,
            ..self
        }
    }

    /// How contacts go into lanes.
    pub(crate) fn terms(&self, numbers: &Discretiser) -> Terms {
        Terms {
            soft: [false, true].map(|still| numbers.contact_step(still)),
            friction: self.params.contact.friction,
            precision: self.params.contact.precision,
            scale: self.warm_scale,
            step: self.step,
        }
    }

    /// Speed below which the certificate takes errors for what they are (m/s): what gravity gives in a substep.
    pub(crate) fn speed_floor(&self) -> f64 {
        self.params.gravity.length() * self.h
    }

    /// What the certificate grades of a large island.
    pub(crate) fn sample(&self) -> Sample {
        Sample {
            every: self.params.sampling,
            turn: self.step,
        }
    }
}

/// What islands read, by how many substeps they take.
pub(crate) struct Paces<'a> {
    pub(crate) usual: Shared<'a>,
    pub(crate) crowd: Shared<'a>,
}

impl<'a> Paces<'a> {
    pub(crate) fn new(usual: Shared<'a>) -> Self {
        let crowd = usual.in_substeps(usual.params.crowd_substeps());
        Self { usual, crowd }
    }

    /// What an island reads.
    pub(crate) fn of(&self, island: &Island) -> &Shared<'a> {
        match island.crowd {
            true => &self.crowd,
            false => &self.usual,
        }
    }
}

/// Joints for each body of a crowd, at least: a stack would sink by half as much again once some ragdolls lean on it.
const HELD: f64 = 0.75;

/// Trees of a crowd, at least: a few take little time, and are looked at closely.
const CROWD: usize = 8;

impl Island {
    /// Whether it is a heap of trees of joints that are solved exactly, such as ragdolls, and of little else.
    pub(super) fn is_crowd(&self) -> bool {
        let held = self.joints.len() as f64 >= HELD * self.movable as f64;
        held && self.has_trees() && self.trees() >= CROWD && !self.contacts.is_empty()
    }
}
