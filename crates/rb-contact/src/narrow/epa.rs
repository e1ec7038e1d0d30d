//! Penetration of two overlapping convex cores in f64: expanding polytope (van den Bergen 2001).
//!
//! A polytope inside the difference set D = {b − a} grows at its face nearest the origin until that
//! face lies on the surface of D. Its outward normal is the direction of least penetration. Unlike a
//! distance vector, a face normal stays well conditioned when the cores merely touch.

use super::gjk::{Simplex, Vertex, on_triangle, support};
use crate::convex::Placed;
use glam::DVec3;
use rb_core::math::tangents;
use smallvec::SmallVec;

/// Rounds before the best face so far is taken.
const ROUNDS: usize = 96;

/// Least translation that separates two overlapping cores.
pub(crate) struct Penetration {
    /// Unit vector from a to b.
    pub(crate) normal: DVec3,
    /// Deepest points on the two cores: b − a = −depth · normal.
    pub(crate) a: DVec3,
    pub(crate) b: DVec3,
}

#[derive(Clone, Copy)]
struct Face {
    at: [usize; 3],
    /// Outward unit normal.
    normal: DVec3,
    /// Distance of the plane from the origin.
    height: f64,
}

struct Polytope {
    vertices: SmallVec<[Vertex; 32]>,
    faces: SmallVec<[Face; 64]>,
    scale: f64,
}

/// Deepest penetration, from a simplex whose hull (nearly) contains the origin.
pub(crate) fn penetration(a: &Placed, b: &Placed, simplex: Simplex) -> Penetration {
    let vertices = match inflate(a, b, simplex) {
        Ok(v) => v,
        Err(flat) => return flat,
    };
    let mut p = Polytope::new(vertices);
    let outside = p.outside();
    let mut nearest = p.nearest();
    // The support value of a direction is the depth along it, whatever became of the polytope.
    let mut best = (f64::INFINITY, nearest);
    for _ in 0..ROUNDS {
        let new = support(a, b, nearest.normal);
        p.scale = p.scale.max(new.w.length());
        let depth = new.w.dot(nearest.normal);
        if depth < best.0 {
            best = (depth, nearest);
        }
        // No direction is shallower than the nearest face: the answer lies in between.
        let settled = best.0 - nearest.height <= 1e-11 * p.scale;
        if settled || !p.expand(new, &nearest) {
            break;
        }
        let next = p.nearest();
        // The surface of a growing body moves away from a point inside, and no face of it leaves a
        // point farther outside than it was; otherwise rounding has folded the polytope. Cores that
        // merely touch start with the origin a little outside.
        let least = if nearest.height > 0.0 {
            nearest.height
        } else {
            -outside
        };
        if next.height < least - 1e-12 * p.scale {
            break;
        }
        nearest = next;
    }
    p.witness(&best.1, best.0)
}

/// Completes a simplex to a tetrahedron with volume. Its own vertices come first: they hold the
/// origin, which must not end up outside. A difference set without volume has no inside: its answer
/// is depth zero along its own normal, as the error value.
fn inflate(a: &Placed, b: &Placed, simplex: Simplex) -> Result<[Vertex; 4], Penetration> {
    let flat = |n: DVec3| {
        let n = if n.dot(b.at - a.at) < 0.0 { -n } else { n };
        Penetration {
            normal: n,
            a: simplex[0].a,
            b: simplex[0].a,
        }
    };
    let more = |directions: &[DVec3]| -> SmallVec<[Vertex; 6]> {
        let both = directions.iter().flat_map(|d| [*d, -*d]);
        both.map(|d| support(a, b, d)).collect()
    };
    let first = simplex[0];
    let tiny = 1e-9 * ((b.at - a.at).length() + a.core.reach() + b.core.reach());
    // More support points are looked for only where the simplex is flat.
    let pick = |directions: &[DVec3], measure: &dyn Fn(DVec3) -> f64| {
        let own = farthest(&simplex, measure, tiny);
        own.or_else(|| farthest(&more(directions), measure, tiny))
    };
    let second = pick(&DVec3::AXES, &|w| (w - first.w).length()).ok_or_else(|| flat(DVec3::Y))?;
    let u = (second.w - first.w).normalize();
    let sides = tangents(u);
    let third = pick(&sides, &|w| (w - first.w).cross(u).length()).ok_or_else(|| flat(sides[0]))?;
    let n = (second.w - first.w).cross(third.w - first.w).normalize();
    let fourth = pick(&[n], &|w| (w - first.w).dot(n).abs()).ok_or_else(|| flat(n))?;
    Ok([first, second, third, fourth])
}

