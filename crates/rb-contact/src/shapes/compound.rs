//! Several convex shapes as one. Mass is the sum of the parts, overlaps counted twice.

use crate::convex::{Core, Part, Parts, View};
use crate::geom::{Aabb, Bvh, meeting, tree};
use crate::shape::{Geometry, Mesh, Shape};
use glam::DVec3;
use rb_core::error::check;
use rb_core::mass::MassProps;
use rb_core::math::Pose;
use rb_core::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How far from 1 the squared length of a normalised quaternion may be: by rounding alone.
const UNIT: f64 = 8.0 * f64::EPSILON;

/// Convex shapes, each at a place in the compound's frame.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "Vec<(Pose, Shape)>", into = "Vec<(Pose, Shape)>")]
pub struct Compound(Arc<Built>);

struct Built {
    parts: Vec<(Pose, Shape)>,
    bounds: Aabb,
    tree: Bvh,
}

impl From<Compound> for Vec<(Pose, Shape)> {
    fn from(c: Compound) -> Self {
        c.0.parts.clone()
    }
}

impl TryFrom<Vec<(Pose, Shape)>> for Compound {
    type Error = Error;
    fn try_from(mut parts: Vec<(Pose, Shape)>) -> Result<Self> {
        let bad = |reason: String| Error::BadGeometry {
            argument: "parts",
            reason,
        };
        if parts.is_empty() {
            return Err(bad("a compound needs at least one part".into()));
        }
        for (i, (pose, shape)) in parts.iter_mut().enumerate() {
            check::vector("parts", pose.p)?;
            let unit = check::rotation("parts", pose.q)?;
            // A stored compound has to come back to the bit, and what is normalised twice need not.
            if (pose.q.length_squared() - 1.0).abs() > UNIT {
                pose.q = unit;
            }
            shape.validate()?;
            if !shape.is_convex() {
                return Err(bad(format!("part {i} is a {}, not convex", shape.name())));
            }
        }
        let boxes: Vec<Aabb> = parts.iter().map(|(pose, s)| s.aabb(pose)).collect();
        Ok(Self(Arc::new(Built {
            bounds: boxes.iter().fold(Aabb::EMPTY, |m, b| m.merged(b)),
            tree: tree(boxes.into_iter()),
            parts,
        })))
    }
}

impl PartialEq for Compound {
    fn eq(&self, o: &Self) -> bool {
        self.0.parts == o.0.parts
    }
}

impl core::fmt::Debug for Compound {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Compound").field(&self.0.parts).finish()
    }
}

impl Shape {
    /// Several convex shapes as one, each with its place in the common frame.
    ///
    /// # Errors
    /// No parts; a pose not finite; a part that is not convex (mesh, half-space, compound).
    pub fn compound(parts: impl Into<Vec<(Pose, Self)>>) -> Result<Self> {
        Ok(Compound::try_from(parts.into())?.into())
    }
}

impl Compound {
    /// The parts with their places in the compound's frame.
    pub fn parts(&self) -> &[(Pose, Shape)] {
        &self.0.parts
    }
}

impl Geometry for Compound {
    fn validate(&self) -> Result<()> {
        // The only ways to make one, the constructor and reading, have checked everything.
        Ok(())
    }

    fn mass(&self, density: f64) -> MassProps {
        self.parts().iter().fold(MassProps::ZERO, |m, (pose, s)| {
            m.combine(&s.mass_props(density).placed(pose))
        })
    }

    fn view(&self) -> View<'_> {
        View::Parts(self)
    }

    fn parts_box(&self) -> Aabb {
        self.0.bounds
    }

    fn outline(&self, line: &mut dyn FnMut(DVec3, DVec3)) {
        struct Lines<'a>(&'a mut dyn FnMut(DVec3, DVec3));
        impl rb_core::draw::DrawSink for Lines<'_> {
            fn line(&mut self, a: DVec3, b: DVec3, _: rb_core::draw::Color) {
                (self.0)(a, b);
            }
        }
        for (pose, s) in self.parts() {
            s.draw(pose, [0; 4], &mut Lines(line));
        }
    }

    /// Triangles of the parts that have any; `None` when no part has.
    fn mesh(&self) -> Option<Mesh> {
        let mut all = Mesh::default();
        for (pose, s) in self.parts() {
            let Some(m) = s.mesh() else { continue };
            let base = all.vertices.len() as u32;
            all.vertices
                .extend(m.vertices.iter().map(|v| pose.point(*v)));
            all.triangles
                .extend(m.triangles.iter().map(|t| t.map(|i| i + base)));
        }
        (!all.triangles.is_empty()).then_some(all)
    }
}

impl Parts for Compound {
    fn overlapping(&self, region: &Aabb, f: &mut dyn FnMut(Part<'_>)) {
        for sub in meeting(&self.0.tree, region) {
            let (pose, shape) = &self.0.parts[sub as usize];
            let (core, radius) = shape.convex().unwrap_or((Core::Point, 0.0));
            f(Part {
                sub,
                pose: *pose,
                core,
                radius,
                facet: None,
            });
        }
    }
}
