//! Shapes, collision detection and contact manifolds of the rb physics engine.
//!
//! Geometry and every number handed to a solver (gaps, normals, points, masses) are f64; parry3d
//! supplies the trees of meshes and convex hulls, where f32 decides nothing but which candidates
//! are looked at.
//!
//! The way of a pair through this crate: [`broad`] finds overlapping boxes, [`narrow::collide`] turns
//! a pair of [`collider::Collider`]s into [`narrow::ContactPatch`]es, [`manifold`] turns a patch into
//! an `rb_core` manifold and carries last step's impulses over, [`reach`] says how far a pair looks and
//! [`recycle`] when none of this is needed again. [`sweep`] finds times of impact and
//! [`query`] answers rays, casts and overlaps. Everything here is a pure function of its arguments
//! except the broad phase, whose answers depend on its stored boxes alone.

pub mod broad;
pub mod collider;
mod convex;
pub mod geom;
pub mod manifold;
pub mod material;
mod moments;
pub mod narrow;
mod polyhedron;
pub mod query;
pub mod reach;
pub mod recycle;
pub mod shape;
pub mod shapes;
pub mod sweep;

pub use collider::{Collider, ColliderDesc, ColliderEvents, CollisionGroups};
pub use geom::Aabb;
pub use material::{Combine, Material, combine};
pub use narrow::{ContactPatch, PatchPoint, collide};
pub use shape::Shape;
