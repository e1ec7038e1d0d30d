//! Which points keep their places while two shapes move a little, so that they need not be searched for
//! again (see [`rb_core::anchor`]).
//!
//! | points | kept |
//! |---|---|
//! | over a flat face: of flat-sided shapes, balls, capsules, rounded or not | yes, by the place of the core |
//! | over a flat face: of curved sides and rims | if three or more lie level |
//! | between two edges or corners of flat-sided shapes, and around them | yes, under the normal found |
//! | between round shapes and edges, corners or each other | if it is one point, by the lines it is between |

use super::PatchPoint;
use super::facet::ON_FACE;
use crate::convex::{Core, Placed};
use crate::polyhedron::Face;
use glam::DVec3;
use rb_core::anchor::{Hold, Reference};

/// Gaps within this share of the patch's size lie level.
const LEVEL: f64 = 1e-4;

/// Share of the size within which a point is on a border.
const NEAR: f64 = 1e-7;

/// Squared sine of the angle between two faces below which the edge between them has no direction.
const BENT: f64 = 1e-6;

/// Squared sine of the angle between two lines below which the closest points run along them many times
/// as far as the shapes move.
const ACROSS: f64 = 0.1;

/// Hold of points of `other` over a flat face.
pub(crate) fn over_face(other: &Placed, reference: Reference, raw: &[PatchPoint]) -> Hold {
    let spread = || {
        let gaps = raw.iter().map(|p| p.gap);
        gaps.clone().fold(f64::NEG_INFINITY, f64::max) - gaps.fold(f64::INFINITY, f64::min)
    };
    let curved = matches!(other.core, Core::Cylinder { .. } | Core::Cone { .. });
    let level = || raw.len() >= 3 && spread() <= LEVEL * other.core.reach();
    if reference == Reference::Neither || (curved && !level()) {
        return Hold::NONE;
    }
    Hold::over_face(reference, other.radius)
}

/// Hold of the closest points under the unit normal `n` from a to b; `beside` if there are others around them, over
/// a face that leans. `faces` are those along n.
pub(crate) fn closest(
    [a, b]: [&Placed; 2],
    n: DVec3,
    faces: &[Option<DVec3>; 2],
    beside: Hold,
    raw: &[PatchPoint],
) -> Hold {
    let sharp = |p: &Placed| p.core.is_polyhedral() && p.radius == 0.0;
    let are_sharp = sharp(a) && sharp(b);
    let [p, others @ ..] = raw else {
        return Hold::NONE;
    };
    if !others.is_empty() {
        // One that would leave the face is as deep as the closest points, and on no plane.
        let over = others.iter().all(|q| q.gap > p.gap);
        return if are_sharp && over {
            beside
        } else {
            Hold::NONE
        };
    }
    if are_sharp {
        return Hold::over_face(Reference::FaceOfA, b.radius);
    }
    let sites = [
        site(a, p.position_a - n * a.radius),
        site(b, p.position_b + n * b.radius),
    ];
    let over = |corner: usize, flat: &Placed, face: Option<DVec3>, toward: DVec3| {
        sites[corner] == Some(DVec3::ZERO)
            && flat.core.is_polyhedral()
            && face.is_some_and(|f| f.dot(toward) >= ON_FACE)
    };
    if over(1, a, faces[0], n) {
        return Hold::over_face(Reference::FaceOfA, b.radius);
    }
    if over(0, b, faces[1], -n) {
        return Hold::over_face(Reference::FaceOfB, a.radius);
    }
    let radii = [a.radius, b.radius];
    match sites {
        // The way between cores that touch has no direction.
        [Some(u), Some(v)]
            if p.gap >= -0.5 * (radii[0] + radii[1]) && u.dot(v) * u.dot(v) <= 1.0 - ACROSS =>
        {
            Hold {
                reference: Reference::Lines,
                radii,
                along: [u, v],
            }
        }
        _ => Hold::NONE,
    }
}

/// Unit vector (world) along the edge or segment of a core that a point of it is on, zero for a corner or end;
/// `None` on a face or a curved side.
fn site(of: &Placed, p: DVec3) -> Option<DVec3> {
    let x = of.local(p - of.at);
    let near = NEAR * of.core.reach();
    let along = match of.core {
        Core::Point => DVec3::ZERO,
        Core::Segment(h) if x.y.abs() >= h - near => DVec3::ZERO,
        Core::Segment(_) => DVec3::Y,
        Core::Box(h) => {
            let inside = x.abs().cmplt(h - near).bitmask();
            match inside.count_ones() {
                0 => DVec3::ZERO,
                1 => DVec3::AXES[inside.trailing_zeros() as usize],
                _ => return None,
            }
        }
        Core::Poly(p) => {
            let on = |f: &&Face| f.level - f.normal.dot(x) <= near;
            let mut faces = p.faces.iter().filter(on);
            let (f, g) = (faces.next()?.normal, faces.next()?.normal);
            let edge = f.cross(g);
            match faces.next() {
                Some(_) => DVec3::ZERO,
                None if edge.length_squared() < BENT => return None,
                None => edge.normalize(),
            }
        }
        Core::Triangle(t) => {
            let front = (t[1] - t[0]).cross(t[2] - t[0]).normalize_or_zero();
            let edge = |k: usize| (t[(k + 1) % 3] - t[k]).normalize_or_zero();
            let inside = |k: usize| front.cross(edge(k)).dot(x - t[k]);
            let mut edges = (0..3).filter(|k| inside(*k) <= near);
            let first = edge(edges.next()?);
            if edges.next().is_some() {
                DVec3::ZERO
            } else {
                first
            }
        }
        Core::Cylinder { .. } | Core::Cone { .. } => return None,
    };
    Some(of.rot * along)
}
