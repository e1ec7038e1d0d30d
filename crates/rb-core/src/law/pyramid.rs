//! Four-edged friction pyramid K = {|t₁| + |t₂| ≤ μ n}: the box cone of slope μ/√2, turned by 45°.

use super::boxed;
use core::f64::consts::FRAC_1_SQRT_2;
use glam::{DVec2, DVec3};

/// The reflection that maps the diamond onto a square; its own inverse.
fn turn(t: DVec2) -> DVec2 {
    DVec2::new(t.x + t.y, t.x - t.y) * FRAC_1_SQRT_2
}

/// Nearest point of the diamond |t₁| + |t₂| ≤ r.
pub(super) fn project_tangent(t: DVec2, r: f64) -> DVec2 {
    turn(boxed::project_tangent(turn(t), r * FRAC_1_SQRT_2))
}

/// Nearest point of the cone over the diamond.
pub(super) fn project(p: DVec3, mu: f64) -> DVec3 {
    let t = turn(DVec2::new(p.y, p.z));
    let q = boxed::project(DVec3::new(p.x, t.x, t.y), mu * FRAC_1_SQRT_2);
    let t = turn(DVec2::new(q.y, q.z));
    DVec3::new(q.x, t.x, t.y)
}
