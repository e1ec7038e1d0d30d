//! What collision detection hands over: up to four contact points of one pair under one normal.

use crate::anchor::Anchor;
use crate::handle::{BodyHandle, ColliderHandle};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ManifoldPoint {
    /// Contact point relative to the centre of mass of (a, b), world axes at the time of detection
    /// (m). The points lie on the two surfaces: `gap = n · (x_b + arm_b − x_a − arm_a)`.
    pub arm: [DVec3; 2],
    /// Distance along the normal (m); negative is penetration.
    pub gap: f64,
    /// Feature pair that made the point, for matching across steps.
    pub feature: u32,
    /// Impulse (N·s) along normal, tangent 1, tangent 2: last step's before the solve, this step's after.
    pub impulse: [f64; 3],
}

/// Up to four contact points under one normal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifold {
    /// Identity across steps.
    pub key: ManifoldKey,
    /// Colliders a and b.
    pub colliders: [ColliderHandle; 2],
    /// Bodies a and b.
    pub bodies: [BodyHandle; 2],
    /// Unit normal from a to b, world axes.
    pub normal: DVec3,
    /// Points, in the order of the features that made them.
    pub points: SmallVec<[ManifoldPoint; MAX_POINTS]>,
    /// Surface of the pair.
    pub material: ContactMaterial,
    /// Angular impulse of the resistance to spin and rolling on b (N·m·s, world): last step's before
    /// the solve, this step's after.
    pub spin: DVec3,
    /// The points in the frames of the shapes.
    pub anchor: Anchor,
}
