//! Four numbers side by side: a vector and one to spare, or one number for each corner of a face.
//!
//! Kernels are written once over [`Quad`] and compiled for AVX2 and for plain arrays. Every operation is exactly
//! rounded and none is fused with another: both give the same bits.

#[cfg(target_arch = "x86_64")]
mod avx2;

use core::ops::{Add, Div, Mul, Sub};
use glam::DVec3;

/// Arithmetic of four numbers.
pub(super) trait Quad:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    fn of(x: [f64; 4]) -> Self;
    fn array(self) -> [f64; 4];
    fn splat(x: f64) -> Self;
    /// The larger; `o` where either is not a number.
    fn max(self, o: Self) -> Self;
    /// The smaller; `o` where either is not a number.
    fn min(self, o: Self) -> Self;
    fn abs(self) -> Self;
    /// The second, third and first number, then the last.
    fn yzx(self) -> Self;
    /// The third, first and second number, then the last.
    fn zxy(self) -> Self;
    /// This where `x` is at least `y`, else `o`.
    fn where_at_least(self, x: Self, y: Self, o: Self) -> Self;
    /// Which numbers are greater, by bits.
    fn gt(self, o: Self) -> u32;
    /// Which numbers are equal, by bits.
    fn eq(self, o: Self) -> u32;

    #[inline(always)]
    fn of_vector(v: DVec3) -> Self {
        Self::of([v.x, v.y, v.z, 0.0])
    }
    #[inline(always)]
    fn vector(self) -> DVec3 {
        let [x, y, z, _] = self.array();
        DVec3::new(x, y, z)
    }
}

/// Runs a kernel with the widest instructions of this processor that four numbers can use.
macro_rules! dispatch {
    ($kernel:ident($($arg:ident: $type:ty),*) -> $out:ty) => {{
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2")]
            fn wide($($arg: $type),*) -> $out {
                $kernel::<$crate::narrow::quad::Avx2>($($arg),*)
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                #[allow(unsafe_code, reason = "the processor has been asked")]
                // SAFETY: it has said that it has these instructions.
                return unsafe { wide($($arg),*) };
            }
        }
        $kernel::<$crate::narrow::quad::Plain>($($arg),*)
    }};
}
#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Avx2;
pub(super) use dispatch;

/// Implements an operator.
macro_rules! operator {
    ($op:ident::$f:ident for $name:ty, |$x:ident, $y:ident| $made:expr) => {
        impl $op for $name {
            type Output = Self;
            #[inline(always)]
            fn $f(self, $y: Self) -> Self {
                let $x = self;
                $made
            }
        }
    };
}
use operator;

/// Plain arrays.
#[derive(Clone, Copy)]
pub(super) struct Plain([f64; 4]);

impl Plain {
    #[inline(always)]
    fn zip(self, o: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let ([a, b, c, d], [e, g, h, i]) = (self.0, o.0);
        Self([f(a, e), f(b, g), f(c, h), f(d, i)])
    }

    #[inline(always)]
    fn bits(self, o: Self, f: impl Fn(f64, f64) -> bool) -> u32 {
        let bit = |k: usize| u32::from(f(self.0[k], o.0[k])) << k;
        bit(0) | bit(1) | bit(2) | bit(3)
    }
}

operator!(Add::add for Plain, |x, y| x.zip(y, |a, b| a + b));
operator!(Sub::sub for Plain, |x, y| x.zip(y, |a, b| a - b));
operator!(Mul::mul for Plain, |x, y| x.zip(y, |a, b| a * b));
operator!(Div::div for Plain, |x, y| x.zip(y, |a, b| a / b));

impl Quad for Plain {
    #[inline(always)]
    fn of(x: [f64; 4]) -> Self {
        Self(x)
    }
    #[inline(always)]
    fn array(self) -> [f64; 4] {
        self.0
    }
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self([x; 4])
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        self.zip(o, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        self.zip(o, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(f64::abs))
    }
    #[inline(always)]
    fn yzx(self) -> Self {
        let [x, y, z, w] = self.0;
        Self([y, z, x, w])
    }
    #[inline(always)]
    fn zxy(self) -> Self {
        let [x, y, z, w] = self.0;
        Self([z, x, y, w])
    }
    #[inline(always)]
    fn where_at_least(self, x: Self, y: Self, o: Self) -> Self {
        let pick = |k: usize| if x.0[k] >= y.0[k] { self.0[k] } else { o.0[k] };
        Self([pick(0), pick(1), pick(2), pick(3)])
    }
    #[inline(always)]
    fn gt(self, o: Self) -> u32 {
        self.bits(o, |a, b| a > b)
    }
    #[inline(always)]
    fn eq(self, o: Self) -> u32 {
        self.bits(o, |a, b| a == b)
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::narrow::wave::wave;

    /// What all operations make of some numbers, zeros of either sign, infinities and NaN among them.
    #[inline(always)]
    fn all<Q: Quad>(numbers: &[[f64; 4]; 3], bits: &mut Vec<u64>) {
        let [x, y, z] = [Q::of(numbers[0]), Q::of(numbers[1]), Q::of(numbers[2])];
        let made = [
            x + y,
            x - y,
            x * y,
            x / y,
            x.max(y),
            x.min(y),
            x.abs(),
            x.yzx(),
            x.zxy(),
            z.where_at_least(x, y, x),
            Q::splat(numbers[0][1]),
            Q::of_vector(x.vector()),
        ];
        for q in made {
            // Which NaN it is, is the processor's affair.
            let told = |x: f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
            bits.extend(q.array().map(told));
        }
        bits.extend([x.gt(y), y.gt(x), x.eq(y)].map(u64::from));
    }

    fn every_operation(numbers: &[[f64; 4]; 3], bits: &mut Vec<u64>) {
        dispatch!(all(numbers: &[[f64; 4]; 3], bits: &mut Vec<u64>) -> ())
    }

    #[test]
    fn every_operation_is_that_of_plain_arrays() {
        let odd = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0];
        for k in 0..3000u32 {
            let number = |i: u32| match (k + 7 * i) % 11 {
                j @ 0..6 => odd[j as usize],
                _ => wave(13 * k + i),
            };
            let row = |r: u32| [0, 1, 2, 3].map(|i| number(4 * r + i));
            let numbers = [row(0), row(1), row(2)];
            let (mut wide, mut plain) = (Vec::new(), Vec::new());
            every_operation(&numbers, &mut wide);
            all::<Plain>(&numbers, &mut plain);
            assert_eq!(wide, plain, "{numbers:?}");
        }
    }
}
