//! Compliance of a row, c λ = −(φ + d φ̇), in the four ways people state it, with exact conversions.
//!
//! | given | c | d |
//! |---|---|---|
//! | stiffness k, damping B | 1/k | B/k |
//! | frequency f (1/s), ω = 2πf, ratio ζ, mass m | 1/(m ω²) | 2 ζ/ω |
//! | ERP e, CFM f, step h (force units) | f h/e | h (1−e)/e |
//!
//! Units      c in m/N or rad/(N·m); d in s; k in N/m or N·m/rad; f in m/(N·s)·… = c/(h + d)
//! Hard       c = 0 is rigid with or without d: then d is the decay time of an error
//! Errors     a number that is not finite or outside the range named in the error
//! Source     R. Smith, "Open Dynamics Engine user guide", 2006 (ERP, CFM); E. Catto, "Soft
//!            constraints", 2011 (frequency and ratio); F. Faure, "A compliant body", 2012 (c, d)

use crate::error::{Error, Result, check};
use core::f64::consts::TAU;
use serde::{Deserialize, Serialize};

/// How far a row yields: compliance c and damping time d.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Compliance {
    /// c (m/N or rad/(N·m)); 0 is hard.
    pub compliance: f64,
    /// d (s).
    pub damping: f64,
}

impl Compliance {
    /// Rigid.
    pub const HARD: Self = Self {
        compliance: 0.0,
        damping: 0.0,
    };

    /// From c (m/N) and d (s).
    ///
    /// # Errors
    /// c or d negative or not finite.
    pub fn new(compliance: f64, damping: f64) -> Result<Self> {
        check::non_negative("compliance", compliance)?;
        check::non_negative("compliance damping", damping)?;
        Ok(Self {
            compliance,
            damping,
        })
    }

    /// From a stiffness (N/m, > 0) and a damping constant (N·s/m, ≥ 0).
    ///
    /// # Errors
    /// Out of range or not finite.
    pub fn from_stiffness(stiffness: f64, damping: f64) -> Result<Self> {
        check::positive("stiffness", stiffness)?;
        check::non_negative("damping", damping)?;
        Self::new(1.0 / stiffness, damping / stiffness)
    }

    /// From the undamped frequency (1/s), the damping ratio (1 is critical) and the mass (kg) that
    /// swings.
    ///
    /// # Errors
    /// Frequency or mass not above zero, negative ratio.
    pub fn from_frequency(hz: f64, ratio: f64, mass: f64) -> Result<Self> {
        check::positive("frequency", hz)?;
        check::non_negative("damping ratio", ratio)?;
        check::positive("mass", mass)?;
        let omega = TAU * hz;
        Self::new(1.0 / (mass * omega * omega), 2.0 * ratio / omega)
    }

    /// From the error reduction share e per step of `h` (s) and the constraint force mixing f
    /// (force units: J v⁺ = −e φ/h − f λ).
    ///
    /// # Errors
    /// e outside (0, 1], f negative, h not above zero.
    pub fn from_erp_cfm(erp: f64, cfm: f64, h: f64) -> Result<Self> {
        check::finite("erp", erp)?;
        if !(erp > 0.0 && erp <= 1.0) {
            return Err(Error::OutOfRange {
                argument: "erp",
                value: erp,
                valid: "0 < erp <= 1",
            });
        }
        check::non_negative("cfm", cfm)?;
        check::positive("h", h)?;
        Self::new(cfm * h / erp, h * (1.0 - erp) / erp)
    }

    /// (stiffness, damping constant); infinite for a hard row.
    pub fn to_stiffness(self) -> (f64, f64) {
        let k = 1.0 / self.compliance;
        (
            k,
            if self.damping == 0.0 {
                0.0
            } else {
                self.damping * k
            },
        )
    }

    /// (frequency in 1/s, damping ratio) with `mass` (kg).
    pub fn to_frequency(self, mass: f64) -> (f64, f64) {
        let omega = 1.0 / (mass * self.compliance).sqrt();
        (omega / TAU, 0.5 * self.damping * omega)
    }

    /// (ERP, CFM) at a step of `h` (s).
    pub fn to_erp_cfm(self, h: f64) -> (f64, f64) {
        let l = h + self.damping;
        (h / l, self.compliance / l)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn same(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-13 * a.abs().max(b.abs()).max(1e-300)
    }

    proptest! {
        #[test]
        fn conversions_return(k in 1e-3..1e9f64, b in 0.0..1e4f64, m in 1e-3..1e3f64, h in 1e-4..0.1f64) {
            let c = Compliance::from_stiffness(k, b).unwrap();
            let (k2, b2) = c.to_stiffness();
            prop_assert!(same(k, k2) && same(b, b2));
            let (hz, ratio) = c.to_frequency(m);
            let back = Compliance::from_frequency(hz, ratio, m).unwrap();
            prop_assert!(same(back.compliance, c.compliance) && same(back.damping, c.damping));
            let (erp, cfm) = c.to_erp_cfm(h);
            let back = Compliance::from_erp_cfm(erp, cfm, h).unwrap();
            prop_assert!(same(back.compliance, c.compliance));
            // 1 − e loses digits where d is far below h.
            prop_assert!((back.damping - c.damping).abs() <= 1e-13 * (h + c.damping));
        }
    }

    #[test]
    fn what_is_out_of_range_is_refused() {
        assert!(Compliance::new(-1.0, 0.0).is_err());
        assert!(Compliance::new(0.0, -1.0).is_err());
        assert!(Compliance::from_erp_cfm(0.0, 0.0, 0.01).is_err());
        assert!(Compliance::from_frequency(f64::NAN, 0.0, 1.0).is_err());
    }
}
