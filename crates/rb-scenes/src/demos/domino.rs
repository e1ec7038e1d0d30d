//! A row of dominoes; the first is pushed and each knocks over the next.

use super::{Demo, put, put_ground};
use crate::error::SceneError;
use rb_world::prelude::*;

pub(super) const DEMO: Demo = Demo {
    name: "domino",
    size: 40,
    steps: 480,
    about: "a row of dominoes, the first falling; size: dominoes; returns them in order",
    fill,
};

/// Half extents (m): thickness along the row, height, width.
const HALF: DVec3 = DVec3::new(0.05, 0.5, 0.25);
/// Distance of neighbours (m).
const PITCH: f64 = 0.45;
/// Angular velocity (rad/s) of the first about its lower edge: enough to tip it over.
const PUSH: f64 = 1.5;

fn fill(world: &mut World, count: usize) -> Result<Vec<BodyHandle>, SceneError> {
    put_ground(world)?;
    let stone = Shape::cuboid(HALF)?;
    let mut row = Vec::with_capacity(count);
    for i in 0..count {
        let mut body = BodyDesc::dynamic().at([i as f64 * PITCH, HALF.y, 0.0]);
        if i == 0 {
            let spin = DVec3::new(0.0, 0.0, -PUSH);
            let arm = DVec3::new(-HALF.x, HALF.y, 0.0);
            body = body.spin(spin).velocity(spin.cross(arm));
        }
        row.push(put(
            world,
            body,
            ColliderDesc::new(stone.clone()).friction(0.4),
        )?);
    }
    Ok(row)
}
