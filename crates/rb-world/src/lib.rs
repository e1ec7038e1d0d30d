//! `World::step`: the facade of the rb physics engine.
//!
//! A world holds bodies, their colliders and the joints between them. [`World::step`] finds contacts,
//! partitions bodies into islands, solves each island and tells, in its [`StepReport`], how right it
//! was. Start with the [`prelude`].
//!
//! [`StepReport`]: rb_core::report::StepReport

mod bodies;
#[cfg(test)]
mod chance;
mod colliders;
mod constraints;
mod coordinates;
mod debug;
mod events;
mod explain;
mod flight;
mod frame;
mod hooks;
mod island;
mod joints;
mod outline;
pub mod prelude;
mod queries;
mod rest;

mod sleep;
mod snapshot;
mod stage;
mod state;
mod step;
mod threads;
mod world;

pub use colliders::ContactPoint;
pub use debug::DrawFlags;
pub use events::{ContactEvent, ContactForceEvent, Events, JointBreakEvent};
pub use explain::{Explanation, Hold, Support, Wakefulness};
pub use hooks::{Hooks, NoHooks};
pub use joints::DriveLoad;
pub use queries::{ClosestPoint, QueryFilter, WorldHit};
pub use step::StepError;
pub use world::World;

pub use glam;
pub use rb_contact as contact;
pub use rb_core as core;
pub use rb_joints as joint;
pub use rb_solve as solve;

/// The programs of the pages are compiled and run with the tests.
#[cfg(doctest)]
mod pages {
    macro_rules! pages {
        ($($name:ident: $path:literal),* $(,)?) => {
            $(#[doc = include_str!($path)] mod $name {})*
        };
    }

    pages! {
        readme: "../../../README.md",
        hello: "../../../docs/guide/hello.md",
        bodies: "../../../docs/guide/bodies.md",
        shapes: "../../../docs/guide/shapes.md",
        joints: "../../../docs/guide/joints.md",
        events: "../../../docs/guide/events.md",
        determinism: "../../../docs/guide/determinism.md",
        custom_joint: "../../../docs/howto/custom_joint.md",
        solver: "../../../docs/howto/solver.md",
    }
}
