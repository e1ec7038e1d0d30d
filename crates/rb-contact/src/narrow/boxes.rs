//! Two boxes: the fifteen separating axes in f64, then the face clip or the pair of edges.
//!
//! Faces are preferred over edge pairs by the margins of [`FACE_PREFERENCE`], and a's faces over b's
//! by the second of them, without memory: the choice depends on the poses alone.
//! A separated pair whose axis carries no points (corner to corner) has its axis found by iteration.
//! Everything is worked out in the frame of the box that has the face, where its borders are
//! coordinates.

mod over;
mod overlap;

use super::around::{EVEN, LEAN, beside};
use super::axis::{FACE_PREFERENCE, axis, slack};
use super::clip::{self, Raw};
use super::{Apart, ContactPatch, Found, Outcome, PatchPoint, hold, report};
use crate::convex::Placed;
use glam::{DMat3, DVec3, Vec3Swizzles};
use over::{Face, Gaps, Pair};
use rb_core::anchor::{Hold, Reference};

/// Squared sine of the angle between two edges below which they count as parallel.
const PARALLEL: f64 = 1e-6;

/// The two axes after each.
pub(super) const NEXT: [(usize, usize); 3] = [(1, 2), (2, 0), (0, 1)];

/// Contact of two boxes with half extents `ha`, `hb`; points with a gap of at most `prediction` (m).
pub(crate) fn collide(
    a: &Placed,
    ha: DVec3,
    b: &Placed,
    hb: DVec3,
    prediction: f64,
    out: &mut Vec<ContactPatch>,
) -> Found {
    let radii = a.radius + b.radius;
    let reach = prediction + radii;
    let d = b.at - a.at;
    // Axes of b in the frame of a, and what they reach along the axes of a.
    let turn = a.rot.transpose() * b.rot;
    let spread = DMat3::from_cols(turn.x_axis.abs(), turn.y_axis.abs(), turn.z_axis.abs());
    let (da, db) = (a.local(d), b.local(d));
    let [(ka, sa), (kb, sb)] = across_faces([da, db], [ha, hb], &spread);
    if sa.max(sb) > reach {
        let along = if sb > sa {
            b.axis(kb) * sign(db.to_array()[kb])
        } else {
            a.axis(ka) * sign(da.to_array()[ka])
        };
        return Err(Apart::along(along, sa.max(sb) - radii));
    }
    let size = ha.min_element().min(hb.min_element());
    let on_b = sb > sa + FACE_PREFERENCE[1] * size;
    let face = if on_b { sb } else { sa };
    let edge = edges(da, [ha, hb], &turn, &spread, face);
    if let Some(e) = &edge
        && e.s > reach
    {
        return Err(Apart::along(a.rot * e.axis, e.s - radii));
    }
    let slack = slack(a, b, face);
    let pair = Pair {
        boxes: [a, b],
        half: [ha, hb],
        turn,
        ways: [da, -db],
    };
    let mut best = face;
    if let Some(edge) = edge {
        best = edge.s;
        if best > face + slack {
            return edge_contact(&pair, &edge, prediction, out);
        }
    }
    let limits = [prediction, best - radii + slack];
    let found = if on_b {
        let side = (kb, sign(-db.to_array()[kb]));
        face_contact(&pair.flipped(), side, Reference::FaceOfB, limits, out)
    } else {
        let side = (ka, sign(da.to_array()[ka]));
        face_contact(&pair, side, Reference::FaceOfA, limits, out)
    };
    found.unwrap_or_else(|| corner_contact(&pair, prediction, out))
}

/// Of either box the face that separates best: number of the axis across it, and separation (m). The way from a
/// to b and the half extents are in the frame of each.
fn across_faces([da, db]: [DVec3; 2], [ha, hb]: [DVec3; 2], spread: &DMat3) -> [(usize, f64); 2] {
    [
        most(da.abs() - ha - *spread * hb),
        most(db.abs() - hb - spread.transpose() * ha),
    ]
}

