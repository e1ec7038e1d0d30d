//! Description of a collider: shape, place, surface, and who it meets.

use super::{ColliderEvents, CollisionGroups};
use crate::convex::View;
use crate::material::{Combine, Material};
use crate::shape::Shape;
use glam::DVec3;
use rb_core::body::SOUND;
use rb_core::error::check;
use rb_core::manifold::FrictionLaw;
use rb_core::math::Pose;
use rb_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// Description of a collider: what to give a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColliderDesc {
    /// Geometry.
    pub shape: Shape,
    /// Place of the shape in the body's frame.
    pub offset: Pose,
    /// Density (kg/m³), ≥ 0; what the collider adds to its body's mass.
    pub density: f64,
    /// Surface.
    pub material: Material,
    /// Who it collides with.
    pub groups: CollisionGroups,
    /// Reports overlaps but pushes nothing.
    pub sensor: bool,
    /// Events asked for.
    pub events: ColliderEvents,
    /// Report contacts whose total force exceeds this (N).
    pub force_threshold: Option<f64>,
    /// Anything the user wants to find again.
    pub user_data: u128,
}

impl ColliderDesc {
    /// Collider at the body's origin: 1000 kg/m³, [`Material::default`], colliding with everything, and asking for all
    /// events.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            offset: Pose::IDENTITY,
            density: 1000.0,
            material: Material::default(),
            groups: CollisionGroups::default(),
            sensor: false,
            events: ColliderEvents::default(),
            force_threshold: None,
            user_data: 0,
        }
    }

    /// Density (kg/m³).
    pub fn density(mut self, density: f64) -> Self {
        self.density = density;
        self
    }

    /// Place in the body's frame.
    pub fn offset(mut self, offset: Pose) -> Self {
        self.offset = offset;
        self
    }

    /// Place in the body's frame, without rotation (m).
    pub fn translation(mut self, p: DVec3) -> Self {
        self.offset.p = p;
        self
    }

    /// The whole surface.
    pub fn material(mut self, material: Material) -> Self {
        self.material = material;
        self
    }

    /// Friction coefficient μ.
    pub fn friction(mut self, mu: f64) -> Self {
        self.material.friction = mu;
        self
    }

    /// Makes friction along `grain` (body axes) μ and across it `across` · μ.
    pub fn grain(mut self, grain: DVec3, across: f64) -> Self {
        (self.material.extras.grain, self.material.extras.across) = (grain, across);
        self
    }

    /// Makes friction at rest `ratio` · μ, ratio ≥ 1.
    pub fn static_ratio(mut self, ratio: f64) -> Self {
        self.material.extras.static_ratio = ratio;
        self
    }

    /// Resists spin about the normal by up to μ · `length` (m) · normal force.
    pub fn torsion(mut self, length: f64) -> Self {
        self.material.extras.torsion = length;
        self
    }

    /// Resists rolling by up to μ · `length` (m) · normal force.
    pub fn rolling(mut self, length: f64) -> Self {
        self.material.extras.rolling = length;
        self
    }

    /// Rule for combining friction.
    pub fn friction_combine(mut self, rule: Combine) -> Self {
        self.material.friction_combine = rule;
        self
    }

    /// Friction law.
    pub fn friction_law(mut self, law: FrictionLaw) -> Self {
        self.material.law = law;
        self
    }

    /// Coefficient of restitution e.
    pub fn restitution(mut self, e: f64) -> Self {
        self.material.restitution = e;
        self
    }

    /// Rule for combining restitution.
    pub fn restitution_combine(mut self, rule: Combine) -> Self {
        self.material.restitution_combine = rule;
        self
    }

    /// Soft contact points: stiffness (N/m, infinite is rigid) and damping (N·s/m) of each.
    pub fn contact_stiffness(mut self, stiffness: f64, damping: f64) -> Self {
        self.material.compliance = stiffness.recip();
        self.material.damping = damping / stiffness;
        self
    }

    /// Velocity of the surface relative to the body, body axes (m/s).
    pub fn surface_velocity(mut self, v: DVec3) -> Self {
        self.material.surface_velocity = v;
        self
    }

    /// Who it collides with.
    pub fn groups(mut self, groups: CollisionGroups) -> Self {
        self.groups = groups;
        self
    }

    /// Whether it only reports overlaps.
    pub fn sensor(mut self, sensor: bool) -> Self {
        self.sensor = sensor;
        self
    }

    /// Events asked for; a pair neither of whose colliders asks is not told of.
    pub fn events(mut self, events: ColliderEvents) -> Self {
        self.events = events;
        self
    }

    /// Report contacts whose total force exceeds `threshold` (N).
    pub fn force_threshold(mut self, threshold: f64) -> Self {
        self.force_threshold = Some(threshold);
        self
    }

    /// Anything the user wants to find again.
    pub fn user_data(mut self, data: u128) -> Self {
        self.user_data = data;
        self
    }

    /// Checks every number.
    ///
    /// # Errors
    /// The first argument found not finite or out of range.
    pub fn validate(&self) -> Result<()> {
        self.shape.validate()?;
        check::vector("offset", self.offset.p)?;
        let q = check::rotation("offset", self.offset.q)?;
        let length = self.offset.q.length();
        if (q.dot(self.offset.q) - 1.0).abs() > 1e-6 {
            return Err(Error::OutOfRange {
                argument: "offset",
                value: length,
                valid: "a unit quaternion",
            });
        }
        let reach = self.offset.p.length() + self.shape.bounding_radius();
        let endless = matches!(self.shape.view(), View::HalfSpace(_));
        if !(endless || reach < SOUND) {
            return Err(Error::OutOfRange {
                argument: "shape",
                value: reach,
                valid: "reaching less than 1e12 m from its body's origin",
            });
        }
        check::non_negative("density", self.density)?;
        self.material.validate()?;
        if let Some(f) = self.force_threshold {
            check::non_negative("force_threshold", f)?;
        }
        Ok(())
    }
}
