//! Angles of eight vectors at once.
//!
//! atan by a rational function on |x| ≤ tan(π/8), where other arguments are brought; right to about one unit in
//! the last place, and the same on every machine. Source: S. Moshier, "Cephes", 1989 (`atan.c`).

use crate::lanes::simd::Double;
use core::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};

/// tan(π/8).
const SMALL: f64 = 0.414_213_562_373_095_03;
const ABOVE: [f64; 5] = [
    -8.750_608_600_031_904e-1,
    -1.615_753_718_733_365e1,
    -7.500_855_792_314_705e1,
    -1.228_866_684_490_136_2e2,
    -6.485_021_904_942_025e1,
];
const BELOW: [f64; 5] = [
    2.485_846_490_142_306_3e1,
    1.650_270_098_316_988_5e2,
    4.328_810_604_912_903e2,
    4.853_903_996_359_137e2,
    1.945_506_571_482_614e2,
];
/// Added and taken away, it leaves the nearest whole number.
const WHOLE: f64 = 6_755_399_441_055_744.0;

/// The angle of (x, y) (rad); zero of no vector.
#[inline(always)]
pub(super) fn atan2<S: Double>(y: S, x: S) -> S {
    let zero = S::zero();
    let (tall, wide) = (size(y), size(x));
    let (short, long) = (tall.min(wide), tall.max(wide));
    // atan t = π/4 + atan((t − 1)/(t + 1))
    let far = S::gt(short, S::splat(SMALL).mul(long));
    let above = S::select(far, short.sub(long), short);
    let below = S::select(far, short.add(long), long);
    let some = S::gt(below, zero);
    let t = S::select(some, above, zero).div(S::select(some, below, S::splat(1.0)));
    let z = t.mul(t);
    let (mut p, mut q) = (S::splat(ABOVE[0]), z.add(S::splat(BELOW[0])));
    for k in 1..5 {
        p = p.fma(z, S::splat(ABOVE[k]));
        q = q.fma(z, S::splat(BELOW[k]));
    }
    let angle = t.mul(z).mul(p.div(q)).add(t);
    let angle = S::select(far, angle.add(S::splat(FRAC_PI_4)), angle);
    let steep = S::gt(tall, wide);
    let angle = S::select(steep, S::splat(FRAC_PI_2).sub(angle), angle);
    let angle = S::select(S::gt(zero, x), S::splat(PI).sub(angle), angle);
    S::select(S::gt(zero, y), zero.sub(angle), angle)
}

/// The angle nearest to `previous` that agrees with `angle` up to whole turns (rad).
#[inline(always)]
pub(super) fn unwrapped<S: Double>(previous: S, angle: S) -> S {
    let turns = previous.sub(angle).div(S::splat(TAU));
    let turns = turns.add(S::splat(WHOLE)).sub(S::splat(WHOLE));
    turns.fma(S::splat(TAU), angle)
}

#[inline(always)]
pub(super) fn size<S: Double>(x: S) -> S {
    x.max(S::zero().sub(x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::simd::{Plain, Simd, Wide};

    fn one(f: impl Fn(Plain, Plain) -> Plain, a: f64, b: f64) -> f64 {
        let mut out = Wide::default();
        f(Plain::splat(a), Plain::splat(b)).store(&mut out);
        out.0[0]
    }

    #[test]
    fn angles_are_those_of_the_library() {
        for k in -400..=400 {
            let angle = f64::from(k) * PI / 400.0;
            for length in [1e-9, 1.0, 3e5] {
                let [x, y] = [libm::cos(angle) * length, libm::sin(angle) * length];
                let error = one(atan2::<Plain>, y, x) - libm::atan2(y, x);
                assert!(error.abs() < 1e-15, "{angle} {error:e}");
            }
        }
        assert_eq!(one(atan2::<Plain>, 0.0, 0.0), 0.0);
        let turned = one(unwrapped::<Plain>, 20.1, 20.0 - 3.0 * TAU);
        assert!((turned - 20.0).abs() < 1e-14);
    }
}
