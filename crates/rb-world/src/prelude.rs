//! Everything a program usually needs: `use rb_world::prelude::*;`.

pub use crate::debug::DrawFlags;
pub use crate::events::{ContactEvent, ContactForceEvent, Events, JointBreakEvent};
pub use crate::explain::Explanation;
pub use crate::hooks::Hooks;
pub use crate::joints::DriveLoad;
pub use crate::queries::QueryFilter;
pub use crate::step::StepError;
pub use crate::world::World;
pub use glam::{DMat3, DQuat, DVec3, Quat, Vec3};
pub use rb_contact::{ColliderDesc, ColliderEvents, CollisionGroups, Combine, Material, Shape};
pub use rb_core::body::{Body, BodyDesc, BodyFlags, BodyKind};
pub use rb_core::compliance::Compliance;
pub use rb_core::draw::DrawSink;
pub use rb_core::handle::{BodyHandle, ColliderHandle, ConstraintHandle, JointHandle};
pub use rb_core::manifold::FrictionLaw;
pub use rb_core::mass::{LockedAxes, MassProps};
pub use rb_core::math::{Pose, Twist, Wrench};
pub use rb_core::params::{
    FrictionAt, GeometricStiffness, Gyroscopic, Params, Precision, Scheme, Softening, SolvePlan,
};
pub use rb_core::report::{Culprit, IslandReport, Reason, StepReport};
pub use rb_core::row::Row;
pub use rb_core::stabilise::Stabilisation;
pub use rb_joints::{
    Actuator, AnyJoint, Axis, Ball, Coupling, CustomConstraint, Cylindrical, Distance, Drive,
    Fixed, Hinge, Joint, JointDesc, Limits, Motor, Quantity, RowOptions, Screw, SixDof, Slider,
    Spring, Universal, Wheel,
};
