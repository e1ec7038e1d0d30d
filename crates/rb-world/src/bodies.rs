//! Bodies: insert, remove, read and edit. Every edit wakes; an edit that fails changes nothing.

use crate::world::World;
use glam::{DQuat, DVec3, Quat, Vec3};
use rb_core::body::{Body, BodyDesc, BodyFlags, BodyKind};
use rb_core::error::check;
use rb_core::handle::{BodyHandle, ColliderHandle, JointHandle};
use rb_core::mass::{LockedAxes, MassProps};
use rb_core::math::{Pose, Twist, Wrench};
use rb_core::{Error, Result};

impl World {
    /// Inserts a body.
    ///
    /// # Errors
    /// The first argument that is not finite, out of range or contradicts another.
    pub fn add_body(&mut self, desc: BodyDesc) -> Result<BodyHandle> {
        desc.validate()?;
        Ok(self
            .state
            .bodies
            .insert(Body::new(desc, self.state.params.grid)))
    }

    /// Removes a body with its colliders and joints; what rested on it wakes.
    ///
    /// # Errors
    /// The handle is dead.
    pub fn remove_body(&mut self, body: BodyHandle) -> Result<()> {
        let b = self.body(body)?;
        let (colliders, joints) = (b.colliders.clone(), b.joints.clone());
        self.state.wake(body.index());
        self.state.unlink_constraints(|c| c.bodies.contains(&body));
        for joint in joints {
            self.remove_joint(joint)?;
        }
        for collider in colliders {
            self.remove_collider(collider)?;
        }
        self.state.bodies.remove(body);
        Ok(())
    }

    /// The body, for reading.
    ///
    /// # Errors
    /// The handle is dead.
    pub fn body(&self, body: BodyHandle) -> Result<&Body> {
        self.state
            .bodies
            .get(body)
            .ok_or_else(|| dead("body", &body))
    }

    /// Whether the handle is alive.
    pub fn contains_body(&self, body: BodyHandle) -> bool {
        self.state.bodies.contains(body)
    }

