//! State of an island at the start of its step, for a step that is to be made again.

use super::{Island, Shared};
use rb_core::math::Twist;

impl Island {
    /// Notes what the joints, then the constraints, remember now.
    pub(super) fn keep_start(&mut self) {
        let joints = self.joints.iter().map(|j| &j.memory);
        let all = joints.chain(self.constraints.iter().map(|c| &c.memory));
        self.start.clear();
        self.start.extend(all.cloned());
    }

    /// Takes the step back.
    pub(super) fn go_back(&mut self, shared: &Shared) {
        self.put_back(shared);
        let joints = self.joints.iter_mut().map(|j| &mut j.memory);
        let constraints = self.constraints.iter_mut().map(|c| &mut c.memory);
        for (to, memory) in joints.chain(constraints).zip(&self.start) {
            to.clone_from(memory);
        }
    }

    /// Puts the bodies back where the world still has them.
    pub(super) fn put_back(&mut self, shared: &Shared) {
        for m in &mut self.movers {
            if let Some(body) = shared.bodies.slot(m.slot) {
                (m.com, m.q, m.vel, m.moved) = (body.com, body.q, body.vel, Twist::ZERO);
            }
        }
    }
}
