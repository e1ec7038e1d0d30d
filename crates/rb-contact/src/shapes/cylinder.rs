//! Cylinder along y. I_y = m r²/2, I_x = m (r²/4 + h²/3) for a sharp one.

use super::outline::{circle, staves};
use crate::convex::{Core, View};
use crate::moments::{Profile, revolution};
use crate::shape::{Geometry, Shape};
use core::f64::consts::FRAC_PI_2;
use glam::DVec3;
use rb_core::Result;
use rb_core::error::check;
use rb_core::mass::MassProps;
use serde::{Deserialize, Serialize};

/// Cylinder about the origin along y, dilated by `border`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cylinder {
    /// Half the height, before rounding (m).
    pub half_height: f64,
    /// Radius, before rounding (m).
    pub radius: f64,
    /// Radius of the rounding (m); 0 is sharp.
    #[serde(default)]
    pub border: f64,
}

impl Shape {
    /// Cylinder along y: half height and radius (m).
    ///
    /// # Errors
    /// A size NaN, infinite or not above zero.
    pub fn cylinder(half_height: f64, radius: f64) -> Result<Self> {
        Self::round_cylinder(half_height, radius, 0.0)
    }

    /// Cylinder along y, dilated by `border` (m).
    ///
    /// # Errors
    /// A size not finite or not above zero, `border` not finite or negative.
    pub fn round_cylinder(half_height: f64, radius: f64, border: f64) -> Result<Self> {
        let s = Cylinder {
            half_height,
            radius,
            border,
        };
        s.validate()?;
        Ok(s.into())
    }
}

impl Geometry for Cylinder {
    fn validate(&self) -> Result<()> {
        check::positive("half_height", self.half_height)?;
        check::positive("radius", self.radius)?;
        check::non_negative("border", self.border).map(|_| ())
    }

    fn mass(&self, density: f64) -> MassProps {
        let (h, r, b) = (self.half_height, self.radius, self.border);
        let corner = |y: f64, from: f64, to: f64| Profile::Arc {
            center: [r, y],
            radius: b,
            from,
            to,
        };
        let wall = Profile::Line([r + b, -h], [r + b, h]);
        revolution(
            &[corner(-h, -FRAC_PI_2, 0.0), wall, corner(h, 0.0, FRAC_PI_2)],
            density,
        )
    }

    fn view(&self) -> View<'_> {
        let core = Core::Cylinder {
            half: self.half_height,
            radius: self.radius,
        };
        View::Convex(core, self.border)
    }

    fn outline(&self, line: &mut dyn FnMut(DVec3, DVec3)) {
        let (h, r) = (self.half_height + self.border, self.radius + self.border);
        staves([r, -h], [r, h], line);
        for y in [-h, h] {
            circle(DVec3::Y * y, DVec3::X, DVec3::Z, r, line);
        }
    }
}
