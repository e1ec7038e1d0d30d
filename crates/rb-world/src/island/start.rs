//! State of an island at the start of its step, for a step that is to be made again. The memory of joints
//! and constraints is that of the world, which a step changes at its end.

use super::{Island, Shared};
use glam::{DQuat, DVec3};
use rb_core::math::Twist;

/// What a step changes in bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Start {
    bodies: Vec<(DVec3, DQuat, Twist)>,
}

impl Island {
    /// Notes the present state.
    pub(super) fn keep_start(&mut self) {
        let bodies = &mut self.start.bodies;
        bodies.clear();
        bodies.extend(self.movers.iter().map(|m| (m.com, m.q, m.vel)));
    }

    /// Takes the step back.
    pub(super) fn go_back(&mut self, shared: &Shared) {
        self.put_back();
        for joint in &mut self.joints {
            if let Some(slot) = shared.joints.slot(joint.slot) {
                joint.memory.clone_from(&slot.memory);
            }
        }
        for constraint in &mut self.constraints {
            if let Some(slot) = shared.constraints.slot(constraint.slot) {
                constraint.memory.clone_from(&slot.memory);
            }
        }
        self.rescale(shared.warm_scale);
    }

    /// Puts the bodies back where they were.
    pub(super) fn put_back(&mut self) {
        for (m, (com, q, vel)) in self.movers.iter_mut().zip(&self.start.bodies) {
            (m.com, m.q, m.vel, m.moved) = (*com, *q, *vel, Twist::ZERO);
        }
    }
}
