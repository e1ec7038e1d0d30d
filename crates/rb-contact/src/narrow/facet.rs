//! Triangle of a surface against a convex shape: one-sided, and smooth over internal edges.
//!
//! A lone triangle would push a sliding body sideways where it meets the edge to the next triangle.
//! The normal at an edge is therefore confined to what the whole surface can do there: between the
//! two face normals at a convex edge, the face normal alone at a flat or concave one. A normal beyond
//! the neighbour's belongs to the neighbour, which reports its own contact.
//!
//! Behind the face nothing is reported while the shape is apart; a shape that cuts the triangle is
//! pushed to the front.

use super::axis::{Axis, axis, separation};
use super::clip::{self, Raw};
use super::{Apart, ContactPatch, Found, faces, hold, report};
use crate::convex::{Core, Facet, Placed};
use glam::DVec3;
use rb_core::anchor::Reference;

/// Cosine below which a normal is not the face's own.
pub(super) const ON_FACE: f64 = 1.0 - 1e-9;
/// Sine of the bend of an edge below which it counts as flat.
const FLAT: f64 = 1e-4;

/// Sine within which a normal and the neighbour's are the same.
const SAME: f64 = 1e-6;

/// What the surface around a triangle makes of a contact normal.
enum Verdict {
    Keep,
    UseFace,
    Drop,
}

/// Contact of a triangle (a) with a convex shape (b).
pub(crate) fn collide(
    tri: &Placed,
    facet: &Facet,
    b: &Placed,
    prediction: f64,
    out: &mut Vec<ContactPatch>,
) -> Found {
    let Core::Triangle(local) = tri.core else {
        return Err(Apart::by(prediction));
    };
    let face = tri.rot * facet.normal;
    if let Some(answer) = faces::over_triangle(tri, local, b, face, prediction, out) {
        return answer;
    }
    let axis = axis(tri, b, prediction)?;
    let gap = axis.core_gap() - tri.radius - b.radius;
    match judge(tri, local, facet, &axis, gap) {
        Verdict::Drop => Err(Apart::by(prediction)),
        Verdict::UseFace => over_face(tri, b, face, prediction, out),
        Verdict::Keep => {
            let first = out.len();
            let found = clip::contact(tri, b, &axis, prediction, out);
            if out[first..].iter().any(|p| p.normal.dot(face) < 0.0) {
                out.truncate(first);
                return over_face(tri, b, face, prediction, out);
            }
            found
        }
    }
}

/// Points straight over the triangle, under its own normal.
fn over_face(
    tri: &Placed,
    b: &Placed,
    face: DVec3,
    prediction: f64,
    out: &mut Vec<ContactPatch>,
) -> Found {
    let mut raw = Raw::new();
    if separation(tri, b, face) - tri.radius - b.radius <= prediction {
        clip::over(tri, b, face, Reference::FaceOfA, prediction, &mut raw);
    }
    let hold = hold::over_face(b, Reference::FaceOfA, &raw);
    report(face, hold, &raw, Apart::by(prediction), out)
}

fn judge(tri: &Placed, local: [DVec3; 3], facet: &Facet, axis: &Axis, gap: f64) -> Verdict {
    let face = tri.rot * facet.normal;
    let along = axis.normal.dot(face);
    if along >= ON_FACE {
        return Verdict::Keep;
    }
    if along <= 0.0 && gap <= 0.0 {
        return Verdict::UseFace;
    }
    if along < -1e-6 {
        return Verdict::Drop;
    }
    let v = local.map(|p| tri.rot * p + tri.at);
    let mut verdict = Verdict::Keep;
    let mut on_edge = false;
    for k in 0..3 {
        let edge = v[(k + 1) % 3] - v[k];
        let length = edge.length();
        let outward = edge.cross(face) / length;
        if outward.dot(axis.a - v[k]) < -1e-9 * length {
            continue;
        }
        on_edge = true;
        let lean = axis.normal.dot(outward);
        let Some(next) = facet.across[k] else {
            continue;
        };
        let next = tri.rot * next;
        let bend = next.dot(outward);
        if bend <= FLAT {
            return Verdict::UseFace;
        }
        // Both normals lie in the plane across the edge: compare their angles from the face's.
        // A normal that is the neighbour's to rounding may escape both; reported twice, it counts once.
        if lean * next.dot(face) > bend * along + SAME {
            verdict = Verdict::Drop;
        }
    }
    if on_edge { verdict } else { Verdict::UseFace }
}
