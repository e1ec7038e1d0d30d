//! Coulomb's cone K = {‖t‖ ≤ μ n}: a second-order cone of slope μ.

use glam::{DVec2, DVec3};

/// Nearest point of the disc of radius `r`.
pub(super) fn project_tangent(t: DVec2, r: f64) -> DVec2 {
    let len = t.length();
    if len <= r { t } else { t * (r / len) }
}

/// Nearest point of the cone: inside, on the mantle, or the apex.
pub(super) fn project(p: DVec3, mu: f64) -> DVec3 {
    let t = DVec2::new(p.y, p.z);
    let len = t.length();
    // Without friction the slope is 0 on both sides of the apex: the sign of n decides.
    if p.x >= 0.0 && len <= mu * p.x {
        p
    } else if mu * len <= -p.x {
        DVec3::ZERO
    } else {
        let n = (p.x + mu * len) / (1.0 + mu * mu);
        let t = t * (mu * n / len);
        DVec3::new(n, t.x, t.y)
    }
}
