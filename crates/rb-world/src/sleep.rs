//! Sleep: whole islands fall asleep together and wake together.
//!
//! An island sleeps once the surface of each of its bodies has been slower than the threshold for the
//! set time *and* its last solve passed the certificate: an unsolved pile is never frozen.

use crate::state::State;
use rb_core::body::{Body, BodyFlags};
use rb_core::params::SleepParams;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Members of every sleeping island.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SleepGroups {
    members: BTreeMap<u32, Vec<u32>>,
    next: u32,
}

impl SleepGroups {
    /// Whether nothing sleeps.
    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
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
        self.groups.members.insert(id, slots.to_vec());
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
        let members = self.groups.members.remove(&id).unwrap_or_default();
        for &m in &members {
            if let Some(b) = self.bodies.slot_mut(m) {
                b.asleep = None;
                b.still = 0.0;
            }
        }
        members
    }

    /// Removes a body from its sleeping group without waking the others.
    pub(crate) fn forget_sleeper(&mut self, slot: u32) {
        for members in self.groups.members.values_mut() {
            members.retain(|&m| m != slot);
        }
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
