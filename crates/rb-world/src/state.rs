//! Everything that persists between steps, serialised whole: restoring it and stepping gives the same
//! bits as not having saved.

use crate::events::Parted;
use crate::outline::Described;
use crate::sleep::SleepGroups;
use glam::DVec3;
use rb_contact::broad::{BroadPhase, Paired};
use rb_contact::recycle::Memory;
use rb_contact::{Aabb, Collider, Shape};
use rb_core::anchor::Stand;
use rb_core::arena::Arena;
use rb_core::body::{Body, BodyKind};
use rb_core::handle::{
    BodyHandle, BodyKey, ColliderHandle, ColliderKey, ConstraintKey, JointHandle, JointKey,
};
use rb_core::manifold::{ContactMaterial, Contacts, Manifold};
use rb_core::math::{Pose, Twist};
use rb_core::params::Params;
use rb_core::room::bytes;
use rb_joints::{AnyConstraint, JointBody, JointCx, JointMemory};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A collider and the body that carries it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ColliderSlot {
    pub(crate) collider: Collider,
    pub(crate) body: BodyHandle,
}

/// A joint and the bodies it connects.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct JointSlot {
    pub(crate) desc: Described,
    pub(crate) bodies: [BodyHandle; 2],
    pub(crate) memory: JointMemory,
}

/// A constraint and the bodies it acts on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ConstraintSlot {
    pub(crate) kind: AnyConstraint,
    pub(crate) bodies: Vec<BodyHandle>,
    pub(crate) memory: JointMemory,
}

/// Two colliders whose boxes overlap and that may touch.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Pair {
    /// Collider slots, lower first.
    pub(crate) key: [u32; 2],
    /// How its contacts were last found; `None` if they have to be searched for.
    pub(crate) memory: Option<Memory>,
    /// Its manifolds: number of the first in the contacts, 0 if it has none, and how many.
    pub(crate) first: u32,
    pub(crate) count: u32,
}

fn edited() -> bool {
    true
}

impl Paired for Pair {
    fn key(&self) -> [u32; 2] {
        self.key
    }

    /// A pair that has not been looked at.
    fn new(key: [u32; 2]) -> Self {
        Self {
            key,
            memory: None,
            first: 0,
            count: 0,
        }
    }
}

impl Pair {
    /// Numbers of its manifolds.
    pub(crate) fn manifolds(&self) -> Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }

    /// Its manifolds lie from a place on, if it has any. Returns the place behind them.
    pub(crate) fn put(&mut self, first: usize) -> usize {
        self.first = if self.count > 0 { first as u32 } else { 0 };
        first + self.count as usize
    }
}

/// Two colliders that touch: their slots, lower first, and those of their bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Touching {
    pub(crate) pair: [u32; 2],
    pub(crate) bodies: [u32; 2],
}

impl Touching {
    /// The pair of a manifold.
    pub(crate) fn of(manifold: &Manifold) -> Self {
        Self {
            pair: manifold.key.pair,
            bodies: manifold.bodies,
        }
    }
}

/// Pairs of collider slots, sorted, lower slot first.
pub(crate) type PairList = Vec<[u32; 2]>;

