//! Exact solution of a small boxed complementarity problem by principal pivoting.
//!
//! Find λ with lo ≤ λ ≤ hi and w = A λ + q: wᵢ = 0 inside, wᵢ ≥ 0 at lo, wᵢ ≤ 0 at hi, for a symmetric
//! positive semidefinite A. All wrong indices change sides at once while that helps; after that the
//! first wrong index alone, which cannot cycle (Murty's rule). Source: J. Júdice, F. Pires, "A block
//! principal pivoting algorithm for large-scale strictly monotone linear complementarity problems",
//! 1994.

use super::ldl;

/// Largest number of rows of a block.
pub const MAX: usize = 24;

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Free,
    Low,
    High,
}

/// Rounds in which every wrong index may change sides although their number does not fall.
const PATIENCE: u32 = 3;

/// Solves in place from the guess in `x`; false if the pivots ran out and `x` is unchanged.
pub fn solve(a: &[f64], q: &[f64], lo: &[f64], hi: &[f64], x: &mut [f64]) -> bool {
    let n = x.len();
    debug_assert!(n <= MAX);
    let mut side = [Side::Free; MAX];
    for i in 0..n {
        if lo[i] == hi[i] || x[i] <= lo[i] {
            side[i] = Side::Low;
        } else if x[i] >= hi[i] {
            side[i] = Side::High;
        }
    }
    let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
    let mut y = [0.0; MAX];
    for _pivot in 0..(20 + 4 * n) {
        solve_free(a, q, lo, hi, &side[..n], &mut y[..n]);
        let wrong = wrong_sides(a, q, lo, hi, &side[..n], &y[..n]);
        let count = wrong[..n].iter().flatten().count();
        if count == 0 {
            x.copy_from_slice(&y[..n]);
            return true;
        }
        if count < fewest {
            (fewest, patience) = (count, PATIENCE);
        } else {
            patience = patience.saturating_sub(1);
        }
        for i in 0..n {
            if let Some(s) = wrong[i] {
                side[i] = s;
                if patience == 0 {
                    break;
                }
            }
        }
    }
    false
}

/// Unknowns with the pinned ones at their bounds and w = 0 on the free ones.
fn solve_free(a: &[f64], q: &[f64], lo: &[f64], hi: &[f64], side: &[Side], y: &mut [f64]) {
    let n = side.len();
    let mut free = [0usize; MAX];
    let mut m = 0;
    for i in 0..n {
        match side[i] {
            Side::Free => {
                free[m] = i;
                m += 1;
            }
            Side::Low => y[i] = lo[i],
            Side::High => y[i] = hi[i],
        }
    }
    let mut sub = [0.0; MAX * MAX];
    let mut rhs = [0.0; MAX];
    for (r, &i) in free[..m].iter().enumerate() {
        rhs[r] = -q[i];
        for j in 0..n {
            if side[j] != Side::Free {
                rhs[r] -= a[i * n + j] * y[j];
            }
        }
        for (c, &j) in free[..m].iter().enumerate() {
            sub[r * m + c] = a[i * n + j];
        }
    }
    ldl::factor(&mut sub[..m * m], m);
    ldl::solve(&sub[..m * m], m, &mut rhs[..m]);
    for (r, &i) in free[..m].iter().enumerate() {
        y[i] = rhs[r];
    }
}

/// For each index on the wrong side, the side it belongs to.
fn wrong_sides(
    a: &[f64],
    q: &[f64],
    lo: &[f64],
    hi: &[f64],
    side: &[Side],
    y: &[f64],
) -> [Option<Side>; MAX] {
    let n = side.len();
    let mut out = [None; MAX];
    for i in 0..n {
        let slack = 1e-13 * y[i].abs();
        let w = || {
            let terms = (0..n).map(|j| a[i * n + j] * y[j]);
            let size = q[i].abs() + (0..n).map(|j| (a[i * n + j] * y[j]).abs()).sum::<f64>();
            (terms.sum::<f64>() + q[i], 1e-13 * size)
        };
        out[i] = match side[i] {
            Side::Free if y[i] < lo[i] - slack => Some(Side::Low),
            Side::Free if y[i] > hi[i] + slack => Some(Side::High),
            Side::Free => None,
            _ if lo[i] == hi[i] => None,
            Side::Low => {
                let (w, eps) = w();
                (w < -eps).then_some(Side::Free)
            }
            Side::High => {
                let (w, eps) = w();
                (w > eps).then_some(Side::Free)
            }
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn coupled_rows_are_not_clamped_one_by_one() {
        // Theory T02: the solution is (1, 0), not the clamped (1, −2/3).
        let mut x = [0.0; 2];
        let ok = solve(
            &[2.0, 1.0, 1.0, 2.0],
            &[-4.0, -1.0],
            &[-1.0; 2],
            &[1.0; 2],
            &mut x,
        );
        assert!(
            ok && (x[0] - 1.0).abs() < 1e-14 && x[1].abs() < 1e-14,
            "{x:?}"
        );
    }

    proptest! {
        #[test]
        fn random_boxes_are_solved(
            g in prop::collection::vec(-1.0..1.0f64, 64),
            q in prop::collection::vec(-5.0..5.0f64, 8),
            lo in prop::collection::vec(-2.0..0.5f64, 8),
            width in prop::collection::vec(0.0..3.0f64, 8),
        ) {
            let n = 8;
            let mut a = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..n {
                    let dot: f64 = (0..n).map(|k| g[i * n + k] * g[j * n + k]).sum();
                    a[i * n + j] = dot + if i == j { 1e-3 } else { 0.0 };
                }
            }
            let hi: Vec<f64> = lo.iter().zip(&width).map(|(l, w)| l + w).collect();
            let mut x = vec![0.0; n];
            prop_assert!(solve(&a, &q, &lo, &hi, &mut x));
            for i in 0..n {
                let w: f64 = q[i] + (0..n).map(|j| a[i * n + j] * x[j]).sum::<f64>();
                let e = (x[i] - (x[i] - w).max(lo[i]).min(hi[i])).abs();
                prop_assert!(e < 1e-8, "row {i}: {e}");
            }
        }
    }
}
