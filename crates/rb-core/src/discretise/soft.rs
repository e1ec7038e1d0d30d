//! Springs that stand for rigid rows in the position pass, over one step.

use crate::params::Softening;
use crate::row::Row;
use core::f64::consts::TAU;
use glam::DVec3;

/// Share of the rate that angular rows have. Welds in a plate ask much of each other's lever arms, and with few sweeps
/// a plate never comes to rest where turns are held as fast as points.
const ANGULAR: f64 = 0.7;

/// A spring of compliance 1/(m ω²) and damping time 2ζ/ω over one step, m being the row's own mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftStep {
    /// b over gap: ω/(2ζ + hω) (1/s).
    pub rate: f64,
    /// R in units of J W Jᵀ: 1/(hω (2ζ + hω)).
    pub reg: f64,
}

impl SoftStep {
    pub(super) fn new(s: Softening, h: f64) -> Self {
        let omega = TAU * s.rate / h;
        let denom = 2.0 * s.ratio + h * omega;
        Self {
            rate: omega / denom,
            reg: 1.0 / (h * omega * denom),
        }
    }

    pub(super) fn rigid(h: f64) -> Self {
        Self {
            rate: 1.0 / h,
            reg: 0.0,
        }
    }
}

/// Soft steps of hard joint rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointStep {
    /// Of rows that push their bodies.
    pub linear: SoftStep,
    /// Of rows that only turn them.
    pub angular: SoftStep,
}

impl JointStep {
    pub(super) fn new(s: Softening, h: f64) -> Self {
        let rate = ANGULAR * s.rate;
        Self {
            linear: SoftStep::new(s, h),
            angular: SoftStep::new(Softening { rate, ..s }, h),
        }
    }

    /// That of a row.
    #[inline]
    pub(super) fn of(&self, row: &Row) -> SoftStep {
        match row.jac.iter().all(|j| j.lin == DVec3::ZERO) {
            true => self.angular,
            false => self.linear,
        }
    }
}
