//! The automatic choice: cheapest method first, the certificate after each, the best point kept; all
//! of them again in another scaling where none meets it.

use super::{Attempt, BoxedLcp, End, Scaled, newton};
use crate::lemke::{self, Form};
use crate::linalg::matrix::max_abs;
use crate::pivot;

/// Relative residuals at which no further method is tried: at best, and at worst where large terms
/// cancel.
const GOOD: [f64; 2] = [1e-12, 1e-10];
/// Rounding of a long solve and sum, relative to the largest terms.
const ROUNDING: f64 = 1e-13;
/// Solves a problem of about unit size, from a guess if there is one.
type Solver = fn(&BoxedLcp, Option<&[f64]>) -> Attempt;

/// Tried in this order. Pivoting ends on most problems in a few rounds; Lemke serves what is neither
/// monotone nor P; Newton serves the families on which pivoting takes exponentially many steps.
const ORDER: [Solver; 5] = [
    pivot::try_quickly,
    |p, guess| lemke::solve(p, Form::Compact, guess),
    newton::solve,
    pivot::solve,
    |p, _| lemke::solve(p, Form::Split, None),
];

/// The points tried so far.
#[derive(Default)]
struct Search {
    /// The best, and its grade.
    best: Option<(Attempt, f64)>,
    /// The first claim that there is no solution.
    dead_end: Option<End>,
    solved: bool,
    iterations: u32,
}

impl Search {
    /// Tries all methods in one scaling, until one meets the certificate.
    fn run(&mut self, problem: &BoxedLcp, scaled: &Scaled, guess: Option<&[f64]>) {
        let guess = guess.map(|z| scaled.scale(z));
        for method in ORDER {
            let attempt = scaled.restore(problem, method(&scaled.problem, guess.as_deref()));
            self.iterations += attempt.iterations;
            if let End::NoSolution { .. } = &attempt.end {
                self.dead_end.get_or_insert_with(|| attempt.end.clone());
            }
            let grade = problem.residual(&attempt.z).relative;
            self.solved = grade <= good(problem, &attempt.z);
            if self.best.as_ref().is_none_or(|(_, g)| grade < *g) {
                self.best = Some((attempt, grade));
            }
            if self.solved {
                return;
            }
        }
    }
}

/// Solves a problem, given with its usual scaled form and an admissible guess if there is one, with
/// whichever method meets the certificate first.
pub(super) fn solve(problem: &BoxedLcp, scaled: &Scaled, guess: Option<&[f64]>) -> Attempt {
    let mut search = Search::default();
    search.run(problem, scaled, guess);
    if !search.solved {
        let other = Scaled::with_offset(problem);
        if other.problem != scaled.problem {
            search.run(problem, &other, guess);
        }
    }
    let (attempt, _) = search.best.expect("at least one method was tried");
    let end = match search.dead_end {
        _ if search.solved => End::Converged,
        Some(end) => end,
        None => attempt.end,
    };
    Attempt {
        end,
        iterations: search.iterations,
        ..attempt
    }
}

/// The relative residual that is good enough at z.
fn good(p: &BoxedLcp, z: &[f64]) -> f64 {
    let terms = |i: usize| -> f64 {
        let row = p.m.row(i).iter().zip(z).map(|(a, x)| (a * x).abs());
        row.sum()
    };
    let largest = (0..p.len()).map(terms).fold(0.0, f64::max);
    let [best, worst] = GOOD;
    (ROUNDING * largest / (1.0 + max_abs(&p.q))).clamp(best, worst)
}

#[cfg(test)]
mod tests {
    use super::super::Method;
    use super::*;
    use crate::linalg::matrix::Matrix;

    /// Row 1 rests, with entries far below its offset; equilibrating M alone drowns the other two.
    #[test]
    fn a_resting_row_of_tiny_entries_hides_nothing() {
        let m = [[0.0, 3e-12, 1e3], [-3e-12, 1e-27, 0.0], [-1e3, 0.0, 0.0]];
        let m = Matrix::from_fn(3, 3, |i, j| m[i][j]);
        let p = BoxedLcp::nonnegative(m, vec![-200.0, 8e4, 9e2]).expect("valid");
        let attempt = Method::Auto.solve(&p);
        assert_eq!(attempt.end, End::Converged);
        for (z, wanted) in attempt.z.iter().zip([0.9, 0.0, 0.2]) {
            assert!((z - wanted).abs() < 1e-12, "{attempt:?}");
        }
    }
}
