//! J, J̇ v and the geometric stiffness of every joint of the registry, of every quantity and of
//! every constructor of rows with a gap, held against differences of their own gaps by the check offered to users.

mod common;

use common::{Random, driven, remembered};
use glam::DVec3;
use rb_core::compliance::Compliance;
use rb_core::handle::{BodyHandle, JointHandle};
use rb_core::math::Twist;
use rb_core::row::{Row, RowKind};
use rb_joints::{
    AnyJoint, Axis, Constraint, ConstraintCx, ConstraintRow, ConstraintRows, Coupling, Joint,
    JointBody, JointMemory, JointView, Quantity, check_constraint, check_joint,
};

/// Away from where angles jump or axes lose their direction.
fn regular(joint: &AnyJoint, cx: &rb_joints::JointCx, memory: &JointMemory) -> bool {
    let [a, b] = joint.frames();
    let relative = (cx.a.pose * *a).relative(&(cx.b.pose * *b));
    let z = relative.q * DVec3::Z;
    let tilt = (z.x * z.x + z.y * z.y).sqrt();
    let crossing = (relative.q * DVec3::Y).x;
    let near_jump = joint.coordinates(cx, memory).iter().any(|c| {
        c.axis.is_angular()
            && (c.value.abs() > 3.0 || (c.axis != Axis::AngZ && c.value.abs() < 0.1))
    });
    z.z > -0.8 && tilt > 0.1 && crossing.abs() < 0.8 && !near_jump && relative.p.length() > 0.3
}

#[test]
fn every_joint_of_the_registry() {
    let mut random = Random::new(7);
    let mut worst = vec![(0.0f64, 0.0f64, 0.0f64, 0); AnyJoint::NAMES.len()];
    for _ in 0..60 {
        let cx = random.state();
        for (k, joint) in driven(&mut random).iter().enumerate() {
            let memory = remembered(joint, &cx);
            if !regular(joint, &cx, &memory) {
                continue;
            }
            let e = check_joint(joint, &cx, &memory);
            let w = &mut worst[k];
            *w = (
                w.0.max(e.jacobian),
                w.1.max(e.bend),
                w.2.max(e.stiffness),
                w.3 + 1,
            );
            assert!(e.worst() < 1e-6, "{}: {e:?}", joint.name());
        }
    }
    for (name, w) in AnyJoint::NAMES.iter().zip(worst) {
        println!(
            "{name:12} J {:.1e}, bend {:.1e}, stiffness {:.1e}, {} states",
            w.0, w.1, w.2, w.3
        );
        assert!(w.3 > 3, "{name} was hardly checked");
    }
}

#[test]
fn every_quantity() {
    let mut random = Random::new(8);
    let handles: Vec<BodyHandle> = (0..4).map(|k| BodyHandle::from_raw(k, 0)).collect();
    let h = |k: usize| handles[k];
    let mut worst = 0.0f64;
    for _ in 0..40 {
        let bodies: Vec<JointBody> = (0..4).map(|_| random.body()).collect();
        let e = random.vector().normalize();
        let (r, s) = (random.vector(), random.vector());
        let distance = Quantity::distance(h(0), r, h(1), s);
        let mean = Quantity::Mean {
            bodies: vec![(h(0), 1.0), (h(1), 2.5), (h(3), 0.3)],
            along: e,
        };
        let terms = [
            (0.7, Quantity::point(h(2), r, e)),
            (-1.3, distance.clone()),
            (2.0, Quantity::sum([(0.5, mean.clone())]).plus(0.2)),
        ];
        let all = [
            Quantity::point(h(1), s, e),
            distance,
            mean,
            Quantity::sum(terms),
        ];
        for quantity in all {
            let cx = ConstraintCx {
                bodies: &bodies,
                handles: &handles,
                joints: &[],
                h: 0.01,
                time: 0.0,
            };
            let value = quantity.measure(&cx).unwrap().value;
            let coupling = Coupling::new(quantity.clone()).hold(value - 0.1);
            let e = check_constraint(&coupling, &cx);
            assert!(e.worst() < 1e-6, "{quantity:?}: {e:?}");
            worst = worst.max(e.worst());
        }
    }
    println!("quantities: J, bend and stiffness {worst:.1e}");
}

