//! Pins: joints that hold two points together and do nothing else.
//!
//! A ball joint without stops, friction and drive states the three rows of `parts::point` and no others.
//! Chains and cloths are made of such joints, and a row is a quarter of a kilobyte: who poses many of
//! them takes the frames of [`Joint::pin`](crate::Joint::pin) instead.
//!
//! Rows       eᵢ · (p_b − p_a), eᵢ the axes of a's joint frame, p the origins of the frames
//! Momentum   as in `parts::point`, both impulses act along one line through p_b

use crate::axis::{Axis, Role, Slot};
use crate::memory::JointMemory;
use crate::parts::twist::near_twist;
use glam::{DQuat, DVec3};

/// Slots of the rows along x, y and z.
pub const SLOTS: [u8; 3] = [
    Slot::new(Axis::LinX, Role::Lock).id(),
    Slot::new(Axis::LinY, Role::Lock).id(),
    Slot::new(Axis::LinZ, Role::Lock).id(),
];

/// Impulse on b of the last step or substep, in a's joint frame (N·s).
#[inline]
pub fn impulse(memory: &JointMemory) -> DVec3 {
    // Nearly always they are stored as they are asked for.
    if let &[(i, x), (j, y), (k, z)] = memory.impulses()
        && [i, j, k] == SLOTS
    {
        return DVec3::new(x, y, z);
    }
    let [x, y, z] = SLOTS;
    DVec3::new(memory.impulse(x), memory.impulse(y), memory.impulse(z))
}

/// As [`Joint::track`](crate::Joint::track), from the attitudes of both joint frames: the twist is all that counts turns.
/// It is kept to within a hundredth of a radian, which tells one turn from the next and asks for no arctangent.
#[inline]
pub fn track([a, b]: [DQuat; 2], memory: &mut JointMemory) {
    memory.angle[2] = near_twist(a.conjugate() * b, memory);
}
