//! Distance between two convex cores in f64 (Gilbert, Johnson, Keerthi 1988).
//!
//! Works on the difference set D = {b − a}: its point nearest the origin is the shortest vector from
//! core a to core b. A simplex of support points of D shrinks onto that point; each round either
//! brings it closer, proves that no closer point exists, or proves that D contains the origin.

use super::Apart;
use crate::convex::Placed;
use glam::DVec3;

/// Support point of the difference set, with the point of core a that made it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vertex {
    /// b − a.
    pub(crate) w: DVec3,
    pub(crate) a: DVec3,
}

/// Up to four affinely independent support points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simplex {
    at: [Vertex; 4],
    len: usize,
}

impl core::ops::Deref for Simplex {
    type Target = [Vertex];

    fn deref(&self) -> &[Vertex] {
        &self.at[..self.len]
    }
}

impl Simplex {
    fn new(first: Vertex) -> Self {
        Self {
            at: [first; 4],
            len: 1,
        }
    }

    /// Keeps the vertices with a weight above zero, and gives the weights of those.
    fn keep(&mut self, weights: [f64; 4]) -> [f64; 4] {
        let mut kept = [0.0; 4];
        let mut len = 0;
        for k in 0..self.len {
            if weights[k] > 0.0 {
                (kept[len], self.at[len]) = (weights[k], self.at[k]);
                len += 1;
            }
        }
        self.len = len;
        kept
    }

    /// Weighted sum of one point of each vertex.
    fn sum(&self, weights: &[f64; 4], point: impl Fn(&Vertex) -> DVec3) -> DVec3 {
        weights
            .iter()
            .zip(&**self)
            .map(|(k, v)| point(v) * *k)
            .sum()
    }
}

/// How two cores lie to each other.
pub(crate) enum Proximity {
    /// Farther apart than asked for.
    Far(Apart),
    /// Apart; `a` and `b` are the closest points.
    Apart { a: DVec3, b: DVec3 },
    /// Touching to rounding error, or overlapping; the simplex (nearly) contains the origin.
    Touching(Simplex),
}

/// Rounds before the best answer so far is taken; curved shapes need about 20.
const ROUNDS: usize = 64;

/// Farthest point of the difference set along `d`.
#[inline]
pub(crate) fn support(a: &Placed, b: &Placed, d: DVec3) -> Vertex {
    let pa = a.support(-d);
    Vertex {
        w: b.support(d) - pa,
        a: pa,
    }
}

/// Closest points of two cores, unless they are farther apart than `max` (m).
pub(crate) fn closest(a: &Placed, b: &Placed, max: f64) -> Proximity {
    let guess = b.at - a.at;
    let guess = if guess == DVec3::ZERO {
        DVec3::X
    } else {
        guess
    };
    let mut simplex = Simplex::new(support(a, b, -guess));
    let mut weights = [1.0, 0.0, 0.0, 0.0];
    let mut v = simplex[0].w;
    let mut scale = v.length();
    for _ in 0..ROUNDS {
        let vv = v.length_squared();
        let length = vv.sqrt();
        if length <= 1e-10 * scale {
            return Proximity::Touching(simplex);
        }
        let new = support(a, b, -v);
        scale = scale.max(new.w.length());
        let vw = v.dot(new.w);
        if vw > max * length {
            return Proximity::Far(Apart::along(v / length, vw / length));
        }
        let known = simplex.iter().any(|s| s.w == new.w);
        // vv − vw bounds the error of the squared distance; below rounding there is nothing to gain.
        if known || vv - vw <= 1e-13 * vv + 4e-16 * scale * length {
            break;
        }
        simplex.at[simplex.len] = new;
        simplex.len += 1;
        let Some(next) = nearest(&simplex) else {
            return Proximity::Touching(simplex);
        };
        let nearer = simplex.sum(&next, |s| s.w);
        if nearer.length_squared() >= vv {
            simplex.len -= 1;
            break;
        }
        weights = simplex.keep(next);
        v = nearer;
    }
    let pa = simplex.sum(&weights, |s| s.a);
    Proximity::Apart { a: pa, b: pa + v }
}

/// Weights of the simplex's point nearest the origin, zero for vertices that do not carry it; `None`
/// when a tetrahedron contains the origin.
fn nearest(s: &Simplex) -> Option<[f64; 4]> {
    let w = s.at.map(|v| v.w);
    Some(match s.len {
        2 => on_segment([w[0], w[1]], [0, 1]),
        3 => on_triangle([w[0], w[1], w[2]], [0, 1, 2]),
        _ => on_tetrahedron(w)?,
    })
}

fn spread<const N: usize>(at: [usize; N], weights: [f64; N]) -> [f64; 4] {
    let mut out = [0.0; 4];
    for k in 0..N {
        out[at[k]] = weights[k];
    }
    out
}

fn on_segment([p, q]: [DVec3; 2], at: [usize; 2]) -> [f64; 4] {
    let d = q - p;
    let t = (-p.dot(d) / d.length_squared()).clamp(0.0, 1.0);
    let t = if t.is_nan() { 0.0 } else { t };
    spread(at, [1.0 - t, t])
}

