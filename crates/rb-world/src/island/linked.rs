//! A step with the joints in lanes as well, eight at a time: rows go there straight from their joints.
//!
//! *Islands with too many joints for a direct solve* have softened joints, swept like contacts and together
//! with them.
//!
//! *Trees of joints* of which several are alike are hard, swept together with contacts and then solved
//! exactly, eight trees side by side. Lone trees go the way of `beside`.
//!
//! Hard anchored rows are stated once per step and then carried along with their bodies, which gives the same
//! rows; the others are stated in every substep, if the joint had any at the start of the step. A stop of a
//! joint that had none takes part from the next step on: it has a row from two substeps before it is
//! reached, so that it may come late above 12 rad/s.

use super::assemble::see;
use super::{Island, Shared};
use glam::{DMat3, DVec3};
use rb_core::discretise::Discretiser;
use rb_core::math::{Pose, Twist};
use rb_core::params::{GeometricStiffness, Gyroscopic};
use rb_core::problem::Pass;
use rb_core::row::{Course, Row};
use rb_core::stabilise::Stabilisation;
use rb_joints::{Joint, JointBody, JointCx, Rows, pin};
use rb_solve::lanes::LANES;
use rb_solve::lanes::{Carried, LanePin, LaneRow};

/// Trees of one topology from which on, on average, they are solved side by side.
const ALIKE: usize = 2;

impl Island {
    /// Whether the joints of this step go to lanes.
    pub(super) fn takes_links(&self, shared: &Shared) -> bool {
        let params = shared.params;
        !self.joints.is_empty()
            && self.constraints.is_empty()
            && self.clusters.is_empty()
            && shared.solver.shares_contacts()
            && self.escalated.reason.is_none()
            && params.contact.softening.is_some()
            && params.gyroscopic == Gyroscopic::Implicit
            && params.geometric == GeometricStiffness::Off
            && self.contacts.iter().all(|c| c.plain)
            && !self.coupled
    }

    /// Whether the joints are trees, or near enough, to be solved exactly.
    pub(super) fn has_trees(&self) -> bool {
        self.scratch.plan.work.is_some()
    }

    /// Runs all substeps with joints and contacts in lanes. An island with a row that lanes cannot hold
    /// is no longer `linked`.
    pub(super) fn step_linked(&mut self, shared: &Shared) {
        let mut numbers = Discretiser::new(shared.params, shared.h);
        self.pack(shared, &numbers);
        if self.has_trees() {
            // Solved exactly, so they need no softening, and rigid rows keep the energy.
            numbers.joint_step = None;
        }
        self.begin_substeps();
        for k in 0..shared.params.substeps {
            self.linked = self.linked_substep(shared, &numbers, k == 0);
            if !self.linked {
                return;
            }
            self.end_substep(shared);
        }
        for (i, m) in self.movers.iter_mut().enumerate() {
            m.vel = self.lanes.velocity(i);
        }
        self.links.part_points();
        for (j, joint) in self.joints.iter_mut().enumerate() {
            joint.memory.store(self.links.impulses(j));
        }
    }

    /// Gives all joints their seats; false if they are trees that would leave most lanes idle.
    pub(super) fn seat(&mut self) -> bool {
        let (bodies, plan) = (self.movers.len(), &self.scratch.plan);
        if self.has_trees() {
            let links = &mut self.links;
            links.seat_trees(&self.pairs, plan, self.movable, bodies);
            return self.joints.len() >= ALIKE * links.batches();
        }
        let joints = self.joints.iter();
        let joints = joints.map(|j| (j.movers, j.memory.impulses().len()));
        self.links.seat(joints, self.movable, bodies);
        true
    }

