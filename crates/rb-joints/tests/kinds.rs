//! Coordinates and rows particular to one kind of joint, against closed forms.

mod common;

use common::{Random, displaced, entry};
use glam::{DQuat, DVec3};
use rb_core::draw::{Color, DrawSink};
use rb_core::math::{Pose, exp_rotation};
use rb_core::row::{Course, Row};
use rb_joints::*;

const I: Pose = Pose::IDENTITY;

fn placed(b: Pose) -> JointCx {
    let b = JointBody {
        pose: b,
        com: b.p,
        ..JointBody::default()
    };
    JointCx {
        a: JointBody::default(),
        b,
        h: 0.01,
    }
}

fn rows(joint: &dyn Joint, cx: &JointCx) -> Rows {
    let mut rows = Rows::new();
    joint.rows(cx, &JointMemory::default(), &mut rows);
    rows
}

fn find(rows: &Rows, axis: Axis, role: Role) -> Row {
    let slot = Slot::new(axis, role).id();
    *rows.iter().find(|row| row.slot == slot).unwrap()
}

fn values(joint: &dyn Joint, cx: &JointCx) -> Vec<f64> {
    let coordinates = joint.coordinates(cx, &JointMemory::default());
    coordinates.iter().map(|c| c.value).collect()
}

#[test]
fn universal_angles_compose_in_order() {
    let mut random = Random::new(8);
    for _ in 0..100 {
        let (alpha, beta) = (3.0 * random.unit(), 3.0 * random.unit());
        let turn = exp_rotation(DVec3::X * alpha) * exp_rotation(DVec3::Y * beta);
        let cx = placed(Pose::new(DVec3::ZERO, turn));
        let joint = Universal::new(I, I);
        let found = values(&joint, &cx);
        assert!((found[0] - alpha).abs() < 1e-14 && (found[1] - beta).abs() < 1e-14);
        assert!(rows(&joint, &cx).iter().all(|row| row.gap.abs() < 1e-15));
    }
}

#[test]
fn swing_and_twist_compose_in_order() {
    let mut random = Random::new(9);
    for _ in 0..100 {
        let swing = DVec3::new(random.unit(), random.unit(), 0.0) * 2.0;
        let twist = 3.0 * random.unit();
        let turn = exp_rotation(swing) * exp_rotation(DVec3::Z * twist);
        let cx = placed(Pose::new(random.vector(), turn));
        let found = values(&SixDof::new(I, I), &cx);
        let expected = [cx.b.pose.p.to_array(), [swing.x, swing.y, twist]];
        for (f, e) in found.iter().zip(expected.as_flattened()) {
            assert!((f - e).abs() < 1e-13, "{found:?} {expected:?}");
        }
    }
}

#[test]
fn the_cone_of_a_ball_stops_the_swing_whatever_the_twist() {
    let joint = Ball::new(I, I).cone(0.5);
    let turn = exp_rotation(DVec3::new(0.3, -0.6, 0.0)) * exp_rotation(DVec3::Z * 2.0);
    let cx = placed(Pose::new(DVec3::ZERO, turn));
    let row = find(&rows(&joint, &cx), Axis::AngX, Role::UpperLimit);
    assert!((row.gap - (0.5 - 0.45f64.sqrt())).abs() < 1e-14);
    assert!(row.is_one_sided());
    for which in 0..2 {
        for direction in 0..6 {
            let [plus, minus] = [1e-5, -1e-5].map(|step| {
                let cx = displaced(&cx, which, direction, step);
                find(&rows(&joint, &cx), Axis::AngX, Role::UpperLimit).gap
            });
            let difference = (plus - minus) / 2e-5;
            assert!((difference - entry(&row.jac, which, direction)).abs() < 1e-9);
        }
    }
    let inside = placed(I);
    assert_eq!(rows(&joint, &inside).len(), 3);
}

#[test]
fn the_friction_of_a_ball_is_a_box_of_torques() {
    let joint = Ball::new(I, I).friction(2.0);
    let rows = rows(&joint, &placed(I));
    assert_eq!(rows.len(), 6);
    for (row, axis) in rows[3..].iter().zip([DVec3::X, DVec3::Y, DVec3::Z]) {
        assert_eq!((row.lo, row.hi, row.target), (-2.0, 2.0, 0.0));
        assert_eq!((row.jac[1].lin, row.jac[1].ang), (DVec3::ZERO, axis));
    }
}

#[test]
fn a_rope_pulls_and_a_rod_holds() {
    let cx = placed(Pose::from_translation(DVec3::new(0.0, -2.0, 0.0)));
    let rope = Distance::new(I, I).rope(1.5);
    let row = rows(&rope, &cx)[0];
    assert!((row.gap + 0.5).abs() < 1e-15 && row.is_one_sided());
    // Positive force pulls b up, towards a.
    assert_eq!(row.jac[1].lin, DVec3::Y);
    assert!(rows(&Distance::new(I, I).rope(3.0), &cx).is_empty());

    let rod = Distance::new(I, I).rod(1.5);
    assert!(is_rigid(&rows(&rod, &cx)[0]));
    let far = DVec3::new(3.0, 4.0, 0.0);
    let between = Distance::at_world(&cx.a.pose, &cx.b.pose, DVec3::ZERO, far);
    assert_eq!(values(&between, &cx), [5.0]);
}

