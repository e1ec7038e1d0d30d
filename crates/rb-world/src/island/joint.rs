//! A joint within an island: what is kept of it there.

use crate::state::State;
use rb_core::integrate::Mover;
use rb_core::math::Pose;
use rb_joints::JointMemory;

/// A joint within an island.
#[derive(Clone, Debug, Default)]
pub(crate) struct IslandJoint {
    pub(crate) slot: u32,
    pub(crate) movers: [u32; 2],
    pub(crate) memory: JointMemory,
    /// Its frames, if it only holds their origins together, with these from the centres of mass; kept here because joints
    /// are large and far apart.
    pub(crate) pin: Option<[Pose; 2]>,
    /// Whether it is one until it is edited.
    pub(crate) stays_pin: bool,
}

impl IslandJoint {
    /// Becomes the joint in a slot, between two of the movers of its island. In its place, for it is large, and mostly
    /// what it was in the last step.
    #[inline]
    pub(crate) fn take_seat(
        &mut self,
        (slot, pair): (u32, [u32; 2]),
        state: &State,
        movers: &[Mover],
    ) {
        let joint = state.joint(slot);
        let [a, b] = pair.map(|m| movers[m as usize].com_local);
        (self.slot, self.movers) = (slot, pair);
        self.memory.clone_from(&joint.memory);
        self.pin = joint
            .desc
            .pin()
            .map(|[one, other]| [Pose::new(one.p - a, one.q), Pose::new(other.p - b, other.q)]);
        self.stays_pin = self.pin.is_some() && !joint.desc.may_change();
    }
}
