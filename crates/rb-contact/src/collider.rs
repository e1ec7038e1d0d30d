//! Colliders: a shape on a body, with its surface and who it meets.

mod desc;

pub use desc::ColliderDesc;

use crate::geom::Aabb;
use crate::material::{Combine, Material};
use crate::shape::Shape;
use bitflags::bitflags;
use glam::DVec3;
use rb_core::anchor::Stand;
use rb_core::grid::Grid;
use rb_core::manifold::{FrictionLaw, SurfaceExtras};
use rb_core::mass::MassProps;
use rb_core::math::{Pose, renormalized};
use rb_core::{Error, Result};
use serde::{Deserialize, Serialize};

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
    /// Events a collider asks for. A pair is told of if either of its colliders asks.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct ColliderEvents: u8 {
        /// Begin and end of contact, or of overlap with a sensor.
        const CONTACT = 1;
    }
}

impl Default for ColliderEvents {
    /// All of them.
    fn default() -> Self {
        Self::all()
    }
}

/// A checked collider: what is asked of it every step, and aside what few colliders have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "ColliderDesc", into = "ColliderDesc")]
pub struct Collider {
    shape: Shape,
    offset: Pose,
    density: f64,
    radius: f64,
    friction: f64,
    restitution: f64,
    friction_combine: Combine,
    restitution_combine: Combine,
    law: FrictionLaw,
    /// Whether the shape's frame is that of the body.
    centred: bool,
    sensor: bool,
    events: ColliderEvents,
    groups: CollisionGroups,
    extras: Option<Box<ColliderExtras>>,
}

/// What few colliders have; the default has none of it. As in a [`ColliderDesc`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ColliderExtras {
    compliance: f64,
    damping: f64,
    surface_velocity: DVec3,
    surface: SurfaceExtras,
    force_threshold: Option<f64>,
    user_data: u128,
}

impl From<ColliderDesc> for ColliderExtras {
    fn from(desc: ColliderDesc) -> Self {
        Self {
            compliance: desc.material.compliance,
            damping: desc.material.damping,
            surface_velocity: desc.material.surface_velocity,
            surface: desc.material.extras,
            force_threshold: desc.force_threshold,
            user_data: desc.user_data,
        }
    }
}

impl From<Collider> for ColliderDesc {
    fn from(c: Collider) -> Self {
        c.desc()
    }
}

