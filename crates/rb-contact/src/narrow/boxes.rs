//! Two boxes: the fifteen separating axes in f64, then the face clip or the pair of edges.
//!
//! Faces are preferred over edge pairs by the margins of [`FACE_PREFERENCE`], and a's faces over b's
//! by the second of them, without memory: the choice depends on the poses alone.
//! A separated pair whose axis carries no points (corner to corner) has its axis found by iteration.
//! Everything is worked out in the frame of the box that has the face, where its borders are
//! coordinates.

mod over;
mod overlap;
mod seen;

use super::around::{EVEN, LEAN, beside};
use super::axis::{FACE_PREFERENCE, axis, slack};
use super::clip::{self, Raw};
use super::quad::{Quad, dispatch};
use super::{Apart, ContactPatch, Found, Outcome, PatchPoint, hold, report};
use crate::convex::Placed;
use crate::reach::Reach;
use glam::DVec3;
use over::{Face, Gaps, Pair};
use rb_core::anchor::{Hold, Reference};
use seen::{Seen, product};

/// The two axes after each.
pub(super) const NEXT: [(usize, usize); 3] = [(1, 2), (2, 0), (0, 1)];

/// Contact of two boxes with half extents `ha`, `hb`; points with a gap of at most `prediction` (m).
pub(crate) fn collide(
    a: &Placed,
    ha: DVec3,
    b: &Placed,
    hb: DVec3,
    reach: &Reach,
    out: &mut Vec<ContactPatch>,
) -> Found {
    let (boxes, half) = ([a, b], [ha, hb]);
    dispatch!(find(
        boxes: [&Placed; 2], half: [DVec3; 2], reach: &Reach, out: &mut Vec<ContactPatch>
    ) -> Found)
}

/// The same. Each way to a contact is written, and compiled, once: what decides between them takes less time than
/// fetching another copy.
#[inline(always)]
fn find<Q: Quad>(
    boxes: [&Placed; 2],
    half: [DVec3; 2],
    reach: &Reach,
    out: &mut Vec<ContactPatch>,
) -> Found {
    let [a, b] = boxes;
    let (radii, prediction) = (a.radius + b.radius, reach.most());
    let seen = Seen::<Q>::new(boxes);
    let ways = [seen.ways[0].vector(), -seen.ways[1].vector()];
    let [(ka, sa), (kb, sb)] = seen.faces(half);
    let (face_a, face_b) = (
        (ka, sign(ways[0].to_array()[ka])),
        (kb, sign(ways[1].to_array()[kb])),
    );
    let far = sa.max(sb) - radii;
    let along = || {
        if sb > sa {
            b.axis(kb) * -face_b.1
        } else {
            a.axis(ka) * face_a.1
        }
    };
    if reach.falls_short(far, along) {
        return Err(Apart::along(along(), far));
    }
    let size = half[0].min_element().min(half[1].min_element());
    let on_b = sb > sa + FACE_PREFERENCE[1] * size;
    let face = if on_b { sb } else { sa };
    let edge = seen.edges(half, face);
    if let Some(e) = &edge
        && reach.falls_short(e.s - radii, || a.rot * e.axis)
    {
        return Err(Apart::along(a.rot * e.axis, e.s - radii));
    }
    let slack = slack(a, b, face);
    let pair = Pair {
        boxes,
        half,
        turns: seen.turns(),
        ways,
    };
    let crossing = match edge {
        Some(edge) if edge.s > face + slack => {
            let n = a.rot * edge.axis;
            let along = [edge.axis, b.local(-n)];
            edge_point::<Q>(&pair, edge.of, n, along).map(|first| (n, along, first))
        }
        _ => {
            let best = edge.map_or(face, |e| e.s);
            let limits = [prediction, best - radii + slack];
            let (pair, face, reference) = if on_b {
                (pair.flipped(), face_b, Reference::FaceOfB)
            } else {
                (pair, face_a, Reference::FaceOfA)
            };
            if let Some(found) = face_contact::<Q>(&pair, face, reference, limits, out) {
                return found;
            }
            None
        }
    };
    closest_contact::<Q>(&pair, crossing, prediction, out)
}

