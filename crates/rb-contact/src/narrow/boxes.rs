//! Two boxes: the fifteen separating axes in f64, then the face clip or the pair of edges.
//!
//! Faces are preferred over edge pairs by the margins of [`FACE_PREFERENCE`], and a's faces over b's
//! by the second of them, without memory: the choice depends on the poses alone.
//! A separated pair whose axis carries no points (corner to corner) is left to the general path.
//! Everything is worked out in the frame of the box that has the face, where its borders are
//! coordinates.

use super::around::around;
use super::axis::{Axis, FACE_PREFERENCE, slack};
use super::clip::{self, Raw};
use super::{ContactPatch, Outcome, PatchPoint};
use crate::convex::{Corner, Feature, Placed};
use glam::{DMat3, DVec3};
use rb_core::anchor::Reference;

/// Squared sine of the angle between two edges below which they count as parallel.
const PARALLEL: f64 = 1e-6;

/// Contact of two boxes with half extents `ha`, `hb`; points with a gap of at most `prediction` (m).
pub(crate) fn collide(a: &Placed, ha: DVec3, b: &Placed, hb: DVec3, prediction: f64) -> Outcome {
    let radii = a.radius + b.radius;
    let reach = prediction + radii;
    let d = b.at - a.at;
    // Axes of b in the frame of a, and what they reach along the axes of a.
    let turn = a.rot.transpose() * b.rot;
    let spread = DMat3::from_cols(turn.x_axis.abs(), turn.y_axis.abs(), turn.z_axis.abs());
    let (da, db) = (a.local(d), b.local(d));
    let (ka, sa) = most(da.abs() - ha - spread * hb);
    let (kb, sb) = most(db.abs() - hb - spread.transpose() * ha);
    if sa.max(sb) > reach {
        return Some(Err(sa.max(sb) - radii));
    }
    let size = ha.min_element().min(hb.min_element());
    let on_b = sb > sa + FACE_PREFERENCE[1] * size;
    let face = if on_b { sb } else { sa };
    let edge = edges(da, [ha, hb], &turn, &spread, face);
    let best = edge.map_or(face, |e| e.0);
    if best > reach {
        return Some(Err(best - radii));
    }
    let slack = slack(a, b, face);
    if let Some((s, axis)) = edge
        && s > face + slack
    {
        return edge_contact(a, ha, b, hb, a.rot * axis, prediction);
    }
    let raw = if on_b {
        let mut raw = over(b, hb, a, ha, &turn.transpose(), -db, kb, prediction);
        for p in &mut raw {
            core::mem::swap(&mut p.position_a, &mut p.position_b);
            p.feature |= clip::FACE_OF_B;
        }
        raw
    } else {
        over(a, ha, b, hb, &turn, da, ka, prediction)
    };
    if !raw.iter().any(|p| p.gap <= best - radii + slack) {
        return None;
    }
    let (normal, reference, other) = if on_b {
        (b.rot.col(kb) * sign(db[kb]), Reference::FaceOfB, a)
    } else {
        (a.rot.col(ka) * sign(da[ka]), Reference::FaceOfA, b)
    };
    let reference = clip::settled(other, reference, &raw);
    Some(Ok(ContactPatch::new(normal, reference, clip::reduce(&raw))))
}

fn sign(x: f64) -> f64 {
    1f64.copysign(x)
}

/// The largest coordinate, the first of equals.
fn most(v: DVec3) -> (usize, f64) {
    (1..3).fold((0, v.x), |m, k| if v[k] > m.1 { (k, v[k]) } else { m })
}

/// Best of the nine cross products if it separates better than `least` (m): separation and unit axis
/// from a to b in the frame of a.
fn edges(
    d: DVec3,
    [ha, hb]: [DVec3; 2],
    turn: &DMat3,
    spread: &DMat3,
    least: f64,
) -> Option<(f64, DVec3)> {
    let mut best = (least, None);
    for j in 0..3 {
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        let (v, wide) = (turn.col(j), spread.col(j));
        for i in 0..3 {
            let sine2 = 1.0 - v[i] * v[i];
            // Parallel edges: the axis is no direction, and a face axis does its work.
            if sine2 < PARALLEL {
                continue;
            }
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            // Along the cross product of axis i of a with axis j of b, of length sine.
            let across = d[i2] * v[i1] - d[i1] * v[i2];
            let width = ha[i1] * wide[i2]
                + ha[i2] * wide[i1]
                + hb[j1] * spread.col(j2)[i]
                + hb[j2] * spread.col(j1)[i];
            let s = across.abs() - width;
            // s/sine > best without the root, which few pairs need.
            let square = best.0 * best.0 * sine2;
            let better = if best.0 >= 0.0 {
                s > 0.0 && s * s > square
            } else {
                s >= 0.0 || s * s < square
            };
            if better {
                let sine = sine2.sqrt();
                let mut axis = DVec3::ZERO;
                axis[i1] = -v[i2];
                axis[i2] = v[i1];
                best = (s / sine, Some(axis * (sign(across) / sine)));
            }
        }
    }
    best.1.map(|axis| (best.0, axis))
}

