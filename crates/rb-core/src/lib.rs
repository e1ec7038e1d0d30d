//! Bodies, mass, integrators, constraint rows and the certificate of the rb physics engine.
//!
//! Producers (`rb-joints`, `rb-contact`) state physics in SI units as [`Row`](row::Row)s and
//! [`Manifold`](manifold::Manifold)s; this crate turns them into one problem per island and grades
//! every answer; solvers (`rb-solve`) read the problem and write impulses.
//!
//! Conventions: `a` is index 0, `b` is index 1; an impulse acts + on b and − on a; normals point
//! a → b; gap < 0 is penetration; world axes at the centre of mass unless a name ends in `_local`;
//! SI units; y is up; a joint frame's z is its axis.

pub mod ahead;
pub mod anchor;
pub mod arena;
pub mod body;
pub mod compliance;
pub mod discretise;
pub mod draw;
pub mod elimination;
pub mod error;
pub mod grid;
pub mod handle;
pub mod integrate;
pub mod law;
pub mod manifold;
pub mod mass;
pub mod math;
pub mod params;
pub mod partition;
pub mod problem;
pub mod report;
pub mod residual;
pub mod room;
pub mod row;
pub mod shift;
pub mod solver;
pub mod stabilise;

pub use error::{Error, Result};
pub use glam;
