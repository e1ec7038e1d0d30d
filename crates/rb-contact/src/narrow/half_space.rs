//! Convex shape against a half-space: every corner near the plane, in closed form.
//!
//! The normal is the plane's. Flat-sided shapes give their corners, curved ones the feature that
//! faces the plane: the rim polygon with a corner at its lowest point, the lowest side line, or the
//! lowest point.

use super::clip::{Raw, reduce};
use super::{ContactPatch, PatchPoint};
use crate::convex::{Core, Corner, Feature, Placed};
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
    match a.core {
        Core::Box(h) => (0..8u32).for_each(|i| {
            let s = |k: u32| if i >> k & 1 == 1 { 1.0 } else { -1.0 };
            add((a.rot * (DVec3::new(s(0), s(1), s(2)) * h) + a.at, i));
        }),
        Core::Poly(poly) => {
            for (i, v) in poly.vertices.iter().enumerate() {
                add((a.rot * *v + a.at, i as u32));
            }
        }
        _ => {
            let feature: Feature = a.feature(-up);
            feature.into_iter().for_each(&mut add);
        }
    }
    (!raw.is_empty()).then(|| ContactPatch {
        sub: [0, 0],
        normal: -up,
        points: reduce(&raw),
    })
}
