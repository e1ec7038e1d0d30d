//! Every row and every coordinate is the exact derivative of what it measures: held against central
//! differences along exponential maps, at random states far from and near to admissible ones.

mod common;

use common::{Random, displaced, driven, entry, remembered};
use rb_core::math::{Pose, Twist, exp_rotation};
use rb_core::row::RowKind;
use rb_joints::{AnyJoint, Joint, JointCx, JointMemory, Rows};

const STEP: f64 = 1e-5;

/// Largest difference between a Jacobian and the central differences of `value`, relative to the
/// largest entry.
fn error(cx: &JointCx, jac: &[Twist; 2], value: impl Fn(&JointCx) -> Option<f64>) -> f64 {
    let (mut worst, mut scale) = (0.0f64, 1.0f64);
    for which in 0..2 {
        for direction in 0..6 {
            let [plus, minus] =
                [STEP, -STEP].map(|step| value(&displaced(cx, which, direction, step)));
            let (Some(plus), Some(minus)) = (plus, minus) else {
                continue;
            };
            let exact = entry(jac, which, direction);
            worst = worst.max((exact - (plus - minus) / (2.0 * STEP)).abs());
            scale = scale.max(exact.abs());
        }
    }
    worst / scale
}

/// Angle between the z axes, below which the swing parts are well away from their singular point.
fn upright(joint: &AnyJoint, cx: &JointCx) -> bool {
    let [a, b] = joint.frames();
    let relative = (cx.a.pose * *a).relative(&(cx.b.pose * *b));
    let z = relative.q * glam::DVec3::Z;
    // x_a · y_b, the singular direction of a universal joint.
    let c = (relative.q * glam::DVec3::Y).x;
    z.z > -0.9 && c.abs() < 0.95
}

fn check(joint: &AnyJoint, cx: &JointCx) {
    let memory = remembered(joint, cx);
    let rows_at = |cx: &JointCx, memory: &JointMemory| {
        let mut rows = Rows::new();
        joint.rows(cx, memory, &mut rows);
        rows
    };
    for row in rows_at(cx, &memory) {
        let is_position = matches!(row.kind, RowKind::Position { .. });
        // A lock jumps by a whole turn at half a turn.
        if !is_position || row.gap.abs() > 3.1 {
            continue;
        }
        let gap = |cx: &JointCx| {
            let rows = rows_at(cx, &memory);
            rows.iter().find(|r| r.slot == row.slot).map(|r| r.gap)
        };
        let error = error(cx, &row.jac, gap);
        assert!(
            error < 1e-6,
            "{} slot {}: {error:e}",
            joint.name(),
            row.slot
        );
    }
    for (i, c) in joint.coordinates(cx, &memory).iter().enumerate() {
        let error = error(cx, &c.jac, |cx| {
            Some(joint.coordinates(cx, &memory)[i].value)
        });
        assert!(error < 1e-6, "{} {:?}: {error:e}", joint.name(), c.axis);
        let rate = c.jac[0].dot(&cx.a.vel) + c.jac[1].dot(&cx.b.vel);
        assert_eq!(rate, c.rate);
    }
}

#[test]
fn rows_are_exact_derivatives_at_any_state() {
    let mut random = Random::new(1);
    for _ in 0..200 {
        let cx = random.state();
        for joint in driven(&mut random) {
            if upright(&joint, &cx) {
                check(&joint, &cx);
            }
        }
    }
}

/// b placed so that the joint frames differ by a given error only: covers the series near zero.
#[test]
fn rows_are_exact_derivatives_near_admissible_states() {
    let mut random = Random::new(2);
    for size in [1e-9, 1e-5, 1e-3, 2e-3, 4e-3, 0.1] {
        for _ in 0..20 {
            for joint in driven(&mut random) {
                // The direction of a distance is undefined where the anchors meet.
                if joint.name() == "Distance" {
                    continue;
                }
                let mut cx = random.state();
                let com = cx.b.pose.inverse_point(cx.b.com);
                let error = Pose::new(random.vector() * size, exp_rotation(random.vector() * size));
                let [a, b] = *joint.frames();
                cx.b.pose = cx.a.pose * a * error * b.inverse();
                cx.b.com = cx.b.pose.point(com);
                check(&joint, &cx);
            }
        }
    }
}
