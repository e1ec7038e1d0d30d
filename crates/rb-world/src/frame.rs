//! Scratch of one step: reused from step to step, never serialised.

use crate::flight::Flight;
use crate::island::convoy::{Convoy, RUN};
use crate::island::fleet::Fleet;
use crate::island::{Island, IslandContact, SecondTry};
use crate::stage::advance::Halt;
use crate::stage::narrow::Act;
use crate::stage::partition::{ListedBody, ListedJoint};
use crate::stage::publish::TouchingRun;
use crate::state::Pair;
use rb_contact::broad::{NewBox, Sorted};
use rb_contact::recycle::Sphere;
use rb_contact::{Aabb, CollisionGroups, ContactPatch};
use rb_core::anchor::Stand;
use rb_core::handle::{BodyHandle, ColliderHandle};
use rb_core::integrate::Mover;
use rb_core::manifold::{ContactMaterial, Impulses, Manifold};
use rb_core::math::Twist;
use rb_core::partition::Islands;
use rb_core::problem::Problem;
use rb_core::room::{bytes, empty, fit};
use rb_core::shift::Shift;
use rb_solve::lanes::{ContactLanes, PartedLanes};
use rb_solve::parallel;

/// A collider in this step: what the narrow phase asks of it for every pair.
///
/// In the order in which it is asked: most pairs are told apart by the first cache line.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Placed {
    /// Holds the shape and `reach` around it (m, world).
    pub(crate) bounds: Aabb,
    /// How far a contact may be away and still matter within this step (m).
    pub(crate) reach: f64,
    /// Whether its body may have moved since contacts were last found.
    pub(crate) stirs: bool,
    pub(crate) sensor: bool,
    /// Whether contacts see it where it was.
    pub(crate) held: bool,
    /// Whether it slept already when it was last placed, and did not move: it stands there until it wakes.
    pub(crate) rests: bool,
    /// Whether its surface has a direction that turns with the body.
    pub(crate) directed: bool,
    /// Whether nothing touched its body in the last step.
    pub(crate) flies: bool,
    /// Whether it flies and may meet something in this step that does not.
    pub(crate) exposed: bool,
    /// Whether its body is dynamic.
    pub(crate) dynamic: bool,
    /// Of the shape about its own origin (m).
    pub(crate) radius: f64,
    /// How far its origin moves and it turns within this step (m, rad; world).
    pub(crate) motion: Twist,
    /// How far its body goes within this step, or what that touched in the last one (m).
    pub(crate) unrest: f64,
    pub(crate) stand: Stand,
    /// Whether joints hold its body.
    pub(crate) jointed: bool,
    pub(crate) collider: ColliderHandle,
    pub(crate) body: BodyHandle,
    pub(crate) groups: CollisionGroups,
}

impl Placed {
    /// Its shape's pose and radius.
    pub(crate) fn sphere(&self) -> Sphere<'_> {
        (&self.stand.pose, self.radius)
    }
}

/// How far a body goes within this step, and what it may be carried along by.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Travel {
    /// How far its points go at most (m).
    pub(crate) own: f64,
    /// The most of this and how far those go that touched it in the last step (m).
    pub(crate) unrest: f64,
    /// Whether any touched it.
    pub(crate) touched: bool,
    /// Whether contacts see it where it was.
    pub(crate) held: bool,
}

impl Travel {
    /// Of a body that goes so far (m) and touches nothing.
    pub(crate) fn alone(own: f64, held: bool) -> Self {
        Self {
            own,
            unrest: own,
            touched: false,
            held,
        }
    }
}

/// What placing the colliders of one task found.
#[derive(Debug, Default)]
pub(crate) struct Left {
    /// Slot of the first collider of the task.
    pub(crate) first: usize,
    /// New boxes of those that have left theirs.
    pub(crate) boxes: Vec<NewBox>,
    /// Whether one reports the forces of its contacts.
    pub(crate) reports: bool,
    /// Which of them fly, by bits, and which are of bodies that are not dynamic.
    pub(crate) flying: u64,
    pub(crate) massive: u64,
}

