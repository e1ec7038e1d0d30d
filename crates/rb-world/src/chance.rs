//! Numbers for tests.

/// Draws numbers below the one asked for.
pub(crate) fn chance(mut seed: u32) -> impl FnMut(u32) -> u32 {
    move |below| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) % below
    }
}
