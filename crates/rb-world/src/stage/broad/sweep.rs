//! How far a body may get within a step, and its boxes with it: any way as far as it turns, and ahead as far as it goes.

use glam::DVec3;
use rb_contact::Aabb;
use rb_core::body::{Body, BodyKind};
use rb_core::params::ContactParams;

/// How far a contact may be away and still matter within this step (m): half the margin, and as far
/// as the body gets, its `travel` (m), at most half its size. What is faster is left to the swept test.
pub(crate) fn reach(contact: &ContactParams, body: &Body, travel: f64) -> f64 {
    let margin = 0.5 * contact.margin;
    match body.kind {
        BodyKind::Static => margin,
        BodyKind::Kinematic => margin + travel,
        BodyKind::Dynamic => margin + travel.min(0.5 * body.extent),
    }
}

/// What the points of a body may pass within a step, as it moves now.
pub(crate) struct Sweep {
    /// Ahead (m, world).
    way: DVec3,
    /// Any way (m).
    around: f64,
}

impl Sweep {
    /// Of a body whose points go as far as `travel` (m) at most: no farther than its [`reach`].
    pub(crate) fn new(contact: &ContactParams, body: &Body, travel: f64, dt: f64) -> Self {
        let (way, margin) = (body.vel.lin * dt, 0.5 * contact.margin);
        let turn = travel - way.length();
        let reach = reach(contact, body, travel);
        let share = if margin + travel > reach {
            (reach - margin) / travel
        } else {
            1.0
        };
        Self {
            way: way * share,
            around: margin + turn * share,
        }
    }

    /// The box that a collider with this box about it may pass.
    pub(super) fn of(&self, tight: &Aabb) -> Aabb {
        let around = tight.inflated(self.around);
        around.merged(&around.moved(self.way))
    }

    /// Whether that holds the collider's box after the body went there and, by turning, its points so far (m).
    pub(crate) fn holds(&self, way: DVec3, turned: f64) -> bool {
        let ahead = way.clamp(self.way.min(DVec3::ZERO), self.way.max(DVec3::ZERO));
        (way - ahead).abs().max_element() + turned <= self.around
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::chance;
    use rb_core::body::BodyDesc;
    use rb_core::grid::Grid;
    use rb_core::math::{Pose, Twist, exp_rotation};
    use rb_core::params::Params;

    /// Boxes of what moves about as foreseen, in their sweep if that says so; and it mostly does of what goes as it went.
    #[test]
    fn what_is_held_lies_in_the_box() {
        let mut random = chance(3);
        let mut vector = |size: f64| {
            let mut x = || size * (f64::from(random(2001)) / 1000.0 - 1.0);
            DVec3::new(x(), x(), x())
        };
        let contact = Params::game().contact;
        let (dt, mut held, mut strayed) = (1.0 / 60.0, 0, 0);
        for k in 0..4000 {
            let half = DVec3::new(0.5, 0.2, 0.3);
            let mut body = Body::new(BodyDesc::dynamic(), Grid::NONE);
            body.extent = half.length();
            body.vel = Twist::new(vector(4.0), vector(2.0));
            let sweep = Sweep::new(&contact, &body, body.speed() * dt, dt);
            let corners =
                [-1.0, 1.0].map(|x| [-1.0, 1.0].map(|y| [-1.0, 1.0].map(|z| DVec3::new(x, y, z))));
            let about = |pose: &Pose| {
                let corners = corners.iter().flatten().flatten();
                Aabb::from_points(corners.map(|&c| pose.point(c * half)))
            };
            let here = Pose::new(vector(5.0), exp_rotation(vector(2.0)));
            let other = if k % 2 == 0 { 0.3 } else { 3.0 };
            let moved = Twist::new(body.vel.lin + vector(other), body.vel.ang + vector(other)) * dt;
            let there = Pose::new(here.p + moved.lin, exp_rotation(moved.ang) * here.q);
            if sweep.holds(moved.lin, moved.ang.length() * half.length()) {
                held += 1;
                assert!(sweep.of(&about(&here)).contains(&about(&there)));
            } else {
                strayed += 1;
            }
        }
        assert!(held > 2000 && strayed > 500, "{held} {strayed}");
    }
}
