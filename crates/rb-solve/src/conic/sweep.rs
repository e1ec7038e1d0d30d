//! Nonsmooth Gauss–Seidel: each contact solved exactly while the others stand still.
//!
//! Source: M. Jean, "The non-smooth contact dynamics method", 1999.

use super::certificate::FrictionLaw;
use super::coupling::Coupling;
use super::problem::ConeProblem;
use super::unit::Unit;
use glam::{DMat3, DVec3};

/// Projections of one contact's sliding impulse, at most.
const PROJECTIONS: u32 = 100;

/// Sweeps in place, alternately forwards and backwards, until no impulse changes by more than
/// `stop`; returns the number of sweeps.
pub(super) fn solve<C: Coupling>(
    p: &ConeProblem<C>,
    r: &mut [DVec3],
    law: FrictionLaw,
    sweeps: u32,
    stop: f64,
) -> u32 {
    let blocks: Vec<DMat3> = (0..r.len()).map(|i| p.coupling.block(i)).collect();
    let mut u = p.velocity(r);
    for sweep in 0..sweeps {
        let mut change = 0.0f64;
        for k in 0..r.len() {
            let i = if sweep % 2 == 0 { k } else { r.len() - 1 - k };
            let alone = u[i] - blocks[i] * r[i];
            let next = solve_unit(p.units[i], law, blocks[i], alone, r[i]);
            let step = next - r[i];
            if step != DVec3::ZERO {
                p.coupling.apply_one(i, step, &mut u);
                r[i] = next;
                change = change.max(step.abs().max_element());
            }
        }
        if change <= stop {
            return sweep + 1;
        }
    }
    sweeps
}

/// The impulse of one unit with u = B r + c: none if a contact opens by itself, the one without
/// velocity if that is admissible, else the fixed point of r ← Π_K(r − ρ ũ) from `guess`.
fn solve_unit(unit: Unit, law: FrictionLaw, b: DMat3, c: DVec3, guess: DVec3) -> DVec3 {
    if unit.opens(law, c) {
        return DVec3::ZERO;
    }
    let stick = -(b.inverse() * c);
    if stick.is_finite() && unit.holds(stick) {
        return stick;
    }
    // Frobenius norm ≥ spectral norm: a step that cannot overshoot.
    let norm = (0..3)
        .map(|k| b.col(k).length_squared())
        .sum::<f64>()
        .sqrt();
    if norm == 0.0 {
        return guess;
    }
    let mut r = guess;
    for _ in 0..PROJECTIONS {
        let next = unit.project(r - unit.lifted(law, b * r + c) / norm);
        let done = (next - r).abs().max_element() <= 1e-15 * next.abs().max_element();
        r = next;
        if done {
            break;
        }
    }
    r
}
