//! A polyhedron, triangle or segment against a box or triangle: every axis that can separate best, in
//! closed form.
//!
//! The separation of two polyhedra is greatest along a face normal of either, or across an edge of
//! each whose normals have a direction in common (the arcs between their faces' normals cross:
//! Gregorius 2013). A box has edges along three axes, whose arcs are whole circles, and a triangle has
//! three edges with half a circle each, so that few pairs of edges are left to be measured.
//!
//! Equation   along m = ±e × u for an edge from p along e between the faces n₁ and n₂ and an edge from
//!            q along u: n₁·u and n₂·u differ in sign, m has that of n₁·u, s = m·(q − p)/|m|
//!
//! Most edges of a polyhedron lie on its far side: the nearest point of the other shape lies behind both faces there
//! by more than the shapes overlap along some face normal, and then no direction between those two separates them
//! better.
//!
//! The greatest separation is the answer when it is negative; when it is positive, only if the features
//! that made it are the closest ones. A segment beside a triangle is measured against each of its edges;
//! all else is left to iteration. Points and segments outside a box or polyhedron: [`round`](super::round).

mod solid;
mod triangle;

use super::axis::{Axis, FACE_PREFERENCE, faces, iterate, slack};
use super::clip::{self, Raw};
use super::{Apart, ContactPatch, Outcome, report};
use crate::convex::{Core, Placed};
use crate::polyhedron::Face;
use crate::reach::Reach;
use glam::DVec3;
use rb_core::anchor::{Hold, Reference};
use solid::{BEYOND, Best, DEEP, Moved, Place, Signs, Solid, crossing};
use triangle::with_triangle;

pub(super) use triangle::NEARER;

/// Squared sine of the angle between two edges below which they count as parallel.
const PARALLEL: f64 = 1e-6;

/// Direction of greatest separation of two cores, or how far they are apart at least if that is more than
/// `reach` (m); `None` if iteration has to find it.
pub(super) fn axis(a: &Placed, b: &Placed, reach: f64) -> Option<Result<Axis, Apart>> {
    let flip = |found: Result<Axis, Apart>| found.map(Axis::flipped).map_err(Apart::flipped);
    match (a.core, b.core) {
        (Core::Segment(_), Core::Box(h)) => segment_box(a, b, h, reach),
        (Core::Box(h), Core::Segment(_)) => segment_box(b, a, h, reach).map(flip),
        (Core::Segment(_), Core::Triangle(t)) => with_triangle(a, b, t, reach),
        (Core::Triangle(t), Core::Segment(_)) => with_triangle(b, a, t, reach).map(flip),
        _ if a.radius + b.radius > 0.0 => None,
        (Core::Poly(_) | Core::Triangle(_), Core::Box(h)) => with_box(a, b, h, reach),
        (Core::Box(h), Core::Poly(_) | Core::Triangle(_)) => with_box(b, a, h, reach).map(flip),
        (Core::Poly(_), Core::Triangle(t)) => with_triangle(a, b, t, reach),
        (Core::Triangle(t), Core::Poly(_)) => with_triangle(b, a, t, reach).map(flip),
        _ => None,
    }
}

/// Contact of a sharp polyhedron and a sharp box; points with a gap of at most `prediction` (m). `None`
/// if the polyhedron has too many faces.
///
/// Faces are preferred over edges, and the box's over the polyhedron's, as between boxes.
pub(super) fn collide(
    a: &Placed,
    b: &Placed,
    reach: &Reach,
    out: &mut Vec<ContactPatch>,
) -> Outcome {
    match (a.core, b.core) {
        (Core::Box(h), Core::Poly(_)) => box_solid(a, h, b, reach, out),
        (Core::Poly(_), Core::Box(h)) => {
            let first = out.len();
            let found = box_solid(b, h, a, &reach.flipped(), out);
            out[first..].iter_mut().for_each(ContactPatch::swap);
            found.map(|found| found.map_err(Apart::flipped))
        }
        _ => None,
    }
}

