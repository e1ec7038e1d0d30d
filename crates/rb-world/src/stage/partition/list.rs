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
use std::sync::atomic::{AtomicBool, Ordering};

/// Contacts per task.
const CONTACTS: usize = 512;

/// A body in short.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ListedBody {
    /// Whether it is moved by solving, and whether anything holds or touches it, which [linking](super::link) tells.
    pub(super) active: bool,
    pub(super) bound: bool,
    /// Whether joints hold it, and the lowest slot of what hangs together by these, which linking tells too.
    pub(super) jointed: bool,
    pub(super) tree: u32,
    /// What it asks of its island.
    pub(super) precise: bool,
    pub(super) hold: u8,
    pub(super) rest: u8,
    /// Centre of mass, and the largest distance of its surface from there (m).
    pub(super) at: DVec3,
    pub(super) extent: f64,
}

impl ListedBody {
    /// Lists the body in a slot; whether it is moved by solving, or not, as before.
    pub(crate) fn renew(&mut self, body: Option<&Body>) -> bool {
        let new = body.map_or_else(Self::default, Self::new);
        let stays = self.active == new.active;
        *self = Self {
            bound: self.bound,
            tree: self.tree,
            ..new
        };
        stays
    }

    fn new(body: &Body) -> Self {
        Self {
            active: is_active(body),
            bound: false,
            jointed: !body.joints.is_empty(),
            tree: 0,
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

/// Lists all bodies and joints by slot. Whether the same bodies can feel one another by the same joints as when they
/// were last listed.
pub(super) fn bodies_and_joints(state: &State, frame: &mut Frame) -> bool {
    let slots = state.bodies.capacity();
    let list = |frame: &mut Frame| {
        renew(&mut frame.listed_bodies, slots, BODIES, |slot, listed| {
            listed.renew(state.bodies.slot(slot as u32))
        })
    };
    let before = frame.bodies_stay.take();
    let bodies = before.unwrap_or_else(|| list(frame));
    let slots = state.joints.capacity();
    let joints = renew(&mut frame.listed_joints, slots, JOINTS, |slot, listed| {
        let new = state.joints.slot(slot as u32).map(ListedJoint::new);
        let old = std::mem::replace(listed, new);
        old.map(|joint| joint.bodies) == new.map(|joint| joint.bodies)
    });
    bodies && joints
}

/// Lists all contacts. Whether they are the same, of the same bodies, as when they were last listed.
pub(super) fn contacts(state: &State, frame: &mut Frame) -> bool {
    if frame.contacts_stay && frame.partitioned {
        return true;
    }
    let all = state.contacts();
    let count = all.manifolds.len();
    renew(&mut frame.listed, count, CONTACTS, |i, listed| {
        let new = IslandContact::new(i as u32, all);
        std::mem::replace(listed, new) == new
    })
}

/// Makes each of `count` entries anew, in runs of `size`, by what says whether it stays the same; whether all do.
fn renew<T: Clone + Default + Send>(
    list: &mut Vec<T>,
    count: usize,
    size: usize,
    make: impl Fn(usize, &mut T) -> bool + Sync + Send,
) -> bool {
    let changed = AtomicBool::new(list.len() != count);
    list.truncate(count);
    fit(list, count);
    list.resize(count, T::default());
    parallel::for_each_run(list, size, |first, run| {
        let mut stays = true;
        for (k, entry) in run.iter_mut().enumerate() {
            stays &= make(first + k, entry);
        }
        if !stays {
            changed.store(true, Ordering::Relaxed);
        }
    });
    !changed.into_inner()
}
