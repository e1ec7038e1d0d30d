//! One island through all substeps of a step: predict, assemble, solve, advance.
//!
//! Islands share nothing, so each runs on whatever thread is free and the result is the same. A
//! substep poses the same rows in two passes (see [`rb_core::problem`]): the velocity of the
//! position pass moves the bodies, that of the velocity pass is kept.

mod again;
mod assemble;
mod beside;
mod body_run;
mod cluster;
mod contact;
pub(crate) mod convoy;
mod escalate;
mod exactly;
mod fast;
pub(crate) mod finish;
pub(crate) mod fleet;
mod hold;
mod impulses;
mod iterate;
mod joint;
mod pace;
mod pinned;
mod rows;
mod start;
mod stiffness;
mod surface;
mod wide;

pub(crate) use again::SecondTry;
use cluster::Weighing;
pub(crate) use contact::IslandContact;
use contact::PosedContact;
use convoy::LaneRanges;
pub(crate) use escalate::{Ask, Escalated};
use impulses::NO_SLOT;
use iterate::Bent;
pub(crate) use joint::IslandJoint;
pub(crate) use pace::{Paces, Shared};

use crate::stage::partition::Residents;
use core::ops::Range;
use glam::DMat3;
use rb_core::integrate::Mover;
use rb_core::law::LawSet;
use rb_core::problem::{Pass, Problem};
use rb_core::report::Reason;
use rb_core::residual::Grade;
use rb_core::room::{bytes, empty, trim};
use rb_core::solver::Scratch;
use rb_joints::{JointBody, JointMemory, Rows};
use rb_solve::lanes::{ContactLanes, JointLanes};
use rb_solve::pins::Pins;

/// A constraint within an island.
#[derive(Clone, Debug)]
pub(crate) struct IslandConstraint {
    pub(crate) slot: u32,
    pub(crate) movers: Vec<u32>,
    pub(crate) memory: JointMemory,
}

/// How the island went.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) grade: Grade,
    pub(crate) iterations: u32,
    pub(crate) penetration: f64,
    pub(crate) joint_error: f64,
    /// Whether only a sample of its contacts was graded.
    pub(crate) sampled: bool,
}

impl Outcome {
    /// Worst error of positions (m).
    pub(crate) fn position(&self) -> f64 {
        self.penetration.max(self.joint_error)
    }
}

