//! Broad phase: all pairs of overlapping boxes, kept up to date as boxes move.
//!
//! Every collider has a *fat* box: its tight box grown by a margin, in f32 and rounded outward. A
//! collider that stays inside its fat box costs one comparison. The overlapping pairs are a sorted list
//! of the caller's; only the pairs of boxes that changed are looked up again, in one tree per mobility class.
//! The answer is a function of the stored boxes alone: trees decide the order of the search, never
//! its result, so a snapshot stores boxes and nothing else.

use crate::geom::{Aabb, Box32, Bvh, BvhWorkspace, along_ray, numbered_tree};
use glam::DVec3;
use rb_core::room;
use serde::{Deserialize, Serialize};

/// New boxes from which on it may pay to build trees anew.
const MANY: usize = 1024;

/// Leaves below which a tree is not refitted.
const SMALL: usize = 64;

/// One leaf in so many with a new box, and refitting the whole tree takes less time than taking each out and
/// putting it in again.
const FEW: usize = 32;

/// Whether a collider can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mobility {
    /// Never moves by itself; static pairs are not reported.
    Static,
    /// Dynamic or kinematic.
    Moving,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Entry {
    fat: Box32,
    mobility: Mobility,
}

/// Boxes of all colliders, by slot.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Option<Entry>>", into = "Vec<Option<Entry>>")]
pub struct BroadPhase {
    entries: Vec<Option<Entry>>,
    trees: [Bvh; 2],
    /// Slots whose box changed since the pairs were brought up to date, and the same as flags.
    changed: Vec<u32>,
    is_changed: Vec<bool>,
    /// Pairs that the last search found, sorted.
    found: Vec<[u32; 2]>,
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
        b.entries
    }
}

impl From<Vec<Option<Entry>>> for BroadPhase {
    fn from(entries: Vec<Option<Entry>>) -> Self {
        let mut b = Self {
            entries,
            ..Self::default()
        };
        let slots = b.entries.iter().enumerate();
        let used: Vec<usize> = slots.filter_map(|(k, e)| e.map(|_| k)).collect();
        used.into_iter().for_each(|slot| b.mark(slot as u32));
        b.plant();
        b
    }
}

impl core::fmt::Debug for BroadPhase {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("BroadPhase")
            .field("entries", &self.entries)
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

impl Course {
    /// The box of a collider that is at `tight`.
    fn entry(&self, tight: &Aabb) -> Entry {
        let there = tight.moved(self.ahead);
        let fat = tight.merged(&there).inflated(self.margin).outward();
        let mobility = self.mobility;
        Entry { fat, mobility }
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
        if self.holds(slot, tight, course) {
            return false;
        }
        self.put(slot, course.entry(tight));
        true
    }

    /// Takes a collider out of the trees and puts it in again.
    fn put(&mut self, slot: u32, entry: Entry) {
        if let Some(old) = self.entry(slot) {
            self.trees[old.mobility as usize].remove(slot);
        }
        self.trees[entry.mobility as usize].insert(entry.fat, slot);
        self.store(slot, entry);
    }

    /// New boxes for `count` colliders that their boxes do not [hold](Self::holds) any more. A few are put in anew;
    /// where there are more, leaves of movable ones stay and all boxes around them are made anew, and where these are
    /// most of all, both trees.
    pub fn set_many(&mut self, count: usize, moved: impl Iterator<Item = (u32, Aabb, Course)>) {
        let most = count >= MANY && 2 * count >= self.entries.len();
        let moving = Mobility::Moving as usize;
        let leaves = self.trees[moving].leaf_count() as usize;
        let refits = !most && leaves >= SMALL && FEW * count >= leaves;
        for (slot, tight, course) in moved {
            let entry = course.entry(&tight);
            let stays = |old: &Entry| [old.mobility, entry.mobility] == [Mobility::Moving; 2];
            if most {
                self.store(slot, entry);
            } else if refits && self.entry(slot).is_some_and(stays) {
                self.trees[moving].insert_or_update_partially(entry.fat, slot, 0.0);
                self.store(slot, entry);
            } else {
                self.put(slot, entry);
            }
        }
        if most {
            self.plant();
        } else if refits {
            // Given back afterwards: it becomes as large as the tree.
            let scratch = &mut BvhWorkspace::default();
            self.trees[moving].optimize_incremental(scratch);
            self.trees[moving].refit(scratch);
        }
    }

    /// Whether [`set_moving`](Self::set_moving) with the same arguments would keep the stored box.
    #[inline]
    pub fn holds(&self, slot: u32, tight: &Aabb, course: &Course) -> bool {
        self.entry(slot).is_some_and(|old| {
            let fat = Aabb::from_box32(&old.fat);
            let spare = 0.5 * tight.half_extents().max_element() + 2.0 * course.margin;
            let largest = tight.inflated(spare + 1.5 * course.ahead.length());
            let fits = course.mobility == Mobility::Static || largest.contains(&fat);
            old.mobility == course.mobility && fat.contains(tight) && fits
        })
    }

    /// Forgets a collider; nothing happens if it is unknown.
    pub fn remove(&mut self, slot: u32) {
        if let Some(old) = self.entry(slot) {
            self.trees[old.mobility as usize].remove(slot);
            self.entries[slot as usize] = None;
            // No trailing holes: equal boxes are then stored in equal bytes.
            while self.entries.pop_if(|e| e.is_none()).is_some() {}
            self.mark(slot);
        }
    }

    /// The stored fat box of a collider (m, world).
    #[inline]
    pub fn fat_box(&self, slot: u32) -> Option<Aabb> {
        self.entry(slot).map(|e| Aabb::from_box32(&e.fat))
    }

