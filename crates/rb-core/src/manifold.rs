//! Up to four contact points of one pair under one normal: what collision detection hands over, what
//! is stored from step to step, and what solvers read.
//!
//! A manifold is stored once, in one piece: whoever meets one wants nearly all of it. Its numbers are
//! f64: they are the description; solvers pack lanes of their own from it. It takes eight cache lines, for large heaps
//! wait for memory: what can be told from the rest is not stored, and what few surfaces have lies apart ([`Contacts`]).

mod impulses;
mod material;

pub use impulses::{Impulses, Marks, Rest, Stored, WHOLE};
pub use material::{ContactMaterial, Contacts, FrictionLaw, SurfaceExtras};

use crate::anchor::{Anchor, Anchored, Stand};
use crate::math::{Twist, tangents};
use bytemuck::{NoUninit, Pod, Zeroable, cast_ref};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Most points of a manifold.
pub const MAX_POINTS: usize = 4;

/// Names a manifold across steps: the collider pair (lower index first) and the pair of sub-shapes.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    NoUninit,
    Serialize,
    Deserialize,
)]
#[repr(C)]
pub struct ManifoldKey {
    /// Collider slots, in the order (a, b).
    pub pair: [u32; 2],
    /// Sub-shape of each (part of a compound, triangle of a mesh; 0 otherwise).
    pub sub: [u32; 2],
}

/// One contact point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Serialize, Deserialize)]
#[repr(C)]
pub struct ManifoldPoint {
    /// From the centre of mass of the [near](Manifold::near) body to the place on its surface, world axes at the time of
    /// detection (m).
    pub arm: DVec3,
    /// Distance along the normal with both bodies where contacts see them ([`Body::mark`](crate::body::Body::mark)), m;
    /// negative is penetration.
    pub gap: f64,
}

/// Up to four contact points under one normal. What a step stores of it takes one of its eight cache lines, and whoever
/// packs it reads five.
#[derive(Clone, Copy, Debug, Default, PartialEq, NoUninit, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Manifold {
    /// Slots of bodies a and b.
    pub bodies: [u32; 2],
    /// Identity across steps.
    pub key: ManifoldKey,
    /// Feature pair that made each point, for matching across steps.
    pub features: [u32; MAX_POINTS],
    /// Unit normal from a to b, world axes.
    pub normal: DVec3,
    /// Its [`impulses`](Self::impulses), or the first of them.
    pub stored: Stored,
    /// Number of its material among those with more than friction, from 1 ([`Contacts`]); 0 if it has no more.
    pub surface: u32,
    /// Law of friction.
    pub law: FrictionLaw,
    /// Points in use.
    pub count: u8,
    /// Side (0 for a, 1 for b) whose centre of mass arms are counted from: the shorter, whose digits are finer.
    pub near: u8,
    /// Whether it is closed, and in which form its impulses are stored.
    pub marks: Marks,
    /// Friction coefficient μ.
    pub friction: f64,
    /// From the centre of mass of a to that of b (m, world).
    pub apart: DVec3,
    /// Points, in the order of the features that made them; unused ones are zero, so that equal
    /// contacts are stored in equal bytes.
    pub points: [ManifoldPoint; MAX_POINTS],
    /// The other impulses, where each point has its own friction.
    pub rest: Rest,
    /// The points in the frames of the shapes.
    pub anchor: Anchor,
}

impl Manifold {
    /// Replaces the points, [`MAX_POINTS`] at most, each with the feature that made it; impulses stay. The normal must
    /// be that of the points: places on both surfaces lie straight across from each other.
    #[inline]
    pub fn set_points(&mut self, points: impl Iterator<Item = (u32, Anchored)>) {
        let mut points = points.fuse();
        self.count = 0;
        for k in 0..MAX_POINTS {
            let new = points.next();
            self.count += u8::from(new.is_some());
            let (feature, point) = new.unwrap_or_default();
            self.features[k] = feature;
            if k == 0 {
                self.near = nearer(&point);
                self.set_apart(&point);
            }
            self.points[k] = ManifoldPoint {
                arm: point.arm[usize::from(self.near)],
                gap: point.gap,
            };
        }
    }

