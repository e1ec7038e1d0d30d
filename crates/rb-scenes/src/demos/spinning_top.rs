//! A top: a cone on its tip, spinning fast, precesses instead of falling.
//!
//! For a fast top the precession is slow and steady: Ω = m g l / (I₃ ω₃).

use super::{Demo, put, put_ground};
use crate::error::SceneError;
use rb_world::prelude::*;

pub(super) const DEMO: Demo = Demo {
    name: "spinning_top",
    size: 60,
    steps: 600,
    about: "a top leaning by 20 degrees; size: its spin (rad/s); returns it",
    fill,
};

/// Half height and radius of the cone (m).
const CONE: [f64; 2] = [0.3, 0.3];

fn fill(world: &mut World, spin: usize) -> Result<Vec<BodyHandle>, SceneError> {
    put_ground(world)?;
    // Apex down, then leaning towards +x.
    let lean = 20f64.to_radians();
    let (sin, cos) = libm::sincos(0.5 * lean);
    let down = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    let turn = DQuat::from_xyzw(0.0, 0.0, -sin, cos) * down;
    let axis = turn * DVec3::NEG_Y;
    let body = BodyDesc::dynamic()
        .at(axis * CONE[0])
        .rotated(turn)
        .spin(axis * spin as f64)
        .no_sleep()
        .named("top");
    let cone = Shape::cone(CONE[0], CONE[1])?;
    Ok(vec![put(
        world,
        body,
        ColliderDesc::new(cone).friction(0.8),
    )?])
}
