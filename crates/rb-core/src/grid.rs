//! The grid that places lie on, so that a scene is the same wherever in the world it is.
//!
//! A coordinate of 10 km is known to 2⁻³⁹ m and one of 1 m to 2⁻⁵²: whatever is added to both is rounded differently,
//! and impacts multiply the difference. Were all places multiples of one spacing, and all that is added to them rounded
//! to it first, sums and differences would be exact as long as the numbers fit, and what is made of differences the
//! same to the last bit.

use crate::error::{Error, Result};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// How fine places are.
///
/// A number is rounded to the nearest multiple of the spacing s by adding c = 1.5 · 2⁵² s and taking it off again, for
/// numbers next to c are s apart. That is exact up to 2⁵¹ s, and sums are up to 2⁵³ s: for [`Grid::FINE`], 65 km.
///
/// ```
/// use rb_core::grid::Grid;
/// use rb_core::glam::DVec3;
/// let step = Grid::FINE.round(DVec3::splat(1.0 / 3.0));
/// assert!((step.x - 1.0 / 3.0).abs() <= 0.5 * Grid::FINE.spacing());
/// assert_eq!((1e4 + step.x) - 1e4, step.x);
/// assert_eq!(Grid::NONE.round(DVec3::splat(1.0 / 3.0)).x, 1.0 / 3.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Grid {
    /// c (m); 0 leaves every number as it is.
    anchor: f64,
}

impl Grid {
    /// No grid: numbers stay as they are.
    pub const NONE: Self = Self { anchor: 0.0 };

    /// 2⁻³⁷ m, seven picometres: what a coordinate between 8 and 16 km has one more binary digit than.
    pub const FINE: Self = Self {
        anchor: 1.5 * (1u64 << 15) as f64,
    };

    /// A grid of this spacing (m); 0 is none.
    ///
    /// # Errors
    /// Anything but 0 or a power of two from 2⁻⁶⁰ to 2⁻²⁰ m.
    pub fn new(spacing: f64) -> Result<Self> {
        const ONE: u64 = 1 << 52;
        if spacing == 0.0 {
            return Ok(Self::NONE);
        }
        let is_power = spacing.is_normal() && spacing.to_bits().is_multiple_of(ONE);
        if !(is_power && (2f64.powi(-60)..=2f64.powi(-20)).contains(&spacing)) {
            return Err(Error::OutOfRange {
                argument: "grid",
                value: spacing,
                valid: "0 or a power of two from 2^-60 to 2^-20",
            });
        }
        Ok(Self {
            anchor: 1.5 * ONE as f64 * spacing,
        })
    }

    /// Distance of its lines (m), 0 if there is none.
    pub fn spacing(self) -> f64 {
        self.anchor / (1.5 * (1u64 << 52) as f64)
    }

    /// c: what is added to a number and taken off again to round it (m).
    #[inline]
    pub fn anchor(self) -> f64 {
        self.anchor
    }

    /// The point of the grid next to `x` (m), which is a way or an arm rather than a place in the world.
    #[inline]
    pub fn round(self, x: DVec3) -> DVec3 {
        (x + self.anchor) - self.anchor
    }
}

impl TryFrom<f64> for Grid {
    type Error = Error;

    fn try_from(spacing: f64) -> Result<Self> {
        Self::new(spacing)
    }
}

impl From<Grid> for f64 {
    fn from(grid: Grid) -> Self {
        grid.spacing()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spacings_are_powers_of_two() {
        assert_eq!(Grid::new(2f64.powi(-37)).unwrap(), Grid::FINE);
        assert_eq!(Grid::FINE.spacing(), 2f64.powi(-37));
        assert_eq!(Grid::new(0.0).unwrap(), Grid::NONE);
        for wrong in [1e-9, -2f64.powi(-30), 2f64.powi(-61), 0.5, f64::NAN] {
            assert!(Grid::new(wrong).is_err(), "{wrong}");
        }
    }

    /// A walk of many steps is the same in both directions and at every place.
    #[test]
    fn walks_are_the_same_everywhere() {
        let grid = Grid::FINE;
        let starts = [0.0, 1.0, -8192.0, 1e4, 60e3];
        let mut at = starts.map(DVec3::splat);
        for k in 0..1000 {
            let step = DVec3::new((1.1 * f64::from(k)).sin(), 1e-3, -1e-9 * f64::from(k));
            at.iter_mut().for_each(|at| *at += grid.round(step));
        }
        let ways = [0, 1, 2, 3, 4].map(|k| at[k] - starts[k]);
        assert!(ways.iter().all(|way| *way == ways[0]), "{ways:?}");
        assert!((ways[0].y - 1.0).abs() < 1000.0 * grid.spacing());
    }
}
