//! Impulses and angles of joints to where they persist.

use crate::frame::{Frame, NOWHERE};
use crate::state::{JointSlot, State};
use rb_joints::{Joint, JointCx};
use rb_solve::parallel;

/// Joints per task.
const RUN: usize = 256;

/// Steps from one look at the angle of a pin to the next. No row asks for it: it is kept to count turns, and so
/// may be as old as a pin of less than a radian in so many steps is slow.
const LOOK: u64 = 8;

/// Stores what became of every joint of an island.
pub(super) fn store_joints(state: &mut State, frame: &Frame) {
    let step = Step {
        number: state.step,
        h: state.h,
        dt: state.dt,
    };
    parallel::for_each_run(state.joints.slots_mut(), RUN, |first, run| {
        for (k, slot) in run.iter_mut().enumerate() {
            if let Some(joint) = slot.value_mut() {
                store(frame, first + k, &step, joint);
            }
        }
    });
}

/// The step just taken (s).
struct Step {
    number: u64,
    h: f64,
    dt: f64,
}

impl Step {
    /// Whether the pin in a slot is not to be looked at in this step.
    fn passes(&self, slot: usize, cx: &JointCx) -> bool {
        let spin = (cx.b.vel.ang - cx.a.vel.ang).length();
        let turn = spin * self.dt * LOOK as f64;
        !(self.number + slot as u64).is_multiple_of(LOOK) && turn < 1.0
    }
}

/// Stores what became of the joint in a slot, if it is of an island. Its angles are read here, once its island
/// has come to an end: the joint itself is far from all that the island keeps of it.
fn store(frame: &Frame, slot: usize, step: &Step, joint: &mut JointSlot) {
    let [island, number] = frame.joint_homes[slot];
    if island == NOWHERE {
        return;
    }
    let island = &frame.islands[island as usize];
    let solved = &island.joints[number as usize];
    joint.memory.clone_from(&solved.memory);
    let seen = |side: usize| island.seen[solved.movers[side] as usize];
    let cx = JointCx {
        a: seen(0),
        b: seen(1),
        h: step.h,
    };
    if solved.pin.is_none() || !step.passes(slot, &cx) {
        joint.desc.kind.track(&cx, &mut joint.memory);
    }
}
