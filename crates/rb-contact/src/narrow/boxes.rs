//! Two boxes: the fifteen separating axes in f64, then the face clip or the pair of edges.
//!
//! Faces are preferred over edge pairs by the margins of [`FACE_PREFERENCE`], and a's faces over b's
//! by the second of them, without memory: the choice depends on the poses alone.
//! A separated pair whose axis carries no points (corner to corner) has its axis found by iteration.
//! Everything is worked out in the frame of the box that has the face, where its borders are
//! coordinates.

use super::around::{EVEN, LEAN, beside};
use super::axis::{Axis, FACE_PREFERENCE, axis, slack};
use super::clip::{self, Raw};
use super::ring::Ring;
use super::{Apart, ContactPatch, Found, Outcome, PatchPoint, hold, report};
use crate::convex::{CORNERS, Placed};
use glam::{DMat3, DVec3, Vec3Swizzles};
use rb_core::anchor::{Hold, Reference};

/// Squared sine of the angle between two edges below which they count as parallel.
const PARALLEL: f64 = 1e-6;

/// The two axes after each.
const NEXT: [(usize, usize); 3] = [(1, 2), (2, 0), (0, 1)];

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
            b.rot.col(kb) * sign(db[kb])
        } else {
            a.rot.col(ka) * sign(da[ka])
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
    let over_a = || Pair::new([a, b], [ha, hb], turn, da);
    let over_b = || Pair::new([b, a], [hb, ha], turn.transpose(), -db);
    let mut best = face;
    if let Some(edge) = edge {
        best = edge.s;
        if best > face + slack {
            return edge_contact([&over_a(), &over_b()], &edge, prediction, out);
        }
    }
    let limits = [prediction, best - radii + slack];
    let found = if on_b {
        let side = (kb, sign(-db[kb]));
        face_contact(&over_b(), side, Reference::FaceOfB, limits, out)
    } else {
        let side = (ka, sign(da[ka]));
        face_contact(&over_a(), side, Reference::FaceOfA, limits, out)
    };
    found.unwrap_or_else(|| corner_contact([&over_a(), &over_b()], prediction, out))
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
// Called, it would have either pair put into memory first.
#[inline(always)]
fn face_contact(
    pair: &Pair,
    face: Face,
    reference: Reference,
    [prediction, enough]: [f64; 2],
    out: &mut Vec<ContactPatch>,
) -> Outcome {
    let mut raw = Raw::new();
    let put = |p: PatchPoint| {
        if p.gap <= prediction {
            raw.push(p);
        }
    };
    let normal = if reference == Reference::FaceOfB {
        -pair.face(face, clip::of_b(put))
    } else {
        pair.face(face, put)
    };
    raw.iter().any(|p| p.gap <= enough).then(|| {
        let hold = hold::over_face(pair.o, reference, &raw);
        report(normal, hold, &raw, Apart::by(prediction), out)
    })
}

fn sign(x: f64) -> f64 {
    1f64.copysign(x)
}

/// The largest coordinate, the first of equals.
fn most(v: DVec3) -> (usize, f64) {
    let first = if v.y > v.x { (1, v.y) } else { (0, v.x) };
    if v.z > first.1 { (2, v.z) } else { first }
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
    // All axes i at once. With s the separation times the sine between the edges, s|s|/sine² orders as
    // s/sine does, and takes no root.
    let mut best = (least * least.abs(), None);
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
            if (sine2 >= PARALLEL) & (rank[i] > best.0) {
                best = (rank[i], Some([i, j]));
            }
        }
    }
    let (rank, Some(of @ [i, j])) = best else {
        return None;
    };
    let across = DVec3::AXES[i].cross(turn[j]).normalize();
    Some(Edges {
        of,
        s: rank.abs().sqrt().copysign(rank),
        axis: across * sign(across.dot(d)),
    })
}

/// A box `f` that may have the face, and another `o`: half extents, and the axes and the place of o in
/// the frame of f.
struct Pair<'a> {
    f: &'a Placed<'a>,
    hf: DVec3,
    o: &'a Placed<'a>,
    ho: DVec3,
    turn: DMat3,
    d: DVec3,
}

/// A face of f: the axis across it, and its direction.
type Face = (usize, f64);

impl<'a> Pair<'a> {
    fn new([f, o]: [&'a Placed<'a>; 2], [hf, ho]: [DVec3; 2], turn: DMat3, d: DVec3) -> Self {
        Self {
            f,
            hf,
            o,
            ho,
            turn,
            d,
        }
    }

