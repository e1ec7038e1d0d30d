//! Ball about the origin. Core: a point. I = 2/5 m r².

use super::outline::circle;
use crate::convex::{Core, View};
use crate::shape::{Geometry, Shape};
use core::f64::consts::PI;
use glam::DVec3;
use rb_core::Result;
use rb_core::error::check;
use rb_core::mass::MassProps;
use serde::{Deserialize, Serialize};

/// Ball about the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ball {
    /// Radius (m).
    pub radius: f64,
}

impl Shape {
    /// Ball of `radius` (m).
    ///
    /// # Errors
    /// `radius` NaN, infinite or not above zero.
    pub fn ball(radius: f64) -> Result<Self> {
        let s = Ball { radius };
        s.validate()?;
        Ok(s.into())
    }
}

impl Geometry for Ball {
    fn validate(&self) -> Result<()> {
        check::positive("radius", self.radius).map(|_| ())
    }

    fn mass(&self, density: f64) -> MassProps {
        let r2 = self.radius * self.radius;
        let mass = density * 4.0 / 3.0 * PI * r2 * self.radius;
        MassProps::diagonal(mass, DVec3::splat(0.4 * mass * r2))
    }

    fn view(&self) -> View<'_> {
        View::Convex(Core::Point, self.radius)
    }

    fn outline(&self, line: &mut dyn FnMut(DVec3, DVec3)) {
        for (u, v) in [
            (DVec3::X, DVec3::Y),
            (DVec3::Y, DVec3::Z),
            (DVec3::Z, DVec3::X),
        ] {
            circle(DVec3::ZERO, u, v, self.radius, line);
        }
    }
}
