//! Coulomb friction on the exact cone: interior point, semismooth Newton and their portfolio.
//!
//! ```text
//! u = W r + q,   K = {‖r_t‖ ≤ μ r_n},   K* ∋ u + μ‖u_t‖ e_n ⊥ r ∈ K        per contact (n, t₁, t₂)
//! ```
//!
//! Problems are posed as [`FrictionProblem`] or [`GlobalFrictionProblem`], scaled to one unit, solved
//! through the operator [`Coupling`] and graded by [`Residual`]. No method is best everywhere and
//! none may grade itself; the automatic choice goes through several, cheapest first.

mod certificate;
mod cone;
mod coupling;
mod facets;
mod inner;
mod interior;
mod newton;
mod pair;
mod portfolio;
mod problem;
mod search;
mod sweep;
mod unit;

pub use certificate::{FrictionLaw, Residual};
pub use coupling::{Coupling, Delassus, Factor};
pub use portfolio::{Attempt, ConeAttempt, Method, central_path};
pub(crate) use portfolio::{Stages, search_units, smooth_units};
pub use problem::{Condensed, ConeProblem, FrictionProblem, GlobalFrictionProblem};
pub use unit::Unit;