    /// Calls `put` with the points of o over a face of f; position a is on f. Returns the outward normal
    /// of the face (world).
    fn face(&self, (k, up): Face, mut put: impl FnMut(PatchPoint)) -> DVec3 {
        let normal = self.f.rot.col(k) * up;
        let rings = [&mut Ring::default(), &mut Ring::default()];
        let ring = self.above((k, up), 1.0, rings);
        for (on_other, gap, feature) in self.placed(ring, (k, up)) {
            put(PatchPoint {
                position_a: on_other - normal * gap,
                position_b: on_other,
                gap,
                feature,
            });
        }
        normal
    }

    /// What of o lies above a face of f; it ends in one of two empty rings. The borders of the face are
    /// taken in the order that begins with direction `first` of the second axis after the one across it.
    fn above<'r>(
        &self,
        (k, up): Face,
        first: f64,
        [mut ring, mut spare]: [&'r mut Ring; 2],
    ) -> &'r Ring {
        let (u, v) = NEXT[k];
        let [x, y] = [u, v].map(|axis| self.hf[axis] * (1.0 + 2.0 * clip::BORDER));
        self.facing((k, up), ring);
        let [low, high] = ring.bounds();
        let [start, end] = if first > 0.0 {
            [high.y, -low.y]
        } else {
            [-low.y, high.y]
        };
        if start > y {
            ring.cut(spare, |p| first * p.y - y, 0);
            core::mem::swap(&mut ring, &mut spare);
        }
        if -low.x > x {
            ring.cut(spare, |p| -p.x - x, 1);
            core::mem::swap(&mut ring, &mut spare);
        }
        if end > y {
            ring.cut(spare, |p| -first * p.y - y, 2);
            core::mem::swap(&mut ring, &mut spare);
        }
        if high.x > x {
            ring.cut(spare, |p| p.x - x, 3);
            core::mem::swap(&mut ring, &mut spare);
        }
        ring
    }

    /// Places on o (world axes) of what lies above a face of f, heights above it, and names.
    fn placed(&self, ring: &Ring, (k, up): Face) -> impl Iterator<Item = (DVec3, f64, u32)> {
        let (f, radius) = (self.f, self.o.radius);
        let (u, v) = NEXT[k];
        let [u, v, across] = [u, v, k].map(|axis| f.rot.col(axis));
        let start = f.at - across * (up * radius);
        let level = self.hf[k] + f.radius + radius;
        ring.corners().map(move |(p, feature)| {
            let place = u * p.x + v * p.y + across * p.z + start;
            (place, up * p.z - level, feature & !clip::FACE_OF_B)
        })
    }

    /// Puts into an empty ring the face of o that looks most against a face of f; corners are named by
    /// their sign bits.
    fn facing(&self, (k, up): Face, ring: &mut Ring) {
        let (u, v) = NEXT[k];
        let turn = self.turn.to_cols_array_2d();
        let seen = |p: [f64; 3]| DVec3::new(p[u], p[v], p[k]);
        let toward = DVec3::new(turn[0][k], turn[1][k], turn[2][k]) * -up;
        let (axis, _) = most(toward.abs());
        let (i, j) = NEXT[axis];
        let (h, out) = (self.ho.to_array(), sign(toward[axis]));
        let middle = seen(self.d.to_array()) + seen(turn[axis]) * (out * h[axis]);
        let (along_i, along_j) = (seen(turn[i]) * h[i], seen(turn[j]) * (out * h[j]));
        let bit = |k: usize, positive: bool| u32::from(positive) << k;
        for [s, t] in CORNERS {
            let name = bit(axis, out > 0.0) | bit(i, s > 0.0) | bit(j, t * out > 0.0);
            ring.push((middle + along_i * s + along_j * t, name));
        }
    }
}

/// Contact of two edges that face each other, the boxes as each sees the other.
fn edge_contact(
    [a, b]: [&Pair; 2],
    edges: &Edges,
    prediction: f64,
    out: &mut Vec<ContactPatch>,
) -> Found {
    let n = a.f.rot * edges.axis;
    let seen = [edges.axis, b.f.local(-n)];
    match edge_point(a, edges.of, n, seen) {
        Some(first) => at_closest([a, b], n, seen, first, prediction, out),
        None => corner_contact([a, b], prediction, out),
    }
}

/// Contact of boxes that come closest at a corner of one of them.
fn corner_contact([a, b]: [&Pair; 2], prediction: f64, out: &mut Vec<ContactPatch>) -> Found {
    let axis = axis(a.f, b.f, prediction)?;
    let n = axis.normal;
    let seen = [a.f.local(n), b.f.local(-n)];
    let first = clip::witness(a.f, b.f, &axis);
    at_closest([a, b], n, seen, first, prediction, out)
}

