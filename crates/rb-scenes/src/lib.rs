//! Scenes shared by the tests, examples and benchmarks of the rb physics engine.
//!
//! Two registries, and worlds from [files](mod@file):
//!
//! * [`SCENES`] are descriptions ([`SceneDesc`]) that no engine owns: they serialise to JSON, so
//!   that other engines can run the very same scene, and [`SceneDesc::build`] lowers them to a
//!   [`World`](rb_world::World);
//! * [`DEMOS`] are worlds built directly, for what a description cannot say: motors, compounds,
//!   moving surfaces, a scanned mesh.
//!
//! Everywhere y is up, units are SI and the intended step is 1/60 s. All trigonometry goes through
//! `libm`, so that a scene is the same, bit for bit, on every platform.
//!
//! ```
//! use rb_scenes::scene;
//! use rb_world::prelude::*;
//!
//! let desc = scene("tall_stack").expect("it is registered").build(10);
//! let (mut world, bodies) = desc.build(Params::game())?;
//! world.step(1.0 / 60.0).expect("a positive time step");
//! assert_eq!(bodies.len(), 11);
//! # Ok::<(), rb_world::core::Error>(())
//! ```

mod assemble;
mod case;
pub mod demos;
mod desc;
mod error;
pub mod file;
mod hull;
mod lower;
mod mesh;
mod random;
mod record;
pub mod scenes;
mod turn;

pub use case::Case;
pub use demos::{DEMOS, Demo, demo};
pub use desc::{BodyDef, JointDef, JointKind, MeshDef, Quality, SceneDesc, ShapeDef, ShapeInst};
pub use error::{CaseError, SceneError};
pub use mesh::{TriangleMesh, bunny};
pub use random::Random;
pub use record::Recorder;
pub use scenes::{SCENES, Scene, scene};
