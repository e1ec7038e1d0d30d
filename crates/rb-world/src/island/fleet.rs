//! Islands with joints, a run of them in the same lanes.
//!
//! Lanes hold eight joints side by side, and eight trees of one topology: a single ragdoll has one tree, a
//! crowd of them fills the lanes. Islands share no movable body, so what is packed together, swept
//! together and solved side by side gives each island what it would get by itself (but for rounding, where
//! the fill of the lanes decides how contacts are swept). Who is together follows from the islands, their
//! order and their trees, never from threads.
//!
//! *Trees of joints* are solved exactly. Those that would leave most lanes idle go the way of
//! [`beside`](super::beside), alone. *Islands with too many joints for that* have softened joints, swept like
//! contacts, and are a fleet of their own.

mod bodies;
mod cut;
mod place;
mod squads;
mod state;
mod substep;

use super::convoy::LaneRanges;
use super::fast::graded_together;
use super::{Island, Shared};
use crate::frame::release;
use core::ops::Range;
use place::Placed;
use rb_core::elimination::Elimination;
use rb_core::integrate::Mover;
use rb_core::problem::Pass;
use rb_core::residual::{Grade, Scaled, grade_beside};
use rb_joints::Rows;
use rb_solve::lanes::{Carried, ContactLanes, JointLanes, Motions, PartedLanes};
use rb_solve::parallel::Parts;

/// A run of islands ends when it has so many trees and so many joints: enough to fill lanes, and
/// several runs are several tasks.
const TREES: usize = 8;
const JOINTS: usize = 64;
/// Trees of one topology from which on, on average, they are solved side by side.
const ALIKE: f64 = 2.0;

/// The lanes of a run of islands; kept from step to step for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fleet {
    /// The islands it is chosen from: of these the crowds, or all others.
    pub(crate) run: Range<usize>,
    pub(crate) crowd: bool,
    pub(crate) lanes: ContactLanes,
    pub(crate) links: PartedLanes,
    /// Numbers of its members within the run, and the first manifold and joint of each.
    members: Vec<u32>,
    firsts: [Vec<u32>; 2],
    /// Member of each joint (its number within the run) and number there; its bodies in lanes.
    owners: Vec<[u32; 2]>,
    pairs: Vec<[u32; 2]>,
    /// How many trees lie over the border below each body, while sections are cut.
    over: Vec<i32>,
    /// Order in which the joints are eliminated, if they are `hard`: trees, or near enough.
    plan: Elimination,
    hard: bool,
    /// Whether its only member has stayed since the last step, with all joints as they were.
    stayed: bool,
    /// The bearings that lanes hold.
    placed: Placed,
    /// Movable bodies, and all.
    movable: usize,
    bodies: usize,
    motions: Motions,
    /// Whether the inverse mass of a body is not what lanes make of it.
    special: Vec<bool>,
    /// Grades of the contacts of each member.
    graded: Vec<(Grade, Scaled)>,
    /// Rows of the joint being stated.
    rows: Rows,
    /// Number of the present substep.
    substep: u32,
}

/// Divides islands with joints for lanes into runs, one for each of `fleets`: crowds, which take fewer substeps, after all
/// others. Returns how many fleets the first have, and how many there are.
pub(crate) fn form(fleets: &mut Vec<Fleet>, islands: &[Island]) -> [usize; 2] {
    let mut count = 0;
    let ends = [false, true].map(|crowd| {
        form_some(fleets, &mut count, islands, crowd);
        count
    });
    fleets.truncate(count + count / 8 + 2);
    release(&mut fleets[count..], Fleet::bytes);
    ends
}

/// The same for crowds, or for all others; `count` fleets are there already.
fn form_some(fleets: &mut Vec<Fleet>, count: &mut usize, islands: &[Island], crowd: bool) {
    let (mut first, mut trees, mut joints) = (0, 0, 0);
    let mut close = |run: Range<usize>| {
        if islands[run.clone()].iter().any(|i| i.joins(crowd)) {
            if fleets.len() == *count {
                fleets.push(Fleet::default());
            }
            (fleets[*count].run, fleets[*count].crowd) = (run, crowd);
            *count += 1;
        }
    };
    for (k, island) in islands.iter().enumerate() {
        if !island.joins(crowd) {
            continue;
        }
        let alone = !island.has_trees();
        if alone {
            close(first..k);
            first = k;
        }
        trees += island.trees();
        joints += island.joints.len();
        if alone || (trees >= TREES && joints >= JOINTS) {
            close(first..k + 1);
            (first, trees, joints) = (k + 1, 0, 0);
        }
    }
    close(first..islands.len());
}

/// Fleets and the islands of their runs.
pub(crate) struct Fleets<'a> {
    pub(crate) fleets: &'a mut [Fleet],
    pub(crate) islands: &'a mut [Island],
    /// Numbers of the first fleet and the first island.
    pub(crate) first: [usize; 2],
}

