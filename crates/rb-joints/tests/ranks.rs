//! Number of independent rows = 6 − free directions, at admissible states that the rows themselves
//! lead to by Newton's method from disturbed ones.

mod common;

use common::{Random, remembered};
use glam::DVec3;
use rb_core::math::{Pose, Twist, exp_rotation};
use rb_joints::{AnyJoint, Axis, Distance, Joint, JointCx, JointMemory, Rows, SixDof, is_rigid};

type Vector = [f64; 6];

fn flat(half: &Twist) -> Vector {
    let (l, a) = (half.lin, half.ang);
    [l.x, l.y, l.z, a.x, a.y, a.z]
}

fn dot(a: &Vector, b: &Vector) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Orthonormal basis of the span, by Gram–Schmidt applied twice, with the right-hand sides carried
/// along: (basis vector, value).
fn orthonormal(rows: &[(Vector, f64)]) -> Vec<(Vector, f64)> {
    let mut basis: Vec<(Vector, f64)> = Vec::new();
    for (row, value) in rows {
        let (mut v, mut r) = (*row, *value);
        for (e, s) in basis.iter().chain(&basis.clone()) {
            let k = dot(&v, e);
            (0..6).for_each(|i| v[i] -= k * e[i]);
            r -= k * s;
        }
        let length = dot(&v, &v).sqrt();
        if length > 1e-6 {
            basis.push((v.map(|x| x / length), r / length));
        }
    }
    basis
}

fn locks(joint: &AnyJoint, cx: &JointCx, memory: &JointMemory) -> Vec<(Vector, f64)> {
    let mut rows = Rows::new();
    joint.rows(cx, memory, &mut rows);
    let rigid = rows.iter().filter(|row| is_rigid(row));
    rigid.map(|row| (flat(&row.jac[1]), row.gap)).collect()
}

/// Moves b until all locked rows vanish.
fn settle(joint: &AnyJoint, cx: &mut JointCx, memory: &mut JointMemory) -> f64 {
    for _ in 0..50 {
        joint.track(cx, memory);
        let mut step = [0.0; 6];
        for (e, gap) in orthonormal(&locks(joint, cx, memory)) {
            (0..6).for_each(|i| step[i] -= gap * e[i]);
        }
        let shift = DVec3::new(step[0], step[1], step[2]);
        let turn = exp_rotation(DVec3::new(step[3], step[4], step[5]));
        let body = &mut cx.b;
        body.pose.p = body.com + shift + turn * (body.pose.p - body.com);
        body.pose.q = (turn * body.pose.q).normalize();
        body.com += shift;
    }
    let gaps = locks(joint, cx, memory);
    gaps.iter()
        .fold(0.0, |worst, (_, gap)| gap.abs().max(worst))
}

/// A state with a joint error of about one unit.
fn disturbed(joint: &AnyJoint, random: &mut Random) -> JointCx {
    let mut cx = random.state();
    let [a, b] = *joint.frames();
    let com = cx.b.pose.inverse_point(cx.b.com);
    let error = Pose::new(random.vector(), exp_rotation(random.vector() * 0.8));
    cx.b.pose = cx.a.pose * a * error * b.inverse();
    cx.b.com = cx.b.pose.point(com);
    cx
}

fn check(joint: &AnyJoint, free: usize, random: &mut Random) {
    let mut cx = disturbed(joint, random);
    let mut memory = remembered(joint, &cx);
    let error = settle(joint, &mut cx, &mut memory);
    assert!(error < 1e-10, "{joint:?} stays at {error:e}");

    let mut rows = locks(joint, &cx, &memory);
    assert_eq!(rows.len(), 6 - free, "{joint:?}");
    assert_eq!(orthonormal(&rows).len(), 6 - free, "{joint:?}");

    // The free coordinates of a distance joint are not all named: it measures a length only.
    if joint.name() != "Distance" {
        let coordinates = joint.coordinates(&cx, &memory);
        assert_eq!(coordinates.len(), free, "{joint:?}");
        rows.extend(coordinates.iter().map(|c| (flat(&c.jac[1]), 0.0)));
        assert_eq!(orthonormal(&rows).len(), 6, "{joint:?}");
    }
}

#[test]
fn every_kind_locks_what_it_should() {
    let mut random = Random::new(4);
    let known = [
        ("Fixed", 0),
        ("Hinge", 1),
        ("Slider", 1),
        ("Ball", 3),
        ("Wheel", 3),
    ];
    for _ in 0..100 {
        for joint in AnyJoint::all(random.pose(), random.pose()) {
            let coordinates = joint.coordinates(&random.state(), &JointMemory::default());
            // A distance names one coordinate, and leaves all free until it is held.
            let free = match joint {
                AnyJoint::Distance(_) => 6,
                _ => coordinates.len(),
            };
            for (name, freedom) in known {
                assert!(joint.name() != name || free == freedom, "{name}");
            }
            check(&joint, free, &mut random);
        }
        let rod = Distance::new(random.pose(), random.pose()).rod(0.7);
        check(&rod.into(), 5, &mut random);
    }
}

#[test]
fn every_combination_of_locked_directions_is_independent() {
    let mut random = Random::new(5);
    for mask in 0u32..64 {
        let is_locked = |axis: &Axis| mask >> axis.index() & 1 == 1;
        let locked = Axis::ALL.into_iter().filter(is_locked);
        let joint = SixDof::new(random.pose(), random.pose()).lock(locked);
        for _ in 0..10 {
            check(
                &joint.clone().into(),
                6 - mask.count_ones() as usize,
                &mut random,
            );
        }
    }
}

/// A hinge put on upside down by one degree less than half a turn comes back to the right side.
#[test]
fn a_hinge_has_no_false_rest_upside_down() {
    let joint = AnyJoint::all(Pose::IDENTITY, Pose::IDENTITY).remove(1);
    assert_eq!(joint.name(), "Hinge");
    let mut cx = Random::new(6).state();
    let turn = exp_rotation(DVec3::X * 179.0_f64.to_radians());
    cx.b.pose = Pose::new(cx.a.pose.p, cx.a.pose.q * turn);
    cx.b.com = cx.b.pose.p;
    let mut memory = remembered(&joint, &cx);
    assert!(settle(&joint, &mut cx, &mut memory) < 1e-10);
    let axes = [cx.a.pose.q * DVec3::Z, cx.b.pose.q * DVec3::Z];
    assert!((axes[0] - axes[1]).length() < 1e-9);
}
