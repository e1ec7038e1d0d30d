//! Bodies that touch nothing: no island, no rows, the integrator alone.
//!
//! The substeps are those of an island without rows, to the bit. A heap that is still falling, debris
//! and projectiles cost no more than this.

use crate::island::Shared;
use glam::{DQuat, DVec3};
use rb_core::integrate::Mover;
use rb_core::mass::InvMass;
use rb_core::math::Twist;
use rb_core::params::Gyroscopic;
use rb_solve::lanes::{Course, fly};

/// A body in free flight.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flight {
    pub(crate) mover: Mover,
    /// Whether forces drove it out of bounds, so that it was put back and held.
    pub(crate) frozen: bool,
}

/// Runs the step of bodies in flight: side by side, if lanes know how each of them moves.
pub(crate) fn run(flights: &mut [Flight], shared: &Shared) {
    let implicit = shared.params.gyroscopic == Gyroscopic::Implicit;
    if implicit && !flights.iter().any(|f| f.mover.is_bound()) {
        let course = Course {
            substeps: shared.substeps,
            h: shared.h,
            beta: shared.params.scheme.beta,
        };
        fly(flights, course, |f| &f.mover, Flight::write);
    } else {
        flights.iter_mut().for_each(|f| f.run(shared));
    }
}

impl Flight {
    /// Runs the step by itself.
    fn run(&mut self, shared: &Shared) {
        let mut m = self.mover.clone();
        let gyroscopic = shared.params.gyroscopic;
        for _ in 0..shared.substeps {
            m.refresh();
            let next = m.predict(shared.h, gyroscopic);
            m.advance_by_scheme(shared.h, &shared.params.scheme, next, gyroscopic);
            m.vel = next;
        }
        self.write((m.com, m.q), m.vel);
    }

    /// Takes it to where it flew, unless that is out of bounds.
    fn write(&mut self, (com, q): (DVec3, DQuat), vel: Twist) {
        let m = &mut self.mover;
        let start = (m.com, m.q);
        (m.com, m.q, m.vel) = (com, q, vel);
        if !m.is_sound() {
            (m.com, m.q) = start;
            (m.inv, m.vel) = (InvMass::ZERO, Twist::ZERO);
            self.frozen = true;
        }
    }
}
