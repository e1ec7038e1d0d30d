//! Face contacts in the frames of their shapes, so that they need not be searched for again while two
//! shapes hardly move against each other.
//!
//! The normal belongs to a flat face of one shape f, the points to corners of the other, o. With the
//! shapes at new poses and s = +1 if f is a, −1 if it is b:
//!
//! ```text
//! n = R_f n_f,    p_o = x_o + R_o l_o,    gap = s (n·(p_o − x_f) − level),    p_f = p_o − s·gap·n
//! ```
//!
//! Gaps of corners are exact. A point where an edge of o crosses the border of the face moves with o
//! instead of along the edge, which is of second order: motion times tilt.

use crate::manifold::MAX_POINTS;
use crate::math::Pose;
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

/// Which shape's flat face the normal of a contact belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reference {
    /// A face of a.
    FaceOfA,
    /// A face of b.
    FaceOfB,
    /// No face, or points that roll: the contact cannot be anchored.
    #[default]
    Neither,
}

impl Reference {
    /// The same with a and b exchanged.
    pub const fn swapped(self) -> Self {
        match self {
            Self::FaceOfA => Self::FaceOfB,
            Self::FaceOfB => Self::FaceOfA,
            Self::Neither => Self::Neither,
        }
    }
}

/// Where one shape of a pair stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stand {
    /// Pose of the shape (m, world).
    pub pose: Pose,
    /// Centre of mass of its body (m, world): where arms start.
    pub center: DVec3,
}

/// Up to four contact points on a face, in the frames of the two shapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    /// Whose face it is.
    pub reference: Reference,
    /// Unit normal a → b, in the frame of the shape that has the face.
    normal: DVec3,
    /// Height of the face along the normal, from the origin of that frame (m).
    level: f64,
    /// Points on the other shape, in its frame (m).
    points: [DVec3; MAX_POINTS],
}

/// One contact point of an [`Anchor`] at new poses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchored {
    /// Points on a and b, relative to the centres of mass of their bodies (m, world axes).
    pub arm: [DVec3; 2],
    /// Distance along the normal (m).
    pub gap: f64,
}

impl Anchor {
    /// Anchors points under the normal `normal` (world, a → b); each is given as its places on a and b
    /// (m, world). Those beyond [`MAX_POINTS`] are ignored.
    pub fn new(
        reference: Reference,
        normal: DVec3,
        points: impl Iterator<Item = [DVec3; 2]>,
        poses: [&Pose; 2],
    ) -> Self {
        let (face, other) = match reference {
            Reference::FaceOfA => (0, 1),
            Reference::FaceOfB => (1, 0),
            Reference::Neither => return Self::default(),
        };
        let mut anchor = Self {
            reference,
            normal: poses[face].q.conjugate() * normal,
            ..Self::default()
        };
        let to_other = DMat3::from_quat(poses[other].q).transpose();
        for (k, (place, p)) in anchor.points.iter_mut().zip(points).enumerate() {
            *place = to_other * (p[other] - poses[other].p);
            if k == 0 {
                anchor.level = normal.dot(p[face] - poses[face].p);
            }
        }
        anchor
    }

    /// Calls `put` with the number and place of each of the first `count` points, with the shapes as
    /// they stand now. Returns the normal (a → b, world); `None` and no calls if nothing is anchored.
    pub fn renew(
        &self,
        stands: [&Stand; 2],
        count: usize,
        mut put: impl FnMut(usize, Anchored),
    ) -> Option<DVec3> {
        let (face, other, sign) = match self.reference {
            Reference::FaceOfA => (0, 1, 1.0),
            Reference::FaceOfB => (1, 0, -1.0),
            Reference::Neither => return None,
        };
        let (f, o) = (stands[face], stands[other]);
        let normal = f.pose.q * self.normal;
        let turn = DMat3::from_quat(o.pose.q);
        // All relative to the pair: far from the origin the digits are the same.
        let apart = o.pose.p - f.pose.p;
        let origins = [f.pose.p - f.center, o.pose.p - o.center];
        for (k, local) in self.points[..count].iter().enumerate() {
            let on_other = turn * *local;
            let from_face = apart + on_other;
            let gap = sign * (normal.dot(from_face) - self.level);
            let mut arm = [DVec3::ZERO; 2];
            arm[face] = origins[0] + from_face - normal * (sign * gap);
            arm[other] = origins[1] + on_other;
            put(k, Anchored { arm, gap });
        }
        Some(normal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::exp_rotation;

    /// A corner over a plane, on either side: the gap after any motion is the distance to the plane.
    #[test]
    fn gaps_follow_the_plane_and_the_corner() {
        let before = Pose::new(DVec3::new(1.0, 2.0, 3.0), exp_rotation(DVec3::X * 0.3));
        let corner = Pose::new(DVec3::new(1.2, 2.9, 3.1), exp_rotation(DVec3::Z * 0.2));
        let up = before.vector(DVec3::Y);
        let on_plane = before.point(DVec3::new(0.1, 0.5, -0.2));
        let above = on_plane + up * 0.01;
        let after = Pose::new(
            before.p + DVec3::X * 0.01,
            exp_rotation(DVec3::new(0.31, 0.0, 0.02)),
        );
        let moved = Pose::new(corner.p, exp_rotation(DVec3::new(0.02, 0.0, 0.21)));
        let local = corner.inverse_point(above);
        let expected = after.inverse_point(moved.point(local)).y - 0.5;
        let stand = |pose: Pose| Stand {
            pose,
            center: pose.p + DVec3::splat(0.25),
        };
        for reference in [Reference::FaceOfA, Reference::FaceOfB] {
            let of_a = reference == Reference::FaceOfA;
            let order = |x: [Pose; 2]| if of_a { x } else { [x[1], x[0]] };
            let [pa, pb] = order([before, corner]);
            let points = if of_a {
                [on_plane, above]
            } else {
                [above, on_plane]
            };
            let normal = if of_a { up } else { -up };
            let anchor = Anchor::new(reference, normal, [points].into_iter(), [&pa, &pb]);
            let [sa, sb] = order([after, moved]).map(stand);
            let mut seen = 0;
            let n = anchor.renew([&sa, &sb], 1, |_, p| {
                seen += 1;
                assert!((p.gap - expected).abs() < 1e-15, "{} {expected}", p.gap);
                let way = sb.center + p.arm[1] - sa.center - p.arm[0];
                let n = after.vector(if of_a { DVec3::Y } else { DVec3::NEG_Y });
                assert!((way - n * p.gap).length() < 1e-15);
            });
            assert!(seen == 1 && n.is_some());
        }
        assert!(
            Anchor::default()
                .renew([&stand(after), &stand(moved)], 1, |_, _| ())
                .is_none()
        );
    }
}
