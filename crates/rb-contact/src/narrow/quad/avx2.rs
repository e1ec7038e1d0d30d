//! The instructions of AVX2.
#![allow(
    unsafe_code,
    reason = "vector instructions; they are tested against the plain arrays"
)]

use super::{Quad, operator};
use core::arch::x86_64::*;
use core::ops::{Add, Div, Mul, Sub};

/// Every call below is an instruction of AVX2, and nothing else can go wrong with it: loads and stores go through
/// arrays of four.
macro_rules! wrap {
    ($($body:tt)*) => {
        // SAFETY: kernels over this type are reached only through `dispatch`, after the processor
        // has said that it has these instructions.
        unsafe { $($body)* }
    };
}

/// One comparison.
macro_rules! compare {
    ($name:ident, $op:ident) => {
        #[inline(always)]
        fn $name(self, o: Self) -> u32 {
            wrap!(_mm256_movemask_pd(_mm256_cmp_pd::<$op>(self.0, o.0)) as u32)
        }
    };
}

/// Four numbers in one register.
#[derive(Clone, Copy)]
pub(in crate::narrow) struct Avx2(__m256d);

operator!(Add::add for Avx2, |x, y| wrap!(Self(_mm256_add_pd(x.0, y.0))));
operator!(Sub::sub for Avx2, |x, y| wrap!(Self(_mm256_sub_pd(x.0, y.0))));
operator!(Mul::mul for Avx2, |x, y| wrap!(Self(_mm256_mul_pd(x.0, y.0))));
operator!(Div::div for Avx2, |x, y| wrap!(Self(_mm256_div_pd(x.0, y.0))));

impl Quad for Avx2 {
    #[inline(always)]
    fn of(x: [f64; 4]) -> Self {
        wrap!(Self(_mm256_loadu_pd(x.as_ptr())))
    }
    #[inline(always)]
    fn array(self) -> [f64; 4] {
        let mut to = [0.0; 4];
        wrap!(_mm256_storeu_pd(to.as_mut_ptr(), self.0));
        to
    }
    #[inline(always)]
    fn splat(x: f64) -> Self {
        wrap!(Self(_mm256_set1_pd(x)))
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        wrap!(Self(_mm256_max_pd(self.0, o.0)))
    }
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        wrap!(Self(_mm256_min_pd(self.0, o.0)))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        wrap!(Self(_mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0)))
    }
    #[inline(always)]
    fn yzx(self) -> Self {
        wrap!(Self(_mm256_permute4x64_pd::<0b11_00_10_01>(self.0)))
    }
    #[inline(always)]
    fn zxy(self) -> Self {
        wrap!(Self(_mm256_permute4x64_pd::<0b11_01_00_10>(self.0)))
    }
    #[inline(always)]
    fn where_at_least(self, x: Self, y: Self, o: Self) -> Self {
        wrap!(Self(_mm256_blendv_pd(
            o.0,
            self.0,
            _mm256_cmp_pd::<_CMP_GE_OQ>(x.0, y.0)
        )))
    }
    compare!(gt, _CMP_GT_OQ);
    compare!(eq, _CMP_EQ_OQ);
}
