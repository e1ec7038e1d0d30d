//! Small bodies of every solid shape rain on a scanned bunny in a tray: curved, concave, finely
//! meshed ground, and a pile that leans on it.

use super::{Demo, put, put_ground};
use crate::error::SceneError;
use crate::mesh::bunny;
use crate::random::Random;
use rb_world::core::Result as Edit;
use rb_world::prelude::*;

pub(super) const DEMO: Demo = Demo {
    name: "bunny_pile",
    size: 2000,
    steps: 720,
    about: "bodies of 0.1 to 0.3 m fall on the bunny; size: bodies; returns them",
    fill,
};

/// Distance of neighbours in the falling column (m): none overlap at the start.
const PITCH: f64 = 0.42;
/// Bodies along each side of the column.
const SIDE: usize = 11;
/// Lowest layer (m), above the ears.
const BOTTOM: f64 = 3.3;
/// Half the inner width, height and half thickness (m) of the tray around the bunny.
const TRAY: [f64; 3] = [2.4, 1.0, 0.1];

fn fill(world: &mut World, count: usize) -> Result<Vec<BodyHandle>, SceneError> {
    put_ground(world)?;
    let surface = ColliderDesc::new(bunny()?.shape(DQuat::IDENTITY)?).friction(0.6);
    put(world, BodyDesc::fixed().named("bunny"), surface)?;

    put_tray(world)?;
    let shapes = small_shapes()?;
    let mut random = Random::new(5);
    let mut drop = |i: usize| {
        let middle = 0.5 * (SIDE as f64 - 1.0);
        let place = [i % SIDE, i / SIDE % SIDE].map(|k| (k as f64 - middle) * PITCH);
        let layer = (i / (SIDE * SIDE)) as f64;
        let jitter = 0.03 * f64::from(random.signed());
        let at = DVec3::new(place[0] + jitter, BOTTOM + layer * PITCH, place[1] - jitter);
        let body = BodyDesc::dynamic()
            .at(at)
            .rotated(random.rotation().as_dquat().normalize());
        let shape = shapes[i % shapes.len()].clone();
        put(world, body, ColliderDesc::new(shape).friction(0.6))
    };
    let bodies: Edit<Vec<BodyHandle>> = (0..count).map(&mut drop).collect();
    Ok(bodies?)
}

/// Four walls that keep the bodies together.
fn put_tray(world: &mut World) -> Edit<()> {
    let [inner, height, half] = TRAY;
    let wall = Shape::cuboid(DVec3::new(inner + 2.0 * half, 0.5 * height, half))?;
    for direction in [DVec3::X, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Z] {
        let at = direction * (inner + half) + DVec3::Y * (0.5 * height);
        let turn = DQuat::from_rotation_arc(DVec3::Z, direction);
        let body = BodyDesc::fixed().at(at).rotated(turn).named("wall");
        put(world, body, ColliderDesc::new(wall.clone()).friction(0.6))?;
    }
    Ok(())
}

/// One of every convex solid, and an L of two boxes.
fn small_shapes() -> Edit<Vec<Shape>> {
    let octahedron: Vec<DVec3> = [DVec3::X, DVec3::Y, DVec3::Z]
        .into_iter()
        .flat_map(|axis| [axis * 0.15, axis * -0.15])
        .collect();
    let upright = Shape::cuboid(DVec3::new(0.04, 0.12, 0.05))?;
    let foot = Shape::cuboid(DVec3::new(0.08, 0.04, 0.05))?;
    Ok(vec![
        Shape::ball(0.1)?,
        Shape::cuboid(DVec3::new(0.12, 0.09, 0.15))?,
        Shape::capsule(0.08, 0.07)?,
        Shape::cylinder(0.1, 0.09)?,
        Shape::cone(0.12, 0.11)?,
        Shape::convex_hull(octahedron)?,
        Shape::compound(vec![
            (
                Pose::from_translation(DVec3::new(-0.06, 0.03, 0.0)),
                upright,
            ),
            (Pose::from_translation(DVec3::new(0.06, -0.05, 0.0)), foot),
        ])?,
    ])
}
