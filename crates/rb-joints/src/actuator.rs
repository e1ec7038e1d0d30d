//! A force-controlled input on one coordinate: command, gear, limit, and the rotor behind the gear.
//!
//! Equation   force on the coordinate = n · clamp(u, ±max); the rotor turns at n q̇ and adds the
//!            inertia n² I to the coordinate: F = −n² I (J v⁺ − J v)/h
//! Rows       one with equal bounds (a given force), one viscous row for the rotor
//! Units      u and max in N·m (N) on the motor's side, n unit-free (1/m on a slide), I in kg·m²
//! Limits     the rotor's own gyroscopic moment is left out: its axis is the joint's
//! Errors     numbers not finite, gear zero, inertia or limit negative
//! Source     R. Featherstone, "Rigid Body Dynamics Algorithms", 2008, §9.6 (gears and rotors)

use crate::axis::Role;
use crate::joint::{Coordinate, Rows};
use rb_core::error::check;
use rb_core::row::Row;
use rb_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// What a controller commands on one coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Actuator {
    /// u: effort commanded on the motor's side (N·m or N); stays until changed.
    pub command: f64,
    /// n: turns of the rotor per turn (or metre) of the coordinate.
    pub gear: f64,
    /// Largest |u| (N or N·m); `None` is unlimited.
    pub max: Option<f64>,
    /// Inertia of the rotor (kg·m²).
    pub rotor: f64,
}

impl Default for Actuator {
    fn default() -> Self {
        Self {
            command: 0.0,
            gear: 1.0,
            max: None,
            rotor: 0.0,
        }
    }
}

impl Actuator {
    /// A direct drive without limit or rotor.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the gear ratio.
    pub fn gear(mut self, ratio: f64) -> Self {
        self.gear = ratio;
        self
    }

    /// Sets the largest effort on the motor's side.
    pub fn max(mut self, effort: f64) -> Self {
        self.max = Some(effort);
        self
    }

    /// Sets the inertia of the rotor (kg·m²).
    pub fn rotor(mut self, inertia: f64) -> Self {
        self.rotor = inertia;
        self
    }

    /// Force on the coordinate (N or N·m).
    pub fn force(&self) -> f64 {
        let max = self.max.unwrap_or(f64::INFINITY);
        self.gear * self.command.max(-max).min(max)
    }

    /// Inertia added to the coordinate (kg·m² or kg).
    pub fn reflected(&self) -> f64 {
        self.gear * self.gear * self.rotor
    }

    /// # Errors
    /// See the header.
    pub fn validate(&self) -> Result<()> {
        check::finite("actuator.command", self.command)?;
        if check::finite("actuator.gear", self.gear)? == 0.0 {
            return Err(Error::OutOfRange {
                argument: "actuator.gear",
                value: 0.0,
                valid: "other than 0",
            });
        }
        if let Some(max) = self.max {
            check::non_negative("actuator.max", max)?;
        }
        check::non_negative("actuator.rotor", self.rotor).map(|_| ())
    }

    /// Appends the rows of rotor and force. `h` is the substep (s).
    pub(crate) fn rows(&self, q: &Coordinate, h: f64, out: &mut Rows) {
        let inertia = self.reflected();
        if inertia > 0.0 {
            let slot = q.slot(Role::Rotor);
            out.push(Row::inertia(q.jac, inertia, q.rate, 0.0, h, slot));
        }
        if self.force() != 0.0 {
            out.push(Row::force(q.jac, self.force(), q.slot(Role::Actuator)));
        }
    }
}
