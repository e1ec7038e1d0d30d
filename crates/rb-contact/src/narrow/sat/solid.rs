//! What the separating axes of two polyhedra are sought with: one of them as vertices, faces and edges
//! in the frame of the other, and the best axis so far.

use crate::convex::{Core, Placed};
use crate::narrow::Apart;
use crate::polyhedron::{Edge, Face, Polyhedron};
use glam::{DMat3, DVec3};
use smallvec::SmallVec;

/// Faces and vertices up to which this is faster than iterating.
const MANY: usize = 42;
/// Share of an edge by which the crossing may lie beyond its end.
pub(super) const BEYOND: f64 = 1e-9;

/// Bit among the signs of a face: a certain point of the other shape is at least as deep behind it as the shapes are
/// known to overlap, if at all. Along every direction between two such faces they overlap by no less.
pub(super) const DEEP: u8 = 1 << 3;

/// Edges of a triangle: its front is face 0, its back face 1.
const TRIANGLE: [Edge; 3] = [
    Edge {
        ends: [0, 1],
        faces: [0, 1],
    },
    Edge {
        ends: [1, 2],
        faces: [0, 1],
    },
    Edge {
        ends: [2, 0],
        faces: [0, 1],
    },
];

/// A polyhedron, triangle or segment in some frame; a segment has no faces.
pub(super) struct Solid<'a> {
    pub(super) vertices: &'a [DVec3],
    pub(super) faces: &'a [Face],
    pub(super) edges: &'a [Edge],
}

/// Vertices and faces of a solid in a frame other than its own.
#[derive(Default)]
pub(super) struct Moved {
    vertices: SmallVec<[DVec3; MANY]>,
    faces: SmallVec<[Face; MANY]>,
}

/// Signs of up to three directions against the normal of each face: bit k is set where the k-th leads out.
pub(super) struct Signs([u8; MANY]);

impl Default for Signs {
    fn default() -> Self {
        Self([0; MANY])
    }
}

impl Signs {
    pub(super) fn iter_mut(&mut self) -> core::slice::IterMut<'_, u8> {
        self.0.iter_mut()
    }
}

/// Where the greatest separation was found.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// On a face of the solid.
    Face(usize),
    /// On a face of the other shape.
    Other,
    /// At an edge of the solid and one of the other shape.
    Edges(usize, usize),
}

/// The greatest separation found (m), its unit direction away from the solid, and its place.
#[derive(Clone, Copy)]
pub(super) struct Best {
    pub(super) s: f64,
    pub(super) n: DVec3,
    pub(super) place: Place,
}

impl Best {
    pub(super) const NONE: Self = Self {
        s: f64::NEG_INFINITY,
        n: DVec3::Y,
        place: Place::Other,
    };

    /// As shapes that are apart along it, the box standing where `of` does.
    pub(in crate::narrow) fn apart(&self, of: &Placed) -> Apart {
        Apart::along(of.rot * self.n, self.s)
    }

    /// The greater of two separations, the first of equals.
    pub(super) fn or(self, other: Self) -> Self {
        if other.s > self.s { other } else { self }
    }

    /// Takes the separation `s` along a unit vector if it is greater.
    pub(super) fn offer(&mut self, s: f64, n: DVec3, place: Place) {
        if s > self.s {
            *self = Self { s, n, place };
        }
    }

    /// Takes the separation `s` times the length of `m` along m if it is greater; the root is drawn only
    /// then.
    #[inline]
    pub(super) fn offer_scaled(
        &mut self,
        s: f64,
        m: impl Fn() -> DVec3,
        length2: f64,
        place: Place,
    ) {
        let square = self.s * self.s * length2;
        let better = if self.s >= 0.0 {
            s > 0.0 && s * s > square
        } else {
            s >= 0.0 || s * s < square
        };
        if better {
            let length = length2.sqrt();
            *self = Self {
                s: s / length,
                n: m() / length,
                place,
            };
        }
    }
}

/// Whether trying all features is worth it, and they are all there.
fn few(p: &Polyhedron) -> bool {
    p.closed && p.faces.len().max(p.vertices.len()) <= MANY
}

impl<'a> Solid<'a> {
    /// A core in its own frame; `None` if it has too many faces, or its edges are not known.
    pub(super) fn own(core: Core<'a>, moved: &'a mut Moved) -> Option<Self> {
        match core {
            Core::Poly(p) if few(p) => Some(Self {
                vertices: &p.vertices,
                faces: &p.faces,
                edges: &p.edges,
            }),
            Core::Poly(_) => None,
            _ => Self::new(core, DMat3::IDENTITY, DVec3::ZERO, moved),
        }
    }

