//! State of an island at the start of its step, for a step that is to be made again.

use super::Island;
use glam::{DQuat, DVec3};
use rb_core::math::Twist;
use rb_joints::JointMemory;

/// What a step changes in bodies, joints and constraints; memory is kept from step to step.
#[derive(Clone, Debug, Default)]
pub(super) struct Start {
    bodies: Vec<(DVec3, DQuat, Twist)>,
    /// Of the joints, then of the constraints.
    memories: Vec<JointMemory>,
}

impl Island {
    /// Notes the present state.
    pub(super) fn keep_start(&mut self) {
        let Start { bodies, memories } = &mut self.start;
        bodies.clear();
        bodies.extend(self.movers.iter().map(|m| (m.com, m.q, m.vel)));
        let joints = self.joints.iter().map(|j| &j.memory);
        let all = joints.chain(self.constraints.iter().map(|c| &c.memory));
        memories.clear();
        memories.extend(all.cloned());
    }

    /// Takes the step back.
    pub(super) fn go_back(&mut self) {
        self.put_back();
        let joints = self.joints.iter_mut().map(|j| &mut j.memory);
        let constraints = self.constraints.iter_mut().map(|c| &mut c.memory);
        for (to, memory) in joints.chain(constraints).zip(&self.start.memories) {
            to.clone_from(memory);
        }
    }

    /// Puts the bodies back where they were.
    pub(super) fn put_back(&mut self) {
        for (m, (com, q, vel)) in self.movers.iter_mut().zip(&self.start.bodies) {
            (m.com, m.q, m.vel, m.moved) = (*com, *q, *vel, Twist::ZERO);
        }
    }
}