#[test]
fn frames_from_the_world_put_every_kind_at_zero() {
    let mut random = Random::new(10);
    for _ in 0..50 {
        let [a, b] = [random.pose(), random.pose()];
        let (point, axis, across) = (random.vector(), random.vector(), random.vector());
        let along = frame_along(point, axis).unwrap();
        let across = frame_across(point, axis, across).unwrap();
        let locked = serde_json::json!({"locked": Axis::ALL});
        let joint = |kind: &&str| {
            let world = match AnyJoint::placing(kind)? {
                Placing::Along => along,
                Placing::Across => across,
                // Its coordinate is a distance, which is not zero anywhere else.
                Placing::Apart => return None,
            };
            let none = serde_json::json!({});
            let fields = if *kind == "six_dof" { &locked } else { &none };
            AnyJoint::stated(kind, frames_at(&a, &b, &world), fields)?.ok()
        };
        let joints: Vec<AnyJoint> = AnyJoint::KINDS.iter().filter_map(joint).collect();
        assert_eq!(joints.len(), AnyJoint::KINDS.len() - 1);
        let mut cx = placed(b);
        cx.a.pose = a;
        for joint in &joints {
            joint.validate().unwrap();
            assert!(rows(joint, &cx).iter().all(|row| row.gap.abs() < 1e-14));
            assert!(values(joint, &cx).iter().all(|value| value.abs() < 1e-14));
        }
        let hinge = joints
            .iter()
            .find(|j| j.name() == "Hinge")
            .unwrap()
            .frames();
        let z = (a * hinge[0]).q * DVec3::Z;
        assert!((z - axis.normalize()).length() < 1e-14);
    }
}

#[test]
fn a_kind_reads_its_own_fields_and_no_others() {
    let stated = |kind, fields| AnyJoint::stated(kind, [I, I], &fields);
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    for kind in AnyJoint::KINDS {
        assert!(stated(kind, json("{}")).unwrap().is_ok(), "{kind}");
        assert!(stated(kind, json(r#"{"wings": 2}"#)).unwrap().is_err());
    }
    let ball = stated("ball", json(r#"{"cone": 0.5, "friction": 2}"#));
    assert_eq!(
        ball.unwrap().unwrap(),
        Ball::new(I, I).cone(0.5).friction(2.0).into()
    );
    assert!(stated("knot", json("{}")).is_none());
    assert_eq!(single_axis(&Distance::new(I, I)), Some(Axis::LinZ));
    assert_eq!(single_axis(&Cylindrical::new(I, I)), None);
}

#[test]
fn reactions_are_taken_at_the_anchor_of_b() {
    let mut random = Random::new(11);
    let joint = Fixed::new(random.pose(), random.pose());
    let cx = random.state();
    let rows = rows(&joint, &cx);
    let mut impulses = [0.0; 6];
    impulses[0] = 0.5;
    let load = reaction(&joint, &cx, &rows, &impulses);
    let force = (cx.a.pose * joint.frames()[0]).q * DVec3::X * 50.0;
    assert!((load.force - force).length() < 1e-12 && load.torque.length() < 1e-12);

    let desc = JointDesc::new(joint).break_force(49.0);
    assert!(desc.breaks(&load) && !desc.clone().break_force(51.0).breaks(&load));
    assert!(!JointDesc::from(Ball::default()).breaks(&load));
}

#[derive(Default)]
struct Lines(usize);

impl DrawSink for Lines {
    fn line(&mut self, a: DVec3, b: DVec3, _color: Color) {
        assert!(a.is_finite() && b.is_finite());
        self.0 += 1;
    }
}

#[test]
fn every_kind_draws_itself() {
    let mut random = Random::new(12);
    for mut joint in common::driven(&mut random) {
        if let Some(frames) = joint.frames_mut() {
            frames[0].q = DQuat::IDENTITY;
        }
        let mut sink = Lines::default();
        joint.draw(&random.state(), &mut sink);
        assert!(sink.0 >= 7, "{}", joint.name());
    }
    let mut sink = Lines::default();
    Ball::new(I, I).cone(0.4).draw(&random.state(), &mut sink);
    assert!(sink.0 > 24);
}

#[test]
fn a_pin_states_three_anchored_rows_and_no_others() {
    let mut random = Random::new(21);
    let (a, b) = (random.pose(), random.pose());
    let stopped = Ball::new(a, b).cone(1.0);
    assert!(stopped.pin().is_none() && Ball::new(a, b).friction(1.0).pin().is_none());
    for joint in AnyJoint::all(a, b) {
        let Some([frame, other]) = joint.pin() else {
            assert_ne!(joint.name(), "Ball");
            continue;
        };
        let cx = random.state();
        let (held, apart) = (cx.a.pose.point(frame.p), cx.b.pose.point(other.p));
        let rows = rows(&joint, &cx);
        assert_eq!(rows.len(), 3);
        for ((row, slot), unit) in rows.iter().zip(pin::SLOTS).zip(DVec3::AXES) {
            let e = cx.a.pose.q * frame.q * unit;
            assert!(row.slot == slot && is_rigid(row));
            assert!((row.gap - e.dot(apart - held)).abs() < 1e-14);
            let turns = [-(apart - cx.a.com).cross(e), (apart - cx.b.com).cross(e)];
            for (half, (turn, sign)) in row.jac.iter().zip(turns.into_iter().zip([-1.0, 1.0])) {
                let error = half.lin.distance(e * sign) + half.ang.distance(turn);
                assert!(error < 1e-14, "{error}");
            }
        }
    }
}

#[test]
fn loose_rows_are_all_but_the_anchored_ones() {
    let mut random = Random::new(22);
    let (mut joints, cx) = (common::driven(&mut random), random.state());
    joints.extend(AnyJoint::all(random.pose(), random.pose()));
    for joint in joints {
        let memory = JointMemory::default();
        let (mut all, mut loose) = (Rows::new(), Rows::new());
        joint.rows(&cx, &memory, &mut all);
        joint.loose_rows(&cx, &memory, &mut loose);
        all.retain(|row| row.course != Course::Anchored);
        assert_eq!(loose, all, "{}", joint.name());
    }
}
