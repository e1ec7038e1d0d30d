//! Small dense linear algebra on the stack, deterministic and free of allocation.

pub mod boxed;
pub mod ldl;
