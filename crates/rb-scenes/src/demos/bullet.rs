//! Balls fly at a thin wall, so fast that each step takes them across it many times over.

use super::{Demo, put, put_ground};
use crate::error::SceneError;
use rb_world::prelude::*;

pub(super) const DEMO: Demo = Demo {
    name: "bullet",
    size: 300,
    steps: 120,
    about: "a 5 cm ball meets a fixed wall and a standing plate of 2 cm; size: speed (m/s); returns \
            the two balls, then the plate",
    fill,
};

/// Half extents of wall and plate (m).
const WALL: DVec3 = DVec3::new(0.01, 1.0, 1.0);

fn fill(world: &mut World, speed: usize) -> Result<Vec<BodyHandle>, SceneError> {
    put_ground(world)?;
    let panel = ColliderDesc::new(Shape::cuboid(WALL)?);
    put(
        world,
        BodyDesc::fixed().at([0.0, WALL.y, -2.0]).named("wall"),
        panel.clone(),
    )?;
    let plate = put(
        world,
        BodyDesc::dynamic().at([0.0, WALL.y, 2.0]).named("plate"),
        panel,
    )?;
    let ball = ColliderDesc::new(Shape::ball(0.05)?);
    let mut shoot = |z: f64| {
        let body = BodyDesc::dynamic()
            .at([-10.0, 1.0, z])
            .velocity([speed as f64, 0.0, 0.0]);
        put(world, body.bullet().named("bullet"), ball.clone())
    };
    Ok(vec![shoot(-2.0)?, shoot(2.0)?, plate])
}
