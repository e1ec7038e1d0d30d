//! Convex polyhedron in f64: vertices, merged flat faces and their adjacency.
//!
//! Built from the triangles of a hull: neighbouring triangles in one plane (to 1e-6 of the size)
//! become one polygon, so that a voussoir has six faces and not twelve triangles, and every plane is
//! refitted to the f64 vertices. Vertices are relative to the shape's frame.

mod planes;

use crate::geom::hull_triangles;
use glam::DVec3;
use planes::Planes;
use rb_core::{Error, Result};

/// One flat face: outward unit normal and the range of its vertex loop, counter-clockwise from
/// outside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    pub(crate) normal: DVec3,
    /// Height of the face along its normal (m).
    pub(crate) level: f64,
    first: u32,
    len: u32,
}

/// An edge: its ends, and the faces left and right of it, seen from outside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) ends: [u32; 2],
    pub(crate) faces: [u32; 2],
}

/// Convex polyhedron.
#[derive(Clone, Debug)]
pub(crate) struct Polyhedron {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) faces: Vec<Face>,
    /// Normals and levels of the faces, to be looked through at once.
    planes: Planes,
    /// Edges, each once.
    pub(crate) edges: Vec<Edge>,
    /// Whether the faces enclose the body without a gap, as they do unless slivers were dropped.
    pub(crate) closed: bool,
    loops: Vec<u32>,
    /// Faces around each vertex: `around[starts[v]..starts[v + 1]]`.
    around: Vec<u32>,
    starts: Vec<u32>,
    /// Mean of the vertices (m).
    pub(crate) middle: DVec3,
    /// Greatest distance of a vertex from the origin of the frame (m).
    pub(crate) reach: f64,
    /// Radius of a ball that fits inside (m).
    pub(crate) inner_radius: f64,
}

impl Face {
    /// A face by itself, whose vertices are not asked for.
    pub(crate) const fn bare(normal: DVec3, level: f64) -> Self {
        Self {
            normal,
            level,
            first: 0,
            len: 0,
        }
    }
}

