//! Eight numbers with AVX2: two halves.

use super::half::Half;
use super::single::Single;
use crate::lanes::simd::{AllLanes, LANES, Simd, Stored, Wide, Within, places};
use core::arch::x86_64::*;

/// Eight numbers in two registers.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(Half<0>, Half<1>);

/// The same for either half.
macro_rules! halves {
    ($name:ident($($o:ident),*)) => {
        #[inline(always)]
        fn $name(self $(, $o: Self)*) -> Self {
            Self(self.0.$name($($o.0),*), self.1.$name($($o.1),*))
        }
    };
}

impl Avx2 {
    #[inline(always)]
    fn of(low: __m256d, high: __m256d) -> Self {
        Self(Half(low), Half(high))
    }

    #[inline(always)]
    fn low(self) -> __m256d {
        self.0.0
    }

    #[inline(always)]
    fn high(self) -> __m256d {
        self.1.0
    }
}

impl Simd for Avx2 {
    type Mask = [__m256d; 2];
    type Stored = Wide;
    type Low = Half<0>;
    type High = Half<1>;
    const PARTED: bool = true;
    by_rows!();
    halves!(add(o));
    halves!(sub(o));
    halves!(mul(o));
    halves!(div(o));
    halves!(max(o));
    halves!(min(o));
    halves!(sqrt());
    halves!(fma(b, c));
    halves!(nfma(b, c));
    #[inline(always)]
    fn load(from: &Wide) -> Self {
        Self(Half::load(from), Half::load(from))
    }
    #[inline(always)]
    fn store(self, to: &mut Wide) {
        self.0.store(to);
        self.1.store(to);
    }
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self(Half::splat(x), Half::splat(x))
    }
    #[inline(always)]
    fn gt(self, o: Self) -> Self::Mask {
        [Half::gt(self.0, o.0), Half::gt(self.1, o.1)]
    }
    #[inline(always)]
    fn select([low, high]: Self::Mask, yes: Self, no: Self) -> Self {
        Self(
            Half::select(low, yes.0, no.0),
            Half::select(high, yes.1, no.1),
        )
    }
    #[inline(always)]
    fn any([low, high]: Self::Mask) -> bool {
        Half::<0>::any(low) | Half::<1>::any(high)
    }
}

impl AllLanes for Avx2 {
    type Single = Single<false>;
    #[inline(always)]
    fn read(from: &[f64]) -> Self {
        let p = from[..LANES].as_ptr();
        wrap!(Self::of(_mm256_loadu_pd(p), _mm256_loadu_pd(p.add(4))))
    }
    #[inline(always)]
    fn write(self, to: &mut [f64; LANES]) {
        let p = to.as_mut_ptr();
        wrap! {
            _mm256_storeu_pd(p, self.low());
            _mm256_storeu_pd(p.add(4), self.high());
        }
    }
    #[inline(always)]
    fn read_single(from: &[f32; LANES]) -> Self {
        let p = from.as_ptr();
        wrap!(Self::of(
            _mm256_cvtps_pd(_mm_loadu_ps(p)),
            _mm256_cvtps_pd(_mm_loadu_ps(p.add(4))),
        ))
    }
    #[inline(always)]
    fn write_single(self, to: &mut [f32; LANES]) {
        let p = to.as_mut_ptr();
        wrap! {
            _mm_storeu_ps(p, _mm256_cvtpd_ps(self.low()));
            _mm_storeu_ps(p.add(4), _mm256_cvtpd_ps(self.high()));
        }
    }
    #[inline(always)]
    fn transposed([a, b, c, d, e, f, g, h]: [Self; LANES]) -> [Self; LANES] {
        let (top, right) = columns([a, b, c, d]);
        let (left, bottom) = columns([e, f, g, h]);
        [
            Self::of(top[0], left[0]),
            Self::of(top[1], left[1]),
            Self::of(top[2], left[2]),
            Self::of(top[3], left[3]),
            Self::of(right[0], bottom[0]),
            Self::of(right[1], bottom[1]),
            Self::of(right[2], bottom[2]),
            Self::of(right[3], bottom[3]),
        ]
    }
}

/// The first four and the last four columns of four rows.
#[inline(always)]
pub(super) fn columns([a, b, c, d]: [Avx2; 4]) -> ([__m256d; 4], [__m256d; 4]) {
    let lows = quarter([a.low(), b.low(), c.low(), d.low()]);
    let highs = quarter([a.high(), b.high(), c.high(), d.high()]);
    (lows, highs)
}

/// Four rows from their first four and their last four columns.
#[inline(always)]
pub(super) fn rows(first: [__m256d; 4], last: [__m256d; 4]) -> [Avx2; 4] {
    let [a, b, c, d] = quarter(first);
    let [e, f, g, h] = quarter(last);
    [
        Avx2::of(a, e),
        Avx2::of(b, f),
        Avx2::of(c, g),
        Avx2::of(d, h),
    ]
}

#[inline(always)]
fn quarter(r: [__m256d; 4]) -> [__m256d; 4] {
    wrap! {
        let (a, b) = (_mm256_unpacklo_pd(r[0], r[1]), _mm256_unpackhi_pd(r[0], r[1]));
        let (c, d) = (_mm256_unpacklo_pd(r[2], r[3]), _mm256_unpackhi_pd(r[2], r[3]));
        [
            _mm256_permute2f128_pd::<0x20>(a, c),
            _mm256_permute2f128_pd::<0x20>(b, d),
            _mm256_permute2f128_pd::<0x31>(a, c),
            _mm256_permute2f128_pd::<0x31>(b, d),
        ]
    }
}
