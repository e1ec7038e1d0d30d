//! The stages of a step, in order. Each reads what earlier ones wrote; nothing calls back.

pub(crate) mod advance;
pub(crate) mod broad;
pub(crate) mod narrow;
pub(crate) mod partition;
pub(crate) mod publish;
pub(crate) mod solve;