    /// All bodies in slot order.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyHandle, &Body)> {
        self.state.bodies.iter()
    }

    /// Body with a name, the first in slot order.
    pub fn body_named(&self, name: &str) -> Option<BodyHandle> {
        self.bodies()
            .find(|(_, b)| b.name() == Some(name))
            .map(|(h, _)| h)
    }

    /// Pose of the body frame (m).
    ///
    /// # Errors
    /// The handle is dead.
    pub fn pose(&self, body: BodyHandle) -> Result<Pose> {
        self.body(body).map(Body::pose)
    }

    /// Position of the body frame (m).
    ///
    /// # Errors
    /// The handle is dead.
    pub fn position(&self, body: BodyHandle) -> Result<DVec3> {
        self.pose(body).map(|p| p.p)
    }

    /// Attitude of the body frame.
    ///
    /// # Errors
    /// The handle is dead.
    pub fn rotation(&self, body: BodyHandle) -> Result<DQuat> {
        self.pose(body).map(|p| p.q)
    }

    /// Velocity at the centre of mass (m/s, rad/s, world axes).
    ///
    /// # Errors
    /// The handle is dead.
    pub fn velocity(&self, body: BodyHandle) -> Result<Twist> {
        self.body(body).map(|b| b.vel)
    }

    /// Pose between the start (`fraction` 0) and the end (1) of the last step, in f32 for a render
    /// loop: position relative to the origin (m) and attitude.
    ///
    /// # Errors
    /// The handle is dead.
    pub fn interpolated(&self, body: BodyHandle, fraction: f64) -> Result<(Vec3, Quat)> {
        let b = self.body(body)?;
        let t = fraction.clamp(0.0, 1.0);
        let com = b.previous.p.lerp(b.com, t);
        let q = b.previous.q.slerp(b.q, t);
        Ok(((com - q * b.mass.com_local).as_vec3(), q.as_quat()))
    }

    fn edit(&mut self, body: BodyHandle) -> Result<&mut Body> {
        if !self.state.bodies.contains(body) {
            return Err(dead("body", &body));
        }
        self.wake_with_neighbours(body.index());
        let b = self.state.body_mut(body.index());
        b.flags.remove(BodyFlags::FROZEN);
        Ok(b)
    }

    /// Places the body frame at once, without sweeping through what lies between.
    ///
    /// # Errors
    /// Dead handle, or a pose that is not finite.
    pub fn set_pose(&mut self, body: BodyHandle, pose: Pose) -> Result<()> {
        check::vector("position", pose.p)?;
        let q = check::rotation("rotation", pose.q)?;
        let b = self.edit(body)?;
        b.set_pose(Pose::new(pose.p, q));
        b.previous = b.com_pose();
        b.mark = None;
        self.state.touch_colliders(body);
        Ok(())
    }

    /// Moves the body frame at once, keeping its attitude (m).
    ///
    /// # Errors
    /// Dead handle, or a position that is not finite.
    pub fn set_position(&mut self, body: BodyHandle, position: impl Into<DVec3>) -> Result<()> {
        let q = self.rotation(body)?;
        self.set_pose(body, Pose::new(position.into(), q))
    }

    /// Sets the velocity at the centre of mass (m/s, rad/s, world axes).
    ///
    /// # Errors
    /// Dead handle, not finite, or a static body.
    pub fn set_velocity(
        &mut self,
        body: BodyHandle,
        linear: impl Into<DVec3>,
        angular: impl Into<DVec3>,
    ) -> Result<()> {
        let lin = check::vector("linear", linear.into())?;
        let ang = check::vector("angular", angular.into())?;
        if self.body(body)?.kind == BodyKind::Static {
            return Err(Error::Contradiction {
                argument: "velocity",
                reason: "a static body has no velocity; make it kinematic".into(),
            });
        }
        let b = self.edit(body)?;
        b.vel = Twist::new(lin, ang);
        b.obey_locks();
        Ok(())
    }

    /// Where a kinematic body's frame is to be at the end of the next step; its velocity follows.
    ///
    /// # Errors
    /// Dead handle, not finite, or a body that is not kinematic.
    pub fn set_target(&mut self, body: BodyHandle, pose: Pose) -> Result<()> {
        check::vector("position", pose.p)?;
        let q = check::rotation("rotation", pose.q)?;
        if self.body(body)?.kind != BodyKind::Kinematic {
            return Err(Error::Contradiction {
                argument: "target",
                reason: "only a kinematic body follows a target pose".into(),
            });
        }
        self.edit(body)?.set_target(Pose::new(pose.p, q));
        Ok(())
    }

    /// Adds a force (N) at the centre of mass for the next step.
    ///
    /// # Errors
    /// Dead handle or not finite.
    pub fn add_force(&mut self, body: BodyHandle, force: impl Into<DVec3>) -> Result<()> {
        let force = check::vector("force", force.into())?;
        self.edit(body)?.add_force(Wrench {
            force,
            torque: DVec3::ZERO,
        });
        Ok(())
    }

    /// Adds a torque (N·m, world) for the next step.
    ///
    /// # Errors
    /// Dead handle or not finite.
    pub fn add_torque(&mut self, body: BodyHandle, torque: impl Into<DVec3>) -> Result<()> {
        let torque = check::vector("torque", torque.into())?;
        self.edit(body)?.add_force(Wrench {
            force: DVec3::ZERO,
            torque,
        });
        Ok(())
    }

    /// Adds a force (N) at a world point (m) for the next step.
    ///
    /// # Errors
    /// Dead handle or not finite.
    pub fn add_force_at(
        &mut self,
        body: BodyHandle,
        force: impl Into<DVec3>,
        point: impl Into<DVec3>,
    ) -> Result<()> {
        let force = check::vector("force", force.into())?;
        let point = check::vector("point", point.into())?;
        self.edit(body)?.add_force_at(force, point);
        Ok(())
    }

    /// Applies an impulse (N·s) at the centre of mass at once.
    ///
    /// # Errors
    /// Dead handle or not finite.
    pub fn apply_impulse(&mut self, body: BodyHandle, impulse: impl Into<DVec3>) -> Result<()> {
        let com = self.body(body)?.com;
        self.apply_impulse_at(body, impulse, com)
    }

    /// Applies an impulse (N·s) at a world point (m) at once.
    ///
    /// # Errors
    /// Dead handle or not finite.
    pub fn apply_impulse_at(
        &mut self,
        body: BodyHandle,
        impulse: impl Into<DVec3>,
        point: impl Into<DVec3>,
    ) -> Result<()> {
        let impulse = check::vector("impulse", impulse.into())?;
        let point = check::vector("point", point.into())?;
        self.edit(body)?.apply_impulse_at(impulse, point);
        Ok(())
    }

    /// Gives a body mass, centre of mass and inertia by hand.
    ///
    /// # Errors
    /// Dead handle, or a mass that is not positive, finite and symmetric positive definite.
    pub fn set_mass(&mut self, body: BodyHandle, mass: MassProps) -> Result<()> {
        mass.validate()?;
        let b = self.edit(body)?;
        b.set_mass(mass);
        b.mass_by_hand = true;
        self.state.refresh_extent(body);
        Ok(())
    }

    /// Changes how a body moves. One that becomes dynamic takes its mass from its colliders, unless it was
    /// given by hand.
    ///
    /// # Errors
    /// Dead handle.
    pub fn set_kind(&mut self, body: BodyHandle, kind: BodyKind) -> Result<()> {
        let b = self.edit(body)?;
        let before = std::mem::replace(&mut b.kind, kind);
        b.clear_target();
        b.obey_locks();
        if kind == BodyKind::Static {
            b.vel = Twist::ZERO;
        }
        if before != BodyKind::Dynamic {
            self.state.refresh_mass(body);
        }
        self.state.rejoined = true;
        self.state.recheck_body(body);
        self.state.touch_colliders(body);
        Ok(())
    }

    /// Locks world axes; a dynamic body's velocity along and about them is gone.
    ///
    /// # Errors
    /// Dead handle.
    pub fn set_locked(&mut self, body: BodyHandle, locked: LockedAxes) -> Result<()> {
        let b = self.edit(body)?;
        b.locked = locked;
        b.obey_locks();
        self.state.rejoined = true;
        Ok(())
    }

    /// Factor on gravity.
    ///
    /// # Errors
    /// Dead handle or not finite.
    pub fn set_gravity_scale(&mut self, body: BodyHandle, scale: f64) -> Result<()> {
        check::finite("gravity_scale", scale)?;
        self.edit(body)?.gravity_scale = scale;
        Ok(())
    }

    /// Linear and angular damping rates (1/s).
    ///
    /// # Errors
    /// Dead handle, not finite or negative.
    pub fn set_damping(&mut self, body: BodyHandle, linear: f64, angular: f64) -> Result<()> {
        check::non_negative("linear_damping", linear)?;
        check::non_negative("angular_damping", angular)?;
        let b = self.edit(body)?;
        (b.linear_damping, b.angular_damping) = (linear, angular);
        Ok(())
    }

    /// Wakes a body and all that sleep with it; also lets a frozen body move again.
    ///
    /// # Errors
    /// Dead handle.
    pub fn wake(&mut self, body: BodyHandle) -> Result<()> {
        self.edit(body).map(|_| ())
    }

    /// Colliders of a body.
    ///
    /// # Errors
    /// Dead handle.
    pub fn colliders_of(&self, body: BodyHandle) -> Result<&[ColliderHandle]> {
        self.body(body).map(|b| &b.colliders[..])
    }

    /// Joints of a body.
    ///
    /// # Errors
    /// Dead handle.
    pub fn joints_of(&self, body: BodyHandle) -> Result<&[JointHandle]> {
        self.body(body).map(|b| &b.joints[..])
    }

    /// Wakes a body and every sleeper that touches it or is held by it: its support may just have moved.
    pub(crate) fn wake_with_neighbours(&mut self, slot: u32) {
        let state = &mut self.state;
        state.wake(slot);
        // What moves by itself sleeps together with its neighbours.
        if state.body(slot).is_movable() {
            return;
        }
        let index = |bodies: [BodyHandle; 2]| bodies.map(|b| b.index());
        let contacts = state.touched_bodies();
        let joints = state.body(slot).joints.iter();
        let joints = joints.filter_map(|j| state.joints.get(*j));
        let pairs = contacts.chain(joints.map(|j| index(j.bodies)));
        let held = state.constraints.iter().map(|(_, c)| &c.bodies);
        let held = held.filter(|bodies| bodies.iter().any(|b| b.index() == slot));
        let held = held.flatten().map(|b| b.index());
        let pairs = pairs.filter(|pair| pair.contains(&slot)).flatten();
        let near: Vec<u32> = pairs.chain(held).collect();
        for s in near {
            state.wake(s);
        }
    }
}

/// Error of a dead handle.
pub(crate) fn dead<T>(argument: &'static str, handle: &rb_core::handle::Handle<T>) -> Error {
    Error::DeadHandle {
        argument,
        handle: format!("{handle:?}"),
    }
}
