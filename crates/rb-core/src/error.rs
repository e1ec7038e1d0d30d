//! One error type for every edit. An edit that returns an error has changed nothing.

use thiserror::Error;

/// What an edit was refused for; every variant names the argument.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument is NaN or infinite.
    #[error("{argument} must be finite, got {value}")]
    NotFinite {
        /// Name of the argument.
        argument: &'static str,
        /// The number found.
        value: f64,
    },
    /// An argument is outside its range.
    #[error("{argument} = {value} is out of range; valid is {valid}")]
    OutOfRange {
        /// Name of the argument.
        argument: &'static str,
        /// The number found.
        value: f64,
        /// The range that would be valid, in words.
        valid: &'static str,
    },
    /// A handle names nothing (any more).
    #[error("{argument}: handle {handle} is dead")]
    DeadHandle {
        /// Name of the argument.
        argument: &'static str,
        /// The handle as printed.
        handle: String,
    },
    /// A quaternion or direction has no length, or one beyond all numbers.
    #[error("{argument} cannot be normalised (length {length})")]
    Degenerate {
        /// Name of the argument.
        argument: &'static str,
        /// Its length.
        length: f64,
    },
    /// A hull, mesh or height field cannot be built.
    #[error("{argument}: {reason}")]
    BadGeometry {
        /// Name of the argument.
        argument: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// Settings contradict each other or the kind of object.
    #[error("{argument}: {reason}")]
    Contradiction {
        /// Name of the argument.
        argument: &'static str,
        /// Which settings clash and what would be valid.
        reason: String,
    },
    /// Serialised data cannot be read back.
    #[error("{what}: {reason}")]
    Malformed {
        /// What was read.
        what: &'static str,
        /// Where and why it failed.
        reason: String,
    },
}

/// Result of an edit.
pub type Result<T> = core::result::Result<T, Error>;

/// Checks of arguments, each returning the value it was given.
pub mod check {
    use super::{Error, Result};
    use glam::{DQuat, DVec3};

    /// A finite number.
    pub fn finite(argument: &'static str, value: f64) -> Result<f64> {
        if value.is_finite() {
            Ok(value)
        } else {
            Err(Error::NotFinite { argument, value })
        }
    }

    /// A finite number above zero.
    pub fn positive(argument: &'static str, value: f64) -> Result<f64> {
        finite(argument, value)?;
        if value > 0.0 {
            Ok(value)
        } else {
            Err(Error::OutOfRange {
                argument,
                value,
                valid: "> 0",
            })
        }
    }

    /// A finite number, zero or above.
    pub fn non_negative(argument: &'static str, value: f64) -> Result<f64> {
        finite(argument, value)?;
        if value >= 0.0 {
            Ok(value)
        } else {
            Err(Error::OutOfRange {
                argument,
                value,
                valid: ">= 0",
            })
        }
    }

    /// A number in [0, 1].
    pub fn fraction(argument: &'static str, value: f64) -> Result<f64> {
        finite(argument, value)?;
        if (0.0..=1.0).contains(&value) {
            Ok(value)
        } else {
            Err(Error::OutOfRange {
                argument,
                value,
                valid: "0 <= value <= 1",
            })
        }
    }

    /// A bound: any number or ±infinity, but not NaN.
    pub fn bound(argument: &'static str, value: f64) -> Result<f64> {
        if value.is_nan() {
            Err(Error::NotFinite { argument, value })
        } else {
            Ok(value)
        }
    }

    /// A vector of finite numbers.
    pub fn vector(argument: &'static str, value: DVec3) -> Result<DVec3> {
        for x in value.to_array() {
            finite(argument, x)?;
        }
        Ok(value)
    }

    /// A direction, returned with unit length.
    pub fn direction(argument: &'static str, value: DVec3) -> Result<DVec3> {
        vector(argument, value)?;
        let length = value.length();
        if length > 1e-9 && length.is_finite() {
            Ok(value / length)
        } else {
            Err(Error::Degenerate { argument, length })
        }
    }

    /// A rotation, returned with unit length.
    pub fn rotation(argument: &'static str, value: DQuat) -> Result<DQuat> {
        for x in value.to_array() {
            finite(argument, x)?;
        }
        let length = value.length();
        if length > 1e-9 && length.is_finite() {
            Ok(value / length)
        } else {
            Err(Error::Degenerate { argument, length })
        }
    }
}
