//! Two edges or corners, and points around their crossing over a flat face that leans from their normal n.
//!
//! The crossing comes first, and is held as a point over a face is. The others are met along n too, but at the
//! face: with m its outward normal and g = m / (m·n), and s, p_o, x_f as in [`super`],
//!
//! ```text
//! gap = s (g·(p_o − x_f) − level)
//! ```
//!
//! Held under n alone they would be off by their motion times the lean. g·n is 1, so g is known by what it is
//! across n, its slopes.

use super::{Anchor, Anchored, Hold, Stand};
use crate::math::{Pose, tangents};
use glam::{DMat3, DVec3};

/// A slope g (m/m) in the frame of the normal, by its two numbers.
fn slope(normal: DVec3, [along, across]: [f64; 2]) -> DVec3 {
    let [t1, t2] = tangents(normal);
    normal + t1 * along + t2 * across
}

/// Anchors points, the crossing first, in an empty anchor; each is given as its places on a and b (m, world),
/// under the normal `normal` (world, a → b).
pub(super) fn set(
    anchor: &mut Anchor,
    hold: &Hold,
    normal: DVec3,
    points: impl Iterator<Item = [DVec3; 2]>,
    poses: [&Pose; 2],
) {
    let [f, o] = hold.reference.face_first(poses);
    let [to_face, to_other] = [f, o].map(|p| DMat3::from_quat(p.q).transpose());
    let [face, _] = hold.along;
    let slope = face / face.dot(normal);
    let leaning = to_face * slope;
    anchor.normal = to_face * normal;
    let slopes = tangents(anchor.normal).map(|t| t.dot(leaning));
    let mut heights = [0.0; 2];
    for (k, (place, p)) in anchor.points.iter_mut().zip(points).enumerate() {
        let [on_face, on_other] = hold.reference.face_first(p);
        *place = to_other * (on_other - o.p);
        // All but the first are equally high.
        let up = if k == 0 { normal } else { slope };
        heights[k.min(1)] = up.dot(on_face - f.p);
    }
    let [crossing, face] = heights;
    anchor.levels = [crossing, face, slopes[0], slopes[1]];
}

/// Calls `put` with the number and place of each of the first `count` points, with the shapes as they stand
/// now. Returns the normal (a → b, world).
pub(super) fn renew(
    anchor: &Anchor,
    stands: [&Stand; 2],
    count: usize,
    mut put: impl FnMut(usize, Anchored),
) -> DVec3 {
    let (reference, sign) = (anchor.reference, anchor.reference.sign());
    let [f, o] = reference.face_first(stands);
    let [crossing, level, along, across] = anchor.levels;
    let normal = f.pose.q * anchor.normal;
    let slope = f.pose.q * slope(anchor.normal, [along, across]);
    let turn = DMat3::from_quat(o.pose.q);
    let apart = o.pose.p - f.pose.p;
    let origins = [f.pose.p - f.center, o.pose.p - o.center];
    for (k, local) in anchor.points[..count].iter().enumerate() {
        let on_other = turn * *local;
        let from_face = apart + on_other;
        let (up, height) = if k == 0 {
            (normal, crossing)
        } else {
            (slope, level)
        };
        let gap = sign * (up.dot(from_face) - height);
        let on_face = origins[0] + from_face - normal * (sign * gap);
        let arm = reference.face_first([on_face, origins[1] + on_other]);
        put(k, Anchored { arm, gap });
    }
    normal
}
