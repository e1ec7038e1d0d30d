//! Bodies: what users describe ([`BodyDesc`]) and what a world stores ([`Body`]).
//!
//! State is f64 and taken at the centre of mass, so that a world 10 km from the origin behaves as at
//! the origin; users see the pose of the body frame.

mod desc;
mod extras;

pub use desc::BodyDesc;

use crate::grid::Grid;
use crate::handle::{ColliderHandle, JointHandle};
use crate::mass::{InvMass, LockedAxes, MassProps, PointMass, PrincipalInertia};
use crate::math::{Pose, Twist, Wrench};
use bitflags::bitflags;
use extras::BodyExtras;
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
    /// Mass and centre of mass in the body frame; zero for a massless dynamic body.
    pub mass: PointMass,
    /// Inertia about the centre of mass, in its principal frame.
    pub inertia: PrincipalInertia,
    /// Mass given by hand rather than from colliders.
    pub mass_by_hand: bool,
    /// Factor on gravity.
    pub gravity_scale: f64,
    /// Linear damping rate (1/s).
    pub linear_damping: f64,
    /// Angular damping rate (1/s).
    pub angular_damping: f64,
    /// Centre of mass and attitude at the start of the last step, for interpolation.
    pub previous: Pose,
    /// Centre of mass and attitude at which contacts see it: where it was when they were last found or placed. `None`
    /// where they are to see it where it is.
    pub mark: Option<Pose>,
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
    pub joints: SmallVec<[JointHandle; 2]>,
    extras: Option<Box<BodyExtras>>,
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
            mass: PointMass::default(),
            inertia: PrincipalInertia::default(),
            mass_by_hand: desc.mass.is_some(),
            gravity_scale: desc.gravity_scale,
            linear_damping: desc.linear_damping,
            angular_damping: desc.angular_damping,
            previous: Pose::IDENTITY,
            mark: None,
            still: 0.0,
            exact_hold: 0,
            exact_rest: 0,
            asleep: None,
            extent: 0.0,
            core: 0.0,
            colliders: SmallVec::new(),
            joints: SmallVec::new(),
            extras: BodyExtras::new(desc.name, desc.user_data),
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

    /// Displacement since contacts saw it (m, rotation vector in rad; world), to first order: it is small.
    #[inline]
    pub fn moved(&self) -> Twist {
        self.moved_to(&self.com_pose())
    }

    /// The same when it stood there.
    #[inline]
    pub fn moved_to(&self, com: &Pose) -> Twist {
        self.mark.map_or(Twist::ZERO, |mark| {
            let turn = com.q * mark.q.conjugate();
            Twist::new(com.p - mark.p, turn.xyz() * (2.0 * turn.w.signum()))
        })
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

    /// Mass, centre of mass and inertia in the body frame.
    pub fn mass_props(&self) -> MassProps {
        MassProps {
            mass: self.mass.mass,
            com_local: self.mass.com_local,
            inertia_local: self.inertia.local(),
        }
    }

    /// Replaces mass, centre of mass and inertia, keeping the body frame where it is and was, and its motion
    /// as a rigid body.
    pub fn set_mass(&mut self, mass: MassProps) {
        let (frame, before) = (self.pose(), self.aside(self.previous.q));
        let aside = mass.com_local - self.mass.com_local;
        self.vel.lin += self.vel.ang.cross(self.q * aside);
        self.mass = PointMass {
            mass: mass.mass,
            com_local: mass.com_local,
        };
        self.previous.p += self.aside(self.previous.q) - before;
        self.mark = None;
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
            false => self.inertia.spread(self.mass.mass),
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
        self.add_force(Wrench {
            force,
            torque: (point - self.com).cross(force),
        });
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
    use crate::arena::Slot;

    /// Worlds of many bodies are read and written whole in every step.
    #[test]
    fn a_body_is_small() {
        assert!(size_of::<Slot<Body>>() <= 448);
    }

    #[test]
    fn what_few_bodies_have_is_told_of_all() {
        let plain = Body::new(BodyDesc::dynamic(), Grid::FINE);
        assert_eq!(
            (plain.name(), plain.user_data(), plain.target()),
            (None, 0, None)
        );
        let desc = BodyDesc::kinematic().named("lift").user_data(7);
        let mut lift = Body::new(desc, Grid::FINE);
        lift.set_target(Pose::IDENTITY);
        let told = (lift.name(), lift.user_data(), lift.target());
        assert_eq!(told, (Some("lift"), 7, Some(Pose::IDENTITY)));
        assert!(lift.clear_target() && !lift.clear_target());
    }

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
