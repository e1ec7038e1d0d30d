//! Everything that acts on one free coordinate q of a joint, stated as boxed rows; F is the force (N or N·m).
//!
//! | feature | row (J = ∂q, J v = q̇) | force bounds |
//! |---|---|---|
//! | actuator u, rotor I | F = n u; F = −n² I Δq̇/h | equal; ±∞ |
//! | spring k, d | c F = −(q − rest + d/k q̇), c = 1/k; k = 0: F = −d q̇ | ±∞ |
//! | dry friction τ | J v⁺ = 0 | ±τ |
//! | motor, rate r | J v⁺ = r | ±max |
//! | motor, PD | F = −Kp (q⁺ − qd) − Kd (q̇⁺ − q̇d), qd at the end of the step | ±max |
//! | speed limit r | ±J v⁺ ≥ −r | 0, ∞ |
//! | stop at lo, hi | q − lo ≥ 0 and hi − q ≥ 0, hard or yielding | 0, ∞ |
//! | stops at lo = hi | q − lo = 0 | ±∞ |
//!
//! A hard stop has a row while it could be reached within this step: gap < 2 h |q̇| + 0.05. A
//! yielding one has a row while it is pressed, or will be at the present rate within this step.
//!
//! Units      m, m/s, N on a length; rad, rad/s, N·m on an angle
//! Sign       positive force on b drives q up
//! Source     J. Tan, K. Liu, G. Turk, "Stable proportional-derivative controllers", 2011 (PD at the
//!            end of the step); E. Catto, "Soft constraints", 2011 (spring rows); B. Armstrong-
//!            Hélouvry, P. Dupont, C. Canudas de Wit, "A survey of models, analysis tools and
//!            compensation methods for the control of machines with friction", 1994 (dry friction)

use crate::actuator::Actuator;
use crate::axis::Role;
use crate::bearing::OPEN;
use crate::elements::{Limits, Motor, MotorMode, Spring};
use crate::joint::{Coordinate, Rows};
use rb_core::Result;
use rb_core::error::check;
use rb_core::math::Twist;
use rb_core::row::{Row, RowKind};
use serde::{Deserialize, Serialize};

/// Gap (m or rad) below which a hard stop always has a row.
pub const LIMIT_MARGIN: f64 = 0.05;

/// Features of one coordinate; the default has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Drive {
    /// Range.
    pub limits: Option<Limits>,
    /// Motor.
    pub motor: Option<Motor>,
    /// Spring.
    pub spring: Option<Spring>,
    /// Largest dry friction force (N or N·m).
    pub friction: f64,
    /// Viscous damping (N·s/m or N·m·s/rad), in addition to that of the spring.
    pub damping: f64,
    /// Largest |q̇| (m/s or rad/s).
    pub max_rate: Option<f64>,
    /// Force-controlled input.
    pub actuator: Option<Actuator>,
}

impl Drive {
    /// A coordinate nothing acts on.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps the coordinate within [`lower`, `upper`] (m or rad) by hard stops; ±∞ is open.
    pub fn limits(mut self, lower: f64, upper: f64) -> Self {
        self.limits = Some(Limits::new(lower, upper));
        self
    }

    /// Keeps the coordinate within a range that may yield.
    pub fn range(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Adds a motor.
    pub fn motor(mut self, motor: Motor) -> Self {
        self.motor = Some(motor);
        self
    }

    /// Adds a spring.
    pub fn spring(mut self, spring: Spring) -> Self {
        self.spring = Some(spring);
        self
    }

    /// Adds a force-controlled input.
    pub fn actuator(mut self, actuator: Actuator) -> Self {
        self.actuator = Some(actuator);
        self
    }

    /// Sets the largest dry friction force (N or N·m).
    pub fn friction(mut self, force: f64) -> Self {
        self.friction = force;
        self
    }

    /// Sets the viscous damping (N·s/m or N·m·s/rad).
    pub fn damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }

    /// Sets the largest |q̇| (m/s or rad/s).
    pub fn max_rate(mut self, rate: f64) -> Self {
        self.max_rate = Some(rate);
        self
    }

