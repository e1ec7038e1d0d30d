//! LDLᵀ of the joint rows' own system along trees, without fill, and substitution with it.
//!
//! There are only rows that are free in at least one lane; where such a row is pinned its pivot 1/D is zero, which
//! takes it out of everything that follows. The column of position k holds the lower triangle of its own block, then
//! one block for each link, row by row of the later position:
//!
//! ```text
//! A_kk = L D Lᵀ (1/D in place of D);   B_i = A_ik L⁻ᵀ;   A_ij −= B_i D⁻¹ B_jᵀ
//! y = L⁻¹ b_k,  b_i −= B_i D⁻¹ y;   back:  x_k = L⁻ᵀ (D⁻¹ y − D⁻¹ Σ B_iᵀ x_i)
//! ```
//!
//! Dependent rows stay at zero as in `linalg::ldl`.
//! Source: D. Baraff, "Linear-time dynamics using Lagrange multipliers", 1996 (elimination along the
//! tree).

use super::exact::{Free, Task, is_pinned};
use super::pack::{Batch, triangle};
use super::prepare::{ALL, couple, invert};
use super::trees::{Group, meeting};
use crate::lanes::simd::{Simd, Wide};
use crate::lanes::vector::{Mass, V3};
use core::ops::Range;

impl Task<'_> {
    /// Factors the system of a group for its present sides.
    #[inline(always)]
    pub(super) fn factor<S: Simd>(&mut self, group: &Group) {
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
    fn column(&self, group: &Group, k: usize) -> &[u32] {
        self.plan.column(group.tree as usize + k)
    }

    /// Position within the tree that a link of position k goes to.
    #[inline(always)]
    fn later(&self, group: &Group, k: usize, link: usize) -> usize {
        (self.column(group, k)[link] - group.tree) as usize
    }

    #[inline(always)]
    fn batch(&self, group: &Group, k: usize) -> &Batch {
        &self.batches[group.batch(k)]
    }

    /// Where the triangle of position k begins.
    #[inline(always)]
    fn own(&self, group: &Group, k: usize) -> usize {
        let starts = &self.plan.starts[group.tree as usize..];
        self.blocks[group.slots as usize + k + (starts[k] - starts[0]) as usize] as usize
    }

    /// Where the block of a link of position k begins.
    #[inline(always)]
    fn link(&self, group: &Group, k: usize, link: usize) -> usize {
        let starts = &self.plan.starts[group.tree as usize..];
        self.blocks[group.slots as usize + k + (starts[k] - starts[0]) as usize + link + 1] as usize
    }

    /// Rows of position k that are solved for.
    #[inline(always)]
    fn free(&self, group: &Group, k: usize) -> &Free {
        &self.free[group.batch(k)]
    }

    /// J W Jᵀ of position k.
    #[inline(always)]
    fn fill_own<S: Simd>(&mut self, group: &Group, k: usize) {
        let at = self.own(group, k);
        let number = group.batch(k);
        let (batch, free) = (&self.batches[number], &self.free[number]);
        let mass = [Mass::<S>::load(&batch.mass[0]), Mass::load(&batch.mass[1])];
        let rows = &self.rows[batch.range()];
        couple(&mass, rows, free.rows(), &mut self.factor[at..]);
    }

    /// J W Jᵀ between the rows of position k and of one it is linked to.
    #[inline(always)]
    fn fill_link<S: Simd>(&mut self, group: &Group, k: usize, link: usize) {
        let (at, later) = (self.link(group, k, link), self.later(group, k, link));
        let numbers = [group.batch(k), group.batch(later)];
        let [mine, other] = [&self.batches[numbers[0]], &self.batches[numbers[1]]];
        let [free, others] = [&self.free[numbers[0]], &self.free[numbers[1]]];
        let met = meeting([first_lane(other), first_lane(mine)], self.movable);
        let n = free.len();
        let out = &mut self.factor[at..][..others.len() * n];
        let mut fresh = true;
        for (s, t) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            if (met >> (2 * s + t)) & 1 == 0 {
                continue;
            }
            // The linear halves of a row are opposite.
            let sign = S::splat(if s == t { 1.0 } else { -1.0 });
            let mass = Mass::<S>::load(&mine.mass[t]);
            for (c, &row) in free.rows().iter().enumerate() {
                let row = &self.rows[mine.first as usize + row as usize];
                let lin = mass.lin.times(V3::load(&row.lin)).scaled(sign);
                let ang = mass.ang(V3::load(&row.ang[t]));
                for (r, &other_row) in others.rows().iter().enumerate() {
                    let other = &self.rows[other.first as usize + other_row as usize];
                    let entry = &mut out[r * n + c];
                    let lin = lin.dot(V3::load(&other.lin));
                    let mut both = ang.dot(V3::load(&other.ang[s])).add(lin);
                    if !fresh {
                        both = S::load(entry).add(both);
                    }
                    both.store(entry);
                }
            }
            fresh = false;
        }
        if fresh {
            // Linked by what was eliminated before alone.
            out.iter_mut().for_each(|entry| S::zero().store(entry));
        }
    }

    /// Splits the triangle of position k, makes B of its links, and takes their products off the later
    /// positions.
    #[inline(always)]
    fn eliminate<S: Simd>(&mut self, group: &Group, k: usize) {
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
    fn eliminate_some<S: Simd, const N: usize>(&mut self, group: &Group, k: usize) {
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
    fn split<S: Simd>(&mut self, group: &Group, k: usize, n: usize) {
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
    fn subtract<S: Simd>(&mut self, group: &Group, k: usize, n: usize, [a, b]: [usize; 2]) {
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
        for r in 0..rows {
            let mut scaled = [S::zero(); ALL];
            let row = &known[left + r * n..][..n];
            for m in 0..n {
                scaled[m] = S::load(&row[m]).mul(S::load(&pivots[triangle(m) + m]));
            }
            let (first, cols) = match i == j {
                true => (triangle(r), r + 1),
                false => (r * cols, cols),
            };
            for c in 0..cols {
                let mut x = S::load(&out[first + c]);
                let row = &known[right + c * n..][..n];
                for m in 0..n {
                    x = scaled[m].nfma(S::load(&row[m]), x);
                }
                x.store(&mut out[first + c]);
            }
        }
    }

    /// Where the unknowns of position k are.
    #[inline(always)]
    fn unknowns(&self, group: &Group, k: usize) -> Range<usize> {
        let first = self.batch(group, k).first as usize;
        first..first + self.free(group, k).len()
    }

    /// Solves with the factor, in place in `solution`.
    #[inline(always)]
    pub(super) fn substitute<S: Simd>(&mut self, group: &Group) {
        for k in 0..group.len as usize {
            self.go_forward::<S>(group, k);
        }
        for k in (0..group.len as usize).rev() {
            self.go_back::<S>(group, k);
        }
    }

    #[inline(always)]
    fn go_forward<S: Simd>(&mut self, group: &Group, k: usize) {
        let (at, mine) = (self.own(group, k), self.unknowns(group, k));
        let (n, own) = (mine.len(), &self.factor[at..]);
        let mut x = [S::zero(); ALL];
        for i in 0..n {
            let mut y = S::load(&self.solution[mine.start + i]);
            for j in 0..i {
                y = x[j].nfma(S::load(&own[triangle(i) + j]), y);
            }
            x[i] = y;
        }
        for i in 0..n {
            x[i] = x[i].mul(S::load(&own[triangle(i) + i]));
            x[i].store(&mut self.solution[mine.start + i]);
        }
        for link in 0..self.column(group, k).len() {
            let later = self.unknowns(group, self.later(group, k, link));
            let block = &self.factor[self.link(group, k, link)..];
            for (r, to) in self.solution[later].iter_mut().enumerate() {
                let mut y = S::load(to);
                for i in 0..n {
                    y = x[i].nfma(S::load(&block[r * n + i]), y);
                }
                y.store(to);
            }
        }
    }

    #[inline(always)]
    fn go_back<S: Simd>(&mut self, group: &Group, k: usize) {
        let (at, mine) = (self.own(group, k), self.unknowns(group, k));
        let (n, own) = (mine.len(), &self.factor[at..]);
        let mut pull = [S::zero(); ALL];
        for link in 0..self.column(group, k).len() {
            let later = self.unknowns(group, self.later(group, k, link));
            let block = &self.factor[self.link(group, k, link)..];
            for (r, from) in self.solution[later].iter().enumerate() {
                let known = S::load(from);
                for i in 0..n {
                    pull[i] = known.fma(S::load(&block[r * n + i]), pull[i]);
                }
            }
        }
        let mut x = [S::zero(); ALL];
        for i in (0..n).rev() {
            let y = S::load(&self.solution[mine.start + i]);
            let mut y = pull[i].nfma(S::load(&own[triangle(i) + i]), y);
            for j in i + 1..n {
                y = x[j].nfma(S::load(&own[triangle(j) + i]), y);
            }
            x[i] = y;
            y.store(&mut self.solution[mine.start + i]);
        }
    }
}

/// A row of B: x L⁻ᵀ of a row x.
#[inline(always)]
fn bring_down<S: Simd>(own: &[Wide], row: &mut [Wide], n: usize) {
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

/// Bodies of a batch's first joint.
#[inline(always)]
fn first_lane(batch: &Batch) -> [u32; 2] {
    [batch.bodies[0][0], batch.bodies[1][0]]
}