/// Contact at the closest points `first` under the unit normal `n` from a to b, which leads along `seen` as
/// each box sees the way to the other.
fn at_closest(
    [a, b]: [&Pair; 2],
    n: DVec3,
    seen: [DVec3; 2],
    first: PatchPoint,
    prediction: f64,
    out: &mut Vec<ContactPatch>,
) -> Found {
    if first.gap > prediction {
        return Err(Apart::along(n, first.gap));
    }
    let mut raw = Raw::new();
    raw.push(first);
    let put = beside(first, a.f, b.f, prediction, &mut raw);
    let beside = around([a, b], n, seen, first.gap, put);
    let hold = hold::closest([a.f, b.f], n, &[None; 2], beside, &raw);
    report(n, hold, &raw, Apart::by(prediction), out)
}

/// [`super::around::around`] for two boxes, as each sees the other and the way to it: the corners over
/// whichever face looks more along `n`, with gaps along it of at least `least` (m).
fn around(
    [a, b]: [&Pair; 2],
    n: DVec3,
    seen: [DVec3; 2],
    least: f64,
    put: impl FnMut(PatchPoint),
) -> Hold {
    let [on_a, on_b] = seen.map(|n| {
        let (k, cosine) = most(n.abs());
        (k, sign(n[k]), cosine)
    });
    if on_a.2 > LEAN && on_b.2 <= on_a.2 + EVEN {
        let face = slanted(a, on_a, n, least, put);
        Hold::beside_face(Reference::BesideFaceOfA, face)
    } else if on_b.2 > LEAN {
        let face = slanted(b, on_b, -n, least, clip::of_b(put));
        Hold::beside_face(Reference::BesideFaceOfB, face)
    } else {
        Hold::NONE
    }
}

/// Points of o over the face of f across an axis (number, direction, cosine of the angle to n), with
/// gaps along `n` of at least `least` (m). Returns the outward normal of the face (world).
fn slanted(
    pair: &Pair,
    (k, up, cosine): (usize, f64, f64),
    n: DVec3,
    least: f64,
    mut put: impl FnMut(PatchPoint),
) -> DVec3 {
    let rings = [&mut Ring::default(), &mut Ring::default()];
    let ring = pair.above((k, up), up, rings);
    for (on_other, height, feature) in pair.placed(ring, (k, up)) {
        let gap = (height / cosine).max(least);
        put(PatchPoint {
            position_a: on_other - n * gap,
            position_b: on_other,
            gap,
            feature,
        });
    }
    pair.f.rot.col(k) * up
}

/// Crossing point of the edges along axes i of a and j of b that face each other along `n`, which leads
/// along `na` and `nb` as either box sees it; `None` when the lines come closest beyond the end of an edge.
fn edge_point(
    pair: &Pair,
    [i, j]: [usize; 2],
    n: DVec3,
    [na, nb]: [DVec3; 2],
) -> Option<PatchPoint> {
    let (a, ha, b, hb) = (pair.f, pair.hf, pair.o, pair.ho);
    let middle = |h: DVec3, m: DVec3, k: usize| h.copysign(m) * (DVec3::ONE - DVec3::AXES[k]);
    let (ua, ub) = (a.rot.col(i), b.rot.col(j));
    let pa = a.rot * middle(ha, na, i) + a.at;
    let pb = b.rot * middle(hb, nb, j) + b.at;
    let w = pb - pa;
    let c = ua.dot(ub);
    let det = 1.0 - c * c;
    let s = (w.dot(ua) - c * w.dot(ub)) / det;
    let t = (c * w.dot(ua) - w.dot(ub)) / det;
    let inside = s.abs() <= ha[i] * (1.0 + 1e-9) && t.abs() <= hb[j] * (1.0 + 1e-9);
    let axis = Axis {
        normal: n,
        a: pa + ua * s,
        b: pb + ub * t,
    };
    inside.then(|| {
        let feature = clip::mix(edge_name(na, i), edge_name(nb, j));
        PatchPoint {
            feature,
            ..clip::witness(a, b, &axis)
        }
    })
}

/// Name of the edge along axis `k` that lies farthest along `m`. The sign of `m` along the edge is
/// rounding, so it has no part in it.
fn edge_name(m: DVec3, k: usize) -> u32 {
    let bit = |i: usize| u32::from(i != k && m[i] > 0.0) << i;
    k as u32 + 4 * (bit(0) | bit(1) | bit(2))
}
