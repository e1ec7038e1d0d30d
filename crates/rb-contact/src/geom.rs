//! The border to parry3d: bounding boxes, trees and convex hulls. No other file names that crate.
//!
//! Precision: parry works in f32. Boxes are therefore rounded outward when they cross the border, and
//! hulls come back as indices into the caller's f64 points. Coordinates handed over are always
//! relative to something near (a mesh frame, a hull's centre), except in the broad phase, where f32
//! world boxes at 10 km grow by at most 1 mm and only admit more candidates.

use glam::{DVec3, Vec3};
use parry3d::partitioning::{BvhBuildStrategy, BvhNode, TraversalAction};
use parry3d::transformation::try_convex_hull;
use rb_core::math::Pose;
use rb_core::{Error, Result};
use smallvec::SmallVec;
use std::collections::HashMap;

pub(crate) use parry3d::bounding_volume::Aabb as Box32;
pub(crate) use parry3d::partitioning::Bvh;

/// Axis-aligned box in f64 (m), in whichever frame its owner states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lowest corner (m).
    pub min: DVec3,
    /// Highest corner (m).
    pub max: DVec3,
}

impl Aabb {
    /// Coordinate (m) that stands for infinity: beyond every scene, yet products of three of them
    /// still fit f32.
    pub const FAR: f64 = 1e12;

    /// All of space.
    pub const EVERYWHERE: Self = Self {
        min: DVec3::splat(-Self::FAR),
        max: DVec3::splat(Self::FAR),
    };

    /// Contains nothing; the neutral element of [`merged`](Self::merged).
    pub const EMPTY: Self = Self {
        min: DVec3::INFINITY,
        max: DVec3::NEG_INFINITY,
    };

    /// Box from its two extreme corners (m).
    pub const fn new(min: DVec3, max: DVec3) -> Self {
        Self { min, max }
    }

    /// Smallest box around some points (m).
    pub fn from_points(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self {
            min: b.min.min(p),
            max: b.max.max(p),
        })
    }

    /// Smallest box around both.
    pub fn merged(&self, other: &Self) -> Self {
        Self::new(self.min.min(other.min), self.max.max(other.max))
    }

    /// Grown by `margin` (m) on every side.
    #[inline]
    pub fn inflated(&self, margin: f64) -> Self {
        Self::new(self.min - margin, self.max + margin)
    }

    /// Moved by `way` (m).
    #[inline]
    pub fn moved(&self, way: DVec3) -> Self {
        Self::new(self.min + way, self.max + way)
    }

    /// Centre (m).
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// Half the size along each axis (m).
    #[inline]
    pub fn half_extents(&self) -> DVec3 {
        0.5 * (self.max - self.min)
    }

    /// Whether the boxes share a point.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        let below = |p: DVec3, q: DVec3| (p.x <= q.x) & (p.y <= q.y) & (p.z <= q.z);
        below(self.min, other.max) & below(other.min, self.max)
    }

    /// Whether `other` lies inside.
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        self.min.cmple(other.min).all() && other.max.cmple(self.max).all()
    }

    /// Smallest box, in the frame `pose` leads to, around this one.
    pub fn placed(&self, pose: &Pose) -> Self {
        let m = glam::DMat3::from_quat(pose.q);
        let h = self.half_extents();
        let reach = m.x_axis.abs() * h.x + m.y_axis.abs() * h.y + m.z_axis.abs() * h.z;
        let c = pose.point(self.center());
        Self::new(c - reach, c + reach)
    }

    /// Parameters (as multiples of `dir`) where the ray enters and leaves, if it meets the box before
    /// `max`.
    pub(crate) fn ray(&self, origin: DVec3, dir: DVec3, max: f64) -> Option<[f64; 2]> {
        let (mut enter, mut leave) = (0.0f64, max);
        for i in 0..3 {
            if dir[i] == 0.0 {
                if origin[i] < self.min[i] || origin[i] > self.max[i] {
                    return None;
                }
                continue;
            }
            let (t0, t1) = (
                (self.min[i] - origin[i]) / dir[i],
                (self.max[i] - origin[i]) / dir[i],
            );
            enter = enter.max(t0.min(t1));
            leave = leave.min(t0.max(t1));
        }
        (enter <= leave).then_some([enter, leave])
    }

    /// The same box in f32, rounded outward, so that it contains this one.
    pub(crate) fn outward(&self) -> Box32 {
        let down = |x: f64| {
            let y = x.clamp(-Self::FAR, Self::FAR) as f32;
            if f64::from(y) > x { y.next_down() } else { y }
        };
        let up = |x: f64| -down(-x);
        Box32::new(
            Vec3::new(down(self.min.x), down(self.min.y), down(self.min.z)),
            Vec3::new(up(self.max.x), up(self.max.y), up(self.max.z)),
        )
    }

    pub(crate) fn from_box32(b: &Box32) -> Self {
        Self::new(b.mins.as_dvec3(), b.maxs.as_dvec3())
    }
}

