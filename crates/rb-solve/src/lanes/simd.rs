//! Eight numbers side by side, with the widest instructions the machine has.
//!
//! Kernels are written once over [`Simd`] and compiled for AVX-512, for AVX2 with FMA, and for plain arrays; those of
//! contacts and nets also once for each precision ([`Stored`]). Every operation is exactly rounded, a product is fused
//! with a sum only where [`Simd::fma`] or [`Simd::nfma`] says so, and nothing is approximated: all three give the same
//! bits.
//!
//! AVX2 has sixteen registers of four numbers of double precision. What needs more than eight numbers a lane mostly goes
//! through the lower lanes of a batch and then through the upper ones ([`by_halves`]): lanes share no movable body, so
//! they need not be visited at once. Where numbers are waited for, as in the elimination of a block, two registers side by
//! side take less time, and a kernel stays whole. Eight numbers of single precision are one register, with AVX-512 too:
//! with sixteen lanes there would be as many idle ones as are won.
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

/// The same of single precision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(super) struct Narrow(pub(super) [f32; LANES]);

/// How batches keep a number per lane, and what works on it.
pub(super) trait Stored: Copy + core::fmt::Debug + Default + Send + Sync {
    type Plain: AllLanes<Stored = Self>;
    #[cfg(target_arch = "x86_64")]
    type Avx2: AllLanes<Stored = Self>;
    #[cfg(target_arch = "x86_64")]
    type Avx512: AllLanes<Stored = Self>;
    /// The least number above 0 that has all digits.
    const TINY: f64;
    /// By what share numbers that ought to be the same may differ.
    const CLOSE: f64;
    /// Smallest pivot, relative to the diagonal it came from, that counts as independent.
    const DEPENDENT: f64;
    /// Whether the product of any three entries of a matrix is in range.
    const CUBES: bool;
    fn at(&self, lane: usize) -> f64;
    fn set(&mut self, lane: usize, x: f64);
    /// As the line of a body: its numbers side by side, whatever the precision of the lanes.
    fn row<S: AllLanes>(&self) -> S;
    fn set_row<S: AllLanes>(&mut self, row: S);
}

/// Implements [`Stored`].
macro_rules! stored {
    ($name:ident, $number:ty, $close:literal, $dependent:literal, $cubes:literal, [$read:ident, $write:ident], $plain:ty, $avx2:ty, $avx512:ty) => {
        impl Stored for $name {
            type Plain = $plain;
            #[cfg(target_arch = "x86_64")]
            type Avx2 = $avx2;
            #[cfg(target_arch = "x86_64")]
            type Avx512 = $avx512;
            const TINY: f64 = <$number>::MIN_POSITIVE as f64;
            const CLOSE: f64 = $close;
            const DEPENDENT: f64 = $dependent;
            const CUBES: bool = $cubes;
            #[inline(always)]
            fn at(&self, lane: usize) -> f64 {
                self.0[lane] as f64
            }
            #[inline(always)]
            fn set(&mut self, lane: usize, x: f64) {
                self.0[lane] = x as $number;
            }
            #[inline(always)]
            fn row<S: AllLanes>(&self) -> S {
                S::$read(&self.0)
            }
            #[inline(always)]
            fn set_row<S: AllLanes>(&mut self, row: S) {
                row.$write(&mut self.0);
            }
        }
    };
}
stored!(
    Wide,
    f64,
    1e-9,
    1e-10,
    true,
    [read, write],
    plain::Plain,
    x86::Avx2,
    x86::Avx512
);
stored!(
    Narrow,
    f32,
    1e-6,
    1e-5,
    false,
    [read_single, write_single],
    plain::PlainSingle,
    x86::Single<false>,
    x86::Single<true>
);

/// What a body keeps in one cache line.
pub type Line = Wide;

/// Lane-wise arithmetic in registers, of all lanes or of a half of them.
pub(super) trait Simd: Copy {
    /// One condition per lane.
    type Mask: Copy;
    /// How it is kept in memory.
    type Stored: Stored;
    /// What takes the lower and the upper lanes where all of them at once need more registers than there are
    /// ([`by_halves`]), else itself.
    type Low: Simd<Stored = Self::Stored>;
    type High: Simd<Stored = Self::Stored>;
    /// Whether there are such halves.
    const PARTED: bool;
    fn load(from: &Self::Stored) -> Self;
    fn store(self, to: &mut Self::Stored);
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
    /// Columns of the lines at eight places: lane k of entry j is number j of the line at the k-th.
    fn take<L: Stored>(lines: &[L], at: Within) -> [Self; LANES];
    /// The reverse of [`take`](Self::take).
    fn put<L: Stored>(lines: &mut [L], at: Within, columns: [Self; LANES]);
    /// [`take`](Self::take) at places that have not been compared with the lines yet.
    #[inline(always)]
    fn gather<L: Stored>(lines: &[L], at: &[Place; LANES]) -> [Self; LANES] {
        Self::take(lines, Within::new(at, lines))
    }
    /// [`put`](Self::put) at such places.
    #[inline(always)]
    fn scatter<L: Stored>(lines: &mut [L], at: &[Place; LANES], columns: [Self; LANES]) {
        let at = Within::new(at, lines);
        Self::put(lines, at, columns);
    }
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0.0)
    }
}

/// Lanes of double precision.
pub(super) trait Double: Simd<Stored = Wide> {}
impl<S: Simd<Stored = Wide>> Double for S {}

/// What goes from lane to lane, where all of them are there.
pub(super) trait AllLanes: Simd {
    /// As many numbers of single precision, with the same instructions.
    type Single: AllLanes + Simd<Stored = Narrow>;
    /// The first eight of some numbers.
    fn read(from: &[f64]) -> Self;
    /// Writes them.
    fn write(self, to: &mut [f64; LANES]);
    /// The same of single precision.
    fn read_single(from: &[f32; LANES]) -> Self;
    fn write_single(self, to: &mut [f32; LANES]);
    /// Lane k of entry j is lane j of row k.
    fn transposed(rows: [Self; LANES]) -> [Self; LANES];
}

/// What goes from one half of the lanes to the other, or stays in its half: of single precision, where all lanes are one
/// register.
pub(super) trait Halves: AllLanes + Simd<Stored = Narrow> {
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
    /// Lane `K` of each half from the other.
    fn with<const K: usize>(self, o: Self) -> Self;
    /// Four rows turned within each half: lane k of entry j is lane j of row k.
    fn quartered(rows: [Self; LANES / 2]) -> [Self; LANES / 2];
}

/// Implements taking and putting lines of [`Simd`] for what is [`AllLanes`].
macro_rules! by_rows {
    () => {
        #[inline(always)]
        fn take<L: Stored>(lines: &[L], at: Within) -> [Self; LANES] {
            Self::transposed(places::read(lines, at, 0))
        }
        #[inline(always)]
        fn put<L: Stored>(lines: &mut [L], at: Within, columns: [Self; LANES]) {
            places::write(lines, at, 0, Self::transposed(columns));
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

mod places;
mod plain;

pub(super) use places::{Place, Within};
pub(super) use plain::Plain;
#[cfg(test)]
pub(super) use plain::PlainSingle;
#[cfg(all(test, target_arch = "x86_64"))]
pub(super) use x86::{Avx2, Avx512, Single};

#[cfg(target_arch = "x86_64")]
mod x86;
