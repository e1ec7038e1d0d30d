//! One island through all substeps of a step: predict, assemble, solve, advance.
//!
//! Islands share nothing, so each runs on whatever thread is free and the result is the same. A
//! substep poses the same rows in two passes (see [`rb_core::problem`]): the velocity of the
//! position pass moves the bodies, that of the velocity pass is kept.

mod assemble;
mod beside;
mod cluster;
mod contact;
pub(crate) mod convoy;
mod crew;
mod escalate;
mod fast;
mod finish;
mod impulses;
mod iterate;
mod linked;
mod pinned;
mod start;
mod stiffness;
mod surface;
mod wide;

use cluster::Stiff;
pub(crate) use contact::IslandContact;
use contact::PosedContact;
use convoy::Berth;
pub(crate) use escalate::{Ask, Escalated};
use impulses::NO_SLOT;
use iterate::Bent;

use crate::stage::partition::Resident;
use crate::state::{ConstraintSlot, JointSlot, State};
use core::ops::Range;
use glam::{DMat3, DVec3};
use rb_core::arena::Arena;
use rb_core::body::Body;
use rb_core::handle::{BodyKey, ConstraintKey, JointKey};
use rb_core::integrate::Mover;
use rb_core::law::LawSet;
use rb_core::manifold::Manifold;
use rb_core::mass::InvMass;
use rb_core::math::{Pose, Twist};
use rb_core::params::{Gyroscopic, Params};
use rb_core::problem::{Pass, Problem};
use rb_core::report::Reason;
use rb_core::residual::Grade;
use rb_core::room::{bytes, empty, trim};
use rb_core::solver::{Budget, IslandSolver, Scratch};
use rb_joints::{JointBody, JointMemory, Rows};
use rb_solve::lanes::{ContactLanes, JointLanes};
use rb_solve::pins::Pins;

/// A joint within an island.
#[derive(Clone, Debug)]
pub(crate) struct IslandJoint {
    pub(crate) slot: u32,
    pub(crate) movers: [u32; 2],
    pub(crate) memory: JointMemory,
    /// Its frames, if it only holds their origins together; kept here because joints are large and far
    /// apart.
    pub(crate) pin: Option<[Pose; 2]>,
}

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
}

impl Outcome {
    /// Worst error of positions (m).
    pub(crate) fn position(&self) -> f64 {
        self.penetration.max(self.joint_error)
    }
}

/// What all islands read.
pub(crate) struct Shared<'a> {
    pub(crate) params: &'a Params,
    pub(crate) bodies: &'a Arena<BodyKey, Body>,
    pub(crate) contacts: &'a [Manifold],
    pub(crate) joints: &'a Arena<JointKey, JointSlot>,
    pub(crate) constraints: &'a Arena<ConstraintKey, ConstraintSlot>,
    /// Time at the start of the step (s).
    pub(crate) time: f64,
    pub(crate) solver: &'a dyn IslandSolver,
    pub(crate) h: f64,
    /// Stored impulses times this are impulses of the present substep.
    pub(crate) warm_scale: f64,
}

impl<'a> Shared<'a> {
    pub(crate) fn new(state: &'a State, solver: &'a dyn IslandSolver, dt: f64) -> Self {
        let h = dt / f64::from(state.params.substeps);
        let warm_scale = if state.h > 0.0 { h / state.h } else { 1.0 };
        Self {
            params: &state.params,
            bodies: &state.bodies,
            contacts: &state.contacts,
            joints: &state.joints,
            constraints: &state.constraints,
            time: state.time,
            solver,
            h,
            warm_scale,
        }
    }
}

/// Bodies that can feel one another, and everything between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Island {
    /// Movable bodies first (`movable` of them, lowest slot first or section by section), then the
    /// immovable ones.
    pub(crate) movers: Vec<Mover>,
    pub(crate) movable: usize,
    /// Its movable bodies, if it is large.
    pub(crate) residents: Vec<Resident>,
    /// Movable bodies of a section, if it is large and has been divided into some.
    pub(crate) section: Option<usize>,
    pub(crate) joints: Vec<IslandJoint>,
    /// Whether any of them may break, and whether the rows of any are coupled by its compliance.
    pub(crate) brittle: bool,
    pub(crate) coupled: bool,
    pub(crate) constraints: Vec<IslandConstraint>,
    pub(crate) contacts: Vec<IslandContact>,
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
    /// Which bodies are held by joints, and what each contact is to the clusters.
    stiff: (Vec<bool>, Vec<Stiff>),
    /// Contacts of the step, if they are plain and there are joints or clusters as well.
    pub(crate) lanes: ContactLanes,
    /// Where they are in the convoy, if they are plain and alone.
    pub(crate) berth: Option<Berth>,
    /// Constraint rows of the contacts in lanes, and their laws.
    lane_rows: u32,
    lane_laws: LawSet,
    /// What speaks against the fast solver's answer.
    pub(crate) ask: Option<Ask>,
    /// Whether this step's contacts are there.
    pub(crate) in_lanes: bool,
    /// Joints of the step, if they are swept there.
    pub(crate) links: JointLanes,
    /// Whether they are there alone, and not in the problem as well.
    pub(crate) linked: bool,
    scratch: Scratch,
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
    pub(crate) seen: Vec<JointBody>,
    /// Geometric stiffness of each body.
    levers: Vec<DMat3>,
    /// Rows that are iterated to φ(x⁺) = 0.
    bent: Vec<Bent>,
    /// Memory of the joints, then of the constraints, at the start of the step.
    /// Time since the start of the step (s).
    elapsed: f64,
    /// Number of the present substep.
    substep: u32,
}

