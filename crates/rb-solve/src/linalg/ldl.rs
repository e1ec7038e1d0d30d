//! LDLᵀ of a small symmetric positive semidefinite matrix, skipping dependent rows.
//!
//! Matrices are square, row-major, dimension `n`. A pivot below 1e-10 of its original diagonal marks
//! a redundant row: its unknown is held at zero, which leaves the solution of a consistent system
//! with the remaining rows unchanged.
//!
//! Of closed loops of joints most redundant rows leave 1e-13 to 1e-17, but some 1e-11, since rounding grows
//! with the root of the smallest pivot before, and a loop that is not quite closed adds the square of its
//! error. A row kept by mistake divides that error by its pivot, and the loop flies apart. Independent rows of
//! trees leave about their ratio of masses.

/// Smallest pivot, relative to the diagonal it came from, that counts as independent.
pub(crate) const DEPENDENT: f64 = 1e-10;

/// Factors `a` in place: unit lower triangle L below the diagonal, D on it; dropped pivots are 0.
pub fn factor(a: &mut [f64], n: usize) {
    factor_against(a, n, |j, a| a[j * n + j]);
}

/// As [`factor`], for a block of a larger matrix from which earlier columns have been eliminated:
/// `original(j, a)` is the diagonal the pivot has to be compared with.
pub fn factor_against(a: &mut [f64], n: usize, original: impl Fn(usize, &[f64]) -> f64) {
    for j in 0..n {
        let original = original(j, a);
        let mut d = a[j * n + j];
        for k in 0..j {
            d -= a[j * n + k] * a[j * n + k] * a[k * n + k];
        }
        let keep = d.abs() > DEPENDENT * original.abs();
        a[j * n + j] = if keep { d } else { 0.0 };
        for i in j + 1..n {
            let mut s = a[i * n + j];
            for k in 0..j {
                s -= a[i * n + k] * a[j * n + k] * a[k * n + k];
            }
            a[i * n + j] = if keep { s / d } else { 0.0 };
        }
    }
}

/// Solves with the factors of [`factor`], in place.
pub fn solve(a: &[f64], n: usize, x: &mut [f64]) {
    if n == 0 {
        return;
    }
    let x = &mut x[..n];
    for (i, row) in a.chunks_exact(n).take(n).enumerate() {
        let (before, rest) = x.split_at_mut(i);
        let known = row.iter().zip(&*before).map(|(l, x)| l * x).sum::<f64>();
        rest[0] -= known;
    }
    for (x, d) in x.iter_mut().zip(a.iter().step_by(n + 1)) {
        *x = if *d == 0.0 { 0.0 } else { *x / d };
    }
    for (i, row) in a.chunks_exact(n).take(n).enumerate().rev() {
        let (before, rest) = x.split_at_mut(i);
        if row[i] == 0.0 {
            rest[0] = 0.0;
        }
        for (x, l) in before.iter_mut().zip(row) {
            *x -= l * rest[0];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn solves_full_and_dependent_rows(seed in prop::collection::vec(-1.0..1.0f64, 36), rank in 1usize..=6) {
            // A = G Gᵀ with G 6 × rank; right-hand side in its range.
            let n = 6;
            let mut a = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..n {
                    a[i * n + j] = (0..rank).map(|k| seed[i * 6 + k] * seed[j * 6 + k]).sum();
                }
            }
            let b: Vec<f64> = (0..n).map(|i| (0..n).map(|j| a[i * n + j] * (j as f64 - 2.0)).sum()).collect();
            let mut f = a.clone();
            factor(&mut f, n);
            let mut x = b.clone();
            solve(&f, n, &mut x);
            let worst = (0..n)
                .map(|i| ((0..n).map(|j| a[i * n + j] * x[j]).sum::<f64>() - b[i]).abs())
                .fold(0.0, f64::max);
            // Nearly dependent but kept pivots amplify rounding by at most 1/√DEPENDENT.
            prop_assert!(worst < 1e-6, "{worst}");
        }
    }
}
