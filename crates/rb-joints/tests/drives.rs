//! What a drive states: kinds, bounds, targets and slots of its rows, and what they make of a body.

mod common;

use common::{H, Random, full_drive, remembered};
use glam::{DQuat, DVec3};
use rb_core::math::{Pose, Twist, exp_rotation};
use rb_core::row::{Row, RowKind};
use rb_joints::{
    Axis, Drive, Hinge, Joint, JointBody, JointCx, JointMemory, LIMIT_MARGIN, Limits, Motor, Role,
    Rows, Slider, Slot, Spring,
};

/// A fixed body and one that has turned by `angle` about z at rate `rate`.
fn turned(angle: f64, rate: f64) -> JointCx {
    let mut b = JointBody::default();
    b.pose.q = exp_rotation(DVec3::Z * angle);
    b.vel.ang = DVec3::Z * rate;
    JointCx {
        a: JointBody::default(),
        b,
        h: H,
    }
}

fn boxed(joint: &dyn Joint, cx: &JointCx) -> Rows {
    let mut rows = Rows::new();
    joint.rows(cx, &remembered(joint, cx), &mut rows);
    rows.into_iter().skip(5).collect()
}

fn hinge() -> Hinge {
    Hinge::new(Pose::IDENTITY, Pose::IDENTITY)
}

fn slot(role: Role) -> u8 {
    Slot::new(Axis::AngZ, role).id()
}

fn only(rows: &Rows) -> Row {
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows[0]
}

/// New rate of a wheel of inertia `inertia` under one row and a load, all at the end of the step.
fn solve(row: &Row, inertia: f64, rate: f64, load: f64) -> (f64, f64) {
    let free = rate + H * load / inertia;
    let j = row.jac[1].ang.z;
    let (r, b) = match row.kind {
        RowKind::Position {
            compliance,
            damping,
        } => {
            let l = H + damping;
            let wanted = row.target - row.gap / l;
            (compliance / (H * l), wanted)
        }
        RowKind::Velocity { viscous } => (viscous.map_or(0.0, |d| 1.0 / (H * d)), row.target),
        _ => unreachable!("no other kind is stated"),
    };
    let p = ((b - j * free) / (j * j / inertia + r)).clamp(H * row.lo, H * row.hi);
    (free + j * p / inertia, p)
}

#[test]
fn a_velocity_motor_stalls_at_its_limit() {
    for (max, rate_after) in [(3.0, -0.04), (8.0, 0.06)] {
        let row = only(&boxed(
            &hinge().motor(Motor::velocity(6.0).max(max)),
            &turned(0.0, 0.0),
        ));
        assert_eq!(
            (row.kind, row.target, row.slot),
            (RowKind::RATE, 6.0, slot(Role::Motor))
        );
        assert_eq!((row.lo, row.hi), (-max, max));
        let (rate, _) = solve(&row, 0.5, 0.0, -5.0);
        assert!((rate - rate_after).abs() < 1e-12, "{rate}");
    }
}

#[test]
fn a_position_motor_is_the_implicit_pd_law() {
    let pd = Motor::position(1.0, 100.0, 2.0);
    let row = only(&boxed(&hinge().motor(pd), &turned(0.0, 0.0)));
    assert_eq!(row.gap, -1.0);
    let (_, p) = solve(&row, 0.5, 0.0, 0.0);
    assert!((p - 0.943396226415).abs() < 1e-11, "{p}");

    let row = only(&boxed(&hinge().motor(pd.max(3.0)), &turned(0.0, 0.0)));
    assert_eq!(solve(&row, 0.5, 0.0, 0.0).1, 0.03);

    let (angle, rate, wanted) = (0.2, 0.7, 0.4);
    let row = only(&boxed(
        &hinge().motor(pd.rate(wanted)),
        &turned(angle, rate),
    ));
    let (after, p) = solve(&row, 0.5, rate, 0.0);
    let force = -100.0 * (angle + H * after - 1.0) - 2.0 * (after - wanted);
    assert!((p - H * force).abs() < 1e-13, "{p} vs {}", H * force);
}