/// Contact over a face of one box, that of `reference`: points with a gap of at most `prediction` (m); `None` if
/// none of them has one of at most `enough`.
#[inline(always)]
fn face_contact<Q: Quad>(
    pair: &Pair,
    face: Face,
    reference: Reference,
    [prediction, enough]: [f64; 2],
    out: &mut Vec<ContactPatch>,
) -> Outcome {
    let mut raw = Raw::new();
    let out_of_face = pair.out_of(face);
    let gaps = Gaps {
        along: out_of_face,
        slope: 1.0,
        limits: [f64::NEG_INFINITY, prediction],
    };
    pair.points::<Q>(face, reference, &gaps, |p| raw.push(p));
    let normal = if reference == Reference::FaceOfB {
        -out_of_face
    } else {
        out_of_face
    };
    raw.iter().any(|p| p.gap <= enough).then(|| {
        let hold = hold::over_face(pair.boxes[1], reference, &raw);
        report(normal, hold, &raw, Apart::by(prediction), out)
    })
}

fn sign(x: f64) -> f64 {
    1f64.copysign(x)
}

/// The largest coordinate, the first of equals. (Which one is anyone's guess, so there is no branch.)
pub(super) fn most(v: DVec3) -> (usize, f64) {
    let first = if v.y > v.x { v.y } else { v.x };
    let k = usize::from(v.y > v.x);
    let last = v.z > first;
    (if last { 2 } else { k }, if last { v.z } else { first })
}

/// Where two boxes come closest: the unit normal from a to b (world), along which each sees the other, and the point.
type Closest = (DVec3, [DVec3; 2], PatchPoint);

/// Contact of two edges at the `crossing`, or of boxes that come closest at a corner of one of them.
#[inline(always)]
fn closest_contact<Q: Quad>(
    pair: &Pair,
    crossing: Option<Closest>,
    prediction: f64,
    out: &mut Vec<ContactPatch>,
) -> Found {
    let [a, b] = pair.boxes;
    let (n, seen, first) = match crossing {
        Some(crossing) => crossing,
        None => {
            let axis = axis(a, b, prediction)?;
            let n = axis.normal;
            (n, [a.local(n), b.local(-n)], clip::witness(a, b, &axis))
        }
    };
    if first.gap > prediction {
        return Err(Apart::along(n, first.gap));
    }
    let mut raw = Raw::new();
    raw.push(first);
    let put = beside(first, a, b, prediction, &mut raw);
    let beside = around::<Q>(pair, n, seen, [first.gap, prediction], put);
    let hold = hold::closest([a, b], n, &[None; 2], beside, &raw);
    report(n, hold, &raw, Apart::by(prediction), out)
}

/// [`super::around::around`] for two boxes, as each sees the other and the way to it: the corners over
/// whichever face looks more along `n`, with gaps along it within `limits` (m).
#[inline(always)]
fn around<Q: Quad>(
    pair: &Pair,
    n: DVec3,
    seen: [DVec3; 2],
    limits: [f64; 2],
    put: impl FnMut(PatchPoint),
) -> Hold {
    let [(ka, on_a), (kb, on_b)] = seen.map(|n| most(n.abs()));
    let (pair, face, cosine, along, reference) = if on_a > LEAN && on_b <= on_a + EVEN {
        let face = (ka, sign(seen[0].to_array()[ka]));
        (*pair, face, on_a, n, Reference::BesideFaceOfA)
    } else if on_b > LEAN {
        let face = (kb, sign(seen[1].to_array()[kb]));
        (pair.flipped(), face, on_b, -n, Reference::BesideFaceOfB)
    } else {
        return Hold::NONE;
    };
    let gaps = Gaps {
        along,
        slope: 1.0 / cosine,
        limits,
    };
    pair.points::<Q>(face, reference, &gaps, put);
    Hold::beside_face(reference, pair.out_of(face))
}

