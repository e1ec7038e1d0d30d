//! Which points keep their places while two shapes move a little, so that they need not be searched for
//! again (see [`rb_core::anchor`]).
//!
//! | points | kept |
//! |---|---|
//! | over a flat face: of flat-sided shapes, balls, capsules, rounded or not | yes, by the place of the core |
//! | over a flat face: of curved sides and rims | if three or more lie level |
//! | between two edges or corners of flat-sided shapes | if it is one point, under the normal found |
//! | between round shapes and edges or each other | no: the normal turns as they roll |

use super::PatchPoint;
use super::facet::ON_FACE;
use crate::convex::{Core, Placed};
use glam::DVec3;
use rb_core::anchor::{Hold, Reference};

/// Gaps within this share of the patch's size lie level.
const LEVEL: f64 = 1e-4;

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
    Hold {
        reference,
        radius: other.radius,
    }
}

/// Hold of the closest points under the unit normal `n` from a to b; with others around them, whose gaps are
/// measured over a face that leans, there is none. `faces` are those along n.
pub(crate) fn closest(
    [a, b]: [&Placed; 2],
    n: DVec3,
    faces: &[Option<DVec3>; 2],
    raw: &[PatchPoint],
) -> Hold {
    if raw.len() > 1 {
        return Hold::NONE;
    }
    let sharp = |p: &Placed| p.core.is_polyhedral() && p.radius == 0.0;
    let on = |ball: &Placed, flat: &Placed, face: Option<DVec3>, toward: DVec3| {
        matches!(ball.core, Core::Point)
            && flat.core.is_polyhedral()
            && face.is_some_and(|f| f.dot(toward) >= ON_FACE)
    };
    let (reference, radius) = if sharp(a) && sharp(b) || on(b, a, faces[0], n) {
        (Reference::FaceOfA, b.radius)
    } else if on(a, b, faces[1], -n) {
        (Reference::FaceOfB, a.radius)
    } else {
        return Hold::NONE;
    };
    Hold { reference, radius }
}