    /// Whether nothing acts on the coordinate.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.limits.is_none() && self.is_bare()
    }

    /// Whether nothing acts on the coordinate but its limits.
    #[inline]
    fn is_bare(&self) -> bool {
        // Asked for every axis in every step: no whole-struct comparison.
        self.motor.is_none()
            && self.spring.is_none()
            && self.actuator.is_none()
            && self.max_rate.is_none()
            && self.friction == 0.0
            && self.damping == 0.0
    }

    /// Lowest and highest value, ±∞ where open, if nothing acts on the coordinate but hard stops apart.
    pub(crate) fn bare_stops(&self) -> Option<[f64; 2]> {
        let Some(limits) = &self.limits else {
            return self.is_bare().then_some(OPEN);
        };
        let stops = [
            limits.lower.unwrap_or(OPEN[0]),
            limits.upper.unwrap_or(OPEN[1]),
        ];
        let bare = self.is_bare() && limits.stiffness.is_none() && stops[0] < stops[1];
        bare.then_some(stops)
    }

    /// # Errors
    /// Those of [`Limits`], [`Motor`] and [`Spring`]; negative friction, damping or rate.
    pub fn validate(&self) -> Result<()> {
        self.limits.map_or(Ok(()), |limits| limits.validate())?;
        self.motor.map_or(Ok(()), |motor| motor.validate())?;
        self.spring.map_or(Ok(()), |spring| spring.validate())?;
        self.actuator.map_or(Ok(()), |a| a.validate())?;
        check::non_negative("friction", self.friction)?;
        check::non_negative("damping", self.damping)?;
        if let Some(rate) = self.max_rate {
            check::non_negative("max_rate", rate)?;
        }
        Ok(())
    }

    /// Appends the rows of all features, in the order of [`Role::ALL`]. `h` is the substep (s).
    pub fn rows(&self, q: &Coordinate, h: f64, out: &mut Rows) {
        out.extend(self.spring_row(q));
        if let Some(actuator) = &self.actuator {
            actuator.rows(q, h, out);
        }
        if self.friction > 0.0 {
            out.push(Row::drive(
                q.jac,
                0.0,
                self.friction,
                q.slot(Role::Friction),
            ));
        }
        if let Some(motor) = &self.motor {
            out.extend(motor_row(motor, self.limits.as_ref(), q, h));
        }
        if let Some(rate) = self.max_rate {
            out.push(rate_floor(q, 1.0, -rate, Role::SlowLimit));
            out.push(rate_floor(q, -1.0, -rate, Role::FastLimit));
        }
        if let Some(limits) = &self.limits {
            limit_rows(limits, q, h, out);
        }
    }

    /// Spring and viscous damping in one row: forces along one coordinate add up.
    fn spring_row(&self, q: &Coordinate) -> Option<Row> {
        let spring = self.spring.unwrap_or(Spring::new(0.0, 0.0, 0.0));
        let damping = spring.damping + self.damping;
        let (kind, gap) = pd_kind(spring.stiffness, damping, q.value - spring.rest)?;
        Some(Row {
            kind,
            ..Row::bilateral(q.jac, gap, q.slot(Role::Spring))
        })
    }
}

/// Kind and gap of a row with stiffness and damping; without stiffness it acts on the rate alone,
/// without both there is no row.
fn pd_kind(stiffness: f64, damping: f64, error: f64) -> Option<(RowKind, f64)> {
    if stiffness > 0.0 {
        Some((RowKind::spring(stiffness, damping), error))
    } else if damping > 0.0 {
        let viscous = Some(damping);
        Some((RowKind::Velocity { viscous }, 0.0))
    } else {
        None
    }
}

/// The target holds at the end of the step, while a row's gap is that of its start: h · rate earlier.
fn motor_row(motor: &Motor, limits: Option<&Limits>, q: &Coordinate, h: f64) -> Option<Row> {
    let (target, (kind, gap)) = match motor.mode {
        MotorMode::Velocity { target } => {
            (short_of_stops(target, limits, q, h), (RowKind::RATE, 0.0))
        }
        MotorMode::Position {
            target,
            rate,
            stiffness,
            damping,
        } => {
            let gap = q.value - (target - h * rate);
            (rate, pd_kind(stiffness, damping, gap)?)
        }
    };
    let max = motor.max.unwrap_or(f64::INFINITY);
    Some(Row {
        kind,
        gap,
        ..Row::drive(q.jac, target, max, q.slot(Role::Motor))
    })
}

/// The rate of a motor that is to go on as far as hard stops let it: beyond, its row would repeat that of the stop and
/// ask for the contrary.
fn short_of_stops(target: f64, limits: Option<&Limits>, q: &Coordinate, h: f64) -> f64 {
    let Some(limits) = limits.filter(|l| l.stiffness.is_none()) else {
        return target;
    };
    let to = |stop: f64| (stop - q.value) / h;
    let least = limits.lower.map_or(f64::NEG_INFINITY, to);
    let most = limits.upper.map_or(f64::INFINITY, to);
    // Back from beyond a stop no faster than it was to go.
    target
        .max(least)
        .min(most)
        .clamp(-target.abs(), target.abs())
}

/// sign · q̇ ≥ `least`, by a force that can only push that way.
fn rate_floor(q: &Coordinate, sign: f64, least: f64, role: Role) -> Row {
    Row {
        lo: 0.0,
        ..Row::drive(scaled(q, sign), least, f64::INFINITY, q.slot(role))
    }
}

fn limit_rows(limits: &Limits, q: &Coordinate, h: f64, out: &mut Rows) {
    let kind = limits.kind();
    if let (Some(lower), Some(upper)) = (limits.lower, limits.upper)
        && lower == upper
    {
        let slot = q.slot(Role::LowerLimit);
        out.push(Row {
            kind,
            ..Row::bilateral(q.jac, q.value - lower, slot)
        });
        return;
    }
    let sides = [
        (limits.lower, 1.0, Role::LowerLimit),
        (limits.upper, -1.0, Role::UpperLimit),
    ];
    for (side, sign, role) in sides {
        let Some(stop) = side else { continue };
        let (gap, rate) = (sign * (q.value - stop), sign * q.rate);
        let near = match limits.stiffness {
            None => gap < 2.0 * h * rate.abs() + LIMIT_MARGIN,
            Some(_) => gap.min(gap + h * rate) < 0.0,
        };
        if near {
            out.push(Row {
                kind,
                ..Row::unilateral(scaled(q, sign), gap, q.slot(role))
            });
        }
    }
}

fn scaled(q: &Coordinate, k: f64) -> [Twist; 2] {
    q.jac.map(|half| half * k)
}
