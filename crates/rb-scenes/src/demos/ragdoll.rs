//! One ragdoll of the `ragdolls` scene falls on a staircase.

use super::{Demo, put, put_ground};
use crate::desc::SceneDesc;
use crate::error::SceneError;
use crate::scenes::add_ragdoll;
use rb_world::prelude::*;

pub(super) const DEMO: Demo = Demo {
    name: "ragdoll",
    size: 6,
    steps: 480,
    about: "a ragdoll falls down a staircase; size: stairs; returns its parts, pelvis first",
    fill,
};

/// Speed with which it is pushed down the stairs (m/s).
const PUSH: f64 = 2.0;

fn fill(world: &mut World, stairs: usize) -> Result<Vec<BodyHandle>, SceneError> {
    put_ground(world)?;
    let step = Shape::cuboid(DVec3::new(0.4, 0.15, 2.0))?;
    for i in 0..stairs {
        let at = DVec3::new(-0.8 * i as f64, 0.15 + 0.3 * i as f64, 0.0);
        put(
            world,
            BodyDesc::fixed().at(at),
            ColliderDesc::new(step.clone()).friction(0.6),
        )?;
    }
    let top = Vec3::new(1.1 - 0.8 * stairs as f32, 0.3 * stairs as f32 + 0.6, 0.0);
    let mut desc = SceneDesc::empty(DEMO.name, 1, DEMO.steps);
    add_ragdoll(&mut desc, 0, top, Quat::IDENTITY);
    let parts = desc.add_to(world)?;
    for part in &parts {
        world.set_velocity(*part, [PUSH, 0.0, 0.0], DVec3::ZERO)?;
    }
    Ok(parts)
}
