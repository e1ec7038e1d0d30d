//! Convex shape against a half-space: every corner near the plane, in closed form.
//!
//! The normal is the plane's. Flat-sided shapes give their corners, curved ones the feature that
//! faces the plane: the rim polygon with a corner at its lowest point, the lowest side line, or the
//! lowest point.

use super::clip::{Raw, reduce};
use super::{ContactPatch, PatchPoint};
use crate::convex::{Corner, Feature, Placed};
use glam::DVec3;

/// A plane: outward unit normal and a point on it.
pub(crate) type Plane = (DVec3, DVec3);

/// Contact of a convex shape (a) with a half-space (b).
pub(crate) fn collide(a: &Placed, (up, on): Plane, prediction: f64) -> Option<ContactPatch> {
    let level = up.dot(on);
    let mut raw = Raw::new();
    let mut add = |(p, feature): Corner| {
        let position_a = p - up * a.radius;
        let gap = up.dot(position_a) - level;
        if gap <= prediction {
            raw.push(PatchPoint {
                position_a,
                position_b: position_a - up * gap,
                gap,
                feature,
            });
        }
    };
    let feature: Feature = a.feature(-up);
    feature.into_iter().for_each(&mut add);
    (!raw.is_empty()).then(|| ContactPatch {
        sub: [0, 0],
        normal: -up,
        points: reduce(&raw),
    })
}