    /// Colliders whose pairs have to be looked up again.
    pub fn stale(&self) -> &[u32] {
        &self.changed
    }

    /// Has the pairs of a collider looked up and filtered again.
    pub fn recheck(&mut self, slot: u32) {
        if self.entry(slot).is_some() {
            self.mark(slot);
        }
    }

    /// Calls `f` with every collider whose fat box meets `region` (m, world), in no stated order.
    pub fn overlapping(&self, region: &Aabb, mut f: impl FnMut(u32)) {
        let region = region.outward();
        for tree in &self.trees {
            tree.intersect_aabb(&region).for_each(&mut f);
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
        let mut end = max;
        for tree in &self.trees {
            along_ray(tree, origin, dir, end, margin, &mut |slot, t| {
                end = f(slot, t);
                end
            });
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let trees: usize = self.trees.iter().map(Bvh::heap_memory_size).sum();
        let flags = room::bytes(&self.changed) + room::bytes(&self.is_changed);
        trees + flags + room::bytes(&self.entries) + room::bytes(&self.found)
    }

    fn entry(&self, slot: u32) -> Option<&Entry> {
        self.entries.get(slot as usize)?.as_ref()
    }

    fn store(&mut self, slot: u32, entry: Entry) {
        let at = slot as usize;
        if self.entries.len() <= at {
            room::fit(&mut self.entries, at + 1);
            self.entries.resize(at + 1, None);
        }
        self.entries[at] = Some(entry);
        self.mark(slot);
    }

    /// Builds both trees anew.
    fn plant(&mut self) {
        for mobility in [Mobility::Static, Mobility::Moving] {
            let own = |e: &Entry| (e.mobility == mobility).then_some(e.fat);
            let slots = self.entries.iter().enumerate();
            let boxes = slots.filter_map(|(slot, e)| Some((slot, own(e.as_ref()?)?)));
            self.trees[mobility as usize] = numbered_tree(boxes);
        }
    }

    fn mark(&mut self, slot: u32) {
        let at = slot as usize;
        if self.is_changed.len() <= at {
            room::fit(&mut self.is_changed, at + 1);
            self.is_changed.resize(at + 1, false);
        }
        if !self.is_changed[at] {
            self.is_changed[at] = true;
            self.changed.push(slot);
        }
    }

    /// Adds to `out` the pairs of a [stale](Self::stale) collider that `keep` accepts and that are not for the
    /// other one to report; pairs of static colliders are none. `keep` is asked once for each pair.
    pub fn partners(&self, slot: u32, keep: impl Fn(u32, u32) -> bool, out: &mut Vec<[u32; 2]>) {
        let Some(e) = self.entry(slot) else {
            return;
        };
        let trees = match e.mobility {
            Mobility::Static => &self.trees[Mobility::Moving as usize..],
            Mobility::Moving => &self.trees[..],
        };
        for tree in trees {
            for other in tree.intersect_aabb(&e.fat) {
                // A pair of changed boxes is found from both sides; the lower slot reports it.
                if other != slot && (other > slot || !self.is_changed[other as usize]) {
                    let [low, high] = [slot.min(other), slot.max(other)];
                    if keep(low, high) {
                        out.push([low, high]);
                    }
                }
            }
        }
    }

    /// Ends a search: brings a sorted list of all pairs up to date with what [`partners`](Self::partners) found for
    /// all stale colliders, in any order. Entries of pairs that stay are kept as they are.
    pub fn update<P: Paired>(
        &mut self,
        pairs: &mut Vec<P>,
        found: impl IntoIterator<Item = [u32; 2]>,
    ) {
        room::empty(&mut self.found);
        self.found.extend(found);
        self.found.sort_unstable_by_key(rank);
        self.retain(pairs);
        room::fit(pairs, pairs.len() + self.found.len());
        insert(pairs, &self.found);
        for slot in self.changed.drain(..) {
            self.is_changed[slot as usize] = false;
        }
    }

    /// Takes out of a list the pairs of stale colliders that were not found again, and out of what was found those that
    /// are in the list.
    fn retain<P: Paired>(&mut self, pairs: &mut Vec<P>) {
        let mut found = std::mem::take(&mut self.found);
        let (mut at, mut new) = (0, 0);
        pairs.retain(|old| {
            let key = old.key();
            while at < found.len() && found[at] < key {
                found[new] = found[at];
                (at, new) = (at + 1, new + 1);
            }
            let again = found.get(at) == Some(&key);
            at += usize::from(again);
            again || !key.iter().any(|&slot| self.marked(slot))
        });
        let rest = found.len() - at;
        found.copy_within(at.., new);
        found.truncate(new + rest);
        self.found = found;
    }

    fn marked(&self, slot: u32) -> bool {
        self.is_changed.get(slot as usize).is_some_and(|c| *c)
    }
}

/// Adds entries of new pairs to a sorted list of others, which make room for them from the last to the first.
fn insert<P: Paired>(pairs: &mut Vec<P>, new: &[[u32; 2]]) {
    let mut end = pairs.len();
    pairs.extend(new.iter().map(|key| P::new(*key)));
    for (before, key) in new.iter().enumerate().rev() {
        let after = pairs[..end].iter().rev().take_while(|p| p.key() > *key);
        let start = end - after.count();
        pairs.copy_within(start..end, start + before + 1);
        pairs[start + before] = P::new(*key);
        end = start;
    }
}

/// One number in the order of pairs.
fn rank([low, high]: &[u32; 2]) -> u64 {
    u64::from(*low) << 32 | u64::from(*high)
}
