//! What the browser tests share.

pub(crate) mod devtools;
pub(crate) mod synthetic;