/// The persistent half of a world.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) params: Params,
    pub(crate) bodies: Arena<BodyKey, Body>,
    pub(crate) colliders: Arena<ColliderKey, ColliderSlot>,
    pub(crate) joints: Arena<JointKey, JointSlot>,
    pub(crate) constraints: Arena<ConstraintKey, ConstraintSlot>,
    pub(crate) broad: BroadPhase,
    /// Candidate pairs, sorted by key, and their contacts in the same order, without those that rest together
    /// ([`Rest`](crate::rest::Rest)).
    pub(crate) pairs: Vec<Pair>,
    pub(crate) contacts: Vec<Manifold>,
    /// Whether contacts have come or gone since they were last found.
    #[serde(skip, default = "edited")]
    pub(crate) edited: bool,
    /// Whether joints, where they hold their bodies, or the settings may have changed since the end of the last step.
    #[serde(skip, default = "edited")]
    pub(crate) rejoined: bool,
    /// Materials of those that have more than friction.
    pub(crate) materials: Vec<ContactMaterial>,
    /// Pairs that touch, sorted, and pairs of which one is a sensor that overlaps the other.
    pub(crate) touching: Vec<Touching>,
    pub(crate) overlapping: PairList,
    /// Pairs of colliders that are gone.
    pub(crate) parted: Parted,
    pub(crate) groups: SleepGroups,
    /// Substep of the stored impulses (s).
    pub(crate) h: f64,
    /// Step just taken (s): the span between the previous and the present poses.
    pub(crate) dt: f64,
    pub(crate) step: u64,
    pub(crate) time: f64,
}

impl State {
    /// About how much there is to do in a step, in units of a body in free flight.
    pub(crate) fn work(&self) -> usize {
        self.bodies.len() + 3 * self.contacts.len() + 6 * self.joints.len()
    }

    /// Stored impulses times this are impulses of a substep of `h` (s): the same forces.
    pub(crate) fn scale_to(&self, h: f64) -> f64 {
        let scale = h / self.h;
        // Before the first step there are none.
        if scale.is_finite() { scale } else { 1.0 }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let arenas = self.bodies.bytes() + self.colliders.bytes() + self.joints.bytes();
        let contacts = bytes(&self.contacts) + bytes(&self.materials);
        let contacts = bytes(&self.pairs) + contacts + bytes(&self.touching) + self.groups.bytes();
        let bodies: usize = self.bodies.iter().map(|(_, b)| b.bytes_apart()).sum();
        let colliders = self.colliders.iter().map(|(_, c)| c.collider.bytes_apart());
        let apart = bodies + colliders.sum::<usize>() + self.joints.len() * Described::APART;
        arenas + apart + self.constraints.bytes() + self.broad.bytes() + contacts
    }

    pub(crate) fn new(params: Params) -> Self {
        Self {
            params,
            bodies: Arena::default(),
            colliders: Arena::default(),
            joints: Arena::default(),
            constraints: Arena::default(),
            broad: BroadPhase::default(),
            pairs: Vec::new(),
            contacts: Vec::new(),
            edited: true,
            rejoined: true,
            materials: Vec::new(),
            touching: Vec::new(),
            overlapping: Vec::new(),
            parted: Parted::default(),
            groups: SleepGroups::default(),
            h: 0.0,
            dt: 0.0,
            step: 0,
            time: 0.0,
        }
    }

    /// Body in a slot that is known to be occupied.
    pub(crate) fn body(&self, slot: u32) -> &Body {
        self.bodies
            .slot(slot)
            .expect("body slots in use stay occupied during a step")
    }

    /// Body in a slot that is known to be occupied.
    pub(crate) fn body_mut(&mut self, slot: u32) -> &mut Body {
        self.bodies
            .slot_mut(slot)
            .expect("body slots in use stay occupied during a step")
    }

    /// Collider in a slot that is known to be occupied.
    pub(crate) fn collider(&self, slot: u32) -> &ColliderSlot {
        self.colliders
            .slot(slot)
            .expect("collider slots in use stay occupied during a step")
    }

    /// Shape of a collider that is known to be alive.
    #[inline]
    pub(crate) fn shape(&self, collider: ColliderHandle) -> &Shape {
        self.collider(collider.index()).collider.shape()
    }

    /// Joint in a slot that is known to be occupied.
    pub(crate) fn joint(&self, slot: u32) -> &JointSlot {
        self.joints
            .slot(slot)
            .expect("joint slots in use stay occupied during a step")
    }

