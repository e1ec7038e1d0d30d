//! Boxes ride on a belt whose surface moves while its body stands still.

use super::{Demo, put, put_ground};
use crate::error::SceneError;
use rb_world::prelude::*;

pub(super) const DEMO: Demo = Demo {
    name: "conveyor",
    size: 6,
    steps: 480,
    about: "boxes on a belt of 1.5 m/s; size: boxes; returns them",
    fill,
};

/// Speed of the belt (m/s).
const SPEED: f64 = 1.5;
/// Half extents of the belt (m).
const BELT: DVec3 = DVec3::new(6.0, 0.1, 0.8);
/// Height of its surface (m).
const HEIGHT: f64 = 1.0;

fn fill(world: &mut World, count: usize) -> Result<Vec<BodyHandle>, SceneError> {
    put_ground(world)?;
    let belt = ColliderDesc::new(Shape::cuboid(BELT)?)
        .friction(0.6)
        .surface_velocity(DVec3::X * SPEED);
    put(
        world,
        BodyDesc::fixed()
            .at([0.0, HEIGHT - BELT.y, 0.0])
            .named("belt"),
        belt,
    )?;
    let parcel = ColliderDesc::new(Shape::cuboid(DVec3::new(0.25, 0.2, 0.3))?).friction(0.6);
    let drop = |i: usize| {
        let at = DVec3::new(0.8 * i as f64 - 0.9 * BELT.x, HEIGHT + 0.3, 0.0);
        Ok(put(world, BodyDesc::dynamic().at(at), parcel.clone())?)
    };
    (0..count).map(drop).collect()
}
