//! Takes an island back to the start of its step, for a step that is to be made again: the world has it
//! still, and changes at the end of the step.

use super::{Island, Shared};

impl Island {
    /// Takes the step back.
    pub(super) fn go_back(&mut self, shared: &Shared) {
        self.put_back(shared);
        self.kept_in = None;
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

    /// Puts the bodies back where the world still has them.
    pub(super) fn put_back(&mut self, shared: &Shared) {
        for m in &mut self.movers {
            if let Some(body) = shared.bodies.slot(m.slot) {
                (m.com, m.q, m.vel, m.moved) = (body.com, body.q, body.vel, body.moved());
                m.refresh();
            }
        }
    }
}
