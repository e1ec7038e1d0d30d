//! Bodies: what users describe ([`BodyDesc`]) and what a world stores ([`Body`]).
//!
//! State is f64 and taken at the centre of mass, so that a world 10 km from the origin behaves as at
//! the origin; users see the pose of the body frame.

use crate::error::{Error, Result, check};
use crate::grid::Grid;
use crate::handle::{ColliderHandle, JointHandle};
use crate::mass::{InvMass, LockedAxes, MassProps, PrincipalInertia};
use crate::math::{Pose, Twist, Wrench};
use bitflags::bitflags;
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// How a body moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BodyKind {
    /// Never moves by itself.
    #[serde(alias = "static")]
    Static,
    /// Moves as told, by velocity or by target pose; pushes others, is never pushed.
    #[serde(alias = "kinematic")]
    Kinematic,
    /// Moves by forces and impulses.
    #[default]
    #[serde(alias = "dynamic")]
    Dynamic,
}

bitflags! {
    /// Switches of a body.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct BodyFlags: u8 {
        /// Swept against other dynamic bodies as well, not only static ones.
        const BULLET = 1;
        /// Never falls asleep.
        const NO_SLEEP = 2;
        /// Its state became non-finite: put back and held in place until it is edited.
        const FROZEN = 4;
        /// Its island is always solved exactly.
        const PRECISE = 8;
    }
}

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

/// A body as the world stores it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// Centre of mass (m, world).
    pub com: DVec3,
    /// Attitude, body to world.
    pub q: DQuat,
    /// Velocity at the centre of mass, world axes. A dynamic body without mass keeps the one it is given for
    /// the time when it has mass.
    pub vel: Twist,
    /// What its places lie on: that of its world.
    pub grid: Grid,
    /// How it moves.
    pub kind: BodyKind,
    /// Switches.
    pub flags: BodyFlags,
    /// Locked world axes.
    pub locked: LockedAxes,
    /// Mass, centre of mass and inertia in the body frame; zero for a massless dynamic body.
    pub mass: MassProps,
    /// The inertia in its principal frame.
    pub inertia: PrincipalInertia,
    /// Mass given by hand rather than from colliders.
    pub mass_by_hand: bool,
    /// Factor on gravity.
    pub gravity_scale: f64,
    /// Linear damping rate (1/s).
    pub linear_damping: f64,
    /// Angular damping rate (1/s).
    pub angular_damping: f64,
    /// Force and torque for the next step (N, N·m), cleared after it.
    pub force: Wrench,
    /// Where a kinematic body is to be at the end of the next step (body frame).
    pub target: Option<Pose>,
    /// Centre of mass and attitude at the start of the last step, for interpolation.
    pub previous: Pose,
    /// Time (s) its surface has been still.
    pub still: f64,
    /// Steps its island stays with the exact solver.
    pub exact_hold: u8,
    /// Steps in which its island does not ask the exact solver for depth: it could not help.
    pub exact_rest: u8,
    /// Sleeping group, if asleep.
    pub asleep: Option<u32>,
    /// Largest distance of its surface from the centre of mass (m); 0 without colliders.
    pub extent: f64,
    /// Smallest distance of its surface from the centre of mass (m): the swept test's threshold.
    pub core: f64,
    /// Its colliders.
    pub colliders: SmallVec<[ColliderHandle; 2]>,
    /// Its joints.
    pub joints: SmallVec<[JointHandle; 4]>,
    /// Name for files, viewers and reports.
    pub name: Option<String>,
    /// Anything of the user's.
    pub user_data: u64,
}

impl Body {
    /// Body from a checked description; mass by hand is taken at once. Its centre of mass is on the grid if its
    /// frame is.
    pub fn new(desc: BodyDesc, grid: Grid) -> Self {
        let mut body = Self {
            com: desc.pose.p,
            q: desc.pose.q.normalize(),
            vel: desc.vel,
            grid,
            kind: desc.kind,
            flags: desc.flags,
            locked: desc.locked,
            mass: MassProps::ZERO,
            inertia: PrincipalInertia::default(),
            mass_by_hand: desc.mass.is_some(),
            gravity_scale: desc.gravity_scale,
            linear_damping: desc.linear_damping,
            angular_damping: desc.angular_damping,
            force: Wrench::ZERO,
            target: None,
            previous: Pose::IDENTITY,
            still: 0.0,
            exact_hold: 0,
            exact_rest: 0,
            asleep: None,
            extent: 0.0,
            core: 0.0,
            colliders: SmallVec::new(),
            joints: SmallVec::new(),
            name: desc.name,
            user_data: desc.user_data,
        };
        body.set_mass(desc.mass.unwrap_or(MassProps::ZERO));
        body.previous = body.com_pose();
        body
    }

    /// Pose of the body frame (m, world).
    #[inline]
    pub fn pose(&self) -> Pose {
        Pose::new(self.com - self.aside(self.q), self.q)
    }

