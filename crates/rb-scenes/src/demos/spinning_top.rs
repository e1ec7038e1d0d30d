//! A heavy top: a cone spinning fast on a pivot under its tip precesses instead of falling.
//!
//! It stays up while I₃² ω₃² > 4 m g l I₁ (I₁ about the tip); a fast top precesses slowly and
//! steadily at Ω = m g l / (I₃ ω₃). Source: H. Goldstein, "Classical Mechanics", 1980, §5.7.

use super::{Demo, put, put_ground};
use crate::error::SceneError;
use rb_world::prelude::*;

pub(super) const DEMO: Demo = Demo {
    name: "spinning_top",
    size: 100,
    steps: 480,
    about: "a top on a pivot, leaning by 20 degrees; size: its spin (rad/s); returns it",
    fill,
};

/// Half height and radius of the cone (m).
const CONE: [f64; 2] = [0.15, 0.3];

fn fill(world: &mut World, spin: usize) -> Result<Vec<BodyHandle>, SceneError> {
    let ground = put_ground(world)?;
    // Apex down, then leaning towards +x.
    let (sin, cos) = libm::sincos(0.5 * 20f64.to_radians());
    let down = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    let turn = DQuat::from_xyzw(0.0, 0.0, -sin, cos) * down;
    let axis = turn * DVec3::NEG_Y;
    let body = BodyDesc::dynamic()
        .at(axis * CONE[0])
        .rotated(turn)
        .spin(axis * spin as f64)
        .no_sleep()
        .named("top");
    let cone = ColliderDesc::new(Shape::cone(CONE[0], CONE[1])?);
    let top = put(world, body, cone)?;
    let pivot = Ball::at_world(&world.pose(ground)?, &world.pose(top)?, DVec3::ZERO);
    world.add_joint(ground, top, pivot)?;
    Ok(vec![top])
}
