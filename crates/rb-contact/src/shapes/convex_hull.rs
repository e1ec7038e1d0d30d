//! Convex hull of points, sharp or rounded.
//!
//! Only the points as given are stored; the hull is rebuilt from them on load, by the same
//! computation and hence with the same faces and feature names.

use crate::convex::{Core, View};
use crate::moments::rounded;
use crate::polyhedron::Polyhedron;
use crate::shape::{Geometry, Mesh, Shape};
use glam::DVec3;
use rb_core::error::check;
use rb_core::mass::MassProps;
use rb_core::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Convex hull of points, dilated by `border`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct ConvexHull {
    points: Arc<Vec<DVec3>>,
    border: f64,
    hull: Arc<Polyhedron>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    points: Arc<Vec<DVec3>>,
    #[serde(default)]
    border: f64,
}

impl From<ConvexHull> for Stored {
    fn from(h: ConvexHull) -> Self {
        Self {
            points: h.points,
            border: h.border,
        }
    }
}

impl TryFrom<Stored> for ConvexHull {
    type Error = Error;
    fn try_from(s: Stored) -> Result<Self> {
        for p in s.points.iter() {
            check::vector("points", *p)?;
        }
        check::non_negative("border", s.border)?;
        let hull = Arc::new(Polyhedron::from_points(&s.points)?);
        Ok(Self {
            points: s.points,
            border: s.border,
            hull,
        })
    }
}

impl PartialEq for ConvexHull {
    fn eq(&self, o: &Self) -> bool {
        self.points == o.points && self.border == o.border
    }
}

impl Shape {
    /// Convex hull of points (m); points inside are allowed and ignored.
    ///
    /// # Errors
    /// A coordinate not finite; fewer than four points, or all in one plane.
    pub fn convex_hull(points: impl Into<Vec<DVec3>>) -> Result<Self> {
        Self::round_convex_hull(points, 0.0)
    }

    /// Convex hull of points (m), dilated by `border` (m).
    ///
    /// # Errors
    /// As [`convex_hull`](Self::convex_hull); `border` not finite or negative.
    pub fn round_convex_hull(points: impl Into<Vec<DVec3>>, border: f64) -> Result<Self> {
        let stored = Stored {
            points: Arc::new(points.into()),
            border,
        };
        Ok(ConvexHull::try_from(stored)?.into())
    }
}

impl ConvexHull {
    /// Radius of the rounding (m).
    pub fn border(&self) -> f64 {
        self.border
    }

    /// Corners of the hull (m).
    pub fn vertices(&self) -> &[DVec3] {
        &self.hull.vertices
    }
}

impl Geometry for ConvexHull {
    fn validate(&self) -> Result<()> {
        // The only ways to make one, the constructor and reading, have checked everything.
        Ok(())
    }

    fn mass(&self, density: f64) -> MassProps {
        rounded(&self.hull, self.border, density)
    }

    fn view(&self) -> View<'_> {
        View::Convex(Core::Poly(&self.hull), self.border)
    }

    fn outline(&self, line: &mut dyn FnMut(DVec3, DVec3)) {
        for edge in &self.hull.edges {
            let [a, b] = edge.ends.map(|i| self.hull.vertices[i as usize]);
            line(a, b);
        }
    }

    /// Triangles of the sharp hull.
    fn mesh(&self) -> Option<Mesh> {
        Some(Mesh {
            vertices: self.hull.vertices.clone(),
            triangles: self.hull.triangle_indices().collect(),
        })
    }
}
