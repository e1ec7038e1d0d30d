//! Questions about a scene: rays, casts, overlaps, closest points. All answers in f64.
//!
//! A scene is a [`BroadPhase`] and something that tells the collider and its world pose for a slot
//! ([`Colliders`]). Fat boxes choose the candidates, exact geometry decides. Results
//! are ordered by (distance, slot). Solids are filled: a ray that starts inside hits at distance 0
//! with a normal against it. Surfaces are seen from both sides by rays and points.

use crate::broad::BroadPhase;
use crate::collider::Collider;
use crate::convex::{Core, Part, Placed, View};
use crate::geom::Aabb;
use crate::narrow::{Proximity, axis, closest, collide_shapes};
use crate::reach::Reach;
use crate::shape::Shape;
use crate::sweep::{Impact, Motion, time_of_impact};
use glam::DVec3;
use rb_core::math::{Pose, Twist};

/// Tells the collider of a slot and the world pose of its shape; `None` leaves it out of the answer.
pub type Colliders<'a> = dyn Fn(u32) -> Option<(&'a Collider, Pose)> + 'a;

/// A half line up to a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Start (m, world).
    pub origin: DVec3,
    /// Unit direction (world).
    pub direction: DVec3,
    /// Length (m).
    pub max: f64,
}

/// Where a ray or a cast shape meets a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Collider slot.
    pub slot: u32,
    /// Distance travelled (m).
    pub distance: f64,
    /// Point of contact (m, world).
    pub point: DVec3,
    /// Unit normal of the collider's surface, against the motion (world).
    pub normal: DVec3,
}

/// Closest point of a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Collider slot.
    pub slot: u32,
    /// Distance (m); 0 inside.
    pub distance: f64,
    /// Closest point of the collider (m, world); the point itself when inside.
    pub point: DVec3,
}

/// Closest points of two shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Distance (m); 0 when they touch or overlap, and the points then mean nothing.
    pub distance: f64,
    /// Closest points on (a, b) (m, world).
    pub points: [DVec3; 2],
}

fn sort_hits(hits: &mut [Hit]) {
    hits.sort_by(|x, y| x.distance.total_cmp(&y.distance).then(x.slot.cmp(&y.slot)));
}

/// Nearest collider on a ray.
pub fn cast_ray(scene: &BroadPhase, colliders: &Colliders, ray: &Ray) -> Option<Hit> {
    let mut best: Option<Hit> = None;
    scene.along_ray(ray.origin, ray.direction, ray.max, 0.0, |slot, max| {
        let hit =
            colliders(slot).and_then(|(c, pose)| ray_shape(c.shape(), &pose, &Ray { max, ..*ray }));
        nearer(&mut best, hit.map(|h| Hit { slot, ..h }));
        best.map_or(max, |b| b.distance)
    });
    best
}

fn nearer(best: &mut Option<Hit>, hit: Option<Hit>) {
    let key = |h: &Hit| (h.distance, h.slot);
    if let Some(hit) = hit
        && best.is_none_or(|b| key(&hit) < key(&b))
    {
        *best = Some(hit);
    }
}

/// All colliders on a ray, each once, by (distance, slot).
pub fn cast_ray_all(scene: &BroadPhase, colliders: &Colliders, ray: &Ray) -> Vec<Hit> {
    let mut hits = Vec::new();
    scene.along_ray(ray.origin, ray.direction, ray.max, 0.0, |slot, max| {
        let found = colliders(slot);
        let hit = found.and_then(|(c, pose)| ray_shape(c.shape(), &pose, ray));
        hits.extend(hit.map(|h| Hit { slot, ..h }));
        max
    });
    sort_hits(&mut hits);
    hits
}

