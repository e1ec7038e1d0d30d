//! A step with the joints in lanes as well: islands with too many joints for a direct solve.
//!
//! Joints are softened, swept like contacts and together with them. Their rows are stated anew at the
//! poses of every substep and go straight into lanes, eight joints at a time.

use super::assemble::see;
use super::{Island, Shared};
use crate::island::fast::advance;
use glam::{DMat3, DVec3};
use rb_core::discretise::Discretiser;
use rb_core::integrate::lever;
use rb_core::math::Twist;
use rb_core::params::{GeometricStiffness, Gyroscopic};
use rb_core::problem::Pass;
use rb_core::row::Row;
use rb_core::stabilise::Stabilisation;
use rb_joints::{Joint, JointCx, Rows, Yield};
use rb_solve::lanes::LaneRow;

impl Island {
    /// Whether the joints of this step go to lanes.
    pub(super) fn takes_links(&self, shared: &Shared) -> bool {
        let params = shared.params;
        let plain = |i: u32| shared.contacts.is_plain(i as usize);
        let lone = |slot: u32| {
            let joint = shared.joints.slot(slot);
            joint.is_some_and(|j| !matches!(j.desc.options.yields, Yield::Block { .. }))
        };
        self.scratch.plan.work.is_none()
            && self.constraints.is_empty()
            && shared.solver.shares_contacts()
            && self.escalated.reason.is_none()
            && params.contact.softening.is_some()
            && params.gyroscopic == Gyroscopic::Implicit
            && params.geometric == GeometricStiffness::Off
            && self.contacts.iter().all(|c| plain(c.manifold))
            && self.joints.iter().all(|j| lone(j.slot))
    }

    /// Runs all substeps with joints and contacts in lanes; says whether the result may stand: finite,
    /// and every row one that lanes can hold.
    pub(super) fn step_linked(&mut self, shared: &Shared) -> bool {
        let numbers = Discretiser::new(shared.params, shared.h);
        self.pack(shared, &numbers);
        let joints = self.joints.iter();
        let joints = joints.map(|j| (j.movers, j.memory.impulses().len()));
        self.links.seat(joints, self.movable, self.movers.len());
        self.elapsed = 0.0;
        for _ in 0..shared.params.substeps {
            if !self.linked_substep(shared, &numbers) {
                return false;
            }
            self.elapsed += shared.h;
        }
        self.unsound().is_empty()
    }

    fn linked_substep(&mut self, shared: &Shared, numbers: &Discretiser) -> bool {
        for (i, m) in self.movers.iter_mut().enumerate() {
            m.refresh();
            let free = m.predict(shared.h, shared.params.gyroscopic);
            self.lanes.set_free(i, &free);
        }
        if !self.link(shared, numbers) {
            return false;
        }
        for (i, (m, pull)) in self.movers.iter_mut().zip(&self.levers).enumerate() {
            let mut free = self.lanes.free(i);
            m.stiffen(shared.h, *pull, &mut free);
            self.lanes.set_mass(i, &m.inv);
            self.lanes.set_free(i, &free);
            self.lanes.set_velocity(i, &free);
        }
        self.links.prepare(&self.lanes);
        self.pose_special(numbers);
        self.lanes.warm();
        self.links.warm(&mut self.lanes);
        let sweeps = shared.params.sweeps;
        self.sweep_linked(numbers, Pass::Position, sweeps.position);
        for (i, m) in self.movers.iter_mut().enumerate() {
            advance(m, shared, &self.lanes.velocity(i));
            self.lanes.set_moved(i, &m.moved);
        }
        self.sweep_linked(numbers, Pass::Velocity, sweeps.velocity);
        for (i, m) in self.movers.iter_mut().enumerate() {
            m.vel = self.lanes.velocity(i);
        }
        for (j, joint) in self.joints.iter_mut().enumerate() {
            joint.memory.store(self.links.impulses(j));
        }
        true
    }

    fn sweep_linked(&mut self, numbers: &Discretiser, pass: Pass, sweeps: u32) {
        for k in 0..sweeps {
            let backwards = k % 2 == 1;
            self.links.sweep(&mut self.lanes, pass, backwards);
            self.lanes.sweep(pass, numbers, backwards);
        }
        self.outcome.iterations += sweeps;
    }

    /// States all joints at the present poses, into lanes, and the geometric stiffness of each body from
    /// their last impulses. False if there is a row lanes cannot hold.
    fn link(&mut self, shared: &Shared, numbers: &Discretiser) -> bool {
        self.seen.clear();
        self.seen.extend(self.movers.iter().map(see));
        self.levers.clear();
        self.levers.resize(self.movers.len(), DMat3::ZERO);
        self.links.clear_rows();
        let mut rows = std::mem::take(&mut self.rows);
        let mut held = true;
        for batch in 0..self.links.batches() {
            self.links.open();
            for lane in 0..rb_core::contact_block::LANES {
                if let Some(j) = self.links.joint(batch, lane) {
                    held &= self.link_one(shared, numbers, j as usize, lane, &mut rows);
                }
            }
            self.links.close(batch);
        }
        self.rows = rows;
        held
    }

    /// States joint `j` into a lane of the open batch.
    fn link_one(
        &mut self,
        shared: &Shared,
        numbers: &Discretiser,
        j: usize,
        lane: usize,
        rows: &mut Rows,
    ) -> bool {
        let joint = &self.joints[j];
        let Some(slot) = shared.joints.slot(joint.slot) else {
            return false;
        };
        let sides = joint.movers.map(|m| m as usize);
        let cx = JointCx {
            a: self.seen[sides[0]],
            b: self.seen[sides[1]],
            h: shared.h,
        };
        rows.clear();
        slot.desc.kind.rows(&cx, &joint.memory, rows);
        let options = &slot.desc.options;
        if !options.is_default() {
            options.apply(rows);
        }
        let reach = |m: usize| {
            let m = &self.movers[m];
            if m.inv.is_zero() { 0.0 } else { m.extent }
        };
        let extent = reach(sides[0]).max(reach(sides[1]));
        let before = [cx.a.vel, cx.b.vel];
        let along = |row: &Row, v: [Twist; 2]| row.jac[0].dot(&v[0]) + row.jac[1].dot(&v[1]);
        let mut pull = DVec3::ZERO;
        for row in &*rows {
            pull += row.jac[1].lin * row.warm;
            let free = || sides.map(|m| self.lanes.free(m));
            let rates = || [along(row, before), along(row, free())];
            let terms = numbers.terms(row, rates);
            let iterated = numbers.way(row) == Some(Stabilisation::Iterated);
            let Some(row) = LaneRow::new(row, terms, extent).filter(|_| !iterated) else {
                return false;
            };
            if !self.links.put(lane, &row) {
                return false;
            }
        }
        for (side, (body, pull)) in [(&cx.a, -pull), (&cx.b, pull)].into_iter().enumerate() {
            let arm = body.pose.point(slot.desc.kind.frames()[side].p) - body.com;
            self.levers[sides[side]] += lever(arm, pull);
        }
        true
    }
}
