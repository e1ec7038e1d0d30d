//! Colliders: a shape on a body, its surface, and who it meets.

use crate::geom::Aabb;
use crate::shape::Shape;
use bitflags::bitflags;
use glam::{DQuat, DVec3};
use rb_core::error::check;
use rb_core::manifold::{ContactMaterial, FrictionLaw};
use rb_core::mass::MassProps;
use rb_core::math::Pose;
use rb_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// How the coefficients of two surfaces become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Combine {
    /// (x + y) / 2.
    #[default]
    Average,
    /// The smaller.
    Min,
    /// x · y.
    Multiply,
    /// √(x · y).
    GeometricMean,
    /// The larger.
    Max,
}

impl Combine {
    /// Applies the rule. Where two surfaces disagree about it, use the greater of the two rules, in
    /// the order they are declared.
    pub fn apply(self, x: f64, y: f64) -> f64 {
        match self {
            Self::Average => 0.5 * (x + y),
            Self::Min => x.min(y),
            Self::Multiply => x * y,
            Self::GeometricMean => (x * y).sqrt(),
            Self::Max => x.max(y),
        }
    }
}

/// Surface of a collider.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Material {
    /// Friction coefficient μ, ≥ 0.
    pub friction: f64,
    /// Coefficient of restitution e, 0 to 1.
    pub restitution: f64,
    /// Rule for friction.
    pub friction_combine: Combine,
    /// Rule for restitution.
    pub restitution_combine: Combine,
    /// Friction law. Of two surfaces, the later in the order None, Boxed, Pyramid, Conic rules.
    pub law: FrictionLaw,
    /// Compliance of a contact point (m/N), ≥ 0; 0 is rigid.
    pub compliance: f64,
    /// Damping time (s), damping / stiffness, ≥ 0.
    pub damping: f64,
    /// Velocity of the surface relative to the body, body axes (m/s): conveyor belts.
    pub surface_velocity: DVec3,
}

impl Default for Material {
    /// μ = 0.5, no bounce, Coulomb's cone, rigid, at rest.
    fn default() -> Self {
        Self {
            friction: 0.5,
            restitution: 0.0,
            friction_combine: Combine::Average,
            restitution_combine: Combine::Average,
            law: FrictionLaw::Conic,
            compliance: 0.0,
            damping: 0.0,
            surface_velocity: DVec3::ZERO,
        }
    }
}

impl Material {
    /// Checks every number.
    ///
    /// # Errors
    /// A number not finite, negative, or a restitution above 1.
    pub fn validate(&self) -> Result<()> {
        check::non_negative("friction", self.friction)?;
        check::fraction("restitution", self.restitution)?;
        check::non_negative("compliance", self.compliance)?;
        check::non_negative("damping", self.damping)?;
        check::vector("surface_velocity", self.surface_velocity).map(|_| ())
    }
}

/// Surface of the contact of `a` and `b`, whose bodies are turned by `rot_a` and `rot_b` (body to
/// world).
///
/// Compliances add (springs in series); the damping time is the mean weighted by compliance; the
/// surface velocity is the one at which b rests on a, b relative to a, in world axes.
pub fn combine(a: &Material, rot_a: DQuat, b: &Material, rot_b: DQuat) -> ContactMaterial {
    let rule = a.friction_combine.max(b.friction_combine);
    let bounce = a.restitution_combine.max(b.restitution_combine);
    let compliance = a.compliance + b.compliance;
    let damping = if compliance > 0.0 {
        (a.damping * a.compliance + b.damping * b.compliance) / compliance
    } else {
        0.0
    };
    ContactMaterial {
        law: if law_rank(a.law) >= law_rank(b.law) {
            a.law
        } else {
            b.law
        },
        friction: rule.apply(a.friction, b.friction),
        restitution: bounce.apply(a.restitution, b.restitution).min(1.0),
        compliance,
        damping,
        surface_velocity: rot_a * a.surface_velocity - rot_b * b.surface_velocity,
    }
}

fn law_rank(law: FrictionLaw) -> u8 {
    match law {
        FrictionLaw::None => 0,
        FrictionLaw::Boxed => 1,
        FrictionLaw::Pyramid => 2,
        _ => 3,
    }
}

/// Who meets whom: two colliders collide when each is a member of something the other looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollisionGroups {
    /// Groups this collider belongs to, one bit each.
    pub memberships: u32,
    /// Groups it collides with.
    pub filter: u32,
}

impl Default for CollisionGroups {
    /// Member of everything, colliding with everything.
    fn default() -> Self {
        Self {
            memberships: u32::MAX,
            filter: u32::MAX,
        }
    }
}

