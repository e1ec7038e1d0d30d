//! A point or segment outside a polyhedron, in the frame of the polyhedron: balls and capsules on hulls.
//!
//! The face that separates best bounds the distance from below. If the lower end lies over it, that is
//! the distance. If not, the nearest place is mostly on the border of this face, which a look along the
//! line to it proves: nothing of the polyhedron reaches farther, nothing of the segment less far.

use super::{Apart, NEARER};
use crate::convex::{Core, Placed};
use crate::narrow::axis::{Axis, closest_on_lines};
use crate::polyhedron::Polyhedron;
use glam::DVec3;

/// Share of the size by which a proof may fail, and below which a distance has no direction.
const ROUNDING: f64 = 1e-12;

/// Direction of greatest separation of a polyhedron (a) and a point or segment (b), or how
/// far they are apart at least if that is more than `reach` (m); `None` if iteration has to find it.
pub(super) fn axis(
    a: &Placed,
    hull: &Polyhedron,
    b: &Placed,
    reach: f64,
) -> Option<Result<Axis, Apart>> {
    let half = match b.core {
        Core::Segment(h) => a.local(b.rot.y_axis * h),
        _ => DVec3::ZERO,
    };
    let middle = a.local(b.at - a.at);
    let (mut s, mut face) = (f64::NEG_INFINITY, 0);
    for (k, f) in hull.faces.iter().enumerate() {
        // The lower end is no higher than the middle, which lies low over most faces.
        let above = f.normal.dot(middle) - f.level;
        if above <= s {
            continue;
        }
        let height = above - f.normal.dot(half).abs();
        if height > s {
            (s, face) = (height, k);
        }
    }
    if s > reach {
        return Some(Err(Apart::along(a.rot * hull.faces[face].normal, s)));
    }
    let normal = hull.faces[face].normal;
    let end = middle - half * 1f64.copysign(normal.dot(half));
    let over = Axis {
        normal,
        a: end - normal * s,
        b: end,
    };
    // A point inside comes out by the nearest face. What a segment crosses is left to iteration.
    let inside = s <= 0.0 && half == DVec3::ZERO;
    let found = if inside || (s > 0.0 && covers(hull, face, end)) {
        over
    } else if s > 0.0 {
        at_border(hull, face, middle, half)?
    } else {
        return None;
    };
    Some(Ok(found.placed(a)))
}

/// Corners of a face in pairs, as they follow each other.
fn border(hull: &Polyhedron, face: usize) -> impl Iterator<Item = [DVec3; 2]> {
    let ring = hull.ring(face);
    let next = ring.iter().cycle().skip(1);
    let corners = ring.iter().zip(next);
    corners.map(|(i, j)| [i, j].map(|v| hull.vertices[*v as usize]))
}

/// Whether the projection of `x` onto a face lies inside it.
fn covers(hull: &Polyhedron, face: usize, x: DVec3) -> bool {
    let n = hull.faces[face].normal;
    border(hull, face).all(|[p, q]| (q - p).cross(n).dot(x - p) <= 0.0)
}

/// The segment's nearest point on the border of a face, if no other place is nearer.
fn at_border(hull: &Polyhedron, face: usize, middle: DVec3, half: DVec3) -> Option<Axis> {
    let mut best = (f64::INFINITY, [middle; 2]);
    for [p, q] in border(hull, face) {
        let (center, along) = (0.5 * (p + q), 0.5 * (q - p));
        let [x, y] = closest_on_lines(middle - center, along, half);
        let pair = [center + along * x, middle + half * y];
        let d = pair[0].distance_squared(pair[1]);
        if d < best.0 * (1.0 - NEARER) {
            best = (d, pair);
        }
    }
    let (distance, [a, b]) = (best.0.sqrt(), best.1);
    let least = ROUNDING * (hull.reach + middle.length());
    if distance <= least {
        return None;
    }
    let normal = (b - a) / distance;
    let farthest = hull.vertices[hull.farthest(normal)].dot(normal);
    let lowest = middle.dot(normal) - half.dot(normal).abs();
    (lowest - farthest >= distance - least).then_some(Axis { normal, a, b })
}