/// The candidate of greatest measure, if it exceeds `tiny`; the first of equals.
fn farthest(candidates: &[Vertex], measure: &dyn Fn(DVec3) -> f64, tiny: f64) -> Option<Vertex> {
    let mut best = (tiny, None);
    for c in candidates {
        let m = measure(c.w);
        if m > best.0 {
            best = (m, Some(*c));
        }
    }
    best.1
}

/// Directed edges of a face.
fn edges([i, j, k]: [usize; 3]) -> [[usize; 2]; 3] {
    [[i, j], [j, k], [k, i]]
}

impl Polytope {
    fn new(v: [Vertex; 4]) -> Self {
        let mut p = Self {
            scale: v.iter().fold(0.0, |m, x| x.w.length().max(m)),
            vertices: v.into_iter().collect(),
            faces: SmallVec::new(),
        };
        let [o, x, y, z] = v.map(|k| k.w);
        let turned = (x - o).cross(y - o).dot(z - o) > 0.0;
        for f in [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]] {
            let [i, j, k] = f;
            p.push(if turned { [i, k, j] } else { f });
        }
        p
    }

    /// Adds a face; false when it has no area.
    fn push(&mut self, at: [usize; 3]) -> bool {
        let [p, q, r] = at.map(|i| self.vertices[i].w);
        let n = (q - p).cross(r - p);
        let length = n.length();
        if length <= 1e-20 * self.scale * self.scale {
            return false;
        }
        let normal = n / length;
        self.faces.push(Face {
            at,
            normal,
            height: normal.dot(p),
        });
        true
    }

    /// Distance of the origin from the polytope; 0 inside.
    fn outside(&self) -> f64 {
        if self.faces.iter().all(|f| f.height >= 0.0) {
            return 0.0;
        }
        self.faces.iter().fold(f64::INFINITY, |least, f| {
            let corners = f.at.map(|i| self.vertices[i].w);
            let weights = on_triangle(corners, [0, 1, 2]);
            let on: DVec3 = (0..3).map(|k| corners[k] * weights[k]).sum();
            least.min(on.length())
        })
    }

    fn nearest(&self) -> Face {
        self.faces[1..].iter().fold(
            self.faces[0],
            |m, f| if f.height < m.height { *f } else { m },
        )
    }

    /// Replaces the faces that see `new` by a fan around it, starting from `seed`, which does; false
    /// when rounding leaves no clean rim (the surface is then as good as known), and the polytope is
    /// of no further use.
    fn expand(&mut self, new: Vertex, seed: &Face) -> bool {
        let at = self.vertices.len();
        self.vertices.push(new);
        let tolerance = 1e-14 * self.scale;
        let sees = |f: &Face| f.normal.dot(new.w) - f.height > tolerance;
        let mut rim: SmallVec<[[usize; 2]; 32]> = SmallVec::new();
        self.faces.retain(|f| f.at != seed.at);
        rim.extend(edges(seed.at));
        // Across each edge of the rim: a neighbour that sees the point too moves the rim outward.
        // Walking keeps the hole in one piece; faces that only seem to see the point stay.
        let mut k = 0;
        while k < rim.len() {
            let [i, j] = rim[k];
            let across = |f: &Face| edges(f.at).contains(&[j, i]);
            match self.faces.iter().position(|f| across(f) && sees(f)) {
                Some(next) => {
                    let gone = self.faces.remove(next);
                    for e in edges(gone.at) {
                        match rim.iter().position(|r| *r == [e[1], e[0]]) {
                            Some(twin) => drop(rim.remove(twin)),
                            None => rim.push(e),
                        }
                    }
                    k = 0;
                }
                None => k += 1,
            }
        }
        rim.len() >= 3 && rim.into_iter().all(|[i, j]| self.push([i, j, at]))
    }

    /// Points of the cores under the origin's projection onto a face, `depth` apart.
    fn witness(&self, f: &Face, depth: f64) -> Penetration {
        // Triangles of one flat piece of the surface are equally near, and rounding picks any of them:
        // the one that holds the projection counts.
        let level = |g: &&Face| {
            g.normal.dot(f.normal) > 1.0 - 1e-12 && g.height - f.height < 1e-10 * self.scale
        };
        let pieces = self.faces.iter().filter(level).chain([f]);
        let weighed = pieces.map(|g| (g, self.weights(g)));
        let least = |w: &[f64; 3]| w[0].min(w[1]).min(w[2]);
        let inner = weighed.max_by(|x, y| least(&x.1).total_cmp(&least(&y.1)));
        let (face, weights) = inner.unwrap_or((f, [1.0, 0.0, 0.0]));
        let weights = weights.map(|w| w.max(0.0));
        let sum: f64 = weights.iter().sum();
        let a = (0..3).map(|k| self.vertices[face.at[k]].a * (weights[k] / sum));
        let a = a.sum();
        Penetration {
            normal: -f.normal,
            a,
            b: a + f.normal * depth,
        }
    }

    /// Barycentric coordinates of the origin's projection onto a face; they sum to 1.
    fn weights(&self, f: &Face) -> [f64; 3] {
        let p = f.normal * f.height;
        let [x, y, z] = f.at.map(|i| self.vertices[i].w - p);
        let areas = [y.cross(z), z.cross(x), x.cross(y)].map(|n| n.dot(f.normal));
        areas.map(|a| a / areas.iter().sum::<f64>())
    }
}

