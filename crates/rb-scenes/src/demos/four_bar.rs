//! A four-bar linkage: a motor turns the crank and the closed loop makes the rocker swing.
//!
//! Four parallel hinges in a plane are one hinge too many in space: the loop is redundant, and must
//! work all the same. The crank is the shortest bar and shortest + longest < the other two, so it
//! can turn round and round (Grashof's condition).

use super::{Demo, put};
use crate::error::SceneError;
use rb_world::prelude::*;

pub(super) const DEMO: Demo = Demo {
    name: "four_bar",
    size: 1,
    steps: 480,
    about: "a crank turned by a motor drives a rocker; size: crank speed (rad/s); returns crank, \
            coupler, rocker",
    fill,
};

/// Corners of the loop (m): ground, crank to coupler, coupler to rocker, ground.
const CORNERS: [DVec3; 4] = [
    DVec3::new(0.0, 2.0, 0.0),
    DVec3::new(0.0, 2.5, 0.0),
    DVec3::new(2.0, 3.3, 0.0),
    DVec3::new(2.0, 2.0, 0.0),
];
/// Largest torque of the motor (N·m).
const TORQUE: f64 = 2_000.0;

fn fill(world: &mut World, speed: usize) -> Result<Vec<BodyHandle>, SceneError> {
    let ground = world.add_body(BodyDesc::fixed().named("frame"))?;
    let mut bars = Vec::new();
    for (i, name) in ["crank", "coupler", "rocker"].into_iter().enumerate() {
        bars.push(bar(
            world,
            name,
            [CORNERS[i], CORNERS[i + 1]],
            0.12 * i as f64,
        )?);
    }
    let chain = [ground, bars[0], bars[1], bars[2], ground];
    for (i, corner) in CORNERS.into_iter().enumerate() {
        let (a, b) = (chain[i], chain[i + 1]);
        let mut hinge = Hinge::at_world(&world.pose(a)?, &world.pose(b)?, corner, DVec3::Z)?;
        if i == 0 {
            hinge = hinge.motor(Motor::velocity(speed as f64).max(TORQUE));
        }
        world.add_joint(a, b, hinge)?;
    }
    Ok(bars)
}

/// A bar between two points, drawn `depth` (m) behind the plane of the linkage.
fn bar(
    world: &mut World,
    name: &str,
    [from, to]: [DVec3; 2],
    depth: f64,
) -> rb_world::core::Result<BodyHandle> {
    let along = to - from;
    let body = BodyDesc::dynamic()
        .at(0.5 * (from + to))
        .rotated(DQuat::from_rotation_arc(DVec3::X, along.normalize()))
        .named(name);
    let shape = Shape::cuboid(DVec3::new(0.5 * along.length(), 0.06, 0.05))?;
    let place = DVec3::new(0.0, 0.0, -depth);
    let apart = CollisionGroups::new(1, 0);
    put(
        world,
        body,
        ColliderDesc::new(shape).translation(place).groups(apart),
    )
}