impl Island {
    /// Forgets everything, keeping the memory unless it is far more than the last step needed: islands
    /// split and merge, and each would end up holding the memory of the largest.
    pub(crate) fn clear(&mut self) {
        if self.problem.rows.capacity() > 4 * self.problem.rows.len() + 1024 {
            *self = Self::default();
        }
        self.movers.clear();
        self.movable = 0;
        empty(&mut self.residents);
        empty(&mut self.joints);
        empty(&mut self.constraints);
        empty(&mut self.contacts);
        empty(&mut self.posed);
        trim(&mut self.problem.bodies);
        self.problem.clear();
        self.frozen.clear();
        self.outcome = Outcome::default();
        self.escalated = Escalated::default();
        (self.berth, self.ask, self.section) = (None, None, None);
        (self.brittle, self.coupled) = (false, false);
    }

    /// Its movable body of the lowest slot.
    pub(crate) fn root(&self) -> u32 {
        let residents = self.residents.iter().map(|r| r.slot).min();
        residents.unwrap_or_else(|| self.movers[0].slot)
    }

    /// Bytes held, for growth tables.
    pub(crate) fn bytes(&self) -> usize {
        let bodies = bytes(&self.movers) + bytes(&self.residents);
        let joints = bytes(&self.joints) + bytes(&self.constraints) + self.links.bytes();
        let contacts = bytes(&self.contacts) + bytes(&self.posed) + self.lanes.bytes();
        let p = &self.problem;
        let rows = bytes(&p.bodies) + bytes(&p.rows) + bytes(&p.blocks);
        bodies + joints + contacts + rows + bytes(&self.scratch.numbers)
    }

    /// Decides how the step is to be made.
    pub(crate) fn begin(&mut self, shared: &Shared) {
        self.rescale(shared.warm_scale);
        self.plan();
        self.choose(shared);
        self.find_clusters(shared);
        self.count_lanes();
        self.links.clear();
        self.linked = self.takes_links(shared) && self.seat();
        self.in_lanes = self.linked || self.takes_lanes(shared);
        if self.joins_others() || !self.in_lanes {
            self.lanes.release();
        }
    }

    /// Whether it is in no convoy.
    pub(crate) fn is_apart(&self) -> bool {
        !self.in_convoy()
    }

    /// How much of its step is for one thread because of its joints, in units of a body in free flight.
    pub(crate) fn undivided(&self) -> usize {
        match self.joints.len() {
            0 => 0,
            // Its contacts are found by all threads.
            n => self.movable + 2 * self.contacts.len() + 6 * n,
        }
    }

