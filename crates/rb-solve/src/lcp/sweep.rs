//! Projected Gauss–Seidel with subspace minimisation.
//!
//! Sweeps find the active set quickly and the values slowly; so after every few sweeps the free rows
//! are solved together and the sweeps go on from there, nearer or not: they repair what the solve
//! overshoots, whereas going on only from improvements gets stuck on tall towers. The best point is
//! kept. Source: M. Silcowitz,
//! S. Niebe, K. Erleben, "Projected Gauss–Seidel subspace minimization method for interactive
//! rigid body dynamics", 2010.

use super::{Attempt, BoxedLcp, End, correct, finish, sides_at};
use crate::linalg::matrix::dot;

/// Sweeps between two subspace solves.
const SWEEPS: u32 = 20;
/// Subspace solves, at most.
const ROUNDS: u32 = 100;
/// Residual of a solved problem of unit size.
const SOLVED: f64 = 1e-12;

/// Solves a problem of about unit size. Rows without a positive diagonal are left where they are.
pub(super) fn solve(p: &BoxedLcp) -> Attempt {
    let mut z = p.clamp(&vec![0.0; p.len()]);
    let (mut best, mut grade, mut sweeps) = (z.clone(), f64::INFINITY, 0);
    for _ in 0..ROUNDS {
        for _ in 0..SWEEPS {
            sweep(p, &mut z);
        }
        sweeps += SWEEPS;
        let sides = sides_at(p, &z);
        correct(p, &sides, &mut z);
        z = p.clamp(&z);
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

fn sweep(p: &BoxedLcp, z: &mut [f64]) {
    for i in 0..p.len() {
        let a = p.m[(i, i)];
        if a > 0.0 {
            let w = p.q[i] + dot(p.m.row(i), z);
            z[i] = (z[i] - w / a).max(p.lo[i]).min(p.hi[i]);
        }
    }
}
