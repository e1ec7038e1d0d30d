//! User hooks into the step.

use rb_core::handle::{BodyHandle, ColliderHandle};

/// Called from several threads during a step; must be a pure function of its arguments, or the step
/// is no longer deterministic.
pub trait Hooks: Send + Sync {
    /// Whether two colliders may touch at all; asked for every pair whose boxes overlap.
    fn may_touch(&self, _colliders: [ColliderHandle; 2], _bodies: [BodyHandle; 2]) -> bool {
        true
    }
}

/// Lets every pair touch.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHooks;

impl Hooks for NoHooks {}
