//! Up to four contact points of one pair under one normal: what collision detection hands over, what
//! is stored from step to step, and what solvers read.
//!
//! A manifold is stored once, in one piece: whoever meets one wants nearly all of it. Its numbers are
//! f64: they are the description; solvers pack lanes of their own from it.

use crate::anchor::{Anchor, Stand};
use crate::math::{Twist, tangents};
use bytemuck::{NoUninit, cast_slice};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Most points of a manifold.
pub const MAX_POINTS: usize = 4;

/// Law of friction of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum FrictionLaw {
    /// No friction.
    #[serde(alias = "none")]
    None,
    /// |λ₁| ≤ μ λₙ and |λ₂| ≤ μ λₙ along two fixed tangents.
    #[serde(alias = "boxed")]
    Boxed,
    /// |λ₁| + |λ₂| ≤ μ λₙ: four edges on the tangents.
    #[serde(alias = "pyramid")]
    Pyramid,
    /// ‖λₜ‖ ≤ μ λₙ: Coulomb's cone.
    #[default]
    #[serde(alias = "conic")]
    Conic,
}

/// What few surfaces have beyond Coulomb's law; the default has none of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SurfaceExtras {
    /// Direction along which μ holds; zero or along the normal is none. Body axes on a collider, world
    /// axes on a contact.
    pub grain: DVec3,
    /// Friction across the grain over friction along it, > 0.
    pub across: f64,
    /// μ at rest over μ while sliding, ≥ 1.
    pub static_ratio: f64,
    /// Length ρ (m) of resistance to spin about the normal: torque up to μ ρ times the normal force.
    pub torsion: f64,
    /// Length ρ (m) of resistance to rolling.
    pub rolling: f64,
}

impl Default for SurfaceExtras {
    fn default() -> Self {
        Self {
            grain: DVec3::ZERO,
            across: 1.0,
            static_ratio: 1.0,
            torsion: 0.0,
            rolling: 0.0,
        }
    }
}

impl SurfaceExtras {
    /// Whether there is nothing beyond one coefficient of friction.
    pub fn is_plain(&self) -> bool {
        self.across == 1.0 && self.static_ratio == 1.0 && !self.resists()
    }

    /// Whether spin or rolling is resisted.
    pub fn resists(&self) -> bool {
        self.torsion > 0.0 || self.rolling > 0.0
    }
}

/// Surface of a contact after the two materials have been combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactMaterial {
    /// Friction law.
    pub law: FrictionLaw,
    /// Friction coefficient μ.
    pub friction: f64,
    /// Coefficient of restitution e, 0 to 1.
    pub restitution: f64,
    /// Compliance c of each point (m/N); 0 is rigid.
    pub compliance: f64,
    /// Damping time d = damping/stiffness (s) of a compliant point.
    pub damping: f64,
    /// Wanted tangential velocity of b relative to a at the surface (m/s, world): conveyors.
    pub surface_velocity: DVec3,
    /// Grain, friction at rest, resistance to spin and rolling.
    pub extras: SurfaceExtras,
}

impl ContactMaterial {
    /// Coefficient of the friction there is: 0 without a law.
    pub fn sliding_friction(&self) -> f64 {
        match self.law {
            FrictionLaw::None => 0.0,
            _ => self.friction,
        }
    }
}

/// Names a manifold across steps: the collider pair (lower index first) and the pair of sub-shapes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct ManifoldKey {
    /// Collider slots, in the order (a, b).
    pub pair: [u32; 2],
    /// Sub-shape of each (part of a compound, triangle of a mesh; 0 otherwise).
    pub sub: [u32; 2],
}

/// One contact point.
#[derive(Clone, Copy, Debug, Default, PartialEq, NoUninit, Serialize, Deserialize)]
#[repr(C)]
pub struct ManifoldPoint {
    /// Contact point relative to the centre of mass of (a, b), world axes at the time of detection
    /// (m). The places lie on the two surfaces, one straight across from the other:
    /// `x_b + arm_b = x_a + arm_a + gap n`.
    pub arm: [DVec3; 2],
    /// Distance along the normal (m); negative is penetration.
    pub gap: f64,
}