/// What one task found among bodies at the end of the step.
#[derive(Debug, Default)]
pub(crate) struct BodyNotes {
    /// Slot of the first body of the task.
    pub(crate) first: usize,
    /// Slots of those that have moved by more than their core, and of those that have been still for long
    /// enough to sleep.
    pub(crate) fast: Vec<u32>,
    pub(crate) still: Vec<u32>,
    /// Those of the fast ones that met something.
    pub(crate) met: Vec<Halt>,
    /// Slots of those that got farther than their boxes foresaw.
    pub(crate) far: Vec<u32>,
    /// New boxes of their colliders that have left theirs.
    pub(crate) left: Vec<NewBox>,
    /// Slots of kinematic bodies whose velocity would take them out of bounds.
    pub(crate) strayed: Vec<u32>,
}

impl BodyNotes {
    pub(crate) fn clear(&mut self, first: usize) {
        self.first = first;
        self.fast.clear();
        self.met.clear();
        self.far.clear();
        empty(&mut self.left);
        self.still.clear();
        self.strayed.clear();
    }

    fn bytes(&self) -> usize {
        let lists = [&self.fast, &self.still, &self.far, &self.strayed];
        bytes(&self.left) + bytes(&self.met) + lists.into_iter().map(bytes).sum::<usize>()
    }
}

/// A pair that no longer has as many manifolds as it had.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Changed {
    /// Its number among the pairs of its task.
    pub(crate) pair: u32,
    /// How many manifolds it has now.
    pub(crate) count: u32,
}

/// What one narrow-phase task found.
#[derive(Debug, Default)]
pub(crate) struct PairChunk {
    /// What has to be done about its pairs.
    pub(crate) acts: Vec<Act>,
    /// Numbers of those that have manifolds, before anything is done.
    pub(crate) known: Vec<u32>,
    /// Contacts of the pair at hand, and what each takes over.
    pub(crate) patches: Vec<ContactPatch>,
    pub(crate) carried: Vec<Impulses>,
    pub(crate) changed: Vec<Changed>,
    /// Whether it has written over manifolds.
    pub(crate) wrote: bool,
    /// Colliders of its pairs that fly and may meet something in this step that does not.
    pub(crate) exposed: Vec<u32>,
    /// Materials of theirs that have more than friction.
    pub(crate) fresh: Vec<ContactMaterial>,
    /// Manifolds of the changed pairs.
    pub(crate) found: Vec<Manifold>,
    pub(crate) overlapping: Vec<[u32; 2]>,
    /// Manifolds of all its pairs: number of the first, how many, and where those that were known go.
    pub(crate) first: usize,
    pub(crate) count: usize,
    pub(crate) shift: Shift,
    /// Bodies of the pairs that have manifolds, where these come and go.
    pub(crate) links: Vec<[u32; 2]>,
}

impl PairChunk {
    fn bytes(&self) -> usize {
        let patches = bytes(&self.patches) + bytes(&self.carried);
        let found = bytes(&self.found) + bytes(&self.overlapping);
        let fresh = bytes(&self.fresh) + bytes(&self.exposed);
        let numbers = bytes(&self.changed) + bytes(&self.known) + bytes(&self.links);
        patches + found + fresh + bytes(&self.acts) + numbers + self.shift.bytes()
    }
}

/// Islands per task.
pub(crate) const ISLANDS: usize = 16;

/// Bytes that what is not in use may keep for later: what has fallen asleep needs none.
const KEPT: usize = 1 << 14;

/// Takes their memory from islands and lanes that are not in use, if it is much.
pub(crate) fn release<T: Default>(unused: &mut [T], bytes: impl Fn(&T) -> usize) {
    for item in unused.iter_mut().filter(|item| bytes(item) > KEPT) {
        *item = T::default();
    }
}

