//! Holds what a joint or constraint states against finite differences of its own gaps: the test every
//! row has to pass, for built-in joints and for those of a user's own.
//!
//! Compared   J with first differences of φ; J̇ v (differences of J v along the motion) and the
//!            geometric stiffness with second differences of φ along straight motions
//! Result     largest error relative to the largest entry; good rows are below 1e-6

use super::{Constraint, ConstraintCx};
use crate::curvature::stiffness;
use crate::joint::{Joint, JointCx};
use crate::memory::JointMemory;
use glam::DVec3;
use rb_core::math::Twist;
use rb_core::row::RowKind;

/// Largest relative errors found by a check.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// Of J.
    pub jacobian: f64,
    /// Of J̇ v.
    pub bend: f64,
    /// Of the geometric stiffness.
    pub stiffness: f64,
}

impl Errors {
    /// The largest of them.
    pub fn worst(&self) -> f64 {
        self.jacobian.max(self.bend).max(self.stiffness)
    }
}

/// One row as the check sees it: slot, gap, J per body.
type Seen = (u8, f64, Vec<Twist>);

/// Checks the position rows and coordinates of a joint at one state. Rows within 0.1 of a jump of an
/// angle at half a turn are left out.
pub fn check_joint(joint: &dyn Joint, cx: &JointCx, memory: &JointMemory) -> Errors {
    let see = |by: &[Twist]| {
        let rows = cx.rows_at(joint, memory, by);
        let position = |r: &&rb_core::row::Row| matches!(r.kind, RowKind::Position { .. });
        let rows = rows.iter().filter(position);
        let mut seen: Vec<Seen> = rows.map(|r| (r.slot, r.gap, r.jac.to_vec())).collect();
        let coordinates = joint.coordinates(&cx.displaced(by), memory);
        for (k, c) in coordinates.iter().enumerate() {
            seen.push((200 + k as u8, c.value, c.jac.to_vec()));
        }
        seen
    };
    compare(&see, &[cx.a.vel, cx.b.vel], |_| None)
}

/// Checks the position rows of a constraint at one state, and its J̇ v where it gives one.
pub fn check_constraint(constraint: &dyn Constraint, cx: &ConstraintCx) -> Errors {
    let see = |by: &[Twist]| {
        let rows = cx.rows_at(constraint, by);
        let position = |r: &super::ConstraintRow| matches!(r.row.kind, RowKind::Position { .. });
        let rows = rows.into_iter().filter(position);
        rows.map(|r| (r.row.slot, r.row.gap, r.jac.to_vec()))
            .collect()
    };
    let velocity: Vec<Twist> = cx.bodies.iter().map(|b| b.vel).collect();
    compare(&see, &velocity, |slot| constraint.bend(cx, slot))
}

fn compare(
    see: &dyn Fn(&[Twist]) -> Vec<Seen>,
    velocity: &[Twist],
    given: impl Fn(u8) -> Option<f64>,
) -> Errors {
    let n = velocity.len();
    let here = see(&vec![Twist::ZERO; n]);
    let gap = |slot: u8, by: &[Twist]| {
        let found = see(by).into_iter().find(|s| s.0 == slot);
        found.map_or(f64::NAN, |s| s.1)
    };
    let mut out = Errors::default();
    for (slot, value, jac) in here.iter().filter(|s| s.0 >= 200 || s.1.abs() < 3.04) {
        let first = |by: &[Twist]| {
            let [p, m, pp, mm] = [1e-4, -1e-4, 2e-4, -2e-4].map(|t| gap(*slot, &times(by, t)));
            (8.0 * (p - m) - (pp - mm)) / (12.0 * 1e-4)
        };
        let second = |by: &[Twist]| {
            let [p, m, pp, mm] = [2e-3, -2e-3, 4e-3, -4e-3].map(|t| gap(*slot, &times(by, t)));
            (16.0 * (p + m) - (pp + mm) - 30.0 * value) / (12.0 * 2e-3 * 2e-3)
        };
        let slope = |by: &[Twist]| {
            let rate = |t: f64| {
                let rows = see(&times(by, t));
                let row = rows.iter().find(|s| s.0 == *slot);
                row.map_or(f64::NAN, |s| dot(&s.2, by))
            };
            let [p, m, pp, mm] = [2e-4, -2e-4, 4e-4, -4e-4].map(rate);
            (8.0 * (p - m) - (pp - mm)) / (12.0 * 2e-4)
        };
        let scale = jac
            .iter()
            .fold(1.0f64, |s, j| s.max(j.lin.length()).max(j.ang.length()));
        for by in (0..6 * n).map(|d| unit(n, d)) {
            let wrong = (first(&by) - dot(jac, &by)).abs() / scale;
            // A one-sided row that vanishes within the difference has nothing to compare.
            out.jacobian = out.jacobian.max(wrong);
        }
        let along = second(velocity);
        let scale = scale.max(along.abs());
        out.bend = out.bend.max((slope(velocity) - along).abs() / scale);
        if let Some(bend) = given(*slot) {
            out.bend = out.bend.max((bend - along).abs() / scale);
        }
        let k = stiffness(n, |by| {
            let rows = see(by);
            let row = rows.into_iter().find(|s| s.0 == *slot);
            row.map_or_else(|| vec![Twist::ZERO; n], |s| s.2)
        });
        let size = k.iter().fold(scale, |s, x| s.max(x.abs()));
        let quadratic = {
            let flat: Vec<f64> = velocity.iter().flat_map(components).collect();
            let product = |i: usize| (0..6 * n).map(|j| k[i * 6 * n + j] * flat[j]).sum::<f64>();
            (0..6 * n).map(|i| flat[i] * product(i)).sum::<f64>()
        };
        out.stiffness = out.stiffness.max((quadratic - along).abs() / size);
    }
    out
}

fn times(by: &[Twist], t: f64) -> Vec<Twist> {
    by.iter().map(|b| *b * t).collect()
}

fn dot(jac: &[Twist], by: &[Twist]) -> f64 {
    jac.iter().zip(by).map(|(j, b)| j.dot(b)).sum()
}

fn components(t: &Twist) -> [f64; 6] {
    [t.lin.x, t.lin.y, t.lin.z, t.ang.x, t.ang.y, t.ang.z]
}

fn unit(n: usize, direction: usize) -> Vec<Twist> {
    let mut by = vec![Twist::ZERO; n];
    let axis = DVec3::AXES[direction % 3];
    if direction % 6 < 3 {
        by[direction / 6].lin = axis;
    } else {
        by[direction / 6].ang = axis;
    }
    by
}
