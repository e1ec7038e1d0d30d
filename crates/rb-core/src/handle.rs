//! Typed generational handles: what users keep. They survive edits and never alias a later object.

use core::{fmt, hash, marker::PhantomData};
use serde::{Deserialize, Serialize};

/// Names one object of kind `T`: a slot and the generation of its occupant.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Handle<T> {
    index: u32,
    generation: u32,
    #[serde(skip)]
    kind: PhantomData<fn() -> T>,
}

impl<T> Handle<T> {
    /// A handle that is never alive; useful as a placeholder.
    pub const INVALID: Self = Self::from_raw(u32::MAX, u32::MAX);

    /// Handle from its raw parts, for bindings and file formats.
    pub const fn from_raw(index: u32, generation: u32) -> Self {
        Self {
            index,
            generation,
            kind: PhantomData,
        }
    }

    /// Slot number.
    pub const fn index(self) -> u32 {
        self.index
    }

    /// Generation of the slot's occupant.
    pub const fn generation(self) -> u32 {
        self.generation
    }
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Handle<T> {}
impl<T> PartialEq for Handle<T> {
    fn eq(&self, o: &Self) -> bool {
        (self.index, self.generation) == (o.index, o.generation)
    }
}
impl<T> Eq for Handle<T> {}
impl<T> PartialOrd for Handle<T> {
    fn partial_cmp(&self, o: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(o))
    }
}
impl<T> Ord for Handle<T> {
    fn cmp(&self, o: &Self) -> core::cmp::Ordering {
        (self.index, self.generation).cmp(&(o.index, o.generation))
    }
}
impl<T> hash::Hash for Handle<T> {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        (self.index, self.generation).hash(state);
    }
}
impl<T> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}.{}", self.index, self.generation)
    }
}
impl<T> Default for Handle<T> {
    fn default() -> Self {
        Self::INVALID
    }
}

/// Marker of body handles.
#[derive(Clone, Copy, Debug)]
pub enum BodyKey {}
/// Marker of collider handles.
#[derive(Clone, Copy, Debug)]
pub enum ColliderKey {}
/// Marker of joint handles.
#[derive(Clone, Copy, Debug)]
pub enum JointKey {}

/// Marker of constraint handles.
#[derive(Clone, Copy, Debug)]
pub enum ConstraintKey {}

/// Names a body.
pub type BodyHandle = Handle<BodyKey>;
/// Names a collider.
pub type ColliderHandle = Handle<ColliderKey>;
/// Names a joint.
pub type JointHandle = Handle<JointKey>;
/// Names a constraint over any number of bodies.
pub type ConstraintHandle = Handle<ConstraintKey>;