impl CollisionGroups {
    /// Groups from their two masks.
    pub const fn new(memberships: u32, filter: u32) -> Self {
        Self {
            memberships,
            filter,
        }
    }

    /// Whether colliders of these groups collide.
    pub const fn admits(&self, other: &Self) -> bool {
        self.memberships & other.filter != 0 && other.memberships & self.filter != 0
    }
}

bitflags! {
    /// Events a collider asks for.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct ColliderEvents: u8 {
        /// Begin and end of contact, or of overlap with a sensor.
        const CONTACT = 1;
    }
}

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
    /// Collider at the body's origin: 1000 kg/m³, [`Material::default`], colliding with everything.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            offset: Pose::IDENTITY,
            density: 1000.0,
            material: Material::default(),
            groups: CollisionGroups::default(),
            sensor: false,
            events: ColliderEvents::empty(),
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

    /// Events asked for.
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
        check::non_negative("density", self.density)?;
        self.material.validate()?;
        if let Some(f) = self.force_threshold {
            check::non_negative("force_threshold", f)?;
        }
        Ok(())
    }
}

/// A checked collider with what is asked of it every step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "ColliderDesc", into = "ColliderDesc")]
pub struct Collider {
    desc: ColliderDesc,
    mass: MassProps,
    reach: f64,
}

impl From<Collider> for ColliderDesc {
    fn from(c: Collider) -> Self {
        c.desc
    }
}

impl TryFrom<ColliderDesc> for Collider {
    type Error = Error;
    fn try_from(desc: ColliderDesc) -> Result<Self> {
        desc.validate()?;
        Ok(Self {
            mass: desc.shape.mass_props(desc.density).placed(&desc.offset),
            reach: desc.offset.p.length() + desc.shape.bounding_radius(),
            desc,
        })
    }
}

impl Collider {
    /// Checks a description and prepares what it implies.
    ///
    /// # Errors
    /// As [`ColliderDesc::validate`].
    pub fn new(desc: ColliderDesc) -> Result<Self> {
        Self::try_from(desc)
    }

    /// The description.
    pub fn desc(&self) -> &ColliderDesc {
        &self.desc
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.desc.shape
    }

    /// Mass the collider adds to its body, in the body's frame.
    pub fn mass_props(&self) -> &MassProps {
        &self.mass
    }

    /// Greatest distance of a surface point from the body's origin (m).
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// World pose of the shape for a body's pose.
    pub fn pose(&self, body: &Pose) -> Pose {
        *body * self.desc.offset
    }

    /// Tight world box for the world pose of the shape.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        self.desc.shape.aabb(pose)
    }

    /// Replaces the surface.
    ///
    /// # Errors
    /// As [`Material::validate`]; nothing has changed then.
    pub fn set_material(&mut self, material: Material) -> Result<()> {
        material.validate()?;
        self.desc.material = material;
        Ok(())
    }

    /// Replaces the groups.
    pub fn set_groups(&mut self, groups: CollisionGroups) {
        self.desc.groups = groups;
    }

    /// Turns the collider into a sensor or back.
    pub fn set_sensor(&mut self, sensor: bool) {
        self.desc.sensor = sensor;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soft_contacts_act_in_series() {
        let a = ColliderDesc::new(Shape::ball(1.0).unwrap()).contact_stiffness(1e4, 20.0);
        let b = a
            .clone()
            .contact_stiffness(f64::INFINITY, 0.0)
            .friction(0.1);
        assert!(a.validate().is_ok() && b.validate().is_ok());
        let m = combine(&a.material, DQuat::IDENTITY, &b.material, DQuat::IDENTITY);
        assert_eq!((m.compliance, m.damping), (1e-4, 2e-3));
        assert_eq!(m.friction, 0.3);
    }

    #[test]
    fn belts_move_with_their_body() {
        let belt = Material {
            surface_velocity: DVec3::X,
            ..Material::default()
        };
        let turned = DQuat::from_rotation_y(core::f64::consts::FRAC_PI_2);
        let m = combine(&belt, turned, &Material::default(), DQuat::IDENTITY);
        assert!((m.surface_velocity + DVec3::Z).length() < 1e-15);
    }

    #[test]
    fn groups_need_both_sides() {
        let a = CollisionGroups::new(0b01, 0b10);
        assert!(a.admits(&CollisionGroups::new(0b10, 0b01)));
        assert!(!a.admits(&CollisionGroups::new(0b10, 0b10)));
    }
}
