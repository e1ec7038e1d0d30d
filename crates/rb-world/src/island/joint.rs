//! A joint within an island: what is kept of it there.

use crate::state::State;
use rb_core::math::Pose;
use rb_joints::JointMemory;

/// A joint within an island.
#[derive(Clone, Debug)]
pub(crate) struct IslandJoint {
    pub(crate) slot: u32,
    pub(crate) movers: [u32; 2],
    pub(crate) memory: JointMemory,
    /// Its frames, if it only holds their origins together; kept here because joints are large and far
    /// apart.
    pub(crate) pin: Option<[Pose; 2]>,
}

impl IslandJoint {
    /// The joint in a slot, between movers.
    pub(crate) fn new((slot, movers): (u32, [u32; 2]), state: &State) -> Self {
        let joint = state.joint(slot);
        Self {
            slot,
            movers,
            memory: joint.memory.clone(),
            pin: joint.desc.pin().copied(),
        }
    }
}
