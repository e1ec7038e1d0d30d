//! Dense linear algebra: small, on the stack and free of allocation for the fast tier; of any size
//! for the exact solvers. Deterministic, without fused multiply-add.

pub mod accurate;
pub mod boxed;
pub mod ldl;
pub mod lu;
pub mod matrix;