/// Contact over a face of one box, that of `reference`: points with a gap of at most `prediction` (m); `None` if
/// none of them has one of at most `enough`.
fn face_contact(
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
    pair.points(face, reference, &gaps, |p| raw.push(p));
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

/// Axis number i of box a and number j of box b: separation (m) along their cross product, and its unit
/// vector from a to b in the frame of a.
struct Edges {
    of: [usize; 2],
    s: f64,
    axis: DVec3,
}

/// Best of the nine cross products if it separates better than `least` (m).
fn edges(
    d: DVec3,
    [ha, hb]: [DVec3; 2],
    turn: &DMat3,
    spread: &DMat3,
    least: f64,
) -> Option<Edges> {
    let cols = |m: &DMat3| [m.x_axis, m.y_axis, m.z_axis];
    let (turn, spread, hb) = (cols(turn), cols(spread), hb.to_array());
    // All axes i at once, and no branch before the best is known. With s the separation times the sine between the
    // edges, s|s|/sine² orders as s/sine does, and takes no root.
    let mut ranks = [f64::NEG_INFINITY; 9];
    for j in 0..3 {
        let (j1, j2) = NEXT[j];
        let (v, wide) = (turn[j], spread[j]);
        let width = ha.zxy() * wide.yzx()
            + ha.yzx() * wide.zxy()
            + spread[j2] * hb[j1]
            + spread[j1] * hb[j2];
        let s = v.cross(d).abs() - width;
        let sine2 = DVec3::ONE - v * v;
        let rank = (s * s.abs() / sine2).to_array();
        for (i, sine2) in sine2.to_array().into_iter().enumerate() {
            // Parallel edges: the axis is no direction, and a face axis does its work.
            let is_axis = sine2 >= PARALLEL;
            ranks[3 * j + i] = if is_axis { rank[i] } else { f64::NEG_INFINITY };
        }
    }
    let greater = |x: f64, y: f64| if y > x { y } else { x };
    let rank = ranks.into_iter().fold(least * least.abs(), greater);
    let bits = ranks.iter().rev();
    let bits = bits.fold(0u32, |bits, r| 2 * bits + u32::from(*r == rank));
    let first = bits.trailing_zeros() as usize;
    // None is better.
    if first >= ranks.len() {
        return None;
    }
    let (j, i) = (first / 3, first % 3);
    let across = DVec3::AXES[i].cross(turn[j]).normalize();
    Some(Edges {
        of: [i, j],
        s: rank.abs().sqrt().copysign(rank),
        axis: across * sign(across.dot(d)),
    })
}

/// Contact of two edges that face each other.
fn edge_contact(pair: &Pair, edges: &Edges, prediction: f64, out: &mut Vec<ContactPatch>) -> Found {
    let [a, b] = pair.boxes;
    let n = a.rot * edges.axis;
    let seen = [edges.axis, b.local(-n)];
    match edge_point(pair, edges.of, n, seen) {
        Some(first) => at_closest(pair, n, seen, first, prediction, out),
        None => corner_contact(pair, prediction, out),
    }
}

/// Contact of boxes that come closest at a corner of one of them.
fn corner_contact(pair: &Pair, prediction: f64, out: &mut Vec<ContactPatch>) -> Found {
    let [a, b] = pair.boxes;
    let axis = axis(a, b, prediction)?;
    let n = axis.normal;
    let seen = [a.local(n), b.local(-n)];
    let first = clip::witness(a, b, &axis);
    at_closest(pair, n, seen, first, prediction, out)
}

/// Contact at the closest points `first` under the unit normal `n` from a to b, which leads along `seen` as
/// each box sees the way to the other.
fn at_closest(
    pair: &Pair,
    n: DVec3,
    seen: [DVec3; 2],
    first: PatchPoint,
    prediction: f64,
    out: &mut Vec<ContactPatch>,
) -> Found {
    if first.gap > prediction {
        return Err(Apart::along(n, first.gap));
    }
    let [a, b] = pair.boxes;
    let mut raw = Raw::new();
    raw.push(first);
    let put = beside(first, a, b, prediction, &mut raw);
    let beside = around(pair, n, seen, [first.gap, prediction], put);
    let hold = hold::closest([a, b], n, &[None; 2], beside, &raw);
    report(n, hold, &raw, Apart::by(prediction), out)
}

/// [`super::around::around`] for two boxes, as each sees the other and the way to it: the corners over
/// whichever face looks more along `n`, with gaps along it within `limits` (m).
fn around(
    pair: &Pair,
    n: DVec3,
    seen: [DVec3; 2],
    limits: [f64; 2],
    put: impl FnMut(PatchPoint),
) -> Hold {
    let [(ka, on_a), (kb, on_b)] = seen.map(|n| most(n.abs()));
    let over = |pair: &Pair, face: Face, cosine: f64, along: DVec3, reference: Reference| {
        let gaps = Gaps {
            along,
            slope: 1.0 / cosine,
            limits,
        };
        pair.points(face, reference, &gaps, put);
        Hold::beside_face(reference, pair.out_of(face))
    };
    if on_a > LEAN && on_b <= on_a + EVEN {
        let face = (ka, sign(seen[0].to_array()[ka]));
        over(pair, face, on_a, n, Reference::BesideFaceOfA)
    } else if on_b > LEAN {
        let face = (kb, sign(seen[1].to_array()[kb]));
        over(&pair.flipped(), face, on_b, -n, Reference::BesideFaceOfB)
    } else {
        Hold::NONE
    }
}

/// Crossing point of the edges along axes i of a and j of b that face each other along `n`, which leads
/// along `na` and `nb` as either box sees it; `None` when the lines come closest beyond the end of an edge.
fn edge_point(
    pair: &Pair,
    [i, j]: [usize; 2],
    n: DVec3,
    [na, nb]: [DVec3; 2],
) -> Option<PatchPoint> {
    let ([a, b], [ha, hb]) = (pair.boxes, pair.half);
    let middle = |h: DVec3, m: DVec3, k: usize| h.copysign(m) * (DVec3::ONE - DVec3::AXES[k]);
    // As a sees it.
    let along = pair.turn.to_cols_array_2d()[j];
    let from = middle(ha, na, i);
    let way = pair.turn * middle(hb, nb, j) + pair.ways[0] - from;
    let (c, wa, wb) = (along[i], way.to_array()[i], way.dot(along.into()));
    let det = 1.0 - c * c;
    let s = (wa - c * wb) / det;
    let t = (c * wa - wb) / det;
    let limit = |h: DVec3, k: usize| h.to_array()[k] * (1.0 + 1e-9);
    let inside = s.abs() <= limit(ha, i) && t.abs() <= limit(hb, j);
    inside.then(|| {
        let position_a = a.rot * (from + DVec3::AXES[i] * s + na * a.radius) + a.at;
        let gap = na.dot(way) - a.radius - b.radius;
        PatchPoint {
            position_a,
            position_b: position_a + n * gap,
            gap,
            feature: clip::mix(edge_name(na, i), edge_name(nb, j)),
        }
    })
}

/// Name of the edge along axis `k` that lies farthest along `m`. The sign of `m` along the edge is
/// rounding, so it has no part in it.
fn edge_name(m: DVec3, k: usize) -> u32 {
    let bit = |i: usize| u32::from(i != k && m[i] > 0.0) << i;
    k as u32 + 4 * (bit(0) | bit(1) | bit(2))
}
