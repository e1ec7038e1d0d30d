//! A joint of one's own: a bead on a circular wire, from nothing but its two constraint rows.

use rb_examples::Run;
use rb_world::core::row::Row;
use rb_world::joint::{Coordinates, Custom, JointCx, JointMemory, Role, Rows, Slot};
use rb_world::prelude::*;
use std::sync::Arc;

/// Body b's anchor stays on a circle in the x-y plane of the frame on a.
#[derive(Debug)]
struct Ring {
    frames: [Pose; 2],
    /// Radius (m).
    radius: f64,
}

impl Joint for Ring {
    fn frames(&self) -> &[Pose; 2] {
        &self.frames
    }

    fn constraints(&self, cx: &JointCx, _memory: &JointMemory, out: &mut Rows) {
        let (ring, bead) = (cx.a.pose * self.frames[0], cx.b.pose * self.frames[1]);
        let offset = bead.p - ring.p;
        let (normal, outward) = (ring.q * DVec3::Z, offset.normalize());
        // A unit force along `axis` through the bead, on b and back on a.
        let along = |axis: DVec3| {
            let arm = |com: DVec3| (bead.p - com).cross(axis);
            [
                Twist::new(-axis, -arm(cx.a.com)),
                Twist::new(axis, arm(cx.b.com)),
            ]
        };
        let lock = |axis| Slot::new(axis, Role::Lock).id();
        out.push(Row::bilateral(
            along(normal),
            normal.dot(offset),
            lock(Axis::LinZ),
        ));
        let stretch = offset.length() - self.radius;
        out.push(Row::bilateral(along(outward), stretch, lock(Axis::LinX)));
    }

    fn coordinates(&self, _cx: &JointCx, _memory: &JointMemory) -> Coordinates {
        Coordinates::new()
    }
}

fn main() -> anyhow::Result<()> {
    let run = Run::from_args("A bead on a wire", 300);
    let mut world = World::new(Params::robotics())?;
    let center = Pose::from_translation(DVec3::new(0.0, 2.0, 0.0));
    let frame = world.add_body(BodyDesc::fixed().pose(center).named("wire"))?;
    let bead = world.add_body(BodyDesc::dynamic().at([1.0, 2.0, 0.0]).named("bead"))?;
    world.add_collider(bead, ColliderDesc::new(Shape::ball(0.1)?))?;
    let ring = Ring {
        frames: [Pose::IDENTITY; 2],
        radius: 1.0,
    };
    let joint = world.add_joint(frame, bead, Custom::new("ring", Arc::new(ring)))?;

    let mut fastest = 0.0f64;
    run.play_with(&mut world, |world, _| {
        fastest = fastest.max(world.velocity(bead)?.lin.length());
        Ok(())
    })?;

    let free = (2.0 * 9.81f64).sqrt();
    println!("at the bottom it moved at {fastest:.3} m/s, a free fall gives {free:.3}");
    let pull = world.reaction(joint)?.force.length();
    println!("the wire now pulls with {pull:.2} N");
    run.expect(
        (fastest - free).abs() < 0.02,
        "the bead to reach the speed of a free fall",
    )
}