    fn linked_substep(&mut self, shared: &Shared, numbers: &Discretiser, first: bool) -> bool {
        for (i, m) in self.movers.iter_mut().enumerate() {
            if !first {
                m.vel = self.lanes.velocity(i);
            }
            m.refresh();
            let free = m.predict(shared.h, shared.params.gyroscopic);
            self.lanes.set_mass(i, &m.inv);
            self.lanes.set_free(i, &free);
        }
        if !first {
            self.links.carry(numbers);
        }
        if !self.link(shared, numbers, first) {
            return false;
        }
        self.links.pull();
        for (i, m) in self.movers.iter_mut().enumerate() {
            let mut free = self.lanes.free(i);
            if m.stiffen(shared.h, self.links.lever(i), &mut free) {
                self.lanes.set_mass(i, &m.inv);
                self.lanes.set_free(i, &free);
            }
            self.lanes.set_velocity(i, &free);
        }
        self.links.prepare(&self.lanes);
        if self.has_trees() {
            self.links.lay_out(&self.scratch.plan);
        }
        self.pose(numbers);
        self.lanes.warm();
        self.links.warm(&mut self.lanes);
        self.solve_linked(shared, numbers, Pass::Position);
        for (i, m) in self.movers.iter_mut().enumerate() {
            let (com, q) = (m.com, m.q);
            let (scheme, gyroscopic) = (&shared.params.scheme, shared.params.gyroscopic);
            m.advance_by_scheme(shared.h, scheme, self.lanes.velocity(i), gyroscopic);
            self.lanes.set_moved(i, &m.moved);
            self.links.set_turned(i, m.com - com, m.q * q.conjugate());
        }
        let again = !self.has_trees() || !self.contacts.is_empty();
        if again || !self.links.passes_agree() {
            self.solve_linked(shared, numbers, Pass::Velocity);
        }
        true
    }

    /// One pass: sweeps over joints and contacts, then the trees exactly.
    fn solve_linked(&mut self, shared: &Shared, numbers: &Discretiser, pass: Pass) {
        let number = match self.has_trees() {
            true if self.contacts.is_empty() => 0,
            true => shared.params.sweeps.coupled,
            false => self.sweeps(shared, pass),
        };
        self.sweep_linked(numbers, pass, number);
        if self.has_trees() {
            let plan = &self.scratch.plan;
            self.links.settle(&mut self.lanes, plan, pass);
            self.outcome.iterations += 1;
        }
    }

    fn sweep_linked(&mut self, numbers: &Discretiser, pass: Pass, sweeps: u32) {
        for k in 0..sweeps {
            let backwards = self.backwards() != (k % 2 == 1);
            self.links.sweep(&mut self.lanes, pass, backwards);
            self.lanes.sweep(pass, numbers, backwards);
        }
        self.outcome.iterations += sweeps;
    }

    /// States joints at the present poses, into lanes: all of them, or those that are not carried along.
    /// False if there is a row lanes cannot hold.
    fn link(&mut self, shared: &Shared, numbers: &Discretiser, all: bool) -> bool {
        self.links.begin();
        if !all && numbers.joint_step.is_some() && self.links.all_carried() {
            return true;
        }
        self.seen.clear();
        self.seen.extend(self.movers.iter().map(see));
        for (i, m) in self.movers.iter().enumerate().filter(|_| all) {
            self.links.set_turned(i, m.com, m.q);
        }
        let mut rows = std::mem::take(&mut self.rows);
        let mut held = true;
        for batch in 0..self.links.batches() {
            let done = match all {
                true => self.link_pins(numbers, batch),
                false => self.is_carried(numbers, batch),
            };
            held &= done || self.link_batch(shared, numbers, batch, all, &mut rows);
        }
        self.rows = rows;
        if all {
            self.links.carry_pins(numbers);
        }
        held
    }

    /// Whether nothing of a batch has to be stated in the present substep. Rigid joints state their stops
    /// whenever they are near.
    fn is_carried(&self, numbers: &Discretiser, batch: usize) -> bool {
        let rigid = numbers.joint_step.is_none();
        self.links.carried(batch) == Carried::All && !(rigid && self.has_others(batch))
    }

    /// Whether a batch has joints that may do more than hold two points together.
    fn has_others(&self, batch: usize) -> bool {
        let joints = (0..LANES).map_while(|lane| self.links.joint(batch, lane));
        let mut joints = joints.map(|j| &self.joints[j as usize]);
        joints.any(|joint| joint.pin.is_none())
    }

