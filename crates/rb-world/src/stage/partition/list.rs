//! Bodies, joints and contacts in short: they lie far apart in memory, and what the partition asks of them is
//! taken from all in one pass.

use super::{BODIES, JOINTS};
use crate::frame::Frame;
use crate::island::IslandContact;
use crate::outline::Traits;
use crate::state::{JointSlot, State, is_active};
use glam::DVec3;
use rb_core::body::{Body, BodyFlags};
use rb_core::room::fit;
use rb_solve::parallel;

/// Contacts per task.
const CONTACTS: usize = 512;

/// A body in short.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ListedBody {
    /// Whether it is moved by solving, and whether anything holds or touches it.
    pub(super) active: bool,
    pub(super) bound: bool,
    /// Whether joints hold it.
    pub(super) jointed: bool,
    /// What it asks of its island.
    pub(super) precise: bool,
    pub(super) hold: u8,
    pub(super) rest: u8,
    /// Centre of mass, and the largest distance of its surface from there (m).
    pub(super) at: DVec3,
    pub(super) extent: f64,
}

impl ListedBody {
    pub(super) fn new(body: &Body) -> Self {
        Self {
            active: is_active(body),
            bound: false,
            jointed: !body.joints.is_empty(),
            precise: body.flags.contains(BodyFlags::PRECISE),
            hold: body.exact_hold,
            rest: body.exact_rest,
            at: body.com,
            extent: body.extent,
        }
    }
}

/// A joint in short.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListedJoint {
    pub(super) bodies: [u32; 2],
    pub(super) traits: Traits,
}

impl ListedJoint {
    fn new(joint: &JointSlot) -> Self {
        Self {
            bodies: joint.bodies.map(|h| h.index()),
            traits: joint.desc.traits(),
        }
    }
}

/// Lists all bodies and joints by slot, and all contacts.
pub(super) fn run(state: &State, frame: &mut Frame) {
    let (bodies, slots) = (&mut frame.listed_bodies, state.bodies.capacity());
    bodies.clear();
    fit(bodies, slots);
    parallel::extend(bodies, slots, BODIES, |slot| {
        let body = state.bodies.slot(slot as u32);
        body.map_or_else(ListedBody::default, ListedBody::new)
    });
    let (joints, slots) = (&mut frame.listed_joints, state.joints.capacity());
    joints.clear();
    fit(joints, slots);
    parallel::extend(joints, slots, JOINTS, |slot| {
        state.joints.slot(slot as u32).map(ListedJoint::new)
    });
    let (listed, contacts) = (&mut frame.listed, state.contacts());
    listed.clear();
    let count = contacts.manifolds.len();
    fit(listed, count);
    parallel::extend(listed, count, CONTACTS, |i| {
        IslandContact::new(i as u32, contacts)
    });
}