    /// Runs the step of an island by itself: in lanes where that may be, else with rows.
    pub(crate) fn run(&mut self, shared: &Shared) {
        if !self.step_fast(shared) {
            self.run_rows(shared);
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

    /// The step in lanes, with the joints in lanes as well where they can be; says whether it could be
    /// made there.
    fn step_fast(&mut self, shared: &Shared) -> bool {
        if self.linked {
            self.step_linked(shared);
            if self.linked {
                return true;
            }
            self.links.clear();
            self.go_back(shared);
            self.in_lanes = self.takes_lanes(shared);
        }
        if self.in_lanes {
            self.step_in_lanes(shared);
        }
        self.in_lanes
    }

    /// Runs the substeps with rows. A body whose state becomes non-finite is put back, held, and the
    /// island solved again without it, from cold.
    fn run_rows(&mut self, shared: &Shared) {
        (self.in_lanes, self.linked) = (false, false);
        self.berth = None;
        self.links.clear();
        self.load_impulses(shared);
        for _attempt in 0..=self.movable {
            self.outcome = Outcome::default();
            let broken = self.substeps(shared);
            if broken.is_empty() {
                break;
            }
            self.put_back(shared);
            for c in &mut self.constraints {
                c.memory.store([]);
            }
            for joint in &mut self.joints {
                joint.memory.store([]);
            }
            for contact in &mut self.posed {
                contact.impulse = Default::default();
                contact.spin = DVec3::ZERO;
            }
            self.frozen.extend(broken);
            for &i in &self.frozen {
                let m = &mut self.movers[i as usize];
                (m.inv, m.vel) = (InvMass::ZERO, Twist::ZERO);
            }
            self.choose(shared);
        }
    }

    /// Runs the substeps; stops at the first that leaves a body in a non-finite state, and says who is
    /// to blame.
    fn substeps(&mut self, shared: &Shared) -> Vec<u32> {
        self.begin_substeps();
        let last = shared.params.substeps.saturating_sub(1);
        let pinned = self.is_pinned(shared);
        for k in 0..shared.params.substeps {
            match pinned && k < last {
                true => self.pinned_substep(shared),
                false => self.substep(shared),
            }
            let broken = self.unsound();
            if !broken.is_empty() {
                return broken;
            }
        }
        Vec::new()
    }

    /// Bodies to blame for a non-finite state: those that forces alone drive out of bounds, or, if
    /// there is none, all that ended up there.
    fn unsound(&self) -> Vec<u32> {
        let bad = |t: &Twist| !(rb_core::body::sound(t.lin) && rb_core::body::sound(t.ang));
        let all = || 0..self.movable as u32;
        let end: Vec<u32> = all()
            .filter(|&i| !self.movers[i as usize].is_sound())
            .collect();
        let forced = |i: u32| {
            self.problem
                .bodies
                .get(i as usize)
                .is_some_and(|b| bad(&b.free))
        };
        let by_force: Vec<u32> = end.iter().copied().filter(|&i| forced(i)).collect();
        if by_force.is_empty() { end } else { by_force }
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
            Pass::Velocity => sweeps.velocity_in(self.substep + 1 == shared.params.substeps),
        }
    }

    fn substep(&mut self, shared: &Shared) {
        self.assemble(shared);
        self.solve(shared, Pass::Position);
        self.move_bodies(shared);
        // With contacts always: a gap that closed is zero give or take rounding, and rounding must not
        // decide how often the contacts are swept.
        if !self.contacts.is_empty() || !self.problem.passes_agree() {
            self.solve(shared, Pass::Velocity);
        }
        self.problem.rebuild_velocities();
        for (m, b) in self.movers.iter_mut().zip(&self.problem.bodies) {
            m.vel = b.vel;
        }
        self.keep_impulses();
        self.end_substep(shared);
    }

    /// Moves all poses with the velocities found, β v⁺ + (1−β) v.
    fn advance(&mut self, shared: &Shared) {
        let gyroscopic = shared.params.gyroscopic;
        for (m, b) in self.movers.iter_mut().zip(&self.problem.bodies) {
            m.advance_by_scheme(shared.h, &shared.params.scheme, b.vel, gyroscopic);
        }
    }

    /// Solves one pass. With the variational rotation the problem is linear only around the present
    /// impulses, so it is posed again at the spin they really cause until that stands still.
    fn solve(&mut self, shared: &Shared, pass: Pass) {
        if self.in_lanes {
            return self.sweep_joined(shared, pass, shared.params.sweeps.coupled);
        }
        let coupled = self.scratch.plan.work.is_some_and(|w| w > 0) && !self.contacts.is_empty();
        let coupled = if coupled {
            shared.params.sweeps.coupled
        } else {
            0
        };
        let budget = Budget {
            sweeps: self.sweeps(shared, pass).max(coupled),
            stop: shared.params.sweeps.stop,
            backwards: self.backwards(),
        };
        let variational = shared.params.gyroscopic == Gyroscopic::Variational;
        let rounds = if variational { 8 } else { 1 };
        for _ in 0..rounds {
            self.outcome.iterations += self.solve_pass(shared, pass, budget);
            if !variational || self.relinearise(shared.h) < 1e-13 {
                break;
            }
        }
    }

    /// Moves ṽ so that ṽ + W Jᵀλ is the spin the impulses really cause; returns the largest change.
    fn relinearise(&mut self, h: f64) -> f64 {
        let mut impulse = vec![DVec3::ZERO; self.movers.len()];
        for block in &self.problem.blocks {
            for r in block.rows() {
                let row = &self.problem.rows[r];
                for (body, column) in self.problem.acting(block, r) {
                    impulse[body] += column.ang * row.lambda;
                }
            }
        }
        let mut change = 0.0f64;
        for (i, m) in self.movers.iter().enumerate().take(self.movable) {
            let body = &mut self.problem.bodies[i];
            if body.inv.is_zero() {
                continue;
            }
            let exact =
                m.spin_after(h, Gyroscopic::Variational, impulse[i]) / (1.0 + h * m.damping[1]);
            let free = exact - body.inv.ang * impulse[i];
            change = change.max((free - body.free.ang).length());
            body.free.ang = free;
            body.vel.ang = exact;
        }
        change
    }
}
