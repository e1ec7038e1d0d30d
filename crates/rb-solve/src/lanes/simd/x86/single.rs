//! Eight numbers of single precision in one register.

use crate::lanes::simd::{AllLanes, Halves, LANES, Narrow, Simd, Stored, Within, places};
use core::arch::x86_64::*;

/// Eight numbers of single precision; lines of double precision are converted with AVX-512 if it is `WIDE`.
#[derive(Clone, Copy)]
pub(crate) struct Single<const WIDE: bool>(__m256);

impl<const WIDE: bool> Simd for Single<WIDE> {
    type Mask = __m256;
    type Stored = Narrow;
    type Low = Self;
    type High = Self;
    const PARTED: bool = false;
    by_rows!();
    one!(add, _mm256_add_ps);
    one!(sub, _mm256_sub_ps);
    one!(mul, _mm256_mul_ps);
    one!(div, _mm256_div_ps);
    one!(max, _mm256_max_ps);
    one!(min, _mm256_min_ps);
    #[inline(always)]
    fn load(from: &Narrow) -> Self {
        wrap!(Self(_mm256_load_ps(from.0.as_ptr())))
    }
    #[inline(always)]
    fn store(self, to: &mut Narrow) {
        wrap!(_mm256_store_ps(to.0.as_mut_ptr(), self.0))
    }
    #[inline(always)]
    fn splat(x: f64) -> Self {
        wrap!(Self(_mm256_set1_ps(x as f32)))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        wrap!(Self(_mm256_sqrt_ps(self.0)))
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        wrap!(Self(_mm256_fmadd_ps(self.0, b.0, c.0)))
    }
    #[inline(always)]
    fn nfma(self, b: Self, c: Self) -> Self {
        wrap!(Self(_mm256_fnmadd_ps(self.0, b.0, c.0)))
    }
    #[inline(always)]
    fn gt(self, o: Self) -> Self::Mask {
        wrap!(_mm256_cmp_ps::<_CMP_GT_OQ>(self.0, o.0))
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        wrap!(Self(_mm256_blendv_ps(no.0, yes.0, mask)))
    }
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        wrap!(_mm256_movemask_ps(mask) != 0)
    }
}

impl<const WIDE: bool> AllLanes for Single<WIDE> {
    type Single = Self;
    #[inline(always)]
    fn read(from: &[f64]) -> Self {
        let p = from[..LANES].as_ptr();
        wrap!(Self(if WIDE {
            _mm512_cvtpd_ps(_mm512_loadu_pd(p))
        } else {
            let low = _mm256_cvtpd_ps(_mm256_loadu_pd(p));
            _mm256_set_m128(_mm256_cvtpd_ps(_mm256_loadu_pd(p.add(4))), low)
        }))
    }
    #[inline(always)]
    fn write(self, to: &mut [f64; LANES]) {
        let p = to.as_mut_ptr();
        wrap! {
            if WIDE {
                _mm512_storeu_pd(p, _mm512_cvtps_pd(self.0));
            } else {
                _mm256_storeu_pd(p, _mm256_cvtps_pd(_mm256_castps256_ps128(self.0)));
                _mm256_storeu_pd(p.add(4), _mm256_cvtps_pd(_mm256_extractf128_ps::<1>(self.0)));
            }
        }
    }
    #[inline(always)]
    fn read_single(from: &[f32; LANES]) -> Self {
        wrap!(Self(_mm256_loadu_ps(from.as_ptr())))
    }
    #[inline(always)]
    fn write_single(self, to: &mut [f32; LANES]) {
        wrap!(_mm256_storeu_ps(to.as_mut_ptr(), self.0))
    }
    #[inline(always)]
    fn transposed([a, b, c, d, e, f, g, h]: [Self; LANES]) -> [Self; LANES] {
        let (top, bottom) = (fours([a, b, c, d]), fours([e, f, g, h]));
        wrap!([
            Self(_mm256_permute2f128_ps::<0x20>(top[0], bottom[0])),
            Self(_mm256_permute2f128_ps::<0x20>(top[1], bottom[1])),
            Self(_mm256_permute2f128_ps::<0x20>(top[2], bottom[2])),
            Self(_mm256_permute2f128_ps::<0x20>(top[3], bottom[3])),
            Self(_mm256_permute2f128_ps::<0x31>(top[0], bottom[0])),
            Self(_mm256_permute2f128_ps::<0x31>(top[1], bottom[1])),
            Self(_mm256_permute2f128_ps::<0x31>(top[2], bottom[2])),
            Self(_mm256_permute2f128_ps::<0x31>(top[3], bottom[3])),
        ])
    }
}

impl<const WIDE: bool> Halves for Single<WIDE> {
    #[inline(always)]
    fn swapped(self) -> Self {
        wrap!(Self(_mm256_permute2f128_ps::<0x01>(self.0, self.0)))
    }
    #[inline(always)]
    fn turned(self) -> Self {
        wrap!(Self(_mm256_permute_ps::<0x39>(self.0)))
    }
    #[inline(always)]
    fn spread<const K: usize>(self) -> Self {
        wrap!(Self(match K {
            0 => _mm256_permute_ps::<0x00>(self.0),
            1 => _mm256_permute_ps::<0x55>(self.0),
            2 => _mm256_permute_ps::<0xaa>(self.0),
            _ => _mm256_permute_ps::<0xff>(self.0),
        }))
    }
    #[inline(always)]
    fn lows(self, o: Self) -> Self {
        wrap!(Self(_mm256_permute2f128_ps::<0x20>(self.0, o.0)))
    }
    #[inline(always)]
    fn highs(self, o: Self) -> Self {
        wrap!(Self(_mm256_permute2f128_ps::<0x31>(self.0, o.0)))
    }
    #[inline(always)]
    fn with<const K: usize>(self, o: Self) -> Self {
        wrap!(Self(match K {
            0 => _mm256_blend_ps::<0x11>(self.0, o.0),
            1 => _mm256_blend_ps::<0x22>(self.0, o.0),
            2 => _mm256_blend_ps::<0x44>(self.0, o.0),
            _ => _mm256_blend_ps::<0x88>(self.0, o.0),
        }))
    }
    #[inline(always)]
    fn quartered(rows: [Self; LANES / 2]) -> [Self; LANES / 2] {
        let [a, b, c, d] = fours(rows);
        [Self(a), Self(b), Self(c), Self(d)]
    }
}

/// Four rows turned within each half: entry k has column k of the lower half, then that of the upper one. By even and odd columns, since
/// these shuffles are done by two units on Intel's processors, and those that interleave by one.
#[inline(always)]
fn fours<const WIDE: bool>([a, b, c, d]: [Single<WIDE>; 4]) -> [__m256; 4] {
    wrap! {
        let (p, q) = (_mm256_shuffle_ps::<0x88>(a.0, b.0), _mm256_shuffle_ps::<0xdd>(a.0, b.0));
        let (r, s) = (_mm256_shuffle_ps::<0x88>(c.0, d.0), _mm256_shuffle_ps::<0xdd>(c.0, d.0));
        [
            _mm256_shuffle_ps::<0x88>(p, r),
            _mm256_shuffle_ps::<0x88>(q, s),
            _mm256_shuffle_ps::<0xdd>(p, r),
            _mm256_shuffle_ps::<0xdd>(q, s),
        ]
    }
}
