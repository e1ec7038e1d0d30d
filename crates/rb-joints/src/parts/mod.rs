//! Reusable coordinates with exact derivatives: every joint is put together from these.
//!
//! Each part measures one scalar function of the two joint frames and returns it as a
//! [`Coordinate`]; the same object becomes a hard row ([`Coordinate::lock`]), the subject of a
//! [`Drive`](crate::Drive) or a number to read. `tests/jacobian_fd.rs` holds every derivative
//! against finite differences, `tests/momentum.rs` every row against both balances of momentum.

pub mod cross;
pub mod point;
pub mod swing;
pub mod twist;

use crate::axis::{Axis, Role, Slot};
use crate::joint::{Coordinate, JointBody, JointCx};
use glam::DVec3;
use rb_core::math::{Pose, Twist};
use rb_core::row::{Course, Row};

/// Both joint frames in the world at one instant, with the motion of their bodies.
#[derive(Clone, Copy, Debug)]
pub struct Frames {
    /// Joint frame on a, in the world.
    pub a: Pose,
    /// Joint frame on b, in the world.
    pub b: Pose,
    /// From the origin of a's frame to that of b's (m, world axes).
    pub apart: DVec3,
    /// From the centre of mass of a to the origin of **b's** frame (m, world axes).
    pub arm_a: DVec3,
    /// From the centre of mass of b to the origin of b's frame (m, world axes).
    pub arm_b: DVec3,
    vel: [Twist; 2],
    /// Whether nobody asks for the rows that hold both anchors together.
    loose: bool,
}

impl Frames {
    /// Places the local frames of a joint.
    #[inline]
    pub fn new(cx: &JointCx, local: &[Pose; 2]) -> Self {
        // All that is measured comes from differences: far from the origin the digits are the same.
        let (mine, other) = (cx.a.arm(local[0].p), cx.b.arm(local[1].p));
        let to_other = (cx.b.com - cx.a.com) + other;
        // Unit to rounding; normalising again would cost more than all that follows.
        let placed = |body: &JointBody, arm: DVec3, local: &Pose| Pose {
            p: body.com + arm,
            q: body.pose.q * local.q,
        };
        Self {
            a: placed(&cx.a, mine, &local[0]),
            b: placed(&cx.b, other, &local[1]),
            apart: to_other - mine,
            arm_a: to_other,
            arm_b: other,
            vel: [cx.a.vel, cx.b.vel],
            loose: false,
        }
    }

    /// The same frames, for rows beside those that hold both anchors together.
    #[inline]
    pub(crate) fn loose(self) -> Self {
        Self {
            loose: true,
            ..self
        }
    }

    /// A force along the world direction `e` through the origin of b's frame, + on b.
    #[inline]
    pub fn force(&self, axis: Axis, value: f64, e: DVec3) -> Coordinate {
        self.coordinate(
            axis,
            value,
            [
                Twist::new(-e, -self.arm_a.cross(e)),
                Twist::new(e, self.arm_b.cross(e)),
            ],
        )
    }

    /// A pair of torques along the world vector `j`, + on b.
    #[inline]
    pub fn torque(&self, axis: Axis, value: f64, j: DVec3) -> Coordinate {
        self.coordinate(
            axis,
            value,
            [Twist::new(DVec3::ZERO, -j), Twist::new(DVec3::ZERO, j)],
        )
    }

    #[inline]
    fn coordinate(&self, axis: Axis, value: f64, jac: [Twist; 2]) -> Coordinate {
        let rate = jac[0].dot(&self.vel[0]) + jac[1].dot(&self.vel[1]);
        Coordinate {
            axis,
            value,
            rate,
            jac,
            course: Course::Stated,
        }
    }
}

impl Coordinate {
    /// The hard row that keeps this coordinate at zero.
    #[inline]
    pub fn lock(&self) -> Row {
        Row {
            course: self.course,
            ..Row::bilateral(self.jac, self.value, self.slot(Role::Lock))
        }
    }

    /// Number of the slot of a feature of this coordinate.
    #[inline]
    pub fn slot(&self, role: Role) -> u8 {
        Slot::new(self.axis, role).id()
    }

    /// `self + k · other` on the axis of `self`: couples two coordinates.
    pub fn plus(&self, k: f64, other: &Self) -> Self {
        Self {
            axis: self.axis,
            value: self.value + k * other.value,
            rate: self.rate + k * other.rate,
            jac: [
                self.jac[0] + other.jac[0] * k,
                self.jac[1] + other.jac[1] * k,
            ],
            course: Course::Stated,
        }
    }
}
