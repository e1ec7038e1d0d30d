//! Contacts of a large island, eight manifolds side by side: the fast tier of [`Pgs`](crate::Pgs).
//!
//! The problem and the visit of a contact are those of `pgs`; what differs is the order, and what is
//! kept. Manifolds are coloured so that those of one batch share no movable body. A point stores its
//! arms, its small matrix, its terms and its multiplier, 300 bytes instead of three full rows; normals
//! are stored once per manifold, and Jacobians not at all.
//!
//! For one contact with A = J W Jᵀ in the axes (n, t₁, t₂), split into a = A_nn, c = A_tn and T = A_tt,
//! and with the normal's regularisation R:
//!
//! ```text
//! sticking:  s = a + R − cᵀT⁻¹c,  n = −(qₙ − cᵀT⁻¹qₜ)/s,  t = −T⁻¹(qₜ + c n)
//! sliding:   n = max(0, −(qₙ + cᵀt)/(a + R)),  t ← Π(t − ρ (qₜ + c n + T t), μ n)
//! ```

mod kernel;
mod pack;
mod terms;
mod wide;

pub use pack::{ContactLanes, LaneContact, LaneHead, LanePoint};
pub use terms::BodyMotion;