impl Parts for Fleets<'_> {
    fn parts(&self) -> usize {
        self.fleets.len()
    }

    fn split_at(self, parts: usize) -> (Self, Self) {
        let start = self.fleets[parts].run.start;
        let (fleets, fleets2) = self.fleets.split_at_mut(parts);
        let (islands, islands2) = self.islands.split_at_mut(start - self.first[1]);
        let of = |fleets, islands, first| Fleets {
            fleets,
            islands,
            first,
        };
        let second = [self.first[0] + parts, start];
        (
            of(fleets, islands, self.first),
            of(fleets2, islands2, second),
        )
    }
}

impl Fleets<'_> {
    /// Runs the step of all members.
    pub(crate) fn step(self, shared: &Shared) {
        let [number, first] = self.first;
        for (k, fleet) in self.fleets.iter_mut().enumerate() {
            let run = fleet.run.start - first..fleet.run.end - first;
            fleet.step((number + k) as u32, &mut self.islands[run], shared);
        }
    }
}

impl Fleet {
    /// Runs the step of its members among `islands`. The others, and those that lanes cannot hold, are no
    /// longer `linked`.
    fn step(&mut self, number: u32, islands: &mut [Island], shared: &Shared) {
        self.gather(number, islands, shared);
        if self.members.is_empty() {
            return self.lanes.release();
        }
        for &k in &self.members {
            let island = &mut islands[k as usize];
            island.fleet = Some(number);
            island.lanes.release();
            island.links.release();
        }
        self.run(islands, shared);
        self.lanes.settle();
        self.note_kept(number, islands);
        self.grade(islands, shared);
    }

    /// Takes the islands in whose trees find enough of their kind, and lets the others go.
    fn gather(&mut self, number: u32, islands: &mut [Island], shared: &Shared) {
        let wish = islands.iter().enumerate();
        let wish = wish.filter(|(_, i)| i.joins(self.crowd));
        self.members.clear();
        self.members.extend(wish.map(|(k, _)| k as u32));
        if let [only] = self.members[..]
            && islands[only as usize].trees() == 1
        {
            self.members.clear();
            self.links.release();
            return islands[only as usize].leave(shared);
        }
        self.stayed = match self.members[..] {
            [only] => islands[only as usize].kept_in == Some(number),
            _ => false,
        };
        if self.stayed {
            return self.stay(islands);
        }
        while !self.members.is_empty() {
            let before = self.members.len();
            self.assign(islands);
            self.seat(islands, shared);
            if !self.hard {
                return;
            }
            let links = &self.links;
            let mates = |joint: usize| links.of(joint).mates(joint);
            self.members.retain(|&k| {
                let island = &mut islands[k as usize];
                let joints = island.ranges.iter().flat_map(|b| b.joints.clone());
                let batches: f64 = joints.map(|j| 1.0 / mates(j) as f64).sum();
                let stays = island.joints.len() as f64 >= ALIKE * batches * (1.0 - 1e-9);
                if !stays {
                    island.leave(shared);
                }
                stays
            });
            if self.members.len() == before {
                return;
            }
        }
    }

    /// Leaves its only member where it was in the last step.
    fn stay(&mut self, islands: &mut [Island]) {
        let island = &mut islands[self.members[0] as usize];
        island.ranges = Some(LaneRanges {
            manifolds: 0..island.contacts.len(),
            joints: 0..island.joints.len(),
            bodies: [0, self.movable as u32],
        });
        self.clear_lanes();
        self.links.stay();
    }

    /// Notes whose joints the lanes hold as they are stored: those of its only member, if all are pins.
    fn note_kept(&self, number: u32, islands: &mut [Island]) {
        let alone = self.members.len() == 1 && !self.hard && self.links.has_only_pins();
        for &k in &self.members {
            let island = &mut islands[k as usize];
            let held = alone && island.linked && island.pinned;
            island.kept_in = held.then_some(number);
        }
    }

    /// Gives the members their ranges: all movable bodies first.
    fn assign(&mut self, islands: &mut [Island]) {
        let members = self.members.iter().map(|&k| &islands[k as usize]);
        self.movable = members.clone().map(|i| i.movable).sum();
        self.hard = members.clone().all(Island::has_trees);
        let (mut manifold, mut joint) = (0, 0);
        let (mut body, mut guest) = (0, self.movable as u32);
        self.firsts.iter_mut().for_each(Vec::clear);
        self.owners.clear();
        self.pairs.clear();
        self.plan.clear();
        for &k in &self.members {
            let island = &mut islands[k as usize];
            let ranges = LaneRanges {
                manifolds: manifold..manifold + island.contacts.len(),
                joints: joint..joint + island.joints.len(),
                bodies: [body, guest],
            };
            self.firsts[0].push(manifold as u32);
            self.firsts[1].push(joint as u32);
            (manifold, joint) = (ranges.manifolds.end, ranges.joints.end);
            body += island.movable as u32;
            guest += (island.movers.len() - island.movable) as u32;
            for (j, (_, movers)) in island.seats.iter().enumerate() {
                let pair = movers.map(|m| ranges.body(m, island.movable));
                self.pairs.push(pair);
                self.owners.push([k, j as u32]);
            }
            if self.hard {
                self.plan.append(&island.scratch.plan);
            }
            island.ranges = Some(ranges);
        }
        self.bodies = guest as usize;
    }