    /// All contacts, with their materials.
    pub(crate) fn contacts(&self) -> Contacts<'_> {
        Contacts {
            manifolds: &self.contacts,
            materials: &self.materials,
            fresh: &[],
        }
    }

    /// Manifolds of a pair of collider slots.
    pub(crate) fn contacts_of(&self, key: [u32; 2]) -> &[Manifold] {
        match self.pairs.binary_search_by_key(&key, |p| p.key) {
            Ok(k) => &self.contacts[self.pairs[k].manifolds()],
            Err(_) => &[],
        }
    }

    /// Where the shape of a collider of a body stands.
    #[inline]
    pub(crate) fn stand(&self, collider: &Collider, body: &Body) -> Stand {
        collider.stand(&body.com_pose(), body.mass.com_local, body.grid)
    }

    /// World pose of the collider in a slot.
    pub(crate) fn collider_pose(&self, slot: u32) -> Pose {
        let c = self.collider(slot);
        self.stand(&c.collider, self.body(c.body.index())).pose
    }

    /// Box around the collider in a slot (m, world).
    pub(crate) fn collider_box(&self, slot: u32) -> Aabb {
        let pose = self.collider_pose(slot);
        self.collider(slot).collider.aabb(&pose, self.params.grid)
    }

    pub(crate) fn collider_handle(&self, slot: u32) -> ColliderHandle {
        self.colliders.handle_at(slot).unwrap_or_default()
    }

    pub(crate) fn body_handle(&self, slot: u32) -> BodyHandle {
        self.bodies.handle_at(slot).unwrap_or_default()
    }

    pub(crate) fn joint_handle(&self, slot: u32) -> JointHandle {
        self.joints.handle_at(slot).unwrap_or_default()
    }

    /// Whether a slot has a body that is dynamic, massive and awake: the ones a step moves by solving.
    pub(crate) fn is_active(&self, slot: u32) -> bool {
        self.bodies.slot(slot).is_some_and(is_active)
    }

    /// Whether a body may have moved since contacts were last found.
    pub(crate) fn stirs(&self, slot: u32) -> bool {
        stirs(self.body(slot))
    }

    /// What a joint sees of its bodies now.
    pub(crate) fn joint_cx(&self, joint: &JointSlot) -> JointCx {
        let see = |h: BodyHandle| {
            let b = self.body(h.index());
            JointBody {
                pose: b.pose(),
                com: b.com,
                vel: b.vel,
            }
        };
        JointCx {
            a: see(joint.bodies[0]),
            b: see(joint.bodies[1]),
            h: self.h.max(1e-6),
        }
    }

    /// Kinetic plus gravitational energy of all dynamic bodies (J), heights from the origin.
    pub(crate) fn energy(&self) -> (f64, f64) {
        let dynamic = || self.bodies.iter().filter(|(_, b)| b.is_movable());
        let kinetic = dynamic().map(|(_, b)| b.kinetic_energy()).sum();
        let g = self.params.gravity;
        let potential = dynamic()
            .map(|(_, b)| -b.mass.mass * b.gravity_scale * g.dot(b.com))
            .sum();
        (kinetic, potential)
    }

    /// Linear momentum (kg·m/s) and angular momentum about the origin (kg·m²/s).
    pub(crate) fn momentum(&self) -> Twist {
        let mut total = Twist::ZERO;
        for (_, b) in self.bodies.iter().filter(|(_, b)| b.is_movable()) {
            let p: DVec3 = b.vel.lin * b.mass.mass;
            let spin = b.inertia.world(b.q) * b.vel.ang;
            total += Twist::new(p, b.com.cross(p) + spin);
        }
        total
    }
}

/// Whether a body is dynamic, massive and awake: one that a step moves by solving.
pub(crate) fn is_active(body: &Body) -> bool {
    body.is_movable() && !body.is_asleep()
}

/// Whether a body may have moved since contacts were last found: awake, or told to move.
pub(crate) fn stirs(body: &Body) -> bool {
    match body.kind {
        BodyKind::Dynamic => is_active(body),
        BodyKind::Static | BodyKind::Kinematic => body.vel != Twist::ZERO,
    }
}
