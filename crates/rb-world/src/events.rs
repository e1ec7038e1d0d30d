//! What happened during the last step, as slices sorted by slot, valid until the next step.

use rb_core::handle::{BodyHandle, ColliderHandle, JointHandle};
use rb_core::math::Wrench;
use serde::{Deserialize, Serialize};

/// Two colliders began or ceased to touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContactEvent {
    /// The colliders, lower slot first.
    pub colliders: [ColliderHandle; 2],
    /// Their bodies.
    pub bodies: [BodyHandle; 2],
}

/// The contact of two colliders pressed harder than one of them asked to hear of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForceEvent {
    /// The colliders, lower slot first.
    pub colliders: [ColliderHandle; 2],
    /// Sum of the normal forces (N), mean over the last substep.
    pub force: f64,
}

/// A joint carried more than its break thresholds and was removed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointBreakEvent {
    /// The joint; its handle is dead now.
    pub joint: JointHandle,
    /// The bodies it connected.
    pub bodies: [BodyHandle; 2],
    /// Reaction on b at the origin of its joint frame (N, N·m) that broke it.
    pub load: Wrench,
}

/// Pairs that were parted between steps, by the removal of a collider: the next step tells of their end.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Parted {
    pub(crate) contacts: Vec<ContactEvent>,
    pub(crate) sensors: Vec<ContactEvent>,
}

impl Parted {
    /// Adds those of one kind to the pairs that end in this step.
    pub(crate) fn tell(parted: &mut Vec<ContactEvent>, end: &mut Vec<ContactEvent>) {
        if !parted.is_empty() {
            end.append(parted);
            end.sort_unstable_by_key(|e| e.colliders);
        }
    }
}

/// Events of the last step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Events {
    /// Pairs that began to touch.
    pub contact_begin: Vec<ContactEvent>,
    /// Pairs that ceased to touch; a removed collider's handle is dead.
    pub contact_end: Vec<ContactEvent>,
    /// Sensor pairs that began to overlap.
    pub sensor_begin: Vec<ContactEvent>,
    /// Sensor pairs that ceased to overlap.
    pub sensor_end: Vec<ContactEvent>,
    /// Contacts pressed harder than asked to hear of.
    pub contact_force: Vec<ContactForceEvent>,
    /// Joints that broke.
    pub joint_break: Vec<JointBreakEvent>,
    /// Bodies that fell asleep.
    pub sleep: Vec<BodyHandle>,
    /// Bodies that woke during the step.
    pub wake: Vec<BodyHandle>,
    /// Bodies put back and frozen because their state became non-finite.
    pub frozen: Vec<BodyHandle>,
}

impl Events {
    /// Forgets all, keeping the memory.
    pub(crate) fn clear(&mut self) {
        self.contact_begin.clear();
        self.contact_end.clear();
        self.sensor_begin.clear();
        self.sensor_end.clear();
        self.contact_force.clear();
        self.joint_break.clear();
        self.sleep.clear();
        self.wake.clear();
        self.frozen.clear();
    }
}
