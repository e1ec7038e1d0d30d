//! From joint coordinates to poses: setting the coordinates and rates of a joint moves all that hangs
//! on it.
//!
//! Position   X_b = X_a F_a P(q) F_b⁻¹ with P by [`Joint::placement`]; what hangs on b follows rigidly,
//!            so that all other joints keep their coordinates to rounding
//! Rates      the velocity of b solves J_lock v = 0, J_q v = q̇ (six equations for six unknowns); what
//!            hangs on b is carried along
//! Trees      set from the root outwards, n joints cost n passes; joints that close a loop cannot be
//!            set, they follow from the others
//! Source     R. Featherstone, "Rigid Body Dynamics Algorithms", 2008, §4.4 (joint models)

use crate::bodies::dead;
use crate::world::World;
use glam::DVec3;
use rb_core::body::{BodyKind, SOUND, sound};
use rb_core::handle::{BodyHandle, JointHandle};
use rb_core::math::{Pose, Twist};
use rb_core::{Error, Result, error::check};
use rb_joints::{AnyJoint, Joint, JointBody, JointCx, JointMemory, Rows, is_rigid};

impl World {
    /// Sets the free coordinates (m, rad) and rates (m/s, rad/s) of a joint, in the order of
    /// [`coordinates`](Self::coordinates). b and all that is connected to it by joints move; a stays.
    ///
    /// # Errors
    /// Dead handle, a wrong number of values, numbers that are not finite or lead to such or beyond
    /// the bounds of a state, a joint whose
    /// coordinates do not fix the pose or that is singular there, a loop back to a, or a body on b's side that
    /// is not dynamic. Nothing has changed then.
    pub fn set_coordinates(
        &mut self,
        joint: JointHandle,
        values: &[f64],
        rates: &[f64],
    ) -> Result<()> {
        let free = self.coordinates(joint)?;
        for (argument, given) in [("values", values), ("rates", rates)] {
            if given.len() != free.len() {
                return Err(refused(
                    argument,
                    format!("this joint has {} free coordinates", free.len()),
                ));
            }
            given
                .iter()
                .try_for_each(|&x| check::finite(argument, x).map(|_| ()))?;
        }
        // Poses do not show it of angles, whose whole turns are kept beside them.
        if values.iter().any(|x| x.abs() >= SOUND) {
            return Err(out_of_the_world());
        }
        let [a, b] = self.joint_bodies(joint)?;
        let moved = self.hanging_on(b, a, joint)?;
        let mut by_axis = [0.0; 6];
        for (c, &value) in free.iter().zip(values) {
            by_axis[c.axis.index()] = value;
        }
        let Some(slot) = self.state.joints.get(joint) else {
            return Err(dead("joint", &joint));
        };
        let kind = &slot.desc.kind;
        let Some(placed) = kind.placement(&by_axis) else {
            return Err(refused(
                "joint",
                "its coordinates do not fix the pose".into(),
            ));
        };
        let [fa, fb] = *kind.frames();
        let after = self.pose(a)? * fa * placed * fb.inverse();
        let by = after * self.pose(b)?.inverse();
        let mut memory = slot.memory.clone();
        memory.angle.copy_from_slice(&by_axis[3..]);
        memory.store([]);
        let mut cx = self.state.joint_cx(slot);
        let vel = cx.b.vel;
        cx.b = JointBody {
            pose: after,
            com: by.point(cx.b.com),
            vel: Twist::new(by.q * vel.lin, by.q * vel.ang),
        };
        let change = rates_of(kind, &cx, &memory, rates)? - cx.b.vel;
        let arrivals = self.arrivals(&moved, &by, (change, cx.b.com))?;
        // Nothing is refused from here on: an edit is made whole or not at all.
        for (body, pose, v) in arrivals {
            self.set_pose(body, pose)?;
            self.set_velocity(body, v.lin, v.ang)?;
        }
        if let Some(slot) = self.state.joints.get_mut(joint) {
            slot.memory = memory;
            self.state.rejoined = true;
        }
        Ok(())
    }

