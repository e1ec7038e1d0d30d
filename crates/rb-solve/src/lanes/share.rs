//! What each point counts for in the centre of its manifold's friction.
//!
//! ```text
//! share  σₖ = pₖ / Σ pₗ, as a multiple of 2⁻⁸,   pₖ the impulse the step starts with, and a trace of its effective mass
//! ```
//!
//! At rest impulses still change by their last digits from step to step, and with them would the centre, and all that friction
//! does to bodies and to normals. Shares that are rounded mostly stay what they were, to the last bit, and so does what is made of
//! them, which then [need not be made again](super::thin). Each is rounded for itself, whatever it was before: what is kept
//! is what would be made. The centre is off by a two-hundredth of the way between the points at most, where it only tells of a load whose
//! centre the law itself takes from the step before.

use super::batch::Point;
use super::prepare::per;
use super::simd::{Simd, Stored};
use rb_core::manifold::MAX_POINTS;

/// Impulse below which a point's load does not count, as a change of velocity (m/s): points that carry
/// nothing yet are equal.
pub(super) const TRACE: f64 = 1e-4;

/// Shares of the points of up to eight manifolds.
#[inline(always)]
pub(super) fn shares<S: Simd>(points: &[Point<S::Stored>]) -> [S; MAX_POINTS] {
    let mut total = S::zero();
    for p in points {
        total = total.add(counted(p));
    }
    let (each, mut shares) = (per(S::splat(1.0), total), [S::zero(); MAX_POINTS]);
    for (share, p) in shares.iter_mut().zip(points) {
        *share = rounded(counted::<S>(p).mul(each));
    }
    shares
}

/// What a point counts for.
#[inline(always)]
fn counted<S: Simd>(p: &Point<S::Stored>) -> S {
    S::splat(TRACE).fma(S::load(&p.inverse), S::load(&p.impulse))
}

/// A number from 0 to 1 as the nearest multiple of 2⁻⁸: what is added has no finer digits.
#[inline(always)]
pub(super) fn rounded<S: Simd>(x: S) -> S {
    let coarse = S::splat(S::Stored::COARSE);
    x.add(coarse).sub(coarse)
}
