//! Bearings: joints that hold two points together and do nothing else but lock or stop the turn between
//! their bodies.
//!
//! Ball joints and hinges without friction, motor or spring are nearly all there is in ragdolls and
//! chains, and stating their rows in every substep costs more than solving them. Who poses many of them takes
//! from here what the rows follow from, and makes them itself (see `rb_solve::lanes`).
//!
//! Rows       those of [`pin`]; swing locks as `parts::swing`; hard stops for the cone and both
//!            ends of the twist, near which is as for a [`Drive`](crate::Drive)

use crate::axis::{Axis, Role, Slot};
use crate::memory::JointMemory;
use crate::pin;
use rb_core::math::Pose;

/// What b's z axis may do in a's joint frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Swing {
    /// Anything.
    Free,
    /// Tilt by an angle (rad).
    Cone(f64),
    /// Nothing.
    Locked,
}

/// A joint that is a bearing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bearing<'a> {
    /// Joint frames in the body frames of (a, b).
    pub frames: &'a [Pose; 2],
    /// The tilt of z.
    pub swing: Swing,
    /// Lowest and highest twist about z (rad); ±∞ is open.
    pub twist: [f64; 2],
}

/// No stops for the twist.
pub const OPEN: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

impl Bearing<'_> {
    /// Whether it leaves every turn free.
    #[inline]
    pub fn is_pin(&self) -> bool {
        self.swing == Swing::Free && self.twist == OPEN
    }
}

/// Slots of all rows there may be: the pin's, the locks of the swing about x and y, the cone, the lower and
/// the upper stop of the twist.
pub const SLOTS: [u8; 8] = [
    pin::SLOTS[0],
    pin::SLOTS[1],
    pin::SLOTS[2],
    Slot::new(Axis::AngX, Role::Lock).id(),
    Slot::new(Axis::AngY, Role::Lock).id(),
    Slot::new(Axis::AngX, Role::UpperLimit).id(),
    Slot::new(Axis::AngZ, Role::LowerLimit).id(),
    Slot::new(Axis::AngZ, Role::UpperLimit).id(),
];

/// Impulses of the last step or substep, by the order of [`SLOTS`] (N·s, N·m·s).
#[inline]
pub fn impulses(memory: &JointMemory) -> [f64; 8] {
    SLOTS.map(|slot| memory.impulse(slot))
}
