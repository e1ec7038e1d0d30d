//! Grid of heights over the x–z plane, centred on the origin; pushes up (+y).
//!
//! Cell (row, column) spans z from row to row + 1 and x from column to column + 1 and is cut along
//! the diagonal from (row, column) to (row + 1, column + 1) into triangles 2k and 2k + 1, where
//! k = row · (columns − 1) + column. Triangles are made on demand from the heights; nothing is
//! derived but the bounds.

use crate::convex::{Core, Facet, Part, Parts, View};
use crate::geom::Aabb;
use crate::shape::{Geometry, Mesh, Shape};
use glam::DVec3;
use rb_core::error::check;
use rb_core::mass::MassProps;
use rb_core::math::Pose;
use rb_core::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Grid of heights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct HeightField(Arc<Built>);

#[derive(Debug, PartialEq)]
struct Built {
    grid: Stored,
    bounds: Aabb,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Stored {
    rows: usize,
    columns: usize,
    size: [f64; 2],
    heights: Vec<f64>,
}

impl From<HeightField> for Stored {
    fn from(h: HeightField) -> Self {
        h.0.grid.clone()
    }
}

impl TryFrom<Stored> for HeightField {
    type Error = Error;
    fn try_from(s: Stored) -> Result<Self> {
        for v in s.size {
            check::positive("size", v)?;
        }
        for &h in &s.heights {
            check::finite("heights", h)?;
        }
        let expected = s.rows.checked_mul(s.columns);
        if s.rows < 2 || s.columns < 2 || expected != Some(s.heights.len()) {
            let (r, c, n) = (s.rows, s.columns, s.heights.len());
            return Err(Error::BadGeometry {
                argument: "heights",
                reason: format!("{n} heights do not fill at least 2 × 2, here {r} × {c}"),
            });
        }
        let low = s.heights.iter().copied().fold(f64::INFINITY, f64::min);
        let high = s.heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let half = DVec3::new(0.5 * s.size[0], 0.0, 0.5 * s.size[1]);
        Ok(Self(Arc::new(Built {
            bounds: Aabb::new(DVec3::Y * low - half, DVec3::Y * high + half),
            grid: s,
        })))
    }
}

impl Shape {
    /// Terrain: `heights` (m) row by row, rows along z and columns along x, over a rectangle of
    /// `size` = [along x, along z] (m) centred on the origin.
    ///
    /// # Errors
    /// A number not finite; a size not above zero; fewer than 2 × 2 heights, or a count that is not
    /// rows × columns.
    pub fn height_field(
        rows: usize,
        columns: usize,
        heights: impl Into<Vec<f64>>,
        size: [f64; 2],
    ) -> Result<Self> {
        let stored = Stored {
            rows,
            columns,
            size,
            heights: heights.into(),
        };
        Ok(HeightField::try_from(stored)?.into())
    }
}

impl HeightField {
    /// Cells along (z, x).
    fn cells(&self) -> [usize; 2] {
        [self.0.grid.rows - 1, self.0.grid.columns - 1]
    }

    fn corner(&self, row: usize, column: usize) -> DVec3 {
        let [rows, columns] = self.cells();
        let [sx, sz] = self.0.grid.size;
        DVec3::new(
            (column as f64 / columns as f64 - 0.5) * sx,
            self.0.grid.heights[row * self.0.grid.columns + column],
            (row as f64 / rows as f64 - 0.5) * sz,
        )
    }

    /// The two triangles of a cell: first the one at low x, then the one at high x.
    fn cell(&self, row: usize, column: usize) -> [[DVec3; 3]; 2] {
        let p = self.corner(row, column);
        let x = self.corner(row, column + 1);
        let z = self.corner(row + 1, column);
        let q = self.corner(row + 1, column + 1);
        [[p, z, q], [p, q, x]]
    }

