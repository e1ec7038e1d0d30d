//! What a user may say about the rows that lock directions: yield, α, stabilisation.
//!
//! The options touch the hard bilateral rows only; drives say for themselves what they are. A full
//! compliance block C couples them: C λ = −(φ + d φ̇), R = C/(h l), l = α (h β + d).
//!
//! Units      C in m/N, rad/N, rad/(N·m) by the rows it couples; d in s
//! Errors     C not symmetric positive semidefinite, d negative, α < 1 on hard rows, stabilisation
//!            out of range
//! Source     `docs/theory/rows.md`; M. Tournier and others, "Stable constrained dynamics", 2015

use crate::joint::is_rigid;
use rb_core::compliance::Compliance;
use rb_core::error::check;
use rb_core::row::{Row, RowKind};
use rb_core::stabilise::Stabilisation;
use rb_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// How far locked directions yield.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Yield {
    /// Not at all.
    #[default]
    #[serde(alias = "hard")]
    Hard,
    /// Each by the same compliance.
    #[serde(alias = "each")]
    Each(Compliance),
    /// By a full symmetric matrix over the locked rows in their order, row-major.
    #[serde(alias = "block")]
    Block {
        /// C.
        matrix: Vec<f64>,
        /// Damping time d (s).
        damping: f64,
    },
}

/// Options of the locked rows of a joint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RowOptions {
    /// Compliance.
    pub yields: Yield,
    /// α of the rows; `None` takes the world's. Only rows that yield may differ from 1.
    pub alpha: Option<f64>,
    /// How an error is taken out; `None` takes the world's way.
    pub stabilise: Option<Stabilisation>,
}

impl RowOptions {
    /// Whether they change nothing.
    #[inline]
    pub fn is_default(&self) -> bool {
        matches!(self.yields, Yield::Hard) && self.alpha.is_none() && self.stabilise.is_none()
    }

    /// # Errors
    /// See the header.
    pub fn validate(&self) -> Result<()> {
        self.stabilise.map_or(Ok(()), |s| s.validate())?;
        let soft = match &self.yields {
            Yield::Hard => false,
            Yield::Each(c) => Compliance::new(c.compliance, c.damping)?.compliance > 0.0,
            Yield::Block { matrix, damping } => {
                check::non_negative("compliance damping", *damping)?;
                positive_semidefinite(matrix)?;
                true
            }
        };
        if let Some(alpha) = self.alpha {
            check::fraction("alpha", alpha)?;
            if alpha < 1.0 && !soft {
                return Err(Error::OutOfRange {
                    argument: "alpha",
                    value: alpha,
                    valid: "1 on hard rows: below 1 their error rings instead of decaying",
                });
            }
        }
        Ok(())
    }

    /// Applies the options to the rows of a joint. Returns the off-diagonal part of C over all its
    /// rows, row-major, where there is one and it fits the number of locked rows.
    pub fn apply(&self, rows: &mut [Row]) -> Option<Vec<f64>> {
        let n = rows.len();
        let locked: Vec<usize> = (0..n).filter(|&i| is_rigid(&rows[i])).collect();
        for (k, &i) in locked.iter().enumerate() {
            let row = &mut rows[i];
            row.alpha = self.alpha.or(row.alpha);
            row.stabilise = self.stabilise.or(row.stabilise);
            match &self.yields {
                Yield::Hard => {}
                Yield::Each(c) => row.kind = RowKind::yielding(*c),
                Yield::Block { matrix, damping } => {
                    let compliance = matrix.get(k * locked.len() + k).copied().unwrap_or(0.0);
                    row.kind = RowKind::Position {
                        compliance,
                        damping: *damping,
                    };
                }
            }
        }
        let Yield::Block { matrix, .. } = &self.yields else {
            return None;
        };
        if matrix.len() != locked.len() * locked.len() {
            return None;
        }
        let mut cross = vec![0.0; n * n];
        for (a, &i) in locked.iter().enumerate() {
            for (b, &j) in locked.iter().enumerate().filter(|(b, _)| *b != a) {
                cross[i * n + j] = matrix[a * locked.len() + b];
            }
        }
        Some(cross)
    }
}

/// A square, symmetric matrix with positive diagonal and no negative pivot.
fn positive_semidefinite(matrix: &[f64]) -> Result<()> {
    let argument = "compliance block";
    let wrong = |reason: &str| Error::Contradiction {
        argument,
        reason: reason.into(),
    };
    let n = matrix.len().isqrt();
    if n * n != matrix.len() || n == 0 {
        return Err(wrong("needs n × n entries for n locked rows"));
    }
    for &x in matrix {
        check::finite(argument, x)?;
    }
    let symmetric = |i: usize, j: usize| {
        let (a, b) = (matrix[i * n + j], matrix[j * n + i]);
        (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
    };
    if !(0..n).all(|i| (0..i).all(|j| symmetric(i, j))) {
        return Err(wrong("must be symmetric"));
    }
    let mut a = matrix.to_vec();
    for k in 0..n {
        let pivot = a[k * n + k];
        if matrix[k * n + k] <= 0.0 || pivot < -1e-12 * matrix[k * n + k] {
            return Err(wrong(
                "must be positive semidefinite with a positive diagonal",
            ));
        }
        for i in k + 1..n {
            let factor = if pivot > 0.0 {
                a[i * n + k] / pivot
            } else {
                0.0
            };
            for j in k + 1..n {
                a[i * n + j] -= factor * a[k * n + j];
            }
        }
    }
    Ok(())
}
