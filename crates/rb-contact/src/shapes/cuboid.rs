//! Box about the origin, edges along the axes. I_x = m/3 (h_y² + h_z²) for a sharp one.

use super::outline::box_edges;
use crate::convex::{Core, View};
use crate::moments::rounded;
use crate::polyhedron::Polyhedron;
use crate::shape::{Geometry, Shape};
use glam::DVec3;
use rb_core::Result;
use rb_core::error::check;
use rb_core::mass::MassProps;
use serde::{Deserialize, Serialize};

/// Box about the origin, dilated by `border`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cuboid {
    /// Half the edge lengths, before rounding (m).
    pub half_extents: DVec3,
    /// Radius of the rounding (m); 0 is sharp.
    #[serde(default)]
    pub border: f64,
}

impl Shape {
    /// Box with the given half extents (m).
    ///
    /// # Errors
    /// A half extent NaN, infinite or not above zero.
    pub fn cuboid(half_extents: DVec3) -> Result<Self> {
        Self::round_cuboid(half_extents, 0.0)
    }

    /// Box with the given half extents (m), dilated by `border` (m).
    ///
    /// # Errors
    /// A half extent not finite or not above zero, `border` not finite or negative.
    pub fn round_cuboid(half_extents: DVec3, border: f64) -> Result<Self> {
        let s = Cuboid {
            half_extents,
            border,
        };
        s.validate()?;
        Ok(s.into())
    }
}

impl Cuboid {
    fn corners(&self) -> [DVec3; 8] {
        core::array::from_fn(|i| {
            let s = |k: usize| if i >> k & 1 == 1 { 1.0 } else { -1.0 };
            DVec3::new(s(0), s(1), s(2)) * self.half_extents
        })
    }
}

impl Geometry for Cuboid {
    fn validate(&self) -> Result<()> {
        for h in self.half_extents.to_array() {
            check::positive("half_extents", h)?;
        }
        check::non_negative("border", self.border).map(|_| ())
    }

    fn mass(&self, density: f64) -> MassProps {
        let h = self.half_extents;
        let mass = density * 8.0 * h.x * h.y * h.z;
        let s = h * h;
        let inertia = DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (mass / 3.0);
        match Polyhedron::from_points(&self.corners()) {
            Ok(core) if self.border > 0.0 => rounded(&core, self.border, density),
            _ => MassProps::diagonal(mass, inertia),
        }
    }

    fn view(&self) -> View<'_> {
        View::Convex(Core::Box(self.half_extents), self.border)
    }

    fn outline(&self, line: &mut dyn FnMut(DVec3, DVec3)) {
        box_edges(self.half_extents + self.border, line);
    }
}
