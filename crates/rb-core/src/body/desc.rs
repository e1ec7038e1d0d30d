//! What users say of a body before it is inserted.

use super::{BodyFlags, BodyKind};
use crate::error::{Error, Result, check};
use crate::mass::{LockedAxes, MassProps};
use crate::math::{Pose, Twist};
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Description of a body to insert; by-value builder.
///
/// ```
/// use rb_core::body::BodyDesc;
/// use rb_core::glam::Vec3;
/// let b = BodyDesc::dynamic().at(Vec3::new(0.0, 2.0, 0.0)).velocity([1.0, 0.0, 0.0]).gravity_scale(0.5);
/// assert!(b.validate().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyDesc {
    /// How it moves.
    pub kind: BodyKind,
    /// Pose of the body frame (m).
    pub pose: Pose,
    /// Velocity of the centre of mass (m/s) and angular velocity (rad/s), world axes.
    pub vel: Twist,
    /// Mass given by hand; otherwise from the colliders' densities.
    pub mass: Option<MassProps>,
    /// Locked world axes.
    pub locked: LockedAxes,
    /// Factor on gravity.
    pub gravity_scale: f64,
    /// Linear damping rate d (1/s): a drag −d m v at the end of every substep, m (1 + h d) v⁺ = m v + h F + Jᵀλ.
    pub linear_damping: f64,
    /// Angular damping rate (1/s), likewise.
    pub angular_damping: f64,
    /// Switches.
    pub flags: BodyFlags,
    /// Name for files, viewers and reports.
    pub name: Option<String>,
    /// Anything of the user's.
    pub user_data: u64,
}

impl BodyDesc {
    /// Body of a kind, at the origin, at rest.
    pub fn new(kind: BodyKind) -> Self {
        Self {
            kind,
            pose: Pose::IDENTITY,
            vel: Twist::ZERO,
            mass: None,
            locked: LockedAxes::empty(),
            gravity_scale: 1.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
            flags: BodyFlags::empty(),
            name: None,
            user_data: 0,
        }
    }

    /// Dynamic body at the origin.
    pub fn dynamic() -> Self {
        Self::new(BodyKind::Dynamic)
    }

    /// Static body at the origin.
    pub fn fixed() -> Self {
        Self::new(BodyKind::Static)
    }

    /// Kinematic body at the origin.
    pub fn kinematic() -> Self {
        Self::new(BodyKind::Kinematic)
    }

    /// Position of the body frame (m); takes `Vec3`, `DVec3` or an array.
    #[must_use]
    pub fn at(mut self, position: impl Into<DVec3>) -> Self {
        self.pose.p = position.into();
        self
    }

    /// Attitude of the body frame, body to world.
    #[must_use]
    pub fn rotated(mut self, rotation: DQuat) -> Self {
        self.pose.q = rotation;
        self
    }

    /// Pose of the body frame.
    #[must_use]
    pub fn pose(mut self, pose: Pose) -> Self {
        self.pose = pose;
        self
    }

    /// Velocity of the centre of mass (m/s).
    #[must_use]
    pub fn velocity(mut self, v: impl Into<DVec3>) -> Self {
        self.vel.lin = v.into();
        self
    }

    /// Angular velocity (rad/s, world axes).
    #[must_use]
    pub fn spin(mut self, w: impl Into<DVec3>) -> Self {
        self.vel.ang = w.into();
        self
    }

    /// Mass, centre of mass and inertia by hand instead of from the colliders.
    #[must_use]
    pub fn mass_props(mut self, mass: MassProps) -> Self {
        self.mass = Some(mass);
        self
    }

    /// Mass (kg) and principal moments (kg·m²) along the body axes, by hand.
    #[must_use]
    pub fn mass(self, mass: f64, inertia: impl Into<DVec3>) -> Self {
        self.mass_props(MassProps::diagonal(mass, inertia.into()))
    }

    /// Locked world axes.
    #[must_use]
    pub fn lock(mut self, axes: LockedAxes) -> Self {
        self.locked = axes;
        self
    }

    /// Factor on gravity.
    #[must_use]
    pub fn gravity_scale(mut self, scale: f64) -> Self {
        self.gravity_scale = scale;
        self
    }

    /// Linear and angular damping rates (1/s).
    #[must_use]
    pub fn damping(mut self, linear: f64, angular: f64) -> Self {
        self.linear_damping = linear;
        self.angular_damping = angular;
        self
    }

    /// Swept against dynamic bodies too.
    #[must_use]
    pub fn bullet(mut self) -> Self {
        self.flags |= BodyFlags::BULLET;
        self
    }

    /// Never falls asleep.
    #[must_use]
    pub fn no_sleep(mut self) -> Self {
        self.flags |= BodyFlags::NO_SLEEP;
        self
    }

    /// Its island is always solved exactly.
    #[must_use]
    pub fn precise(mut self) -> Self {
        self.flags |= BodyFlags::PRECISE;
        self
    }

    /// Name for files, viewers and reports.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Anything of the user's.
    #[must_use]
    pub fn user_data(mut self, data: u64) -> Self {
        self.user_data = data;
        self
    }

    /// Checks every number; the error names the argument.
    pub fn validate(&self) -> Result<()> {
        check::vector("position", self.pose.p)?;
        check::rotation("rotation", self.pose.q)?;
        check::vector("velocity", self.vel.lin)?;
        check::vector("spin", self.vel.ang)?;
        check::finite("gravity_scale", self.gravity_scale)?;
        check::non_negative("linear_damping", self.linear_damping)?;
        check::non_negative("angular_damping", self.angular_damping)?;
        if self.kind == BodyKind::Static && self.vel != Twist::ZERO {
            return Err(Error::Contradiction {
                argument: "velocity",
                reason: "a static body has no velocity; make it kinematic".into(),
            });
        }
        self.mass.map_or(Ok(()), |m| m.validate())
    }
}
