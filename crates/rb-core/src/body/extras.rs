//! What few bodies have: a name, something of the user's, a pose to go to, a force.

use super::Body;
use crate::math::{Pose, Wrench};
use crate::room;
use serde::{Deserialize, Serialize};

/// Kept aside, so that a body without any of it is the smaller.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct BodyExtras {
    name: Option<String>,
    user_data: u64,
    target: Option<Pose>,
    force: Wrench,
}

impl BodyExtras {
    /// Those of a new body, if it has any.
    pub(super) fn new(name: Option<String>, user_data: u64) -> Option<Box<Self>> {
        let extras = Self {
            name,
            user_data,
            target: None,
            force: Wrench::ZERO,
        };
        (extras != Self::default()).then(|| Box::new(extras))
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + self.name.as_ref().map_or(0, String::capacity)
    }
}

impl Body {
    /// Bytes held apart from the body itself.
    pub fn bytes_apart(&self) -> usize {
        let extras = self.extras.as_ref().map_or(0, |extras| extras.bytes());
        extras + room::spilled(&self.colliders) + room::spilled(&self.joints)
    }

    /// Name for files, viewers and reports.
    pub fn name(&self) -> Option<&str> {
        self.extras.as_ref()?.name.as_deref()
    }

    /// Anything of the user's.
    pub fn user_data(&self) -> u64 {
        self.extras.as_ref().map_or(0, |extras| extras.user_data)
    }

    /// Where a kinematic body is to be at the end of the next step (body frame).
    #[inline]
    pub fn target(&self) -> Option<Pose> {
        self.extras.as_ref()?.target
    }

    /// Says where a kinematic body is to be at the end of the next step (body frame).
    pub fn set_target(&mut self, target: Pose) {
        self.extras.get_or_insert_default().target = Some(target);
    }

    /// Forgets where it was to be. Whether there was such a place.
    pub fn clear_target(&mut self) -> bool {
        let target = self.extras.as_mut().and_then(|extras| extras.target.take());
        target.is_some()
    }

    /// Force and torque for the next step (N, N·m).
    #[inline]
    pub fn force(&self) -> Wrench {
        self.extras
            .as_ref()
            .map_or(Wrench::ZERO, |extras| extras.force)
    }

    /// Adds to these. (Room for them stays: whoever is pushed once is mostly pushed again.)
    pub fn add_force(&mut self, force: Wrench) {
        self.extras.get_or_insert_default().force += force;
    }

    /// Forgets them.
    #[inline]
    pub fn clear_force(&mut self) {
        if let Some(extras) = &mut self.extras {
            extras.force = Wrench::ZERO;
        }
    }
}
