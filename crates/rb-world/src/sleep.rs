//! Sleep: whole islands fall asleep together and wake together.
//!
//! An island sleeps once the surface of each of its bodies has been slower than the threshold for the
//! set time *and* its last solve passed the certificate: an unsolved pile is never frozen.

use crate::rest::Rest;
use crate::state::State;
use rb_core::body::{Body, BodyFlags};
use rb_core::params::SleepParams;
use rb_core::room::bytes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Bodies that sleep together, and their contacts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Group {
    pub(crate) members: Vec<u32>,
    pub(crate) rest: Rest,
}

/// Every sleeping island.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SleepGroups {
    groups: BTreeMap<u32, Group>,
    next: u32,
    /// Those whose contacts are still in the lists of the step.
    fresh: Vec<u32>,
    /// Groups that have woken and whose contacts are not in the lists of the step yet.
    woken: Vec<Group>,
    /// Manifolds and points of all of them.
    waiting: [u32; 2],
}

impl SleepGroups {
    /// Whether nothing sleeps.
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Contacts that wait.
    pub(crate) fn rests(&self) -> impl Iterator<Item = &Rest> {
        let groups = self.groups.values().chain(&self.woken);
        groups.map(|group| &group.rest)
    }

    /// How many manifolds and points wait.
    pub(crate) fn waiting(&self) -> [u32; 2] {
        self.waiting
    }

    /// Contacts of a sleeping group.
    pub(crate) fn rest_mut(&mut self, group: u32) -> Option<&mut Rest> {
        Some(&mut self.groups.get_mut(&group)?.rest)
    }

    /// Groups that have fallen asleep since this was last asked for, and still sleep.
    pub(crate) fn take_fresh(&mut self) -> Vec<u32> {
        let mut fresh = std::mem::take(&mut self.fresh);
        fresh.retain(|id| self.groups.contains_key(id));
        fresh
    }

    /// Members of sleeping groups.
    pub(crate) fn members(&self, groups: &[u32]) -> impl Iterator<Item = u32> {
        let groups = groups.iter().filter_map(|id| self.groups.get(id));
        groups.flat_map(|group| &group.members).copied()
    }

    /// Ends the filling of a group with contacts.
    pub(crate) fn close(&mut self, group: u32) {
        if let Some(rest) = self.groups.get_mut(&group).map(|group| &mut group.rest) {
            rest.fit();
            let counts = rest.counts();
            self.waiting = [0, 1].map(|k| self.waiting[k] + counts[k]);
        }
    }

    /// Groups that have woken since this was last asked for; nothing of theirs waits any more.
    pub(crate) fn take_woken(&mut self) -> Vec<Group> {
        let woken = std::mem::take(&mut self.woken);
        for counts in woken.iter().map(|group| group.rest.counts()) {
            self.waiting = [0, 1].map(|k| self.waiting[k] - counts[k]);
        }
        woken
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let groups = self.groups.values().chain(&self.woken);
        let lists = groups.map(|g| size_of::<(u32, Group)>() + bytes(&g.members) + g.rest.bytes());
        lists.sum::<usize>() + bytes(&self.fresh)
    }
}

impl State {
    /// Puts the bodies of an island to sleep as one group.
    pub(crate) fn put_to_sleep(&mut self, slots: &[u32]) {
        let id = self.groups.next;
        self.groups.next = self.groups.next.wrapping_add(1);
        for &slot in slots {
            let b = self.body_mut(slot);
            b.asleep = Some(id);
            b.vel = Default::default();
        }
        let members = slots.to_vec();
        let rest = Rest::default();
        self.groups.groups.insert(id, Group { members, rest });
        self.groups.fresh.push(id);
    }

    /// Wakes a body and all that sleep with it; returns the slots woken.
    pub(crate) fn wake(&mut self, slot: u32) -> Vec<u32> {
        let Some(body) = self.bodies.slot_mut(slot) else {
            return Vec::new();
        };
        body.still = 0.0;
        let Some(id) = body.asleep else {
            return Vec::new();
        };
        let group = self.groups.groups.remove(&id).unwrap_or_default();
        let members = group.members.clone();
        for &m in &members {
            if let Some(b) = self.bodies.slot_mut(m) {
                b.asleep = None;
                b.still = 0.0;
            }
        }
        self.groups.woken.push(group);
        members
    }
}

/// Advances the stillness clock of a body by `dt` (s); true if it has been still long enough.
pub(crate) fn rests(b: &mut Body, p: &SleepParams, dt: f64) -> bool {
    b.still = if b.speed() < p.speed {
        b.still + dt
    } else {
        0.0
    };
    p.enabled && b.still >= p.time && !b.flags.contains(BodyFlags::NO_SLEEP)
}
