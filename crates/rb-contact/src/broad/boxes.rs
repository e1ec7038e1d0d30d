//! Boxes of all colliders, which of them are new, and what that makes of a list of pairs.

use super::revision::{Sorted, rank};
use super::{Mobility, Paired};
use crate::geom::{Aabb, Box32};
use core::ops::Range;
use glam::Vec3;
use parry3d::bounding_volume::BoundingVolume;
use rb_core::room;
use serde::{Deserialize, Serialize};

/// The box of a collider.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) fat: Box32,
    pub(super) mobility: Mobility,
    /// While it is stale the box for which its pairs were last looked up; [`NOWHERE`] if the list may have others for
    /// another reason.
    #[serde(skip, default = "nowhere")]
    was: Box32,
}

/// Meets no box.
const NOWHERE: Box32 = Box32 {
    mins: Vec3::INFINITY,
    maxs: Vec3::NEG_INFINITY,
};

fn nowhere() -> Box32 {
    NOWHERE
}

impl Entry {
    pub(super) fn new(fat: Box32, mobility: Mobility) -> Self {
        Self {
            fat,
            mobility,
            was: NOWHERE,
        }
    }

    /// Whether the collider can move.
    pub(super) fn moves(&self) -> bool {
        self.mobility == Mobility::Moving
    }
}

/// Boxes of all colliders, by slot.
#[derive(Clone, Debug, Default)]
pub struct Boxes {
    entries: Vec<Option<Entry>>,
    /// Slots whose box changed since the pairs were brought up to date, and the same as flags.
    changed: Vec<u32>,
    is_changed: Vec<bool>,
    /// Whether the list may have pairs already that are found as new ones.
    unsure: bool,
}

impl From<Vec<Option<Entry>>> for Boxes {
    fn from(entries: Vec<Option<Entry>>) -> Self {
        let mut boxes = Self {
            entries,
            ..Self::default()
        };
        for slot in 0..boxes.entries.len() as u32 {
            boxes.recheck(slot);
        }
        boxes
    }
}

impl From<Boxes> for Vec<Option<Entry>> {
    fn from(boxes: Boxes) -> Self {
        boxes.entries
    }
}

impl Boxes {
    pub(super) fn get(&self, slot: u32) -> Option<&Entry> {
        self.entries.get(slot as usize)?.as_ref()
    }

    /// Slots in use, with their boxes.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &Entry)> + Clone {
        let slots = self.entries.iter().enumerate();
        slots.filter_map(|(slot, e)| Some((slot, e.as_ref()?)))
    }

    /// One more than the highest slot.
    pub(super) fn slots(&self) -> usize {
        self.entries.len()
    }

    /// The stored fat box of a collider (m, world).
    #[inline]
    pub fn fat_box(&self, slot: u32) -> Option<Aabb> {
        self.get(slot).map(|e| Aabb::from_box32(&e.fat))
    }

    /// Colliders whose pairs have to be looked up again.
    pub fn stale(&self) -> &[u32] {
        &self.changed
    }

    pub(super) fn store(&mut self, slot: u32, mut entry: Entry) {
        let at = slot as usize;
        if self.entries.len() <= at {
            room::fit(&mut self.entries, at + 1);
            self.entries.resize(at + 1, None);
        }
        match &self.entries[at] {
            Some(old) if old.mobility == entry.mobility => entry.was = *self.looked_up(slot, old),
            _ => self.unsure = true,
        }
        self.entries[at] = Some(entry);
        self.mark(slot);
    }

    /// Forgets a collider; nothing happens if it is unknown.
    pub(super) fn remove(&mut self, slot: u32) {
        let entry = self.entries.get_mut(slot as usize);
        if entry.and_then(Option::take).is_none() {
            return;
        }
        // No trailing holes: equal boxes are then stored in equal bytes.
        while self.entries.pop_if(|e| e.is_none()).is_some() {}
        self.mark(slot);
    }

    pub(super) fn recheck(&mut self, slot: u32) {
        if let Some(Some(entry)) = self.entries.get_mut(slot as usize) {
            entry.was = NOWHERE;
            self.unsure = true;
            self.mark(slot);
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

    pub(super) fn is_stale(&self, slot: u32) -> bool {
        self.is_changed.get(slot as usize).is_some_and(|c| *c)
    }

    /// The box of a collider for which its pairs were last looked up.
    pub(super) fn looked_up<'a>(&self, slot: u32, entry: &'a Entry) -> &'a Box32 {
        if self.is_stale(slot) {
            &entry.was
        } else {
            &entry.fat
        }
    }

    /// Whether the box of a collider met another, `was`, when their pairs were last looked up, so that the list has the
    /// pair unless it was not wanted.
    pub(super) fn met(&self, was: &Box32, other: u32) -> bool {
        let other = self.get(other).map(|entry| self.looked_up(other, entry));
        other.is_some_and(|other| was.intersects(other))
    }

    /// Finds out which of some `places` of a list have pairs of [stale](super::BroadPhase::stale) colliders whose boxes do
    /// not meet any more, or that `keep` does not accept if that was to be [asked again](super::BroadPhase::recheck).
    pub fn sort_out<P: Paired>(
        &self,
        pairs: &[P],
        places: Range<usize>,
        keep: impl Fn(u32, u32) -> bool,
        out: &mut Sorted,
    ) {
        room::empty(&mut out.gone);
        room::empty(&mut out.ranks);
        room::fit(&mut out.ranks, places.len());
        for place in places {
            let [a, b] = pairs[place].key();
            out.ranks.push(rank(&[a, b]));
            if (self.is_stale(a) || self.is_stale(b)) && !self.stays([a, b], &keep) {
                out.gone.push(place as u32);
            }
        }
    }

    /// Whether a pair with a stale collider stays in the list.
    fn stays(&self, [a, b]: [u32; 2], keep: impl Fn(u32, u32) -> bool) -> bool {
        let (Some(one), Some(other)) = (self.get(a), self.get(b)) else {
            return false;
        };
        let moves = one.moves() || other.moves();
        moves
            && one.fat.intersects(&other.fat)
            && (self.met(self.looked_up(a, one), b) || keep(a, b))
    }

    /// Ends a search: no collider is stale then. Whether it is unsure which of the pairs that were found the list has.
    pub(super) fn end(&mut self) -> bool {
        for slot in self.changed.drain(..) {
            self.is_changed[slot as usize] = false;
        }
        std::mem::take(&mut self.unsure)
    }

    pub(super) fn bytes(&self) -> usize {
        let flags = room::bytes(&self.changed) + room::bytes(&self.is_changed);
        flags + room::bytes(&self.entries)
    }
}
