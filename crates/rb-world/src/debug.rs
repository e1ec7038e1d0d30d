//! Debug drawing of a whole world.

use crate::world::World;
use bitflags::bitflags;
use rb_core::body::BodyKind;
use rb_core::draw::{DrawSink, color};
use rb_joints::{Constraint, Joint};

bitflags! {
    /// What [`World::draw`] draws.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct DrawFlags: u8 {
        /// Outlines of colliders, coloured by kind of body and sleep.
        const SHAPES = 1;
        /// Joint frames.
        const JOINTS = 2;
        /// Contact points with their normals, scaled by force.
        const CONTACTS = 4;
        /// Frames at the centres of mass.
        const CENTRES = 8;
    }
}

/// Length (m) of a contact normal per newton of force.
const METRES_PER_NEWTON: f64 = 1e-3;

impl World {
    /// Draws the world into a sink.
    pub fn draw(&self, what: DrawFlags, sink: &mut dyn DrawSink) {
        if what.contains(DrawFlags::SHAPES) {
            self.draw_shapes(sink);
        }
        if what.contains(DrawFlags::JOINTS) {
            for (_, joint) in self.state.joints.iter() {
                joint.desc.kind.draw(&self.state.joint_cx(joint), sink);
            }
            for (_, constraint) in self.state.constraints.iter() {
                let view = self
                    .state
                    .constraint_view(&constraint.kind, &constraint.bodies);
                constraint.kind.draw(&view.cx(), sink);
            }
        }
        if what.contains(DrawFlags::CONTACTS) {
            self.draw_contacts(sink);
        }
        if what.contains(DrawFlags::CENTRES) {
            for (_, b) in self.bodies().filter(|(_, b)| b.kind == BodyKind::Dynamic) {
                sink.frame(&b.com_pose(), 0.25 * b.extent);
            }
        }
    }

    fn draw_shapes(&self, sink: &mut dyn DrawSink) {
        for (h, c) in self.state.colliders.iter() {
            let body = self.state.body(c.body.index());
            let shade = match body.kind {
                BodyKind::Static => color::STATIC,
                BodyKind::Kinematic => color::KINEMATIC,
                BodyKind::Dynamic if body.is_asleep() => color::ASLEEP,
                BodyKind::Dynamic => color::DYNAMIC,
            };
            c.collider
                .shape()
                .draw(&self.state.collider_pose(h.index()), shade, sink);
        }
    }

    fn draw_contacts(&self, sink: &mut dyn DrawSink) {
        let h = self.state.h.max(f64::MIN_POSITIVE);
        for contact in self.state.all_contacts() {
            let body = self.state.body(contact.bodies[0]);
            for p in contact.views() {
                let at = body.com + p.arm[0];
                sink.point(at, color::CONTACT);
                sink.line(
                    at,
                    at + p.axes[0] * (METRES_PER_NEWTON * p.impulse[0] / h),
                    color::CONTACT,
                );
            }
        }
    }
}