#[cfg(test)]
mod tests {
    use super::super::gjk::{Proximity, closest};
    use super::*;
    use crate::convex::Core;
    use rb_core::math::{Pose, exp_rotation};

    fn depth(a: Core<'_>, b: Core<'_>, pose: Pose) -> (f64, DVec3) {
        let a = Placed::new(a, 0.0, &Pose::IDENTITY, DVec3::ZERO);
        let b = Placed::new(b, 0.0, &pose, DVec3::ZERO);
        let Proximity::Touching(s) = closest(&a, &b, 1.0) else {
            panic!("the cores overlap");
        };
        let p = penetration(&a, &b, s);
        assert!((p.normal.length() - 1.0).abs() < 1e-12);
        ((p.b - p.a).dot(p.normal), p.normal)
    }

    #[test]
    fn boxes_are_pushed_out_of_the_nearest_face() {
        let half = Core::Box(DVec3::splat(0.5));
        for overlap in [0.0, 1e-12, 1e-6, 0.3] {
            let at = DVec3::new(0.1, 1.0 - overlap, -0.2);
            let (gap, n) = depth(half, half, Pose::from_translation(at));
            assert!((gap + overlap).abs() < 1e-12, "{gap} for {overlap}");
            assert!((n - DVec3::Y).length() < 1e-9);
        }
    }

    #[test]
    fn cylinders_are_pushed_apart_along_the_common_perpendicular() {
        let core = Core::Cylinder {
            half: 0.5,
            radius: 0.3,
        };
        let q = exp_rotation(DVec3::new(core::f64::consts::FRAC_PI_2, 0.0, 0.0));
        let (gap, n) = depth(core, core, Pose::new(DVec3::new(0.59, 0.1, 0.05), q));
        assert!((gap + 0.01).abs() < 1e-9, "{gap}");
        assert!((n - DVec3::X).length() < 1e-4, "{n}");
    }
}
