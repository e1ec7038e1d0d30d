//! How the error of a position row is taken out: five ways, per row or for a whole world.
//!
//! | way | velocity row (J v⁺ = …) | position |
//! |---|---|---|
//! | [`Implicit`](Stabilisation::Implicit) | −φ/(h+d) | the same velocity |
//! | [`PushOut`](Stabilisation::PushOut) | −φ/(h+d), at most ±speed | the same velocity |
//! | [`Split`](Stabilisation::Split) | 0 once the gap is closed | a pass of its own removes φ |
//! | [`Baumgarte`](Stabilisation::Baumgarte) | (1 − 2ah) φ̇ − (bh)² φ/h | the same velocity |
//! | [`Iterated`](Stabilisation::Iterated) | −φ/h − ε/h, ε the curvature of φ | φ(x⁺) = 0 |
//!
//! Baumgarte's error obeys z² − (2 − 2ah − b²h²) z + (1 − 2ah) = 0 with x⁺ = x + h v⁺: it decays
//! iff ah ≤ 1 and (bh)² ≤ 4 − 4ah, and is gone after two steps at 2ah = 1, bh = 1. The popular
//! ah = bh = 1 grows by 1.618 per step and is refused.
//!
//! Source     J. Baumgarte, "Stabilization of constraints and integrals of motion", 1972, with the
//!            discrete bound derived here; M. Cline, D. Pai, "Post-stabilization for rigid body
//!            simulation", 2003 (split); J. Ryckaert and others, "Numerical integration of the
//!            cartesian equations of motion of a system with constraints", 1977 (iterated)

use crate::error::{Error, Result, check};
use serde::{Deserialize, Serialize};

/// How a position row gets rid of its error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Stabilisation {
    /// Within one step (within d where the row has a damping time): deadbeat.
    #[default]
    #[serde(alias = "implicit")]
    Implicit,
    /// As implicit, but never faster than `speed`.
    #[serde(alias = "push_out")]
    PushOut {
        /// Fastest correction (m/s or rad/s).
        speed: f64,
    },
    /// By a pass that moves poses and leaves velocities alone.
    #[serde(alias = "split")]
    Split,
    /// By feedback on φ and φ̇. Gains are per substep and unit-free.
    #[serde(alias = "baumgarte")]
    Baumgarte {
        /// a h: half the share of φ̇ taken out per substep.
        damping: f64,
        /// b h: square root of the share of φ taken out per substep.
        frequency: f64,
    },
    /// The row is re-linearised within the step until φ(x⁺) = 0 to rounding.
    #[serde(alias = "iterated")]
    Iterated,
}

impl Stabilisation {
    /// Baumgarte feedback with a and b in 1/s for a substep `h` (s).
    ///
    /// # Errors
    /// Gains outside the region where the discrete error decays.
    pub fn baumgarte(a: f64, b: f64, h: f64) -> Result<Self> {
        check::positive("h", h)?;
        let out = Self::Baumgarte {
            damping: a * h,
            frequency: b * h,
        };
        out.validate()?;
        Ok(out)
    }

    /// # Errors
    /// A speed that is not above zero, Baumgarte gains outside ah ≤ 1, (bh)² ≤ 4 − 4ah.
    pub fn validate(&self) -> Result<()> {
        match *self {
            Self::PushOut { speed } => check::positive("push_out.speed", speed).map(|_| ()),
            Self::Baumgarte { damping, frequency } => {
                check::non_negative("baumgarte.damping", damping)?;
                check::non_negative("baumgarte.frequency", frequency)?;
                let out = |argument, value, valid| {
                    Err(Error::OutOfRange {
                        argument,
                        value,
                        valid,
                    })
                };
                if damping > 1.0 {
                    out("baumgarte.damping (a h)", damping, "a h <= 1")
                } else if frequency * frequency > 4.0 - 4.0 * damping {
                    let valid =
                        "(b h)^2 <= 4 - 4 a h; 2 a h = 1 with b h = 1 is gone after two steps";
                    out("baumgarte.frequency (b h)", frequency, valid)
                } else {
                    Ok(())
                }
            }
            Self::Implicit | Self::Split | Self::Iterated => Ok(()),
        }
    }
}
