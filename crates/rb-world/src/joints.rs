//! Joints: insert, remove, read and edit.

use crate::bodies::dead;
use crate::island::finish::row_error;
use crate::state::{JointSlot, State};
use crate::world::World;
use rb_core::handle::{BodyHandle, JointHandle};
use rb_core::math::Wrench;
use rb_core::{Error, Result};
use rb_joints::{
    Axis, Constraint, Coordinate, Coordinates, Drive, Joint, JointDesc, JointMemory, Role, Rows,
    Slot, reaction,
};

/// How hard one drive of a joint works.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriveLoad {
    /// Which feature of which axis.
    pub slot: Slot,
    /// Force (N) or torque (N·m), mean over the last substep.
    pub force: f64,
    /// Share of the bound it may use, 0 to 1; 0 for unbounded features.
    pub saturation: f64,
}

impl World {
    /// Connects two bodies.
    ///
    /// # Errors
    /// Dead handles, a body with itself, two bodies that cannot move, or a joint whose settings are
    /// out of range.
    pub fn add_joint(
        &mut self,
        a: BodyHandle,
        b: BodyHandle,
        joint: impl Into<JointDesc>,
    ) -> Result<JointHandle> {
        let desc = joint.into();
        desc.validate()?;
        let (body_a, body_b) = (self.body(a)?, self.body(b)?);
        let clash = |reason: &str| Error::Contradiction {
            argument: "bodies",
            reason: reason.into(),
        };
        if a == b {
            return Err(clash("a joint needs two different bodies"));
        }
        let fixed = |k| k != rb_core::body::BodyKind::Dynamic;
        if fixed(body_a.kind) && fixed(body_b.kind) {
            return Err(clash(
                "neither body is dynamic, so the joint could not move anything",
            ));
        }
        let mut slot = JointSlot {
            desc: desc.into(),
            bodies: [a, b],
            memory: JointMemory::default(),
        };
        let cx = self.state.joint_cx(&slot);
        slot.desc.kind.track(&cx, &mut slot.memory);
        let handle = self.state.joints.insert(slot);
        self.state.rejoined = true;
        for body in [a, b] {
            self.state.wake(body.index());
            self.state.body_mut(body.index()).joints.push(handle);
            self.state.recheck_body(body);
        }
        Ok(handle)
    }

    /// Removes a joint; its bodies wake.
    ///
    /// # Errors
    /// Dead handle.
    pub fn remove_joint(&mut self, joint: JointHandle) -> Result<()> {
        self.state
            .unlink_joint(joint)
            .map(|_| ())
            .ok_or_else(|| dead("joint", &joint))
    }

    fn joint_slot(&self, joint: JointHandle) -> Result<&JointSlot> {
        self.state
            .joints
            .get(joint)
            .ok_or_else(|| dead("joint", &joint))
    }

    /// Description of a joint.
    ///
    /// # Errors
    /// Dead handle.
    pub fn joint(&self, joint: JointHandle) -> Result<&JointDesc> {
        self.joint_slot(joint).map(|s| &*s.desc)
    }

    /// The bodies (a, b) a joint connects.
    ///
    /// # Errors
    /// Dead handle.
    pub fn joint_bodies(&self, joint: JointHandle) -> Result<[BodyHandle; 2]> {
        self.joint_slot(joint).map(|s| s.bodies)
    }

    /// All joints in slot order.
    pub fn joints(&self) -> impl Iterator<Item = (JointHandle, &JointDesc)> {
        self.state.joints.iter().map(|(h, s)| (h, &*s.desc))
    }

    /// Edits a joint through `f`; its bodies wake.
    ///
    /// # Errors
    /// Dead handle, or settings out of range: then the joint is as it was.
    pub fn edit_joint(&mut self, joint: JointHandle, f: impl FnOnce(&mut JointDesc)) -> Result<()> {
        let mut desc = self.joint(joint)?.clone();
        f(&mut desc);
        desc.validate()?;
        for body in self.joint_bodies(joint)? {
            self.state.wake(body.index());
        }
        let Some(slot) = self.state.joints.get_mut(joint) else {
            return Ok(());
        };
        let filters = slot.desc.collide_connected != desc.collide_connected;
        slot.desc = desc.into();
        self.state.rejoined = true;
        if filters {
            let bodies = slot.bodies;
            bodies.into_iter().for_each(|b| self.state.recheck_body(b));
        }
        Ok(())
    }

