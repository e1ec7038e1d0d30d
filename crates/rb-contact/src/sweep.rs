//! Time of impact of two moving shapes, by conservative advancement in f64.
//!
//! At any instant the pair has a separating direction n and a gap along it. While both move, the gap
//! along that fixed n closes no faster than c = −n·(v_b − v_a) + |ω_a| R_a + |ω_b| R_b, where R bounds
//! the distance of a shape's points from its centre of rotation. So gap / c can be skipped safely and
//! the question asked again; no impact is ever jumped over, however thin the shapes. Between
//! translating shapes each skip lands on the supporting plane and the search ends after a few.

use crate::convex::{Part, Placed, View};
use crate::geom::Aabb;
use crate::narrow::axis;
use crate::shape::Shape;
use glam::DVec3;
use rb_core::math::{Pose, Twist, exp_rotation, renormalized};

/// Skips before the instant reached is taken as the impact; only fast spins come near it.
const SKIPS: usize = 256;

/// Motion of a shape at constant velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// World pose of the shape at the start.
    pub start: Pose,
    /// Centre of rotation at the start (m, world): the body's centre of mass.
    pub center: DVec3,
    /// Velocity of the centre (m/s) and spin (rad/s), world.
    pub twist: Twist,
}

impl Motion {
    /// Motion about the shape's own origin.
    pub const fn new(start: Pose, twist: Twist) -> Self {
        Self {
            start,
            center: start.p,
            twist,
        }
    }

    /// At rest.
    pub const fn at_rest(start: Pose) -> Self {
        Self::new(start, Twist::ZERO)
    }

    /// The same motion about another centre (m, world).
    pub const fn about(mut self, center: DVec3) -> Self {
        self.center = center;
        self
    }

    /// Pose after `t` (s).
    pub fn at(&self, t: f64) -> Pose {
        let center = self.center + self.twist.lin * t;
        if self.twist.ang == DVec3::ZERO {
            return Pose::new(self.start.p + self.twist.lin * t, self.start.q);
        }
        let turn = exp_rotation(self.twist.ang * t);
        Pose::new(
            center + turn * (self.start.p - self.center),
            renormalized(turn * self.start.q),
        )
    }

    /// Bound on the speed that spinning adds to a point of `shape` (m/s).
    fn spin_speed(&self, shape: &Shape) -> f64 {
        if self.twist.ang == DVec3::ZERO {
            return 0.0;
        }
        let reach = (self.start.p - self.center).length() + shape.bounding_radius();
        self.twist.ang.length() * reach
    }
}

/// First touch of two moving shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// When, as a fraction of the time span: 0 to 1.
    pub fraction: f64,
    /// Where the shapes touch (m, world).
    pub point: DVec3,
    /// Unit normal from a to b (world).
    pub normal: DVec3,
}

/// First time within `dt` (s, > 0) at which the gap falls to `target` (m, ≥ 0).
///
/// Shapes that start closer than that count as touching: an impact at fraction 0 when they approach,
/// none when they part. Surfaces are hit from their front only.
pub fn time_of_impact(
    a: &Shape,
    motion_a: &Motion,
    b: &Shape,
    motion_b: &Motion,
    dt: f64,
    target: f64,
) -> Option<Impact> {
    let (va, vb) = (a.view(), b.view());
    if matches!(va, View::HalfSpace(_)) {
        if matches!(vb, View::HalfSpace(_)) {
            return None;
        }
        return time_of_impact(b, motion_b, a, motion_a, dt, target).map(|hit| Impact {
            normal: -hit.normal,
            ..hit
        });
    }
    let sweep = Sweep {
        motions: [motion_a, motion_b],
        velocity: motion_b.twist.lin - motion_a.twist.lin,
        spin: motion_a.spin_speed(a) + motion_b.spin_speed(b),
        dt,
        target,
        tolerance: 1e-7 * a.bounding_radius().min(b.bounding_radius()),
    };
    let mut first: Option<Impact> = None;
    let mut keep = |hit: Option<Impact>| {
        if let Some(hit) = hit
            && first.is_none_or(|f| hit.fraction < f.fraction)
        {
            first = Some(hit);
        }
    };
    let region_a = sweep.region(0, b.aabb(&motion_b.start));
    va.pieces(&region_a, &mut |pa| {
        if let View::HalfSpace(n) = vb {
            keep(sweep.against_plane(&pa, n));
            return;
        }
        let place = Placed::new(pa.core, pa.radius, &(motion_a.start * pa.pose), DVec3::ZERO);
        let region_b = sweep.region(1, place.aabb());
        vb.pieces(&region_b, &mut |pb| keep(sweep.pair(&pa, &pb)));
    });
    first
}

