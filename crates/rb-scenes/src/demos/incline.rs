//! Blocks slide down an incline across its diagonal, one for each friction law.
//!
//! Coulomb's cone slows a block by the same amount in every direction; a box of two independent
//! tangents allows √2 times as much along its diagonal, and so the same block stops early.

use super::{Demo, put};
use crate::error::SceneError;
use rb_world::prelude::*;

pub(super) const DEMO: Demo = Demo {
    name: "incline",
    size: 20,
    steps: 180,
    about: "blocks kicked across an incline, one for each friction law; size: its angle (degrees); \
            returns the blocks with cone, pyramid and box friction",
    fill,
};

/// Friction coefficient.
const FRICTION: f64 = 0.5;
/// Kick of every block (m/s), within the plane of the incline: down and across.
const KICK: [f64; 2] = [2.0, 2.0];

fn fill(world: &mut World, degrees: usize) -> Result<Vec<BodyHandle>, SceneError> {
    let (sin, cos) = libm::sincos(0.5 * (degrees as f64).to_radians());
    let tilt = DQuat::from_xyzw(0.0, 0.0, -sin, cos);
    let slope = Shape::half_space(DVec3::Y)?;
    let plane = BodyDesc::fixed().rotated(tilt).named("incline");
    put(
        world,
        plane,
        ColliderDesc::new(slope)
            .friction(FRICTION)
            .friction_law(FrictionLaw::None),
    )?;
    let laws = [FrictionLaw::Conic, FrictionLaw::Pyramid, FrictionLaw::Boxed];
    let kick = |(i, law): (usize, FrictionLaw)| {
        let at = tilt * DVec3::new(0.0, 0.15, 3.0 * i as f64);
        let velocity = tilt * DVec3::new(KICK[0], 0.0, KICK[1]);
        let body = BodyDesc::dynamic().at(at).rotated(tilt).velocity(velocity);
        let block = Shape::cuboid(DVec3::new(0.3, 0.15, 0.3))?;
        Ok(put(
            world,
            body,
            ColliderDesc::new(block)
                .friction(FRICTION)
                .friction_law(law),
        )?)
    };
    laws.into_iter().enumerate().map(kick).collect()
}