/// [`collide`] for a box (a) with half extents `half` and a polyhedron (b).
// Its arrays would weigh on the stack of every other pair.
#[inline(never)]
fn box_solid(
    a: &Placed,
    half: DVec3,
    b: &Placed,
    reach: &Reach,
    out: &mut Vec<ContactPatch>,
) -> Outcome {
    let prediction = reach.most();
    let mut moved = Moved::default();
    let solid = Solid::seen_from(b, a, &mut moved)?;
    let [own, of_box] = box_faces(&solid, half);
    let far = own.or(of_box);
    if reach.falls_short(far.s, || a.rot * -far.n) {
        return Some(Err(far.apart(a).flipped()));
    }
    let tolerance = FACE_PREFERENCE[1] * a.core.reach().min(b.core.reach());
    let (face, reference) = if own.s > of_box.s + tolerance {
        (own, Reference::FaceOfB)
    } else {
        (of_box, Reference::FaceOfA)
    };
    let slack = slack(a, b, face.s);
    let mut best = face;
    // Apart, a point over the face is proof enough.
    if face.s <= 0.0 {
        box_edges(&solid, half, &mut best);
    }
    if best.s <= face.s + slack {
        let normal = a.rot * -face.n;
        let mut raw = Raw::new();
        clip::over(a, b, normal, reference, prediction, &mut raw);
        if raw.iter().any(|p| p.gap <= face.s + tolerance) {
            let hold = Hold::over_face(reference, 0.0);
            return Some(report(normal, hold, &raw, Apart::by(prediction), out));
        }
    }
    if face.s > 0.0 {
        box_edges(&solid, half, &mut best);
    }
    if reach.falls_short(best.s, || a.rot * -best.n) {
        return Some(Err(best.apart(a).flipped()));
    }
    let axis = match box_axis(&solid, a, half, best).map(Axis::flipped) {
        // No face comes near it.
        Some(axis) if best.s > face.s + slack => {
            let faces = faces(a, b, axis.normal);
            return Some(clip::at_closest([a, b], &axis, &faces, prediction, out));
        }
        axis => axis.map_or_else(|| iterate(a, b, prediction), Ok),
    };
    Some(axis.and_then(|axis| clip::contact(a, b, &axis, prediction, out)))
}

/// A polyhedron or triangle (a) against a box (b) with half extents `half`.
fn with_box(a: &Placed, b: &Placed, half: DVec3, reach: f64) -> Option<Result<Axis, Apart>> {
    let mut moved = Moved::default();
    let solid = Solid::seen_from(a, b, &mut moved)?;
    let [own, other] = box_faces(&solid, half);
    let mut best = own.or(other);
    if best.s <= reach {
        box_edges(&solid, half, &mut best);
    }
    if best.s > reach {
        return Some(Err(best.apart(b)));
    }
    box_axis(&solid, b, half, best).map(Ok)
}

/// The closest or deepest points of a solid and a box along the best direction, in the frame of the
/// box; `None` if they are elsewhere.
fn box_axis(solid: &Solid, b: &Placed, half: DVec3, best: Best) -> Option<Axis> {
    let n = best.n;
    let [pa, pb] = match best.place {
        Place::Face(f) => {
            let p = half.copysign(-n);
            (best.s <= 0.0 || solid.covers(f, p)).then_some([p - n * best.s, p])?
        }
        Place::Other => {
            let p = solid.farthest(n);
            let on = p + n * best.s;
            // Along the axis of the face it is on it but for rounding.
            let inside = (on.abs() - half).max_element() <= BEYOND * half.max_element();
            (best.s <= 0.0 || inside).then_some([p, on])?
        }
        Place::Edges(edge, k) => {
            let mut q = half.copysign(-n);
            q[k] = -half[k];
            let mut u = DVec3::ZERO;
            u[k] = 2.0 * half[k];
            crossing(solid.edge(edge), (q, u))?
        }
    };
    let axis = Axis {
        normal: n,
        a: pa,
        b: pb,
    };
    Some(axis.placed(b))
}

/// A segment (a) against a box (b) with half extents `half`.
fn segment_box(a: &Placed, b: &Placed, half: DVec3, reach: f64) -> Option<Result<Axis, Apart>> {
    let mut moved = Moved::default();
    let solid = Solid::seen_from(a, b, &mut moved)?;
    let [_, mut best] = box_faces(&solid, half);
    let (p, e) = solid.edge(0);
    for k in 0..3 {
        if best.s <= reach {
            // Of both directions across, the one towards the box.
            let toward = p[(k + 2) % 3] * e[(k + 1) % 3] > p[(k + 1) % 3] * e[(k + 2) % 3];
            box_edge(&solid, &half, (0, k, toward), &mut best);
        }
    }
    if best.s > reach {
        return Some(Err(best.apart(b)));
    }
    box_axis(&solid, b, half, best).map(Ok)
}

/// The face normals of the solid and of the box that separate best.
fn box_faces(solid: &Solid, half: DVec3) -> [Best; 2] {
    let mut own = Best::NONE;
    for (f, face) in solid.faces.iter().enumerate() {
        let separation = -face.level - half.dot(face.normal.abs());
        own.offer(separation, face.normal, Place::Face(f));
    }
    let mut other = Best::NONE;
    // How far up it begins along each axis, and along the opposite way.
    let (mut along, mut against) = ([f64::INFINITY; 3], [f64::INFINITY; 3]);
    for v in solid.vertices {
        for (k, x) in v.to_array().into_iter().enumerate() {
            (along[k], against[k]) = (least(x, along[k]), least(-x, against[k]));
        }
    }
    for k in 0..3 {
        let up = DVec3::AXES[k];
        other.offer(along[k] - half[k], -up, Place::Other);
        other.offer(against[k] - half[k], up, Place::Other);
    }
    [own, other]
}