/// Weights of the point of a triangle nearest the origin, by its Voronoi regions (Ericson 2005, 5.1.5).
pub(crate) fn on_triangle([p, q, r]: [DVec3; 3], at: [usize; 3]) -> [f64; 4] {
    let (pq, pr) = (q - p, r - p);
    let (d1, d2) = (-p.dot(pq), -p.dot(pr));
    if d1 <= 0.0 && d2 <= 0.0 {
        return spread(at, [1.0, 0.0, 0.0]);
    }
    let (d3, d4) = (-q.dot(pq), -q.dot(pr));
    if d3 >= 0.0 && d4 <= d3 {
        return spread(at, [0.0, 1.0, 0.0]);
    }
    let (d5, d6) = (-r.dot(pq), -r.dot(pr));
    if d6 >= 0.0 && d5 <= d6 {
        return spread(at, [0.0, 0.0, 1.0]);
    }
    // Twice the areas opposite each corner, by the triple products with the normal.
    let n = pq.cross(pr);
    let (u, v, w) = (n.dot(q.cross(r)), n.dot(r.cross(p)), n.dot(p.cross(q)));
    if w <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return on_segment([p, q], [at[0], at[1]]);
    }
    if v <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return on_segment([p, r], [at[0], at[2]]);
    }
    if u <= 0.0 && d4 >= d3 && d5 >= d6 {
        return on_segment([q, r], [at[1], at[2]]);
    }
    let sum = u + v + w;
    if sum <= 0.0 {
        // A sliver without area: its longest side stands for it.
        return on_segment([p, q], [at[0], at[1]]);
    }
    spread(at, [u / sum, v / sum, w / sum])
}

/// The point of a triangle nearest to `p`.
pub(crate) fn nearest_of_triangle(corners: [DVec3; 3], p: DVec3) -> DVec3 {
    let w = on_triangle(corners.map(|v| v - p), [0, 1, 2]);
    corners[0] * w[0] + corners[1] * w[1] + corners[2] * w[2]
}

/// Weights of the nearest point on the faces that separate the origin from the inside; `None` when
/// the origin is inside beyond doubt.
fn on_tetrahedron(w: [DVec3; 4]) -> Option<[f64; 4]> {
    let scale = w.iter().fold(0.0f64, |m, p| m.max(p.length()));
    let mut best: Option<(f64, [f64; 4])> = None;
    for [i, j, k, l] in [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 3, 1], [1, 2, 3, 0]] {
        let (u, v, up) = (w[j] - w[i], w[k] - w[i], w[l] - w[i]);
        let n = u.cross(v);
        let (inside, origin) = (n.dot(up), -n.dot(w[i]));
        // Rounding of the corners moves a volume by this much; a sign below it means nothing. Such
        // a face counts as separating: its nearest point is then the judge.
        let (lu, lv) = (u.length(), v.length());
        let noise = |h: f64| 1e-15 * scale * (lu * lv + (lu + lv) * h);
        let doubtful = inside.abs() <= noise(up.length()) || origin.abs() <= noise(w[i].length());
        if doubtful || origin * inside < 0.0 {
            let weights = on_triangle([w[i], w[j], w[k]], [i, j, k]);
            let p: DVec3 = (0..4).map(|m| w[m] * weights[m]).sum();
            let d = p.length_squared();
            if best.is_none_or(|(least, _)| d < least) {
                best = Some((d, weights));
            }
        }
    }
    best.map(|(_, weights)| weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::Core;
    use rb_core::math::{Pose, exp_rotation};

    #[test]
    fn corner_to_corner_distance_is_exact() {
        let half = DVec3::splat(0.5);
        let at = Pose::from_translation(DVec3::new(1.3, 1.4, 1.0 + 1e-3));
        let a = Placed::new(Core::Box(half), 0.0, &Pose::IDENTITY, DVec3::ZERO);
        let b = Placed::new(Core::Box(half), 0.0, &at, DVec3::ZERO);
        let Proximity::Apart { a: pa, b: pb } = closest(&a, &b, 10.0) else {
            panic!("boxes are apart");
        };
        assert!(((pb - pa) - DVec3::new(0.3, 0.4, 1e-3)).length() < 1e-14);
        assert!(
            matches!(closest(&a, &b, 0.4), Proximity::Far(d) if d.distance > 0.4 && d.distance < 0.51)
        );
    }

    #[test]
    fn curved_distance_converges_to_rounding() {
        let q = exp_rotation(DVec3::new(core::f64::consts::FRAC_PI_2, 0.0, 0.0));
        let core = Core::Cylinder {
            half: 0.5,
            radius: 0.3,
        };
        let a = Placed::new(core, 0.0, &Pose::IDENTITY, DVec3::ZERO);
        let b = Placed::new(
            core,
            0.0,
            &Pose::new(DVec3::new(0.8, 0.1, 0.05), q),
            DVec3::ZERO,
        );
        let Proximity::Apart { a: pa, b: pb } = closest(&a, &b, 1.0) else {
            panic!("cylinders are apart");
        };
        // Crossing axes: the common perpendicular is x.
        assert!(((pb - pa).length() - 0.2).abs() < 1e-12, "{}", pb - pa);
    }
}
