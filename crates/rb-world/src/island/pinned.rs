//! Substeps of chains: islands of trees of joints that hold two points together and do nothing else.
//!
//! Such joints are a few vectors each and exact without rows (see [`rb_solve::pins`]). The last substep of a
//! step is posed in rows all the same, for the certificate and for whoever wants to see the problem.

use super::{Island, Shared};
use glam::DMat3;
use rb_core::integrate::lever;
use rb_core::params::{GeometricStiffness, Gyroscopic};
use rb_joints::pin;
use rb_solve::pins::Pinned;

impl Island {
    /// Whether the substeps before the last can be made without rows.
    pub(super) fn is_pinned(&self, shared: &Shared) -> bool {
        let params = shared.params;
        self.contacts.is_empty()
            && self.constraints.is_empty()
            && self.escalated.reason.is_none()
            && self.scratch.plan.work.is_some()
            && shared.solver.shares_contacts()
            && params.contact.softening.is_some()
            && params.stabilisation.is_none()
            && params.scheme.beta == 1.0
            && params.gyroscopic == Gyroscopic::Implicit
            && params.geometric == GeometricStiffness::Off
            && self.joints.iter().all(|joint| joint.pin.is_some())
    }

    /// One substep without rows.
    pub(super) fn pinned_substep(&mut self, shared: &Shared) {
        self.state_pins(shared);
        self.problem.clear();
        self.predict(shared);
        let (plan, bodies) = (&self.scratch.plan, &mut self.problem.bodies);
        self.pins.solve(plan, bodies);
        self.outcome.iterations += 1;
        self.advance(shared);
        for (m, b) in self.movers.iter_mut().zip(&self.problem.bodies) {
            m.vel = b.vel;
        }
        let solved = self.pins.pins.iter().zip(&self.axes);
        for (joint, (pin, axes)) in self.joints.iter_mut().zip(solved) {
            let ([i, j, k], p) = (pin::SLOTS, axes.transpose() * pin.impulse);
            joint.memory.take_impulses(&[(i, p.x), (j, p.y), (k, p.z)]);
        }
        self.end_substep(shared);
    }

    /// Pins at the present poses, and the geometric stiffness of each body from their last impulses.
    fn state_pins(&mut self, shared: &Shared) {
        self.levers.clear();
        self.levers.resize(self.movers.len(), DMat3::ZERO);
        self.pins.pins.clear();
        self.axes.clear();
        for joint in &self.joints {
            let Some([one_frame, other_frame]) = &joint.pin else {
                continue;
            };
            let [a, b] = joint.movers;
            let (one, other) = (&self.movers[a as usize], &self.movers[b as usize]);
            let arms = [one.q * one_frame.p, other.q * other_frame.p];
            let reach = other.com - one.com + arms[1];
            let axes = DMat3::from_quat(one.q * one_frame.q);
            let impulse = axes * pin::impulse(&joint.memory);
            self.levers[a as usize] += lever(arms[0], -impulse);
            self.levers[b as usize] += lever(arms[1], impulse);
            self.axes.push(axes);
            self.pins.pins.push(Pinned {
                bodies: [a, b],
                arm: [reach, arms[1]],
                bias: (reach - arms[0]) / shared.h,
                impulse,
            });
        }
    }
}