/// The edge of the solid and axis of the box that separate better than the best so far, a face.
fn box_edges(solid: &Solid, half: DVec3, best: &mut Best) {
    if best.s < 0.0 && engulfed(solid, half, best) {
        return;
    }
    let on = solid.middle().clamp(-half, half);
    let overlap = least(best.s, 0.0);
    let mut signs = Signs::default();
    for (signs, face) in signs.iter_mut().zip(solid.faces) {
        *signs = face.normal.cmpgt(DVec3::ZERO).bitmask() as u8;
        if face.normal.dot(on) - face.level <= overlap {
            *signs |= DEEP;
        }
    }
    solid.turning(&signs, |edge, k, positive| {
        box_edge(solid, &half, (edge, k, positive), best);
    });
}

/// Whether the deepest corner over the best face is nowhere nearer to the surface of the shape it is in: a
/// ball about it, as large as it is deep, lies inside, so that no direction separates better.
fn engulfed(solid: &Solid, half: DVec3, best: &Best) -> bool {
    if let Place::Face(own) = best.place {
        let p = half.copysign(-best.n);
        let deeper = |f: &Face| f.normal.dot(p) - f.level <= best.s;
        let mut faces = solid.faces.iter().enumerate();
        faces.all(|(k, f)| k == own || deeper(f))
    } else {
        (solid.farthest(best.n).abs() - half).max_element() <= best.s
    }
}

/// One edge of the solid and axis k of the box, along their cross product or against it.
#[inline]
fn box_edge(
    solid: &Solid,
    half: &DVec3,
    (edge, k, positive): (usize, usize, bool),
    best: &mut Best,
) {
    // Arrays: a coordinate by its number is then one load.
    let ends = solid.edges[edge].ends;
    let [p, to]: [&[f64; 3]; 2] = ends.map(|v| solid.vertices[v as usize].as_ref());
    let half: &[f64; 3] = half.as_ref();
    let (k1, k2) = ((k + 1) % 3, (k + 2) % 3);
    let sign = if positive { 1.0 } else { -1.0 };
    let (x, y) = (sign * (to[k2] - p[k2]), -sign * (to[k1] - p[k1]));
    let (length2, along) = (x * x + y * y, to[k] - p[k]);
    if length2 < PARALLEL * (length2 + along * along) {
        return;
    }
    let s = -(x * p[k1] + y * p[k2]) - half[k1] * x.abs() - half[k2] * y.abs();
    let m = || {
        let mut m = DVec3::ZERO;
        (m[k1], m[k2]) = (x, y);
        m
    };
    best.offer_scaled(s, m, length2, Place::Edges(edge, k));
}

/// The least of two numbers, neither of which is NaN: an instruction, where `f64::min` takes five.
fn least(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}

#[cfg(test)]
mod tests {
    use super::super::axis::separation;
    use super::super::round;
    use super::super::wave::vector;
    use super::*;
    use crate::polyhedron::Polyhedron;
    use rb_core::math::{Pose, exp_rotation};

    fn agree(a: &Placed, b: &Placed, found: Result<Axis, Apart>) {
        let slow = iterate(a, b, 9.0).expect("within reach").core_gap();
        let Ok(found) = found else {
            panic!("within reach")
        };
        let own = separation(a, b, found.normal);
        assert!((own - slow).abs() < 1e-9, "{own} is not {slow}");
        assert!((found.core_gap() - slow).abs() < 1e-9);
    }

    #[test]
    fn closed_form_agrees_with_iteration() {
        let cloud: Vec<DVec3> = (0..14).map(|k| vector(3 * k + 7)).collect();
        let hull = Polyhedron::from_points(&cloud).unwrap();
        let half = DVec3::new(0.5, 0.3, 0.4);
        let triangle = [DVec3::X, DVec3::Y, DVec3::Z].map(|p| p * 0.8);
        let (segment, boxed) = (Core::Segment(0.6), Core::Box(half));
        let (triangle, poly) = (Core::Triangle(&triangle), Core::Poly(&hull));
        let mut decided = 0;
        for [a, b] in [
            [segment, boxed],
            [boxed, triangle],
            [triangle, poly],
            [poly, boxed],
            [triangle, segment],
            [poly, segment],
            [Core::Point, poly],
        ] {
            for k in 0..3000 {
                let at = vector(5 * k + 1) * if k % 2 == 0 { 1.0 } else { 1.8 };
                let pose = Pose::new(at, exp_rotation(vector(7 * k) * 3.0));
                let a = Placed::new(a, 0.0, &Pose::IDENTITY, DVec3::ZERO);
                let b = Placed::new(b, 0.0, &pose, DVec3::ZERO);
                if let Some(found) = round::axis(&a, &b, 9.0).or_else(|| axis(&a, &b, 9.0)) {
                    decided += 1;
                    agree(&a, &b, found);
                }
            }
        }
        assert!(decided > 14_000, "{decided}");
    }
}
