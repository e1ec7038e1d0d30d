//! Solving with the factor of a tree, in place in `solution`.
//!
//! ```text
//! y = L⁻¹ b_k,  b_i −= B_i D⁻¹ y;   back:  x_k = L⁻ᵀ (D⁻¹ y − D⁻¹ Σ B_iᵀ x_i)
//! ```

use super::exact::Task;
use super::pack::triangle;
use super::prepare::ALL;
use super::trees::Group;
use crate::lanes::simd::Double;
use core::ops::Range;

/// Calls a method of position `$k`, compiled for its number of rows, or for any number (0).
macro_rules! by_rows {
    ($task:ident.$method:ident::<$simd:ty>($group:ident, $k:ident)) => {
        match $task.free($group, $k).len() {
            0 => {}
            3 => $task.$method::<$simd, 3>($group, $k),
            4 => $task.$method::<$simd, 4>($group, $k),
            5 => $task.$method::<$simd, 5>($group, $k),
            6 => $task.$method::<$simd, 6>($group, $k),
            _ => $task.$method::<$simd, 0>($group, $k),
        }
    };
}

impl Task<'_> {
    #[inline(always)]
    pub(super) fn substitute<S: Double>(&mut self, group: &Group) {
        for k in 0..group.len as usize {
            by_rows!(self.go_forward::<S>(group, k));
        }
        for k in (0..group.len as usize).rev() {
            by_rows!(self.go_back::<S>(group, k));
        }
    }

    /// Where the unknowns of position k are.
    #[inline(always)]
    fn unknowns(&self, group: &Group, k: usize) -> Range<usize> {
        let first = self.batch(group, k).first as usize;
        first..first + self.free(group, k).len()
    }

    #[inline(always)]
    fn go_forward<S: Double, const N: usize>(&mut self, group: &Group, k: usize) {
        let (at, mine) = (self.own(group, k), self.unknowns(group, k));
        let n = if N == 0 { mine.len() } else { N };
        let own = &self.factor[at..][..triangle(n)];
        let b = &mut self.solution[mine][..n];
        let mut x = [S::zero(); ALL];
        for i in 0..n {
            let mut y = S::load(&b[i]);
            for j in 0..i {
                y = x[j].nfma(S::load(&own[triangle(i) + j]), y);
            }
            x[i] = y;
        }
        for i in 0..n {
            x[i] = x[i].mul(S::load(&own[triangle(i) + i]));
            x[i].store(&mut b[i]);
        }
        for link in 0..self.column(group, k).len() {
            let later = self.unknowns(group, self.later(group, k, link));
            let block = &self.factor[self.link(group, k, link)..][..later.len() * n];
            let rows = block.chunks_exact(n);
            for (to, row) in self.solution[later].iter_mut().zip(rows) {
                let mut y = S::load(to);
                for i in 0..n {
                    y = x[i].nfma(S::load(&row[i]), y);
                }
                y.store(to);
            }
        }
    }

    #[inline(always)]
    fn go_back<S: Double, const N: usize>(&mut self, group: &Group, k: usize) {
        let (at, mine) = (self.own(group, k), self.unknowns(group, k));
        let n = if N == 0 { mine.len() } else { N };
        let mut pull = [S::zero(); ALL];
        for link in 0..self.column(group, k).len() {
            let later = self.unknowns(group, self.later(group, k, link));
            let block = &self.factor[self.link(group, k, link)..][..later.len() * n];
            for (from, row) in self.solution[later].iter().zip(block.chunks_exact(n)) {
                let known = S::load(from);
                for i in 0..n {
                    pull[i] = known.fma(S::load(&row[i]), pull[i]);
                }
            }
        }
        let own = &self.factor[at..][..triangle(n)];
        let b = &mut self.solution[mine][..n];
        let mut x = [S::zero(); ALL];
        for i in (0..n).rev() {
            let mut y = pull[i].nfma(S::load(&own[triangle(i) + i]), S::load(&b[i]));
            // The one found last comes last.
            for j in (i + 1..n).rev() {
                y = x[j].nfma(S::load(&own[triangle(j) + i]), y);
            }
            x[i] = y;
            y.store(&mut b[i]);
        }
    }
}