    /// Makes room for the bodies.
    fn clear_lanes(&mut self) {
        let (guests, size) = (self.bodies - self.movable, self.cut());
        self.lanes
            .reset_in_sections(self.movable, guests, size.max(1));
    }

    /// Gives all joints their seats.
    fn seat(&mut self, islands: &[Island], shared: &Shared) {
        self.clear_lanes();
        let Self { links, lanes, .. } = self;
        if self.hard {
            let slots = self.owners.iter();
            let slots = slots.map(|&[k, j]| islands[k as usize].seats[j as usize].0);
            let stay = self.placed.are(slots, shared.joint_changes);
            self.placed.stay = links.seat_trees(lanes, &self.pairs, &self.plan, stay);
            return;
        }
        let rows = |joint: usize| {
            let [k, j] = self.owners[joint];
            let joint = &islands[k as usize].joints[j as usize];
            joint.memory.impulses().len()
        };
        links.seat(lanes, &self.pairs, rows);
    }

    /// Whether it has contacts.
    fn touches(&self) -> bool {
        !self.lanes.is_empty()
    }

    /// Runs `f` on the bodies that nothing moves, with their numbers in lanes and among themselves.
    fn guests(
        &mut self,
        islands: &mut [Island],
        f: impl Fn(&mut ContactLanes, &mut PartedLanes, [usize; 2], &mut Mover),
    ) {
        for &k in &self.members {
            for (body, m) in islands[k as usize].guests() {
                let numbers = [body, body - self.movable];
                f(&mut self.lanes, &mut self.links, numbers, m);
            }
        }
    }

    /// Grades and gaps to the members; those that were given up are as before the step.
    fn grade(&mut self, islands: &mut [Island], shared: &Shared) {
        let floor = shared.speed_floor();
        let [manifolds, joints] = &self.firsts;
        let graded = &mut self.graded;
        graded.clear();
        let mut members = self.members.iter();
        self.lanes
            .grade_parts(manifolds, floor, |(grade, scaled, depth)| {
                let Some(&k) = members.next() else { return };
                islands[k as usize].outcome.penetration = depth;
                graded.push((grade, scaled));
            });
        let mut members = self.members.iter().zip(graded);
        self.links
            .grade_parts(&self.lanes, joints, floor, |joints| {
                let Some((&k, contacts)) = members.next() else {
                    return;
                };
                let island = &mut islands[k as usize];
                let both = graded_together(*contacts, joints);
                island.outcome.grade = grade_beside(&island.problem, Pass::Velocity, floor, both);
            });
        self.measure_carried(islands);
        let all = self.links.holds_all();
        for &k in &self.members {
            let island = &mut islands[k as usize];
            if !island.linked {
                island.go_back(shared);
                island.leave(shared);
                continue;
            }
            let joints = island.ranges.as_ref().map_or(0..0, |b| b.joints.clone());
            let first = joints.start;
            island.link_rows = self.links.rows(joints) as u32;
            let links = &self.links;
            island.measure_joints(shared, |j| match all {
                true => Carried::All,
                false => links.carries(first + j),
            });
        }
    }

    /// Tells the members how far their joints are from holding where the bodies are now, as far as lanes know.
    fn measure_carried(&self, islands: &mut [Island]) {
        let (owners, parts) = (&self.owners, self.links.parts());
        if let [only] = self.members[..] {
            let out = &mut islands[only as usize].outcome;
            let errors = parts.iter().map(JointLanes::carried_error);
            out.joint_error = errors.fold(out.joint_error, f64::max);
            return;
        }
        for part in parts {
            part.carried_errors(|joint, error| {
                let out = &mut islands[owners[joint][0] as usize].outcome;
                out.joint_error = out.joint_error.max(error);
            });
        }
    }

    /// How much of its work is for one thread.
    pub(crate) fn share(&self, work: usize) -> usize {
        work / self.links.sections()
    }

    /// Whether its bearings are still where they were placed in an earlier step.
    #[cfg(test)]
    pub(crate) fn has_kept(&self) -> bool {
        self.placed.stay
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.lanes.bytes() + self.links.bytes() + self.motions.bytes()
    }
}

impl Island {
    /// Whether it is for a fleet of crowds, or for one of others.
    fn joins(&self, crowd: bool) -> bool {
        self.linked && self.crowd == crowd
    }

    /// Whether the joints are trees, or near enough, to be solved exactly.
    pub(super) fn has_trees(&self) -> bool {
        self.scratch.plan.work.is_some()
    }

    /// Number of its trees.
    pub(super) fn trees(&self) -> usize {
        self.scratch.plan.trees.len().saturating_sub(1)
    }

    /// Goes its way without a fleet.
    fn leave(&mut self, shared: &Shared) {
        (self.linked, self.fleet, self.ranges) = (false, None, None);
        self.kept_in = None;
        self.in_lanes = self.takes_lanes(shared);
    }
}