struct Sweep<'a> {
    motions: [&'a Motion; 2],
    /// Velocity of b relative to a (m/s), and bound on what spinning adds (m/s).
    velocity: DVec3,
    spin: f64,
    dt: f64,
    target: f64,
    tolerance: f64,
}

impl Sweep<'_> {
    /// Where, in the starting frame of shape `of`, the other one may meet it; `other` is the other's
    /// box at the start.
    fn region(&self, of: usize, other: Aabb) -> Aabb {
        // Seen from `of`, the other moves by the relative velocity; spins only widen the path.
        let travel = self.velocity * self.dt * if of == 0 { 1.0 } else { -1.0 };
        let end = Aabb::new(other.min + travel, other.max + travel);
        let margin = self.target + self.spin * self.dt;
        let path = other.merged(&end).inflated(margin);
        path.placed(&self.motions[of].start.inverse())
    }

    fn place<'p>(&self, side: usize, part: &Part<'p>, t: f64, origin: DVec3) -> Placed<'p> {
        let pose = self.motions[side].at(t) * part.pose;
        Placed::new(part.core, part.radius, &pose, origin)
    }

    fn pair(&self, pa: &Part, pb: &Part) -> Option<Impact> {
        let reach = (self.velocity.length() + self.spin) * self.dt + self.target + self.tolerance;
        let hit = self.advance(|t| {
            let origin = self.motions[0].at(t).p;
            let a = self.place(0, pa, t, origin);
            let b = self.place(1, pb, t, origin);
            let axis = axis(&a, &b, reach).ok()?;
            Some(Touch {
                gap: axis.core_gap() - a.radius - b.radius,
                normal: axis.normal,
                point: origin + axis.b - axis.normal * b.radius,
            })
        })?;
        let facing = |part: &Part, side: usize, n: DVec3| match part.facet {
            Some(f) => {
                let t = hit.fraction * self.dt;
                let face = self.motions[side].at(t).vector(part.pose.vector(f.normal));
                face.dot(n) >= 0.0
            }
            None => true,
        };
        (facing(pa, 0, hit.normal) && facing(pb, 1, -hit.normal)).then_some(hit)
    }

    fn against_plane(&self, pa: &Part, normal: DVec3) -> Option<Impact> {
        self.advance(|t| {
            let plane = self.motions[1].at(t);
            let up = plane.vector(normal);
            let a = self.place(0, pa, t, plane.p);
            let low = a.support(-up) - up * a.radius;
            Some(Touch {
                gap: up.dot(low),
                normal: -up,
                point: plane.p + low,
            })
        })
    }

    /// Skips ahead by gap / closing speed until the gap is gone, time is up, or nothing closes.
    fn advance(&self, look: impl Fn(f64) -> Option<Touch>) -> Option<Impact> {
        let mut t = 0.0;
        let mut touch = look(0.0)?;
        for _ in 0..SKIPS {
            let closing = self.spin - touch.normal.dot(self.velocity);
            if closing <= 0.0 {
                return None;
            }
            let room = touch.gap - self.target;
            if room <= self.tolerance {
                break;
            }
            t += room / closing;
            if t > self.dt {
                return None;
            }
            touch = look(t)?;
        }
        Some(Impact {
            fraction: t / self.dt,
            point: touch.point,
            normal: touch.normal,
        })
    }
}

/// The pair at one instant.
struct Touch {
    gap: f64,
    normal: DVec3,
    point: DVec3,
}