impl TryFrom<ColliderDesc> for Collider {
    type Error = Error;
    fn try_from(desc: ColliderDesc) -> Result<Self> {
        desc.validate()?;
        Ok(Self::checked(desc))
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

    /// Collider of a description that has been checked.
    fn checked(desc: ColliderDesc) -> Self {
        Self {
            shape: desc.shape.clone(),
            offset: desc.offset,
            density: desc.density,
            radius: desc.shape.bounding_radius(),
            friction: desc.material.friction,
            restitution: desc.material.restitution,
            friction_combine: desc.material.friction_combine,
            restitution_combine: desc.material.restitution_combine,
            law: desc.material.law,
            centred: desc.offset == Pose::IDENTITY,
            sensor: desc.sensor,
            events: desc.events,
            groups: desc.groups,
            extras: Some(ColliderExtras::from(desc))
                .filter(|extras| *extras != ColliderExtras::default())
                .map(Box::new),
        }
    }

    /// The description.
    pub fn desc(&self) -> ColliderDesc {
        let extras = self.extras();
        ColliderDesc {
            shape: self.shape.clone(),
            offset: self.offset,
            density: self.density,
            material: self.material(),
            groups: self.groups,
            sensor: self.sensor,
            events: self.events,
            force_threshold: extras.force_threshold,
            user_data: extras.user_data,
        }
    }

    fn extras(&self) -> ColliderExtras {
        self.extras.as_deref().copied().unwrap_or_default()
    }

    /// Bytes held apart from the collider itself, without what its shape shares with others.
    pub fn bytes_apart(&self) -> usize {
        self.extras
            .as_ref()
            .map_or(0, |_| size_of::<ColliderExtras>())
    }

    /// The shape.
    #[inline]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Place of the shape in the body's frame.
    pub fn offset(&self) -> &Pose {
        &self.offset
    }

    /// The surface.
    pub fn material(&self) -> Material {
        let extras = self.extras();
        Material {
            friction: self.friction,
            restitution: self.restitution,
            friction_combine: self.friction_combine,
            restitution_combine: self.restitution_combine,
            law: self.law,
            compliance: extras.compliance,
            damping: extras.damping,
            surface_velocity: extras.surface_velocity,
            extras: extras.surface,
        }
    }

    /// Whether the surface has a direction, which turns with the body.
    #[inline]
    pub fn is_directed(&self) -> bool {
        let directed =
            |e: &ColliderExtras| e.surface_velocity != DVec3::ZERO || e.surface.across != 1.0;
        self.extras.as_deref().is_some_and(directed)
    }

    /// Who it collides with.
    #[inline]
    pub fn groups(&self) -> CollisionGroups {
        self.groups
    }

    /// Whether it only reports overlaps.
    #[inline]
    pub fn is_sensor(&self) -> bool {
        self.sensor
    }

    /// Events it asks for.
    #[inline]
    pub fn events(&self) -> ColliderEvents {
        self.events
    }

    /// Contacts are reported whose total force exceeds this (N).
    #[inline]
    pub fn force_threshold(&self) -> Option<f64> {
        self.extras.as_ref()?.force_threshold
    }

    /// Mass the collider adds to its body, in the body's frame.
    pub fn mass_props(&self) -> MassProps {
        self.shape.mass_props(self.density).placed(&self.offset)
    }

    /// Greatest distance of a surface point from the body's origin (m).
    pub fn reach(&self) -> f64 {
        self.offset.p.length() + self.radius
    }

    /// Greatest distance of a surface point from the origin of the shape's own frame (m).
    #[inline]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Where the shape stands if `com`, the pose at the centre of mass of its body (m, world), is away from the
    /// body's origin by `com_local` (m, body axes); away from it in steps of the grid.
    #[inline(always)]
    pub fn stand(&self, com: &Pose, com_local: DVec3, grid: Grid) -> Stand {
        let offset = &self.offset;
        let q = match self.centred {
            true => com.q,
            false => com.q * offset.q,
        };
        let arm = offset.p - com_local;
        let aside = match arm == DVec3::ZERO {
            true => DVec3::ZERO,
            false => grid.round(com.q * arm),
        };
        Stand {
            pose: Pose::new(com.p + aside, renormalized(q)),
            center: com.p,
        }
    }

    /// Box around the shape for its world pose, at whole steps of the grid from it.
    #[inline(always)]
    pub fn aabb(&self, pose: &Pose, grid: Grid) -> Aabb {
        let around = self.shape.aabb(&Pose::new(DVec3::ZERO, pose.q));
        Aabb::new(grid.round(around.min), grid.round(around.max)).moved(pose.p)
    }

    /// Replaces the surface.
    ///
    /// # Errors
    /// As [`Material::validate`]; nothing has changed then.
    pub fn set_material(&mut self, material: Material) -> Result<()> {
        material.validate()?;
        let desc = self.desc();
        *self = Self::checked(ColliderDesc { material, ..desc });
        Ok(())
    }

    /// Replaces the groups.
    pub fn set_groups(&mut self, groups: CollisionGroups) {
        self.groups = groups;
    }

    /// Turns the collider into a sensor or back.
    pub fn set_sensor(&mut self, sensor: bool) {
        self.sensor = sensor;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collider_is_small() {
        assert!(size_of::<Collider>() <= 152);
    }

    #[test]
    fn a_collider_is_what_was_described() {
        let plain = ColliderDesc::new(Shape::ball(1.0).unwrap())
            .density(3.0)
            .friction(0.7)
            .restitution(0.2)
            .sensor(true);
        let rare = plain
            .clone()
            .contact_stiffness(1e4, 20.0)
            .surface_velocity(DVec3::X)
            .rolling(0.1)
            .force_threshold(5.0)
            .user_data(u128::MAX);
        for desc in [plain, rare] {
            let mut collider = Collider::new(desc.clone()).unwrap();
            assert_eq!(collider.desc(), desc);
            collider.set_material(Material::default()).unwrap();
            let material = Material::default();
            assert_eq!(collider.desc(), ColliderDesc { material, ..desc });
        }
    }

    #[test]
    fn stiffness_is_stored_as_compliance() {
        let a = ColliderDesc::new(Shape::ball(1.0).unwrap()).contact_stiffness(1e4, 20.0);
        assert_eq!((a.material.compliance, a.material.damping), (1e-4, 2e-3));
        let rigid = a.contact_stiffness(f64::INFINITY, 0.0);
        assert_eq!(rigid.material.compliance, 0.0);
        assert!(rigid.validate().is_ok());
        assert!(rigid.density(f64::NAN).validate().is_err());
    }

    #[test]
    fn groups_need_both_sides() {
        let a = CollisionGroups::new(0b01, 0b10);
        assert!(a.admits(&CollisionGroups::new(0b10, 0b01)));
        assert!(!a.admits(&CollisionGroups::new(0b10, 0b10)));
    }
}