/// First touch of a ray with one shape; the hit's slot is 0.
pub fn ray_shape(shape: &Shape, pose: &Pose, ray: &Ray) -> Option<Hit> {
    let view = shape.view();
    let origin = pose.inverse_point(ray.origin);
    let dir = pose.q.conjugate() * ray.direction;
    let hit = match view {
        View::HalfSpace(n) => ray_plane(n, origin, dir, ray.max),
        _ => {
            let mut best: Option<(f64, DVec3)> = None;
            let end = origin + dir * ray.max;
            view.pieces(&Aabb::from_points([origin, end]), &mut |part| {
                let max = best.map_or(ray.max, |(t, _)| t);
                if let Some(hit) = ray_part(&part, origin, dir, max)
                    && best.is_none_or(|(t, _)| hit.0 < t)
                {
                    best = Some(hit);
                }
            });
            best
        }
    };
    hit.map(|(distance, n)| Hit {
        slot: 0,
        distance,
        point: ray.origin + ray.direction * distance,
        normal: pose.vector(n),
    })
}

fn ray_plane(n: DVec3, origin: DVec3, dir: DVec3, max: f64) -> Option<(f64, DVec3)> {
    let height = n.dot(origin);
    if height <= 0.0 {
        return Some((0.0, -dir));
    }
    let t = -height / n.dot(dir);
    (t >= 0.0 && t <= max).then_some((t, n))
}

fn ray_part(part: &Part, origin: DVec3, dir: DVec3, max: f64) -> Option<(f64, DVec3)> {
    if let (Core::Triangle(t), true) = (part.core, part.radius == 0.0) {
        return ray_triangle(t, origin, dir, max);
    }
    let b = Placed::new(part.core, part.radius, &part.pose, origin);
    let mut ray = Placed::new(Core::Point, 0.0, &Pose::IDENTITY, DVec3::ZERO);
    // The ray's tip skips to the supporting plane between it and the shape, again and again.
    let tolerance = 1e-12 * (b.at.length() + part.core.reach() + part.radius);
    let mut t = 0.0;
    let mut normal = -dir;
    for _ in 0..128 {
        ray.at = dir * t;
        let axis = axis(&ray, &b, max - t).ok()?;
        let gap = axis.core_gap() - b.radius;
        if gap <= tolerance {
            break;
        }
        let closing = axis.normal.dot(dir);
        if closing <= 0.0 {
            return None;
        }
        normal = -axis.normal;
        t += gap / closing;
        if t > max {
            return None;
        }
    }
    Some((t, normal))
}

/// Both sides; the normal points against the ray.
fn ray_triangle(&[a, b, c]: &[DVec3; 3], o: DVec3, d: DVec3, max: f64) -> Option<(f64, DVec3)> {
    let n = (b - a).cross(c - a);
    let slope = n.dot(d);
    if slope == 0.0 {
        return None;
    }
    let t = n.dot(a - o) / slope;
    if !(0.0..=max).contains(&t) {
        return None;
    }
    let p = o + d * t;
    let inside = |u: DVec3, v: DVec3| (v - u).cross(p - u).dot(n) >= 0.0;
    let side = if slope > 0.0 { -n } else { n };
    (inside(a, b) && inside(b, c) && inside(c, a)).then(|| (t, side.normalize()))
}

/// Nearest collider that `shape`, starting at `pose`, meets while it translates along the ray's
/// direction by up to its length (the ray's origin is not used). Touching ones count when the motion
/// goes into them.
pub fn cast_shape(
    scene: &BroadPhase,
    colliders: &Colliders,
    shape: &Shape,
    pose: &Pose,
    ray: &Ray,
) -> Option<Hit> {
    let bounds = shape.aabb(pose);
    let motion = Motion::new(*pose, Twist::new(ray.direction, DVec3::ZERO));
    let mut best: Option<Hit> = None;
    let margin = bounds.half_extents().max_element();
    scene.along_ray(
        bounds.center(),
        ray.direction,
        ray.max,
        margin,
        |slot, max| {
            if max <= 0.0 {
                return max;
            }
            let hit = colliders(slot).and_then(|(c, at)| {
                let rest = Motion::at_rest(at);
                time_of_impact(shape, &motion, c.shape(), &rest, max, 0.0)
            });
            let to_hit = |i: Impact| Hit {
                slot,
                distance: i.fraction * max,
                point: i.point,
                normal: -i.normal,
            };
            nearer(&mut best, hit.map(to_hit));
            best.map_or(max, |b| b.distance)
        },
    );
    best
}

