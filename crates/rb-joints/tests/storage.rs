//! Joints and their memory survive being written and read; custom joints come back by name.

mod common;

use common::{Random, driven};
use rb_core::math::Pose;
use rb_joints::{
    AnyJoint, Ball, Coordinates, Custom, Fixed, Joint, JointCx, JointDesc, JointMemory, Rows,
    SixDof,
};
use std::sync::Arc;

fn round_trip<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

#[test]
fn every_kind_reads_back_equal() {
    let mut random = Random::new(13);
    let mut joints = driven(&mut random);
    joints.push(Ball::default().cone(0.5).friction(1.0).into());
    joints.push(SixDof::default().planar().into());
    for joint in joints {
        let desc = JointDesc::new(joint)
            .collide_connected()
            .break_torque(7.5)
            .user_data(u64::MAX);
        assert_eq!(round_trip(&desc), desc);
    }
}

#[test]
fn open_limits_and_unlimited_motors_read_back_equal() {
    let hinge = rb_joints::Hinge::default()
        .limits(f64::NEG_INFINITY, 1.0)
        .motor(rb_joints::Motor::velocity(1.0));
    let joint = AnyJoint::from(hinge);
    assert_eq!(round_trip(&joint), joint);
}

#[test]
fn memory_reads_back_equal() {
    let mut memory = JointMemory::default();
    memory.angle = [0.1, -7.0, 1.0 / 3.0];
    memory.store([(4, 0.1), (47, -1e-300)]);
    assert_eq!(round_trip(&memory), memory);
}

/// Keeps only the two anchors together.
#[derive(Debug)]
struct Pin([Pose; 2]);

impl Joint for Pin {
    fn frames(&self) -> &[Pose; 2] {
        &self.0
    }

    fn constraints(&self, cx: &JointCx, _memory: &JointMemory, out: &mut Rows) {
        let frames = rb_joints::parts::Frames::new(cx, &self.0);
        out.extend(frames.point().map(|c| c.lock()));
    }

    fn coordinates(&self, _cx: &JointCx, _memory: &JointMemory) -> Coordinates {
        Coordinates::new()
    }
}

#[test]
fn a_custom_joint_is_stored_by_name_and_supplied_again() {
    let mut random = Random::new(14);
    let pin: Arc<dyn Joint> = Arc::new(Pin([random.pose(), random.pose()]));
    let joint = AnyJoint::from(Custom::new("pin", pin.clone()));
    let cx = random.state();
    let rows = |joint: &AnyJoint| {
        let mut rows = Rows::new();
        joint.rows(&cx, &JointMemory::default(), &mut rows);
        rows
    };
    assert_eq!((joint.name(), rows(&joint).len()), ("pin", 3));

    let AnyJoint::Custom(mut loaded) = round_trip(&joint) else {
        panic!("a custom joint became another kind")
    };
    assert!(!loaded.is_resolved() && loaded.validate().is_err());
    assert!(rows(&loaded.clone().into()).is_empty());
    loaded.resolve(pin);
    assert!(loaded.validate().is_ok());
    assert_eq!(AnyJoint::from(loaded), joint);
}

#[test]
fn names_are_those_of_the_registry() {
    let joints = AnyJoint::all(Pose::IDENTITY, Pose::IDENTITY);
    let names: Vec<&str> = joints.iter().map(AnyJoint::name).collect();
    assert_eq!(names, AnyJoint::NAMES);
    assert_eq!(AnyJoint::from(Fixed::default()).name(), "Fixed");
}