    /// Pose of the frame at the centre of mass, body axes.
    #[inline]
    pub fn com_pose(&self) -> Pose {
        Pose::new(self.com, self.q)
    }

    /// From the origin of the body frame to the centre of mass at an attitude (m, world), in steps of the grid.
    #[inline]
    fn aside(&self, q: DQuat) -> DVec3 {
        // Most bodies have their centre of mass at the origin of their frame.
        match self.mass.com_local == DVec3::ZERO {
            true => DVec3::ZERO,
            false => self.grid.round(q * self.mass.com_local),
        }
    }

    /// Where the centre of mass is if the body frame stands there (m, world).
    pub fn com_at(&self, pose: &Pose) -> DVec3 {
        pose.p + self.aside(pose.q)
    }

    /// Places the body frame; velocity stays.
    pub fn set_pose(&mut self, pose: Pose) {
        self.q = pose.q.normalize();
        self.com = self.com_at(&Pose::new(pose.p, self.q));
    }

    /// Replaces mass, centre of mass and inertia, keeping the body frame where it is and was, and its motion
    /// as a rigid body.
    pub fn set_mass(&mut self, mass: MassProps) {
        let (frame, before) = (self.pose(), self.aside(self.previous.q));
        let aside = mass.com_local - self.mass.com_local;
        self.vel.lin += self.vel.ang.cross(self.q * aside);
        self.mass = mass;
        self.previous.p += self.aside(self.previous.q) - before;
        self.inertia = if mass.mass > 0.0 {
            PrincipalInertia::new(mass.inertia_local)
        } else {
            PrincipalInertia::default()
        };
        self.set_pose(frame);
        self.obey_locks();
    }

    /// Largest distance of its points from the centre of mass (m). Without a surface they are as far away as its mass is
    /// spread: a bare rotor that turns is not at rest, and one that turns wrongly is not right.
    #[inline]
    pub fn span(&self) -> f64 {
        match self.extent > 0.0 {
            true => self.extent,
            false => self.mass.spread(),
        }
    }

    /// Bound on the speed of its points (m/s).
    #[inline]
    pub fn speed(&self) -> f64 {
        self.vel.lin.length() + self.vel.ang.length() * self.span()
    }

    /// Drops the velocity of a dynamic body along and about its locked axes, which no impulse could change.
    pub fn obey_locks(&mut self) {
        if self.kind == BodyKind::Dynamic {
            self.vel.lin *= self.locked.linear_mask();
            self.vel.ang *= self.locked.angular_mask();
        }
    }

    /// Whether impulses can move it: dynamic, massive and not frozen.
    #[inline]
    pub fn is_movable(&self) -> bool {
        self.kind == BodyKind::Dynamic
            && self.mass.mass > 0.0
            && !self.flags.contains(BodyFlags::FROZEN)
            && self.locked != LockedAxes::all()
    }

    /// Whether it sleeps.
    #[inline]
    pub fn is_asleep(&self) -> bool {
        self.asleep.is_some()
    }

    /// Inverse mass in world axes at the present attitude; zero unless movable.
    #[inline]
    pub fn inv_mass(&self) -> InvMass {
        if self.is_movable() {
            InvMass::new(self.mass.mass, &self.inertia, self.q, self.locked)
        } else {
            InvMass::ZERO
        }
    }

    /// Kinetic energy (J).
    pub fn kinetic_energy(&self) -> f64 {
        let w = self.inertia.world(self.q) * self.vel.ang;
        0.5 * (self.mass.mass * self.vel.lin.length_squared() + self.vel.ang.dot(w))
    }

    /// Adds a force (N) at a world point: a wrench at the centre of mass for the next step.
    pub fn add_force_at(&mut self, force: DVec3, point: DVec3) {
        self.force += Wrench {
            force,
            torque: (point - self.com).cross(force),
        };
    }

    /// Applies an impulse (N·s) at a world point at once, which does nothing to a body that impulses cannot move.
    pub fn apply_impulse_at(&mut self, impulse: DVec3, point: DVec3) {
        if !self.is_movable() {
            return;
        }
        let j = Twist::new(impulse, (point - self.com).cross(impulse));
        self.vel += self.inv_mass().apply(&j);
    }

    /// Whether every number of its state is finite and of a size that squares without overflow.
    pub fn is_sound(&self) -> bool {
        sound(self.com) && self.q.is_finite() && sound(self.vel.lin) && sound(self.vel.ang)
    }
}

/// Largest coordinate or speed (m, m/s, rad/s) that counts as a state rather than an accident.
pub const SOUND: f64 = 1e12;

/// Whether a vector is finite and below [`SOUND`].
pub fn sound(v: DVec3) -> bool {
    // One by one: the largest of several numbers passes over those that are none.
    v.abs().cmplt(DVec3::splat(SOUND)).all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_that_is_none_is_not_sound() {
        assert!(sound(DVec3::splat(-1e11)));
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
            for axis in 0..3 {
                let mut v = DVec3::ONE;
                v[axis] = bad;
                assert!(!sound(v), "{v}");
            }
        }
    }
}