/// No island.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Per-step scratch.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    pub(crate) chunks: Vec<PairChunk>,
    /// Whether each contact is another than in the last step, but for its impulses; empty if all may be.
    pub(crate) fresh: Vec<bool>,
    /// Whether the contacts are those of the last step, brought up to date.
    pub(crate) contacts_stay: bool,
    /// Whether joints are as they were at the end of the last step, and their impulses of a substep of the present length.
    pub(crate) joints_stay: bool,
    /// How often joints, where they hold their bodies, or the settings may have changed.
    pub(crate) joint_changes: u64,
    /// Whether the bodies that solving moves are those of the last step; not known if they have not been listed yet.
    pub(crate) bodies_stay: Option<bool>,
    /// How far the body in a slot goes.
    pub(crate) travels: Vec<Travel>,
    /// Every collider slot; free slots hold nothing of use. Empty where it is not known where shapes stood.
    pub(crate) placed: Vec<Placed>,
    /// What placing them found.
    pub(crate) left: Vec<Left>,
    /// Pairs that each task found of colliders whose boxes are new.
    pub(crate) searches: Vec<Vec<[u32; 2]>>,
    /// Which pairs are none any more.
    pub(crate) sorted: Vec<Sorted>,
    /// Where manifolds that stay go; manifolds and pairs on their way from one task's places to another's.
    pub(crate) shift: Shift,
    pub(crate) crossing: Vec<(usize, Manifold)>,
    pub(crate) astray: Vec<(usize, Pair)>,
    /// Materials of the contacts of the step before.
    pub(crate) former: Vec<ContactMaterial>,
    pub(crate) partition: Islands,
    /// Whether the islands of this step have been [found](crate::stage::partition::begin) already.
    pub(crate) begun: bool,
    /// Whether islands have the bodies, joints and contacts that were listed last.
    pub(crate) partitioned: bool,
    /// Whether these are those of the step before.
    pub(crate) same: bool,
    /// Islands in use are the first `island_count`; the rest keep their memory for later.
    pub(crate) islands: Vec<Island>,
    pub(crate) island_count: usize,
    /// How urgently which islands ask for their step to be made again.
    pub(crate) asking: Vec<(f64, u32)>,
    /// Those that are run by themselves, with their numbers, while they are.
    pub(crate) apart: Vec<(u32, Island)>,
    /// Lanes of every run of islands.
    pub(crate) convoys: Vec<Convoy>,
    /// Lanes of those whose step was made again.
    pub(crate) second: SecondTry,
    /// Lanes of islands with joints; those in use are the first `fleet_count`.
    pub(crate) fleets: Vec<Fleet>,
    pub(crate) fleet_count: usize,
    /// No joints.
    no_links: PartedLanes,
    /// Bodies that touch nothing.
    pub(crate) flights: Vec<Flight>,
    /// The bodies and joints of all slots, in short.
    pub(crate) listed_bodies: Vec<ListedBody>,
    pub(crate) listed_joints: Vec<Option<ListedJoint>>,
    /// Slots of the bodies in flight; of those in islands, one island after the other, and where each begins
    /// and the last ends.
    pub(crate) free: Vec<u32>,
    pub(crate) members: Vec<u32>,
    pub(crate) starts: Vec<u32>,
    /// Slots of those in islands in the order of their numbers, again one island after the other.
    pub(crate) numbered: Vec<u32>,
    /// Movable bodies of each island, and how many of them have been still for long enough.
    pub(crate) sizes: Vec<u32>,
    pub(crate) resting: Vec<u32>,
    /// Movers of each island, while they are on the way into it.
    pub(crate) movers: Vec<Vec<Mover>>,
    /// What the end of the step found among the bodies.
    pub(crate) notes: Vec<BodyNotes>,
    /// Island of each body slot and its number there, [`NOWHERE`] and its number among the flights, or twice
    /// [`NOWHERE`].
    pub(crate) place: Vec<[u32; 2]>,
    /// Island of each manifold and its number there, [`NOWHERE`] if it is of none.
    pub(crate) homes: Vec<[u32; 2]>,
    /// Runs of manifolds of which each was stored by one task: number of the first, and whether any closed or opened.
    pub(crate) stored: Vec<(usize, bool)>,
    /// All contacts in short, before they have an island.
    pub(crate) listed: Vec<IslandContact>,
    /// Contact points.
    pub(crate) points: u32,
    /// Island of each joint slot and its number there, [`NOWHERE`] if it is of none.
    pub(crate) joint_homes: Vec<[u32; 2]>,
    /// Which pairs touch, run by run of contacts.
    pub(crate) touching: Vec<TouchingRun>,
    /// Independent tasks offered to the threads in this step.
    pub(crate) tasks: u32,
}

