//! Convex shape against a half-space: every corner near the plane, in closed form.
//!
//! The normal is the plane's. Flat-sided shapes give their corners, curved ones the feature that
//! faces the plane: the rim polygon with a corner at its lowest point, the lowest side line, or the
//! lowest point.

use super::clip::Raw;
use super::{Apart, ContactPatch, Found, PatchPoint, hold, report};
use crate::convex::Placed;
use glam::DVec3;
use rb_core::anchor::Reference;

/// A plane: outward unit normal and a point on it.
pub(crate) type Plane = (DVec3, DVec3);

/// Contact of a convex shape (a) with a half-space (b).
pub(crate) fn collide(
    a: &Placed,
    (up, on): Plane,
    prediction: f64,
    out: &mut Vec<ContactPatch>,
) -> Found {
    let level = up.dot(on);
    let mut raw = Raw::new();
    let mut lowest = f64::INFINITY;
    for (p, feature) in &a.feature(-up) {
        let position_a = p - up * a.radius;
        let gap = up.dot(position_a) - level;
        lowest = lowest.min(gap);
        if gap <= prediction {
            raw.push(PatchPoint {
                position_a,
                position_b: position_a - up * gap,
                gap,
                feature: *feature,
            });
        }
    }
    let hold = hold::over_face(a, Reference::FaceOfB, &raw);
    report(-up, hold, &raw, Apart::along(-up, lowest), out)
}
