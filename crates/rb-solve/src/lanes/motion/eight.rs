//! Bodies eight by eight, as they lie side by side: their lines need not be looked for one after the other.

use super::LINES;
use crate::lanes::LANES;
use crate::lanes::simd::{AllLanes, Double, Line};
use core::ops::Range;

/// Up to eight bodies in a row; where there are fewer, the last fills the lanes.
#[derive(Clone, Copy)]
pub(super) struct Eight {
    first: usize,
    end: usize,
}

impl Eight {
    /// Those from `first` on, of `count`.
    #[inline(always)]
    pub(super) fn new(first: usize, count: usize) -> Self {
        let end = count.min(first + LANES);
        Self { first, end }
    }

    /// Their numbers.
    #[inline(always)]
    pub(super) fn run(self) -> Range<usize> {
        self.first..self.end
    }

    /// Line `which` of the `N` that each of them has.
    #[inline(always)]
    pub(super) fn rows<S: AllLanes + Double, const N: usize>(
        self,
        lines: &[Line],
        which: usize,
    ) -> [S; LANES] {
        let run = &lines.as_chunks::<N>().0[self.run()];
        let mut rows = [S::zero(); LANES];
        if let Some(all) = run.first_chunk::<LANES>() {
            for k in 0..LANES {
                rows[k] = S::load(&all[k][which]);
            }
        } else {
            for k in 0..LANES {
                rows[k] = S::load(&run[k.min(run.len() - 1)][which]);
            }
        }
        rows
    }

    /// Stores them.
    #[inline(always)]
    pub(super) fn set_rows<S: AllLanes + Double, const N: usize>(
        self,
        lines: &mut [Line],
        which: usize,
        rows: [S; LANES],
    ) {
        let run = &mut lines.as_chunks_mut::<N>().0[self.run()];
        if let Some(all) = run.first_chunk_mut::<LANES>() {
            for k in 0..LANES {
                rows[k].store(&mut all[k][which]);
            }
        } else {
            for k in 0..run.len() {
                rows[k].store(&mut run[k][which]);
            }
        }
    }

    /// Adds them times `by` to the only line of each.
    #[inline(always)]
    pub(super) fn add_rows<S: AllLanes + Double>(
        self,
        lines: &mut [Line],
        rows: &[S; LANES],
        by: S,
    ) {
        let run = &mut lines[self.run()];
        if let Some(all) = run.first_chunk_mut::<LANES>() {
            for k in 0..LANES {
                S::load(&all[k]).add(rows[k].mul(by)).store(&mut all[k]);
            }
        } else {
            for k in 0..run.len() {
                S::load(&run[k]).add(rows[k].mul(by)).store(&mut run[k]);
            }
        }
    }

    /// The only line of each, in columns: lane k of entry j is number j of the k-th.
    #[inline(always)]
    pub(super) fn gather<S: AllLanes + Double>(self, lines: &[Line]) -> [S; LANES] {
        S::transposed(self.rows::<S, 1>(lines, 0))
    }

    /// A line of their own, in columns.
    #[inline(always)]
    pub(super) fn own<S: AllLanes + Double>(self, own: &[Line], line: usize) -> [S; LANES] {
        S::transposed(self.rows::<S, LINES>(own, line))
    }

    /// The reverse of [`gather`](Self::gather).
    #[inline(always)]
    pub(super) fn scatter<S: AllLanes + Double>(self, lines: &mut [Line], columns: [S; LANES]) {
        self.set_rows::<S, 1>(lines, 0, S::transposed(columns));
    }
}
