//! A system of equations solved for its basic variables, and its pivots.
//!
//! `x_B = b + A x_N`. Every exchange of a basic with a nonbasic variable is one rank-one update.

use crate::linalg::matrix::{Matrix, axpy};

/// A variable of the expanded problem: x_k is 2k, its partner w_k is 2k + 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Var(pub(super) usize);

impl Var {
    pub(super) fn x(k: usize) -> Self {
        Self(2 * k)
    }

    pub(super) fn w(k: usize) -> Self {
        Self(2 * k + 1)
    }

    /// The variable it is complementary to.
    pub(super) fn partner(self) -> Self {
        Self(self.0 ^ 1)
    }

    /// k, if this is x_k.
    pub(super) fn as_x(self) -> Option<usize> {
        self.0.is_multiple_of(2).then_some(self.0 / 2)
    }
}

/// Basic variables in terms of nonbasic ones.
#[derive(Clone, Debug)]
pub(super) struct Dictionary {
    pub(super) rows: Vec<Var>,
    pub(super) cols: Vec<Var>,
    pub(super) a: Matrix,
    pub(super) b: Vec<f64>,
}

impl Dictionary {
    /// w = M x + q with w basic.
    pub(super) fn new(m: Matrix, q: Vec<f64>) -> Self {
        let n = q.len();
        Self {
            rows: (0..n).map(Var::w).collect(),
            cols: (0..n).map(Var::x).collect(),
            a: m,
            b: q,
        }
    }

    /// The same system with one more nonbasic variable.
    pub(super) fn with_column(&self, var: Var, column: &[f64]) -> Self {
        let n = self.cols.len();
        let a = Matrix::from_fn(self.rows.len(), n + 1, |i, j| {
            if j < n { self.a[(i, j)] } else { column[i] }
        });
        let mut cols = self.cols.clone();
        cols.push(var);
        Self {
            rows: self.rows.clone(),
            cols,
            a,
            b: self.b.clone(),
        }
    }

    /// The rows and columns given, by number.
    pub(super) fn part(&self, rows: &[usize], cols: &[usize]) -> Self {
        Self {
            rows: rows.iter().map(|&i| self.rows[i]).collect(),
            cols: cols.iter().map(|&j| self.cols[j]).collect(),
            a: self.a.block(rows, cols),
            b: rows.iter().map(|&i| self.b[i]).collect(),
        }
    }

    /// Exchanges the basic variable of row `r` with the nonbasic one of column `c`.
    pub(super) fn pivot(&mut self, r: usize, c: usize) {
        let inverse = 1.0 / self.a[(r, c)];
        let mut top: Vec<f64> = self.a.row(r).iter().map(|v| -v * inverse).collect();
        top[c] = inverse;
        let level = -self.b[r] * inverse;
        for i in 0..self.rows.len() {
            let factor = self.a[(i, c)];
            if i != r && factor != 0.0 {
                self.a[(i, c)] = 0.0;
                axpy(self.a.row_mut(i), factor, &top);
                self.b[i] += factor * level;
            }
        }
        self.a.row_mut(r).copy_from_slice(&top);
        self.b[r] = level;
        core::mem::swap(&mut self.rows[r], &mut self.cols[c]);
    }

    /// Makes the variables of `enter` basic in place of those of `leave`, largest pivots first, until
    /// none above `smallest` is left.
    pub(super) fn exchange(
        &mut self,
        leave: impl Fn(Var) -> bool,
        enter: impl Fn(Var) -> bool,
        smallest: f64,
    ) {
        loop {
            let cols: Vec<usize> = (0..self.cols.len())
                .filter(|&j| enter(self.cols[j]))
                .collect();
            let mut best = (0, 0, smallest);
            for i in (0..self.rows.len()).filter(|&i| leave(self.rows[i])) {
                for &j in &cols {
                    let size = self.a[(i, j)].abs();
                    if size > best.2 {
                        best = (i, j, size);
                    }
                }
            }
            if best.2 <= smallest {
                return;
            }
            self.pivot(best.0, best.1);
        }
    }
}
