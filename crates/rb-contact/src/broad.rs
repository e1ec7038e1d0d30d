//! Broad phase: all pairs of overlapping boxes, kept up to date as boxes move.
//!
//! Every collider has a *fat* box: its tight box grown by a margin, in f32 and rounded outward. A
//! collider that stays inside its fat box costs one comparison. The overlapping pairs are a sorted list
//! of the caller's; only the pairs of boxes that changed are looked up again, in a tree.
//! The answer is a function of the stored boxes alone: the tree decides the order of the search, never
//! its result, so a snapshot stores boxes and nothing else.

mod boxes;
mod revision;
mod tree;

pub use boxes::Boxes;
pub use revision::{Part, Revision, Sorted};

use crate::geom::{Aabb, Box32};
use boxes::Entry;
use glam::DVec3;
use parry3d::bounding_volume::BoundingVolume;
use rb_core::room;
use serde::{Deserialize, Serialize};
use tree::Tree;

/// Whether a collider can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mobility {
    /// Never moves by itself; static pairs are not reported.
    Static,
    /// Dynamic or kinematic.
    Moving,
}

/// Boxes of all colliders, by slot, with a tree around them.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Option<Entry>>", into = "Vec<Option<Entry>>")]
pub struct BroadPhase {
    boxes: Boxes,
    tree: Tree,
    /// Slots that were last given boxes together.
    moved: Vec<u32>,
    revision: Revision,
}

/// An entry of a list of pairs.
pub trait Paired: Copy {
    /// Slots of the pair, lower first.
    fn key(&self) -> [u32; 2];

    /// The entry of a pair that is new.
    fn new(key: [u32; 2]) -> Self;
}

impl Paired for [u32; 2] {
    fn key(&self) -> [u32; 2] {
        *self
    }

    fn new(key: [u32; 2]) -> Self {
        key
    }
}

impl From<BroadPhase> for Vec<Option<Entry>> {
    fn from(b: BroadPhase) -> Self {
        b.boxes.into()
    }
}

impl From<Vec<Option<Entry>>> for BroadPhase {
    fn from(entries: Vec<Option<Entry>>) -> Self {
        let mut b = Self {
            boxes: entries.into(),
            ..Self::default()
        };
        let all = b.boxes.iter().map(|(slot, e)| (slot as u32, e.fat));
        b.tree.set(b.boxes.slots(), all);
        b
    }
}

impl core::fmt::Debug for BroadPhase {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("BroadPhase")
            .field("boxes", &self.boxes)
            .finish_non_exhaustive()
    }
}

/// Where a collider is going, for its next box.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    /// How far the box stands off (m).
    pub margin: f64,
    /// Motion (m) that it holds in advance.
    pub ahead: DVec3,
    /// Tree it belongs to.
    pub mobility: Mobility,
}

/// A new box for a collider.
#[derive(Clone, Copy, Debug)]
pub struct NewBox {
    slot: u32,
    fat: Box32,
    mobility: Mobility,
}

impl NewBox {
    /// Of a collider whose tight world box is `tight`.
    #[inline]
    pub fn new(slot: u32, tight: &Aabb, course: &Course) -> Self {
        let there = tight.moved(course.ahead);
        Self {
            slot,
            fat: tight.merged(&there).inflated(course.margin).outward(),
            mobility: course.mobility,
        }
    }
}

impl BroadPhase {
    /// No colliders.
    pub fn new() -> Self {
        Self::default()
    }

    /// States where a collider is: its tight world box. The stored box is replaced, by `tight` grown
    /// by `margin` (m), only when `tight` leaves it, when it has become much too large (a fast body
    /// has slowed down) or when the mobility changes. Returns whether it was.
    pub fn set(&mut self, slot: u32, tight: &Aabb, margin: f64, mobility: Mobility) -> bool {
        let course = Course {
            margin,
            ahead: DVec3::ZERO,
            mobility,
        };
        self.set_moving(slot, tight, &course)
    }

    /// [`set`](Self::set) for a collider on its way: a new box lasts until the collider is there.
    pub fn set_moving(&mut self, slot: u32, tight: &Aabb, course: &Course) -> bool {
        let new = self.new_box(slot, tight, course);
        self.set_many(usize::from(new.is_some()), new);
        new.is_some()
    }

    /// New boxes for `count` colliders, [those](Self::new_box) that their boxes do not hold any more.
    pub fn set_many(&mut self, count: usize, moved: impl IntoIterator<Item = NewBox>) {
        self.store_many(count, moved).grow();
    }

