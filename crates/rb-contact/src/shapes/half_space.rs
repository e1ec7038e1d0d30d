//! Half-space: everything below a plane through the origin. Unbounded and without mass.

use crate::convex::View;
use crate::shape::{Geometry, Shape};
use glam::DVec3;
use rb_core::error::check;
use rb_core::mass::MassProps;
use rb_core::math::tangents;
use rb_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// Everything on the far side of a plane through the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HalfSpace {
    /// Unit normal of the plane, pointing out of the solid.
    pub normal: DVec3,
}

impl Shape {
    /// Solid below the plane through the origin with the given outward normal (any length).
    ///
    /// # Errors
    /// `normal` not finite or without length.
    pub fn half_space(normal: DVec3) -> Result<Self> {
        let normal = check::direction("normal", normal)?;
        Ok(HalfSpace { normal }.into())
    }
}

impl Geometry for HalfSpace {
    fn validate(&self) -> Result<()> {
        check::direction("normal", self.normal)?;
        let length = self.normal.length();
        if (length - 1.0).abs() < 1e-9 {
            Ok(())
        } else {
            Err(Error::OutOfRange {
                argument: "normal",
                value: length,
                valid: "unit length",
            })
        }
    }

    fn mass(&self, _density: f64) -> MassProps {
        MassProps::ZERO
    }

    fn view(&self) -> View<'_> {
        View::HalfSpace(self.normal)
    }

    /// A 20 m grid and the normal.
    fn outline(&self, line: &mut dyn FnMut(DVec3, DVec3)) {
        let [u, v] = tangents(self.normal);
        for k in -5..=5 {
            let s = 2.0 * f64::from(k);
            line(u * s - v * 10.0, u * s + v * 10.0);
            line(v * s - u * 10.0, v * s + u * 10.0);
        }
        line(DVec3::ZERO, self.normal);
    }
}
