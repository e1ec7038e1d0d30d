//! Geometric stiffness: a pulled lever resists being turned.
//!
//! A force P/h held at the arm r = R r₀ exerts the torque r × P/h, which turns with the body. Taking it
//! at the end of the step adds to the inertia
//!
//! ```text
//! I + h S,   S = Σ (r·P) 1 − sym(r Pᵀ)          since (ω × r) × P = −S ω up to the skew part
//! ```
//!
//! Taken at the start, a step is stable only while h² S/h < 4 I or so: light links under a heavy bob
//! are not. Only what exceeds a part of the inertia is added, so that bodies that are stable without it
//! move as before, and only where it stiffens. Sources: M. Tournier, M. Nesme, B. Gilles, F. Faure,
//! "Stable constrained dynamics", 2015; S. Andrews, M. Teichmann, P. Kry, "Geometric stiffness for
//! real-time constrained multibody dynamics", 2017.

use super::Mover;
use crate::mass::PrincipalInertia;
use crate::math::Twist;
use glam::{DMat3, DVec3};

/// Part of the inertia up to which the stiffness may stay explicit. Below, the implicit treatment only
/// damps: with a quarter, a swinging chain lost 4 % of its energy in ten seconds; with 1, nothing.
pub const EXPLICIT_SHARE: f64 = 1.0;

/// (r·P) 1 − sym(r Pᵀ) of an impulse P (N·s) at an arm r (m): kg·m²/s.
#[inline]
pub fn lever(r: DVec3, p: DVec3) -> DMat3 {
    let outer = DMat3::from_cols(r * p.x, r * p.y, r * p.z);
    DMat3::from_diagonal(DVec3::splat(r.dot(p))) - (outer + outer.transpose()) * 0.5
}

impl Mover {
    /// Takes the stiffness `s` (sum of [`lever`]s, world axes) over the substep `h` (s) into W and
    /// the free velocity, where it is too stiff to be explicit; says whether it was.
    #[inline]
    pub fn stiffen(&mut self, h: f64, s: DMat3, free: &mut Twist) -> bool {
        // Most levers are far from stiff: no need to look at them in principal axes.
        let largest = (0..3).map(|k| s.col(k).length_squared()).sum::<f64>();
        if h * h * largest <= (EXPLICIT_SHARE * self.inertia.moments.min_element()).powi(2) {
            return false;
        }
        if self.inv.is_zero() || !self.locked.is_empty() {
            return false;
        }
        self.stiffen_axes(h, s, free)
    }

    /// The same in principal axes.
    fn stiffen_axes(&mut self, h: f64, s: DMat3, free: &mut Twist) -> bool {
        // In principal axes, relative to the inertia.
        let axes = DMat3::from_quat(self.q * self.inertia.axes);
        let root = self.inertia.moments.map(f64::sqrt);
        let shrink = root.recip();
        let mut relative = axes.transpose() * s * axes;
        for k in 0..3 {
            *relative.col_mut(k) = relative.col(k) * shrink * shrink[k] * h;
        }
        let size = (0..3)
            .map(|k| relative.col(k).length_squared())
            .sum::<f64>();
        if size <= EXPLICIT_SHARE * EXPLICIT_SHARE || !size.is_finite() {
            return false;
        }
        let modes = PrincipalInertia::new(relative);
        let excess = (modes.moments - EXPLICIT_SHARE).max(DVec3::ZERO);
        if excess == DVec3::ZERO {
            return false;
        }
        let turn = DMat3::from_quat(modes.axes);
        let added = turn * DMat3::from_diagonal(excess) * turn.transpose();
        let grow = DMat3::from_diagonal(root);
        let inertia = axes * DMat3::from_diagonal(self.inertia.moments) * axes.transpose();
        let stiffened = inertia + axes * (grow * added * grow) * axes.transpose();
        let inverse = stiffened.inverse();
        self.inv.ang = (inverse + inverse.transpose()) * 0.5;
        free.ang = self.inv.ang * (inertia * free.ang);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::exp_rotation;

    #[test]
    fn the_lever_is_the_derivative_of_the_torque() {
        let (r, p) = (DVec3::new(0.3, -0.7, 0.2), DVec3::new(1.0, 2.0, -0.5));
        for axis in DVec3::AXES {
            let turned = exp_rotation(axis * 1e-6) * r;
            let back = exp_rotation(axis * -1e-6) * r;
            let torque = (turned.cross(p) - back.cross(p)) / 2e-6;
            // The skew part does no work in a turn about the same axis.
            assert!((torque.dot(axis) + axis.dot(lever(r, p) * axis)).abs() < 1e-9);
        }
    }
}
