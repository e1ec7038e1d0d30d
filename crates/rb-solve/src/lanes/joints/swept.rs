//! Bearings in the sweeps: three rows hold a point, and the others turn both bodies against each other.
//!
//! With e the axes of the first rows, r the arms to the point through which their impulse P acts, t the axes of
//! locks and stops and T the sum of their impulses:
//!
//! ```text
//! w = e·((v_b + ω_b × r_b) − (v_a + ω_a × r_a)) + b,   w = t·(ω_b − ω_a) + b
//! Δω_a = −I⁻¹ (r_a × P + T),   Δω_b = I⁻¹ (r_b × P + T)
//! ```
//!
//! That is what the rows would give, from half as many numbers. Nothing is softened.

use super::kernel::solve;
use super::pack::{Batch, Eight, triangle};
use super::pair::Pair;
use super::prepare::ALL;
use crate::lanes::simd::{Line, Simd, Wide};
use crate::lanes::vector::V3;
use rb_core::problem::Pass;

/// Rows of the point.
const POINT: usize = 3;

/// Solves a batch of bearings against the present velocities.
#[inline(always)]
pub(super) fn visit<S: Simd>(
    batch: &Batch,
    rows: &mut [Eight],
    factor: &[Wide],
    vel: &mut [Line],
    pass: Pass,
) {
    match (batch.plain, batch.bounded) {
        (3, 0) => visit_some::<S, 3, 3>(batch, rows, factor, vel, pass),
        (3, 1) => visit_some::<S, 3, 4>(batch, rows, factor, vel, pass),
        (3, 2) => visit_some::<S, 3, 5>(batch, rows, factor, vel, pass),
        (3, 3) => visit_some::<S, 3, 6>(batch, rows, factor, vel, pass),
        (5, 0) => visit_some::<S, 5, 5>(batch, rows, factor, vel, pass),
        (5, 1) => visit_some::<S, 5, 6>(batch, rows, factor, vel, pass),
        (5, 2) => visit_some::<S, 5, 7>(batch, rows, factor, vel, pass),
        _ => visit_some::<S, 5, 8>(batch, rows, factor, vel, pass),
    }
}

/// The same with `N` rows, of which `PLAIN` have no bounds.
#[inline(always)]
fn visit_some<S: Simd, const PLAIN: usize, const N: usize>(
    batch: &Batch,
    rows: &mut [Eight],
    factor: &[Wide],
    vel: &mut [Line],
    pass: Pass,
) {
    let (rows, factor) = (&mut rows[..N], &factor[..triangle(N)]);
    let mut pair = Pair::<S>::gather(vel, &batch.bodies);
    let arm = V3::<S>::load(&batch.arm[1]);
    let arms = [V3::load(&batch.apart).add(arm), arm];
    let (slip, spin) = (pair.slip(&arms), pair.spin());
    let mut x = [S::zero(); ALL];
    for i in 0..N {
        let rate = if i < POINT {
            V3::load(&rows[i].lin).dot(slip)
        } else {
            V3::load(&rows[i].ang[1]).dot(spin)
        };
        x[i] = rate.add(S::load(&rows[i].bias[pass as usize]));
    }
    solve(&mut x, rows, factor, PLAIN);
    let zero = V3([S::zero(); 3]);
    let (mut force, mut torque) = (zero, zero);
    for i in 0..N {
        if i < POINT {
            force = force.more(V3::load(&rows[i].lin), x[i]);
        } else {
            torque = torque.more(V3::load(&rows[i].ang[1]), x[i]);
        }
    }
    let back = zero.sub(force);
    let turns = [
        arms[0].cross_onto(back, zero.sub(torque)),
        arms[1].cross_onto(force, torque),
    ];
    pair.push(0, &batch.mass[0], back, turns[0]);
    pair.push(1, &batch.mass[1], force, turns[1]);
    pair.scatter(vel, &batch.bodies);
}
