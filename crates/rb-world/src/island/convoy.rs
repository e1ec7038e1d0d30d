//! Islands of bodies and contacts alone, a run of them in the same lanes.
//!
//! A small island fills few lanes: a pyramid of ten rows every third. Islands share no movable body, so
//! the contacts of several are packed together, swept together, and give each island what it would get by
//! itself (but for rounding, where the fill of the lanes decides how they are swept). Which islands are
//! together does not depend on the number of threads.
//!
//! Between substeps what the contacts of a body did to it is carried over as one change of velocity, which is their
//! warm start: v = ṽ + Δv. Where a body turns its spin changes by what the same torque does by W of the new attitude, so that
//! velocities are ṽ + W Jᵀλ in the end, and the certificate grades what follows from impulses.

mod substeps;

use super::body_run::BodyRun;
use super::{Island, Shared};
use core::ops::Range;
use rb_core::discretise::Discretiser;
use rb_core::integrate::Mover;
use rb_core::params::Sweeps;
use rb_core::problem::Pass;
use rb_core::residual::grade_beside;
use rb_solve::lanes::{ContactLanes, Graded, Motions, Sample};

/// Islands of a convoy: enough to fill lanes, and small ones are one task.
pub(crate) const RUN: usize = 8;

/// Where an island's contacts and joints are in its convoy or fleet.
#[derive(Clone, Debug, Default)]
pub(crate) struct LaneRanges {
    /// Its manifolds, and its joints.
    pub(super) manifolds: Range<usize>,
    pub(super) joints: Range<usize>,
    /// Its first movable body, and its first guest.
    pub(super) bodies: [u32; 2],
}

impl LaneRanges {
    /// Number in the lanes of a mover of an island with so many movable ones.
    #[inline]
    pub(super) fn body(&self, mover: u32, movable: usize) -> u32 {
        let movable = movable as u32;
        if mover < movable {
            self.bodies[0] + mover
        } else {
            self.bodies[1] + mover - movable
        }
    }
}

/// The lanes of a run of islands; kept from step to step for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Convoy {
    pub(crate) lanes: ContactLanes,
    /// Numbers of its members within the run, and the first manifold of each.
    members: Vec<u32>,
    firsts: Vec<u32>,
    /// Its movable bodies, and whether some may not turn about some axis.
    movable: usize,
    bound: bool,
    motions: Motions,
    /// Its members in the last step.
    last: Vec<u32>,
    /// Room for those of large islands, one at a time.
    large: Motions,
}

impl Convoy {
    /// Runs the islands with contacts alone through the step: together, large ones in lanes of their own.
    pub(crate) fn run(&mut self, islands: &mut [Island], shared: &Shared) {
        self.members.clear();
        for (k, island) in islands.iter().enumerate() {
            if island.joins_others() {
                self.members.push(k as u32);
            }
        }
        match self.members.is_empty() {
            true => self.lanes.release(),
            false => {
                let same = self.members == self.last;
                self.last.clone_from(&self.members);
                self.step(islands, same, shared.params.sweeps, shared);
            }
        }
        for k in 0..islands.len() {
            if islands[k].in_convoy() && islands[k].section.is_some() {
                self.step_alone(islands, k, shared);
            }
        }
    }

    /// Makes the step of islands with contacts alone again, all in these lanes, with more sweeps.
    pub(crate) fn run_again(&mut self, islands: &mut [Island], shared: &Shared) {
        self.members.clear();
        self.members.extend(0..islands.len() as u32);
        islands.iter_mut().for_each(|island| island.go_back(shared));
        let sweeps = shared.params.sweeps.again(shared.params.escalation.again);
        self.step(islands, false, sweeps, shared);
    }

    /// A large island, in its own lanes.
    fn step_alone(&mut self, islands: &mut [Island], k: usize, shared: &Shared) {
        self.members.clear();
        self.members.push(k as u32);
        std::mem::swap(&mut self.lanes, &mut islands[k].lanes);
        std::mem::swap(&mut self.motions, &mut self.large);
        self.step(islands, true, shared.params.sweeps, shared);
        std::mem::swap(&mut self.motions, &mut self.large);
        std::mem::swap(&mut self.lanes, &mut islands[k].lanes);
        islands[k].ranges = None;
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.lanes.bytes() + self.motions.bytes() + self.large.bytes()
    }

    /// Runs the members through the step; the `same` may be in the lanes as in the last.
    fn step(&mut self, islands: &mut [Island], same: bool, sweeps: Sweeps, shared: &Shared) {
        let numbers = Discretiser::new(shared.params, shared.h);
        let members = self.members.iter().map(|&k| &islands[k as usize]);
        let contacts: usize = members.map(|i| i.contacts.len()).sum();
        let stay = same && shared.same && self.lanes.len() == contacts;
        self.assign(islands, stay);
        self.load(islands, stay, shared);
        self.substeps(islands, shared, &numbers, sweeps);
        self.each_run(islands, |run| run.take_back());
        self.grade(islands, sweeps, shared);
    }

