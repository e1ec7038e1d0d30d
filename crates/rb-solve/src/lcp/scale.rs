//! Equilibration: rows and columns of about unit size, by powers of two, so that nothing is rounded.
//!
//! With positive diagonal matrices R, C and a number σ the problem (R M C, R q/σ) in ẑ = C⁻¹z/σ has
//! the same active sets. The factors are Ruiz's: repeated division by the root of the largest entry
//! of row and column, which keeps a symmetric matrix symmetric. Source: D. Ruiz, "A scaling algorithm
//! to equilibrate both rows and columns norms in matrices", 2001.
//!
//! M alone does not say how large a row is: one of tiny entries and a large offset is blown up until
//! its R q drowns all others below rounding. With q as one more column it stays small.

use super::{Attempt, BoxedLcp, End, finish};
use crate::linalg::matrix::{Matrix, max_abs};

/// Rounds of Ruiz's iteration; the logarithms converge by halves.
const ROUNDS: usize = 12;

/// A problem of unit size and the way back.
pub(crate) struct Scaled {
    pub(crate) problem: BoxedLcp,
    /// z = unit ẑ, entry by entry.
    unit: Vec<f64>,
}

impl Scaled {
    /// The problem with M equilibrated.
    pub(crate) fn new(p: &BoxedLcp) -> Self {
        Self::by(p, &factors(&p.m))
    }

    /// The problem with M bordered by q, as row and as column, equilibrated.
    pub(crate) fn with_offset(p: &BoxedLcp) -> Self {
        let n = p.len();
        let bordered = Matrix::from_fn(n + 1, n + 1, |i, j| match (i < n, j < n) {
            (true, true) => p.m[(i, j)],
            (true, false) => p.q[i],
            (false, true) => p.q[j],
            (false, false) => 0.0,
        });
        Self::by(p, &factors(&bordered))
    }

    /// The problem scaled by the factors of its rows and columns.
    fn by(p: &BoxedLcp, (row, col): &(Vec<f64>, Vec<f64>)) -> Self {
        let n = p.len();
        let rq: Vec<f64> = (0..n).map(|i| row[i] * p.q[i]).collect();
        let sigma = power_of_two(max_abs(&rq));
        let unit: Vec<f64> = col[..n].iter().map(|c| c * sigma).collect();
        let problem = BoxedLcp {
            m: Matrix::from_fn(n, n, |i, j| row[i] * p.m[(i, j)] * col[j]),
            q: rq.iter().map(|x| x / sigma).collect(),
            lo: (0..n).map(|i| p.lo[i] / unit[i]).collect(),
            hi: (0..n).map(|i| p.hi[i] / unit[i]).collect(),
        };
        Self { problem, unit }
    }

    /// z of the original problem.
    pub(crate) fn unscale(&self, z: &[f64]) -> Vec<f64> {
        z.iter().zip(&self.unit).map(|(z, u)| z * u).collect()
    }

    /// ẑ of a point of the original problem.
    pub(crate) fn scale(&self, z: &[f64]) -> Vec<f64> {
        z.iter().zip(&self.unit).map(|(z, u)| z / u).collect()
    }

    /// An attempt at the original problem from one at the scaled one, with the last digits of its
    /// active set recovered.
    pub(crate) fn restore(&self, original: &BoxedLcp, attempt: Attempt) -> Attempt {
        let point = |z: &[f64]| original.clamp(&self.unscale(z));
        let (z, end) = match attempt.end {
            // The point a ray starts from is near no solution; luck is left to other methods.
            End::NoSolution { ray } => {
                let ray = self.unscale(&ray);
                (point(&attempt.z), End::NoSolution { ray })
            }
            end => (point(&finish(&self.problem, &attempt.z)), end),
        };
        Attempt { z, end, ..attempt }
    }
}

/// Row and column factors.
fn factors(m: &Matrix) -> (Vec<f64>, Vec<f64>) {
    let n = m.rows();
    let (mut row, mut col) = (vec![1.0f64; n], vec![1.0f64; n]);
    for _ in 0..ROUNDS {
        let (mut by_row, mut by_col) = (vec![0.0f64; n], vec![0.0f64; n]);
        for i in 0..n {
            for j in 0..n {
                let size = row[i] * m[(i, j)].abs() * col[j];
                by_row[i] = by_row[i].max(size);
                by_col[j] = by_col[j].max(size);
            }
        }
        for i in 0..n {
            row[i] /= power_of_two(by_row[i].sqrt());
            col[i] /= power_of_two(by_col[i].sqrt());
        }
    }
    (row, col)
}

/// The power of two nearest to a positive number on the logarithmic scale; 1 for 0 and ∞.
fn power_of_two(x: f64) -> f64 {
    if x > 0.0 && x.is_finite() {
        2f64.powi(libm::log2(x).round().clamp(-500.0, 500.0) as i32)
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_become_about_one_and_solutions_stay_exact() {
        let size = [1e-9, 1.0, 1e9];
        let m = Matrix::from_fn(3, 3, |i, j| {
            size[i] * size[j] * if i == j { 4.0 } else { 1.0 }
        });
        let p = BoxedLcp::nonnegative(m, vec![1e-9, -1.0, 1e9]).expect("valid");
        let s = Scaled::new(&p);
        for i in 0..3 {
            assert!((0.5..8.1).contains(&s.problem.matrix()[(i, i)]));
        }
        let z = s.unscale(&[1.0; 3]);
        assert!(z.iter().all(|v| libm::log2(*v).fract() == 0.0), "{z:?}");
    }

    #[test]
    fn a_tiny_row_with_a_large_offset_drowns_the_others_unless_the_offset_counts() {
        let m = Matrix::from_fn(2, 2, |i, j| match (i, j) {
            (0, 0) => 1e-22,
            (1, 1) => 1e8,
            _ => 0.0,
        });
        let p = BoxedLcp::nonnegative(m, vec![1e8, -1e8]).expect("valid");
        let offset = |s: Scaled| s.problem.offset()[1].abs();
        assert!(offset(Scaled::new(&p)) < 1e-13);
        assert!(offset(Scaled::with_offset(&p)) > 0.1);
    }
}
