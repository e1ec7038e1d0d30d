//! A chain of rods on ball joints, released level: energy is all there is to lose.

use super::{Demo, put};
use crate::error::SceneError;
use rb_world::prelude::*;

pub(super) const DEMO: Demo = Demo {
    name: "pendulum_chain",
    size: 10,
    steps: 600,
    about: "rods on ball joints released level; size: rods; returns them from the pivot on",
    fill,
};

/// Length of a rod (m).
const LENGTH: f64 = 0.5;
const RADIUS: f64 = 0.05;
/// Height of the pivot (m).
const HEIGHT: f64 = 6.0;

fn fill(world: &mut World, count: usize) -> Result<Vec<BodyHandle>, SceneError> {
    let pivot = world.add_body(BodyDesc::fixed().at([0.0, HEIGHT, 0.0]).named("pivot"))?;
    let level = DQuat::from_rotation_arc(DVec3::Y, DVec3::X);
    let rod = ColliderDesc::new(Shape::capsule(0.5 * LENGTH - RADIUS, RADIUS)?)
        .groups(CollisionGroups::new(1, 0));
    let mut last = pivot;
    let mut rods = Vec::with_capacity(count);
    for i in 0..count {
        let start = DVec3::new(i as f64 * LENGTH, HEIGHT, 0.0);
        let body = BodyDesc::dynamic()
            .at(start + DVec3::X * (0.5 * LENGTH))
            .rotated(level);
        let body = put(world, body, rod.clone())?;
        world.add_joint(
            last,
            body,
            Ball::at_world(&world.pose(last)?, &world.pose(body)?, start),
        )?;
        rods.push(body);
        last = body;
    }
    Ok(rods)
}
