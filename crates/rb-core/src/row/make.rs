//! One constructor for every line of the theory's table of rows (theory §4.3).
//!
//! | row | J v⁺ = … | force bounds | constructor |
//! |---|---|---|---|
//! | position, hard or soft | −φ/(h+d) | ±∞ | [`Row::bilateral`], [`Row::compliant`], [`Row::spring`] |
//! | position, one-sided | ≥ −φ/h | 0, ∞ | [`Row::unilateral`] |
//! | prescribed motion | −∂φ/∂t − φ/h | ±∞ | [`Row::prescribed`] |
//! | velocity, nonholonomic | target | ±∞ | [`Row::velocity`], [`Row::midpoint`] |
//! | velocity, one-sided | ≥ least | 0, ∞ | [`Row::velocity_floor`], [`Row::velocity_limit`] |
//! | acceleration | J v − h (a₀ + …) | ±∞ | [`Row::acceleration`] |
//! | acceleration, one-sided | the same while in contact | 0, ∞ | [`Row::acceleration_contact`] |
//! | acceleration limit | ≤ J v + h a, stated on −J | 0, ∞ | [`Row::acceleration_limit`] |
//! | motor, dry friction | target, 0 | ±max | [`Row::drive`] |
//! | PD with effort limit | see there | ±effort | [`Row::pd`] |
//! | damper | −F/B | ±∞ | [`Row::damper`] |
//! | impact | −e φ̇ | 0, ∞ | [`Row::restitution`] |
//! | given force | any | f, f | [`Row::force`] |
//! | added inertia | F = −m Δ(J v)/h | ±∞ | [`Row::inertia`] |
//!
//! F = λ/h is the force. Gear, rack, differential, tendon, centre of mass: the same rows over more bodies, see
//! `rb_joints::Coupling`. Torsional and rolling friction: [`Row::drive`] with μ ρ p as its bound.
//! Source: `docs/theory/rows.md`.

use super::{Course, Row, RowKind};
use crate::compliance::Compliance;
use crate::error::{Error, Result};
use crate::math::Twist;

impl Row {
    /// Hard bilateral position row φ = `gap`.
    #[inline]
    pub fn bilateral(jac: [Twist; 2], gap: f64, slot: u8) -> Self {
        Self {
            jac,
            gap,
            target: 0.0,
            kind: RowKind::HARD,
            lo: f64::NEG_INFINITY,
            hi: f64::INFINITY,
            warm: 0.0,
            alpha: None,
            stabilise: None,
            course: Course::Stated,
            slot,
        }
    }

    /// One-sided position row: φ ≥ 0, force ≥ 0.
    pub fn unilateral(jac: [Twist; 2], gap: f64, slot: u8) -> Self {
        Self {
            lo: 0.0,
            ..Self::bilateral(jac, gap, slot)
        }
    }

    /// Bilateral position row that yields: c F = −(φ + d φ̇).
    pub fn compliant(jac: [Twist; 2], gap: f64, c: Compliance, slot: u8) -> Self {
        Self {
            kind: RowKind::yielding(c),
            ..Self::bilateral(jac, gap, slot)
        }
    }

    /// Spring of `stiffness` (N/m or N·m/rad, > 0) and `damping` on q − q₀ = `gap`.
    pub fn spring(jac: [Twist; 2], gap: f64, stiffness: f64, damping: f64, slot: u8) -> Self {
        Self {
            kind: RowKind::spring(stiffness, damping),
            ..Self::bilateral(jac, gap, slot)
        }
    }

    /// Prescribed motion q = q_d(t): `gap` is q − q_d at the start of the step, `rate` the wanted
    /// [q_d(t+h) − q_d(t)]/h, with which the motion is met exactly at the end of the step.
    pub fn prescribed(jac: [Twist; 2], gap: f64, rate: f64, slot: u8) -> Self {
        Self {
            target: rate,
            ..Self::bilateral(jac, gap, slot)
        }
    }

    /// Velocity row J v⁺ = `target` (m/s or rad/s): nonholonomic, end of step, first order.
    pub fn velocity(jac: [Twist; 2], target: f64, slot: u8) -> Self {
        Self {
            target,
            kind: RowKind::RATE,
            ..Self::bilateral(jac, 0.0, slot)
        }
    }

    /// Velocity row J (v⁺ + v)/2 = `target` with `jac` taken half a step ahead; second order where
    /// the world moves with β = ½.
    pub fn midpoint(jac: [Twist; 2], target: f64, slot: u8) -> Self {
        Self {
            target,
            kind: RowKind::Midpoint,
            ..Self::bilateral(jac, 0.0, slot)
        }
    }

    /// J v⁺ ≥ `least`, force ≥ 0.
    pub fn velocity_floor(jac: [Twist; 2], least: f64, slot: u8) -> Self {
        Self {
            lo: 0.0,
            ..Self::velocity(jac, least, slot)
        }
    }

