//! The instructions of x86-64: AVX2 with FMA, and AVX-512.
#![allow(
    unsafe_code,
    reason = "vector instructions; every width is tested against the plain arrays"
)]

use super::{AllLanes, LANES, Simd, Stored, Wide, Within, places};
use core::arch::x86_64::*;

/// Every call below is an instruction of the named set, and nothing else can go wrong with it:
/// loads and stores go through references, those of `read` to as many numbers as are read.
macro_rules! wrap {
    ($($body:tt)*) => {
        // SAFETY: kernels over this type are reached only through `dispatch`, after the processor
        // has said that it has these instructions.
        unsafe { $($body)* }
    };
}

/// One instruction of two operands.
macro_rules! one {
    ($name:ident, $op:ident) => {
        #[inline(always)]
        fn $name(self, o: Self) -> Self {
            wrap!(Self($op(self.0, o.0)))
        }
    };
}

mod avx2;
mod half;
mod single;

pub(crate) use avx2::Avx2;
pub(crate) use single::Single;

/// Eight numbers in one register.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(__m512d);

impl Simd for Avx512 {
    type Mask = __mmask8;
    type Stored = Wide;
    type Low = Self;
    type High = Self;
    const PARTED: bool = false;
    by_rows!();
    #[inline(always)]
    fn load(from: &Wide) -> Self {
        wrap!(Self(_mm512_load_pd(from.0.as_ptr())))
    }
    #[inline(always)]
    fn store(self, to: &mut Wide) {
        wrap!(_mm512_store_pd(to.0.as_mut_ptr(), self.0))
    }
    #[inline(always)]
    fn splat(x: f64) -> Self {
        wrap!(Self(_mm512_set1_pd(x)))
    }
    one!(add, _mm512_add_pd);
    one!(sub, _mm512_sub_pd);
    one!(mul, _mm512_mul_pd);
    one!(div, _mm512_div_pd);
    one!(max, _mm512_max_pd);
    one!(min, _mm512_min_pd);
    #[inline(always)]
    fn sqrt(self) -> Self {
        wrap!(Self(_mm512_sqrt_pd(self.0)))
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        wrap!(Self(_mm512_fmadd_pd(self.0, b.0, c.0)))
    }
    #[inline(always)]
    fn nfma(self, b: Self, c: Self) -> Self {
        wrap!(Self(_mm512_fnmadd_pd(self.0, b.0, c.0)))
    }
    #[inline(always)]
    fn gt(self, o: Self) -> Self::Mask {
        wrap!(_mm512_cmp_pd_mask::<_CMP_GT_OQ>(self.0, o.0))
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        wrap!(Self(_mm512_mask_blend_pd(mask, no.0, yes.0)))
    }
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        mask != 0
    }
}

impl AllLanes for Avx512 {
    type Single = Single<true>;
    #[inline(always)]
    fn read(from: &[f64]) -> Self {
        wrap!(Self(_mm512_loadu_pd(from[..LANES].as_ptr())))
    }
    #[inline(always)]
    fn write(self, to: &mut [f64; LANES]) {
        wrap!(_mm512_storeu_pd(to.as_mut_ptr(), self.0))
    }
    #[inline(always)]
    fn read_single(from: &[f32; LANES]) -> Self {
        wrap!(Self(_mm512_cvtps_pd(_mm256_loadu_ps(from.as_ptr()))))
    }
    #[inline(always)]
    fn write_single(self, to: &mut [f32; LANES]) {
        wrap!(_mm256_storeu_ps(to.as_mut_ptr(), _mm512_cvtpd_ps(self.0)))
    }
    #[inline(always)]
    fn transposed(rows: [Self; LANES]) -> [Self; LANES] {
        transpose(rows)
    }
}

#[inline(always)]
fn transpose(r: [Avx512; LANES]) -> [Avx512; LANES] {
    wrap! {
        // Pairs of rows, then pairs of pairs, then halves.
        let [a, b, c, d, e, f, g, h] = r;
        let even = quads(
            _mm512_unpacklo_pd(a.0, b.0),
            _mm512_unpacklo_pd(c.0, d.0),
            _mm512_unpacklo_pd(e.0, f.0),
            _mm512_unpacklo_pd(g.0, h.0),
        );
        let odd = quads(
            _mm512_unpackhi_pd(a.0, b.0),
            _mm512_unpackhi_pd(c.0, d.0),
            _mm512_unpackhi_pd(e.0, f.0),
            _mm512_unpackhi_pd(g.0, h.0),
        );
        [
            even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3],
        ]
    }
}

/// Columns 0, 2, 4, 6 of eight rows from pairs of rows interleaved.
#[inline(always)]
fn quads(p: __m512d, q: __m512d, r: __m512d, s: __m512d) -> [Avx512; 4] {
    wrap! {
        let a = _mm512_shuffle_f64x2::<0x88>(p, q);
        let b = _mm512_shuffle_f64x2::<0xdd>(p, q);
        let c = _mm512_shuffle_f64x2::<0x88>(r, s);
        let d = _mm512_shuffle_f64x2::<0xdd>(r, s);
        [
            Avx512(_mm512_shuffle_f64x2::<0x88>(a, c)),
            Avx512(_mm512_shuffle_f64x2::<0x88>(b, d)),
            Avx512(_mm512_shuffle_f64x2::<0xdd>(a, c)),
            Avx512(_mm512_shuffle_f64x2::<0xdd>(b, d)),
        ]
    }
}
