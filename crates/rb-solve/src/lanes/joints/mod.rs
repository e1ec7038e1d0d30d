//! Joints of an island, eight side by side: rows of joints that are swept rather than solved directly.
//!
//! A joint is one block, as in `pgs`: its rows without bounds are solved exactly by LDLᵀ, its bounded
//! ones (stops, motors, dry friction) are projected one after the other on what is left of J W Jᵀ when
//! the others have been eliminated, so that they act against a joint that holds. Nothing here knows any
//! kind of joint: rows come as rows. Only momentum is asked for: the two linear halves of a row must be
//! opposite, and are stored once.
//!
//! Joints take their seats level by level like contacts (see [`lanes`](super)), and within a level by
//! the number of their rows, so that a batch has few idle ones; what a level leaves over goes with the
//! next (see `seat`). Rows are made anew in every substep, batch by batch, straight into lanes; matrices
//! follow by a kernel. Velocities and masses are those of [`ContactLanes`].
//!
//! Three rows along axes at right angles are swept as one vector (see `point`); joints that are three
//! such rows and nothing else need not even state them (see `pin`).
//!
//! One visit, with [L, D] of the rows without bounds, M the rows of L below them, S the rest:
//!
//! ```text
//! w = J v + R λ + b;   y = L⁻¹ w;   for each bounded row  s = w − M y,  λ ← clamp(λ − s / S),
//! Δλ = −L⁻ᵀ (D⁻¹ y + Mᵀ Δλ of the bounded rows)
//! ```
//!
//! Source: R. Featherstone, "Rigid Body Dynamics Algorithms", 2008, ch. 8 (elimination of constraint
//! rows); the projection is that of K. Erleben, "Velocity-based shock propagation", 2007.

mod angle;
mod bearing;
mod blocks;
mod carry;
mod exact;
mod factor;
mod fill;
mod grade;
mod kernel;
mod limbs;
mod net;
mod pack;
mod parted;
mod pin;
mod point;
mod prepare;
mod pull;
mod row;
#[cfg(test)]
mod sample;
mod seat;
#[cfg(test)]
mod squares;
mod substitute;
mod swept;
mod swivel;
mod symmetric;
mod trees;
mod view;
#[cfg(all(test, target_arch = "x86_64"))]
mod widths;

pub use bearing::{BearingStart, LaneBearing, Stops};
pub use pack::{Carried, JointLanes, set_turn, stiffness};
pub use parted::PartedLanes;
pub use pin::LanePin;
pub use row::LaneRow;
pub use view::Way;

#[cfg(doc)]
use super::ContactLanes;

/// Most rows of either sort in a block; joints with more are solved with rows.
pub const MOST: usize = 6;