    /// A core in the frame of another shape; `None` as for [`own`](Self::own).
    pub(super) fn seen_from(a: &Placed<'a>, b: &Placed, moved: &'a mut Moved) -> Option<Self> {
        let back = b.rot.transpose();
        Self::new(a.core, back * a.rot, back * (a.at - b.at), moved)
    }

    /// A core turned and moved.
    fn new(core: Core<'a>, rot: DMat3, at: DVec3, moved: &'a mut Moved) -> Option<Self> {
        let place = |v: &DVec3| rot * *v + at;
        let Moved { vertices, faces } = moved;
        let edges: &[Edge] = match core {
            Core::Segment(h) => {
                vertices.extend([-h, h].map(|y| place(&(DVec3::Y * y))));
                &TRIANGLE[..1]
            }
            Core::Triangle(corners) => {
                let [p, q, r] = corners.map(|v| place(&v));
                let n = (q - p).cross(r - p).normalize_or_zero();
                let level = n.dot(p);
                vertices.extend([p, q, r]);
                faces.extend([Face::bare(n, level), Face::bare(-n, -level)]);
                &TRIANGLE
            }
            Core::Poly(p) if few(p) => {
                vertices.extend(p.vertices.iter().map(place));
                faces.extend(p.faces.iter().map(|f| {
                    let normal = rot * f.normal;
                    Face::bare(normal, f.level + normal.dot(at))
                }));
                &p.edges
            }
            _ => return None,
        };
        Some(Self {
            vertices,
            faces,
            edges,
        })
    }

    /// Mean of the vertices.
    pub(super) fn middle(&self) -> DVec3 {
        self.vertices.iter().sum::<DVec3>() / self.vertices.len() as f64
    }

    /// Start and direction of an edge.
    #[inline]
    pub(super) fn edge(&self, k: usize) -> (DVec3, DVec3) {
        let [i, j] = self.edges[k].ends.map(|v| self.vertices[v as usize]);
        (i, j - i)
    }

    /// Calls `f` with every edge and direction k whose sign changes from the face left of it to the one on
    /// the right, unless both are [`DEEP`]; and with whether it is positive on the left.
    #[inline]
    pub(super) fn turning(&self, signs: &Signs, mut f: impl FnMut(usize, usize, bool)) {
        for (edge, e) in self.edges.iter().enumerate() {
            let [left, right] = e.faces.map(|f| signs.0[f as usize]);
            if left & right & DEEP != 0 {
                continue;
            }
            let mut changed = (left ^ right) & !DEEP;
            while changed != 0 {
                let k = changed.trailing_zeros() as usize;
                f(edge, k, left >> k & 1 == 1);
                changed &= changed - 1;
            }
        }
    }

    /// The vertex farthest along `d`; the first of equals.
    pub(super) fn farthest(&self, d: DVec3) -> DVec3 {
        let mut best = (f64::NEG_INFINITY, DVec3::ZERO);
        for v in self.vertices {
            let h = v.dot(d);
            if h > best.0 {
                best = (h, *v);
            }
        }
        best.1
    }

    /// Whether the projection of `p` onto a face lies inside it.
    pub(super) fn covers(&self, face: usize, p: DVec3) -> bool {
        let n = self.faces[face].normal;
        (0..self.edges.len()).all(|k| {
            let (from, along) = self.edge(k);
            let outward = along.cross(n).dot(p - from);
            match self.edges[k].faces.map(|f| f as usize == face) {
                [true, _] => outward <= 0.0,
                [_, true] => outward >= 0.0,
                _ => true,
            }
        })
    }
}

/// Crossing of the lines from `p` along `e` and from `q` along `u`, if it lies between the ends of both,
/// which are at multiples of 0 to 1.
pub(super) fn crossing((p, e): (DVec3, DVec3), (q, u): (DVec3, DVec3)) -> Option<[DVec3; 2]> {
    let (w, ee, uu, eu) = (q - p, e.dot(e), u.dot(u), e.dot(u));
    let det = ee * uu - eu * eu;
    let s = (w.dot(e) * uu - w.dot(u) * eu) / det;
    let t = (w.dot(e) * eu - w.dot(u) * ee) / det;
    let inside = |x: f64| (-BEYOND..=1.0 + BEYOND).contains(&x);
    (inside(s) && inside(t)).then(|| [p + e * s, q + u * t])
}
