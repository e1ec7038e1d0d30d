//! Questions about the world: rays, casts, overlaps, closest points. Results are ordered by
//! (distance, slot), so that they do not depend on how the trees grew.

use crate::world::World;
use glam::DVec3;
use rb_contact::query::{self, Colliders, Hit, Ray, Separation};
use rb_contact::{CollisionGroups, Shape};
use rb_core::error::check;
use rb_core::handle::{BodyHandle, ColliderHandle};
use rb_core::math::Pose;
use rb_core::{Error, Result};

/// Which colliders a query sees.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueryFilter {
    /// Groups of the query; a collider is seen if both admit each other.
    pub groups: CollisionGroups,
    /// Whether sensors are seen.
    pub sensors: bool,
    /// A body whose colliders are not seen: the one that asks.
    pub exclude: Option<BodyHandle>,
}

/// Where a ray or a cast shape meets a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldHit {
    /// The collider.
    pub collider: ColliderHandle,
    /// Its body.
    pub body: BodyHandle,
    /// Distance travelled (m).
    pub distance: f64,
    /// Point of contact (m, world).
    pub point: DVec3,
    /// Unit normal of the surface, against the motion.
    pub normal: DVec3,
}

/// The point of a collider closest to another point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoint {
    /// The collider.
    pub collider: ColliderHandle,
    /// Its body.
    pub body: BodyHandle,
    /// Distance (m); 0 inside.
    pub distance: f64,
    /// Closest point (m, world).
    pub point: DVec3,
}

fn ray(origin: DVec3, direction: DVec3, max: f64) -> Result<Ray> {
    let origin = check::vector("origin", origin)?;
    let direction = check::direction("direction", direction)?;
    let max = check::non_negative("max", max)?;
    Ok(Ray {
        origin,
        direction,
        max,
    })
}

impl World {
    /// Nearest collider on a ray of length `max` (m).
    ///
    /// # Errors
    /// Numbers that are not finite, a direction without length, a negative length.
    pub fn cast_ray(
        &self,
        origin: impl Into<DVec3>,
        direction: impl Into<DVec3>,
        max: f64,
        filter: &QueryFilter,
    ) -> Result<Option<WorldHit>> {
        let ray = ray(origin.into(), direction.into(), max)?;
        let hit = query::cast_ray(&self.state.broad, &*self.seen(filter), &ray);
        Ok(hit.map(|h| self.name_hit(h)))
    }

    /// All colliders on a ray, nearest first.
    ///
    /// # Errors
    /// As [`cast_ray`](Self::cast_ray).
    pub fn cast_ray_all(
        &self,
        origin: impl Into<DVec3>,
        direction: impl Into<DVec3>,
        max: f64,
        filter: &QueryFilter,
    ) -> Result<Vec<WorldHit>> {
        let ray = ray(origin.into(), direction.into(), max)?;
        let hits = query::cast_ray_all(&self.state.broad, &*self.seen(filter), &ray);
        Ok(hits.into_iter().map(|h| self.name_hit(h)).collect())
    }

    /// Nearest collider a convex shape, moved from `pose` along `direction` by `max` (m) without
    /// turning, would touch.
    ///
    /// # Errors
    /// As [`cast_ray`](Self::cast_ray); a pose that is not finite; a shape that is not convex.
    pub fn cast_shape(
        &self,
        shape: &Shape,
        pose: Pose,
        direction: impl Into<DVec3>,
        max: f64,
        filter: &QueryFilter,
    ) -> Result<Option<WorldHit>> {
        let pose = Pose::new(pose.p, check::rotation("rotation", pose.q)?);
        let ray = ray(pose.p, direction.into(), max)?;
        convex(shape)?;
        let hit = query::cast_shape(&self.state.broad, &*self.seen(filter), shape, &pose, &ray);
        Ok(hit.map(|h| self.name_hit(h)))
    }

    /// Colliders that share a point with a shape at `pose`, in slot order.
    ///
    /// # Errors
    /// A pose that is not finite.
    pub fn overlaps(
        &self,
        shape: &Shape,
        pose: Pose,
        filter: &QueryFilter,
    ) -> Result<Vec<ColliderHandle>> {
        check::vector("position", pose.p)?;
        let pose = Pose::new(pose.p, check::rotation("rotation", pose.q)?);
        let slots = query::overlapping(&self.state.broad, &*self.seen(filter), shape, &pose);
        Ok(slots
            .into_iter()
            .map(|s| self.state.collider_handle(s))
            .collect())
    }

    /// Collider closest to a point, within `max` (m).
    ///
    /// # Errors
    /// Numbers that are not finite, a negative distance.
    pub fn closest_point(
        &self,
        point: impl Into<DVec3>,
        max: f64,
        filter: &QueryFilter,
    ) -> Result<Option<ClosestPoint>> {
        let point = check::vector("point", point.into())?;
        check::non_negative("max", max)?;
        let found = query::closest_point(&self.state.broad, &*self.seen(filter), point, max);
        Ok(found.map(|c| ClosestPoint {
            collider: self.state.collider_handle(c.slot),
            body: self.state.collider(c.slot).body,
            distance: c.distance,
            point: c.point,
        }))
    }

    /// Distance and closest points of two colliders, if they are within `max` (m).
    ///
    /// # Errors
    /// Dead handles, or a distance that is negative or not finite.
    pub fn distance(
        &self,
        a: ColliderHandle,
        b: ColliderHandle,
        max: f64,
    ) -> Result<Option<Separation>> {
        check::non_negative("max", max)?;
        let (pose_a, pose_b) = (self.collider_pose(a)?, self.collider_pose(b)?);
        let (a, b) = (self.collider(a)?.shape(), self.collider(b)?.shape());
        Ok(query::distance(a, &pose_a, b, &pose_b, max))
    }

    /// The colliders a filter lets through, by slot.
    fn seen<'a>(&'a self, filter: &'a QueryFilter) -> Box<Colliders<'a>> {
        Box::new(move |slot| {
            let c = self.state.colliders.slot(slot)?;
            let seen = (filter.sensors || !c.collider.is_sensor())
                && c.collider.groups().admits(&filter.groups)
                && filter.exclude != Some(c.body);
            seen.then(|| (&c.collider, self.state.collider_pose(slot)))
        })
    }

    fn name_hit(&self, h: Hit) -> WorldHit {
        WorldHit {
            collider: self.state.collider_handle(h.slot),
            body: self.state.collider(h.slot).body,
            distance: h.distance,
            point: h.point,
            normal: h.normal,
        }
    }
}

fn convex(shape: &Shape) -> Result<()> {
    if shape.is_convex() {
        return Ok(());
    }
    Err(Error::Contradiction {
        argument: "shape",
        reason: format!("{} is not convex; cast its parts", shape.name()),
    })
}
