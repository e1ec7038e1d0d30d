//! Every bad argument is refused by a typed error that names it.

use glam::{DQuat, DVec3};
use rb_core::Error;
use rb_core::math::Pose;
use rb_joints::*;

const I: Pose = Pose::IDENTITY;
const NAN: f64 = f64::NAN;

fn argument(error: Error) -> &'static str {
    match error {
        Error::NotFinite { argument, .. }
        | Error::OutOfRange { argument, .. }
        | Error::Degenerate { argument, .. }
        | Error::Contradiction { argument, .. } => argument,
        other => panic!("unexpected {other}"),
    }
}

fn refused(joint: impl Into<AnyJoint>) -> &'static str {
    argument(joint.into().validate().unwrap_err())
}

fn hinge() -> Hinge {
    Hinge::new(I, I)
}

#[test]
fn frames() {
    let nan = Pose::from_translation(DVec3::new(0.0, NAN, 0.0));
    assert_eq!(refused(Fixed::new(nan, I)), "frame_a.p");
    assert_eq!(refused(Slider::new(I, nan)), "frame_b.p");
    let flat = Pose::new(DVec3::ZERO, DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0));
    assert_eq!(refused(Ball::new(I, flat)), "frame_b.q");
    let mut joint = AnyJoint::from(hinge());
    joint.frames_mut().unwrap()[0].q = DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0);
    assert_eq!(argument(joint.validate().unwrap_err()), "frame_a.q");
}

#[test]
fn axes() {
    for bad in [DVec3::ZERO, DVec3::NAN, DVec3::X * f64::INFINITY] {
        assert_eq!(
            argument(Hinge::at_world(&I, &I, DVec3::ZERO, bad).unwrap_err()),
            "axis"
        );
    }
    let parallel = [DVec3::X, DVec3::X * 3.0];
    let error = Universal::at_world(&I, &I, DVec3::ZERO, parallel).unwrap_err();
    assert!(matches!(
        error,
        Error::Degenerate {
            argument: "axis_b",
            ..
        }
    ));
}

#[test]
fn stops() {
    assert_eq!(refused(hinge().limits(1.0, 0.5)), "limits.lower");
    assert_eq!(refused(hinge().limits(NAN, 0.5)), "limits.lower");
    assert_eq!(refused(hinge().limits(0.0, NAN)), "limits.upper");
    assert_eq!(
        refused(hinge().limits(f64::INFINITY, f64::INFINITY)),
        "limits.lower"
    );
    let soft = |k, d| hinge().range(Limits::new(0.0, 1.0).yielding(k, d));
    assert_eq!(refused(soft(0.0, 1.0)), "limits.stiffness");
    assert_eq!(refused(soft(1.0, -1.0)), "limits.damping");
    assert!(hinge().limits(0.5, 0.5).validate().is_ok());
    assert!(
        hinge()
            .limits(f64::NEG_INFINITY, f64::INFINITY)
            .validate()
            .is_ok()
    );
}

#[test]
fn motors() {
    let with = |motor| refused(hinge().motor(motor));
    assert_eq!(with(Motor::velocity(NAN)), "motor.target");
    assert_eq!(with(Motor::velocity(1.0).max(-1.0)), "motor.max");
    assert_eq!(with(Motor::velocity(1.0).max(NAN)), "motor.max");
    assert_eq!(with(Motor::position(NAN, 1.0, 1.0)), "motor.target");
    assert_eq!(with(Motor::position(0.0, -1.0, 1.0)), "motor.stiffness");
    assert_eq!(with(Motor::position(0.0, 1.0, -1.0)), "motor.damping");
    assert_eq!(with(Motor::position(0.0, 0.0, 0.0)), "motor.stiffness");
    assert_eq!(with(Motor::position(0.0, 1.0, 1.0).rate(NAN)), "motor.rate");
}

#[test]
fn passive_elements() {
    assert_eq!(refused(hinge().friction(-0.1)), "friction");
    assert_eq!(refused(hinge().damping(-0.1)), "damping");
    assert_eq!(refused(hinge().max_rate(-0.1)), "max_rate");
    assert_eq!(
        refused(hinge().spring(Spring::new(NAN, 1.0, 1.0))),
        "spring.rest"
    );
    assert_eq!(
        refused(hinge().spring(Spring::new(0.0, -1.0, 1.0))),
        "spring.stiffness"
    );
    assert_eq!(
        refused(hinge().spring(Spring::new(0.0, 1.0, NAN))),
        "spring.damping"
    );
}

#[test]
fn particular_kinds() {
    assert_eq!(refused(Ball::new(I, I).cone(0.0)), "cone");
    assert_eq!(refused(Ball::new(I, I).cone(3.2)), "cone");
    assert_eq!(refused(Ball::new(I, I).friction(-1.0)), "friction");
    let twice = Ball::new(I, I)
        .friction(1.0)
        .twist(Drive::new().friction(1.0));
    assert_eq!(refused(twice), "twist.friction");
    assert_eq!(
        refused(Distance::new(I, I).limits(-1.0, 1.0)),
        "limits.lower"
    );
    assert_eq!(refused(Distance::new(I, I).rod(0.0)), "limits.upper");
    assert_eq!(
        refused(Distance::new(I, I).spring(Spring::new(-1.0, 1.0, 0.0))),
        "spring.rest"
    );
    let slide = Cylindrical::new(I, I).slide(Drive::new().friction(-1.0));
    assert_eq!(refused(slide), "friction");
    let second = Universal::new(I, I).second(Drive::new().damping(NAN));
    assert_eq!(refused(second), "damping");
    let free = SixDof::new(I, I).free(Axis::AngY, Drive::new().limits(2.0, 1.0));
    assert_eq!(refused(free), "limits.lower");
}

#[test]
fn thresholds() {
    let desc = || JointDesc::new(hinge());
    assert!(desc().break_force(1.0).break_torque(2.0).validate().is_ok());
    assert_eq!(
        argument(desc().break_force(0.0).validate().unwrap_err()),
        "break_force"
    );
    assert_eq!(
        argument(desc().break_torque(NAN).validate().unwrap_err()),
        "break_torque"
    );
}
