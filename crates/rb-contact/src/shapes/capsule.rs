//! Capsule: a segment along y, dilated. Mass: a cylinder and the two halves of a ball.

use super::outline::{circle, staves};
use crate::convex::{Core, View};
use crate::shape::{Geometry, Shape};
use core::f64::consts::PI;
use glam::DVec3;
use rb_core::Result;
use rb_core::error::check;
use rb_core::mass::MassProps;
use serde::{Deserialize, Serialize};

/// Segment from −half_height to half_height along y, dilated by `radius`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Capsule {
    /// Half the length of the segment, without the round ends (m).
    pub half_height: f64,
    /// Radius (m).
    pub radius: f64,
}

impl Shape {
    /// Capsule along y: half length of its straight part and radius (m).
    ///
    /// # Errors
    /// A size NaN, infinite or not above zero.
    pub fn capsule(half_height: f64, radius: f64) -> Result<Self> {
        let s = Capsule {
            half_height,
            radius,
        };
        s.validate()?;
        Ok(s.into())
    }
}

impl Geometry for Capsule {
    fn validate(&self) -> Result<()> {
        check::positive("half_height", self.half_height)?;
        check::positive("radius", self.radius).map(|_| ())
    }

    fn mass(&self, density: f64) -> MassProps {
        let (h, r) = (self.half_height, self.radius);
        let (r2, h2) = (r * r, h * h);
        let tube = density * PI * r2 * 2.0 * h;
        let ends = density * 4.0 / 3.0 * PI * r2 * r;
        let axial = 0.5 * tube * r2 + 0.4 * ends * r2;
        // Each half ball has its centre of mass 3r/8 beyond the end of the segment.
        let across = tube * (0.25 * r2 + h2 / 3.0) + ends * (0.4 * r2 + h2 + 0.75 * h * r);
        MassProps::diagonal(tube + ends, DVec3::new(across, axial, across))
    }

    fn view(&self) -> View<'_> {
        View::Convex(Core::Segment(self.half_height), self.radius)
    }

    fn outline(&self, line: &mut dyn FnMut(DVec3, DVec3)) {
        let (h, r) = (self.half_height, self.radius);
        staves([r, -h], [r, h], line);
        for y in [-h, h] {
            for (u, v) in [
                (DVec3::X, DVec3::Y),
                (DVec3::Y, DVec3::Z),
                (DVec3::Z, DVec3::X),
            ] {
                circle(DVec3::Y * y, u, v, r, line);
            }
        }
    }
}
