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
/// Gap between balls (m): wide enough that they meet one after the other, not all in one substep.
const GAP: f64 = 0.01;
/// How far the first ball is raised (rad).
const RAISED: f64 = -std::f64::consts::FRAC_PI_6;

fn fill(world: &mut World, count: usize) -> Result<Vec<BodyHandle>, SceneError> {
    let frame = world.add_body(BodyDesc::fixed().named("frame"))?;
    let ball = ColliderDesc::new(Shape::ball(RADIUS)?)
        .friction(0.0)
        .restitution(1.0);
    let mut balls = Vec::with_capacity(count);
    for i in 0..count {
        let pivot = DVec3::new(i as f64 * (2.0 * RADIUS + GAP), 2.5, 0.0);
        let angle = if i == 0 { RAISED } else { 0.0 };
        let (sin, cos) = libm::sincos(0.5 * angle);
        let turn = DQuat::from_xyzw(0.0, 0.0, sin, cos);
        let at = pivot + turn * (DVec3::NEG_Y * ROD);
        let body = put(
            world,
            BodyDesc::dynamic().at(at).rotated(turn).no_sleep(),
            ball.clone(),
        )?;
        let frames = [pivot, DVec3::Y * ROD].map(Pose::from_translation);
        world.add_joint(frame, body, Hinge::new(frames[0], frames[1]))?;
        balls.push(body);
    }
    Ok(balls)
}
