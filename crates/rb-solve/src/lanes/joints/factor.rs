//! LDLᵀ of the joint rows' own system along trees, without fill.
//!
//! There are only rows that are free in at least one lane; where such a row is pinned its pivot 1/D is zero, which
//! takes it out of everything that follows. The column of position k holds the lower triangle of its own block, then
//! one block for each link, row by row of the later position:
//!
//! ```text
//! A_kk = L D Lᵀ (1/D in place of D);   B_i = A_ik L⁻ᵀ;   A_ij −= B_i D⁻¹ B_jᵀ
//! ```
//!
//! Dependent rows stay at zero as in `linalg::ldl`.
//! Source: D. Baraff, "Linear-time dynamics using Lagrange multipliers", 1996 (elimination along the
//! tree).

use super::exact::{Free, Task, is_pinned};
use super::pack::{Batch, triangle};
use super::prepare::{ALL, invert};
use super::trees::Group;
use crate::lanes::simd::{Double, Wide};

impl Task<'_> {
    /// Factors the system of a group for its present sides.
    #[inline(always)]
    pub(super) fn factor<S: Double>(&mut self, group: &Group) {
        for k in 0..group.len as usize {
            self.fill_own::<S>(group, k);
            for link in 0..self.column(group, k).len() {
                self.fill_link::<S>(group, k, link);
            }
        }
        for k in 0..group.len as usize {
            self.eliminate::<S>(group, k);
        }
    }

    /// Positions in the plan that position k of the tree in lane 0 is linked to.
    #[inline(always)]
    pub(super) fn column(&self, group: &Group, k: usize) -> &[u32] {
        self.plan.column(group.tree as usize + k)
    }

    /// Position within the tree that a link of position k goes to.
    #[inline(always)]
    pub(super) fn later(&self, group: &Group, k: usize, link: usize) -> usize {
        (self.column(group, k)[link] - group.tree) as usize
    }

    #[inline(always)]
    pub(super) fn batch(&self, group: &Group, k: usize) -> &Batch {
        &self.batches[group.batch(k)]
    }

    /// Where the triangle of position k begins.
    #[inline(always)]
    pub(super) fn own(&self, group: &Group, k: usize) -> usize {
        let starts = &self.plan.starts[group.tree as usize..];
        self.blocks[group.slots as usize + k + (starts[k] - starts[0]) as usize] as usize
    }

    /// Where the block of a link of position k begins.
    #[inline(always)]
    pub(super) fn link(&self, group: &Group, k: usize, link: usize) -> usize {
        let starts = &self.plan.starts[group.tree as usize..];
        self.blocks[group.slots as usize + k + (starts[k] - starts[0]) as usize + link + 1] as usize
    }

    /// Rows of position k that are solved for.
    #[inline(always)]
    pub(super) fn free(&self, group: &Group, k: usize) -> &Free {
        &self.free[group.batch(k)]
    }

    /// Splits the triangle of position k, makes B of its links, and takes their products off the later
    /// positions.
    #[inline(always)]
    fn eliminate<S: Double>(&mut self, group: &Group, k: usize) {
        match self.free(group, k).len() {
            0 => {}
            3 => self.eliminate_some::<S, 3>(group, k),
            4 => self.eliminate_some::<S, 4>(group, k),
            5 => self.eliminate_some::<S, 5>(group, k),
            6 => self.eliminate_some::<S, 6>(group, k),
            _ => self.eliminate_some::<S, 0>(group, k),
        }
    }

    /// The same with `N` rows, or any number if that is 0.
    #[inline(always)]
    fn eliminate_some<S: Double, const N: usize>(&mut self, group: &Group, k: usize) {
        let n = match N {
            0 => self.free(group, k).len(),
            _ => N,
        };
        self.split::<S>(group, k, n);
        let (at, links) = (self.own(group, k), self.column(group, k).len());
        for link in 0..links {
            let to = self.link(group, k, link);
            let len = self.free(group, self.later(group, k, link)).len();
            let (own, block) = self.factor[at..].split_at_mut(to - at);
            for row in block[..len * n].chunks_exact_mut(n) {
                bring_down::<S>(own, row, n);
            }
        }
        for a in 0..links {
            for b in a..links {
                self.subtract::<S>(group, k, n, [a, b]);
            }
        }
    }

    /// LDLᵀ of the triangle of position k, with R. Pivots are compared with what they were before any
    /// elimination: the last rows of a loop of joints vanish.
    #[inline(always)]
    fn split<S: Double>(&mut self, group: &Group, k: usize, n: usize) {
        let at = self.own(group, k);
        let number = group.batch(k);
        let (batch, free) = (&self.batches[number], &self.free[number]);
        let first = batch.first as usize;
        let (own, free) = (&mut self.factor[at..][..triangle(n)], &free.rows()[..n]);
        for i in 0..n {
            let r = free[i];
            let row = &self.rows[first + r as usize];
            let (known, mine) = own.split_at_mut(triangle(i));
            let mut scaled = [S::zero(); ALL];
            for j in 0..i {
                let mut x = S::load(&mine[j]);
                for m in 0..j {
                    x = scaled[m].nfma(S::load(&known[triangle(j) + m]), x);
                }
                scaled[j] = x;
                x.mul(S::load(&known[triangle(j) + j])).store(&mut mine[j]);
            }
            let reg = S::load(&row.reg[self.pass as usize]);
            let mut x = S::load(&mine[i]).add(reg);
            for m in 0..i {
                x = scaled[m].nfma(S::load(&mine[m]), x);
            }
            let mut pivot = invert(x, S::load(&row.diag).add(reg));
            if r >= batch.plain {
                let pinned = is_pinned(S::load(&self.sides[first + r as usize]));
                pivot = S::select(pinned, S::zero(), pivot);
            }
            pivot.store(&mut mine[i]);
        }
    }

    /// A(j, i) −= B(j) D⁻¹ B(i)ᵀ, with i and j where the links `a` and `b` of position k go.
    #[inline(always)]
    fn subtract<S: Double>(&mut self, group: &Group, k: usize, n: usize, [a, b]: [usize; 2]) {
        let (i, j) = (self.later(group, k, a), self.later(group, k, b));
        let (cols, rows) = (self.free(group, i).len(), self.free(group, j).len());
        let to = if i == j {
            self.own(group, i)
        } else {
            // Eliminating k has linked i and j, so the column of i has j.
            let there = self
                .column(group, i)
                .binary_search(&self.column(group, k)[b]);
            match there {
                Ok(link) => self.link(group, i, link),
                Err(_) => return,
            }
        };
        let own = self.own(group, k);
        let (left, right) = (self.link(group, k, b), self.link(group, k, a));
        // Later columns lie behind this one.
        let (known, out) = self.factor.split_at_mut(to);
        let pivots = &known[own..][..triangle(n)];
        let (left, right) = (&known[left..][..rows * n], &known[right..][..cols * n]);
        let mut first = 0;
        for (r, row) in left.chunks_exact(n).enumerate() {
            let mut scaled = [S::zero(); ALL];
            for m in 0..n {
                scaled[m] = S::load(&row[m]).mul(S::load(&pivots[triangle(m) + m]));
            }
            let len = if i == j { r + 1 } else { cols };
            let out = &mut out[first..][..len];
            for (entry, row) in out.iter_mut().zip(right.chunks_exact(n)) {
                let mut x = S::load(entry);
                for m in 0..n {
                    x = scaled[m].nfma(S::load(&row[m]), x);
                }
                x.store(entry);
            }
            first += len;
        }
    }
}

/// A row of B: x L⁻ᵀ of a row x.
#[inline(always)]
fn bring_down<S: Double>(own: &[Wide], row: &mut [Wide], n: usize) {
    let (own, row) = (&own[..triangle(n)], &mut row[..n]);
    let mut x = [S::zero(); ALL];
    for i in 0..n {
        x[i] = S::load(&row[i]);
        for j in 0..i {
            x[i] = x[j].nfma(S::load(&own[triangle(i) + j]), x[i]);
        }
        x[i].store(&mut row[i]);
    }
}
