//! Surface of triangles.
//!
//! One-sided: a triangle pushes to the side from which its vertices run counter-clockwise. A mesh
//! whose every edge is shared by exactly two triangles in opposite directions is closed and has a
//! mass; others are surfaces without mass. Neighbours across edges are found once, so that contacts
//! can slide over internal edges without feeling them.

use crate::convex::{Core, Facet, Part, Parts, View};
use crate::geom::{Aabb, Bvh, meeting, tree};
use crate::moments::closed_surface;
use crate::shape::{Geometry, Mesh, Shape};
use glam::DVec3;
use rb_core::error::check;
use rb_core::mass::MassProps;
use rb_core::math::Pose;
use rb_core::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

/// Triangles over shared vertices.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "Mesh", into = "Mesh")]
pub struct TriMesh(Arc<Built>);

struct Built {
    mesh: Mesh,
    facets: Vec<Facet>,
    closed: bool,
    bounds: Aabb,
    tree: Bvh,
}

impl From<TriMesh> for Mesh {
    fn from(m: TriMesh) -> Self {
        m.0.mesh.clone()
    }
}

impl TryFrom<Mesh> for TriMesh {
    type Error = Error;
    fn try_from(mesh: Mesh) -> Result<Self> {
        let bad = |reason: String| Error::BadGeometry {
            argument: "triangles",
            reason,
        };
        for v in &mesh.vertices {
            check::vector("vertices", *v)?;
        }
        if mesh.triangles.is_empty() {
            return Err(bad("a mesh needs at least one triangle".into()));
        }
        let count = mesh.vertices.len();
        let mut normals = Vec::with_capacity(mesh.triangles.len());
        for (i, t) in mesh.triangles.iter().enumerate() {
            if let Some(v) = t.iter().find(|&&v| v as usize >= count) {
                return Err(bad(format!("triangle {i}: vertex {v} of {count}")));
            }
            let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
            let cross = (b - a).cross(c - a);
            let longest = (b - a).length().max((c - b).length()).max((a - c).length());
            if cross.length() <= 1e-12 * longest * longest {
                return Err(bad(format!("triangle {i} has no area")));
            }
            normals.push(cross.normalize());
        }
        Ok(Self(Arc::new(Built::new(mesh, &normals))))
    }
}

impl Built {
    fn new(mesh: Mesh, normals: &[DVec3]) -> Self {
        let mut owner: HashMap<[u32; 2], Option<u32>> = HashMap::new();
        for (i, t) in mesh.triangles.iter().enumerate() {
            for k in 0..3 {
                // A directed edge used twice has no single neighbour: treat it as a border.
                owner
                    .entry([t[k], t[(k + 1) % 3]])
                    .and_modify(|o| *o = None)
                    .or_insert(Some(i as u32));
            }
        }
        let facets: Vec<Facet> = mesh
            .triangles
            .iter()
            .zip(normals)
            .map(|(t, &normal)| Facet {
                normal,
                across: core::array::from_fn(|k| {
                    let twin = owner.get(&[t[(k + 1) % 3], t[k]]).copied().flatten();
                    twin.map(|i| normals[i as usize])
                }),
            })
            .collect();
        let corners = |t: &[u32; 3]| t.map(|v| mesh.vertices[v as usize]);
        let boxes: Vec<Aabb> = mesh
            .triangles
            .iter()
            .map(|t| Aabb::from_points(corners(t)))
            .collect();
        Self {
            closed: facets.iter().all(|f| f.across.iter().all(Option::is_some)),
            bounds: boxes.iter().fold(Aabb::EMPTY, |m, b| m.merged(b)),
            tree: tree(boxes.into_iter()),
            facets,
            mesh,
        }
    }

    fn corners(&self, i: usize) -> [DVec3; 3] {
        self.mesh.triangles[i].map(|v| self.mesh.vertices[v as usize])
    }
}

impl PartialEq for TriMesh {
    fn eq(&self, o: &Self) -> bool {
        self.0.mesh == o.0.mesh
    }
}

impl core::fmt::Debug for TriMesh {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("TriMesh").field(&self.0.mesh).finish()
    }
}

impl Shape {
    /// Surface of triangles over shared vertices (m); each pushes to its counter-clockwise side.
    ///
    /// # Errors
    /// A coordinate not finite; no triangles; an index past the vertices; a triangle without area.
    pub fn tri_mesh(
        vertices: impl Into<Vec<DVec3>>,
        triangles: impl Into<Vec<[u32; 3]>>,
    ) -> Result<Self> {
        let mesh = Mesh {
            vertices: vertices.into(),
            triangles: triangles.into(),
        };
        Ok(TriMesh::try_from(mesh)?.into())
    }
}

impl TriMesh {
    /// Whether the surface encloses a volume: every edge joins two triangles.
    pub fn is_closed(&self) -> bool {
        self.0.closed
    }
}

impl Geometry for TriMesh {
    fn validate(&self) -> Result<()> {
        // The only ways to make one, the constructor and reading, have checked everything.
        Ok(())
    }

    fn mass(&self, density: f64) -> MassProps {
        if !self.0.closed {
            return MassProps::ZERO;
        }
        let all = (0..self.0.facets.len()).map(|i| self.0.corners(i));
        closed_surface(all, self.0.bounds.center(), density)
    }

    fn view(&self) -> View<'_> {
        View::Parts(self)
    }

    fn parts_box(&self) -> Aabb {
        self.0.bounds
    }

    fn outline(&self, line: &mut dyn FnMut(DVec3, DVec3)) {
        for i in 0..self.0.facets.len() {
            let [a, b, c] = self.0.corners(i);
            line(a, b);
            line(b, c);
            line(c, a);
        }
    }

    fn mesh(&self) -> Option<Mesh> {
        Some(self.0.mesh.clone())
    }
}

impl Parts for TriMesh {
    fn overlapping(&self, region: &Aabb, f: &mut dyn FnMut(Part<'_>)) {
        for sub in meeting(&self.0.tree, region) {
            f(Part {
                sub,
                pose: Pose::IDENTITY,
                core: Core::Triangle(&self.0.corners(sub as usize)),
                radius: 0.0,
                facet: Some(&self.0.facets[sub as usize]),
            });
        }
    }
}