/// Points of box `o` over the face of box `f` across its axis `k`; `turn` and `d` are the axes and
/// the place of o in the frame of f. Position a of a point is on f.
#[expect(
    clippy::too_many_arguments,
    reason = "two boxes, and how they lie to each other"
)]
fn over(
    f: &Placed,
    hf: DVec3,
    o: &Placed,
    ho: DVec3,
    turn: &DMat3,
    d: DVec3,
    k: usize,
    prediction: f64,
) -> Raw {
    let up = sign(d[k]);
    let mut ring = facing(ho, turn, d, k, up);
    let (u, v) = ((k + 1) % 3, (k + 2) % 3);
    for (plane, (axis, side)) in [(v, 1.0), (u, -1.0), (v, -1.0), (u, 1.0)]
        .into_iter()
        .enumerate()
    {
        let limit = hf[axis] * (1.0 + 2.0 * clip::BORDER);
        clip::cut(&mut ring, |p| side * p[axis] - limit, plane as u32);
    }
    let normal = f.rot.col(k) * up;
    let mut raw = Raw::new();
    for (p, feature) in ring {
        let gap = up * p[k] - hf[k] - f.radius - o.radius;
        if gap <= prediction {
            let on_other = f.rot * p + f.at - normal * o.radius;
            raw.push(PatchPoint {
                position_a: on_other - normal * gap,
                position_b: on_other,
                gap,
                feature: feature & !clip::FACE_OF_B,
            });
        }
    }
    raw
}

/// Face of box `o` that looks most against direction `up` of axis `k` of the other box, in whose frame
/// it is given; corners are named by their sign bits.
fn facing(h: DVec3, turn: &DMat3, d: DVec3, k: usize, up: f64) -> Feature {
    let toward = turn.row(k) * -up;
    let (axis, _) = most(toward.abs());
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let out = sign(toward[axis]);
    let middle = d + turn.col(axis) * (out * h[axis]);
    let (along_u, along_v) = (turn.col(u) * h[u], turn.col(v) * (out * h[v]));
    let bit = |k: usize, positive: bool| u32::from(positive) << k;
    let corner = |[s, t]: [f64; 2]| -> Corner {
        let name = bit(axis, out > 0.0) | bit(u, s > 0.0) | bit(v, t * out > 0.0);
        (middle + along_u * s + along_v * t, name)
    };
    [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]]
        .into_iter()
        .map(corner)
        .collect()
}

/// Contact of the two edges that face each other along the unit vector `n`.
fn edge_contact(
    a: &Placed,
    ha: DVec3,
    b: &Placed,
    hb: DVec3,
    n: DVec3,
    prediction: f64,
) -> Outcome {
    match edge_point(a, ha, b, hb, n) {
        Some(p) if p.gap <= prediction => {
            let points = around(a, b, n, p, prediction);
            Some(Ok(ContactPatch::new(n, Reference::Neither, points)))
        }
        Some(p) => Some(Err(p.gap)),
        None => None,
    }
}

/// Crossing point of the two edges that face each other along `n`; `None` when the lines come
/// closest beyond the end of an edge.
fn edge_point(a: &Placed, ha: DVec3, b: &Placed, hb: DVec3, n: DVec3) -> Option<PatchPoint> {
    let (na, nb) = (a.local(n), b.local(-n));
    // The edge runs along the axis most perpendicular to the normal.
    let along = |m: DVec3| {
        let m = m.abs();
        (1..3).fold(0, |k, i| if m[i] < m[k] { i } else { k })
    };
    let (i, j) = (along(na), along(nb));
    let middle = |h: DVec3, m: DVec3, k: usize| {
        let mut p = h.copysign(m);
        p[k] = 0.0;
        p
    };
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
