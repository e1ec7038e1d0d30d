//! Numbers that are the same in every run.

use glam::DVec3;

/// A linear congruential generator.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// In [−1, 1).
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Three of them.
    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}
