//! A step with the contacts in lanes: what most islands of a game get.
//!
//! The substep is that of `substep`, with what may be kept for a whole step kept: contact arms, axes
//! and effective masses. Islands of contacts alone share lanes with others (see
//! [`convoy`](super::convoy)), and so do those with joints in lanes (see [`fleet`](super::fleet)); here are
//! those with other joints or stiff clusters, and what all need.

use super::{Island, Shared};
use core::ops::Range;
use rb_core::discretise::Discretiser;
use rb_core::integrate::Mover;
use rb_core::law::{Law, LawSet};
use rb_core::math::Twist;
use rb_core::params::{GeometricStiffness, Gyroscopic};
use rb_core::problem::{Pass, Problem, ProblemBody};
use rb_core::residual::{Grade, Scaled, grade_beside};
use rb_core::solver::Budget;
use rb_solve::Pgs;
use rb_solve::lanes::{ContactLanes, PartedLanes};

impl Island {
    /// Whether the joints of this step go to the lanes of a fleet.
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
            && self.plain
            && !self.coupled
    }

    /// Whether the contacts of this step go to lanes: plain surfaces under the soft step.
    pub(super) fn takes_lanes(&self, shared: &Shared) -> bool {
        let params = shared.params;
        let bare = self.is_bare();
        shared.solver.shares_contacts()
            && self.escalated.reason.is_none()
            && params.contact.softening.is_some()
            && params.gyroscopic == Gyroscopic::Implicit
            && (bare || !self.contacts.is_empty())
            && self.plain
    }

    /// Whether there are contacts alone.
    fn is_bare(&self) -> bool {
        self.joints.is_empty() && self.constraints.is_empty()
    }

    /// Whether there is nothing but contacts in lanes, so that it may be swept with others.
    pub(crate) fn in_convoy(&self) -> bool {
        self.in_lanes && !self.linked && self.is_bare() && self.clusters.is_empty()
    }

    /// Whether it shares the lanes of its convoy.
    pub(super) fn joins_others(&self) -> bool {
        self.in_convoy() && self.section.is_none()
    }

    /// Runs all substeps with the contacts in lanes.
    pub(super) fn step_in_lanes(&mut self, shared: &Shared) {
        let numbers = Discretiser::new(shared.params, shared.h);
        self.pack(shared, &numbers);
        if !self.clusters.is_empty() {
            self.load_impulses(shared);
        }
        let joints = self.joints.iter();
        let joints = joints.map(|j| (j.movers, j.memory.impulses().len()));
        self.links.seat(joints, self.movable, self.movers.len());
        self.begin_substeps();
        for _ in 0..shared.substeps {
            self.joined_substep(shared, &numbers);
            self.end_substep(shared);
        }
        self.lanes.settle();
    }

    fn pack(&mut self, shared: &Shared, numbers: &Discretiser) {
        let lanes = &mut self.lanes;
        lanes.reset(self.movers.len());
        for (i, m) in self.movers.iter_mut().enumerate() {
            m.refresh();
            lanes.set_mass(i, &m.inv);
            lanes.set_velocity(i, &m.vel);
            lanes.set_free(i, &m.vel);
            lanes.set_moved(i, &m.moved);
        }
        let loose = &self.contacts[..self.loose];
        let contacts = loose.iter().map(|c| c.member(|m| m));
        let terms = shared.terms(numbers);
        let contacts = core::iter::once(contacts);
        lanes.pack(shared.contacts, contacts, self.movable, terms);
    }

    /// One substep of an island with joints or stiff clusters, which take turns with the contacts.
    fn joined_substep(&mut self, shared: &Shared, numbers: &Discretiser) {
        let posed = self.assemble_joints(shared);
        self.assemble_clusters(shared, &posed);
        self.problem.rebuild_velocities();
        for (i, b) in self.problem.bodies.iter().enumerate() {
            self.lanes.set_mass(i, &b.inv);
            self.lanes.set_free(i, &b.free);
            self.lanes.set_velocity(i, &b.vel);
        }
        self.pose(numbers);
        self.lanes.warm();
        let beside = self.put_beside();
        self.take_velocities();
        self.solve_joined(shared, Pass::Position, beside);
        self.move_bodies(shared);
        for (i, m) in self.movers.iter().enumerate() {
            self.lanes.set_moved(i, &m.moved);
        }
        self.solve_joined(shared, Pass::Velocity, beside);
        for (m, b) in self.movers.iter_mut().zip(&self.problem.bodies) {
            m.vel = b.vel;
        }
        self.keep_impulses();
    }

    /// Sweeps of a pass in which joints or clusters take turns with the contacts.
    fn joined_sweeps(&self, shared: &Shared, pass: Pass) -> u32 {
        match self.is_bare() {
            true => self.sweeps(shared, pass),
            false => self.rounds(shared, pass),
        }
    }

    fn solve_joined(&mut self, shared: &Shared, pass: Pass, beside: bool) {
        match beside {
            true => self.sweep_beside(shared, pass),
            false => self.sweep_joined(shared, pass, self.joined_sweeps(shared, pass)),
        }
    }

    fn pose(&mut self, numbers: &Discretiser) {
        let movers = &self.movers;
        self.lanes
            .pose(|i| movers.get(i).map_or(Twist::ZERO, |m| m.vel), numbers);
    }

    /// Joints, clusters and contacts in turn.
    pub(super) fn sweep_joined(&mut self, shared: &Shared, pass: Pass, sweeps: u32) {
        let numbers = Discretiser::new(shared.params, shared.h);
        let budget = Budget {
            sweeps,
            stop: shared.params.sweeps.stop,
            backwards: self.backwards(),
            followed: false,
        };
        let lanes = &mut self.lanes;
        let mut backwards = budget.backwards;
        let mut contacts = |bodies: &mut [ProblemBody]| {
            for (i, b) in bodies.iter().enumerate() {
                lanes.set_velocity(i, &b.vel);
            }
            lanes.sweep(pass, &numbers, backwards);
            backwards = !backwards;
            for (i, b) in bodies.iter_mut().enumerate() {
                b.vel = lanes.velocity(i);
            }
        };
        let (problem, scratch) = (&mut self.problem, &mut self.scratch);
        let out = Pgs.solve_beside(problem, pass, budget, scratch, Some(&mut contacts));
        self.outcome.iterations += out.iterations;
    }

    /// Grade of the last substep, and the deepest penetration at the end of the step (m).
    pub(super) fn grade(&mut self, shared: &Shared) -> (Grade, f64) {
        let floor = shared.speed_floor();
        let (grade, scaled, depth) = if self.in_lanes {
            self.lanes.grade(floor)
        } else {
            (Grade::default(), Scaled::default(), 0.0)
        };
        let beside = (grade, scaled);
        (
            grade_beside(&self.problem, Pass::Velocity, floor, beside),
            depth,
        )
    }

    /// Constraint rows of the last substep.
    pub(crate) fn rows(&self) -> u32 {
        let lanes = if self.in_lanes { self.lane_rows } else { 0 };
        let links = if self.linked { self.link_rows } else { 0 };
        lanes + links + self.problem.rows.len() as u32
    }

    /// Laws of the last substep's rows.
    pub(crate) fn laws(&self) -> LawSet {
        let blocks = self.problem.blocks.iter().map(|b| b.law.as_set());
        let lanes = self.in_lanes.then_some(self.lane_laws);
        let links = self.linked.then_some(Law::Rows.as_set());
        let all = blocks.chain(lanes).chain(links);
        all.fold(LawSet::empty(), |set, law| set | law)
    }

    /// The lanes that hold its contacts, its own or those it shares, and which manifolds there are its own.
    pub(super) fn contacts_in_lanes<'a>(
        &'a self,
        shared: &'a ContactLanes,
    ) -> (&'a ContactLanes, Range<usize>) {
        match &self.ranges {
            _ if !self.in_lanes => (&self.lanes, 0..0),
            Some(ranges) => (shared, ranges.manifolds.clone()),
            None => (&self.lanes, 0..self.loose),
        }
    }

    /// The problem of the last substep with its contacts and joints, wherever they are kept.
    pub(crate) fn whole_problem(&self, shared: &ContactLanes, links: &PartedLanes) -> Problem {
        let mut p = self.problem.clone();
        if !self.in_lanes {
            return p;
        }
        let (lanes, run) = self.contacts_in_lanes(shared);
        let place = |mover: u32| match &self.ranges {
            Some(ranges) => ranges.body(mover, self.movable),
            None => mover,
        };
        if p.bodies.is_empty() {
            let body = |(i, m): (usize, &Mover)| ProblemBody {
                extent: m.extent,
                ..lanes.body(place(i as u32) as usize)
            };
            p.bodies = self.movers.iter().enumerate().map(body).collect();
        }
        let movers = 0..self.movers.len() as u32;
        let mover = |body: u32| movers.clone().find(|&m| place(m) == body).unwrap_or(body);
        if let Some(ranges) = self.ranges.as_ref().filter(|_| self.linked) {
            links.append_to(&mut p, ranges.joints.clone(), mover);
        }
        lanes.append_to(&mut p, run, mover);
        p
    }
}

/// The grade of contacts and joints that do not know of each other.
pub(super) fn graded_together(
    contacts: (Grade, Scaled),
    joints: (Grade, Scaled),
) -> (Grade, Scaled) {
    let ((c, s), (j, t)) = (contacts, joints);
    let grade = Grade {
        worst_contact: c.worst_contact,
        worst_joint: j.worst_joint,
        ..c.worst_of(j)
    };
    (grade, s.and(t))
}