/// Crossing point of the edges along axes i of a and j of b that face each other along `n`, which leads
/// along `na` and `nb` as either box sees it; `None` when the lines come closest beyond the end of an edge.
#[inline(always)]
fn edge_point<Q: Quad>(
    pair: &Pair,
    [i, j]: [usize; 2],
    n: DVec3,
    [na, nb]: [DVec3; 2],
) -> Option<PatchPoint> {
    let ([a, b], [ha, hb]) = (pair.boxes, pair.half);
    let middle = |h: DVec3, m: DVec3, k: usize| h.copysign(m) * (DVec3::ONE - DVec3::AXES[k]);
    // As a sees it.
    let along = &pair.turns[0][j][..3];
    let from = middle(ha, na, i);
    let way = product(&pair.axes::<Q>(), middle(hb, nb, j)).vector() + pair.ways[0] - from;
    let (c, wa, wb) = (
        along[i],
        way.to_array()[i],
        way.dot(DVec3::from_slice(along)),
    );
    let det = 1.0 - c * c;
    let s = (wa - c * wb) / det;
    let t = (c * wa - wb) / det;
    let limit = |h: DVec3, k: usize| h.to_array()[k] * (1.0 + 1e-9);
    let inside = s.abs() <= limit(ha, i) && t.abs() <= limit(hb, j);
    if !inside {
        return None;
    }
    let position_a = a.rot * (from + DVec3::AXES[i] * s + na * a.radius) + a.at;
    let gap = na.dot(way) - a.radius - b.radius;
    Some(PatchPoint {
        position_a,
        position_b: position_a + n * gap,
        gap,
        feature: clip::mix(edge_name(na, i), edge_name(nb, j)),
    })
}

/// Name of the edge along axis `k` that lies farthest along `m`. The sign of `m` along the edge is
/// rounding, so it has no part in it.
fn edge_name(m: DVec3, k: usize) -> u32 {
    let bit = |i: usize| u32::from(i != k && m[i] > 0.0) << i;
    k as u32 + 4 * (bit(0) | bit(1) | bit(2))
}

#[cfg(test)]
mod tests {
    use super::super::quad::Plain;
    use super::super::wave::{vector, wave};
    use super::*;
    use crate::convex::Core;
    use rb_core::math::{Pose, exp_rotation};

    /// Over placements of every kind: upright and turned, rounded and sharp, apart, touching and deep in each other.
    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        let (mut points, mut most) = (0, 0);
        for k in 0..20_000u32 {
            let tilt = [0.0, 1e-9, 1e-3, 0.3, 3.0][k as usize % 5];
            let pose = |k: u32| Pose::new(vector(k) * 1.2, exp_rotation(vector(k + 5) * tilt));
            let half = [3, 17].map(|i| DVec3::splat(0.8) + 0.5 * vector(i * k));
            let radius = if k % 7 == 0 { 0.1 } else { 0.0 };
            let placed =
                |i: usize, at: u32| Placed::new(Core::Box(half[i]), radius, &pose(at), DVec3::ZERO);
            let (a, b) = (placed(0, 29 * k), placed(1, 31 * k + 11));
            let prediction = 0.2 + 0.2 * wave(k);
            let [mut wide, mut plain] = [Vec::new(), Vec::new()];
            let reach = Reach::all(prediction);
            let found = collide(&a, half[0], &b, half[1], &reach, &mut wide);
            let same = find::<Plain>([&a, &b], half, &reach, &mut plain);
            // In writing, which tells all bits.
            assert_eq!(format!("{found:?} {wide:?}"), format!("{same:?} {plain:?}"));
            points += wide.iter().map(|p| p.points.len()).sum::<usize>();
            most = most.max(wide.first().map_or(0, |p| p.points.len()));
        }
        assert!(points > 20_000 && most == 4, "{points}");
    }
}
