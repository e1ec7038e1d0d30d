//! Projected Gauss–Seidel with subspace minimisation.
//!
//! Sweeps find the active set quickly and the values slowly; so after every few sweeps the free rows
//! are solved together, and the way to their solution is searched, projected onto the bounds, for a
//! point of lower energy ½ zᵀM z + qᵀz. For symmetric positive semidefinite M both kinds of step
//! descend, and minima are solutions. Sources: M. Silcowitz, S. Niebe, K. Erleben, "Projected
//! Gauss–Seidel subspace minimization method for interactive rigid body dynamics", 2010; J. Moré,
//! G. Toraldo, "On the solution of large quadratic programming problems with bound constraints", 1991.

use super::{Attempt, BoxedLcp, End, correct, finish, sides_at};
use crate::linalg::matrix::dot;

/// Sweeps between two subspace solves.
const SWEEPS: u32 = 10;
/// Subspace solves, at most.
const ROUNDS: u32 = 400;
/// Keeps the free rows independent, so that their solution is always a way down.
const PROXIMAL: f64 = 1e-9;
/// Halvings of the way to the subspace's solution, at most.
const HALVINGS: i32 = 12;
/// Residual of a solved problem of unit size.
const SOLVED: f64 = 1e-12;

/// Solves a problem of about unit size, from a guess of z if there is one. Rows without a positive diagonal are left where they are.
pub(super) fn solve(p: &BoxedLcp, guess: Option<&[f64]>) -> Attempt {
    let mut z = p.clamp(guess.unwrap_or(&vec![0.0; p.len()]));
    let (mut best, mut grade, mut sweeps) = (z.clone(), f64::INFINITY, 0);
    for _ in 0..ROUNDS {
        for _ in 0..SWEEPS {
            sweep(p, &mut z);
        }
        sweeps += SWEEPS;
        z = minimise(p, z);
        let polished = finish(p, &z);
        let g = p.residual(&polished).abs;
        if g < grade {
            (best, grade) = (polished, g);
        }
        if grade <= SOLVED || !z.iter().all(|v| v.is_finite()) {
            break;
        }
    }
    Attempt {
        z: best,
        end: if grade <= SOLVED {
            End::Converged
        } else {
            End::Unmet
        },
        iterations: sweeps,
        solver: "pgs",
    }
}

/// The first point of lower energy on the projected way to the solution of the free rows, else z.
fn minimise(p: &BoxedLcp, z: Vec<f64>) -> Vec<f64> {
    let mut target = z.clone();
    correct(&p.proximal(PROXIMAL, &z), &sides_at(p, &z), &mut target);
    let before = energy(p, &z);
    let at = |k: i32| -> Vec<f64> {
        let t = 0.5f64.powi(k);
        let way: Vec<f64> = z
            .iter()
            .zip(&target)
            .map(|(z, x)| z + t * (x - z))
            .collect();
        p.clamp(&way)
    };
    let lower = (0..HALVINGS).map(at).find(|x| energy(p, x) < before);
    lower.unwrap_or(z)
}

fn energy(p: &BoxedLcp, z: &[f64]) -> f64 {
    0.5 * dot(z, &p.m.apply(z)) + dot(&p.q, z)
}

fn sweep(p: &BoxedLcp, z: &mut [f64]) {
    for i in 0..p.len() {
        let a = p.m[(i, i)];
        if a > 0.0 {
            let w = p.q[i] + dot(p.m.row(i), z);
            z[i] = (z[i] - w / a).max(p.lo[i]).min(p.hi[i]);
        }
    }
}
