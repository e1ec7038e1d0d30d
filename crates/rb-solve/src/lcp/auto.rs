//! The automatic choice: cheapest method first, the certificate after each, the best point kept.

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

/// Solves a problem, given with its scaled form and a scaled guess, with whichever method meets the
/// certificate first.
pub(super) fn solve(problem: &BoxedLcp, scaled: &Scaled, guess: Option<&[f64]>) -> Attempt {
    let mut best: Option<(Attempt, f64)> = None;
    let (mut dead_end, mut solved, mut iterations) = (None, false, 0);
    for method in ORDER {
        let attempt = scaled.restore(problem, method(&scaled.problem, guess));
        iterations += attempt.iterations;
        if let End::NoSolution { .. } = &attempt.end {
            dead_end.get_or_insert_with(|| attempt.end.clone());
        }
        let grade = problem.residual(&attempt.z).relative;
        solved = grade <= good(problem, &attempt.z);
        if best.as_ref().is_none_or(|(_, g)| grade < *g) {
            best = Some((attempt, grade));
        }
        if solved {
            break;
        }
    }
    let (attempt, _) = best.expect("at least one method was tried");
    let end = match dead_end {
        _ if solved => End::Converged,
        Some(end) => end,
        None => attempt.end,
    };
    Attempt {
        end,
        iterations,
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
