//! Triangle of a surface against a convex shape: one-sided, and smooth over internal edges.
//!
//! A lone triangle would push a sliding body sideways where it meets the edge to the next triangle.
//! The normal at an edge is therefore confined to what the whole surface can do there: between the
//! two face normals at a convex edge, the face normal alone at a flat or concave one. A normal beyond
//! the neighbour's belongs to the neighbour, which reports its own contact.
//!
//! Behind the face nothing is reported while the shape is apart; a shape that cuts the triangle is
//! pushed to the front.
//!
//! Most triangles near a shape do not touch it, or touch it with its lowest point over their face. Only what is
//! neither is given to the general search for an axis.

use super::axis::{Axis, FACE_PREFERENCE, axis};
use super::clip::{self, Raw};
use super::gjk::nearest_of_triangle;
use super::{Apart, ContactPatch, Found, Outcome, hold, report};
use crate::convex::{Core, Facet, Placed, Span};
use glam::{DMat3, DVec3};
use rb_core::anchor::Reference;

/// Cosine below which a normal is not the face's own.
pub(super) const ON_FACE: f64 = 1.0 - 1e-9;
/// Sine of the bend of an edge below which it counts as flat.
const FLAT: f64 = 1e-4;

/// Sine within which a normal and the neighbour's are the same.
const SAME: f64 = 1e-6;

/// A triangle of a surface where it stands.
struct Triangle<'a> {
    placed: &'a Placed<'a>,
    facet: &'a Facet,
    corners: [DVec3; 3],
    /// Unit normal of the side it pushes to.
    face: DVec3,
    /// Out across the edges i → i + 1, in the plane and as long as they are (m).
    outward: [DVec3; 3],
}

impl<'a> Triangle<'a> {
    fn new(placed: &'a Placed, corners: &[DVec3; 3], facet: &'a Facet) -> Self {
        let v = corners.map(|p| p + placed.at);
        let face = facet.normal;
        Self {
            placed,
            facet,
            corners: v,
            face,
            outward: [v[1] - v[0], v[2] - v[1], v[0] - v[2]].map(|edge| edge.cross(face)),
        }
    }

    /// From a corner to the next (m).
    fn edge(&self, k: usize) -> DVec3 {
        self.corners[(k + 1) % 3] - self.corners[k]
    }

    /// Whether a point lies straight beyond an edge.
    fn is_beyond(&self, k: usize, p: DVec3) -> bool {
        self.outward[k].dot(p - self.corners[k]) > 0.0
    }
}

/// What the surface around a triangle makes of a contact normal.
enum Verdict {
    Keep,
    UseFace,
    Drop,
}

/// A triangle that may be turned, along the axes it is placed in, with its corners `turned`.
pub(crate) fn straight<'a>(
    tri: &Placed<'a>,
    facet: &Facet,
    turned: &'a mut [DVec3; 3],
) -> (Placed<'a>, Facet) {
    let core = match tri.core {
        Core::Triangle(corners) => {
            *turned = corners.map(|p| tri.rot * p);
            Core::Triangle(turned)
        }
        other => other,
    };
    let placed = Placed {
        core,
        rot: DMat3::IDENTITY,
        ..*tri
    };
    let facet = Facet {
        normal: tri.rot * facet.normal,
        across: facet.across.map(|n| n.map(|n| tri.rot * n)),
    };
    (placed, facet)
}

/// Contact of a [straight] triangle (a) with a convex shape (b).
pub(crate) fn collide(
    tri: &Placed,
    facet: &Facet,
    b: &Placed,
    prediction: f64,
    out: &mut Vec<ContactPatch>,
) -> Found {
    let Core::Triangle(corners) = tri.core else {
        return Err(Apart::by(prediction));
    };
    let t = Triangle::new(tri, corners, facet);
    let radii = tri.radius + b.radius;
    let level = t.corners[0].dot(t.face);
    let span = b.span(t.face);
    let gap = span.low - level - radii;
    if gap > prediction {
        return Err(Apart::by(gap));
    }
    let behind = span.high + b.radius < level + tri.radius;
    if behind {
        return Err(Apart::by(prediction));
    }
    if let Some(settled) = near_face(&t, b, &span, gap, prediction, out) {
        return settled;
    }
    let axis = axis(tri, b, prediction)?;
    match judge(&t, &axis, axis.core_gap() - radii) {
        Verdict::Drop => Err(Apart::by(prediction)),
        Verdict::UseFace => over_face(&t, b, prediction, out),
        Verdict::Keep => {
            let first = out.len();
            let found = clip::contact(tri, b, &axis, prediction, out);
            if out[first..].iter().any(|p| p.normal.dot(t.face) < 0.0) {
                out.truncate(first);
                return over_face(&t, b, prediction, out);
            }
            found
        }
    }
}

