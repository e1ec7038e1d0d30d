//! Generational arena. Its free list is part of the serialised state, so that a restored world hands
//! out the same handles as the world that went on without saving.

use crate::ahead::fetch;
use crate::handle::Handle;
use crate::room;
use core::marker::PhantomData;
use serde::{Deserialize, Serialize};

/// Slots of `V`, named by `Handle<K>`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "V: Serialize", deserialize = "V: Deserialize<'de>"))]
pub struct Arena<K, V> {
    slots: Vec<Slot<V>>,
    free: Vec<u32>,
    #[serde(skip)]
    kind: PhantomData<fn() -> K>,
}

/// A place for a value.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Slot<V> {
    generation: u32,
    value: Option<V>,
}

impl<V> Slot<V> {
    /// Its occupant for writing.
    pub fn value_mut(&mut self) -> Option<&mut V> {
        self.value.as_mut()
    }
}

impl<K, V> Default for Arena<K, V> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            kind: PhantomData,
        }
    }
}

impl<K, V> Arena<K, V> {
    /// Stores `value`; the last slot freed is used first.
    pub fn insert(&mut self, value: V) -> Handle<K> {
        let index = self.free.pop().unwrap_or_else(|| {
            let one_more = self.slots.len() + 1;
            room::fit(&mut self.slots, one_more);
            self.slots.push(Slot {
                generation: 0,
                value: None,
            });
            (self.slots.len() - 1) as u32
        });
        let slot = &mut self.slots[index as usize];
        slot.value = Some(value);
        Handle::from_raw(index, slot.generation)
    }

    /// Handle the next [`insert`](Self::insert) will return.
    pub fn next_handle(&self) -> Handle<K> {
        match self.free.last() {
            Some(&i) => Handle::from_raw(i, self.slots[i as usize].generation),
            None => Handle::from_raw(self.slots.len() as u32, 0),
        }
    }

    /// Takes the value out; its handle is dead from now on.
    pub fn remove(&mut self, handle: Handle<K>) -> Option<V> {
        let slot = self.slots.get_mut(handle.index() as usize)?;
        if slot.generation != handle.generation() {
            return None;
        }
        let value = slot.value.take()?;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(handle.index());
        Some(value)
    }

    /// The value, if the handle is alive.
    pub fn get(&self, handle: Handle<K>) -> Option<&V> {
        let slot = self.slots.get(handle.index() as usize)?;
        if slot.generation == handle.generation() {
            slot.value.as_ref()
        } else {
            None
        }
    }

    /// The value for writing, if the handle is alive.
    pub fn get_mut(&mut self, handle: Handle<K>) -> Option<&mut V> {
        let slot = self.slots.get_mut(handle.index() as usize)?;
        if slot.generation == handle.generation() {
            slot.value.as_mut()
        } else {
            None
        }
    }

    /// The occupant of a slot, whatever its generation.
    pub fn slot(&self, index: u32) -> Option<&V> {
        self.slots.get(index as usize)?.value.as_ref()
    }

    /// Has a slot [fetched](crate::ahead), if there is one: its occupant is about to be asked for.
    #[inline(always)]
    pub fn fetch(&self, index: u32) {
        if let Some(slot) = self.slots.get(index as usize) {
            fetch(slot);
        }
    }

    /// The occupant of a slot for writing, whatever its generation.
    pub fn slot_mut(&mut self, index: u32) -> Option<&mut V> {
        self.slots.get_mut(index as usize)?.value.as_mut()
    }

    /// All slots for writing, to be shared among threads.
    pub fn slots_mut(&mut self) -> &mut [Slot<V>] {
        &mut self.slots
    }

    /// Living handle of an occupied slot.
    pub fn handle_at(&self, index: u32) -> Option<Handle<K>> {
        let slot = self.slots.get(index as usize)?;
        slot.value
            .as_ref()
            .map(|_| Handle::from_raw(index, slot.generation))
    }

    /// Whether the handle is alive.
    pub fn contains(&self, handle: Handle<K>) -> bool {
        self.get(handle).is_some()
    }

    /// Number of occupied slots.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Whether no slot is occupied.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of slots, occupied or free: one more than the largest index ever used.
    pub fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// Bytes held by the slots themselves.
    pub fn bytes(&self) -> usize {
        room::bytes(&self.slots)
    }

    /// Living handles and values in slot order.
    pub fn iter(&self) -> impl Iterator<Item = (Handle<K>, &V)> {
        self.slots.iter().enumerate().filter_map(|(i, s)| {
            s.value
                .as_ref()
                .map(|v| (Handle::from_raw(i as u32, s.generation), v))
        })
    }

    /// Living handles and values for writing, in slot order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Handle<K>, &mut V)> {
        self.slots.iter_mut().enumerate().filter_map(|(i, s)| {
            let generation = s.generation;
            s.value
                .as_mut()
                .map(|v| (Handle::from_raw(i as u32, generation), v))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restored_arena_hands_out_the_same_handles() {
        let mut a: Arena<(), i32> = Arena::default();
        let h: Vec<_> = (0..6).map(|i| a.insert(i)).collect();
        for k in [4, 2, 5] {
            a.remove(h[k]);
        }
        let text = serde_json::to_string(&a).unwrap();
        let mut b: Arena<(), i32> = serde_json::from_str(&text).unwrap();
        for _ in 0..5 {
            assert_eq!(a.insert(9), b.insert(9));
        }
    }

    #[test]
    fn dead_handles_stay_dead() {
        let mut a: Arena<(), i32> = Arena::default();
        let h = a.insert(1);
        assert_eq!(a.remove(h), Some(1));
        assert_eq!(a.remove(h), None);
        let g = a.insert(2);
        assert_eq!(g.index(), h.index());
        assert!(a.get(h).is_none() && a.get(g) == Some(&2));
    }
}
