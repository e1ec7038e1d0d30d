//! One contact point between a line or point of either shape, dilated by radii r.
//!
//! With w from the point of a to that of b, unit vectors u and v along the lines (zero for points) and
//! c = u·v, the lines come closest at
//!
//! ```text
//! s = (w·u − c w·v) / (1 − c²) along a,    t = (c w·u − w·v) / (1 − c²) along b
//! ```
//!
//! The normal is the way between them, d = w + t v − s u, and the gap |d| − r_a − r_b.

use super::{Anchor, Anchored, Hold, Reference, Stand};
use crate::math::Pose;
use glam::DVec3;

/// Anchors one point in an empty anchor, given as its places on a and b (m, world), under the normal `normal`
/// (world, a → b).
pub(super) fn set(
    anchor: &mut Anchor,
    hold: &Hold,
    normal: DVec3,
    point: Option<[DVec3; 2]>,
    [a, b]: [&Pose; 2],
) {
    let Some([on_a, on_b]) = point else {
        anchor.reference = Reference::Neither;
        return;
    };
    let [ra, rb] = hold.radii;
    let (to_a, to_b) = (a.q.conjugate(), b.q.conjugate());
    anchor.levels = [ra, rb, 0.0, 0.0];
    anchor.points = [
        to_a * (on_a - normal * ra - a.p),
        to_a * hold.along[0],
        to_b * (on_b + normal * rb - b.p),
        to_b * hold.along[1],
    ];
}

/// The normal (a → b, world) and the point with the shapes as they stand now.
pub(super) fn renew(anchor: &Anchor, [a, b]: [&Stand; 2]) -> (DVec3, Anchored) {
    let [ra, rb, ..] = anchor.levels;
    let [pa, u, pb, v] = anchor.points;
    let (pa, u) = (a.pose.q * pa, a.pose.q * u);
    let (pb, v) = (b.pose.q * pb, b.pose.q * v);
    // Relative to the pair: far from the origin the digits are the same.
    let w = b.pose.p - a.pose.p + (pb - pa);
    let (c, wu, wv) = (u.dot(v), w.dot(u), w.dot(v));
    let across = 1.0 / (1.0 - c * c);
    let (s, t) = ((wu - c * wv) * across, (c * wu - wv) * across);
    let way = w + v * t - u * s;
    let length = way.length();
    let normal = way / length;
    let on_a = pa + u * s + normal * ra;
    let on_b = pb + v * t - normal * rb;
    let arm = [a.pose.p - a.center + on_a, b.pose.p - b.center + on_b];
    let gap = length - ra - rb;
    (normal, Anchored { arm, gap })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::exp_rotation;

    /// Two crossing rods, then a rod and a ball: the gap after any motion is that of the lines, and the normal is
    /// across both.
    #[test]
    fn gaps_are_those_of_the_lines() {
        let a = Pose::new(DVec3::new(1.0, 2.0, 3.0), exp_rotation(DVec3::X * 0.3));
        let b = Pose::new(DVec3::new(1.1, 2.6, 3.1), exp_rotation(DVec3::Z * 0.9));
        let stand = |pose: Pose| Stand {
            pose,
            center: pose.p + DVec3::splat(0.25),
        };
        let turned = Pose::new(
            b.p + DVec3::new(0.01, -0.02, 0.005),
            exp_rotation(DVec3::new(0.03, 0.1, 0.88)),
        );
        for is_ball in [false, true] {
            let along = |b: &Pose| {
                let v = if is_ball { DVec3::ZERO } else { b.q * DVec3::X };
                [a.q * DVec3::Z, v]
            };
            let [u, v] = along(&b);
            let hold = Hold {
                reference: Reference::Lines,
                radii: [0.2, 0.3],
                along: [u, v],
            };
            // Any points of the lines will do.
            let (pa, pb) = (a.p + u * 0.1, b.p - v * 0.2);
            let normal = (pb - pa).normalize();
            let places = [pa + normal * 0.2, pb - normal * 0.3];
            let mut anchor = Anchor::default();
            anchor.set(&hold, normal, [places].into_iter(), [&a, &b]);
            let (sa, sb) = (stand(a), stand(turned));
            let (n, p) = renew(&anchor, [&sa, &sb]);
            let [u, v] = along(&turned);
            let w = turned.p - a.p;
            let straight = if is_ball {
                (w - u * w.dot(u)).normalize()
            } else {
                let across = u.cross(v).normalize();
                across * across.dot(w).signum()
            };
            assert!((n - straight).length() < 1e-14, "{n} {straight}");
            assert!((p.gap - (straight.dot(w) - 0.5)).abs() < 1e-14);
            let way = sb.center + p.arm[1] - sa.center - p.arm[0];
            assert!((way - n * p.gap).length() < 1e-14);
        }
    }
}