/// Contact with a shape that has a `span` along the face and a `gap` (m) to its plane: over the face if its lowest
/// point is, none if it is farther than `prediction` (m) or the neighbours' business.
fn near_face(
    t: &Triangle,
    b: &Placed,
    span: &Span,
    gap: f64,
    prediction: f64,
    out: &mut Vec<ContactPatch>,
) -> Outcome {
    let over = !(0..3).any(|k| t.is_beyond(k, span.lowest));
    if !over && is_elsewhere(t, b, span.lowest, prediction) {
        return Some(Err(Apart::by(prediction)));
    }
    // Deeper than this the face may be the wrong way out.
    if gap < -0.5 * (b.core.inner_radius() + b.radius) {
        return None;
    }
    let tolerance = FACE_PREFERENCE[1] * (b.core.reach() + b.radius);
    let level = span.next <= span.low + tolerance;
    if !over && !level {
        return None;
    }
    let raw = match b.core {
        Core::Point => {
            Raw::from_iter([clip::witness(t.placed, b, &straight_under(t, span.lowest))])
        }
        _ => points_over(t, b, prediction),
    };
    let settles = raw.iter().any(|p| p.gap <= gap + tolerance);
    settles.then(|| tell(t, b, &raw, prediction, out))
}

/// From the place on the face straight under a point to it.
fn straight_under(t: &Triangle, p: DVec3) -> Axis {
    Axis {
        normal: t.face,
        a: p - t.face * t.face.dot(p - t.corners[0]),
        b: p,
    }
}

/// Whether a shape with its `lowest` point beside the triangle can be told to be farther away than `prediction` (m), or
/// nearer to a neighbour.
fn is_elsewhere(t: &Triangle, b: &Placed, lowest: DVec3, prediction: f64) -> bool {
    let reach = prediction + t.placed.radius + b.radius;
    if let Core::Box(half) = b.core {
        let [p, q, r] = t.corners.map(|p| b.local(p - b.at));
        let (low, high) = (p.min(q).min(r), p.max(q).max(r));
        if (low.max(-high) - half).max_element() > reach {
            return true;
        }
    }
    let middle = b.rot * b.core.middle() + b.at;
    if (0..3).any(|k| is_across(t, k, b, [lowest, middle])) {
        return true;
    }
    // Behind the place nearest to the middle lies all of the triangle.
    let nearest = nearest_of_triangle(t.corners, middle);
    let way = middle - nearest;
    let apart = (b.support(-way) - nearest).dot(way);
    apart > 0.0 && apart * apart > reach * reach * way.length_squared()
}

/// Whether the core of b, some points of which are `known`, lies all across an edge that is not sharp: straight beyond
/// it, and beyond the plane through it along the neighbour's normal. A normal at the edge is then the neighbour's. (Beside
/// an obtuse corner it may be nearer to another edge, but never touch it.)
fn is_across(t: &Triangle, k: usize, b: &Placed, known: [DVec3; 2]) -> bool {
    let Some(next) = t.facet.across[k] else {
        return false;
    };
    let blunt = next.dot(t.face) > 0.0;
    if !(blunt && known.iter().all(|p| t.is_beyond(k, *p))) {
        return false;
    }
    let all_beyond = |side: DVec3| (b.support(-side) - t.corners[k]).dot(side) > 0.0;
    let convex = next.dot(t.outward[k]) > 0.0;
    all_beyond(t.outward[k]) && (!convex || all_beyond(t.edge(k).cross(next)))
}

/// Contact straight over the triangle, under its own normal.
fn over_face(t: &Triangle, b: &Placed, prediction: f64, out: &mut Vec<ContactPatch>) -> Found {
    tell(t, b, &points_over(t, b, prediction), prediction, out)
}

fn points_over(t: &Triangle, b: &Placed, prediction: f64) -> Raw {
    let (mut raw, side) = (Raw::new(), Reference::FaceOfA);
    clip::over(t.placed, b, t.face, side, prediction, &mut raw);
    raw
}

