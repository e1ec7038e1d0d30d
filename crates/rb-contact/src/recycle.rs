//! When the contacts of a pair need not be searched for: the shapes have hardly moved against each
//! other since.
//!
//! Two statements are remembered with the relative pose at which the contacts were found: beyond
//! those reported nothing is nearer than `clear`, and those anchored to a face are where their
//! [`rb_core::anchor::Anchor`] says. A motion by m brings nothing nearer than clear − m, so
//!
//! * a pair that was apart along a unit vector n stays so while prediction + m ≤ clear, where of the way of the
//!   smaller shape only what leads along n counts, in the frame of the larger one;
//! * an anchored contact is placed anew without a search while that holds and m is at most a stated share of the
//!   smaller shape's radius: points on the border of a face are then off by no more than that along the face,
//!   and by that times the tilt in their gap; twice as far for a contact between two lines, whose gap is
//!   exact until the closest point runs past the end of one.
//!
//! Pairs are many, so all but the place is kept in single precision, and what that may hide of a turn is taken off
//! `clear`. The place is not, for a pebble may lie a kilometre from the origin of its mesh.

use crate::narrow::Apart;
use crate::reach::Reach;
use glam::{DQuat, DVec3, Vec3};
use rb_core::math::Pose;
use serde::{Deserialize, Serialize};

/// What single precision may hide of a turn, as a motion in terms of the radius: twice the rounding of a unit quaternion.
const HIDDEN: f64 = 2.0 * f32::EPSILON as f64;

/// How the contacts of a pair were last found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Place (m) and turn (x, y, z, w) of the smaller shape in the frame of the larger one.
    place: DVec3,
    turn: [f32; 4],
    /// Nothing but what was reported was nearer than this (m).
    clear: f32,
    /// Unit vector from the larger to the smaller shape along which they were apart, in the frame of the larger one;
    /// zero if none was known. Single precision makes the way along it wrong by 1e-7 of its length.
    apart: Vec3,
}

/// A shape of a pair: its pose (world) and its bounding radius about the pose's origin (m).
pub type Sphere<'a> = (&'a Pose, f64);

/// How far two shapes are apart at least, by the spheres around them.
#[inline]
pub fn apart(a: Sphere, b: Sphere) -> Apart {
    let way = b.0.p - a.0.p;
    let length = way.length();
    Apart {
        distance: length - a.1 - b.1,
        along: if length > 0.0 { way / length } else { way },
    }
}

/// What to do about a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recall {
    /// Nothing new can have come near, and what is known is still in place.
    InPlace,
    /// Nothing new can have come near, and what is known and follows its shapes exactly, a contact between lines, is
    /// still between these.
    Followed,
    /// Nothing new can have come near, but the contacts known may have changed.
    Clear,
    /// Contacts have to be searched for.
    Search,
}

impl Memory {
    /// Remembers a search that found everything nearer than `clear` from a to b.
    #[inline]
    pub fn new(a: Sphere, b: Sphere, clear: Apart) -> Self {
        let sides = [(a.0, clear.along), (b.0, -clear.along)];
        let [(large, along), (small, _)] = larger_first([a.1, b.1], sides);
        let turned = large.q.conjugate();
        let known = clear.distance - HIDDEN * a.1.min(b.1);
        let near = known as f32;
        Self {
            place: turned * (small.p - large.p),
            turn: (turned * small.q).as_quat().to_array(),
            clear: if f64::from(near) > known {
                near.next_down()
            } else {
                near
            },
            // Mostly there is none.
            apart: if along == DVec3::ZERO {
                Vec3::ZERO
            } else {
                (turned * along).as_vec3()
            },
        }
    }

    /// How much nearer any points of the shapes may have come since the search (m), with the shapes where they are now:
    /// those that were apart along a vector have only as they have moved along it.
    #[inline(always)]
    pub fn moved(&self, a: Sphere, b: Sphere) -> f64 {
        let [large, small] = larger_first([a.1, b.1], [a, b]);
        let turned = large.0.q.conjugate();
        let way = turned * (small.0.p - large.0.p) - self.place;
        // Both are asked for, for it is anyone's guess which counts.
        let (any, along) = (way.length(), -way.dot(self.apart.as_dvec3()));
        let shift = if self.is_aimless() { any } else { along };
        let before = DQuat::from_array(self.turn.map(f64::from));
        // No point of a body turned by θ moves farther than 2 sin(θ/2) times its distance.
        let turn = (before.conjugate() * (turned * small.0.q)).xyz();
        shift + 2.0 * turn.length() * small.1
    }