/// Slots of all colliders that touch or overlap `shape` at `pose`, ascending.
pub fn overlapping(
    scene: &BroadPhase,
    colliders: &Colliders,
    shape: &Shape,
    pose: &Pose,
) -> Vec<u32> {
    let mut slots = Vec::new();
    scene.overlapping(&shape.aabb(pose), |slot| {
        let touching =
            colliders(slot).is_some_and(|(c, at)| intersects(shape, pose, c.shape(), &at));
        if touching {
            slots.push(slot);
        }
    });
    slots.sort_unstable();
    slots
}

/// Whether two shapes touch or overlap.
pub fn intersects(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> bool {
    let mut patches = Vec::new();
    collide_shapes(a, pose_a, b, pose_b, &Reach::all(0.0), &mut patches);
    !patches.is_empty()
}

/// Collider closest to `point` (m, world) within `max` (m).
pub fn closest_point(
    scene: &BroadPhase,
    colliders: &Colliders,
    point: DVec3,
    max: f64,
) -> Option<Closest> {
    let mut best: Option<Closest> = None;
    scene.overlapping(&Aabb::new(point, point).inflated(max), |slot| {
        let limit = best.map_or(max, |b| b.distance);
        let found = colliders(slot).and_then(|(c, pose)| project(c.shape(), &pose, point, limit));
        if let Some((distance, on)) = found
            && best.is_none_or(|b| (distance, slot) < (b.distance, b.slot))
        {
            best = Some(Closest {
                slot,
                distance,
                point: on,
            });
        }
    });
    best
}

/// Distance (m) and closest point of one shape, if within `max` (m) of `point` (m, world).
pub fn project(shape: &Shape, pose: &Pose, point: DVec3, max: f64) -> Option<(f64, DVec3)> {
    let dot = Shape::from(crate::shapes::Ball { radius: 0.0 });
    let found = distance(&dot, &Pose::from_translation(point), shape, pose, max)?;
    let on = if found.distance > 0.0 {
        found.points[1]
    } else {
        point
    };
    Some((found.distance, on))
}

/// Distance of two shapes, if at most `max` (m).
pub fn distance(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    max: f64,
) -> Option<Separation> {
    let (va, vb) = (a.view(), b.view());
    if matches!(va, View::HalfSpace(_)) {
        if matches!(vb, View::HalfSpace(_)) {
            return None;
        }
        return distance(b, pose_b, a, pose_a, max).map(|s| Separation {
            points: [s.points[1], s.points[0]],
            ..s
        });
    }
    let origin = pose_a.p;
    let mut best: Option<Separation> = None;
    let region = b.aabb(pose_b).inflated(max).placed(&pose_a.inverse());
    va.pieces(&region, &mut |part| {
        let pa = Placed::new(part.core, part.radius, &(*pose_a * part.pose), origin);
        let mut keep = |d: f64, points: [DVec3; 2]| {
            if d <= max && best.is_none_or(|s| d < s.distance) {
                best = Some(Separation {
                    distance: d.max(0.0),
                    points: points.map(|p| p + origin),
                });
            }
        };
        if let View::HalfSpace(n) = vb {
            let up = pose_b.vector(n);
            let low = pa.support(-up) - up * pa.radius;
            let gap = up.dot(low + origin - pose_b.p);
            keep(gap, [low, low - up * gap]);
            return;
        }
        let near = pa.aabb().inflated(max);
        let near = Aabb::new(near.min + origin, near.max + origin).placed(&pose_b.inverse());
        vb.pieces(&near, &mut |part| {
            let pb = Placed::new(part.core, part.radius, &(*pose_b * part.pose), origin);
            match closest(&pa, &pb, max + pa.radius + pb.radius) {
                Proximity::Far(_) => {}
                Proximity::Touching(_) => keep(0.0, [pa.at, pb.at]),
                Proximity::Apart { a, b } => {
                    let gap = (b - a).length();
                    let n = (b - a) / gap;
                    keep(
                        gap - pa.radius - pb.radius,
                        [a + n * pa.radius, b - n * pb.radius],
                    );
                }
            }
        });
    });
    best
}
