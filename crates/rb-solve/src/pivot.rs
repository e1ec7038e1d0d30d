//! Bounded principal pivoting: guess which rows are free, solve for them, move the wrong ones.
//!
//! All wrong rows change sides at once while their number falls; when it does not for a while, only
//! the first of them does, which cannot cycle for a P-matrix (Murty's least-index rule). Where the
//! free rows are dependent, or the pivots run out, a proximal loop solves M + εI instead, which is
//! positive definite for every positive semidefinite M, and moves its centre until nothing changes.
//! Sources: J. Júdice, F. Pires, "A block principal pivoting algorithm for large-scale strictly
//! monotone linear complementarity problems", 1994; K. Murty, "Note on a Bard-type scheme for solving
//! the complementarity problem", 1974; R. Rockafellar, "Monotone operators and the proximal point
//! algorithm", 1976.

use crate::lcp::{Attempt, BoxedLcp, End, Side, correct, finish, sides_at};

/// Rounds that [`try_quickly`] spends.
const QUICK: u32 = 40;
/// Rounds without progress in which all wrong rows still change at once.
const PATIENCE: u32 = 8;
/// Sign errors below this, relative to the terms they come from, are rounding.
const ROUNDING: f64 = 1e-13;
/// Natural-map residual, for a problem of unit size, at which the proximal loop is done.
const CLOSE: f64 = 1e-13;
/// Rounds with dependent free rows after which M itself is not pivoted on any further.
const DEPENDENT: u32 = 4;
/// First and least ε of the proximal loop, for a problem of unit size.
const PROXIMAL: f64 = 1e-6;
const LEAST: f64 = 1e-12;
/// Factors of ε after a success and after a failure.
const FALL: f64 = 0.1;
const RISE: f64 = 30.0;
/// Moves of the proximal centre, at most.
const CENTRES: usize = 80;

/// Solves a problem of about unit size, from a guess of z if there is one.
///
/// Ends `Converged` when every row is on its right side up to rounding.
pub fn solve(p: &BoxedLcp, guess: Option<&[f64]>) -> Attempt {
    let start = sides_at(p, &p.clamp(guess.unwrap_or(&vec![0.0; p.len()])));
    let mut rounds = 0;
    let (z, mut done) = pivot(p, start, 30 + 3 * p.len() as u32, &mut rounds);
    let mut z = finish(p, &z);
    done |= p.residual(&z).abs <= CLOSE;
    if !done {
        (z, done) = proximal(p, z, &mut rounds);
    }
    attempt(z, done, rounds)
}

/// As [`solve`], but gives up as soon as the first few rounds do not settle it.
pub fn try_quickly(p: &BoxedLcp, guess: Option<&[f64]>) -> Attempt {
    let start = sides_at(p, &p.clamp(guess.unwrap_or(&vec![0.0; p.len()])));
    let mut rounds = 0;
    let (z, done) = pivot(p, start, QUICK, &mut rounds);
    attempt(z, done, rounds)
}

fn attempt(z: Vec<f64>, done: bool, iterations: u32) -> Attempt {
    Attempt {
        z,
        end: if done { End::Converged } else { End::Unmet },
        iterations,
        solver: "pivot",
    }
}

/// Pivots until no row is wrong (true) or the budget is spent.
fn pivot(p: &BoxedLcp, mut sides: Vec<Side>, budget: u32, rounds: &mut u32) -> (Vec<f64>, bool) {
    let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
    let mut best: (Vec<f64>, f64) = (p.clamp(&vec![0.0; p.len()]), f64::INFINITY);
    let mut dependent = 0;
    for _ in 0..budget {
        *rounds += 1;
        let mut z = vec![0.0; p.len()];
        let regular = correct(p, &sides, &mut z);
        let wrong = wrong_sides(p, &sides, &z);
        if wrong.is_empty() && regular {
            return (z, true);
        }
        let grade = p.residual(&p.clamp(&z)).abs;
        if grade < best.1 {
            best = (z, grade);
        }
        dependent += u32::from(!regular);
        if wrong.is_empty() || dependent > DEPENDENT {
            break;
        }
        if wrong.len() < fewest {
            (fewest, patience) = (wrong.len(), PATIENCE);
        } else {
            patience = patience.saturating_sub(1);
        }
        let moved = if patience == 0 { 1 } else { wrong.len() };
        for &(i, side) in &wrong[..moved] {
            sides[i] = side;
        }
    }
    (best.0, false)
}

/// Rows on the wrong side, and where they belong.
fn wrong_sides(p: &BoxedLcp, sides: &[Side], z: &[f64]) -> Vec<(usize, Side)> {
    let size = z.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let (lo, hi) = (p.lower(), p.upper());
    let belongs = |i: usize| -> Option<Side> {
        if sides[i] == Side::Free {
            let slack = ROUNDING * size;
            return if z[i] < lo[i] - slack {
                Some(Side::Low)
            } else {
                (z[i] > hi[i] + slack).then_some(Side::High)
            };
        }
        if lo[i] == hi[i] {
            return None;
        }
        let terms = p.matrix().row(i).iter().zip(z).map(|(a, x)| (a * x).abs());
        let slack = ROUNDING * (p.offset()[i].abs() + terms.sum::<f64>());
        let w = p.rate(i, z);
        let wrong = match sides[i] {
            Side::Low => w < -slack,
            _ => w > slack,
        };
        wrong.then_some(Side::Free)
    };
    (0..p.len())
        .filter_map(|i| belongs(i).map(|s| (i, s)))
        .collect()
}

/// z ← solution of (M + εI) z′ + q − ε z, until it solves the problem itself.
///
/// Along directions that M hardly resists z moves by their w over ε, so ε falls while pivoting
/// succeeds, and rises where it does not.
fn proximal(p: &BoxedLcp, z: Vec<f64>, rounds: &mut u32) -> (Vec<f64>, bool) {
    let mut grade = p.residual(&z).abs;
    let (mut best, mut centre, mut epsilon) = (z.clone(), z, PROXIMAL);
    let budget = 30 + 3 * p.len() as u32;
    for _ in 0..CENTRES {
        let shifted = p.proximal(epsilon, &centre);
        let (next, done) = pivot(&shifted, sides_at(&shifted, &centre), budget, rounds);
        if !done {
            epsilon *= RISE;
            if epsilon > 1.0 {
                break;
            }
            centre = best.clone();
            continue;
        }
        let polished = finish(p, &next);
        let g = p.residual(&polished).abs;
        if g < grade {
            (best, grade) = (polished, g);
        }
        if grade <= CLOSE {
            return (best, true);
        }
        epsilon = (epsilon * FALL).max(LEAST);
        centre = next;
    }
    (best, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::matrix::Matrix;

    /// Rows 0 and 1 resist only their difference; what moves them together is a thread of 3e-10.
    #[test]
    fn directions_of_hardly_any_resistance_are_followed_to_their_end() {
        let thread = 3e-10;
        let m = [[1.0, -1.0, 0.0], [-1.0, 1.0, thread], [0.0, -thread, 0.0]];
        let m = Matrix::from_fn(3, 3, |i, j| m[i][j]);
        let q = vec![-1.0, 1.0 - 1.85 * thread, 1.84 * thread];
        let p = BoxedLcp::nonnegative(m, q).expect("valid");
        let attempt = solve(&p, None);
        assert_eq!(attempt.end, End::Converged);
        assert!(p.residual(&attempt.z).abs < 1e-13, "{attempt:?}");
    }
}
