//! The automatic choice: cheapest method first, the certificate after each, the best point kept.

use super::{Attempt, BoxedLcp, End, Scaled, newton};
use crate::lemke::{self, Form};
use crate::pivot;

/// Relative residual at which no further method is tried.
const GOOD: f64 = 1e-12;
/// Tried in this order. Pivoting ends on most problems in a few rounds; Lemke serves what is neither
/// monotone nor P; Newton serves the families on which pivoting takes exponentially many steps.
const ORDER: [fn(&BoxedLcp) -> Attempt; 5] = [
    |p| pivot::try_quickly(p, None),
    |p| lemke::solve(p, Form::Compact, None),
    newton::solve,
    |p| pivot::solve(p, None),
    |p| lemke::solve(p, Form::Split, None),
];

/// Solves a problem with whichever method meets the certificate first.
pub(super) fn solve(problem: &BoxedLcp) -> Attempt {
    let scaled = Scaled::new(problem);
    let mut best: Option<(Attempt, f64)> = None;
    let mut dead_end = None;
    let mut iterations = 0;
    for method in ORDER {
        let attempt = scaled.restore(problem, method(&scaled.problem));
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
