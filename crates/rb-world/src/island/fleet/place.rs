//! Joints that are stated by their frames, once per step: rigid bearings, and softened ones that are pins. What
//! their rows are at the poses of each substep is for the lanes to find.

use super::Fleet;
use super::state::reach;
use crate::island::{Island, IslandJoint, Shared};
use glam::DMat3;
use rb_core::discretise::Discretiser;
use rb_joints::bearing::{self, Bearing, Swing};
use rb_joints::{LIMIT_MARGIN, pin};
use rb_solve::lanes::{BearingStart, JointLanes, LANES, LaneBearing, LanePin, Stops};
use rb_solve::parallel;
use smallvec::SmallVec;

/// Stops of bearings.
pub(super) const STOPS: Stops = Stops {
    slots: bearing::SLOTS,
    margin: LIMIT_MARGIN,
};

/// Joints that lanes hold as bearings, until they are edited.
#[derive(Clone, Debug, Default)]
pub(super) struct Placed {
    /// Their slots, and how often joints had changed by then.
    slots: Vec<u32>,
    changes: u64,
    /// Whether those of the present step are the same, in the same places.
    pub(super) stay: bool,
}

impl Placed {
    /// Whether they are the joints in these slots after so many changes; if they were not, they are from now on.
    pub(super) fn are(&mut self, slots: impl Iterator<Item = u32> + Clone, changes: u64) -> bool {
        if self.changes == changes && self.slots.iter().copied().eq(slots.clone()) {
            return true;
        }
        self.slots.clear();
        self.slots.extend(slots);
        self.changes = changes;
        false
    }

    /// They are to be placed anew in the next step.
    fn forget(&mut self) {
        self.slots.clear();
    }
}

impl Fleet {
    /// Places the batches that have nothing but such joints, if they are not placed yet, and starts them.
    pub(super) fn place_joints(
        &mut self,
        islands: &[Island],
        shared: &Shared,
        numbers: &Discretiser,
    ) {
        let (owners, hard, placed) = (&self.owners, self.hard, self.placed.stay);
        parallel::for_each(self.links.parts_mut(), 1, |links| {
            for batch in 0..links.batches() {
                if !hard {
                    place_pins(links, batch, islands, owners, numbers);
                    continue;
                }
                if !placed {
                    place_bearings(links, batch, islands, owners, shared, numbers);
                }
                if links.has_bearings(batch) {
                    start_bearings(links, batch, islands, owners);
                }
            }
        });
        let slot = |&[k, j]: &[u32; 2]| islands[k as usize].joints[j as usize].slot;
        let joint = |owner| shared.joints.slot(slot(owner));
        let mut joints = owners.iter().filter_map(joint);
        if hard && !placed && joints.any(|joint| joint.desc.may_change()) {
            self.placed.forget();
        }
    }
}

/// Joints of a batch, lane by lane.
fn joints<'a>(
    links: &'a JointLanes,
    batch: usize,
    islands: &'a [Island],
    owners: &'a [[u32; 2]],
) -> impl Iterator<Item = (&'a Island, &'a IslandJoint)> {
    let lanes = (0..LANES).map_while(move |lane| links.joint(batch, lane));
    lanes.map(|joint| {
        let [k, own] = owners[joint as usize];
        let island = &islands[k as usize];
        (island, &island.joints[own as usize])
    })
}

/// Whether a batch has joints that may do more than hold two points together.
pub(super) fn has_others(
    links: &JointLanes,
    batch: usize,
    islands: &[Island],
    owners: &[[u32; 2]],
) -> bool {
    joints(links, batch, islands, owners).any(|(_, j)| j.pin.is_none())
}

/// Places a batch of rigid bearings, if there are no other joints in it.
fn place_bearings(
    links: &mut JointLanes,
    batch: usize,
    islands: &[Island],
    owners: &[[u32; 2]],
    shared: &Shared,
    numbers: &Discretiser,
) {
    if numbers.joint_step.is_some() || !numbers.depends_on_gap() {
        return;
    }
    let mut bearings = SmallVec::<[LaneBearing; LANES]>::new();
    for (island, joint) in joints(links, batch, islands, owners) {
        let Some(bearing) = bearing(island, joint, shared) else {
            return;
        };
        bearings.push(bearing);
    }
    links.open_bearings(batch, &bearings, &STOPS);
}

/// Starts a batch of bearings from what their joints remember.
fn start_bearings(links: &mut JointLanes, batch: usize, islands: &[Island], owners: &[[u32; 2]]) {
    let mut starts = [BearingStart::default(); LANES];
    let mut count = 0;
    for (start, (_, joint)) in starts.iter_mut().zip(joints(links, batch, islands, owners)) {
        start.angle = joint.memory.angle[2];
        start.impulses = bearing::impulses(&joint.memory);
        count += 1;
    }
    links.start_bearings(batch, &starts[..count]);
}

/// Places a batch of softened pins, if there are no other joints in it.
fn place_pins(
    links: &mut JointLanes,
    batch: usize,
    islands: &[Island],
    owners: &[[u32; 2]],
    numbers: &Discretiser,
) {
    let plain = numbers.stabilisation.is_none();
    let Some(step) = numbers.joint_step.filter(|_| plain) else {
        return;
    };
    if has_others(links, batch, islands, owners) {
        return;
    }
    links.open_pins(batch, step.linear.reg, pin::SLOTS);
    for lane in 0..LANES {
        let Some(joint) = links.joint(batch, lane) else {
            return;
        };
        let [k, own] = owners[joint as usize];
        let joint = &islands[k as usize].joints[own as usize];
        let Some([a, b]) = &joint.pin else { return };
        let pin = LanePin {
            axes: DMat3::from_quat(a.q),
            arm: [a.p, b.p],
            impulse: pin::impulse(&joint.memory),
        };
        links.put_pin(batch, lane, &pin);
    }
}

/// A joint as lanes take it, if it is a bearing.
fn bearing(island: &Island, joint: &IslandJoint, shared: &Shared) -> Option<LaneBearing> {
    let Bearing {
        frames: [a, b],
        swing,
        twist: [lower, upper],
    } = shared.joints.slot(joint.slot)?.desc.bearing()?;
    let sides = joint.movers.map(|m| &island.movers[m as usize]);
    let cone = match swing {
        Swing::Cone(angle) => angle,
        _ => f64::INFINITY,
    };
    Some(LaneBearing {
        frame: [a.q, b.q],
        arm: [a.p - sides[0].com_local, b.p - sides[1].com_local],
        locked: swing == Swing::Locked,
        stops: [cone, lower, upper],
        extent: [
            reach(sides[0]).max(reach(sides[1])),
            sides[0].extent.max(sides[1].extent),
        ],
    })
}
