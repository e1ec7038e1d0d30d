//! Half of eight numbers with AVX2.

use super::avx2::{columns, rows};
use crate::lanes::simd::{LANES, Simd, Stored, Wide, Within, places};
use core::arch::x86_64::*;

/// Lanes of a half.
const HALF: usize = LANES / 2;

/// The lower (`0`) or the upper (`1`) half of eight numbers, in one register. There are sixteen of these: with two for
/// every number a kernel spends a third of its instructions on putting them aside.
#[derive(Clone, Copy)]
pub(crate) struct Half<const H: usize>(pub(super) __m256d);

impl<const H: usize> Simd for Half<H> {
    type Mask = __m256d;
    type Stored = Wide;
    type Low = Self;
    type High = Self;
    const PARTED: bool = false;
    one!(add, _mm256_add_pd);
    one!(sub, _mm256_sub_pd);
    one!(mul, _mm256_mul_pd);
    one!(div, _mm256_div_pd);
    one!(max, _mm256_max_pd);
    one!(min, _mm256_min_pd);
    #[inline(always)]
    fn load(from: &Wide) -> Self {
        wrap!(Self(_mm256_load_pd(from.0[H * HALF..][..HALF].as_ptr())))
    }
    #[inline(always)]
    fn store(self, to: &mut Wide) {
        wrap!(_mm256_store_pd(
            to.0[H * HALF..][..HALF].as_mut_ptr(),
            self.0
        ))
    }
    #[inline(always)]
    fn splat(x: f64) -> Self {
        wrap!(Self(_mm256_set1_pd(x)))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        wrap!(Self(_mm256_sqrt_pd(self.0)))
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        wrap!(Self(_mm256_fmadd_pd(self.0, b.0, c.0)))
    }
    #[inline(always)]
    fn nfma(self, b: Self, c: Self) -> Self {
        wrap!(Self(_mm256_fnmadd_pd(self.0, b.0, c.0)))
    }
    #[inline(always)]
    fn gt(self, o: Self) -> Self::Mask {
        wrap!(_mm256_cmp_pd::<_CMP_GT_OQ>(self.0, o.0))
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        wrap!(Self(_mm256_blendv_pd(no.0, yes.0, mask)))
    }
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        wrap!(_mm256_movemask_pd(mask) != 0)
    }
    #[inline(always)]
    fn take<L: Stored>(lines: &[L], at: Within) -> [Self; LANES] {
        let ([x, y, z, m], [p, q, r, i]) = columns(places::read(lines, at, H * HALF));
        [
            Self(x),
            Self(y),
            Self(z),
            Self(m),
            Self(p),
            Self(q),
            Self(r),
            Self(i),
        ]
    }
    #[inline(always)]
    fn put<L: Stored>(lines: &mut [L], at: Within, columns: [Self; LANES]) {
        let [x, y, z, m, p, q, r, i] = columns;
        let rows = rows([x.0, y.0, z.0, m.0], [p.0, q.0, r.0, i.0]);
        places::write(lines, at, H * HALF, rows);
    }
}
