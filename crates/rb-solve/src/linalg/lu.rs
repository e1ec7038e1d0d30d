//! LU factors of dense unsymmetric matrices.
//!
//! [`Lu`] pivots within columns and works in panels: fast, for matrices expected to be regular.
//! [`RankLu`] pivots over the whole remainder and stops where nothing is left: slower, and it says
//! which rows and columns are independent. Source: G. Golub, C. Van Loan, "Matrix Computations",
//! 4th ed. 2013, §3.2, §3.4.

use super::matrix::{Matrix, axpy, dot};

/// Columns factored at a time; the rest of the matrix is updated once per panel.
const PANEL: usize = 32;

/// P A = L U.
#[derive(Clone, Debug)]
pub struct Lu {
    a: Matrix,
    swap: Vec<usize>,
    smallest: f64,
}

impl Lu {
    /// Factors a square matrix.
    pub fn new(mut a: Matrix) -> Self {
        let n = a.rows();
        assert_eq!(n, a.cols());
        let (mut swap, mut least, mut most) = (vec![0; n], f64::INFINITY, 0.0f64);
        for k in (0..n).step_by(PANEL) {
            let end = (k + PANEL).min(n);
            for j in k..end {
                let p = (j..n).fold(j, |p, i| {
                    if a[(i, j)].abs() > a[(p, j)].abs() {
                        i
                    } else {
                        p
                    }
                });
                swap[j] = p;
                a.swap_rows(j, p);
                let pivot = a[(j, j)];
                (least, most) = (least.min(pivot.abs()), most.max(pivot.abs()));
                if pivot != 0.0 {
                    eliminate_column(&mut a, j, end);
                }
            }
            update_rest(&mut a, k, end);
        }
        let smallest = if n == 0 { 1.0 } else { least / most };
        Self { a, swap, smallest }
    }

    /// Smallest pivot over the largest: 0 or NaN for a singular matrix, tiny for a doubtful one.
    pub fn smallest_pivot(&self) -> f64 {
        self.smallest
    }

    /// Solves A x = b in place. A singular matrix gives non-finite numbers.
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.swap.len();
        for (j, &p) in self.swap.iter().enumerate() {
            x.swap(j, p);
        }
        for i in 0..n {
            x[i] -= dot(&self.a.row(i)[..i], &x[..i]);
        }
        for i in (0..n).rev() {
            let row = self.a.row(i);
            x[i] = (x[i] - dot(&row[i + 1..], &x[i + 1..])) / row[i];
        }
    }
}

/// Multipliers of column `j` and their effect on the rest of the panel, columns j+1..end.
fn eliminate_column(a: &mut Matrix, j: usize, end: usize) {
    let (n, inverse) = (a.rows(), 1.0 / a[(j, j)]);
    let mut top = [0.0; PANEL];
    let top = &mut top[..end - j - 1];
    top.copy_from_slice(&a.row(j)[j + 1..end]);
    for i in j + 1..n {
        let row = a.row_mut(i);
        if row[j] != 0.0 {
            row[j] *= inverse;
            let l = row[j];
            axpy(&mut row[j + 1..end], -l, top);
        }
    }
}

/// Columns beyond the panel k..end: U₁₂ ← L₁₁⁻¹ A₁₂, then A₂₂ ← A₂₂ − L₂₁ U₁₂.
fn update_rest(a: &mut Matrix, k: usize, end: usize) {
    let n = a.rows();
    for i in k + 1..end {
        let (head, tail) = a.entries_mut().split_at_mut(i * n);
        for p in k..i {
            let l = tail[p];
            axpy(&mut tail[end..n], -l, &head[p * n + end..(p + 1) * n]);
        }
    }
    let (head, tail) = a.entries_mut().split_at_mut(end * n);
    for row in tail.chunks_exact_mut(n) {
        let (multipliers, rest) = row[k..].split_at_mut(end - k);
        let mut p = 0;
        while p < multipliers.len() {
            let l = &multipliers[p..(p + 4).min(end - k)];
            let u = |o: usize| &head[(k + p + o) * n + end..(k + p + o + 1) * n];
            match *l {
                [0.0, 0.0, 0.0, 0.0] => {}
                [l0, l1, l2, l3] => subtract_four(rest, [l0, l1, l2, l3], [u(0), u(1), u(2), u(3)]),
                _ => (0..l.len()).for_each(|o| axpy(rest, -l[o], u(o))),
            }
            p += 4;
        }
    }
}

/// y ← y − Σ lᵢ uᵢ over four rows: one pass over y instead of four.
#[inline]
fn subtract_four(y: &mut [f64], l: [f64; 4], u: [&[f64]; 4]) {
    let n = y.len();
    let [u0, u1, u2, u3] = u.map(|u| &u[..n]);
    for j in 0..n {
        y[j] -= (l[0] * u0[j] + l[1] * u1[j]) + (l[2] * u2[j] + l[3] * u3[j]);
    }
}