    /// Notes how far the bodies of a point are apart.
    #[inline]
    fn set_apart(&mut self, point: &Anchored) {
        let [a, b] = point.arm;
        self.apart = a - b + self.normal * point.gap;
    }

    /// From the centres of mass of a and b to the places of a point on their surfaces (m, world):
    /// `x_b + arm_b = x_a + arm_a + gap n`.
    #[inline]
    pub fn arms(&self, point: &ManifoldPoint) -> [DVec3; 2] {
        let (arm, across) = (point.arm, self.normal * point.gap - self.apart);
        match self.near {
            0 => [arm, arm + across],
            _ => [arm - across, arm],
        }
    }

    /// Points in use.
    #[inline]
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points[..usize::from(self.count)]
    }

    /// Normal and [stored](Self::stored) impulses, one number after the other: what solvers load in one piece.
    #[inline]
    pub fn loads(&self) -> &[f64] {
        const FIRST: usize = core::mem::offset_of!(Manifold, normal) / size_of::<f64>();
        const END: usize = core::mem::offset_of!(Manifold, surface) / size_of::<f64>();
        &self.all()[FIRST..END]
    }

    /// Friction coefficient and the way from a to b, then arm and gap of all points, used or not: again in one piece.
    #[inline]
    pub fn places(&self) -> &[f64] {
        const FIRST: usize = core::mem::offset_of!(Manifold, friction) / size_of::<f64>();
        const END: usize = core::mem::offset_of!(Manifold, rest) / size_of::<f64>();
        &self.all()[FIRST..END]
    }

    #[inline]
    fn all(&self) -> &[f64; size_of::<Manifold>() / size_of::<f64>()] {
        cast_ref(self)
    }

    /// Coefficient of the friction there is: 0 without a law.
    pub fn sliding_friction(&self) -> f64 {
        match self.law {
            FrictionLaw::None => 0.0,
            _ => self.friction,
        }
    }

    /// Points in use, with the axes that rows need.
    pub fn views(&self) -> impl Iterator<Item = PointView> {
        let [t1, t2] = tangents(self.normal);
        let axes = [self.normal, t1, t2];
        let points = self.points().iter().zip(self.each().0);
        points.map(move |(p, impulse)| PointView {
            axes,
            arm: self.arms(p),
            gap: p.gap,
            impulse,
        })
    }

    /// Whether a point has a gap of at most `reach` (m).
    #[inline]
    pub fn is_within(&self, reach: f64) -> bool {
        self.points().iter().any(|p| p.gap <= reach)
    }

    /// Whether a point carried an impulse or was closed at the end of the last step.
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.marks.contains(Marks::CLOSED)
    }

    /// Brings arms, gaps and normal up to date with where the shapes stand now; impulses stay. A
    /// manifold without anchor is left as it is.
    #[inline]
    pub fn renew(&mut self, stands: [&Stand; 2]) {
        let (points, count) = (&mut self.points, usize::from(self.count));
        let mut first = None;
        let normal = self.anchor.renew(stands, count, |k, p| {
            let (near, _) = *first.get_or_insert_with(|| (nearer(&p), p));
            points[k].arm = p.arm[usize::from(near)];
            points[k].gap = p.gap;
        });
        self.normal = normal.unwrap_or(self.normal);
        if let Some((near, point)) = first {
            self.near = near;
            self.set_apart(&point);
        }
    }
}

/// Side with the shorter arm, a of equals.
#[inline]
fn nearer(point: &Anchored) -> u8 {
    let [a, b] = point.arm.map(DVec3::length_squared);
    u8::from(a > b)
}

