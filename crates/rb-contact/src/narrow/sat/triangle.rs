//! A polyhedron or segment against a triangle, whose edges have half a circle of normals each.

use super::solid::{Best, DEEP, Moved, Place, Signs, Solid, crossing};
use super::{PARALLEL, least};
use crate::convex::{Core, Placed};
use crate::narrow::Apart;
use crate::narrow::axis::{Axis, closest_on_lines};
use crate::narrow::gjk::nearest_of_triangle;
use glam::DVec3;

/// A polyhedron or segment (a) against a triangle (b), in the frame of a.
pub(super) fn with_triangle(
    a: &Placed,
    b: &Placed,
    corners: &[DVec3; 3],
    reach: f64,
) -> Option<Result<Axis, Apart>> {
    let mut moved = Moved::default();
    let solid = Solid::own(a.core, &mut moved)?;
    let t = corners.map(|v| a.local(b.rot * v + (b.at - a.at)));
    let front = (t[1] - t[0]).cross(t[2] - t[0]).normalize_or_zero();
    let mut signs = Signs::default();
    // Most faces of a body look away from it.
    let on = nearest_of_triangle(t, a.core.middle());
    let mut best = triangle_faces(&solid, t, front, on, reach, &mut signs);
    if best.s > reach {
        return Some(Err(Apart::by(best.s)));
    }
    triangle_edges(&solid, t, front, &signs, &mut best);
    if best.s > reach {
        return Some(Err(Apart::by(best.s)));
    }
    let found = triangle_axis(&solid, t, front, best).or_else(|| match a.core {
        Core::Segment(h) if best.s > 0.0 => nearest_on_triangle(h, t),
        _ => None,
    });
    found.map(|axis| Ok(axis.placed(a)))
}

/// The closest or deepest points of a solid and a triangle along the best direction; `None` if they
/// are elsewhere.
fn triangle_axis(solid: &Solid, t: [DVec3; 3], front: DVec3, best: Best) -> Option<Axis> {
    let n = best.n;
    let [pa, pb] = match best.place {
        Place::Face(f) => {
            let lowest = |m: DVec3, v: DVec3| if v.dot(n) < m.dot(n) { v } else { m };
            let p = t[1..].iter().fold(t[0], |m, v| lowest(m, *v));
            (best.s <= 0.0 || solid.covers(f, p)).then_some([p - n * best.s, p])?
        }
        Place::Other => {
            let p = solid.farthest(n);
            let beyond = |k: usize| (t[(k + 1) % 3] - t[k]).cross(front).dot(p - t[k]) > 0.0;
            let inside = !(0..3).any(beyond);
            (best.s <= 0.0 || inside).then_some([p, p + n * best.s])?
        }
        Place::Edges(edge, k) => crossing(solid.edge(edge), (t[k], t[(k + 1) % 3] - t[k]))?,
    };
    Some(Axis {
        normal: n,
        a: pa,
        b: pb,
    })
}

/// Share of the squared distance by which a pair has to be nearer to be taken for the nearest: rounding
/// does not choose among equals.
pub(in crate::narrow) const NEARER: f64 = 1e-9;

/// The closest points of a segment along y, of half length `h`, and a triangle that it does not meet:
/// at an edge, or at an end of the segment.
fn nearest_on_triangle(h: f64, t: [DVec3; 3]) -> Option<Axis> {
    let half = DVec3::Y * h;
    let at_edge = |k: usize| {
        let along = 0.5 * (t[(k + 1) % 3] - t[k]);
        let middle = t[k] + along;
        let [x, y] = closest_on_lines(middle, half, along);
        [half * x, middle + along * y]
    };
    let at_end = |end: DVec3| [end, nearest_of_triangle(t, end)];
    let pairs = [
        at_edge(0),
        at_edge(1),
        at_edge(2),
        at_end(-half),
        at_end(half),
    ];
    let mut best = (f64::INFINITY, pairs[0]);
    for pair in pairs {
        let d = pair[0].distance_squared(pair[1]);
        if d < best.0 * (1.0 - NEARER) {
            best = (d, pair);
        }
    }
    let [a, b] = best.1;
    Some(Axis {
        normal: (b - a).try_normalize()?,
        a,
        b,
    })
}

/// The face normal of the solid or the triangle with unit normal `front` that separates best, or one that
/// does by more than `reach` (m); and on which side of each face the edges of the triangle lead, and behind
/// which `on`, a point of it, is [`DEEP`].
fn triangle_faces(
    solid: &Solid,
    t: [DVec3; 3],
    front: DVec3,
    on: DVec3,
    reach: f64,
    signs: &mut Signs,
) -> Best {
    let mut best = Best::NONE;
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for v in solid.vertices {
        let h = front.dot(*v);
        low = if h < low { h } else { low };
        high = if h > high { h } else { high };
    }
    let level = front.dot(t[0]);
    best.offer(low - level, -front, Place::Other);
    best.offer(level - high, front, Place::Other);
    for ((f, face), signs) in solid.faces.iter().enumerate().zip(signs.iter_mut()) {
        let n = face.normal;
        let [p, q, r] = t.map(|v| n.dot(v));
        best.offer(least(least(p, q), r) - face.level, n, Place::Face(f));
        if best.s > reach {
            return best;
        }
        let deep = n.dot(on) - face.level <= least(best.s, 0.0);
        *signs = u8::from(q > p) | u8::from(r > q) << 1 | u8::from(p > r) << 2;
        if deep {
            *signs |= DEEP;
        }
    }
    best
}

/// The edges of the solid and of the triangle that separate better than the best so far.
fn triangle_edges(solid: &Solid, t: [DVec3; 3], front: DVec3, signs: &Signs, best: &mut Best) {
    let sides = [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let mut measure = |edge: usize, k: usize, positive: bool| {
        let (p, e) = solid.edge(edge);
        // Beyond the edge of the triangle, not behind it.
        if (e.dot(front) > 0.0) != positive {
            return;
        }
        let across = e.cross(sides[k]);
        let m = if positive { across } else { -across };
        let length2 = m.length_squared();
        if length2 >= PARALLEL * e.length_squared() * sides[k].length_squared() {
            best.offer_scaled(m.dot(t[k] - p), || m, length2, Place::Edges(edge, k));
        }
    };
    if solid.faces.is_empty() {
        // A segment has normals all round.
        (0..3).for_each(|k| measure(0, k, solid.edge(0).1.dot(front) > 0.0));
    } else {
        solid.turning(signs, measure);
    }
}