#[test]
fn a_position_motor_without_stiffness_is_a_speed_servo() {
    let motor = Motor::position(9.0, 0.0, 4.0).rate(0.5).max(3.0);
    let row = only(&boxed(&hinge().motor(motor), &turned(0.3, 0.0)));
    let viscous = Some(4.0);
    assert_eq!(row.kind, RowKind::Velocity { viscous });
    assert_eq!((row.gap, row.target, row.lo, row.hi), (0.0, 0.5, -3.0, 3.0));
}

#[test]
fn dry_friction_holds_and_brakes() {
    let row = only(&boxed(&hinge().friction(1.5), &turned(0.0, 0.0)));
    assert_eq!(
        (row.lo, row.hi, row.slot),
        (-1.5, 1.5, slot(Role::Friction))
    );
    assert!(solve(&row, 2.0, 0.0, 1.49).0.abs() < 1e-15);
    assert!((solve(&row, 2.0, 0.0, 2.5).0 - 0.5 * H).abs() < 1e-15);
    assert!((solve(&row, 2.0, 3.0, 0.0).0 - (3.0 - 0.75 * H)).abs() < 1e-15);
}

#[test]
fn spring_and_dampers_share_a_row() {
    let joint = hinge().spring(Spring::new(0.2, 50.0, 1.0)).damping(0.5);
    let row = only(&boxed(&joint, &turned(0.5, 0.0)));
    assert_eq!(row.kind, RowKind::spring(50.0, 1.5));
    assert!((row.gap - 0.3).abs() < 1e-15);
    let row = only(&boxed(&hinge().damping(0.5), &turned(0.5, 0.0)));
    let viscous = Some(0.5);
    assert_eq!(row.kind, RowKind::Velocity { viscous });
    assert_eq!(row.gap, 0.0);
    assert!(row.lo == f64::NEG_INFINITY && row.hi == f64::INFINITY);

    let spring = Spring::from_frequency(2.0, 1.0, 3.0);
    let omega = (spring.stiffness / 3.0).sqrt();
    assert!((omega - 4.0 * core::f64::consts::PI).abs() < 1e-12);
    assert!((spring.damping - 2.0 * (spring.stiffness * 3.0).sqrt()).abs() < 1e-9);
}

#[test]
fn a_speed_limit_pushes_one_way_only() {
    let rows = boxed(&hinge().max_rate(2.0), &turned(0.0, 2.0));
    let slots: Vec<u8> = rows.iter().map(|row| row.slot).collect();
    assert_eq!(slots, [slot(Role::SlowLimit), slot(Role::FastLimit)]);
    let (slow, fast) = (&rows[0], &rows[1]);
    let (rate, p) = solve(fast, 1.0, 2.0, 10.0);
    assert!((rate - 2.0).abs() < 1e-15 && (p - 10.0 * H).abs() < 1e-15);
    assert_eq!(solve(fast, 1.0, 2.0, -10.0).1, 0.0);
    assert_eq!(solve(slow, 1.0, 2.0, -10.0).1, 0.0);
    let (rate, _) = solve(slow, 1.0, -2.0, -10.0);
    assert!((rate + 2.0).abs() < 1e-15);
}

#[test]
fn a_stop_has_a_row_when_it_can_be_reached() {
    let joint = hinge().limits(-1.0, 1.0);
    assert!(boxed(&joint, &turned(0.0, 0.0)).is_empty());
    let edge = 1.0 - LIMIT_MARGIN;
    assert!(boxed(&joint, &turned(edge - 0.05, 2.0)).is_empty());
    assert_eq!(
        only(&boxed(&joint, &turned(edge - 0.05, 3.0))).slot,
        slot(Role::UpperLimit)
    );
    let row = only(&boxed(&joint, &turned(1.2, 0.0)));
    assert!((row.gap + 0.2).abs() < 1e-15 && row.is_one_sided() && row.jac[1].ang.z == -1.0);
    let row = only(&boxed(&joint, &turned(-1.2, 0.0)));
    assert_eq!((row.slot, row.jac[1].ang.z), (slot(Role::LowerLimit), 1.0));
    assert!((row.gap + 0.2).abs() < 1e-15 && row.is_one_sided());
}

