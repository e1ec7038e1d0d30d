//! Cone along y, apex at +y. Centre of mass at −h/2 for a sharp one of half height h.

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

/// Cone from its base at y = −half_height to its apex at y = half_height, dilated by `border`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cone {
    /// Half the height, before rounding (m).
    pub half_height: f64,
    /// Radius of the base, before rounding (m).
    pub radius: f64,
    /// Radius of the rounding (m); 0 is sharp.
    #[serde(default)]
    pub border: f64,
}

impl Shape {
    /// Cone along y, apex up: half height and base radius (m).
    ///
    /// # Errors
    /// A size NaN, infinite or not above zero.
    pub fn cone(half_height: f64, radius: f64) -> Result<Self> {
        Self::round_cone(half_height, radius, 0.0)
    }

    /// Cone along y, dilated by `border` (m).
    ///
    /// # Errors
    /// A size not finite or not above zero, `border` not finite or negative.
    pub fn round_cone(half_height: f64, radius: f64, border: f64) -> Result<Self> {
        let s = Cone {
            half_height,
            radius,
            border,
        };
        s.validate()?;
        Ok(s.into())
    }
}

impl Geometry for Cone {
    fn validate(&self) -> Result<()> {
        check::positive("half_height", self.half_height)?;
        check::positive("radius", self.radius)?;
        check::non_negative("border", self.border).map(|_| ())
    }

    fn mass(&self, density: f64) -> MassProps {
        let (h, r, b) = (self.half_height, self.radius, self.border);
        // The slope's outward normal stands at this angle above the horizontal.
        let lean = libm::atan2(r, 2.0 * h);
        let shift = [b * libm::cos(lean), b * libm::sin(lean)];
        let profile = [
            Profile::Arc {
                center: [r, -h],
                radius: b,
                from: -FRAC_PI_2,
                to: lean,
            },
            Profile::Line([r + shift[0], shift[1] - h], [shift[0], h + shift[1]]),
            Profile::Arc {
                center: [0.0, h],
                radius: b,
                from: lean,
                to: FRAC_PI_2,
            },
        ];
        revolution(&profile, density)
    }

    fn view(&self) -> View<'_> {
        let core = Core::Cone {
            half: self.half_height,
            radius: self.radius,
        };
        View::Convex(core, self.border)
    }

    fn outline(&self, line: &mut dyn FnMut(DVec3, DVec3)) {
        let (h, r) = (self.half_height + self.border, self.radius + self.border);
        staves([r, -h], [0.0, h], line);
        circle(DVec3::Y * -h, DVec3::X, DVec3::Z, r, line);
    }
}
