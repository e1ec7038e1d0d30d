//! Numbers without order, for tests.

use glam::DVec3;

/// A number from -1 to 1 for each k.
pub(super) fn wave(k: u32) -> f64 {
    libm::sin(f64::from(k) * f64::from(k) * 0.37 + f64::from(k))
}

/// A vector of three of them.
pub(crate) fn vector(k: u32) -> DVec3 {
    DVec3::new(wave(k), wave(k + 1), wave(k + 2))
}
