//! A box falls on its corner and comes to rest.

use super::{Demo, put, put_ground};
use crate::error::SceneError;
use rb_world::prelude::*;

pub(super) const DEMO: Demo = Demo {
    name: "falling_box",
    size: 1,
    steps: 240,
    about: "a 1 m box dropped on its corner; size: boxes in a row; returns the boxes",
    fill,
};

fn fill(world: &mut World, count: usize) -> Result<Vec<BodyHandle>, SceneError> {
    put_ground(world)?;
    let tilt = DQuat::from_xyzw(0.3, 0.1, 0.2, 1.0).normalize();
    let drop = |i: usize| {
        let body = BodyDesc::dynamic()
            .at([2.0 * i as f64, 3.0, 0.0])
            .rotated(tilt);
        Ok(put(
            world,
            body,
            ColliderDesc::new(Shape::cuboid(DVec3::splat(0.5))?),
        )?)
    };
    (0..count).map(drop).collect()
}
