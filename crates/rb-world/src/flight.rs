//! Bodies that touch nothing: no island, no rows, the integrator alone.
//!
//! The substeps are those of an island without rows, to the bit. A heap that is still falling, debris
//! and projectiles cost no more than this.

use crate::island::Shared;
use rb_core::integrate::Mover;
use rb_core::mass::InvMass;
use rb_core::math::Twist;

/// A body in free flight.
#[derive(Clone, Debug)]
pub(crate) struct Flight {
    pub(crate) mover: Mover,
    /// Whether forces drove it out of bounds, so that it was put back and held.
    pub(crate) frozen: bool,
}

impl Flight {
    pub(crate) fn new(mover: Mover) -> Self {
        Self {
            mover,
            frozen: false,
        }
    }

    /// Runs the step.
    pub(crate) fn run(&mut self, shared: &Shared) {
        let m = &mut self.mover;
        let start = (m.com, m.q);
        let gyroscopic = shared.params.gyroscopic;
        for _ in 0..shared.params.substeps {
            m.refresh();
            let next = m.predict(shared.h, gyroscopic);
            m.advance_by_scheme(shared.h, &shared.params.scheme, next, gyroscopic);
            m.vel = next;
            if !m.is_sound() {
                (m.com, m.q) = start;
                (m.inv, m.vel) = (InvMass::ZERO, Twist::ZERO);
                self.frozen = true;
                return;
            }
        }
    }
}
