//! Newton's cradle: balls on rods that touch one another and bounce without loss.

use super::{Demo, put};
use crate::error::SceneError;
use rb_world::prelude::*;

pub(super) const DEMO: Demo = Demo {
    name: "newton_cradle",
    size: 5,
    steps: 600,
    about: "balls on rods, the first raised by 30 degrees; size: balls; returns them in order",
    fill,
};

const RADIUS: f64 = 0.25;
/// From the pivot to the middle of the ball (m).
const ROD: f64 = 2.0;
/// Gap between balls (m), so that they meet one after the other.
const GAP: f64 = 1e-3;

fn fill(world: &mut World, count: usize) -> Result<Vec<BodyHandle>, SceneError> {
    let frame = world.add_body(BodyDesc::fixed().named("frame"))?;
    let ball = ColliderDesc::new(Shape::ball(RADIUS)?)
        .friction(0.0)
        .restitution(1.0);
    let mut balls = Vec::with_capacity(count);
    for i in 0..count {
        let pivot = DVec3::new(i as f64 * (2.0 * RADIUS + GAP), 2.5, 0.0);
        let raised = if i == 0 { -30f64.to_radians() } else { 0.0 };
        let (sin, cos) = libm::sincos(raised);
        let at = pivot + DVec3::new(sin, -cos, 0.0) * ROD;
        let body = put(world, BodyDesc::dynamic().at(at).no_sleep(), ball.clone())?;
        let poses = [world.pose(frame)?, world.pose(body)?];
        world.add_joint(
            frame,
            body,
            Hinge::at_world(&poses[0], &poses[1], pivot, DVec3::Z)?,
        )?;
        balls.push(body);
    }
    Ok(balls)
}
