//! What acts on an axis of a joint or on a coupling.

use super::InputError;
use super::fault::fault;
use rb_world::joint::{Limits, MotorMode};
use rb_world::prelude::*;
use serde::Deserialize;

/// What acts on one axis.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DriveEntry {
    /// Range.
    pub limits: Option<Limits>,
    /// Motor.
    pub motor: Option<MotorEntry>,
    /// Spring.
    pub spring: Option<Spring>,
    /// Dry friction (N or N·m).
    pub friction: f64,
    /// Viscous damping (N·s/m or N·m·s/rad).
    pub damping: f64,
    /// Largest rate (m/s or rad/s).
    pub max_rate: Option<f64>,
    /// Force-controlled input.
    pub actuator: Option<Actuator>,
}

/// A motor: `{"velocity"}` holds a rate, `{"position", "stiffness", "damping"}` is a PD controller.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MotorEntry {
    /// Rate to hold (m/s or rad/s); beside a position the rate at which that moves.
    pub velocity: Option<f64>,
    /// Value to reach (m or rad).
    pub position: Option<f64>,
    /// Kp (N/m or N·m/rad).
    pub stiffness: f64,
    /// Kd (N·s/m or N·m·s/rad).
    pub damping: f64,
    /// Largest effort (N or N·m).
    pub max: Option<f64>,
}

impl MotorEntry {
    fn motor(&self, path: &str) -> Result<Motor, InputError> {
        let mode = match (self.position, self.velocity) {
            (Some(target), rate) => MotorMode::Position {
                target,
                rate: rate.unwrap_or(0.0),
                stiffness: self.stiffness,
                damping: self.damping,
            },
            (None, Some(target)) if self.stiffness == 0.0 && self.damping == 0.0 => {
                MotorMode::Velocity { target }
            }
            (None, Some(_)) => {
                let reason = "stiffness and damping belong to a motor with a position";
                return Err(InputError::new(path, reason));
            }
            (None, None) => {
                return Err(InputError::new(path, "give a velocity or a position"));
            }
        };
        Ok(Motor {
            mode,
            max: self.max,
        })
    }
}

impl DriveEntry {
    /// The drive it describes.
    pub(super) fn drive(&self, path: &str) -> Result<Drive, InputError> {
        let motor = self.motor.map(|m| m.motor(&format!("{path}.motor")));
        let drive = Drive {
            limits: self.limits,
            motor: motor.transpose()?,
            spring: self.spring,
            friction: self.friction,
            damping: self.damping,
            max_rate: self.max_rate,
            actuator: self.actuator,
        };
        drive.validate().map_err(|e| {
            let fields = [
                "limits", "motor", "spring", "friction", "damping", "max_rate", "actuator",
            ];
            let found = fault(path, &fields, &e);
            // The engine calls both aims of a motor its target.
            let aims = [(".target", ".position"), (".rate", ".velocity")];
            let aim = aims.iter().find(|(ours, _)| found.path.ends_with(ours));
            match aim {
                Some((ours, theirs)) => {
                    let stem = found.path.trim_end_matches(ours);
                    InputError::new(format!("{stem}{theirs}"), found.reason)
                }
                None => found,
            }
        })?;
        Ok(drive)
    }
}
