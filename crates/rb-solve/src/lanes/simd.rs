//! Eight numbers side by side, with the widest instructions the machine has.
//!
//! Kernels are written once over [`Simd`] and compiled for AVX-512, for AVX2 with FMA, and for plain
//! arrays. Every operation is exactly rounded, a product is fused with a sum only where
//! [`Simd::fma`] or [`Simd::nfma`] says so, and nothing is approximated: all three give the same bits.
//!
//! AVX2 has sixteen registers of four numbers. What needs more than eight numbers a lane goes through the lower lanes
//! of a batch and then through the upper ones ([`by_halves`]): lanes share no movable body, so they need not be
//! visited at once.
//!
//! The vector types may be used only on a processor that has been asked for them: that is the reason of
//! every `unsafe` in `x86` and of the two in [`dispatch`](super::dispatch), which asks. `kernel` tests that
//! all widths give the same bits. Those in `places` are of another kind.

/// Numbers side by side.
pub const LANES: usize = 8;

/// One number per lane, in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Wide(pub [f64; LANES]);

/// What a body keeps in one cache line.
pub type Line = Wide;

/// Lane-wise arithmetic in registers, of all lanes or of a half of them.
pub(super) trait Simd: Copy {
    /// One condition per lane.
    type Mask: Copy;
    /// What takes the lower and the upper lanes where all of them at once need more registers than there are
    /// ([`by_halves`]), else itself.
    type Low: Simd;
    type High: Simd;
    /// Whether there are such halves.
    const PARTED: bool;
    fn load(from: &Wide) -> Self;
    fn store(self, to: &mut Wide);
    fn splat(x: f64) -> Self;
    fn add(self, o: Self) -> Self;
    fn sub(self, o: Self) -> Self;
    fn mul(self, o: Self) -> Self;
    fn div(self, o: Self) -> Self;
    /// The larger; `o` where either is not a number.
    fn max(self, o: Self) -> Self;
    /// The smaller; `o` where either is not a number.
    fn min(self, o: Self) -> Self;
    fn sqrt(self) -> Self;
    /// self · b + c, rounded once.
    fn fma(self, b: Self, c: Self) -> Self;
    /// c − self · b, rounded once.
    fn nfma(self, b: Self, c: Self) -> Self;
    fn gt(self, o: Self) -> Self::Mask;
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    fn any(mask: Self::Mask) -> bool;
    /// Columns of the lines at eight places: lane k of entry j is number j of line `at[k]`.
    fn gather(lines: &[Line], at: &[u32; LANES]) -> [Self; LANES];
    /// The reverse of [`gather`](Self::gather).
    fn scatter(lines: &mut [Line], at: &[u32; LANES], columns: [Self; LANES]);
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0.0)
    }
}

/// What goes from lane to lane, where all of them are there.
pub(super) trait AllLanes: Simd {
    /// The first eight of some numbers.
    fn read(from: &[f64]) -> Self;
    /// Lower and upper half exchanged.
    fn swapped(self) -> Self;
    /// Each half turned by one lane: a lane gets what the next one had.
    fn turned(self) -> Self;
    /// Each half filled with its lane `K`.
    fn spread<const K: usize>(self) -> Self;
    /// The lower half of this, then that of the other.
    fn lows(self, o: Self) -> Self;
    /// The upper half of this, then that of the other.
    fn highs(self, o: Self) -> Self;
    /// Lane k of entry j is lane j of row k.
    fn transposed(rows: [Self; LANES]) -> [Self; LANES];
}

/// Implements gathering and scattering of [`Simd`] for what is [`AllLanes`].
macro_rules! by_rows {
    () => {
        #[inline(always)]
        fn gather(lines: &[Line], at: &[u32; LANES]) -> [Self; LANES] {
            Self::transposed(places::read(lines, at))
        }
        #[inline(always)]
        fn scatter(lines: &mut [Line], at: &[u32; LANES], columns: [Self; LANES]) {
            places::write(lines, at, Self::transposed(columns));
        }
    };
}

/// Calls a kernel for all lanes, or for the lower and then for the upper ones. What it decides for all lanes together
/// must not change what any of them gets.
macro_rules! by_halves {
    ($kernel:ident::<$simd:ty $(, $with:tt)*>($($arg:expr),*)) => {
        if <$simd>::PARTED {
            $kernel::<<$simd>::Low $(, $with)*>($($arg),*);
            $kernel::<<$simd>::High $(, $with)*>($($arg),*);
        } else {
            $kernel::<$simd $(, $with)*>($($arg),*);
        }
    };
}
pub(super) use by_halves;

/// `[f(0), f(1)]`. Neither a closure nor the array functions of the standard library will do in a kernel:
/// they are compiled for themselves, without the instructions of their caller unless they happen to be
/// inlined, and a vector operation in one becomes a call.
macro_rules! two {
    (|$s:ident| $value:expr) => {
        [
            {
                let $s = 0_usize;
                $value
            },
            {
                let $s = 1_usize;
                $value
            },
        ]
    };
}
pub(super) use two;

/// `[f(0), …, f(7)]`.
#[inline(always)]
fn eight<T>(f: impl Fn(usize) -> T) -> [T; LANES] {
    [f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)]
}

/// Plain arrays.
#[derive(Clone, Copy)]
pub(super) struct Plain([f64; LANES]);

impl Plain {
    #[inline(always)]
    fn zip(self, o: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self(eight(|i| f(self.0[i], o.0[i])))
    }
}

impl Simd for Plain {
    type Mask = [bool; LANES];
    type Low = Self;
    type High = Self;
    const PARTED: bool = false;
    by_rows!();
    #[inline(always)]
    fn load(from: &Wide) -> Self {
        Self(from.0)
    }
    #[inline(always)]
    fn store(self, to: &mut Wide) {
        to.0 = self.0;
    }
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self([x; LANES])
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
        Self(self.0.map(f64::sqrt))
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

impl AllLanes for Plain {
    #[inline(always)]
    fn read(from: &[f64]) -> Self {
        Self(eight(|i| from[i]))
    }
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
    fn transposed(rows: [Self; LANES]) -> [Self; LANES] {
        eight(|j| Self(eight(|k| rows[k].0[j])))
    }
}

mod places;

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86;
