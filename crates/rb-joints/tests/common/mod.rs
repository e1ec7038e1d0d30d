//! Random bodies, frames and drives shared by the conformance tests of the registry.
#![allow(dead_code, reason = "each test file uses its own part")]

use glam::{DQuat, DVec3};
use rb_core::math::{Pose, Twist, exp_rotation};
use rb_joints::{AnyJoint, Axis, Drive, Joint, JointBody, JointCx, JointMemory, Motor, Spring};

/// Substep of all tests (s).
pub(crate) const H: f64 = 0.01;

/// SplitMix64: the same states on every platform.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Uniform in [−1, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit())
    }

    pub(crate) fn rotation(&mut self) -> DQuat {
        exp_rotation(self.vector() * 3.0)
    }

    pub(crate) fn pose(&mut self) -> Pose {
        Pose::new(self.vector(), self.rotation())
    }

    pub(crate) fn body(&mut self) -> JointBody {
        let pose = self.pose();
        JointBody {
            pose,
            com: pose.point(self.vector()),
            vel: Twist::new(self.vector(), self.vector()),
        }
    }

    pub(crate) fn state(&mut self) -> JointCx {
        JointCx {
            a: self.body(),
            b: self.body(),
            h: H,
        }
    }
}

/// One joint of every kind, every axis that can be driven with every feature.
pub(crate) fn driven(random: &mut Random) -> Vec<AnyJoint> {
    let mut joints = AnyJoint::all(random.pose(), random.pose());
    for joint in &mut joints {
        for axis in Axis::ALL {
            if let Some(drive) = joint.drive_mut(axis) {
                *drive = full_drive();
            }
        }
    }
    joints
}

/// Every feature at once; stops placed so that most states press one of them.
pub(crate) fn full_drive() -> Drive {
    Drive::new()
        .limits(0.1, 0.2)
        .motor(Motor::position(0.3, 40.0, 2.0).rate(0.1).max(5.0))
        .spring(Spring::new(0.4, 30.0, 1.0))
        .friction(0.7)
        .damping(0.3)
        .max_rate(2.0)
}

/// The state after moving body `which` by `step` along one of its six directions.
pub(crate) fn displaced(cx: &JointCx, which: usize, direction: usize, step: f64) -> JointCx {
    let mut moved = *cx;
    let body = if which == 0 {
        &mut moved.a
    } else {
        &mut moved.b
    };
    let unit = DVec3::AXES[direction % 3] * step;
    if direction < 3 {
        body.pose.p += unit;
        body.com += unit;
    } else {
        let turn = exp_rotation(unit);
        body.pose.p = body.com + turn * (body.pose.p - body.com);
        body.pose.q = (turn * body.pose.q).normalize();
    }
    moved
}

/// Entry of a Jacobian that belongs to [`displaced`] with the same numbers.
pub(crate) fn entry(jac: &[Twist; 2], which: usize, direction: usize) -> f64 {
    let half = &jac[which];
    let part = if direction < 3 { half.lin } else { half.ang };
    part[direction % 3]
}

/// Memory that agrees with a state.
pub(crate) fn remembered(joint: &dyn Joint, cx: &JointCx) -> JointMemory {
    let mut memory = JointMemory::default();
    joint.track(cx, &mut memory);
    memory
}
