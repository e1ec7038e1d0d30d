//! Colliders: insert, remove, read and edit.

use crate::bodies::dead;
use crate::stage::broad::reach;
use crate::stage::publish::{contact_event, is_told_of};
use crate::state::{ColliderSlot, PairList, State};
use crate::world::World;
use glam::DVec3;
use rb_contact::broad::Mobility;
use rb_contact::{Collider, ColliderDesc, CollisionGroups, Material};
use rb_core::Result;
use rb_core::body::BodyKind;
use rb_core::handle::{BodyHandle, ColliderHandle};
use rb_core::manifold::{MAX_POINTS, PointView};
use rb_core::mass::MassProps;
use rb_core::math::{Pose, Twist};
use smallvec::SmallVec;

/// One contact point, for reading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// The colliders (a, b).
    pub colliders: [ColliderHandle; 2],
    /// Point on the surface of a (m, world).
    pub position: DVec3,
    /// Unit normal from a to b.
    pub normal: DVec3,
    /// Gap at the start of the last step (m).
    pub gap: f64,
    /// Force on b (N, world), mean over the last substep.
    pub force: DVec3,
    /// Torque on b beyond that of the forces (N·m, world): this point's share of what resists spin and rolling, or of a
    /// friction that is one for all points of a patch.
    pub torque: DVec3,
}

impl World {
    /// Gives a body a collider; unless the body's mass was given by hand, its mass follows.
    ///
    /// # Errors
    /// Dead handle, or a description that is out of range.
    pub fn add_collider(
        &mut self,
        body: BodyHandle,
        desc: impl Into<ColliderDesc>,
    ) -> Result<ColliderHandle> {
        self.body(body)?;
        let collider = Collider::new(desc.into())?;
        let handle = self.state.colliders.insert(ColliderSlot { collider, body });
        self.state.body_mut(body.index()).colliders.push(handle);
        self.state.refresh_mass(body);
        self.state.touch_colliders(body);
        self.state.wake(body.index());
        Ok(handle)
    }

    /// Removes a collider; what rested on it wakes.
    ///
    /// # Errors
    /// Dead handle.
    pub fn remove_collider(&mut self, collider: ColliderHandle) -> Result<()> {
        let slot = self
            .state
            .colliders
            .get(collider)
            .ok_or_else(|| dead("collider", &collider))?;
        let body = slot.body;
        self.wake_with_neighbours(body.index());
        self.state.get_up();
        self.state.drop_contacts_of(collider.index());
        self.state.broad.remove(collider.index());
        self.state.colliders.remove(collider);
        self.state
            .body_mut(body.index())
            .colliders
            .retain(|c| *c != collider);
        self.state.refresh_mass(body);
        Ok(())
    }

    fn collider_slot(&self, collider: ColliderHandle) -> Result<&ColliderSlot> {
        self.state
            .colliders
            .get(collider)
            .ok_or_else(|| dead("collider", &collider))
    }

    /// The collider, for reading.
    ///
    /// # Errors
    /// Dead handle.
    pub fn collider(&self, collider: ColliderHandle) -> Result<&Collider> {
        self.collider_slot(collider).map(|s| &s.collider)
    }

    /// The body that carries a collider.
    ///
    /// # Errors
    /// Dead handle.
    pub fn collider_body(&self, collider: ColliderHandle) -> Result<BodyHandle> {
        self.collider_slot(collider).map(|s| s.body)
    }

    /// World pose of a collider's shape.
    ///
    /// # Errors
    /// Dead handle.
    pub fn collider_pose(&self, collider: ColliderHandle) -> Result<Pose> {
        self.collider_slot(collider)
            .map(|_| self.state.collider_pose(collider.index()))
    }

    /// All colliders in slot order.
    pub fn colliders(&self) -> impl Iterator<Item = (ColliderHandle, &Collider)> {
        self.state.colliders.iter().map(|(h, s)| (h, &s.collider))
    }

    /// Replaces the surface of a collider; contacts take it up with the next step.
    ///
    /// # Errors
    /// Dead handle, or a surface that is out of range.
    pub fn set_material(&mut self, collider: ColliderHandle, material: Material) -> Result<()> {
        material.validate()?;
        self.edit_collider(collider, |c| c.set_material(material))?
    }

    /// Replaces the collision groups of a collider.
    ///
    /// # Errors
    /// Dead handle.
    pub fn set_groups(&mut self, collider: ColliderHandle, groups: CollisionGroups) -> Result<()> {
        self.edit_collider(collider, |c| c.set_groups(groups))?;
        self.state.wake_near(collider.index());
        Ok(())
    }

    /// Turns a collider into a sensor, which keeps its share of the body's mass, or back.
    ///
    /// # Errors
    /// Dead handle.
    pub fn set_sensor(&mut self, collider: ColliderHandle, sensor: bool) -> Result<()> {
        self.edit_collider(collider, |c| c.set_sensor(sensor))?;
        if !sensor {
            self.state.refresh_mass(self.collider_body(collider)?);
        }
        self.state.wake_near(collider.index());
        Ok(())
    }

    fn edit_collider<R>(
        &mut self,
        collider: ColliderHandle,
        f: impl FnOnce(&mut Collider) -> R,
    ) -> Result<R> {
        let body = self.collider_body(collider)?;
        self.wake_with_neighbours(body.index());
        self.state.recheck_pairs(collider.index());
        let slot = self
            .state
            .colliders
            .get_mut(collider)
            .ok_or_else(|| dead("collider", &collider))?;
        Ok(f(&mut slot.collider))
    }

