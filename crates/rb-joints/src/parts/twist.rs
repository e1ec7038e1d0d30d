//! Rotation of b about the common axis: the angle of a hinge, the twist of a ball joint.
//!
//! Equation   Q = q_a⁻¹ q_b = (x, y, z, w) splits into a twist about z followed by the shortest
//!            swing of that axis, Q = S T; the twist is τ = 2 atan2(z, w)
//! Jacobian   with Q̇ = ½ ω Q: τ̇ = 2 (w ż − z ẇ)/(w² + z²) = j · (ω_b − ω_a),
//!            j = (z_a + z_b) / (1 + z_a · z_b), which is z where the axes agree
//! Units      rad; torques N·m
//! Memory     whole turns come from the angle of the last step, of which a hundredth is enough: who steps asks for
//!            no arctangent
//! Singular   opposite axes, z_a = −z_b: j is kept below 1.5e12
//! Source     P. Baerlocher, R. Boulic, "Parametrization and range of motion of the ball-and-socket
//!            joint", 2001 (the split); derivative by own calculation

use super::Frames;
use crate::axis::Axis;
use crate::joint::Coordinate;
use crate::joint::JointCx;
use crate::memory::JointMemory;
use core::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
use glam::{DQuat, DVec3};
use rb_core::math::Pose;

/// Smallest 1 + z_a · z_b divided by. No more than it takes for a finite number: a row that is told less than its angle
/// turns by never gets rid of an error, and throws bodies about.
const OPPOSITE: f64 = 1e-24;

impl Frames {
    /// Twist of b about z including whole turns (rad), as `AngZ`.
    pub fn twist(&self, memory: &JointMemory) -> Coordinate {
        let angle = twist_angle(self.a.q.conjugate() * self.b.q, memory);
        let (za, zb) = (self.a.q * DVec3::Z, self.b.q * DVec3::Z);
        // 1 + z_a · z_b is half the square of their sum, which has all its digits where they are opposite.
        let sum = za + zb;
        let j = sum / (0.5 * sum.length_squared()).max(OPPOSITE);
        self.torque(Axis::AngZ, angle, j)
    }

    /// Twist to the nearest whole turn (rad, within ±π): what a locked axis has to remove.
    pub fn twist_error(&self) -> Coordinate {
        self.twist(&JointMemory::default())
    }
}

/// Turn Q from a's joint frame to b's, from the local frames of a joint: all that an angle needs.
#[inline]
pub(crate) fn relative_turn(cx: &JointCx, local: &[Pose; 2]) -> DQuat {
    (cx.a.pose.q * local[0].q).conjugate() * (cx.b.pose.q * local[1].q)
}

/// Twist of the turn Q about z including whole turns (rad).
#[inline]
pub(crate) fn twist_angle(turn: DQuat, memory: &JointMemory) -> f64 {
    JointMemory::unwrap_angle(memory.angle[2], 2.0 * libm::atan2(turn.z, turn.w))
}

/// The same to within a hundredth (rad): what the memory has to know, so that no whole turn is lost.
#[inline]
pub(crate) fn near_twist(turn: DQuat, memory: &JointMemory) -> f64 {
    JointMemory::unwrap_angle(memory.angle[2], 2.0 * near_angle(turn.z, turn.w))
}

/// The angle of (x, y) to within .004 (rad); zero of no vector.
#[inline]
fn near_angle(y: f64, x: f64) -> f64 {
    let (tall, wide) = (y.abs(), x.abs());
    let (short, long) = (tall.min(wide), tall.max(wide));
    let t = short / long.max(f64::MIN_POSITIVE);
    // atan t on 0 ≤ t ≤ 1, right at both ends.
    let angle = t * (FRAC_PI_4 + 0.273 * (1.0 - t));
    let angle = if tall > wide {
        FRAC_PI_2 - angle
    } else {
        angle
    };
    let angle = if x < 0.0 { PI - angle } else { angle };
    angle.copysign(y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::TAU;

    #[test]
    fn a_hundredth_is_enough_to_count_turns() {
        let mut memory = JointMemory::default();
        for k in 0..4000 {
            let angle = 0.02 * f64::from(k - 1000) + 3.0 * f64::from(k % 2);
            if k == 0 {
                memory.angle[2] = angle;
            }
            // A turn and its opposite are the same.
            let turn = DQuat::from_rotation_z(angle) * f64::from(k % 3 - 1).signum();
            memory.angle[2] = near_twist(turn, &memory);
            let error = memory.angle[2] - angle;
            assert!(error.abs() < 0.01, "{angle} {error}");
            assert!((twist_angle(turn, &memory) - angle).abs() < 1e-11 * TAU);
        }
        assert_eq!(near_angle(0.0, 0.0), 0.0);
    }
}
