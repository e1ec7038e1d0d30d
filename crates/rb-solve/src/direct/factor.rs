//! Block LDLᵀ of the joint rows' own system, tree by tree, and substitution with it.
//!
//! Column k holds its diagonal block, then one block for each link. After elimination the diagonal block
//! is the inverse G of what was left of it (with dependent rows at zero, see `linalg::ldl`), and the
//! others L = S G.

use super::{Joints, Side};
use crate::linalg::ldl::DEPENDENT;
use core::ops::Range;
use rb_core::problem::{Block, NO_EXTRA, Problem};

/// In place of a side: there is no factor yet.
pub(super) const UNKNOWN: i8 = i8::MAX;
/// Calls a function of columns, compiled for their number of rows where that is a usual one.
macro_rules! by_rows {
    ($rows:expr, $self:ident.$call:ident($k:expr)) => {
        match $rows {
            0 => {}
            1 => $self.$call::<1>($k),
            3 => $self.$call::<3>($k),
            4 => $self.$call::<4>($k),
            5 => $self.$call::<5>($k),
            6 => $self.$call::<6>($k),
            _ => $self.$call::<0>($k),
        }
    };
}

impl Joints<'_> {
    /// Places the blocks of column k one after another: the diagonal, then one for each link.
    pub(super) fn lay_out(&mut self) {
        let s = &mut *self.memory;
        s.factored.clear();
        s.factored.resize(s.sides.len(), UNKNOWN);
        s.factor_at.clear();
        let len = |first: &[u32], k: usize| (first[k + 1] - first[k]) as usize;
        let mut at = 0;
        for k in 0..s.blocks.len() {
            let n = len(&s.first, k);
            s.factor_at.push(at as u32);
            at += n * n;
            for &i in self.plan.column(k) {
                s.factor_at.push(at as u32);
                at += len(&s.first, i as usize) * n;
            }
        }
        s.factor_at.push(at as u32);
        // Every block is filled before it is read.
        s.factor.resize(at, 0.0);
        s.scale.resize(s.sides.len(), 0.0);
    }

    /// Range in `factor` of the diagonal block of column k (`link` 0) or of its `link`-th link.
    #[inline]
    fn place(&self, k: usize, link: usize) -> Range<usize> {
        let slot = k + self.plan.starts[k] as usize + link;
        self.memory.factor_at[slot] as usize..self.memory.factor_at[slot + 1] as usize
    }

    /// Whether the factor of a tree is that of its present sides.
    pub(super) fn is_factored(&self, tree: &Range<usize>) -> bool {
        let mine = self.unknowns(tree);
        self.memory.factored[mine.clone()] == self.memory.sides[mine]
    }

    pub(super) fn factor(&mut self, p: &Problem, tree: &Range<usize>) {
        for k in tree.clone() {
            let at = self.place(k, 0);
            self.fill(p, k, k, at.clone());
            let (n, first) = (self.len(k), self.first(k));
            for j in 0..n {
                self.memory.scale[first + j] = self.memory.factor[at.start + j * n + j];
            }
            for (link, &i) in self.plan.column(k).iter().enumerate() {
                let at = self.place(k, link + 1);
                self.fill(p, i as usize, k, at);
            }
        }
        for k in tree.clone() {
            by_rows!(self.len(k), self.eliminate(k));
        }
        let mine = self.unknowns(tree);
        let s = &mut *self.memory;
        s.factored[mine.clone()].copy_from_slice(&s.sides[mine]);
    }

    /// Block (i, k) of J W Jᵀ + R: rows of position i against those of position k. Pinned rows are left
    /// out, with 1 on the diagonal.
    fn fill(&mut self, p: &Problem, i: usize, k: usize, at: Range<usize>) {
        let (Some(bi), Some(bk)) = (self.memory.blocks[i], self.memory.blocks[k]) else {
            return;
        };
        let (fi, fk) = (self.first(i), self.first(k));
        let s = &mut *self.memory;
        let out = &mut s.factor[at];
        let plain = bi.extra == NO_EXTRA && bk.extra == NO_EXTRA;
        match plain {
            true if i == k => couple_own(p, &bi, out),
            true => couple(p, &bi, &bk, out),
            false => couple_wide(p, &bi, &bk, out),
        }
        let n = bk.len as usize;
        if i == k {
            for (r, ri) in bi.rows().enumerate() {
                if plain {
                    out[r * n + r] += p.rows[ri].term(self.pass).reg;
                    continue;
                }
                for (c, rk) in bk.rows().enumerate() {
                    out[r * n + c] += p.reg(&bi, ri, rk, self.pass);
                }
            }
        }
        if !self.bounded {
            return;
        }
        let free = Side::Free as i8;
        let pinned = |first: usize, len: u8| {
            let sides = &s.sides[first..first + len as usize];
            sides.iter().any(|side| *side != free)
        };
        if !pinned(fi, bi.len) && !pinned(fk, bk.len) {
            return;
        }
        for (r, row) in out.chunks_exact_mut(n).enumerate() {
            for (c, entry) in row.iter_mut().enumerate() {
                if s.sides[fi + r] != free || s.sides[fk + c] != free {
                    *entry = f64::from(u8::from(i == k && r == c));
                }
            }
        }
    }

    /// Inverts the diagonal of column k and subtracts its product from the later columns.
    fn eliminate<const N: usize>(&mut self, k: usize) {
        let n = if N == 0 { self.len(k) } else { N };
        let (diagonal, first) = (self.place(k, 0), self.first(k));
        let s = &mut *self.memory;
        // A loop of joints repeats rows: its last pivots vanish against what they were.
        let scale = &s.scale[first..first + n];
        invert::<N>(&mut s.factor[diagonal.clone()], n, scale);
        let links = self.plan.column(k);
        if links.is_empty() {
            return;
        }
        let column = diagonal.end..self.place(k, links.len()).end;
        let s = &mut *self.memory;
        s.column.clear();
        s.column.extend_from_slice(&s.factor[column.clone()]);
        let (head, tail) = s.factor.split_at_mut(diagonal.end);
        let inverse = &head[diagonal];
        for (l, s) in tail.chunks_exact_mut(n).zip(s.column.chunks_exact(n)) {
            for (l, g) in l.iter_mut().zip(inverse.chunks_exact(n)) {
                *l = dot(s, g);
            }
        }
        for a in 1..=links.len() {
            for b in a..=links.len() {
                self.subtract_product::<N>(k, a, b, column.start);
            }
        }
    }

    /// S(j, i) −= L(j, k) S(i, k)ᵀ, with i and j the `a`-th and `b`-th link of k, whose column started at
    /// `start` and is kept in `column`.
    fn subtract_product<const N: usize>(&mut self, k: usize, a: usize, b: usize, start: usize) {
        let n = if N == 0 { self.len(k) } else { N };
        let (i, j) = (self.plan.column(k)[a - 1], self.plan.column(k)[b - 1]);
        let target = if i == j {
            self.place(i as usize, 0)
        } else {
            // Eliminating k has linked i and j, so the column of i has j.
            let Ok(link) = self.plan.column(i as usize).binary_search(&j) else {
                return;
            };
            self.place(i as usize, link + 1)
        };
        let (left, right) = (self.place(k, b), self.place(k, a));
        let cols = self.len(i as usize);
        if cols == 0 {
            return;
        }
        // Later columns lie behind this one.
        let s = &mut *self.memory;
        let (head, tail) = s.factor.split_at_mut(target.start);
        let left = head[left].chunks_exact(n);
        let right = &s.column[right.start - start..right.end - start];
        for (out, l) in tail.chunks_exact_mut(cols).zip(left) {
            for (out, s) in out.iter_mut().zip(right.chunks_exact(n)) {
                *out -= dot(l, s);
            }
        }
    }

    /// Solves with the factor, in place in `solution`.
    pub(super) fn substitute(&mut self, tree: &Range<usize>) {
        for k in tree.clone() {
            by_rows!(self.len(k), self.go_forward(k));
        }
        for k in tree.clone().rev() {
            by_rows!(self.len(k), self.go_back(k));
        }
    }

    fn go_forward<const N: usize>(&mut self, k: usize) {
        let n = if N == 0 { self.len(k) } else { N };
        let first = self.first(k);
        for link in 1..=self.plan.column(k).len() {
            let (at, later) = self.link(k, link);
            let s = &mut *self.memory;
            // Links go to later positions.
            let (head, tail) = s.solution.split_at_mut(later);
            let known = &head[first..first + n];
            for (x, l) in tail.iter_mut().zip(s.factor[at].chunks_exact(n)) {
                *x -= dot(l, known);
            }
        }
    }

    fn go_back<const N: usize>(&mut self, k: usize) {
        let n = if N == 0 { self.len(k) } else { N };
        let first = self.first(k);
        let diagonal = self.place(k, 0);
        let s = &mut *self.memory;
        s.column.clear();
        s.column.extend_from_slice(&s.solution[first..first + n]);
        let (known, inverse) = (&s.column[..n], s.factor[diagonal].chunks_exact(n));
        for (x, g) in s.solution[first..].iter_mut().zip(inverse) {
            *x = dot(g, known);
        }
        for link in 1..=self.plan.column(k).len() {
            let (at, later) = self.link(k, link);
            let s = &mut *self.memory;
            let (head, tail) = s.solution.split_at_mut(later);
            let mine = &mut head[first..first + n];
            for (l, x) in s.factor[at].chunks_exact(n).zip(&*tail) {
                mine.iter_mut().zip(l).for_each(|(mine, l)| *mine -= l * x);
            }
        }
    }

    /// Block of a link of column k, and the first unknown of the position it goes to.
    #[inline]
    fn link(&self, k: usize, link: usize) -> (Range<usize>, usize) {
        let later = self.plan.column(k)[link - 1] as usize;
        (self.place(k, link), self.first(later))
    }
}