    /// Gives the members their ranges: all movable bodies first. Contacts may `stay`.
    fn assign(&mut self, islands: &mut [Island], stay: bool) {
        let members = self.members.iter().map(|&k| &islands[k as usize]);
        let movable: usize = members.clone().map(|i| i.movable).sum();
        let section = members.clone().find_map(|i| i.section);
        let (mut manifold, mut body, mut guest) = (0, 0, movable as u32);
        self.firsts.clear();
        for &k in &self.members {
            let island = &mut islands[k as usize];
            let ranges = LaneRanges {
                manifolds: manifold..manifold + island.contacts.len(),
                joints: 0..0,
                bodies: [body, guest],
            };
            self.firsts.push(manifold as u32);
            manifold = ranges.manifolds.end;
            body += island.movable as u32;
            guest += (island.movers.len() - island.movable) as u32;
            island.ranges = Some(ranges);
        }
        self.movable = movable;
        let bodies = guest as usize;
        match section {
            _ if stay => {}
            Some(size) => self
                .lanes
                .reset_in_sections(movable, bodies - movable, size),
            None => self.lanes.reset(bodies),
        }
    }

    /// Loads bodies, and contacts unless they `stay`.
    fn load(&mut self, islands: &mut [Island], stay: bool, shared: &Shared) {
        self.motions.reset(self.movable);
        self.each_run(islands, |run| run.load(shared.h));
        let mut movers = self.members.iter().flat_map(|&k| islands[k as usize].own());
        self.bound = movers.any(Mover::is_bound);
        for &k in &self.members {
            for (body, m) in islands[k as usize].guests() {
                self.lanes.set_mass(body, &m.inv);
                self.lanes.set_velocity(body, &m.vel);
                self.lanes.set_free(body, &m.vel);
                self.lanes.set_moved(body, &m.moved);
            }
        }
        if !stay {
            let members = self.members.iter().map(|&k| &islands[k as usize]);
            assign_contacts(&mut self.lanes, members);
        }
    }

    /// Runs `f` on the movable bodies of each member; one with several sections is alone.
    fn each_run(&mut self, islands: &mut [Island], f: impl Fn(BodyRun)) {
        let mut moving = self.motions.with(self.lanes.lines());
        if let [only] = self.members[..] {
            let island = &mut islands[only as usize];
            let movers = &mut island.movers[..island.movable];
            return f(BodyRun { movers, moving });
        }
        let mut first = 0;
        for &k in &self.members {
            let island = &mut islands[k as usize];
            let run = first..first + island.movable;
            first = run.end;
            f(BodyRun {
                movers: &mut island.movers[..island.movable],
                moving: moving.run(run.clone(), run.len()),
            });
        }
    }

    /// What the certificate grades of the members.
    fn sample(&self, islands: &[Island], shared: &Shared) -> Sample {
        let large = |&k: &u32| islands[k as usize].section.is_some();
        match self.members.iter().all(large) {
            true => shared.sample(),
            false => Sample::ALL,
        }
    }

    /// Grades to the islands.
    fn grade(&mut self, islands: &mut [Island], sweeps: Sweeps, shared: &Shared) {
        let (floor, sample) = (shared.speed_floor(), self.sample(islands, shared));
        let mut members = self.members.iter();
        let mut grade = |graded: Graded| {
            let Some(&k) = members.next() else { return };
            let island = &mut islands[k as usize];
            let (grade, scaled, depth) = graded;
            let out = &mut island.outcome;
            out.grade = grade_beside(&island.problem, Pass::Velocity, floor, (grade, scaled));
            out.penetration = depth;
            out.sampled = sample.is_partial();
            let each = sweeps.position + sweeps.velocity;
            out.iterations = shared.substeps * each + sweeps.last;
        };
        match self.members.len() {
            1 => grade(self.lanes.grade_counted(sample, floor)),
            _ => self.lanes.grade_parts(&self.firsts, floor, grade),
        }
    }
}

/// Tells lanes the contacts of the islands that share them.
pub(super) fn assign_contacts<'a>(
    lanes: &mut ContactLanes,
    islands: impl Iterator<Item = &'a Island>,
) {
    lanes.assign(islands.map(|island| {
        let seat = |m: u32| match &island.ranges {
            Some(ranges) => ranges.body(m, island.movable),
            None => m,
        };
        island.contacts.iter().map(move |c| c.member(seat))
    }));
}

impl Island {
    /// Its movable bodies.
    fn own(&self) -> &[Mover] {
        &self.movers[..self.movable]
    }

    /// Bodies that nothing moves, with their numbers in the convoy's lanes.
    pub(super) fn guests(&mut self) -> impl Iterator<Item = (usize, &mut Mover)> {
        let first = self.ranges.as_ref().map_or(0, |b| b.bodies[1] as usize);
        let guests = self.movers[self.movable..].iter_mut();
        guests.enumerate().map(move |(i, m)| (first + i, m))
    }
}