    fn normal_at(&self, row: isize, column: isize, which: usize) -> Option<DVec3> {
        let (row, column) = (usize::try_from(row).ok()?, usize::try_from(column).ok()?);
        let [rows, columns] = self.cells();
        (row < rows && column < columns).then(|| normal(self.cell(row, column)[which]))
    }

    fn facet(&self, triangle: [DVec3; 3], row: usize, column: usize, which: usize) -> Facet {
        let (r, c) = (row as isize, column as isize);
        // Edges of [p, z, q]: low x, high z, diagonal; of [p, q, x]: diagonal, high x, low z.
        let diagonal = self.normal_at(r, c, 1 - which);
        let across = match which {
            0 => [
                self.normal_at(r, c - 1, 1),
                self.normal_at(r + 1, c, 1),
                diagonal,
            ],
            _ => [
                diagonal,
                self.normal_at(r, c + 1, 0),
                self.normal_at(r - 1, c, 0),
            ],
        };
        Facet {
            normal: normal(triangle),
            across,
        }
    }
}

fn normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a).normalize()
}

/// Range of cells that a range of coordinates covers, over a side of `size` (m) in `n` cells.
fn covered(lo: f64, hi: f64, size: f64, n: usize) -> core::ops::Range<usize> {
    let index = |x: f64| ((x / size + 0.5) * n as f64).floor();
    // Float to integer casts saturate; one spare cell each way absorbs rounding.
    let first = (index(lo) - 1.0).max(0.0) as usize;
    let last = (index(hi) + 2.0).max(0.0) as usize;
    first.min(n)..last.min(n)
}

impl Geometry for HeightField {
    fn validate(&self) -> Result<()> {
        // The only ways to make one, the constructor and reading, have checked everything.
        Ok(())
    }

    fn mass(&self, _density: f64) -> MassProps {
        MassProps::ZERO
    }

    fn view(&self) -> View<'_> {
        View::Parts(self)
    }

    fn parts_box(&self) -> Aabb {
        self.0.bounds
    }

    fn outline(&self, line: &mut dyn FnMut(DVec3, DVec3)) {
        for row in 0..self.0.grid.rows {
            for column in 0..self.0.grid.columns {
                let p = self.corner(row, column);
                if column + 1 < self.0.grid.columns {
                    line(p, self.corner(row, column + 1));
                }
                if row + 1 < self.0.grid.rows {
                    line(p, self.corner(row + 1, column));
                }
            }
        }
    }

    fn mesh(&self) -> Option<Mesh> {
        let [rows, columns] = self.cells();
        let mut mesh = Mesh::default();
        for row in 0..=rows {
            mesh.vertices
                .extend((0..=columns).map(|column| self.corner(row, column)));
        }
        for row in 0..rows {
            for column in 0..columns {
                let p = (row * self.0.grid.columns + column) as u32;
                let z = p + self.0.grid.columns as u32;
                mesh.triangles.push([p, z, z + 1]);
                mesh.triangles.push([p, z + 1, p + 1]);
            }
        }
        Some(mesh)
    }
}

impl Parts for HeightField {
    fn overlapping(&self, region: &Aabb, f: &mut dyn FnMut(Part<'_>)) {
        if !self.0.bounds.overlaps(region) {
            return;
        }
        let [rows, columns] = self.cells();
        let [sx, sz] = self.0.grid.size;
        for row in covered(region.min.z, region.max.z, sz, rows) {
            for column in covered(region.min.x, region.max.x, sx, columns) {
                for (which, triangle) in self.cell(row, column).into_iter().enumerate() {
                    if !Aabb::from_points(triangle).overlaps(region) {
                        continue;
                    }
                    f(Part {
                        sub: (2 * (row * columns + column) + which) as u32,
                        pose: Pose::IDENTITY,
                        core: Core::Triangle(&triangle),
                        radius: 0.0,
                        facet: Some(&self.facet(triangle, row, column, which)),
                    });
                }
            }
        }
    }
}