    /// States a batch, or what of it is not carried along.
    fn link_batch(
        &mut self,
        shared: &Shared,
        numbers: &Discretiser,
        batch: usize,
        all: bool,
        rows: &mut Rows,
    ) -> bool {
        let behind = !all && self.links.carried(batch) != Carried::None;
        match behind {
            true => self.links.open_behind(batch),
            false => self.links.open(),
        }
        let mut held = true;
        for lane in 0..LANES {
            let Some(j) = self.links.joint(batch, lane) else {
                break;
            };
            if !all {
                let memory = &mut self.joints[j as usize].memory;
                memory.store(self.links.impulses(j as usize));
            }
            held &= self.link_one(shared, numbers, [j as usize, batch, lane], behind, rows);
        }
        self.links.close(batch);
        held
    }

    /// States a batch of softened joints that only hold two points together; false if there are others
    /// in it.
    fn link_pins(&mut self, numbers: &Discretiser, batch: usize) -> bool {
        let plain = numbers.stabilisation.is_none();
        let Some(step) = numbers.joint_step.filter(|_| plain) else {
            return false;
        };
        if self.has_others(batch) {
            return false;
        }
        let links = &mut self.links;
        links.open_pins(batch, step.reg, pin::SLOTS);
        for lane in 0..LANES {
            let joint = links.joint(batch, lane).map(|j| &self.joints[j as usize]);
            let Some((joint, [a, b])) = joint.and_then(|j| Some((j, j.pin?))) else {
                break;
            };
            let center = joint.movers.map(|m| self.movers[m as usize].com_local);
            let pin = LanePin {
                axes: DMat3::from_quat(a.q),
                arm: [a.p - center[0], b.p - center[1]],
                impulse: pin::impulse(&joint.memory),
            };
            links.put_pin(batch, lane, &pin);
        }
        true
    }

    /// States a joint into a lane of the open batch, or what of it is not carried along.
    fn link_one(
        &mut self,
        shared: &Shared,
        numbers: &Discretiser,
        [j, batch, lane]: [usize; 3],
        behind: bool,
        rows: &mut Rows,
    ) -> bool {
        let joint = &self.joints[j];
        let Some(slot) = shared.joints.slot(joint.slot) else {
            return false;
        };
        let sides = joint.movers.map(|m| m as usize);
        let [a, b] = sides.map(|m| self.seen[m]);
        let (cx, kind) = (JointCx { a, b, h: shared.h }, &slot.desc.kind);
        rows.clear();
        match behind {
            true => kind.loose_rows(&cx, &joint.memory, rows),
            false => kind.rows(&cx, &joint.memory, rows),
        }
        if !slot.desc.options.is_default() {
            slot.desc.options.apply(rows);
        }
        let place = (!behind).then(|| place(&cx, kind.frames()));
        if let Some((arms, apart)) = place {
            self.links.place(batch, lane, arms, apart);
        }
        let follows = |row: &LaneRow| {
            let fits = place.is_some_and(|(arms, apart)| row.fits(arms, apart));
            fits && numbers.depends_on_gap()
        };
        let extent = self.reach(sides[0]).max(self.reach(sides[1]));
        let along = |row: &Row, v: [Twist; 2]| row.jac[0].dot(&v[0]) + row.jac[1].dot(&v[1]);
        let (before, lanes) = ([cx.a.vel, cx.b.vel], &self.lanes);
        rows.iter().all(|stated| {
            if numbers.way(stated) == Some(Stabilisation::Iterated) {
                return false;
            }
            let free = || sides.map(|m| lanes.free(m));
            let terms = numbers.terms(stated, || [along(stated, before), along(stated, free())]);
            let Some(mut row) = LaneRow::new(stated, terms, extent) else {
                return false;
            };
            row.anchored = row.anchored && follows(&row);
            if stated.course == Course::Anchored && !row.anchored {
                self.links.keep_stating();
            }
            self.links.put(lane, &row)
        })
    }

    /// Extent of a body that can move (m).
    fn reach(&self, mover: usize) -> f64 {
        let m = &self.movers[mover];
        if m.inv.is_zero() { 0.0 } else { m.extent }
    }
}

/// Arms of a joint with these frames: from the centres of mass of a and b to the origins of its frames, and
/// from the centre of mass of a to that of b (m, world axes).
fn place(cx: &JointCx, [a, b]: &[Pose; 2]) -> ([DVec3; 2], DVec3) {
    let arm = |body: &JointBody, frame: &Pose| body.pose.point(frame.p) - body.com;
    ([arm(&cx.a, a), arm(&cx.b, b)], cx.b.com - cx.a.com)
}
