//! The kinds of shape with their sizes.

use rb_world::contact::shape::Mesh;
use rb_world::contact::shapes::TriMesh;
use rb_world::core::{Error, Result as Edit};
use rb_world::prelude::*;
use serde::Deserialize;

/// Most points of a hull.
const MOST_HULL_POINTS: usize = 20_000;

/// Arguments of the constructors that are fields of the file.
pub(super) const FIELDS: &[&str] = &[
    "half_extents",
    "half_height",
    "radius",
    "border",
    "points",
    "vertices",
    "triangles",
    "size",
    "heights",
    "normal",
];

/// Ball.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BallEntry {
    /// Radius (m).
    pub radius: f64,
}

/// Box.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CuboidEntry {
    /// Half of each edge (m).
    pub half_extents: DVec3,
    /// Rounding (m).
    #[serde(default)]
    pub border: f64,
}

/// Capsule, cylinder or cone along y.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PillarEntry {
    /// Half the height, of a capsule that of its straight part (m).
    pub half_height: f64,
    /// Radius (m).
    pub radius: f64,
    /// Rounding (m); a capsule has none.
    #[serde(default)]
    pub border: f64,
}

/// Convex hull.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HullEntry {
    /// Points (m); those inside are ignored.
    pub points: Vec<DVec3>,
    /// Rounding (m).
    #[serde(default)]
    pub border: f64,
}

/// Triangles.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeshEntry {
    /// Vertices (m).
    pub vertices: Vec<DVec3>,
    /// Triples of vertex numbers.
    pub triangles: Vec<[u32; 3]>,
}

/// Heights, row by row: rows along z, columns along x.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeightEntry {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Whole size along x and z (m).
    pub size: [f64; 2],
    /// Heights (m).
    pub heights: Vec<f64>,
}

/// Plane through the origin.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaneEntry {
    /// Outward normal of any length.
    pub normal: DVec3,
}

impl BallEntry {
    pub(super) fn shape(self) -> Edit<Shape> {
        Shape::ball(self.radius)
    }
}

impl PlaneEntry {
    pub(super) fn shape(self) -> Edit<Shape> {
        Shape::half_space(self.normal)
    }
}

impl CuboidEntry {
    pub(super) fn shape(self) -> Edit<Shape> {
        Shape::round_cuboid(self.half_extents, self.border)
    }
}

impl PillarEntry {
    pub(super) fn capsule(self) -> Edit<Shape> {
        if self.border != 0.0 {
            return Err(Error::Contradiction {
                argument: "border",
                reason: "a capsule is round already".into(),
            });
        }
        Shape::capsule(self.half_height, self.radius)
    }

    pub(super) fn cylinder(self) -> Edit<Shape> {
        Shape::round_cylinder(self.half_height, self.radius, self.border)
    }

    pub(super) fn cone(self) -> Edit<Shape> {
        Shape::round_cone(self.half_height, self.radius, self.border)
    }
}

impl HullEntry {
    pub(super) fn shape(&self) -> Edit<Shape> {
        if self.points.len() > MOST_HULL_POINTS {
            return Err(Error::BadGeometry {
                argument: "points",
                reason: format!("more than {MOST_HULL_POINTS} points"),
            });
        }
        Shape::round_convex_hull(self.points.clone(), self.border)
    }
}

impl MeshEntry {
    pub(super) fn shape(&self) -> Edit<Shape> {
        let mesh = Mesh {
            vertices: self.vertices.clone(),
            triangles: self.triangles.clone(),
        };
        Ok(TriMesh::try_from(mesh)?.into())
    }
}

impl HeightEntry {
    pub(super) fn shape(&self) -> Edit<Shape> {
        Shape::height_field(self.rows, self.columns, self.heights.clone(), self.size)
    }
}