/// Up to four contact points under one normal. What every stage asks for comes first, and what a solve
/// changes lies together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Manifold {
    /// Slots of bodies a and b.
    pub bodies: [u32; 2],
    /// Points in use.
    pub count: u8,
    /// Whether a point carried an impulse or was closed at the end of the last step.
    pub closed: bool,
    /// Identity across steps.
    pub key: ManifoldKey,
    /// Impulse (N·s) of each point along normal, tangent 1, tangent 2: last step's before the solve, this
    /// step's after.
    pub impulses: [[f64; 3]; MAX_POINTS],
    /// Angular impulse on b beyond what the points do (N·m·s, world), of resistance to spin and rolling or of a
    /// friction that is one for all of them: last step's before the solve, this step's after.
    pub spin: DVec3,
    /// Unit normal from a to b, world axes.
    pub normal: DVec3,
    /// Feature pair that made each point, for matching across steps.
    pub features: [u32; MAX_POINTS],
    /// Surface of the pair.
    pub material: ContactMaterial,
    /// Points, in the order of the features that made them; unused ones are zero, so that equal
    /// contacts are stored in equal bytes.
    pub points: [ManifoldPoint; MAX_POINTS],
    /// The points in the frames of the shapes.
    pub anchor: Anchor,
}

impl Manifold {
    /// Replaces the points, [`MAX_POINTS`] at most, each with the feature that made it; impulses stay.
    #[inline]
    pub fn set_points(&mut self, points: impl Iterator<Item = (u32, ManifoldPoint)>) {
        let mut points = points.fuse();
        self.count = 0;
        for (feature, point) in self.features.iter_mut().zip(&mut self.points) {
            let new = points.next();
            self.count += u8::from(new.is_some());
            (*feature, *point) = new.unwrap_or_default();
        }
    }

    /// Points in use.
    #[inline]
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points[..usize::from(self.count)]
    }

    /// Arms and gap of all points, used or not, one point after the other: what solvers load in one piece.
    #[inline]
    pub fn numbers(&self) -> &[f64] {
        cast_slice(&self.points)
    }

    /// Impulses of the points in use (N·s).
    #[inline]
    pub fn impulses(&self) -> &[[f64; 3]] {
        &self.impulses[..usize::from(self.count)]
    }

    /// Points in use, with the axes that rows need.
    pub fn views(&self) -> impl Iterator<Item = PointView> {
        let [t1, t2] = tangents(self.normal);
        let axes = [self.normal, t1, t2];
        let points = self.points().iter().zip(self.impulses());
        points.map(move |(p, impulse)| PointView {
            axes,
            arm: p.arm,
            gap: p.gap,
            impulse: *impulse,
        })
    }

    /// Multiplies all impulses: the same forces over a substep of another length.
    #[inline]
    pub fn scale(&mut self, factor: f64) {
        if factor == 1.0 {
            return;
        }
        let impulses = self.impulses.iter_mut().flatten();
        impulses.for_each(|p| *p *= factor);
        self.spin *= factor;
    }

    /// Whether a point has a gap of at most `reach` (m).
    #[inline]
    pub fn is_within(&self, reach: f64) -> bool {
        self.points().iter().any(|p| p.gap <= reach)
    }

    /// Sum of the normal impulses (N·s).
    pub fn normal_impulse(&self) -> f64 {
        self.impulses().iter().map(|p| p[0]).sum()
    }

    /// Brings arms, gaps and normal up to date with where the shapes stand now; impulses stay. A
    /// manifold without anchor is left as it is.
    #[inline]
    pub fn renew(&mut self, stands: [&Stand; 2]) {
        let points = &mut self.points;
        let count = usize::from(self.count);
        let normal = self.anchor.renew(stands, count, |k, p| {
            (points[k].arm, points[k].gap) = (p.arm, p.gap);
        });
        self.normal = normal.unwrap_or(self.normal);
    }
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_row_measures_the_gap_rate() {
        let point = ManifoldPoint {
            arm: [DVec3::new(0.1, 0.5, -0.2), DVec3::new(-0.3, -0.4, 0.6)],
            ..ManifoldPoint::default()
        };
        let mut manifold = Manifold {
            normal: DVec3::Y,
            ..Manifold::default()
        };
        manifold.set_points([(0, point)].into_iter());
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