    /// Contact points of the last step, pair by pair, and then those of sleepers with each other and with static bodies.
    pub fn contact_points(&self) -> impl Iterator<Item = ContactPoint> {
        let s = &self.state;
        let h = s.h.max(f64::MIN_POSITIVE);
        s.all_contacts().flat_map(move |m| {
            let colliders = m.key.pair.map(|c| s.collider_handle(c));
            let com = s.bodies.slot(m.bodies[0]).map_or(DVec3::ZERO, |b| b.com);
            let moved = m.bodies.map(|b| {
                let body = s.bodies.slot(b);
                body.map_or(Twist::ZERO, |b| b.moved_to(&b.previous))
            });
            let torque = m.each().1 / (h * f64::from(m.count.max(1)));
            let point = |p: PointView| ContactPoint {
                colliders,
                position: com + p.arm[0],
                normal: p.axes[0],
                gap: p.gap + p.rate(0, &moved),
                force: (0..3).map(|j| p.axes[j] * (p.impulse[j] / h)).sum(),
                torque,
            };
            m.views().map(point).collect::<SmallVec<[_; MAX_POINTS]>>()
        })
    }
}

impl State {
    /// Mass from the colliders, unless given by hand, and the extent of the body.
    pub(crate) fn refresh_mass(&mut self, body: BodyHandle) {
        let Some(b) = self.bodies.get(body) else {
            return;
        };
        if !b.mass_by_hand && b.kind == BodyKind::Dynamic {
            let solid = b.colliders.iter().filter_map(|c| self.colliders.get(*c));
            let solid = solid.filter(|c| !c.collider.is_sensor());
            let mass = solid.fold(MassProps::ZERO, |m, c| m.combine(&c.collider.mass_props()));
            let mass = if mass.validate().is_ok() {
                mass
            } else {
                MassProps::ZERO
            };
            self.body_mut(body.index()).set_mass(mass);
        }
        self.refresh_extent(body);
    }

    /// Largest and smallest distance of the body's surface from its centre of mass, after a change of its mass or of its
    /// shapes: what is kept of its joints follows from these.
    pub(crate) fn refresh_extent(&mut self, body: BodyHandle) {
        self.rejoined = true;
        let Some(b) = self.bodies.get(body) else {
            return;
        };
        let (mut extent, mut core) = (0.0f64, f64::INFINITY);
        for c in b.colliders.iter().filter_map(|c| self.colliders.get(*c)) {
            let offset = c.collider.offset().p.distance(b.mass.com_local);
            extent = extent.max(offset + c.collider.shape().bounding_radius());
            core = core.min(c.collider.shape().inner_radius());
        }
        let b = self.body_mut(body.index());
        b.extent = extent;
        b.core = if core.is_finite() { core } else { 0.0 };
    }

    /// Brings the boxes of a body's colliders up to date after it was placed by hand, and wakes what
    /// sleeps where it now is.
    pub(crate) fn touch_colliders(&mut self, body: BodyHandle) {
        let Some(b) = self.bodies.get(body) else {
            return;
        };
        let (mobility, reach) = (mobility(b.kind), reach(&self.params.contact, b, 0.0));
        let colliders = b.colliders.clone();
        for c in colliders {
            let slot = c.index();
            let tight = self.collider_box(slot);
            self.broad.set(slot, &tight, reach, mobility);
            self.wake_near(slot);
        }
    }

    /// Wakes what sleeps where a collider is.
    fn wake_near(&mut self, slot: u32) {
        let tight = self.collider_box(slot);
        let mut near = Vec::new();
        self.broad.overlapping(&tight, |other| near.push(other));
        for other in near {
            let body = self.collider(other).body;
            self.wake(body.index());
        }
    }

    /// Has the pairs of a collider filtered and searched again in the next step.
    pub(crate) fn recheck_pairs(&mut self, slot: u32) {
        self.broad.recheck(slot);
        let body = self.collider(slot).body;
        self.body_mut(body.index()).mark = None;
        for pair in self.pairs.iter_mut().filter(|p| p.key.contains(&slot)) {
            pair.memory = None;
        }
    }

    /// Has the pairs of a body's colliders filtered again in the next step.
    pub(crate) fn recheck_body(&mut self, body: BodyHandle) {
        let colliders = self.bodies.get(body).map(|b| b.colliders.clone());
        for collider in colliders.into_iter().flatten() {
            self.broad.recheck(collider.index());
        }
    }

    /// Forgets the pairs and contacts of a collider that is to be removed. Whoever takes its slot next must
    /// not inherit what it touched.
    fn drop_contacts_of(&mut self, slot: u32) {
        let touched = self.touching.extract_if(.., |t| t.pair.contains(&slot));
        let touched: PairList = touched.map(|t| t.pair).collect();
        let overlapped = self.overlapping.extract_if(.., |p| p.contains(&slot));
        let overlapped: PairList = overlapped.collect();
        let ends = |pairs: PairList| {
            let told = pairs.into_iter().filter(|p| is_told_of(self, p));
            told.map(|p| contact_event(self, p)).collect()
        };
        let [touched, overlapped]: [Vec<_>; 2] = [touched, overlapped].map(ends);
        self.parted.contacts.extend(touched);
        self.parted.sensors.extend(overlapped);
        self.pairs.retain(|p| !p.key.contains(&slot));
        self.line_up_contacts();
    }
}

/// Broad-phase class of a kind of body.
pub(crate) fn mobility(kind: BodyKind) -> Mobility {
    if kind == BodyKind::Static {
        Mobility::Static
    } else {
        Mobility::Moving
    }
}