/// Bodies that can feel one another, and everything between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Island {
    /// Movable bodies first (`movable` of them, lowest slot first or section by section), then the
    /// immovable ones.
    pub(crate) movers: Vec<Mover>,
    pub(crate) movable: usize,
    /// Slots of the immovable ones.
    pub(crate) guests: Vec<u32>,
    /// Its movable bodies, if it has been divided into sections.
    pub(crate) residents: Residents,
    /// Movable bodies of a section, if it is large and has been divided into some.
    pub(crate) section: Option<usize>,
    pub(crate) joints: Vec<IslandJoint>,
    /// Slot and movers of each joint, before it is there itself.
    pub(crate) seats: Vec<(u32, [u32; 2])>,
    /// Whether all are pins until they are edited.
    pub(crate) pinned: bool,
    /// Whether any of them may break, and whether the rows of any are coupled by its compliance.
    pub(crate) brittle: bool,
    pub(crate) coupled: bool,
    pub(crate) constraints: Vec<IslandConstraint>,
    pub(crate) contacts: Vec<IslandContact>,
    /// Points of all contacts, and whether all have [plain](IslandContact::plain) surfaces.
    pub(crate) points: usize,
    pub(crate) plain: bool,
    /// Of every contact, if any is posed in rows.
    posed: Vec<PosedContact>,
    pub(crate) problem: Problem,
    pub(crate) outcome: Outcome,
    pub(crate) escalated: Escalated,
    /// Movers whose state became non-finite; they were put back and held.
    pub(crate) frozen: Vec<u32>,
    /// Stiff clusters of this step, as ranges of contacts behind the `loose` others.
    pub(crate) clusters: Vec<Range<usize>>,
    loose: usize,
    /// Whether each of those behind them bears many times the weight of its lighter body.
    bear: Vec<bool>,
    /// What is found out on the way to them.
    weighing: Weighing,
    /// Contacts of the step, if they are plain and there are joints or clusters as well.
    pub(crate) lanes: ContactLanes,
    /// Where they are in the convoy or the fleet, if they share lanes with others.
    pub(crate) ranges: Option<LaneRanges>,
    /// The number of the lanes in which its step was made again.
    pub(crate) again: Option<u32>,
    /// Constraint rows of the contacts in lanes, and their laws.
    lane_rows: u32,
    lane_laws: LawSet,
    /// What speaks against the fast solver's answer.
    pub(crate) ask: Option<Ask>,
    /// Whether this step's contacts are there.
    pub(crate) in_lanes: bool,
    /// Joints of the step, if they are swept in lanes and are in the problem as well.
    pub(crate) links: JointLanes,
    /// Whether they are in the lanes of a fleet, and not in the problem; the number of the fleet, and how
    /// many rows they have there.
    pub(crate) linked: bool,
    pub(crate) fleet: Option<u32>,
    /// The fleet whose lanes hold all joints, which are pins, as they were stored at the end of the last step.
    kept_in: Option<u32>,
    link_rows: u32,
    /// Whether it is a crowd, which takes fewer substeps, and what its impulses are to be multiplied by to be stored.
    pub(crate) crowd: bool,
    pub(crate) unit: f64,
    scratch: Scratch,
    /// Whether it knows what follows from its joints and contacts alone: their plan, and their numbers. What has
    /// given back its memory does not.
    pub(crate) planned: bool,
    /// Rows of all joints in the present substep, and the first of each.
    rows: Rows,
    starts: Vec<u32>,
    /// Joints that need no rows, and the directions of their impulses.
    pins: Pins,
    axes: Vec<DMat3>,
    /// Movers of each joint, and its block in the problem.
    pairs: Vec<[u32; 2]>,
    block_of: Vec<u32>,
    /// Bodies as the joints see them.
    seen: Vec<JointBody>,
    /// Geometric stiffness of each body.
    levers: Vec<DMat3>,
    /// Rows that are iterated to φ(x⁺) = 0.
    bent: Vec<Bent>,
    /// Time since the start of the step (s).
    elapsed: f64,
    /// Number of the present substep.
    substep: u32,
}

impl Island {
    /// Forgets who is in it besides the movable bodies.
    pub(crate) fn vacate(&mut self) {
        empty(&mut self.guests);
        // Its joints stay until others take their places.
        empty(&mut self.seats);
        empty(&mut self.constraints);
        empty(&mut self.contacts);
    }

    /// Forgets everything else, keeping the memory unless it is far more than the last step needed: islands
    /// split and merge, and each would end up holding the memory of the largest.
    pub(crate) fn clear(&mut self) {
        if self.problem.rows.capacity() > 4 * self.problem.rows.len() + 1024 {
            *self = Self {
                guests: std::mem::take(&mut self.guests),
                seats: std::mem::take(&mut self.seats),
                contacts: std::mem::take(&mut self.contacts),
                ..Self::default()
            };
        }
        self.movable = 0;
        empty(&mut self.posed);
        trim(&mut self.problem.bodies);
        self.problem.clear();
        self.frozen.clear();
        self.outcome = Outcome::default();
        self.escalated = Escalated::default();
        (self.ranges, self.ask, self.section) = (None, None, None);
        (self.fleet, self.again) = (None, None);
        (self.brittle, self.coupled) = (false, false);
    }

    /// Its movable body of the lowest slot.
    pub(crate) fn root(&self) -> u32 {
        let residents = self.residents.slots().min();
        residents.unwrap_or_else(|| self.movers[0].slot)
    }