/// A constructor of a row with a gap, from J, the gap and the context.
type Make = fn([Twist; 2], f64) -> Row;

/// Rows over the sum of two distances, stated by one constructor and looked at as positions.
#[derive(Debug)]
struct Stated(Quantity, Make);

impl Constraint for Stated {
    fn rows(&self, cx: &ConstraintCx, out: &mut ConstraintRows) {
        let m = self.0.measure(cx).unwrap();
        let mut row = ConstraintRow::new(m.jac, |j| (self.1)(j, m.value));
        row.row.kind = RowKind::HARD;
        out.push(row);
    }
}

#[test]
fn every_constructor_keeps_the_gap_and_its_derivative_together() {
    let all: [(&str, Make); 9] = [
        ("bilateral", |j, q| Row::bilateral(j, q, 0)),
        ("unilateral", |j, q| Row::unilateral(j, q, 0)),
        ("compliant", |j, q| {
            Row::compliant(j, q, Compliance::new(1e-3, 0.02).unwrap(), 0)
        }),
        ("spring", |j, q| Row::spring(j, q, 30.0, 1.0, 0)),
        ("prescribed", |j, q| Row::prescribed(j, q, 0.3, 0)),
        ("acceleration", |j, q| {
            Row::acceleration(j, q, 0.1, 0.2, [1.0, 2.0], 0)
        }),
        ("pd", |j, q| {
            Row::pd(j, q, 0.3, [40.0, 2.0], 5.0, common::H, 0)
        }),
        ("restitution", |j, q| Row::restitution(j, q, 0.5, 0.05, 0)),
        ("reversed", |j, q| Row::unilateral(j, q, 0).reversed()),
    ];
    let mut random = Random::new(10);
    for (name, make) in all {
        let mut worst = [0.0f64; 3];
        for _ in 0..20 {
            let bodies: Vec<JointBody> = (0..3).map(|_| random.body()).collect();
            let handles: Vec<BodyHandle> = (0..3).map(|k| BodyHandle::from_raw(k, 0)).collect();
            let mut span = |a: usize, b: usize| {
                Quantity::distance(handles[a], random.vector(), handles[b], random.vector())
            };
            let quantity = Quantity::sum([(1.0, span(0, 1)), (-0.4, span(1, 2))]);
            let cx = ConstraintCx {
                bodies: &bodies,
                handles: &handles,
                joints: &[],
                h: common::H,
                time: 0.0,
            };
            let e = check_constraint(&Stated(quantity, make), &cx);
            let found = [e.jacobian, e.bend, e.stiffness];
            worst.iter_mut().zip(found).for_each(|(w, e)| *w = w.max(e));
        }
        let [j, bend, stiffness] = worst;
        println!("{name:12} J {j:.1e}, bend {bend:.1e}, stiffness {stiffness:.1e}");
        assert!(worst.iter().all(|w| *w < 1e-6), "{name}: {worst:?}");
    }
}

#[test]
fn a_coordinate_of_a_joint_is_passed_on_unchanged() {
    let mut random = Random::new(9);
    let joint = AnyJoint::all(random.pose(), random.pose()).swap_remove(1);
    let cx = random.state();
    let coordinates = joint.coordinates(&cx, &JointMemory::default());
    let handle = JointHandle::from_raw(3, 1);
    let view = JointView {
        joint: handle,
        bodies: [1, 0],
        coordinates: coordinates.clone(),
    };
    let handles = [0, 1].map(|k| BodyHandle::from_raw(k, 0));
    let bodies = [cx.b, cx.a];
    let wide = ConstraintCx {
        bodies: &bodies,
        handles: &handles,
        joints: &[view],
        h: 0.01,
        time: 0.0,
    };
    let m = Quantity::joint(handle, Axis::AngZ).measure(&wide).unwrap();
    assert_eq!(m.value, coordinates[0].value);
    assert_eq!([m.jac[1], m.jac[0]], coordinates[0].jac);
}
