//! Interchangeable constraint solvers over islands of the rb physics engine.
//!
//! A solver reads a [`Problem`](rb_core::problem::Problem) and improves its multipliers in place; the
//! certificate in `rb-core` grades the result. [`lanes`] solve contacts and joints as they are, eight side by side, and
//! grade what they hold by the same map.
//!
//! Beside them stand exact solvers of dense problems in f64: boxed complementarity in [`lcp`]
//! (principal pivoting in [`pivot`], Lemke's method in [`lemke`]) and Coulomb friction in [`conic`].

mod cluster;
pub mod conic;
mod direct;
pub mod exact;
#[cfg(feature = "formats")]
pub mod formats;
mod input;
pub mod lanes;
pub mod lcp;
pub mod lemke;
pub mod linalg;
mod local;
pub mod parallel;
pub mod pgs;
pub mod pins;
pub mod pivot;

pub use exact::{Exact, Part, Pivoting, Smooth};
pub use input::InputError;
pub use pgs::Pgs;
