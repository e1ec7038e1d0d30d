//! Interchangeable constraint solvers over islands of the rb physics engine.
//!
//! A solver reads a [`Problem`](rb_core::problem::Problem) and improves its multipliers in place; the
//! certificate in `rb-core` grades the result.

mod direct;
pub mod linalg;
pub mod parallel;
pub mod pgs;

pub use pgs::Pgs;
