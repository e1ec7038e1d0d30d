//! Dense row-major matrices of any size, for solvers that are allowed to allocate.

use core::ops::{Index, IndexMut};

/// A dense matrix, stored row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    data: Vec<f64>,
}

impl Matrix {
    /// The `rows` × `cols` matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self {
            rows,
            cols,
            data: vec![0.0; rows * cols],
        }
    }

    /// The `rows` × `cols` matrix of `entry(i, j)`.
    pub fn from_fn(rows: usize, cols: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let mut m = Self::zeros(rows, cols);
        for i in 0..rows {
            for j in 0..cols {
                m[(i, j)] = entry(i, j);
            }
        }
        m
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// Row `i`, to write.
    #[inline]
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// All entries, row by row.
    pub fn entries(&self) -> &[f64] {
        &self.data
    }

    /// All entries, row by row, to write.
    pub fn entries_mut(&mut self) -> &mut [f64] {
        &mut self.data
    }

    /// Largest magnitude of an entry; 0 if there is none.
    pub fn max_abs(&self) -> f64 {
        self.data.iter().fold(0.0, |m, x| m.max(x.abs()))
    }

    /// y = A x.
    pub fn apply(&self, x: &[f64]) -> Vec<f64> {
        assert_eq!(x.len(), self.cols);
        (0..self.rows).map(|i| dot(self.row(i), x)).collect()
    }

    /// A B.
    pub fn times(&self, b: &Self) -> Self {
        assert_eq!(self.cols, b.rows);
        let mut out = Self::zeros(self.rows, b.cols);
        for i in 0..self.rows {
            for (k, &a) in self.row(i).iter().enumerate() {
                if a != 0.0 {
                    axpy(out.row_mut(i), a, b.row(k));
                }
            }
        }
        out
    }

    /// Aᵀ.
    #[must_use]
    pub fn transposed(&self) -> Self {
        Self::from_fn(self.cols, self.rows, |i, j| self[(j, i)])
    }

    /// The entries in the given rows and columns.
    #[must_use]
    pub fn block(&self, rows: &[usize], cols: &[usize]) -> Self {
        Self::from_fn(rows.len(), cols.len(), |i, j| self[(rows[i], cols[j])])
    }

    /// Exchanges two rows.
    pub fn swap_rows(&mut self, i: usize, j: usize) {
        if i != j {
            let (a, b) = (i.min(j), i.max(j));
            let (head, tail) = self.data.split_at_mut(b * self.cols);
            head[a * self.cols..(a + 1) * self.cols].swap_with_slice(&mut tail[..self.cols]);
        }
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    #[inline]
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[i * self.cols + j]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    #[inline]
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[i * self.cols + j]
    }
}

/// xᵀy, in the order of the entries.
#[inline]
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

/// y ← y + a x.
#[inline]
pub fn axpy(y: &mut [f64], a: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// Largest magnitude of an entry; NaN counts as infinite.
pub fn max_abs(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, v| {
        if v.is_nan() {
            f64::INFINITY
        } else {
            m.max(v.abs())
        }
    })
}
