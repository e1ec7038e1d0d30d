//! One scalar constraint as its producer states it: physics in SI, no step size, no scheme.
//!
//! Sign: `J v⁺` is the wanted rate of the gap; an impulse λ acts as `Jᵀλ`, so with the halves of J
//! built for "b relative to a" a positive λ pushes b along +J and a along −J. Every line of the
//! theory's table of rows has a constructor in `row/make.rs`.

mod make;

use crate::compliance::Compliance;
use crate::error::{Error, Result, check};
use crate::math::Twist;
use crate::stabilise::Stabilisation;
use serde::{Deserialize, Serialize};

/// One scalar constraint between two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Jacobian halves over (a, b): `J v` is in m/s or rad/s.
    pub jac: [Twist; 2],
    /// Constraint function φ(q): m or rad. Negative is penetration for a one-sided row.
    pub gap: f64,
    /// Wanted `J v⁺` (m/s or rad/s): motor speed, belt speed, or −∂φ/∂t of a moving target.
    pub target: f64,
    /// What the numbers mean.
    pub kind: RowKind,
    /// Lowest force (N or N·m); −∞ for a bilateral row.
    pub lo: f64,
    /// Highest force (N or N·m).
    pub hi: f64,
    /// Last impulse (N·s or N·m·s), the warm start.
    pub warm: f64,
    /// α of this row; `None` takes the world's. Hard and one-sided rows always use 1.
    pub alpha: Option<f64>,
    /// How its error is taken out; `None` takes the world's way.
    pub stabilise: Option<Stabilisation>,
    /// How it moves with its bodies.
    #[serde(default)]
    pub course: Course,
    /// Where the impulse goes back to in the producer's memory.
    pub slot: u8,
}

/// How a row moves with its bodies, for solvers that follow it through the substeps of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Course {
    /// Only its producer knows.
    #[default]
    Stated,
    /// φ = e·(p_b − p_a), J v = φ̇: e and the origin p_a of a's joint frame are fixed in a, p_b in b.
    Anchored,
}

/// What `gap` and `target` mean (theory: the table of special rows).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum RowKind {
    /// c λ = −(φ + d φ̇): hard for c = 0, else a spring of stiffness 1/c with damping d/c.
    Position {
        /// Compliance c (m/N or rad/(N·m)); 0 is hard.
        compliance: f64,
        /// Damping time d (s): damping over stiffness; on a hard row the decay time of the error.
        damping: f64,
    },
    /// J v⁺ = target; with a viscosity B the row is a damper of force −B (J v⁺ − target).
    Velocity {
        /// Damping constant B (N·s/m or N·m·s/rad); `None` is rigid.
        viscous: Option<f64>,
    },
    /// J (v⁺ + v)/2 = target with J taken at the middle of the step: second order with β = ½.
    Midpoint,
    /// J v̇ + a₀ + ε λ + 2 A φ̇ + B² φ = 0, a₀ = J̇ v plus what a moving target adds.
    Acceleration {
        /// a₀ (m/s² or rad/s²).
        offset: f64,
        /// ε (1/kg or 1/(kg·m²)): an added inverse mass.
        epsilon: f64,
        /// A (1/s), gain on φ̇.
        damping: f64,
        /// B (1/s), its square is the gain on φ.
        frequency: f64,
    },
    /// One-sided position row that rebounds with e of its approach speed, by Newton's rule.
    Restitution {
        /// Coefficient e, 0 to 1.
        e: f64,
        /// Slowest approach that rebounds (m/s or rad/s).
        threshold: f64,
    },
}

impl RowKind {
    /// Rigid position row.
    pub const HARD: Self = Self::Position {
        compliance: 0.0,
        damping: 0.0,
    };
    /// Rigid velocity row.
    pub const RATE: Self = Self::Velocity { viscous: None };

    /// Position row of a spring: stiffness (N/m or N·m/rad) above zero, damping (N·s/m or N·m·s/rad).
    pub fn spring(stiffness: f64, damping: f64) -> Self {
        Self::Position {
            compliance: 1.0 / stiffness,
            damping: damping / stiffness,
        }
    }

    /// Position row of a given compliance.
    pub fn yielding(c: Compliance) -> Self {
        Self::Position {
            compliance: c.compliance,
            damping: c.damping,
        }
    }
}

impl Row {
    /// Whether the force may act in one direction only.
    #[inline]
    pub fn is_one_sided(&self) -> bool {
        (self.lo == 0.0 && self.hi == f64::INFINITY)
            || (self.hi == 0.0 && self.lo == f64::NEG_INFINITY)
    }

    /// Whether both bounds are infinite.
    #[inline]
    pub fn is_bilateral(&self) -> bool {
        self.lo == f64::NEG_INFINITY && self.hi == f64::INFINITY
    }

    /// The same row seen from the other side: −φ, −J, bounds exchanged.
    pub fn reversed(self) -> Self {
        Self {
            jac: self.jac.map(|half| half * -1.0),
            gap: -self.gap,
            target: -self.target,
            lo: -self.hi,
            hi: -self.lo,
            warm: -self.warm,
            ..self
        }
    }

    /// Checks the numbers of a row a user states.
    ///
    /// # Errors
    /// A number that is not finite, lo above hi, c or d or e negative, α outside [0, 1] or not 1 on a
    /// row that needs it, stabilisation outside its range.
    pub fn validate(&self) -> Result<()> {
        check::finite("gap", self.gap)?;
        check::finite("target", self.target)?;
        check::bound("lo", self.lo)?;
        check::bound("hi", self.hi)?;
        if self.lo > self.hi {
            return Err(Error::OutOfRange {
                argument: "lo",
                value: self.lo,
                valid: "<= hi",
            });
        }
        if !self.jac.iter().all(Twist::is_finite) {
            return Err(Error::NotFinite {
                argument: "jac",
                value: f64::NAN,
            });
        }
        self.validate_kind()?;
        self.stabilise.map_or(Ok(()), |s| s.validate())?;
        self.alpha.map_or(Ok(()), |a| self.validate_alpha(a))
    }

    fn validate_kind(&self) -> Result<()> {
        match self.kind {
            RowKind::Position {
                compliance,
                damping,
            } => Compliance::new(compliance, damping).map(|_| ()),
            RowKind::Velocity { viscous } => viscous
                .map_or(Ok(0.0), |b| check::positive("viscous", b))
                .map(|_| ()),
            RowKind::Midpoint => Ok(()),
            RowKind::Acceleration {
                offset,
                epsilon,
                damping,
                frequency,
            } => {
                check::finite("offset", offset)?;
                check::non_negative("epsilon", epsilon)?;
                check::non_negative("damping", damping)?;
                check::non_negative("frequency", frequency).map(|_| ())
            }
            RowKind::Restitution { e, threshold } => {
                check::fraction("e", e)?;
                check::non_negative("threshold", threshold).map(|_| ())
            }
        }
    }

    fn validate_alpha(&self, alpha: f64) -> Result<()> {
        check::fraction("alpha", alpha)?;
        let soft = matches!(self.kind, RowKind::Position { compliance, .. } if compliance > 0.0);
        if alpha < 1.0 && !(soft && self.is_bilateral()) {
            return Err(Error::OutOfRange {
                argument: "alpha",
                value: alpha,
                valid: "1 on hard, one-sided and boxed rows: below 1 their error rings instead of decaying",
            });
        }
        Ok(())
    }
}