    /// The boxes of [`set_many`](Self::set_many), and what is left to do: the tree [grows](Growth::grow) apart, so that
    /// lists can be [sorted out](Boxes::sort_out) at the same time.
    pub fn store_many(
        &mut self,
        count: usize,
        moved: impl IntoIterator<Item = NewBox>,
    ) -> Growth<'_> {
        self.moved.clear();
        room::fit(&mut self.moved, count);
        for new in moved {
            self.boxes
                .store(new.slot, Entry::new(new.fat, new.mobility));
            self.moved.push(new.slot);
        }
        Growth {
            tree: &mut self.tree,
            boxes: &self.boxes,
            moved: &self.moved,
        }
    }

    /// The box that [`set_moving`](Self::set_moving) with the same arguments would store; `None` if it would keep the one
    /// that is stored.
    #[inline]
    pub fn new_box(&self, slot: u32, tight: &Aabb, course: &Course) -> Option<NewBox> {
        let held = self.boxes.get(slot).is_some_and(|old| {
            let fat = Aabb::from_box32(&old.fat);
            let spare = 0.5 * tight.half_extents().max_element() + 2.0 * course.margin;
            let within = |more: f64| tight.inflated(spare + more).contains(&fat);
            // Mostly no motion need be asked for.
            let fits = || within(0.0) || within(1.5 * course.ahead.length());
            old.mobility == course.mobility
                && fat.contains(tight)
                && (course.mobility == Mobility::Static || fits())
        });
        (!held).then(|| NewBox::new(slot, tight, course))
    }

    /// Forgets a collider; nothing happens if it is unknown.
    pub fn remove(&mut self, slot: u32) {
        self.boxes.remove(slot);
        self.tree.remove(slot);
    }

    /// The stored fat box of a collider (m, world).
    #[inline]
    pub fn fat_box(&self, slot: u32) -> Option<Aabb> {
        self.boxes.fat_box(slot)
    }

    /// Colliders whose pairs have to be looked up again.
    pub fn stale(&self) -> &[u32] {
        self.boxes.stale()
    }

    /// Has the pairs of a collider looked up and filtered again.
    pub fn recheck(&mut self, slot: u32) {
        self.boxes.recheck(slot);
    }

    /// Calls `f` with every collider whose fat box meets `region` (m, world), in no stated order.
    pub fn overlapping(&self, region: &Aabb, f: impl FnMut(u32)) {
        self.tree.meeting(&region.outward(), f);
    }

    /// The same for some colliders alone, without the tree.
    pub fn overlapping_of(&self, slots: &[u32], region: &Aabb, mut f: impl FnMut(u32)) {
        let region = region.outward();
        for &slot in slots {
            let entry = self.boxes.get(slot);
            if entry.is_some_and(|e| e.fat.intersects(&region)) {
                f(slot);
            }
        }
    }

    /// Calls `f` with every collider whose fat box, grown by `margin` (m), meets the segment
    /// `origin + t · dir`, 0 ≤ t ≤ `max`. `f` gets the slot and the current end of the segment and
    /// returns the new one, so that a hit shortens the search.
    pub fn along_ray(
        &self,
        origin: DVec3,
        dir: DVec3,
        max: f64,
        margin: f64,
        mut f: impl FnMut(u32, f64) -> f64,
    ) {
        self.tree.along_ray([origin, dir], max, margin, &mut f);
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let moved = room::bytes(&self.moved);
        self.tree.bytes() + moved + self.boxes.bytes() + self.revision.bytes()
    }

    /// Adds to `out` the pairs of a [stale](Self::stale) collider that `keep` accepts, without those that the list has
    /// already and those that the other one reports; pairs of static colliders are none. `keep` is asked once for each
    /// pair. Where it is not known what the list has, after [`recheck`](Self::recheck), they come again.
    pub fn partners(&self, slot: u32, keep: impl Fn(u32, u32) -> bool, out: &mut Vec<[u32; 2]>) {
        let Some(e) = self.boxes.get(slot) else {
            return;
        };
        let was = self.boxes.looked_up(slot, e);
        self.tree.meeting(&e.fat, |other| {
            // A pair of changed boxes is found from both sides; the lower slot reports it.
            let reports = other > slot || !self.boxes.is_stale(other);
            if other != slot && reports && !self.boxes.met(was, other) {
                let [low, high] = [slot.min(other), slot.max(other)];
                let moves = e.moves() || self.boxes.get(other).is_some_and(Entry::moves);
                if moves && keep(low, high) {
                    out.push([low, high]);
                }
            }
        });
    }

    /// What brings a sorted list of all pairs, whose runs have all been [sorted out](Boxes::sort_out), up to date: takes out
    /// what is none any more, and puts in what [`partners`](Self::partners) found for all stale colliders, in any order.
    /// `each` is given parts of the plan and how each is made, in any order.
    pub fn revise(
        &mut self,
        list: &[Sorted],
        found: &(impl Iterator<Item = [u32; 2]> + Clone + Sync),
        each: impl FnOnce(&mut [Part], &(dyn Fn(&mut Part) + Sync)),
    ) -> &Revision {
        let unsure = self.boxes.end();
        self.revision.plan(list, found, unsure, each);
        &self.revision
    }

    /// All boxes.
    pub fn boxes(&self) -> &Boxes {
        &self.boxes
    }
}

/// A tree that does not know the newest boxes yet.
#[must_use = "the tree does not know the newest boxes until it has grown"]
pub struct Growth<'a> {
    tree: &'a mut Tree,
    boxes: &'a Boxes,
    moved: &'a [u32],
}

impl<'a> Growth<'a> {
    /// All boxes, the newest too.
    pub fn boxes(&self) -> &'a Boxes {
        self.boxes
    }

    /// Brings the tree up to date.
    pub fn grow(self) {
        let slots = self.moved.iter();
        let boxes = slots.filter_map(|&slot| Some((slot, self.boxes.get(slot)?.fat)));
        self.tree.set(self.moved.len(), boxes);
    }
}