impl Polyhedron {
    /// Convex hull of points (m).
    ///
    /// # Errors
    /// [`Error::BadGeometry`] when the points span no volume.
    pub(crate) fn from_points(points: &[DVec3]) -> Result<Self> {
        let triangles = hull_triangles(points)?;
        let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let rank = |i: u32| used.partition_point(|&u| u < i) as u32;
        let vertices: Vec<DVec3> = used.iter().map(|&i| points[i as usize]).collect();
        let triangles: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(rank)).collect();
        Self::from_mesh(vertices, &triangles)
    }

    fn from_mesh(vertices: Vec<DVec3>, triangles: &[[u32; 3]]) -> Result<Self> {
        let center = vertices.iter().sum::<DVec3>() / vertices.len() as f64;
        let size = vertices
            .iter()
            .fold(0.0f64, |m, v| m.max((*v - center).length()));
        let mut out = Self {
            vertices,
            faces: Vec::new(),
            planes: Planes::default(),
            edges: Vec::new(),
            closed: false,
            loops: Vec::new(),
            around: Vec::new(),
            starts: Vec::new(),
            middle: center,
            reach: 0.0,
            inner_radius: 0.0,
        };
        for normal in out.planes(triangles, size) {
            out.push_face(normal, size);
        }
        let volume: f64 = out
            .triangles()
            .map(|[a, b, c]| tetrahedron(center, a, b, c))
            .sum();
        if out.faces.len() < 4 || volume <= 1e-12 * size.powi(3) {
            return Err(Error::BadGeometry {
                argument: "points",
                reason: "the points lie in one plane".into(),
            });
        }
        out.planes = Planes::new(&out.faces);
        out.link();
        out.edges = out.find_edges();
        // Euler's formula.
        out.closed = out.vertices.len() + out.faces.len() == out.edges.len() + 2;
        out.reach = out.vertices.iter().fold(0.0, |m, v| v.length().max(m));
        let room = out.faces.iter().map(|f| f.level - f.normal.dot(center));
        out.inner_radius = room.fold(f64::INFINITY, f64::min);
        Ok(out)
    }

    /// Normals of the distinct face planes, largest triangles first, so that slivers join the plane
    /// of a large neighbour instead of defining their own.
    fn planes(&self, triangles: &[[u32; 3]], size: f64) -> Vec<DVec3> {
        let mut candidates: Vec<(f64, DVec3, DVec3)> = triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| self.vertices[i as usize]);
                let cross = (b - a).cross(c - a);
                (cross.length(), cross.normalize_or_zero(), a)
            })
            .filter(|(area, ..)| *area > 1e-12 * size * size)
            .collect();
        candidates.sort_by(|x, y| y.0.total_cmp(&x.0));
        let mut planes: Vec<(DVec3, DVec3)> = Vec::new();
        for (_, n, at) in candidates {
            let known = planes
                .iter()
                .any(|(m, p)| m.dot(n) > 0.9999 && (at - *p).dot(*m).abs() < 1e-6 * size);
            if !known {
                planes.push((n, at));
            }
        }
        planes.into_iter().map(|(n, _)| n).collect()
    }

    /// Appends the polygon of all vertices that lie highest along `normal`.
    fn push_face(&mut self, normal: DVec3, size: f64) {
        let top = self
            .vertices
            .iter()
            .fold(f64::NEG_INFINITY, |m, v| m.max(v.dot(normal)));
        let mut ring: Vec<u32> = (0..self.vertices.len() as u32)
            .filter(|&i| self.vertices[i as usize].dot(normal) > top - 2e-6 * size)
            .collect();
        if ring.len() < 3 {
            return;
        }
        let center = ring
            .iter()
            .map(|&i| self.vertices[i as usize])
            .sum::<DVec3>()
            / ring.len() as f64;
        let [u, v] = rb_core::math::tangents(normal);
        let angle = |i: u32| {
            let d = self.vertices[i as usize] - center;
            libm::atan2(d.dot(v), d.dot(u))
        };
        ring.sort_by(|&i, &j| angle(i).total_cmp(&angle(j)));
        // Newell's normal of the whole loop: the best fit to the f64 vertices.
        let n = ring.len();
        let fitted = (0..n).fold(DVec3::ZERO, |s, k| {
            let a = self.vertices[ring[k] as usize] - center;
            let b = self.vertices[ring[(k + 1) % n] as usize] - center;
            s + a.cross(b)
        });
        let normal = fitted.normalize_or(normal);
        self.faces.push(Face {
            normal,
            level: normal.dot(self.vertices[ring[0] as usize]),
            first: self.loops.len() as u32,
            len: n as u32,
        });
        self.loops.extend(ring);
    }

    fn link(&mut self) {
        let mut lists = vec![Vec::new(); self.vertices.len()];
        for f in 0..self.faces.len() {
            for &v in self.ring(f) {
                lists[v as usize].push(f as u32);
            }
        }
        self.starts.push(0);
        for list in lists {
            self.around.extend(list);
            self.starts.push(self.around.len() as u32);
        }
    }

    /// Vertex loop of a face, counter-clockwise from outside.
    pub(crate) fn ring(&self, face: usize) -> &[u32] {
        let f = &self.faces[face];
        &self.loops[f.first as usize..(f.first + f.len) as usize]
    }

    /// Faces that meet at a vertex.
    pub(crate) fn faces_at(&self, vertex: usize) -> &[u32] {
        &self.around[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }

    /// Index of the vertex farthest along `d`; the first of equals.
    pub(crate) fn farthest(&self, d: DVec3) -> usize {
        let mut best = (f64::NEG_INFINITY, 0);
        for (i, v) in self.vertices.iter().enumerate() {
            let h = v.dot(d);
            if h > best.0 {
                best = (h, i);
            }
        }
        best.1
    }

    /// The greatest score of a face, by its normal and level (m), and which face has it, the first of equals.
    #[inline]
    pub(crate) fn best_face(&self, score: impl Fn(DVec3, f64) -> f64) -> (f64, usize) {
        self.planes.best(score)
    }

    /// Which face looks most along `d`; the first of equals.
    pub(crate) fn facing(&self, d: DVec3) -> usize {
        self.best_face(|normal, _| normal.dot(d)).1
    }

    /// The same of the faces around a vertex; the last of equals.
    pub(crate) fn facing_at(&self, vertex: usize, d: DVec3) -> usize {
        let mut best = (f64::NEG_INFINITY, 0);
        for &f in self.faces_at(vertex) {
            let cosine = self.faces[f as usize].normal.dot(d);
            if cosine >= best.0 {
                best = (cosine, f as usize);
            }
        }
        best.1
    }

    /// Faces cut into fans of triangles (m), counter-clockwise from outside.
    pub(crate) fn triangles(&self) -> impl Iterator<Item = [DVec3; 3]> + '_ {
        self.triangle_indices()
            .map(|t| t.map(|i| self.vertices[i as usize]))
    }

    /// Faces cut into fans of triangles, as vertex indices.
    pub(crate) fn triangle_indices(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        (0..self.faces.len()).flat_map(|f| {
            let ring = self.ring(f);
            (1..ring.len() - 1).map(|k| [ring[0], ring[k], ring[k + 1]])
        })
    }

    fn find_edges(&self) -> Vec<Edge> {
        let mut half: Vec<([u32; 2], u32, bool)> = Vec::new();
        for f in 0..self.faces.len() {
            let ring = self.ring(f);
            for k in 0..ring.len() {
                let (i, j) = (ring[k], ring[(k + 1) % ring.len()]);
                half.push(([i.min(j), i.max(j)], f as u32, i < j));
            }
        }
        half.sort_by_key(|&(e, _, forward)| (e, !forward));
        half.chunk_by(|x, y| x.0 == y.0)
            .filter(|pair| pair.len() == 2)
            .map(|pair| Edge {
                ends: pair[0].0,
                faces: [pair[0].1, pair[1].1],
            })
            .collect()
    }
}

/// Signed volume (m³) of a tetrahedron; positive when a, b, c run counter-clockwise seen from
/// outside, away from `o`.
pub(crate) fn tetrahedron(o: DVec3, a: DVec3, b: DVec3, c: DVec3) -> f64 {
    (a - o).dot((b - o).cross(c - o)) / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wedge_has_quadrilateral_faces() {
        // A voussoir: trapezoid in x–y, extruded along z.
        let mut points = Vec::new();
        for z in [-0.3, 0.3] {
            for (x, y) in [(-0.4, 0.0), (0.4, 0.0), (0.5, 0.7), (-0.5, 0.7)] {
                points.push(DVec3::new(x, y, z));
            }
        }
        points.push(DVec3::new(0.0, 0.3, 0.0));
        let p = Polyhedron::from_points(&points).unwrap();
        assert_eq!((p.vertices.len(), p.faces.len()), (8, 6));
        assert_eq!((p.edges.len(), p.closed), (12, true));
        for f in 0..6 {
            assert_eq!(p.ring(f).len(), 4);
            let n = p.faces[f].normal;
            let level: Vec<f64> = p
                .ring(f)
                .iter()
                .map(|&v| p.vertices[v as usize].dot(n))
                .collect();
            assert!(level.iter().all(|h| (h - level[0]).abs() < 1e-15));
        }
        assert!((0..8).all(|v| p.faces_at(v).len() == 3));
    }
}