fn tell(
    t: &Triangle,
    b: &Placed,
    raw: &Raw,
    prediction: f64,
    out: &mut Vec<ContactPatch>,
) -> Found {
    let hold = hold::over_face(b, Reference::FaceOfA, raw);
    report(t.face, hold, raw, Apart::by(prediction), out)
}

fn judge(t: &Triangle, axis: &Axis, gap: f64) -> Verdict {
    let along = axis.normal.dot(t.face);
    if along >= ON_FACE {
        return Verdict::Keep;
    }
    if along <= 0.0 && gap <= 0.0 {
        return Verdict::UseFace;
    }
    if along < -1e-6 {
        return Verdict::Drop;
    }
    let mut verdict = Verdict::Keep;
    let mut on_edge = false;
    for k in 0..3 {
        let length = t.edge(k).length();
        let outward = t.outward[k] / length;
        if outward.dot(axis.a - t.corners[k]) < -1e-9 * length {
            continue;
        }
        on_edge = true;
        let lean = axis.normal.dot(outward);
        let Some(next) = t.facet.across[k] else {
            continue;
        };
        let bend = next.dot(outward);
        if bend <= FLAT {
            return Verdict::UseFace;
        }
        // Both normals lie in the plane across the edge: compare their angles from the face's.
        // A normal that is the neighbour's to rounding may escape both; reported twice, it counts once.
        if lean * next.dot(t.face) > bend * along + SAME {
            verdict = Verdict::Drop;
        }
    }
    if on_edge { verdict } else { Verdict::UseFace }
}

#[cfg(test)]
mod tests {
    use super::super::wave::{vector, wave};
    use super::*;
    use crate::polyhedron::Polyhedron;
    use rb_core::math::{Pose, exp_rotation};

    /// Bent by up to 75° at each edge, up and down.
    fn facet(corners: [DVec3; 3], k: u32) -> Facet {
        let across = |i: usize| {
            let axis = (corners[(i + 1) % 3] - corners[i]).normalize();
            let bend = exp_rotation(axis * (1.3 * wave(k + i as u32)));
            (wave(k + 7 * i as u32) < 0.8).then_some(bend * DVec3::Y)
        };
        Facet {
            normal: DVec3::Y,
            across: [0, 1, 2].map(across),
        }
    }

    #[test]
    fn what_is_elsewhere_would_not_touch() {
        let corners = [DVec3::X, DVec3::NEG_Z, DVec3::new(-0.7, 0.0, 0.6)];
        let cloud: Vec<DVec3> = (0..14).map(|k| 0.6 * vector(3 * k + 7)).collect();
        let hull = Polyhedron::from_points(&cloud).unwrap();
        let tri = Placed::new(Core::Triangle(&corners), 0.0, &Pose::IDENTITY, DVec3::ZERO);
        let half = DVec3::new(0.5, 0.3, 0.4);
        let mut told = 0;
        for core in [
            Core::Point,
            Core::Segment(0.4),
            Core::Box(half),
            Core::Poly(&hull),
        ] {
            let radius = if core.is_polyhedral() { 0.0 } else { 0.3 };
            for k in 0..10_000 {
                let pose = Pose::new(1.5 * vector(5 * k + 1), exp_rotation(3.0 * vector(7 * k)));
                let b = Placed::new(core, radius, &pose, DVec3::ZERO);
                let facet = facet(corners, 11 * k);
                let t = Triangle::new(&tri, &corners, &facet);
                let lowest = b.span(DVec3::Y).lowest;
                let over = !(0..3).any(|k| t.is_beyond(k, lowest));
                if over || !is_elsewhere(&t, &b, lowest, 0.2) {
                    continue;
                }
                told += 1;
                let Ok(axis) = axis(&tri, &b, 0.2) else {
                    continue;
                };
                let mut found = Vec::new();
                let touches = match judge(&t, &axis, axis.core_gap() - radius) {
                    Verdict::Drop => false,
                    Verdict::UseFace => over_face(&t, &b, 0.2, &mut found).is_ok(),
                    Verdict::Keep => true,
                };
                assert!(!touches, "{k}: {core:?} {axis:?} {facet:?}");
            }
        }
        assert!(told > 10_000, "{told}");
    }
}
