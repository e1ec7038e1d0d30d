//! The gyroscopic term −ω × Iω, in the principal frame of the body.
//!
//! Implicit: one Newton step of I(ω⁺ − ω) + h ω⁺ × Iω⁺ = τ h, linearised at ω:
//! `(I + h([ω]I − [Iω])) Δω = τ h − h ω × Iω`. Stable, dissipative.
//!
//! Variational, with ψ = hω/2: √(1−ψ⁺²) Iψ⁺ + ψ⁺ × Iψ⁺ = √(1−ψ²) Iψ − ψ × Iψ + (h/2) P, P the angular
//! impulse in body axes; three unknowns by Newton. The discrete momentum
//! (2/h) R (√(1−ψ²) Iψ − ψ × Iψ) at the end of a step is kept to rounding and the energy stays
//! bounded. Needs |ω| h < 2. Source: T. Howell and others, "Dojo", arXiv 2203.00806, 2022.

use crate::mass::PrincipalInertia;
use crate::math::skew;
use crate::params::Gyroscopic;
use glam::{DMat3, DQuat, DVec3};

/// Angular velocity (rad/s, world) after a step with angular impulse `p` (N·m·s, world). `None` if
/// the variational equation has no solution: the body spins by more than 2 rad per step.
pub(super) fn step(
    kind: Gyroscopic,
    inertia: &PrincipalInertia,
    q: DQuat,
    w: DVec3,
    p: DVec3,
    h: f64,
) -> Option<DVec3> {
    let to_world = q * inertia.axes;
    // A product with a quaternion scales by its squared length; dividing that out keeps the rounding
    // of |q| from adding up to a drift of the energy.
    let scale = 1.0 / to_world.length_squared();
    let rotate = |q: DQuat, v: DVec3| q * v * scale;
    let to_body = to_world.conjugate();
    let (w, i) = (rotate(to_body, w), inertia.moments);
    // Mostly there is no torque.
    let p = match p == DVec3::ZERO {
        true => p,
        false => rotate(to_body, p),
    };
    let next = match kind {
        Gyroscopic::Implicit => implicit(i, w, p, h),
        Gyroscopic::Variational => variational(i, w, p, h)?,
    };
    Some(rotate(to_world, next))
}

fn implicit(i: DVec3, w: DVec3, p: DVec3, h: f64) -> DVec3 {
    // Columns of I + h([ω]I − [Iω]), and Cramer's rule: this runs for every body in every substep.
    let (apart, hw) = (i - DVec3::new(i.y, i.z, i.x), w * h);
    let x = DVec3::new(i.x, -apart.z * hw.z, -apart.x * hw.y);
    let y = DVec3::new(-apart.y * hw.z, i.y, -apart.x * hw.x);
    let z = DVec3::new(-apart.y * hw.y, -apart.z * hw.x, i.z);
    let rhs = p - hw.cross(i * w);
    let (yz, zx, xy) = (y.cross(z), z.cross(x), x.cross(y));
    w + DVec3::new(rhs.dot(yz), rhs.dot(zx), rhs.dot(xy)) / x.dot(yz)
}

fn variational(i: DVec3, w: DVec3, p: DVec3, h: f64) -> Option<DVec3> {
    let psi = w * (0.5 * h);
    let iphi = i * psi;
    let cos = |psi: DVec3| (1.0 - psi.length_squared()).max(0.0).sqrt();
    let rhs = iphi * cos(psi) - psi.cross(iphi) + p * (0.5 * h);
    let inertia = DMat3::from_diagonal(i);
    let mut x = psi + p * (0.5 * h) / i;
    let mut before = f64::INFINITY;
    for _newton in 0..30 {
        if x.length_squared() >= 1.0 {
            return None;
        }
        let (c, ix) = (cos(x), i * x);
        let f = ix * c + x.cross(ix) - rhs;
        // Quadratic convergence ends at rounding level: stop when a step no longer helps.
        let size = f.length();
        if size == 0.0 || (size >= before && size <= 1e-12 * rhs.length()) {
            return Some(x * (2.0 / h));
        }
        before = size;
        let outer = DMat3::from_cols(ix * x.x, ix * x.y, ix * x.z);
        let jac = inertia * c - outer * (1.0 / c) + skew(x) * inertia - skew(ix);
        x -= jac.inverse() * f;
    }
    (before <= 1e-9 * rhs.length()).then(|| x * (2.0 / h))
}

/// Attitude after `h` at angular velocity `w` (world): q⁺ = q ∘ (√(1−ψ²), ψ).
pub(super) fn variational_turn(q: DQuat, w: DVec3, h: f64) -> DQuat {
    let psi = w * (0.5 * h);
    let s = psi.length_squared();
    if s >= 1.0 {
        return crate::math::turn(q, w, h);
    }
    (DQuat::from_xyzw(psi.x, psi.y, psi.z, (1.0 - s).sqrt()) * q).normalize()
}
