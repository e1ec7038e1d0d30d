//! Constraints over any number of bodies: insert, remove, read and edit.

use crate::bodies::dead;
use crate::state::{ConstraintSlot, State};
use crate::world::World;
use glam::DVec3;
use rb_core::body::BodyKind;
use rb_core::handle::{BodyHandle, ConstraintHandle, JointHandle};
use rb_core::{Error, Result};
use rb_joints::{
    AnyConstraint, Axis, Constraint, ConstraintCx, Coupling, CustomConstraint, Joint, JointBody,
    JointMemory, JointView, Measure, Quantity,
};

/// Bodies a constraint may span: its cost grows with their square.
const MOST_BODIES: usize = 1024;

/// What a constraint sees of a world at rest between steps.
pub(crate) struct ConstraintView {
    bodies: Vec<JointBody>,
    handles: Vec<BodyHandle>,
    joints: Vec<JointView>,
    h: f64,
    time: f64,
}

impl ConstraintView {
    pub(crate) fn cx(&self) -> ConstraintCx<'_> {
        ConstraintCx {
            bodies: &self.bodies,
            handles: &self.handles,
            joints: &self.joints,
            h: self.h,
            time: self.time,
        }
    }
}

impl World {
    /// Adds a coupling between the bodies and joints its quantity names.
    ///
    /// # Errors
    /// Dead handles, an axis that is not free, bodies none of which is dynamic, settings out of range.
    pub fn add_coupling(&mut self, coupling: Coupling) -> Result<ConstraintHandle> {
        let bodies = self.bodies_of(&coupling.quantity)?;
        self.add_any(bodies, coupling.into())
    }

    /// Adds a constraint of the user's own over `bodies`, which it sees in this order.
    ///
    /// # Errors
    /// Dead handles, a body named twice, bodies none of which is dynamic, settings out of range.
    pub fn add_constraint(
        &mut self,
        bodies: &[BodyHandle],
        constraint: CustomConstraint,
    ) -> Result<ConstraintHandle> {
        self.add_any(bodies.to_vec(), constraint.into())
    }

    fn add_any(
        &mut self,
        bodies: Vec<BodyHandle>,
        kind: AnyConstraint,
    ) -> Result<ConstraintHandle> {
        kind.validate(bodies.len())?;
        self.check_bodies(&bodies)?;
        let handle = self.state.constraints.insert(ConstraintSlot {
            kind,
            bodies: bodies.clone(),
            memory: JointMemory::default(),
        });
        for body in bodies {
            self.state.wake(body.index());
        }
        Ok(handle)
    }

    fn check_bodies(&self, bodies: &[BodyHandle]) -> Result<()> {
        let clash = |reason: &str| Error::Contradiction {
            argument: "bodies",
            reason: reason.into(),
        };
        if bodies.is_empty() || bodies.len() > MOST_BODIES {
            return Err(clash("a constraint needs 1 to 1024 bodies"));
        }
        let mut movable = false;
        for (i, &body) in bodies.iter().enumerate() {
            movable |= self.body(body)?.kind == BodyKind::Dynamic;
            if bodies[..i].contains(&body) {
                return Err(clash("a body is named twice"));
            }
        }
        if movable {
            Ok(())
        } else {
            Err(clash(
                "no body is dynamic, so the constraint could not move anything",
            ))
        }
    }

    /// Bodies a quantity depends on, those of its joints included.
    fn bodies_of(&self, quantity: &Quantity) -> Result<Vec<BodyHandle>> {
        let (mut bodies, mut joints) = (Vec::new(), Vec::new());
        quantity.bodies(&mut bodies);
        quantity.joints(&mut joints);
        for (joint, axis) in joints {
            self.coordinate(joint, axis)?;
            for body in self.joint_bodies(joint)? {
                if !bodies.contains(&body) {
                    bodies.push(body);
                }
            }
        }
        for &body in &bodies {
            self.body(body)?;
        }
        Ok(bodies)
    }

    /// Removes a constraint; its bodies wake.
    ///
    /// # Errors
    /// Dead handle.
    pub fn remove_constraint(&mut self, constraint: ConstraintHandle) -> Result<()> {
        self.constraint_slot(constraint)?;
        if let Some(slot) = self.state.constraints.remove(constraint) {
            self.state.wake_all(&slot.bodies);
        }
        Ok(())
    }

    fn constraint_slot(&self, constraint: ConstraintHandle) -> Result<&ConstraintSlot> {
        let slot = self.state.constraints.get(constraint);
        slot.ok_or_else(|| dead("constraint", &constraint))
    }

    /// A constraint, for reading.
    ///
    /// # Errors
    /// Dead handle.
    pub fn constraint(&self, constraint: ConstraintHandle) -> Result<&AnyConstraint> {
        self.constraint_slot(constraint).map(|s| &s.kind)
    }

    /// Bodies of a constraint in the order it sees them.
    ///
    /// # Errors
    /// Dead handle.
    pub fn constraint_bodies(&self, constraint: ConstraintHandle) -> Result<&[BodyHandle]> {
        self.constraint_slot(constraint).map(|s| &s.bodies[..])
    }

