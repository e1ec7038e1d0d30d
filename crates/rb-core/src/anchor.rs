//! Contacts in the frames of their shapes, so that they need not be searched for again while two
//! shapes hardly move against each other.
//!
//! The normal turns with one shape f, which holds a plane for each point (mostly its flat face); the points
//! belong to the core of the other, o, which is dilated by a radius r (0 for a sharp one). With the shapes at
//! new poses and s = +1 if f is a, −1 if it is b:
//!
//! ```text
//! n = R_f n_f,    p_o = x_o + R_o l_o − s r n,    gap = s (n·(p_o − x_f) − level),    p_f = p_o − s·gap·n
//! ```
//!
//! Over a flat face gaps of corners, balls and ends of capsules are exact, and a ball may roll. A point where an
//! edge of o crosses the border of the face moves with o instead of along the edge, and the normal of two edges
//! with f instead of both: that is of second order, motion times tilt or motion times turn.
//!
//! A round shape beside an edge, a corner or another round shape has one contact point, between a line or
//! point of either core. Each holds its own, and the normal leads from one to the other (`lines`): exact
//! however they roll.
//!
//! Two edges or corners with further points around them have a face that leans from their normal (`leaning`).

mod leaning;
mod lines;

use crate::manifold::MAX_POINTS;
use crate::math::Pose;
use bytemuck::NoUninit;
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

/// What the normal of a contact follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, NoUninit, Serialize, Deserialize)]
#[repr(u8)]
pub enum Reference {
    /// Shape a, in most contacts with one of its flat faces.
    FaceOfA,
    /// Shape b, in most contacts with one of its flat faces.
    FaceOfB,
    /// Neither: the contact cannot be anchored.
    #[default]
    Neither,
    /// The shortest way from a line or point of a to one of b, at which there is one point.
    Lines,
    /// Shape a, under the normal of two edges or corners, around which there are points over a face of a.
    BesideFaceOfA,
    /// Shape b, under the normal of two edges or corners, around which there are points over a face of b.
    BesideFaceOfB,
}

impl Reference {
    /// Of a and b the one that has the face first; back again if asked twice. (By its number each would
    /// have to go through memory.)
    #[inline]
    pub fn face_first<T>(self, [a, b]: [T; 2]) -> [T; 2] {
        match self {
            Self::FaceOfB | Self::BesideFaceOfB => [b, a],
            _ => [a, b],
        }
    }

    /// Whether the normal leads away from the shape that has the face (1) or towards it (−1).
    #[inline]
    fn sign(self) -> f64 {
        let [of_face, _] = self.face_first([1.0, -1.0]);
        of_face
    }

    /// The same with a and b exchanged.
    pub const fn swapped(self) -> Self {
        match self {
            Self::FaceOfA => Self::FaceOfB,
            Self::FaceOfB => Self::FaceOfA,
            Self::BesideFaceOfA => Self::BesideFaceOfB,
            Self::BesideFaceOfB => Self::BesideFaceOfA,
            same @ (Self::Neither | Self::Lines) => same,
        }
    }
}

/// How points keep their places while two shapes move a little.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hold {
    /// What the normal follows.
    pub reference: Reference,
    /// Radii by which the cores of a and b are dilated (m); over a face, twice that of the other shape.
    pub radii: [f64; 2],
    /// Unit vectors (world): along the lines of a and b, zero for points; beside a face, its outward normal for both.
    pub along: [DVec3; 2],
}

impl Hold {
    /// They do not.
    pub const NONE: Self = Self {
        reference: Reference::Neither,
        radii: [0.0; 2],
        along: [DVec3::ZERO; 2],
    };

    /// With a plane for each point in the shape that the normal turns with; the core of the other one is
    /// dilated by `radius` (m).
    pub const fn over_face(reference: Reference, radius: f64) -> Self {
        Self {
            reference,
            radii: [radius; 2],
            ..Self::NONE
        }
    }

    /// With a crossing of edges and points around it over a face with outward unit normal `face` (world); no
    /// shape is dilated.
    pub const fn beside_face(reference: Reference, face: DVec3) -> Self {
        Self {
            reference,
            along: [face; 2],
            ..Self::NONE
        }
    }

