//! The automatic choice: cheapest method first, the certificate after each, the best point kept.

use super::{Attempt, BoxedLcp, End, Scaled, newton};
use crate::lemke::{self, Form};
use crate::pivot;

/// Relative residual at which no further method is tried.
const GOOD: f64 = 1e-12;
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
    let mut dead_end = None;
    let mut iterations = 0;
    for method in ORDER {
        let attempt = scaled.restore(problem, method(&scaled.problem, guess));
        iterations += attempt.iterations;
        if let End::NoSolution { .. } = &attempt.end {
            dead_end.get_or_insert_with(|| attempt.end.clone());
        }
        let grade = problem.residual(&attempt.z).relative;
        if best.as_ref().is_none_or(|(_, g)| grade < *g) {
            best = Some((attempt, grade));
        }
        if grade <= GOOD {
            break;
        }
    }
    let (attempt, grade) = best.expect("at least one method was tried");
    let end = match dead_end {
        _ if grade <= GOOD => End::Converged,
        Some(end) => end,
        None => attempt.end,
    };
    Attempt {
        end,
        iterations,
        ..attempt
    }
}