    /// J v⁺ ≤ `most`: stated on −J, so that the force of the row is ≥ 0 and pushes along −J.
    pub fn velocity_limit(jac: [Twist; 2], most: f64, slot: u8) -> Self {
        Self::velocity_floor(jac.map(|half| half * -1.0), -most, slot)
    }

    /// J v̇ + a₀ + ε F + 2 A φ̇ + B² φ = 0 with `gains` = (A, B) in 1/s; a₀ = J̇ v where the row is the
    /// second derivative of a position row. Gains: see [`crate::stabilise`] for their bound.
    pub fn acceleration(
        jac: [Twist; 2],
        gap: f64,
        offset: f64,
        epsilon: f64,
        gains: [f64; 2],
        slot: u8,
    ) -> Self {
        Self {
            kind: RowKind::Acceleration {
                offset,
                epsilon,
                damping: gains[0],
                frequency: gains[1],
            },
            ..Self::bilateral(jac, gap, slot)
        }
    }

    /// One-sided acceleration row J v̇ + a₀ ≥ 0, λ ≥ 0, of a contact that is closed (φ ≤ 0) and not
    /// separating (φ̇ = `rate` ≤ 0).
    ///
    /// # Errors
    /// The gap is open or opening: imposing the row there would hold the body in the air.
    pub fn acceleration_contact(
        jac: [Twist; 2],
        gap: f64,
        rate: f64,
        offset: f64,
        slot: u8,
    ) -> Result<Self> {
        let wrong = |argument, value| Error::OutOfRange {
            argument,
            value,
            valid: "<= 0: a one-sided acceleration row holds only while in contact and not separating",
        };
        if gap > 0.0 {
            return Err(wrong("gap", gap));
        }
        if rate > 0.0 {
            return Err(wrong("rate", rate));
        }
        Ok(Self {
            lo: 0.0,
            ..Self::acceleration(jac, 0.0, offset, 0.0, [0.0; 2], slot)
        })
    }

    /// d(J v)/dt ≤ `most` (m/s² or rad/s²): stated on −J, force ≥ 0.
    pub fn acceleration_limit(jac: [Twist; 2], most: f64, slot: u8) -> Self {
        let back = jac.map(|half| half * -1.0);
        Self {
            lo: 0.0,
            ..Self::acceleration(back, 0.0, most, 0.0, [0.0; 2], slot)
        }
    }

    /// Row on the velocity with force bounds ±`limit`: motor, dry friction (`target` 0).
    pub fn drive(jac: [Twist; 2], target: f64, limit: f64, slot: u8) -> Self {
        Self {
            lo: -limit,
            hi: limit,
            ..Self::velocity(jac, target, slot)
        }
    }

    /// Implicit PD: F = −Kp (q⁺ − q_d) − Kd (q̇⁺ − q̇_d) within ±`effort`; `error` is q − q_d with q at
    /// the start and q_d at the **end** of the step, `rate` is q̇_d, `h` the substep (s), Kp > 0.
    pub fn pd(
        jac: [Twist; 2],
        error: f64,
        rate: f64,
        [kp, kd]: [f64; 2],
        effort: f64,
        h: f64,
        slot: u8,
    ) -> Self {
        // A row's gap is that of the start of the step: its target was h·rate earlier.
        Self {
            kind: RowKind::spring(kp, kd),
            gap: error + h * rate,
            ..Self::drive(jac, rate, effort, slot)
        }
    }

    /// Viscous damper of constant `b` (N·s/m or N·m·s/rad, > 0).
    pub fn damper(jac: [Twist; 2], b: f64, slot: u8) -> Self {
        Self {
            kind: RowKind::Velocity { viscous: Some(b) },
            ..Self::velocity(jac, 0.0, slot)
        }
    }

    /// One-sided position row that rebounds with `e` of an approach faster than `threshold`.
    pub fn restitution(jac: [Twist; 2], gap: f64, e: f64, threshold: f64, slot: u8) -> Self {
        Self {
            kind: RowKind::Restitution { e, threshold },
            ..Self::unilateral(jac, gap, slot)
        }
    }

    /// A given force (N or N·m) along J: what a controller commands.
    pub fn force(jac: [Twist; 2], force: f64, slot: u8) -> Self {
        Self {
            lo: force,
            hi: force,
            ..Self::velocity(jac, 0.0, slot)
        }
    }

    /// Inertia m (kg or kg·m²) of something that moves at J v: F = −m (J v⁺ + h J̇ v − J v)/h, with
    /// `rate` = J v, `bend` = J̇ v (m/s² or rad/s²) and the substep `h` (s).
    pub fn inertia(jac: [Twist; 2], m: f64, rate: f64, bend: f64, h: f64, slot: u8) -> Self {
        Self {
            kind: RowKind::Velocity {
                viscous: Some(m / h),
            },
            ..Self::velocity(jac, rate - h * bend, slot)
        }
    }
}