    /// Bytes held, for growth tables.
    pub(crate) fn bytes(&self) -> usize {
        let bodies = bytes(&self.movers) + bytes(&self.guests) + self.residents.bytes();
        let bodies = bodies + bytes(&self.seats);
        let joints = bytes(&self.joints) + bytes(&self.constraints) + self.links.bytes();
        let contacts = bytes(&self.contacts) + bytes(&self.posed) + self.lanes.bytes();
        let clusters = bytes(&self.bear) + self.weighing.bytes();
        let p = &self.problem;
        let rows = bytes(&p.bodies) + bytes(&p.rows) + bytes(&p.blocks);
        bodies + joints + contacts + clusters + rows + bytes(&self.scratch.numbers)
    }

    /// Decides how the step is to be made.
    pub(crate) fn begin(&mut self, paces: &Paces) {
        let same = paces.usual.same && self.planned;
        if !same {
            self.plan();
        }
        self.crowd = self.is_crowd();
        let shared = paces.of(self);
        self.unit = shared.unit;
        self.rescale(shared.warm_scale);
        self.choose(shared);
        self.find_clusters(shared);
        if !(same && self.clusters.is_empty()) {
            self.count_lanes();
        }
        self.links.clear();
        self.linked = self.takes_links(shared);
        if !(self.linked && same && shared.joints_stay) {
            self.kept_in = None;
        }
        self.in_lanes = self.linked || self.takes_lanes(shared);
        if self.joins_others() || !self.in_lanes {
            self.lanes.release();
        }
    }

    /// How much of its step is for one thread, in units of a body in free flight, unless its fleet has sections. Its
    /// contacts are found by all threads.
    pub(crate) fn undivided(&self) -> usize {
        match self.section {
            Some(_) => 0,
            None => self.movable + 2 * self.contacts.len() + 6 * self.joints.len(),
        }
    }

    /// Runs the step of an island by itself: in lanes where that may be, else with rows.
    pub(crate) fn run(&mut self, shared: &Shared) {
        match self.in_lanes {
            true => self.step_in_lanes(shared),
            false => self.run_rows(shared),
        }
        self.finish(shared);
    }

    /// Runs the step again, with rows, and once more where a soft step has let the bodies sink too far.
    pub(crate) fn run_again(&mut self, shared: &Shared) {
        match self.ask.take() {
            Some(Ask::Depth(depth)) => return self.run_for_depth(shared, depth),
            Some(Ask::Broken | Ask::Residual(_)) => {}
            None => return,
        }
        self.go_back(shared);
        self.run_rows(shared);
        self.finish(shared);
        match self.sunk(shared) {
            Some(depth) => self.run_for_depth(shared, depth),
            None => self.settle_hold(shared),
        }
    }

    /// Runs the step again as the exact solver poses it, because the bodies sank by `depth` (m).
    fn run_for_depth(&mut self, shared: &Shared, depth: f64) {
        self.escalated.reason = Some(Reason::Position(depth));
        self.go_back(shared);
        self.run_rows(shared);
        self.finish(shared);
        self.escalated.helped = self.outcome.position() <= 0.5 * depth;
        self.settle_hold(shared);
    }

    fn begin_substeps(&mut self) {
        (self.elapsed, self.substep) = (0.0, 0);
    }

    fn end_substep(&mut self, shared: &Shared) {
        self.elapsed += shared.h;
        self.substep += 1;
    }

    /// Whether the first sweeps of the present substep go from last to first: every other one is swept
    /// from the other end.
    fn backwards(&self) -> bool {
        self.substep % 2 == 1
    }

    /// Sweeps of a pass over contacts, or joints without a direct solver.
    fn sweeps(&self, shared: &Shared, pass: Pass) -> u32 {
        let sweeps = shared.params.sweeps;
        match pass {
            Pass::Position => sweeps.position,
            Pass::Velocity => sweeps.velocity_in(self.is_last(shared)),
        }
    }

    /// Sweeps of a pass over joints and contacts together, or rounds in which they take turns.
    fn rounds(&self, shared: &Shared, pass: Pass) -> u32 {
        shared.params.sweeps.rounds_in(pass, self.is_last(shared))
    }

    /// Whether the present substep is the last.
    fn is_last(&self, shared: &Shared) -> bool {
        self.substep + 1 == shared.substeps
    }
}
