//! Broad phase: all pairs of overlapping boxes, kept up to date as boxes move.
//!
//! Every collider has a *fat* box: its tight box grown by a margin, in f32 and rounded outward. A
//! collider that stays inside its fat box costs one comparison. The set of overlapping pairs is kept
//! sorted; only the pairs of boxes that changed are looked up again, in one tree per mobility class.
//! The answer is a function of the stored boxes alone: trees decide the order of the search, never
//! its result, so a snapshot stores boxes and nothing else.

use crate::geom::{Aabb, Box32, Bvh, along_ray, numbered_tree};
use glam::DVec3;
use rb_core::room;
use serde::{Deserialize, Serialize};

/// New boxes from which on it may pay to build trees anew.
const MANY: usize = 1024;

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
    /// Overlapping pairs that passed the filter, sorted.
    pairs: Vec<[u32; 2]>,
    /// Those that the last search found.
    found: Vec<[u32; 2]>,
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
        let there = Aabb::new(tight.min + self.ahead, tight.max + self.ahead);
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
        self.remove(slot);
        let entry = course.entry(tight);
        self.trees[entry.mobility as usize].insert(entry.fat, slot);
        self.store(slot, entry);
        true
    }

    /// New boxes for `count` colliders that their boxes do not [hold](Self::holds) any more. Where these are
    /// most of all, trees are built anew, which takes less time than to put them in one by one.
    pub fn set_many(&mut self, count: usize, moved: impl Iterator<Item = (u32, Aabb, Course)>) {
        if count < MANY || 2 * count < self.entries.len() {
            for (slot, tight, course) in moved {
                self.set_moving(slot, &tight, &course);
            }
            return;
        }
        for (slot, tight, course) in moved {
            self.store(slot, course.entry(&tight));
        }
        self.plant();
    }

    /// Whether [`set_moving`](Self::set_moving) with the same arguments would keep the stored box.
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

    /// All pairs of overlapping fat boxes that `keep` accepts, except between static colliders:
    /// lower slot first, sorted. `keep` is asked once for each pair, when one of its boxes has changed
    /// or after [`recheck`](Self::recheck).
    pub fn pairs(&mut self, keep: impl Fn(u32, u32) -> bool) -> &[[u32; 2]] {
        let mut found = Vec::new();
        for &slot in self.stale() {
            self.partners(slot, &keep, &mut found);
        }
        self.take_pairs(found)
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
        let pairs = room::bytes(&self.pairs) + room::bytes(&self.found);
        trees + flags + room::bytes(&self.entries) + pairs
    }

    fn entry(&self, slot: u32) -> Option<&Entry> {
        self.entries.get(slot as usize)?.as_ref()
    }

    fn store(&mut self, slot: u32, entry: Entry) {
        let at = slot as usize;
        if self.entries.len() <= at {
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
            self.is_changed.resize(at + 1, false);
        }
        if !self.is_changed[at] {
            self.is_changed[at] = true;
            self.changed.push(slot);
        }
    }

    /// Adds to `out` the pairs of a [stale](Self::stale) collider that `keep` accepts and that are not for the
    /// other one to report: what [`pairs`](Self::pairs) is made of, for callers that search side by side.
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

    /// Ends a search: what [`partners`](Self::partners) found for all stale colliders, in any order. Returns what
    /// [`pairs`](Self::pairs) does.
    pub fn take_pairs(&mut self, found: impl IntoIterator<Item = [u32; 2]>) -> &[[u32; 2]] {
        if self.changed.is_empty() {
            return &self.pairs;
        }
        let (flags, next) = (&self.is_changed, &mut self.pairs);
        let stale = |slot: &u32| flags.get(*slot as usize).is_some_and(|c| *c);
        next.retain(|pair| !pair.iter().any(stale));
        room::empty(&mut self.found);
        self.found.extend(found);
        self.found.sort_unstable_by_key(rank);
        merge(next, &self.found);
        room::trim(next);
        for slot in self.changed.drain(..) {
            self.is_changed[slot as usize] = false;
        }
        &self.pairs
    }
}

/// One number in the order of pairs.
fn rank([low, high]: &[u32; 2]) -> u64 {
    u64::from(*low) << 32 | u64::from(*high)
}

/// Puts a sorted list into another, last first, as far as there is something to put.
fn merge(into: &mut Vec<[u32; 2]>, mut more: &[[u32; 2]]) {
    let mut left = into.len();
    into.resize(left + more.len(), [0; 2]);
    let mut at = into.len();
    while let [before @ .., last] = more {
        at -= 1;
        if left > 0 && rank(&into[left - 1]) > rank(last) {
            left -= 1;
            into[at] = into[left];
        } else {
            into[at] = *last;
            more = before;
        }
    }
}
