//! A point or segment and a polyhedron.
//!
//! The face that separates best bounds the distance from below. If the lower end lies over it, that is
//! the distance. If not, the nearest place is mostly on the border of this face, which a look along the
//! line to it proves: nothing of the polyhedron reaches farther, nothing of the segment less far.

use super::{Line, Nearest};
use crate::narrow::Apart;
use crate::narrow::axis::closest_on_lines;
use crate::narrow::clip::BORDER;
use crate::narrow::sat::NEARER;
use crate::polyhedron::Polyhedron;
use glam::DVec3;

/// Share of the size by which a proof may fail, and below which a distance has no direction.
const ROUNDING: f64 = 1e-12;

/// Where a segment is nearest to a polyhedron, and the face that looks most that way; or how far they are apart at least
/// if that is more than `reach` (m). `None` if iteration has to find it.
pub(super) fn find(
    line: &Line,
    hull: &Polyhedron,
    reach: f64,
) -> Option<Result<(Nearest, usize), Apart>> {
    let (middle, along) = (line.middle, line.along);
    let (s, face) = hull.best_face(|n, level| n.dot(middle) - n.dot(along).abs() - level);
    let normal = hull.faces[face].normal;
    if s > reach {
        return Some(Err(Apart::along(-normal, s)));
    }
    let end = middle - along * 1f64.copysign(normal.dot(along));
    // A point inside comes out by the nearest face. What a segment crosses is left to iteration.
    let inside = s <= 0.0 && along == DVec3::ZERO;
    if inside || (s > 0.0 && covers(hull, face, end)) {
        let nearest = Nearest {
            x: end,
            on: end - normal * s,
            up: normal,
            distance: s,
        };
        return Some(Ok((nearest, face)));
    }
    if s <= 0.0 {
        return None;
    }
    let nearest = at_border(line, hull, face)?;
    let face = hull.facing(nearest.up);
    Some(Ok((nearest, face)))
}

/// The borders of a face, for [`within`](super::within).
pub(super) fn borders(
    line: &Line,
    hull: &Polyhedron,
    face: usize,
) -> impl Iterator<Item = [f64; 2]> {
    let normal = hull.faces[face].normal;
    border(hull, face).map(move |[p, q]| {
        let edge = q - p;
        // As long as the edge: heights are only compared with one another.
        let side = edge.cross(normal);
        let within = side.dot(p) + BORDER * edge.length_squared();
        [side.dot(line.middle) - within, side.dot(line.along)]
    })
}

/// Corners of a face in pairs, as they follow each other.
fn border(hull: &Polyhedron, face: usize) -> impl Iterator<Item = [DVec3; 2]> {
    let ring = hull.ring(face);
    let at = |v: &u32| hull.vertices[*v as usize];
    let mut last = ring.last().map_or(DVec3::ZERO, at);
    ring.iter().map(move |v| {
        let from = last;
        last = at(v);
        [from, last]
    })
}

/// Whether the projection of `x` onto a face lies inside it.
fn covers(hull: &Polyhedron, face: usize, x: DVec3) -> bool {
    let n = hull.faces[face].normal;
    border(hull, face).all(|[p, q]| (q - p).cross(n).dot(x - p) <= 0.0)
}

/// The segment's nearest place to the border of a face, if no other is nearer.
fn at_border(line: &Line, hull: &Polyhedron, face: usize) -> Option<Nearest> {
    let (middle, half) = (line.middle, line.along);
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
    let (distance, [on, x]) = (best.0.sqrt(), best.1);
    let least = ROUNDING * (hull.reach + middle.length());
    if distance <= least {
        return None;
    }
    let up = (x - on) / distance;
    let farthest = hull.vertices[hull.farthest(up)].dot(up);
    let lowest = middle.dot(up) - half.dot(up).abs();
    (lowest - farthest >= distance - least).then_some(Nearest {
        x,
        on,
        up,
        distance,
    })
}
