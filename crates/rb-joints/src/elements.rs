//! What can act on one coordinate: stops, a motor, a spring.
//!
//! Plain data; [`Drive`](crate::Drive) turns it into rows. Units are those of the coordinate: m, N,
//! N/m, N·s/m on a length and rad, N·m, N·m/rad, N·m·s/rad on an angle.

use core::f64::consts::TAU;
use rb_core::error::check;
use rb_core::row::RowKind;
use rb_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// Range of a coordinate. Each side is optional; equal sides hold the coordinate in place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Lowest value (m or rad).
    pub lower: Option<f64>,
    /// Highest value (m or rad).
    pub upper: Option<f64>,
    /// Stiffness (N/m or N·m/rad) of yielding stops; `None` is hard.
    pub stiffness: Option<f64>,
    /// Damping (N·s/m or N·m·s/rad) of yielding stops; without effect on hard ones.
    #[serde(default)]
    pub damping: f64,
}

impl Limits {
    /// Hard stops at `lower` and `upper`; −∞ and +∞ leave a side open.
    pub fn new(lower: f64, upper: f64) -> Self {
        Self {
            lower: (lower != f64::NEG_INFINITY).then_some(lower),
            upper: (upper != f64::INFINITY).then_some(upper),
            stiffness: None,
            damping: 0.0,
        }
    }

    /// Makes the stops yield like a spring and damper that can only push back.
    pub fn yielding(mut self, stiffness: f64, damping: f64) -> Self {
        self.stiffness = Some(stiffness);
        self.damping = damping;
        self
    }

    /// What the rows of the stops mean.
    pub fn kind(&self) -> RowKind {
        match self.stiffness {
            Some(stiffness) => RowKind::spring(stiffness, self.damping),
            None => RowKind::HARD,
        }
    }

    /// # Errors
    /// Not finite, lower above upper, stiffness not above zero, negative damping.
    pub fn validate(&self) -> Result<()> {
        for (argument, side) in [("limits.lower", self.lower), ("limits.upper", self.upper)] {
            side.map_or(Ok(0.0), |value| check::finite(argument, value))?;
        }
        if let (Some(lower), Some(upper)) = (self.lower, self.upper)
            && lower > upper
        {
            return Err(Error::OutOfRange {
                argument: "limits.lower",
                value: lower,
                valid: "<= limits.upper",
            });
        }
        if let Some(stiffness) = self.stiffness {
            check::positive("limits.stiffness", stiffness)?;
        }
        check::non_negative("limits.damping", self.damping)?;
        Ok(())
    }
}

/// What a motor tries to reach.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum MotorMode {
    /// The rate `target` (m/s or rad/s), as exactly as the effort allows.
    Velocity {
        /// Wanted rate (m/s or rad/s).
        target: f64,
    },
    /// The force −Kp (q⁺ − target) − Kd (q̇⁺ − rate), both taken at the **end** of the step.
    Position {
        /// Wanted value at the end of the step (m or rad, whole turns count).
        target: f64,
        /// Wanted rate (m/s or rad/s).
        rate: f64,
        /// Kp (N/m or N·m/rad).
        stiffness: f64,
        /// Kd (N·s/m or N·m·s/rad).
        damping: f64,
    },
}

/// A motor with a bound on its effort.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Motor {
    /// What it tries to reach.
    pub mode: MotorMode,
    /// Largest force (N) or torque (N·m) in either direction; `None` is unlimited.
    pub max: Option<f64>,
}

impl Motor {
    /// Holds the rate `target` (m/s or rad/s), as far as hard stops let it.
    pub fn velocity(target: f64) -> Self {
        Self {
            mode: MotorMode::Velocity { target },
            max: None,
        }
    }

    /// Implicit PD control towards `target` (m or rad) with stiffness Kp and damping Kd; for a
    /// moving target give the value of the end of the step and add its [`rate`](Self::rate).
    /// With Kp = 0 it is a speed servo of gain Kd.
    pub fn position(target: f64, stiffness: f64, damping: f64) -> Self {
        Self {
            mode: MotorMode::Position {
                target,
                rate: 0.0,
                stiffness,
                damping,
            },
            max: None,
        }
    }

    /// Sets the wanted rate (m/s or rad/s).
    pub fn rate(mut self, value: f64) -> Self {
        match &mut self.mode {
            MotorMode::Velocity { target } => *target = value,
            MotorMode::Position { rate, .. } => *rate = value,
        }
        self
    }

    /// Sets the effort limit (N or N·m).
    pub fn max(mut self, effort: f64) -> Self {
        self.max = Some(effort);
        self
    }

    /// # Errors
    /// Not finite, a negative gain or effort, a position motor without any gain.
    pub fn validate(&self) -> Result<()> {
        if let Some(max) = self.max {
            check::non_negative("motor.max", max)?;
        }
        match self.mode {
            MotorMode::Velocity { target } => {
                check::finite("motor.target", target)?;
            }
            MotorMode::Position {
                target,
                rate,
                stiffness,
                damping,
            } => {
                check::finite("motor.target", target)?;
                check::finite("motor.rate", rate)?;
                check::non_negative("motor.stiffness", stiffness)?;
                check::non_negative("motor.damping", damping)?;
                if stiffness == 0.0 && damping == 0.0 {
                    return Err(Error::Contradiction {
                        argument: "motor.stiffness",
                        reason: "a position motor needs a stiffness or a damping above zero".into(),
                    });
                }
            }
        }
        Ok(())
    }
}

/// Linear spring and damper: force −k (q − rest) − d q̇.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spring {
    /// Value without force (m or rad).
    #[serde(default)]
    pub rest: f64,
    /// k (N/m or N·m/rad).
    pub stiffness: f64,
    /// d (N·s/m or N·m·s/rad).
    #[serde(default)]
    pub damping: f64,
}

impl Spring {
    /// Spring of stiffness k and damping d around `rest`.
    pub fn new(rest: f64, stiffness: f64, damping: f64) -> Self {
        Self {
            rest,
            stiffness,
            damping,
        }
    }

    /// Spring around 0 that lets `mass` (kg, or kg·m² on an angle) swing with `hz` (1/s, undamped)
    /// and damping `ratio` (1 is critical): k = m ω², d = 2 ζ m ω, ω = 2π f.
    pub fn from_frequency(hz: f64, ratio: f64, mass: f64) -> Self {
        let omega = TAU * hz;
        Self::new(0.0, mass * omega * omega, 2.0 * ratio * mass * omega)
    }

    /// Moves the value without force.
    pub fn at(mut self, rest: f64) -> Self {
        self.rest = rest;
        self
    }

    /// # Errors
    /// Not finite or negative.
    pub fn validate(&self) -> Result<()> {
        check::finite("spring.rest", self.rest)?;
        check::non_negative("spring.stiffness", self.stiffness)?;
        check::non_negative("spring.damping", self.damping)?;
        Ok(())
    }
}
