//! Two crossing axes, x of a's joint frame and y of b's: the cross piece of a universal joint.
//!
//! Equation   c = x_a · y_b;  crossing error −c (0 when perpendicular);
//!            angle about x_a: α = atan2(y_b · z_a, y_b · y_a);
//!            angle about y_b: β = atan2(x_a · z_b, x_a · x_b);
//!            where c = 0 the relative rotation is R_x(α) R_y(β)
//! Jacobian   with ω = ω_b − ω_a: −ċ = (x_a × y_b) · ω;
//!            α̇ = (x_a − c y_b)/(1 − c²) · ω,  β̇ = (y_b − c x_a)/(1 − c²) · ω (the dual basis)
//! Units      rad (the crossing error is the sine of an angle); torques N·m
//! Memory     whole turns of α and β come from the angles of the last step
//! Singular   parallel axes, c = ±1; 1 − c² is kept above 1e-6
//! Source     E. J. Haug, "Computer Aided Kinematics and Dynamics of Mechanical Systems", 1989,
//!            §9.4 (dot-1 constraint of the universal joint); angles by own calculation

use super::Frames;
use crate::axis::Axis;
use crate::joint::Coordinate;
use crate::memory::JointMemory;
use glam::DVec3;

/// Smallest 1 − c² divided by.
const PARALLEL: f64 = 1e-6;

impl Frames {
    /// Deviation of the two axes from a right angle (sine), as `AngZ`.
    pub fn crossing(&self) -> Coordinate {
        let (x, y) = self.cross_axes();
        self.torque(Axis::AngZ, -x.dot(y), x.cross(y))
    }

    /// Angles about x of a and about y of b including whole turns (rad), as `AngX` and `AngY`.
    pub fn cross_angles(&self, memory: &JointMemory) -> [Coordinate; 2] {
        let (x, y) = self.cross_axes();
        let y_in_a = self.a.q.conjugate() * y;
        let x_in_b = self.b.q.conjugate() * x;
        let alpha = libm::atan2(y_in_a.z, y_in_a.y);
        let beta = libm::atan2(x_in_b.z, x_in_b.x);
        let c = x.dot(y);
        let scale = 1.0 / (1.0 - c * c).max(PARALLEL);
        let unwrap = |i: usize, angle| JointMemory::unwrap_angle(memory.angle[i], angle);
        [
            self.torque(Axis::AngX, unwrap(0, alpha), (x - y * c) * scale),
            self.torque(Axis::AngY, unwrap(1, beta), (y - x * c) * scale),
        ]
    }

    fn cross_axes(&self) -> (DVec3, DVec3) {
        (self.a.q * DVec3::X, self.b.q * DVec3::Y)
    }
}
