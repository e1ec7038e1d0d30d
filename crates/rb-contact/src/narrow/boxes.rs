//! Two boxes: the fifteen separating axes in f64, then the face clip or the pair of edges.
//!
//! Faces are preferred over edge pairs by the margins of [`FACE_PREFERENCE`], and a's faces over b's
//! by the second of them, without memory: the choice depends on the poses alone.
//! A separated pair whose axis carries no points (corner to corner) is left to the general path.

use super::axis::{Axis, FACE_PREFERENCE, Reference, slack};
use super::clip;
use super::{Outcome, PatchPoint, Points};
use crate::convex::Placed;
use glam::DVec3;

/// Best axis so far: separation (m), unit normal from a to b.
type Best = (f64, DVec3);

/// Contact of two boxes with half extents `ha`, `hb`; points with a gap of at most `prediction` (m).
pub(crate) fn collide(
    a: &Placed,
    ha: DVec3,
    b: &Placed,
    hb: DVec3,
    prediction: f64,
) -> Outcome<(DVec3, Points)> {
    let reach = prediction + a.radius + b.radius;
    let d = b.at - a.at;
    let (ua, ub) = (columns(a), columns(b));
    // r[i][j] = cosine between axis i of a and axis j of b.
    let r = ua.map(|u| ub.map(|v| u.dot(v)));
    let mut faces: [Option<Best>; 2] = [None; 2];
    for i in 0..3 {
        let across = d.dot(ua[i]);
        let s = across.abs() - ha[i] - (0..3).map(|j| hb[j] * r[i][j].abs()).sum::<f64>();
        if s > reach {
            return Outcome::Apart;
        }
        keep(&mut faces[0], s, ua[i] * 1f64.copysign(across));
        let across = d.dot(ub[i]);
        let s = across.abs() - hb[i] - (0..3).map(|j| ha[j] * r[j][i].abs()).sum::<f64>();
        if s > reach {
            return Outcome::Apart;
        }
        keep(&mut faces[1], s, ub[i] * 1f64.copysign(across));
    }
    let size = ha.min_element().min(hb.min_element());
    let [Some(fa), Some(fb)] = faces else {
        return Outcome::Undecided;
    };
    let (face, reference) = if fb.0 > fa.0 + FACE_PREFERENCE[1] * size {
        (fb, Reference::FaceOfB)
    } else {
        (fa, Reference::FaceOfA)
    };
    let Some(edge) = edges(d, [ha, hb], [ua, ub], &r, reach) else {
        return Outcome::Apart;
    };
    if edge.0 > face.0 + slack(a, b, face.0) {
        return match edge_point(a, ha, b, hb, edge.1) {
            Some(p) => Outcome::Touching((edge.1, [p].into_iter().collect())),
            None => Outcome::Undecided,
        };
    }
    let raw = clip::over(a, b, face.1, reference, prediction);
    let reached = face.0.max(edge.0) - a.radius - b.radius + slack(a, b, face.0);
    if raw.iter().any(|p| p.gap <= reached) {
        Outcome::Touching((face.1, clip::reduce(&raw)))
    } else {
        Outcome::Undecided
    }
}

fn columns(p: &Placed) -> [DVec3; 3] {
    [p.rot.x_axis, p.rot.y_axis, p.rot.z_axis]
}

fn keep(best: &mut Option<Best>, s: f64, n: DVec3) {
    if best.is_none_or(|(most, _)| s > most) {
        *best = Some((s, n));
    }
}

/// Best of the nine cross products; `None` when one of them separates by more than `reach`.
fn edges(
    d: DVec3,
    h: [DVec3; 2],
    u: [[DVec3; 3]; 2],
    r: &[[f64; 3]; 3],
    reach: f64,
) -> Option<Best> {
    let mut best = (f64::NEG_INFINITY, DVec3::Y);
    for i in 0..3 {
        for j in 0..3 {
            let sine2 = 1.0 - r[i][j] * r[i][j];
            // Parallel edges: the axis is no direction, and a face axis does its work.
            if sine2 < 1e-6 {
                continue;
            }
            let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
            let axis = u[0][i].cross(u[1][j]);
            let across = d.dot(axis);
            let width = h[0][i1] * r[i2][j].abs()
                + h[0][i2] * r[i1][j].abs()
                + h[1][j1] * r[i][j2].abs()
                + h[1][j2] * r[i][j1].abs();
            let sine = sine2.sqrt();
            let s = (across.abs() - width) / sine;
            if s > reach {
                return None;
            }
            if s > best.0 {
                best = (s, axis * (1f64.copysign(across) / sine));
            }
        }
    }
    Some(best)
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
    let (ua, ub) = (columns(a)[i], columns(b)[j]);
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