    /// Bodies connected to `from` without passing the joint; `stop` must not be among them.
    fn hanging_on(
        &self,
        from: BodyHandle,
        stop: BodyHandle,
        joint: JointHandle,
    ) -> Result<Vec<BodyHandle>> {
        let mut found = vec![from];
        let mut next = 0;
        while next < found.len() {
            let body = found[next];
            next += 1;
            if self.body(body)?.kind != BodyKind::Dynamic {
                let reason = "a body on b's side of the joint cannot move; connect it as a";
                return Err(refused("joint", reason.into()));
            }
            for &other in self.joints_of(body)?.iter().filter(|&&j| j != joint) {
                for end in self.joint_bodies(other)? {
                    if end == stop {
                        let reason = "a loop leads back to a: set the joints of a spanning tree";
                        return Err(refused("joint", reason.into()));
                    }
                    if !found.contains(&end) {
                        found.push(end);
                    }
                }
            }
        }
        Ok(found)
    }

    /// Where bodies carried along rigidly arrive, and how they move there: with them turn their velocities, which
    /// change by a twist at a point.
    fn arrivals(
        &self,
        bodies: &[BodyHandle],
        by: &Pose,
        (change, pivot): (Twist, DVec3),
    ) -> Result<Vec<(BodyHandle, Pose, Twist)>> {
        let arrival = |&body: &BodyHandle| {
            let b = self.body(body)?;
            let (pose, com) = (*by * b.pose(), by.point(b.com));
            let lin = by.q * b.vel.lin + change.at(com - pivot);
            let ang = by.q * b.vel.ang + change.ang;
            // What a step would take for an accident and freeze.
            if !(sound(pose.p) && sound(com)) {
                return Err(out_of_the_world());
            }
            if !(sound(lin) && sound(ang)) {
                return Err(refused(
                    "rates",
                    "they lead to no speed a body may have".into(),
                ));
            }
            let pose = Pose::new(pose.p, check::rotation("values", pose.q)?);
            Ok((body, pose, Twist::new(lin, ang)))
        };
        bodies.iter().map(arrival).collect()
    }
}

/// The velocity of b at which the locked directions stand still and the free ones have `rates`.
fn rates_of(kind: &AnyJoint, cx: &JointCx, memory: &JointMemory, rates: &[f64]) -> Result<Twist> {
    let mut rows = Rows::new();
    kind.constraints(cx, memory, &mut rows);
    let locked = rows.iter().filter(|r| is_rigid(r)).map(|r| (r.jac, 0.0));
    let free = kind.coordinates(cx, memory);
    let free = free.iter().zip(rates).map(|(c, &rate)| (c.jac, rate));
    let equations = locked
        .chain(free)
        .map(|(jac, rate)| (components(&jac[1]), rate - jac[0].dot(&cx.a.vel)));
    solve(equations.collect())
        .ok_or_else(|| refused("rates", "the joint is singular at these coordinates".into()))
}

fn out_of_the_world() -> Error {
    refused("values", "they lead out of the world".into())
}

fn refused(argument: &'static str, reason: String) -> Error {
    Error::Contradiction { argument, reason }
}

fn components(t: &Twist) -> [f64; 6] {
    [t.lin.x, t.lin.y, t.lin.z, t.ang.x, t.ang.y, t.ang.z]
}

/// Six equations for a twist, by elimination with row exchange; `None` if they are not independent.
fn solve(mut equations: Vec<([f64; 6], f64)>) -> Option<Twist> {
    if equations.len() != 6 {
        return None;
    }
    for k in 0..6 {
        let size = |i: &usize| equations[*i].0[k].abs();
        let best = (k..6).max_by(|i, j| size(i).total_cmp(&size(j)))?;
        if size(&best) < 1e-12 {
            return None;
        }
        equations.swap(k, best);
        let (pivot, right) = equations[k];
        for (row, b) in equations.iter_mut().skip(k + 1) {
            let factor = row[k] / pivot[k];
            (k..6).for_each(|j| row[j] -= factor * pivot[j]);
            *b -= factor * right;
        }
    }
    let mut x = [0.0; 6];
    for k in (0..6).rev() {
        let (row, b) = &equations[k];
        let known: f64 = (k + 1..6).map(|j| row[j] * x[j]).sum();
        x[k] = (b - known) / row[k];
    }
    let [a, b, c, d, e, f] = x;
    Some(Twist::new(
        glam::DVec3::new(a, b, c),
        glam::DVec3::new(d, e, f),
    ))
}
