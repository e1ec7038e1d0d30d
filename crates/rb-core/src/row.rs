//! One scalar constraint as its producer states it: physics in SI, no step size, no scheme.
//!
//! Sign: `J v⁺` is the wanted rate of the gap; an impulse λ acts as `Jᵀλ`, so with the halves of J
//! built for "b relative to a" a positive λ pushes b along +J and a along −J.

use crate::math::Twist;
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
    /// Where the impulse goes back to in the producer's memory.
    pub slot: u8,
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
}

impl Row {
    /// Hard bilateral position row.
    pub fn bilateral(jac: [Twist; 2], gap: f64, slot: u8) -> Self {
        Self {
            jac,
            gap,
            target: 0.0,
            kind: RowKind::HARD,
            lo: f64::NEG_INFINITY,
            hi: f64::INFINITY,
            warm: 0.0,
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

    /// Row on the velocity with force bounds ±`limit`: motor, dry friction.
    pub fn drive(jac: [Twist; 2], target: f64, limit: f64, slot: u8) -> Self {
        Self {
            target,
            kind: RowKind::RATE,
            lo: -limit,
            hi: limit,
            ..Self::bilateral(jac, 0.0, slot)
        }
    }

    /// Whether the force may act in one direction only.
    pub fn is_one_sided(&self) -> bool {
        (self.lo == 0.0 && self.hi == f64::INFINITY)
            || (self.hi == 0.0 && self.lo == f64::NEG_INFINITY)
    }
}
