//! The instructions of x86-64: AVX2 with FMA, and AVX-512.
#![allow(
    unsafe_code,
    reason = "vector instructions; every width is tested against the plain arrays"
)]

use super::{AllLanes, LANES, Line, Simd, Wide, places};
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

mod half;

pub(crate) use half::Half;

/// Eight numbers in one register.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(__m512d);

impl Simd for Avx512 {
    type Mask = __mmask8;
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
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        wrap!(Self(_mm512_add_pd(self.0, o.0)))
    }
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        wrap!(Self(_mm512_sub_pd(self.0, o.0)))
    }
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        wrap!(Self(_mm512_mul_pd(self.0, o.0)))
    }
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        wrap!(Self(_mm512_div_pd(self.0, o.0)))
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        wrap!(Self(_mm512_max_pd(self.0, o.0)))
    }
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        wrap!(Self(_mm512_min_pd(self.0, o.0)))
    }
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
    #[inline(always)]
    fn read(from: &[f64]) -> Self {
        wrap!(Self(_mm512_loadu_pd(from[..LANES].as_ptr())))
    }
    #[inline(always)]
    fn swapped(self) -> Self {
        wrap!(Self(_mm512_shuffle_f64x2::<0x4e>(self.0, self.0)))
    }
    #[inline(always)]
    fn turned(self) -> Self {
        wrap!(Self(_mm512_permutex_pd::<0x39>(self.0)))
    }
    #[inline(always)]
    fn spread<const K: usize>(self) -> Self {
        wrap!(Self(match K {
            0 => _mm512_permutex_pd::<0x00>(self.0),
            1 => _mm512_permutex_pd::<0x55>(self.0),
            2 => _mm512_permutex_pd::<0xaa>(self.0),
            _ => _mm512_permutex_pd::<0xff>(self.0),
        }))
    }
    #[inline(always)]
    fn lows(self, o: Self) -> Self {
        wrap!(Self(_mm512_shuffle_f64x2::<0x44>(self.0, o.0)))
    }
    #[inline(always)]
    fn highs(self, o: Self) -> Self {
        wrap!(Self(_mm512_shuffle_f64x2::<0xee>(self.0, o.0)))
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

/// Eight numbers in two registers.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(__m256d, __m256d);

/// One instruction for each half.
macro_rules! halves {
    ($name:ident, $op:ident) => {
        #[inline(always)]
        fn $name(self, o: Self) -> Self {
            wrap!(Self($op(self.0, o.0), $op(self.1, o.1)))
        }
    };
}

impl Simd for Avx2 {
    type Mask = (__m256d, __m256d);
    type Low = Half<0>;
    type High = Half<1>;
    const PARTED: bool = true;
    by_rows!();
    halves!(add, _mm256_add_pd);
    halves!(sub, _mm256_sub_pd);
    halves!(mul, _mm256_mul_pd);
    halves!(div, _mm256_div_pd);
    halves!(max, _mm256_max_pd);
    halves!(min, _mm256_min_pd);
    #[inline(always)]
    fn load(from: &Wide) -> Self {
        let p = from.0.as_ptr();
        wrap!(Self(_mm256_load_pd(p), _mm256_load_pd(p.add(4))))
    }
    #[inline(always)]
    fn store(self, to: &mut Wide) {
        let p = to.0.as_mut_ptr();
        wrap! {
            _mm256_store_pd(p, self.0);
            _mm256_store_pd(p.add(4), self.1)
        }
    }
    #[inline(always)]
    fn splat(x: f64) -> Self {
        wrap!(Self(_mm256_set1_pd(x), _mm256_set1_pd(x)))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        wrap!(Self(_mm256_sqrt_pd(self.0), _mm256_sqrt_pd(self.1)))
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        wrap!(Self(
            _mm256_fmadd_pd(self.0, b.0, c.0),
            _mm256_fmadd_pd(self.1, b.1, c.1)
        ))
    }
    #[inline(always)]
    fn nfma(self, b: Self, c: Self) -> Self {
        wrap!(Self(
            _mm256_fnmadd_pd(self.0, b.0, c.0),
            _mm256_fnmadd_pd(self.1, b.1, c.1)
        ))
    }
    #[inline(always)]
    fn gt(self, o: Self) -> Self::Mask {
        wrap!((
            _mm256_cmp_pd::<_CMP_GT_OQ>(self.0, o.0),
            _mm256_cmp_pd::<_CMP_GT_OQ>(self.1, o.1)
        ))
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        wrap!(Self(
            _mm256_blendv_pd(no.0, yes.0, mask.0),
            _mm256_blendv_pd(no.1, yes.1, mask.1)
        ))
    }
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        wrap!(_mm256_movemask_pd(mask.0) | _mm256_movemask_pd(mask.1) != 0)
    }
}

impl AllLanes for Avx2 {
    #[inline(always)]
    fn read(from: &[f64]) -> Self {
        let p = from[..LANES].as_ptr();
        wrap!(Self(_mm256_loadu_pd(p), _mm256_loadu_pd(p.add(4))))
    }
    #[inline(always)]
    fn swapped(self) -> Self {
        Self(self.1, self.0)
    }
    #[inline(always)]
    fn turned(self) -> Self {
        wrap!(Self(
            _mm256_permute4x64_pd::<0x39>(self.0),
            _mm256_permute4x64_pd::<0x39>(self.1)
        ))
    }
    #[inline(always)]
    fn spread<const K: usize>(self) -> Self {
        Self(filled::<K>(self.0), filled::<K>(self.1))
    }
    #[inline(always)]
    fn lows(self, o: Self) -> Self {
        Self(self.0, o.0)
    }
    #[inline(always)]
    fn highs(self, o: Self) -> Self {
        Self(self.1, o.1)
    }
    #[inline(always)]
    fn transposed(rows: [Self; LANES]) -> [Self; LANES] {
        flip(rows)
    }
}

/// Its number `K` in all four places.
#[inline(always)]
fn filled<const K: usize>(x: __m256d) -> __m256d {
    wrap!(match K {
        0 => _mm256_permute4x64_pd::<0x00>(x),
        1 => _mm256_permute4x64_pd::<0x55>(x),
        2 => _mm256_permute4x64_pd::<0xaa>(x),
        _ => _mm256_permute4x64_pd::<0xff>(x),
    })
}

#[inline(always)]
fn flip(r: [Avx2; LANES]) -> [Avx2; LANES] {
    let top = quarter([r[0].0, r[1].0, r[2].0, r[3].0]);
    let right = quarter([r[0].1, r[1].1, r[2].1, r[3].1]);
    let left = quarter([r[4].0, r[5].0, r[6].0, r[7].0]);
    let bottom = quarter([r[4].1, r[5].1, r[6].1, r[7].1]);
    [
        Avx2(top[0], left[0]),
        Avx2(top[1], left[1]),
        Avx2(top[2], left[2]),
        Avx2(top[3], left[3]),
        Avx2(right[0], bottom[0]),
        Avx2(right[1], bottom[1]),
        Avx2(right[2], bottom[2]),
        Avx2(right[3], bottom[3]),
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