/// Tree over boxes numbered from 0, for the parts of one composite shape (its local frame).
///
/// Built at once from all boxes: inserting them one by one weighs volumes, and those of a flat mesh
/// are all zero.
pub(crate) fn tree(boxes: impl Iterator<Item = Aabb>) -> Bvh {
    let boxes: Vec<Box32> = boxes.map(|b| b.outward()).collect();
    Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes)
}

/// Numbers of the boxes that meet a region, in ascending order.
///
/// (Told branch by branch: an iterator over leaves keeps a stack of references, and is asked for each of them.)
pub(crate) fn meeting(tree: &Bvh, region: &Aabb) -> SmallVec<[u32; 16]> {
    let region = BvhNode::leaf(region.outward(), 0);
    let mut met = SmallVec::new();
    tree.traverse(|branch| {
        if !branch.intersects(&region) {
            return TraversalAction::Prune;
        }
        if let Some(number) = branch.leaf_data() {
            met.push(number);
        }
        TraversalAction::Continue
    });
    met.sort_unstable();
    met
}

/// Triangles of the convex hull of `points`, as indices into them, wound counter-clockwise seen from
/// outside.
///
/// # Errors
/// [`Error::BadGeometry`] when there are fewer than four points or all lie (nearly) in one plane.
pub(crate) fn hull_triangles(points: &[DVec3]) -> Result<Vec<[u32; 3]>> {
    let bad = |reason: String| Error::BadGeometry {
        argument: "points",
        reason,
    };
    if points.len() < 4 {
        return Err(bad(format!("a hull needs 4 points, got {}", points.len())));
    }
    // Hulls are found about the centre and at unit size, where f32 resolves best.
    let bounds = Aabb::from_points(points.iter().copied());
    let size = bounds.half_extents().max_element();
    if size <= 0.0 {
        return Err(bad("all points coincide".into()));
    }
    let narrow: Vec<Vec3> = points
        .iter()
        .map(|p| ((*p - bounds.center()) / size).as_vec3() + 0.0)
        .collect();
    let key = |v: Vec3| v.to_array().map(f32::to_bits);
    let mut index = HashMap::with_capacity(narrow.len());
    for (i, p) in narrow.iter().enumerate() {
        index.entry(key(*p)).or_insert(i as u32);
    }
    let (vertices, triangles) =
        try_convex_hull(&narrow).map_err(|e| bad(format!("no convex hull: {e}")))?;
    let back: Option<Vec<u32>> = vertices
        .iter()
        .map(|v| index.get(&key(*v)).copied())
        .collect();
    let back = back.ok_or_else(|| bad("hull vertices are not among the points".into()))?;
    Ok(triangles
        .into_iter()
        .map(|t| t.map(|i| back[i as usize]))
        .collect())
}