/// What a solver needs of one contact point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointView {
    /// Normal, tangent 1, tangent 2 (world).
    pub axes: [DVec3; 3],
    /// Lever arms of a and b (m, world).
    pub arm: [DVec3; 2],
    /// Gap at the time of detection (m).
    pub gap: f64,
    /// Impulses along the axes (N·s).
    pub impulse: [f64; 3],
}

impl PointView {
    /// Jacobian halves of the row along axis `k`: J v is the velocity of b relative to a there.
    pub fn jacobian(&self, k: usize) -> [Twist; 2] {
        let d = self.axes[k];
        [
            Twist::new(-d, -self.arm[0].cross(d)),
            Twist::new(d, self.arm[1].cross(d)),
        ]
    }

    /// J v of the row along axis `k`, or what displacements change there.
    pub fn rate(&self, k: usize, v: &[Twist; 2]) -> f64 {
        let [a, b] = self.jacobian(k);
        a.dot(&v[0]) + b.dot(&v[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const _: () = assert!(size_of::<Manifold>() == 512);
    const _: () = assert!(core::mem::offset_of!(Manifold, stored) == 64);
    const _: () = assert!(core::mem::offset_of!(Manifold, friction) == 128);

    /// A manifold of one point whose places are straight across from each other, its arm on the given side the shorter.
    fn manifold(short: usize) -> (Manifold, [DVec3; 2], f64) {
        let (normal, gap) = (DVec3::new(0.6, 0.8, 0.0), 0.01);
        let mut arm = [DVec3::new(0.1, 0.5, -0.2), DVec3::new(-30.0, -4.0, 6.0)];
        if short == 1 {
            arm.swap(0, 1);
        }
        let mut manifold = Manifold {
            normal,
            ..Manifold::default()
        };
        manifold.set_points([(7, Anchored { arm, gap })].into_iter());
        (manifold, arm, gap)
    }

    #[test]
    fn either_arm_is_told_by_the_shorter() {
        for short in [0, 1] {
            let (manifold, arm, gap) = manifold(short);
            assert_eq!(usize::from(manifold.near), short);
            let [a, b] = manifold.arms(&manifold.points[0]);
            assert_eq!([a, b][short], arm[short]);
            assert!((a - arm[0]).length() + (b - arm[1]).length() < 1e-14);
            let across = arm[0] + manifold.normal * gap - arm[1];
            assert!((manifold.apart - across).length() < 1e-14);
        }
    }

    #[test]
    fn what_solvers_load_lies_together() {
        let mut manifold = Manifold {
            normal: DVec3::new(1.0, 2.0, 3.0),
            friction: 4.0,
            apart: DVec3::new(5.0, 6.0, 7.0),
            ..Manifold::default()
        };
        manifold.set_impulses(&Impulses::Whole([4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]));
        for (k, p) in manifold.points.iter_mut().enumerate() {
            let first = 8.0 + 4.0 * k as f64;
            p.arm = DVec3::new(first, first + 1.0, first + 2.0);
            p.gap = first + 3.0;
        }
        let loads = (1..=10).map(f64::from);
        assert!(manifold.loads().iter().copied().eq(loads));
        let places = (4..=23).map(f64::from);
        assert!(manifold.places().iter().copied().eq(places));
    }

    #[test]
    fn normal_row_measures_the_gap_rate() {
        let (manifold, ..) = manifold(0);
        let views: Vec<_> = manifold.views().collect();
        assert_eq!(views.len(), 1);
        let (p, j) = (views[0], views[0].jacobian(0));
        let (va, vb) = (
            Twist::new(DVec3::X, DVec3::Z),
            Twist::new(DVec3::Y, DVec3::X),
        );
        let gap_rate = p.axes[0].dot(vb.at(p.arm[1]) - va.at(p.arm[0]));
        assert!((j[0].dot(&va) + j[1].dot(&vb) - gap_rate).abs() < 1e-12);
    }
}