    /// Whether a search that looks as far as `reach` would fall short of shapes that were apart along a vector; never if
    /// none is known.
    pub fn stays_apart(&self, a: Sphere, b: Sphere, reach: &Reach) -> bool {
        let n = self.apart.as_dvec3();
        let along = || if a.1 >= b.1 { a.0.q * n } else { -(b.0.q * n) };
        !self.is_aimless() && reach.falls_short(f64::from(self.clear) - self.moved(a, b), along)
    }

    /// What is left of the search after they have [moved](Self::moved) so far (m), points asked for up to a gap of
    /// `prediction` (m), and anchored contacts kept while they move by no more than `limit` (m).
    #[inline(always)]
    pub fn recall(&self, moved: f64, prediction: f64, limit: f64) -> Recall {
        let clear = f64::from(self.clear);
        // Written so that a NaN leads to a search.
        let stays = (prediction <= clear) & (prediction + moved <= clear);
        let follows = self.is_aimless() & (limit > 0.0);
        let kept = match (moved <= limit, moved <= 2.0 * limit) {
            (true, _) if follows => Recall::InPlace,
            (_, true) if follows => Recall::Followed,
            _ => Recall::Clear,
        };
        if stays { kept } else { Recall::Search }
    }

    /// Whether the shapes were apart along no vector that is known.
    #[inline]
    fn is_aimless(&self) -> bool {
        self.apart == Vec3::ZERO
    }
}

/// What is known of two shapes with these radii, that of the larger one first; a's of equals.
pub(crate) fn larger_first<T>(radii: [f64; 2], [a, b]: [T; 2]) -> [T; 2] {
    if radii[0] >= radii[1] { [a, b] } else { [b, a] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rb_core::math::exp_rotation;

    #[test]
    fn motion_is_relative_and_never_underestimated() {
        let a = Pose::new(DVec3::new(1e4, 2.0, 3.0), exp_rotation(DVec3::X));
        let b = a * Pose::new(DVec3::new(0.0, 1.0, 0.2), exp_rotation(DVec3::Z * 0.3));
        let memory = Memory::new((&a, 5.0), (&b, 0.5), Apart::by(0.02));
        let recall = |a: &Pose, b: &Pose, p| {
            let moved = memory.moved((a, 5.0), (b, 0.5));
            memory.recall(moved, p, 5e-4 * 0.5)
        };
        assert_eq!(recall(&a, &b, 0.019), Recall::InPlace);
        assert_eq!(recall(&a, &b, 0.021), Recall::Search);
        // Both together: nothing has happened.
        let carry = Pose::new(DVec3::splat(7.0), exp_rotation(DVec3::new(0.3, 2.0, -1.0)));
        assert_eq!(recall(&(carry * a), &(carry * b), 0.019), Recall::InPlace);
        // Half a millimetre, or a milliradian at half a metre; then less.
        let turned = |by: f64| b * Pose::new(DVec3::ZERO, exp_rotation(DVec3::X * by));
        let pushed = |by: f64| Pose::new(b.p + DVec3::Y * by, b.q);
        for b in [turned(1.01e-3), pushed(5.01e-4)] {
            assert_eq!(recall(&a, &b, 0.019), Recall::Clear);
            assert_eq!(recall(&a, &b, 0.0196), Recall::Search);
        }
        for b in [turned(8e-4), pushed(4e-4)] {
            assert_eq!(recall(&a, &b, 0.019), Recall::Followed);
        }
        for b in [turned(4e-4), pushed(2e-4)] {
            assert_eq!(recall(&a, &b, 0.019), Recall::InPlace);
        }
        assert_eq!(recall(&a, &b, f64::NAN), Recall::Search);
    }

    #[test]
    fn spheres_bound_the_distance_from_below() {
        let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.0, 0.0));
        let far = apart((&at(1.0), 0.5), (&at(-2.0), 0.25));
        assert!((far.distance - 2.25).abs() < 1e-15 && far.along == DVec3::NEG_X);
        assert!(apart((&at(1.0), 0.5), (&at(1.2), 0.5)).distance < 0.0);
    }
}
