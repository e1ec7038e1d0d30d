//! What is wrong with a problem that was handed in.

use thiserror::Error;

/// A fault in the data of a problem, and where it is.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{path}: {reason}")]
pub struct InputError {
    /// Place of the fault, written as in JSON: `M[3][1]`, `hi[0]`, `W.i[17]`.
    pub path: String,
    /// What was found and what would be valid.
    pub reason: String,
}

impl InputError {
    /// A fault at `path`.
    pub fn new(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            reason: reason.into(),
        }
    }
}

/// Refuses a vector of another length than `n`.
pub(crate) fn check_len(path: &str, found: usize, n: usize) -> Result<(), InputError> {
    if found == n {
        return Ok(());
    }
    Err(InputError::new(
        path,
        format!("has {found} numbers where {n} belong"),
    ))
}

/// Refuses NaN and infinities.
pub(crate) fn check_finite(path: &str, values: &[f64]) -> Result<(), InputError> {
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(i) => Err(InputError::new(
            format!("{path}[{i}]"),
            "must be a finite number",
        )),
    }
}