    /// The same with a and b exchanged.
    pub fn swapped(self) -> Self {
        let ([ra, rb], [along_a, along_b]) = (self.radii, self.along);
        Self {
            reference: self.reference.swapped(),
            radii: [rb, ra],
            along: [along_b, along_a],
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

impl Stand {
    /// The same with places counted from `origin` (m, world).
    #[inline]
    pub fn seen_from(&self, origin: DVec3) -> Self {
        Self {
            pose: Pose::new(self.pose.p - origin, self.pose.q),
            center: self.center - origin,
        }
    }
}

/// Up to four contact points in the frames of the two shapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, NoUninit, Serialize, Deserialize)]
#[repr(C)]
pub struct Anchor {
    /// What the normal follows.
    pub reference: Reference,
    /// Zero: an anchor has no byte that is not told.
    #[serde(skip)]
    spare: [u8; 3],
    /// Radius around the points (m). What its rounding leaves out is within the points.
    radius: f32,
    /// Unit normal a → b, in the frame of the shape it turns with.
    normal: DVec3,
    /// Height of each point's plane along the normal, from the origin of that frame (m); with lines, the
    /// radii around these; beside a face, the heights of the crossing and of the face, and its slopes.
    levels: [f64; MAX_POINTS],
    /// Points on the core of the other shape, in its frame (m); with lines, a point and the direction of
    /// that of a and that of b, each in its frame.
    points: [DVec3; MAX_POINTS],
}

/// One contact point of an [`Anchor`] at new poses, or before it is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Anchored {
    /// Points on a and b, relative to the centres of mass of their bodies (m, world axes).
    pub arm: [DVec3; 2],
    /// Distance along the normal (m).
    pub gap: f64,
}

impl Anchor {
    /// Anchors points under the normal `normal` (world, a → b); each is given as its places on a and b
    /// (m, world). Those beyond [`MAX_POINTS`] are ignored. In its place, for an anchor is large.
    #[inline]
    pub fn set(
        &mut self,
        hold: &Hold,
        normal: DVec3,
        mut points: impl Iterator<Item = [DVec3; 2]>,
        poses: [&Pose; 2],
    ) {
        // What is not used is zero, so that equal anchors are stored in equal bytes.
        (self.reference, self.radius, self.normal) = (hold.reference, 0.0, DVec3::ZERO);
        (self.levels, self.points) = ([0.0; MAX_POINTS], [DVec3::ZERO; MAX_POINTS]);
        match hold.reference {
            Reference::FaceOfA | Reference::FaceOfB => {}
            Reference::Neither => return,
            Reference::Lines => return lines::set(self, hold, normal, points.next(), poses),
            Reference::BesideFaceOfA | Reference::BesideFaceOfB => {
                return leaning::set(self, hold, normal, points, poses);
            }
        }
        let sign = hold.reference.sign();
        let [f, o] = hold.reference.face_first(poses);
        self.radius = hold.radii[0] as f32;
        self.normal = f.q.conjugate() * normal;
        let out = normal * (sign * f64::from(self.radius));
        let to_other = DMat3::from_quat(o.q).transpose();
        let places = self.points.iter_mut().zip(&mut self.levels);
        for ((place, level), p) in places.zip(points) {
            let [on_face, on_other] = hold.reference.face_first(p);
            *place = to_other * (on_other - o.p + out);
            *level = normal.dot(on_face - f.p);
        }
    }

    /// Calls `put` with the number and place of each of the first `count` points, with the shapes as
    /// they stand now. Returns the normal (a → b, world); `None` and no calls if nothing is anchored.
    pub fn renew(
        &self,
        stands: [&Stand; 2],
        count: usize,
        mut put: impl FnMut(usize, Anchored),
    ) -> Option<DVec3> {
        match self.reference {
            Reference::FaceOfA | Reference::FaceOfB => {}
            Reference::Neither => return None,
            Reference::Lines => {
                let (normal, place) = lines::renew(self, stands);
                put(0, place);
                return Some(normal);
            }
            Reference::BesideFaceOfA | Reference::BesideFaceOfB => {
                return Some(leaning::renew(self, stands, count, put));
            }
        }
        let sign = self.reference.sign();
        let [f, o] = self.reference.face_first(stands);
        let normal = f.pose.q * self.normal;
        let turn = DMat3::from_quat(o.pose.q);
        // All relative to the pair: far from the origin the digits are the same.
        let apart = o.pose.p - f.pose.p;
        let origins = [f.pose.p - f.center, o.pose.p - o.center];
        let out = normal * (sign * f64::from(self.radius));
        let places = self.points[..count].iter().zip(&self.levels);
        for (k, (local, level)) in places.enumerate() {
            let on_other = turn * *local - out;
            let from_face = apart + on_other;
            let gap = sign * (normal.dot(from_face) - level);
            let on_face = origins[0] + from_face - normal * (sign * gap);
            let arm = [on_face, origins[1] + on_other];
            let arm = self.reference.face_first(arm);
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
            let hold = Hold::over_face(reference, 0.0);
            let mut anchor = Anchor::default();
            anchor.set(&hold, normal, [points].into_iter(), [&pa, &pb]);
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
