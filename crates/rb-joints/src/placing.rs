//! Joint frames from world data: the same point and axis seen from both bodies.
//!
//! Frames     body poses map body → world; the results are local to each body frame
//! Errors     an axis shorter than 1e-9 or not finite

use glam::{DMat3, DQuat, DVec3};
use rb_core::math::{Pose, exp_rotation, tangents};
use rb_core::{Result, error::check};

/// The world frame `world` as a local frame of each body.
pub fn frames_at(pose_a: &Pose, pose_b: &Pose, world: &Pose) -> [Pose; 2] {
    [pose_a.relative(world), pose_b.relative(world)]
}

/// World frame at `point` (m) whose z is `axis`; x and y as in [`tangents`].
///
/// # Errors
/// `Degenerate` or `NotFinite` for `axis`.
pub fn frame_along(point: DVec3, axis: DVec3) -> Result<Pose> {
    let z = check::direction("axis", axis)?;
    let [x, y] = tangents(z);
    Ok(Pose::new(
        point,
        DQuat::from_mat3(&DMat3::from_cols(x, y, z)).normalize(),
    ))
}

/// World frame at `point` (m) whose x is `first` and whose y is `second` made orthogonal to it.
///
/// # Errors
/// `Degenerate` or `NotFinite` for `axis_a`, `axis_b`, or for `axis_b` parallel to `axis_a`.
pub fn frame_across(point: DVec3, first: DVec3, second: DVec3) -> Result<Pose> {
    let x = check::direction("axis_a", first)?;
    let y = check::direction("axis_b", second)?;
    let y = check::direction("axis_b", y - x * x.dot(y))?;
    Ok(Pose::new(
        point,
        DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize(),
    ))
}

/// Local frames with unit rotations, so that rounding in the input does not scale rows.
pub(crate) fn normalized(a: Pose, b: Pose) -> [Pose; 2] {
    [a, b].map(|frame| Pose::new(frame.p, frame.q.normalize()))
}

/// Translation, then a swing by the rotation vector (σ_x, σ_y, 0) after a twist τ about z; values by
/// [`Axis::index`](crate::Axis::index).
pub(crate) fn swung(values: &[f64; 6]) -> Pose {
    let swing = exp_rotation(DVec3::new(values[3], values[4], 0.0));
    Pose::new(
        DVec3::new(values[0], values[1], values[2]),
        swing * exp_rotation(DVec3::Z * values[5]),
    )
}

/// Translation, then turns about x of a and y of b: the crossed axes of universal joint and wheel.
pub(crate) fn crossed(values: &[f64; 6]) -> Pose {
    let first = exp_rotation(DVec3::X * values[3]);
    Pose::new(
        DVec3::new(values[0], values[1], values[2]),
        first * exp_rotation(DVec3::Y * values[4]),
    )
}
