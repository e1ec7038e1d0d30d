//! Position of b's anchor in a's joint frame, and the distance between the anchors.
//!
//! Equation   cᵢ = eᵢ · (p_b − p_a), eᵢ an axis of a's joint frame (turns with a)
//! Jacobian   ċᵢ = eᵢ·(v_b + ω_b × r_b) − eᵢ·(v_a + ω_a × (p_a − x_a)) + (ω_a × eᵢ)·(p_b − p_a)
//!               = [−eᵢ, −(p_b − x_a) × eᵢ | eᵢ, (p_b − x_b) × eᵢ] · (v_a, ω_a, v_b, ω_b)
//!            The turning of eᵢ moves the arm of a from its own anchor to p_b: the row is the exact
//!            derivative at any state and both impulses act on one line through p_b, so that
//!            angular momentum is kept however far the anchors are apart.
//! Distance   ℓ = |p_b − p_a|, the same row with e = (p_b − p_a)/ℓ
//! Units      m; forces N
//! Singular   ℓ = 0 has no direction: a's z is used
//! Source     own derivation; E. J. Haug, "Computer Aided Kinematics and Dynamics of Mechanical
//!            Systems", 1989, §9.2 states the same function with p_b − x_a written out

use super::Frames;
use crate::axis::Axis;
use crate::joint::{Coordinate, Rows};
use glam::{DMat3, DVec3};
use rb_core::row::Course;

/// The three directions of a joint frame, in its own coordinates.
pub const UNITS: [DVec3; 3] = [DVec3::X, DVec3::Y, DVec3::Z];

impl Frames {
    /// Position of b's anchor along an axis of a's joint frame (m). `axis` must be a translation.
    #[inline]
    pub fn along(&self, axis: Axis) -> Coordinate {
        debug_assert!(!axis.is_angular());
        self.anchored(axis, self.a.q * UNITS[axis.index()])
    }

    /// Position of b's anchor along x, y and z of a's joint frame (m).
    #[inline]
    pub fn point(&self) -> [Coordinate; 3] {
        let axes = DMat3::from_quat(self.a.q);
        [
            self.anchored(Axis::LinX, axes.x_axis),
            self.anchored(Axis::LinY, axes.y_axis),
            self.anchored(Axis::LinZ, axes.z_axis),
        ]
    }

    /// Appends the rows that keep both anchors together, unless these are only asked what else holds.
    #[inline]
    pub fn hold_point(&self, out: &mut Rows) {
        if self.loose {
            return;
        }
        let axes = DMat3::from_quat(self.a.q);
        out.push(self.anchored(Axis::LinX, axes.x_axis).lock());
        out.push(self.anchored(Axis::LinY, axes.y_axis).lock());
        out.push(self.anchored(Axis::LinZ, axes.z_axis).lock());
    }

    /// Position of b's anchor along the direction `e` that turns with a.
    #[inline]
    fn anchored(&self, axis: Axis, e: DVec3) -> Coordinate {
        Coordinate {
            course: Course::Anchored,
            ..self.force(axis, e.dot(self.apart), e)
        }
    }

    /// Distance between the anchors (m), as `LinZ`.
    pub fn distance(&self) -> Coordinate {
        let d = self.apart;
        let length = d.length();
        let e = if length > 1e-12 {
            d / length
        } else {
            self.a.q * DVec3::Z
        };
        self.force(Axis::LinZ, length, e)
    }
}
