//! Boxed friction K = {|t₁| ≤ μ n, |t₂| ≤ μ n}, along two fixed tangents.

use glam::{DVec2, DVec3};

/// Nearest point of the square of half width `r`.
pub(super) fn project_tangent(t: DVec2, r: f64) -> DVec2 {
    let r = r.max(0.0);
    t.clamp(DVec2::splat(-r), DVec2::splat(r))
}

/// Nearest point of the cone over the square.
///
/// For a given n the tangents are clamped, so what is left is the convex piecewise quadratic
/// f(n) = (n − a)² + Σ max(|tᵢ| − μ n, 0)², whose minimiser over n ≥ 0 has 0, 1 or 2 tangents clamped.
pub(super) fn project(p: DVec3, mu: f64) -> DVec3 {
    let t = DVec2::new(p.y, p.z);
    let (big, small) = (t.abs().max_element(), t.abs().min_element());
    let none = p.x;
    let one = (p.x + mu * big) / (1.0 + mu * mu);
    let both = (p.x + mu * (big + small)) / (1.0 + 2.0 * mu * mu);
    let n = if mu * none >= big {
        none
    } else if mu * one >= small {
        one
    } else {
        both
    };
    let n = n.max(0.0);
    let t = project_tangent(t, mu * n);
    DVec3::new(n, t.x, t.y)
}