/// P A Q = L U with complete pivoting, cut at the numerical rank.
#[derive(Clone, Debug)]
pub struct RankLu {
    a: Matrix,
    rows: Vec<usize>,
    cols: Vec<usize>,
    rank: usize,
}

impl RankLu {
    /// Factors a square matrix; a remainder below `tolerance` times the largest entry counts as zero.
    pub fn new(mut a: Matrix, tolerance: f64) -> Self {
        let n = a.rows();
        assert_eq!(n, a.cols());
        let (mut rows, mut cols): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (0..n).collect());
        let smallest = tolerance * a.max_abs();
        let mut rank = 0;
        while rank < n {
            let (r, c, size) = largest(&a, rank);
            if size.is_nan() || size <= smallest {
                break;
            }
            a.swap_rows(rank, r);
            rows.swap(rank, r);
            swap_columns(&mut a, rank, c);
            cols.swap(rank, c);
            eliminate_below(&mut a, rank);
            rank += 1;
        }
        Self {
            a,
            rows,
            cols,
            rank,
        }
    }

    /// Number of independent rows.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// A solution of the independent rows with the unknowns of dependent columns at 0.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut y: Vec<f64> = self.rows[..self.rank].iter().map(|&i| b[i]).collect();
        for i in 0..self.rank {
            y[i] -= dot(&self.a.row(i)[..i], &y[..i]);
        }
        for i in (0..self.rank).rev() {
            let row = &self.a.row(i)[..self.rank];
            y[i] = (y[i] - dot(&row[i + 1..], &y[i + 1..])) / row[i];
        }
        let mut x = vec![0.0; self.cols.len()];
        for (k, v) in y.into_iter().enumerate() {
            x[self.cols[k]] = v;
        }
        x
    }
}

/// Largest entry of the trailing block that starts at (k, k): row, column, magnitude.
fn largest(a: &Matrix, k: usize) -> (usize, usize, f64) {
    let mut best = (k, k, 0.0);
    for i in k..a.rows() {
        for (j, v) in a.row(i).iter().enumerate().skip(k) {
            if v.abs() > best.2 {
                best = (i, j, v.abs());
            }
        }
    }
    best
}

fn swap_columns(a: &mut Matrix, i: usize, j: usize) {
    if i != j {
        for r in 0..a.rows() {
            a.row_mut(r).swap(i, j);
        }
    }
}

fn eliminate_below(a: &mut Matrix, k: usize) {
    let n = a.rows();
    let (head, tail) = a.entries_mut().split_at_mut((k + 1) * n);
    let top = &head[k * n..];
    for row in tail.chunks_exact_mut(n) {
        if row[k] != 0.0 {
            row[k] /= top[k];
            let l = row[k];
            axpy(&mut row[k + 1..], -l, &top[k + 1..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn residual(a: &Matrix, x: &[f64], b: &[f64]) -> f64 {
        let y = a.apply(x);
        y.iter().zip(b).fold(0.0, |m, (y, b)| m.max((y - b).abs()))
    }

    proptest! {
        #[test]
        fn panels_of_any_size_solve(n in 1usize..90, seed in 0u64..1000) {
            let entry = |i: usize, j: usize| ((seed as usize * 7 + i * 31 + j * 17 + i * j) as f64).sin();
            let a = Matrix::from_fn(n, n, |i, j| entry(i, j) + if i == j { 3.0 } else { 0.0 });
            let b: Vec<f64> = (0..n).map(|i| entry(i, n)).collect();
            let lu = Lu::new(a.clone());
            let mut x = b.clone();
            lu.solve(&mut x);
            prop_assume!(lu.smallest_pivot() > 1e-6);
            prop_assert!(residual(&a, &x, &b) < 1e-9);
            let full = RankLu::new(a.clone(), 1e-13);
            prop_assert_eq!(full.rank(), n);
            prop_assert!(residual(&a, &full.solve(&b), &b) < 1e-9);
        }

        #[test]
        fn rank_is_found_and_consistent_systems_solved(
            rank in 1usize..6,
            g in prop::collection::vec(-1.0..1.0f64, 72),
        ) {
            let n = 6;
            let a = Matrix::from_fn(n, n, |i, j| {
                (0..rank).map(|k| g[i * 6 + k] * g[36 + j * 6 + k]).sum()
            });
            let b = a.apply(&[1.0, -2.0, 3.0, -4.0, 5.0, -6.0]);
            let lu = RankLu::new(a.clone(), 1e-12);
            prop_assert!(lu.rank() <= rank);
            prop_assert!(residual(&a, &lu.solve(&b), &b) < 1e-9);
        }
    }
}
