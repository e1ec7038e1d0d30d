//! A generator of repeatable numbers.

use glam::Quat;

/// Linear congruential generator with the constants of "Numerical Recipes" (ranqd1); its upper 24
/// bits make an f32.
#[derive(Clone, Debug)]
pub struct Random(u32);

impl Random {
    /// Generator from a seed.
    pub const fn new(seed: u32) -> Self {
        Self(seed)
    }

    /// Number in 0..1.
    pub fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / 16_777_216.0
    }

    /// Number in -1..1.
    pub fn signed(&mut self) -> f32 {
        2.0 * self.unit() - 1.0
    }

    /// Rotation, not quite uniform.
    pub fn rotation(&mut self) -> Quat {
        let (x, y, z) = (self.signed(), self.signed(), self.signed());
        Quat::from_xyzw(x, y, z, self.signed() + 1e-3).normalize()
    }
}