    /// All constraints in slot order.
    pub fn constraints(&self) -> impl Iterator<Item = (ConstraintHandle, &AnyConstraint)> {
        self.state.constraints.iter().map(|(h, s)| (h, &s.kind))
    }

    /// Edits a constraint through `f`; its bodies wake. A coupling keeps the bodies it was made with.
    ///
    /// # Errors
    /// Dead handle, settings out of range, or a quantity over other bodies: then it is as it was.
    pub fn edit_constraint(
        &mut self,
        constraint: ConstraintHandle,
        f: impl FnOnce(&mut AnyConstraint),
    ) -> Result<()> {
        let slot = self.constraint_slot(constraint)?;
        let (mut kind, bodies) = (slot.kind.clone(), slot.bodies.clone());
        f(&mut kind);
        kind.validate(bodies.len())?;
        if let AnyConstraint::Coupling(c) = &kind
            && !self
                .bodies_of(&c.quantity)?
                .iter()
                .all(|b| bodies.contains(b))
        {
            return Err(Error::Contradiction {
                argument: "quantity",
                reason: "names other bodies than before; remove the coupling and add a new one"
                    .into(),
            });
        }
        self.state.wake_all(&bodies);
        if let Some(slot) = self.state.constraints.get_mut(constraint) {
            slot.kind = kind;
        }
        Ok(())
    }

    /// Forces (N or N·m) of the rows of a constraint by slot, mean over the last substep.
    ///
    /// # Errors
    /// Dead handle.
    pub fn constraint_forces(&self, constraint: ConstraintHandle) -> Result<Vec<(u8, f64)>> {
        let slot = self.constraint_slot(constraint)?;
        let h = self.state.h.max(f64::MIN_POSITIVE);
        Ok(slot
            .memory
            .impulses()
            .iter()
            .map(|&(s, p)| (s, p / h))
            .collect())
    }

    /// Value (m or rad) and rate of a quantity now.
    ///
    /// # Errors
    /// Dead handles, an axis that is not free, numbers out of range.
    pub fn measure(&self, quantity: &Quantity) -> Result<(f64, f64)> {
        quantity.validate()?;
        let bodies = self.bodies_of(quantity)?;
        let coupling = Coupling::new(quantity.clone()).into();
        let view = self.state.constraint_view(&coupling, &bodies);
        let cx = view.cx();
        let Some(Measure { value, jac }) = quantity.measure(&cx) else {
            return Err(Error::Contradiction {
                argument: "quantity",
                reason: "names a body or joint that is not there".into(),
            });
        };
        let rate = jac.iter().zip(cx.bodies).map(|(j, b)| j.dot(&b.vel)).sum();
        Ok((value, rate))
    }

    /// Height of the common centre of mass of `bodies` along a world direction, for a coupling.
    ///
    /// # Errors
    /// Dead handles, a body without mass.
    pub fn centre_of_mass(&self, bodies: &[BodyHandle], along: DVec3) -> Result<Quantity> {
        let weigh = |&body: &BodyHandle| Ok((body, self.body(body)?.mass.mass));
        let quantity = Quantity::Mean {
            bodies: bodies.iter().map(weigh).collect::<Result<_>>()?,
            along,
        };
        quantity.validate()?;
        Ok(quantity)
    }

    /// The coordinate of a joint along an axis as a quantity.
    ///
    /// # Errors
    /// Dead handle, or an axis that is not free.
    pub fn joint_quantity(&self, joint: JointHandle, axis: Axis) -> Result<Quantity> {
        self.coordinate(joint, axis)?;
        Ok(Quantity::joint(joint, axis))
    }
}

impl State {
    /// Takes all constraints that match out of the world.
    pub(crate) fn unlink_constraints(&mut self, matches: impl Fn(&ConstraintSlot) -> bool) {
        let hit = |(h, s): (ConstraintHandle, &ConstraintSlot)| matches(s).then_some(h);
        let handles: Vec<_> = self.constraints.iter().filter_map(hit).collect();
        for handle in handles {
            if let Some(slot) = self.constraints.remove(handle) {
                self.wake_all(&slot.bodies);
            }
        }
    }

    fn wake_all(&mut self, bodies: &[BodyHandle]) {
        for body in bodies {
            self.wake(body.index());
        }
    }

    /// What a constraint sees of its bodies now.
    pub(crate) fn constraint_view(
        &self,
        kind: &AnyConstraint,
        handles: &[BodyHandle],
    ) -> ConstraintView {
        let see = |h: &BodyHandle| {
            let b = self.body(h.index());
            JointBody {
                pose: b.pose(),
                com: b.com,
                vel: b.vel,
            }
        };
        let view = |joint: JointHandle| {
            let slot = self.joints.get(joint)?;
            let at = |h: BodyHandle| handles.iter().position(|&b| b == h);
            Some(JointView {
                joint,
                bodies: [at(slot.bodies[0])?, at(slot.bodies[1])?],
                coordinates: slot
                    .desc
                    .kind
                    .coordinates(&self.joint_cx(slot), &slot.memory),
            })
        };
        ConstraintView {
            bodies: handles.iter().map(see).collect(),
            handles: handles.to_vec(),
            joints: kind.joints().into_iter().filter_map(view).collect(),
            h: self.h.max(1e-6),
            time: self.time,
        }
    }
}