    /// Edits the drive (motor, limits, friction, spring) of one axis of a joint.
    ///
    /// # Errors
    /// Dead handle, an axis without drive, or settings out of range: then the joint is as it was.
    pub fn edit_drive(
        &mut self,
        joint: JointHandle,
        axis: Axis,
        f: impl FnOnce(&mut Drive),
    ) -> Result<()> {
        if self.joint(joint)?.kind.drive(axis).is_none() {
            return Err(Error::Contradiction {
                argument: "axis",
                reason: format!("this joint has no drive along {}", axis.name()),
            });
        }
        self.edit_joint(joint, |desc| {
            if let Some(drive) = desc.kind.drive_mut(axis) {
                f(drive);
            }
        })
    }

    /// Free coordinates of a joint and their rates (m, rad, m/s, rad/s).
    ///
    /// # Errors
    /// Dead handle.
    pub fn coordinates(&self, joint: JointHandle) -> Result<Coordinates> {
        let slot = self.joint_slot(joint)?;
        Ok(slot
            .desc
            .kind
            .coordinates(&self.state.joint_cx(slot), &slot.memory))
    }

    /// The coordinate of a joint along one axis.
    ///
    /// # Errors
    /// Dead handle, or an axis that is not free.
    pub fn coordinate(&self, joint: JointHandle, axis: Axis) -> Result<Coordinate> {
        let all = self.coordinates(joint)?;
        all.into_iter()
            .find(|c| c.axis == axis)
            .ok_or_else(|| Error::Contradiction {
                argument: "axis",
                reason: format!("{} is not a free axis of this joint", axis.name()),
            })
    }

    /// Load all rows of a joint put on b at the origin of its joint frame (N, N·m, world axes), mean
    /// over the last substep.
    ///
    /// # Errors
    /// Dead handle.
    pub fn reaction(&self, joint: JointHandle) -> Result<Wrench> {
        let slot = self.joint_slot(joint)?;
        Ok(self.state.reaction_of(slot))
    }

    /// How hard each motor, limit, friction and spring of a joint worked in the last substep.
    ///
    /// # Errors
    /// Dead handle.
    pub fn drive_loads(&self, joint: JointHandle) -> Result<Vec<DriveLoad>> {
        let slot = self.joint_slot(joint)?;
        Ok(self.state.drive_loads_of(slot))
    }
}

impl State {
    /// Takes a joint out of the world and of its bodies.
    pub(crate) fn unlink_joint(&mut self, joint: JointHandle) -> Option<JointSlot> {
        let slot = self.joints.remove(joint)?;
        self.rejoined = true;
        self.unlink_constraints(|c| c.kind.joints().contains(&joint));
        for body in slot.bodies {
            if let Some(b) = self.bodies.get_mut(body) {
                b.joints.retain(|j| *j != joint);
                self.wake(body.index());
            }
            self.recheck_body(body);
        }
        Some(slot)
    }

    /// Rows of a joint at the present poses.
    fn joint_rows(&self, slot: &JointSlot) -> Rows {
        let mut rows = Rows::new();
        slot.desc
            .kind
            .rows(&self.joint_cx(slot), &slot.memory, &mut rows);
        rows
    }

    /// How far the hard rows of a joint are from holding where its bodies are (m; rad times the body's size).
    pub(crate) fn joint_error_of(&self, slot: &JointSlot) -> f64 {
        let mut rows = self.joint_rows(slot);
        if !slot.desc.options.is_default() {
            slot.desc.options.apply(&mut rows);
        }
        let extent = slot.bodies.map(|body| self.body(body.index()).span());
        let errors = rows.iter().map(|r| row_error(r, extent[0].max(extent[1])));
        errors.fold(0.0, f64::max)
    }

    pub(crate) fn reaction_of(&self, slot: &JointSlot) -> Wrench {
        let rows = self.joint_rows(slot);
        let impulses: Vec<f64> = rows.iter().map(|r| slot.memory.impulse(r.slot)).collect();
        reaction(&slot.desc.kind, &self.joint_cx(slot), &rows, &impulses)
    }

    pub(crate) fn drive_loads_of(&self, slot: &JointSlot) -> Vec<DriveLoad> {
        let rows = self.joint_rows(slot);
        let h = self.h.max(f64::MIN_POSITIVE);
        let load = |row: &rb_core::row::Row| {
            let name = Slot::from_id(row.slot)?;
            let force = slot.memory.impulse(row.slot) / h;
            let bound = if force < 0.0 { row.lo } else { row.hi };
            // A commanded force has equal bounds and is not a limit reached.
            let saturation = if bound.is_finite() && bound != 0.0 && row.lo < row.hi {
                force / bound
            } else {
                0.0
            };
            (name.role != Role::Lock).then_some(DriveLoad {
                slot: name,
                force,
                saturation,
            })
        };
        rows.iter().filter_map(load).collect()
    }
}