/// J W Jᵀ of the rows of one block over two bodies.
fn couple_own(p: &Problem, block: &Block, out: &mut [f64]) {
    let (n, rows) = (block.len as usize, &p.rows[block.rows()]);
    for (i, row) in rows.iter().enumerate() {
        out[i * n + i] = row.diag;
        for (j, other) in rows[..i].iter().enumerate() {
            let entry = row.jac[0].dot(&other.mjt[0]) + row.jac[1].dot(&other.mjt[1]);
            (out[i * n + j], out[j * n + i]) = (entry, entry);
        }
    }
}

/// J W Jᵀ between the rows of two blocks over two bodies each.
fn couple(p: &Problem, a: &Block, b: &Block, out: &mut [f64]) {
    let n = b.len as usize;
    out.fill(0.0);
    for [s, t] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
        if a.bodies[s] != b.bodies[t] || p.bodies[a.bodies[s] as usize].inv.is_zero() {
            continue;
        }
        for (out, row) in out.chunks_exact_mut(n).zip(&p.rows[a.rows()]) {
            let jac = &row.jac[s];
            for (entry, other) in out.iter_mut().zip(&p.rows[b.rows()]) {
                *entry += jac.dot(&other.mjt[t]);
            }
        }
    }
}

/// J W Jᵀ between the rows of any two blocks.
fn couple_wide(p: &Problem, a: &Block, b: &Block, out: &mut [f64]) {
    let n = b.len as usize;
    for (out, ra) in out.chunks_exact_mut(n).zip(a.rows()) {
        for (entry, rb) in out.iter_mut().zip(b.rows()) {
            *entry = p.shared(a, ra, b, rb);
        }
    }
}

/// Inverse of a symmetric matrix, in place, by one sweep for each row; rows whose pivots vanish against
/// `scale` are zero in it.
pub(crate) fn invert<const N: usize>(a: &mut [f64], n: usize, scale: &[f64]) {
    let n = if N == 0 { n } else { N };
    let a = &mut a[..n * n];
    for k in 0..n {
        let pivot = a[k * n + k];
        let kept = pivot.abs() > DEPENDENT * scale[k].abs();
        let d = if kept { 1.0 / pivot } else { 0.0 };
        for i in (0..n).filter(|&i| i != k) {
            let share = a[i * n + k] * d;
            for j in (0..n).filter(|&j| j != k) {
                a[i * n + j] -= share * a[k * n + j];
            }
        }
        for i in 0..n {
            a[i * n + k] *= d;
            a[k * n + i] = a[i * n + k];
        }
        a[k * n + k] = -d;
    }
    a.iter_mut().for_each(|x| *x = -*x);
}

#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