#[test]
fn a_yielding_stop_acts_only_while_pressed() {
    let joint = hinge().range(Limits::new(f64::NEG_INFINITY, 1.0).yielding(80.0, 2.0));
    assert!(boxed(&joint, &turned(0.99, 0.9)).is_empty());
    let row = only(&boxed(&joint, &turned(0.99, 1.1)));
    assert_eq!(row.kind, RowKind::spring(80.0, 2.0));
    assert!(row.is_one_sided());
    assert_eq!(boxed(&joint, &turned(1.1, -1.0)).len(), 1);
}

#[test]
fn equal_stops_are_one_bilateral_row_among_the_rigid_ones() {
    let joint = hinge().limits(0.5, 0.5).friction(1.0);
    let cx = turned(0.7, 0.0);
    let mut rows = Rows::new();
    joint.rows(&cx, &remembered(&joint, &cx), &mut rows);
    assert!(rows[..6].iter().all(rb_joints::is_rigid));
    assert_eq!(rows[5].slot, slot(Role::LowerLimit));
    assert!((rows[5].gap - 0.2).abs() < 1e-15);
    assert_eq!(rows[6].slot, slot(Role::Friction));
}

#[test]
fn slots_are_unique_and_bring_the_warm_start_back() {
    let mut random = Random::new(7);
    for joint in common::driven(&mut random) {
        let cx = random.state();
        let mut memory = remembered(&joint, &cx);
        let mut rows = Rows::new();
        joint.rows(&cx, &memory, &mut rows);
        let mut slots: Vec<u8> = rows.iter().map(|row| row.slot).collect();
        memory.store(slots.iter().map(|&slot| (slot, f64::from(slot) + 0.5)));
        rows.clear();
        joint.rows(&cx, &memory, &mut rows);
        assert!(rows.iter().all(|row| row.warm == f64::from(row.slot) + 0.5));
        slots.sort_unstable();
        slots.dedup();
        assert_eq!(slots.len(), rows.len(), "{}", joint.name());
        assert!(slots.iter().all(|&slot| Slot::from_id(slot).is_some()));
        let first_boxed = rows.iter().position(|row| !rb_joints::is_rigid(row));
        let boxed = &rows[first_boxed.unwrap_or(rows.len())..];
        assert!(!boxed.iter().any(rb_joints::is_rigid), "{}", joint.name());
    }
}

#[test]
fn a_hinge_angle_counts_turns() {
    let joint = hinge().limits(-10.0, 10.0);
    let mut memory = JointMemory::default();
    for k in 0..=110 {
        joint.track(&turned(0.1 * f64::from(k), 0.0), &mut memory);
    }
    assert!((memory.angle[2] - 11.0).abs() < 1e-12);
    let mut rows = Rows::new();
    joint.rows(&turned(11.0, 0.0), &memory, &mut rows);
    assert!((rows[5].gap + 1.0).abs() < 1e-12);
}

#[test]
fn a_slide_is_measured_along_the_axis_of_a() {
    let mut cx = turned(0.0, 0.0);
    cx.a.pose = Pose::new(DVec3::new(1.0, 2.0, 3.0), DQuat::from_rotation_y(0.4));
    let axis = cx.a.pose.q * DVec3::X;
    let joint = Slider::at_world(&cx.a.pose, &cx.b.pose, DVec3::ONE, axis)
        .unwrap()
        .spring(Spring::new(0.0, 1.0, 0.0));
    cx.b.pose.p += axis * 0.3;
    cx.b.vel = Twist::new(axis * 2.0, DVec3::ZERO);
    let memory = JointMemory::default();
    let c = joint.coordinates(&cx, &memory)[0];
    assert!((c.value - 0.3).abs() < 1e-15 && (c.rate - 2.0).abs() < 1e-15);
    let mut rows = Rows::new();
    joint.rows(&cx, &memory, &mut rows);
    assert!(rows[..5].iter().all(|row| row.gap.abs() < 1e-15));
}

#[test]
fn an_idle_drive_states_nothing() {
    assert!(Drive::new().is_idle() && !full_drive().is_idle());
    assert!(boxed(&hinge(), &turned(0.3, 1.0)).is_empty());
}