impl Frame {
    /// Islands of this step.
    pub(crate) fn islands(&self) -> &[Island] {
        &self.islands[..self.island_count]
    }

    /// The lanes that an island shares with others.
    #[inline]
    pub(crate) fn lanes(&self, island: usize) -> &ContactLanes {
        let Island { fleet, again, .. } = self.islands[island];
        match (fleet, again) {
            (Some(fleet), _) => &self.fleets[fleet as usize].lanes,
            (None, Some(run)) => self.second.lanes(run),
            (None, None) => &self.convoys[island / RUN].lanes,
        }
    }

    /// The solved problem of an island of the last step.
    pub(crate) fn problem(&self, island: usize) -> Problem {
        let fleet = self.islands[island].fleet;
        let links = fleet.map_or(&self.no_links, |fleet| &self.fleets[fleet as usize].links);
        self.islands[island].whole_problem(self.lanes(island), links)
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let islands: usize = self.islands.iter().map(Island::bytes).sum();
        let lanes: usize = self.convoys.iter().map(Convoy::bytes).sum();
        let found: usize = self.chunks.iter().map(PairChunk::bytes).sum();
        let fleets: usize = self.fleets.iter().map(Fleet::bytes).sum();
        let lanes = lanes + fleets + self.second.bytes();
        let records = bytes(&self.islands) + bytes(&self.convoys) + bytes(&self.chunks);
        let left: usize = self.left.iter().map(|l| bytes(&l.boxes)).sum();
        let left = left + bytes(&self.left);
        let searches: usize = self.searches.iter().map(bytes).sum();
        let sorted: usize = self.sorted.iter().map(Sorted::bytes).sum();
        let searches = searches + sorted + bytes(&self.sorted) + bytes(&self.astray);
        let colliders = bytes(&self.placed) + left + bytes(&self.travels) + searches;
        let bodies = bytes(&self.flights) + bytes(&self.listed_bodies) + bytes(&self.place);
        let movers = bytes(&self.movers);
        let notes: usize = self.notes.iter().map(BodyNotes::bytes).sum();
        let bodies = bodies + movers + bytes(&self.notes) + notes;
        let homes = bytes(&self.free) + bytes(&self.members) + bytes(&self.starts);
        let homes = homes + bytes(&self.numbered);
        let contacts = bytes(&self.crossing)
            + self.shift.bytes()
            + bytes(&self.homes)
            + bytes(&self.listed)
            + bytes(&self.listed_joints)
            + bytes(&self.joint_homes)
            + bytes(&self.touching)
            + self.touching.iter().map(TouchingRun::bytes).sum::<usize>()
            + bytes(&self.stored)
            + bytes(&self.fresh);
        islands + lanes + found + records + colliders + bodies + homes + contacts
    }

    /// Work of the last step's longest task that cannot be divided: one like it is ahead, and threads share
    /// the rest.
    pub(crate) fn undivided(&self) -> usize {
        let work = |fleet: &Fleet| {
            let run = self.islands[fleet.run.clone()].iter();
            let own = run.filter(|i| i.crowd == fleet.crowd);
            own.map(Island::undivided).sum()
        };
        let fleets = self.fleets[..self.fleet_count].iter();
        let fleets = fleets.map(|fleet| fleet.share(work(fleet)));
        let alone = self.islands().iter().filter(|i| i.fleet.is_none());
        let alone = alone.map(Island::undivided);
        fleets.chain(alone).max().unwrap_or(0)
    }

    /// Makes room for an island for each number of movable bodies in `sizes`; a few more are kept.
    pub(crate) fn make_islands(&mut self) {
        let n = self.sizes.len();
        self.islands.truncate(n + n / 8 + 8);
        fit(&mut self.islands, n);
        let more = n.saturating_sub(self.islands.len());
        parallel::extend(&mut self.islands, more, ISLANDS, |_| Island::default());
        self.island_count = n;
        release(&mut self.islands[n..], Island::bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placed_collider_is_four_cache_lines() {
        assert_eq!(size_of::<Placed>(), 256);
    }
}
