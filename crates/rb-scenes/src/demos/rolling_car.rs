//! A car: a box on four hinged wheels, driven by motors, over a bumpy floor.

use super::{Demo, put, put_ground};
use crate::error::SceneError;
use rb_world::prelude::*;

pub(super) const DEMO: Demo = Demo {
    name: "rolling_car",
    size: 8,
    steps: 600,
    about: "a car with four driven wheels; size: bumps in its way; returns chassis, then wheels",
    fill,
};

/// Half extents of the chassis (m).
const CHASSIS: DVec3 = DVec3::new(1.1, 0.25, 0.5);
/// Radius and half width of a wheel (m).
const WHEEL: [f64; 2] = [0.4, 0.12];
/// Height of the axles (m).
const AXLE: f64 = WHEEL[0];
/// Speed (rad/s) and torque (N·m) of each motor; a positive turn about z rolls towards −x.
const MOTOR: [f64; 2] = [-8.0, 120.0];

fn fill(world: &mut World, bumps: usize) -> Result<Vec<BodyHandle>, SceneError> {
    put_ground(world)?;
    let lying = DQuat::from_rotation_arc(DVec3::Y, DVec3::Z);
    for i in 0..bumps {
        let bump = Shape::capsule(2.0, 0.12)?;
        let body = BodyDesc::fixed()
            .at([4.0 + 1.7 * i as f64, -0.04, 0.0])
            .rotated(lying);
        put(world, body, ColliderDesc::new(bump).friction(0.9))?;
    }

    let body = BodyDesc::dynamic()
        .at([0.0, AXLE + 0.25, 0.0])
        .named("chassis");
    let chassis = put(
        world,
        body,
        ColliderDesc::new(Shape::cuboid(CHASSIS)?).density(250.0),
    )?;
    let tyre = ColliderDesc::new(Shape::cylinder(WHEEL[1], WHEEL[0])?)
        .density(300.0)
        .friction(1.2);
    let mut car = vec![chassis];
    for (x, z) in [(0.8, 0.7), (0.8, -0.7), (-0.8, 0.7), (-0.8, -0.7)] {
        let hub = DVec3::new(x, AXLE, z);
        let body = BodyDesc::dynamic().at(hub).rotated(lying).named("wheel");
        let wheel = put(world, body, tyre.clone())?;
        let poses = [world.pose(chassis)?, world.pose(wheel)?];
        let axle = Hinge::at_world(&poses[0], &poses[1], hub, DVec3::Z)?
            .motor(Motor::velocity(MOTOR[0]).max(MOTOR[1]));
        world.add_joint(chassis, wheel, axle)?;
        car.push(wheel);
    }
    Ok(car)
}
