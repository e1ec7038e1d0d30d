//! Algebra of the second-order cone in three dimensions: x = (x₁, x_t) with x₁ ≥ ‖x_t‖.
//!
//! The product x ∘ y = (x·y, x₁ y_t + y₁ x_t) has unit e = (1, 0, 0); x ∘ y = 0 with both in the cone
//! is complementarity. Source: F. Alizadeh, D. Goldfarb, "Second-order cone programming", 2003.

use glam::{DVec2, DVec3};

/// The two tangential components.
#[inline]
pub(super) fn tail(x: DVec3) -> DVec2 {
    DVec2::new(x.y, x.z)
}

/// (x₁, x_t).
#[inline]
pub(super) fn join(head: f64, tail: DVec2) -> DVec3 {
    DVec3::new(head, tail.x, tail.y)
}

/// x ∘ y.
#[inline]
pub(super) fn product(x: DVec3, y: DVec3) -> DVec3 {
    join(x.dot(y), tail(y) * x.x + tail(x) * y.x)
}

/// The smaller and the larger eigenvalue, x₁ ∓ ‖x_t‖.
#[inline]
pub(super) fn eigenvalues(x: DVec3) -> (f64, f64) {
    let t = tail(x).length();
    (x.x - t, x.x + t)
}

/// Largest α ≤ 1 with x + α d ≥ 0, for x > 0.
pub(super) fn step_to_zero(x: f64, d: f64) -> f64 {
    if d < 0.0 { (-x / d).min(1.0) } else { 1.0 }
}

/// Largest α ≤ 1 with x + α d in the cone, for x inside it: the first root of
/// (d₁² − ‖d_t‖²) α² + 2 (x₁ d₁ − x_t·d_t) α + (x₁² − ‖x_t‖²), or of x₁ + α d₁.
pub(super) fn step_to_boundary(x: DVec3, d: DVec3) -> f64 {
    let (xl, xh) = eigenvalues(x);
    let (dl, dh) = eigenvalues(d);
    let (a, b, c) = (
        dl * dh,
        x.x * d.x - tail(x).dot(tail(d)),
        (xl * xh).max(0.0),
    );
    let head = step_to_zero(x.x, d.x);
    let discriminant = b * b - a * c;
    if discriminant < 0.0 {
        return head;
    }
    // The two roots without cancellation: q/a and c/q.
    let q = -(b + discriminant.sqrt().copysign(b));
    [q / a, c / q]
        .into_iter()
        .filter(|root| *root > 0.0)
        .fold(head, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn steps_end_on_the_boundary(
            t in prop::array::uniform2(-1.0..1.0f64),
            d in prop::array::uniform3(-5.0..5.0f64),
        ) {
            let (x, d) = (join(1.5, DVec2::from(t)), DVec3::from(d));
            let alpha = step_to_boundary(x, d);
            let (low, _) = eigenvalues(x + d * alpha);
            prop_assert!(low > -1e-12);
            prop_assert!(alpha == 1.0 || low.abs() < 1e-12, "{alpha} {low}");
        }
    }
}
