//! Joints, limits, motors and joint friction as boxed Jacobian rows of the rb physics engine.
//!
//! A joint locks some relative directions of two bodies and leaves the others free; every free
//! coordinate can carry a [`Drive`]: stops, motor, spring, damper, dry friction, speed limit. All
//! of it is stated as [`Row`](rb_core::row::Row)s with force bounds, so that any solver of boxed
//! rows serves every joint. Joints are built from the parts in [`parts`], whose rows are the exact
//! derivatives of what they measure and keep linear and angular momentum at every state.
//!
//! ```
//! use rb_core::glam::DVec3;
//! use rb_core::math::Pose;
//! use rb_joints::{Hinge, JointDesc, Motor};
//!
//! let (door_frame, door) = (Pose::IDENTITY, Pose::from_translation(DVec3::X));
//! let hinge = Hinge::at_world(&door_frame, &door, DVec3::ZERO, DVec3::Y)?
//!     .limits(0.0, 2.0)
//!     .friction(0.5)
//!     .motor(Motor::velocity(1.0).max(20.0));
//! JointDesc::new(hinge).break_force(5_000.0).validate()?;
//! # Ok::<(), rb_core::Error>(())
//! ```

pub mod bearing;
pub mod kinds;
pub mod parts;
pub mod pin;

mod actuator;
mod axis;
mod built;
mod constraint;
mod curvature;
mod custom;
mod desc;
mod drive;
mod elements;
mod gizmo;
mod joint;
mod memory;
mod options;
mod placing;
mod stated;

pub use actuator::Actuator;
pub use axis::{Axis, Role, SLOTS, Slot};
pub use built::{Along, Jointed, Kind, Plain, Single};
pub use constraint::{
    AnyConstraint, Constraint, ConstraintCx, ConstraintRow, ConstraintRows, Coupling,
    CustomConstraint, JointView, Measure, Quantity, check_constraint, check_joint,
};
pub use curvature::{eigen, stiffness};
pub use custom::Custom;
pub use desc::{JointDesc, reaction};
pub use drive::{Drive, LIMIT_MARGIN};
pub use elements::{Limits, Motor, MotorMode, Spring};
pub use joint::{
    Coordinate, Coordinates, Joint, JointBody, JointCx, Rows, carried, check_frames, is_rigid,
};
pub use kinds::AnyJoint;
pub use kinds::named::*;
pub use memory::JointMemory;
pub use options::{RowOptions, Yield};
pub use placing::{frame_across, frame_along, frames_at};
pub use stated::{Placing, Stated, single_axis};
