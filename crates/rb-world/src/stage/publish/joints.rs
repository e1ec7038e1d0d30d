//! Impulses and angles of joints to where they persist.

use crate::frame::{Frame, NOWHERE};
use crate::state::{JointSlot, State};
use rb_joints::bearing::Bearing;
use rb_joints::{Joint, pin};
use rb_solve::parallel;

/// Joints per task.
const RUN: usize = 256;

/// Stores what became of every joint of an island; impulses of the others times `scale`.
pub(super) fn store_joints(state: &mut State, frame: &Frame, scale: f64) {
    let h = state.h;
    parallel::for_each_run(state.joints.slots_mut(), RUN, |first, run| {
        for (slot, home) in run.iter_mut().zip(&frame.joint_homes[first..]) {
            if let Some(joint) = slot.value_mut() {
                match home[0] {
                    NOWHERE => joint.memory.scale(scale),
                    _ => store(frame, *home, h, joint),
                }
            }
        }
    });
}

/// Stores what became of a joint of an island. Its angles are read here, once its island has come
/// to an end: the joint itself is far from all that the island keeps of it.
fn store(frame: &Frame, [island, number]: [u32; 2], h: f64, joint: &mut JointSlot) {
    let island = &frame.islands[island as usize];
    let solved = &island.joints[number as usize];
    joint.memory.take_impulses(solved.memory.impulses());
    if let Some(Bearing { frames, .. }) = joint.desc.bearing() {
        // That asks for nothing of the description, which is large and elsewhere.
        let [mine, other] = frames;
        let [a, b] = solved.movers.map(|m| island.movers[m as usize].q);
        return pin::track([a * mine.q, b * other.q], &mut joint.memory);
    }
    let cx = island.joint_cx(solved, h);
    joint.desc.kind.track(&cx, &mut joint.memory);
}
