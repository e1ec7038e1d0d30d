//! Plain arrays.

use super::{AllLanes, Halves, LANES, Narrow, Simd, Stored, Wide, Within, places};

/// `[f(0), …, f(7)]`.
#[inline(always)]
fn eight<T>(f: impl Fn(usize) -> T) -> [T; LANES] {
    [f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)]
}

/// Arithmetic of arrays of one precision.
macro_rules! plain {
    ($(#[$doc:meta])* $name:ident, $number:ty, $stored:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name([$number; LANES]);

        impl $name {
            #[inline(always)]
            fn zip(self, o: Self, f: impl Fn($number, $number) -> $number) -> Self {
                Self(eight(|i| f(self.0[i], o.0[i])))
            }
        }

        impl Simd for $name {
            type Mask = [bool; LANES];
            type Stored = $stored;
            type Low = Self;
            type High = Self;
            const PARTED: bool = false;
            by_rows!();
            #[inline(always)]
            fn load(from: &$stored) -> Self {
                Self(from.0)
            }
            #[inline(always)]
            fn store(self, to: &mut $stored) {
                to.0 = self.0;
            }
            #[inline(always)]
            fn splat(x: f64) -> Self {
                Self([x as $number; LANES])
            }
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                self.zip(o, |a, b| a + b)
            }
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                self.zip(o, |a, b| a - b)
            }
            #[inline(always)]
            fn mul(self, o: Self) -> Self {
                self.zip(o, |a, b| a * b)
            }
            #[inline(always)]
            fn div(self, o: Self) -> Self {
                self.zip(o, |a, b| a / b)
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
            fn sqrt(self) -> Self {
                Self(self.0.map(<$number>::sqrt))
            }
            #[inline(always)]
            fn fma(self, b: Self, c: Self) -> Self {
                Self(eight(|i| self.0[i].mul_add(b.0[i], c.0[i])))
            }
            #[inline(always)]
            fn nfma(self, b: Self, c: Self) -> Self {
                Self(eight(|i| (-self.0[i]).mul_add(b.0[i], c.0[i])))
            }
            #[inline(always)]
            fn gt(self, o: Self) -> Self::Mask {
                eight(|i| self.0[i] > o.0[i])
            }
            #[inline(always)]
            fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
                Self(eight(|i| if mask[i] { yes.0[i] } else { no.0[i] }))
            }
            #[inline(always)]
            fn any(mask: Self::Mask) -> bool {
                mask.contains(&true)
            }
        }

        impl AllLanes for $name {
            type Single = PlainSingle;
            #[inline(always)]
            fn read(from: &[f64]) -> Self {
                Self(eight(|i| from[i] as $number))
            }
            #[inline(always)]
            fn write(self, to: &mut [f64; LANES]) {
                *to = self.0.map(f64::from);
            }
            #[inline(always)]
            fn read_single(from: &[f32; LANES]) -> Self {
                Self(from.map(<$number>::from))
            }
            #[inline(always)]
            fn write_single(self, to: &mut [f32; LANES]) {
                *to = self.0.map(|x| x as f32);
            }
            #[inline(always)]
            fn transposed(rows: [Self; LANES]) -> [Self; LANES] {
                eight(|j| Self(eight(|k| rows[k].0[j])))
            }
        }
    };
}

plain!(
    /// Of double precision.
    Plain,
    f64,
    Wide
);
plain!(
    /// Of single precision.
    PlainSingle,
    f32,
    Narrow
);

impl Halves for PlainSingle {
    #[inline(always)]
    fn swapped(self) -> Self {
        Self(eight(|i| self.0[(i + LANES / 2) % LANES]))
    }
    #[inline(always)]
    fn turned(self) -> Self {
        let half = LANES / 2;
        Self(eight(|i| self.0[i / half * half + (i + 1) % half]))
    }
    #[inline(always)]
    fn spread<const K: usize>(self) -> Self {
        let half = LANES / 2;
        Self(eight(|i| self.0[i / half * half + K]))
    }
    #[inline(always)]
    fn lows(self, o: Self) -> Self {
        let ([a, b, c, d, ..], [e, f, g, h, ..]) = (self.0, o.0);
        Self([a, b, c, d, e, f, g, h])
    }
    #[inline(always)]
    fn highs(self, o: Self) -> Self {
        let ([.., a, b, c, d], [.., e, f, g, h]) = (self.0, o.0);
        Self([a, b, c, d, e, f, g, h])
    }
    #[inline(always)]
    fn with<const K: usize>(self, o: Self) -> Self {
        let half = LANES / 2;
        Self(eight(|i| if i % half == K { o.0[i] } else { self.0[i] }))
    }
    #[inline(always)]
    fn quartered(rows: [Self; LANES / 2]) -> [Self; LANES / 2] {
        let half = LANES / 2;
        let row = |j: usize| Self(eight(|i| rows[i % half].0[i / half * half + j]));
        [row(0), row(1), row(2), row(3)]
    }
}
