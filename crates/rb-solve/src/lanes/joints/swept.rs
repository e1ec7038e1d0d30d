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

use super::bearing::POINT;
use super::kernel::solve;
use super::pack::{Batch, Eight, triangle};
use super::prepare::ALL;
use crate::lanes::pair::Pair;
use crate::lanes::simd::{Double, Line, Wide, Within, by_halves};
use crate::lanes::vector::V3;
use rb_core::problem::Pass;

/// Solves a batch of bearings against the present velocities.
#[inline(always)]
pub(super) fn visit<S: Double>(
    batch: &Batch,
    rows: &mut [Eight],
    factor: &[Wide],
    vel: &mut [Line],
    pass: Pass,
) {
    match (batch.plain, batch.bounded) {
        (3, 0) => by_halves!(visit_some::<S, 3, 3>(batch, rows, factor, vel, pass)),
        (3, 1) => by_halves!(visit_some::<S, 3, 4>(batch, rows, factor, vel, pass)),
        (3, 2) => by_halves!(visit_some::<S, 3, 5>(batch, rows, factor, vel, pass)),
        (3, 3) => by_halves!(visit_some::<S, 3, 6>(batch, rows, factor, vel, pass)),
        (5, 0) => by_halves!(visit_some::<S, 5, 5>(batch, rows, factor, vel, pass)),
        (5, 1) => by_halves!(visit_some::<S, 5, 6>(batch, rows, factor, vel, pass)),
        (5, 2) => by_halves!(visit_some::<S, 5, 7>(batch, rows, factor, vel, pass)),
        _ => by_halves!(visit_some::<S, 5, 8>(batch, rows, factor, vel, pass)),
    }
}

/// The same with `N` rows, of which `PLAIN` have no bounds.
#[inline(always)]
fn visit_some<S: Double, const PLAIN: usize, const N: usize>(
    batch: &Batch,
    rows: &mut [Eight],
    factor: &[Wide],
    vel: &mut [Line],
    pass: Pass,
) {
    let (rows, factor) = (&mut rows[..N], &factor[..triangle(N)]);
    let at = Within::both(&batch.bodies, vel);
    let mut pair = Pair::<S>::gather(vel, at);
    let gait = Gait::of(batch, &pair);
    let mut x = [S::zero(); ALL];
    for i in 0..N {
        x[i] = gait.violation(rows, i, pass);
    }
    solve::<S, true>(&mut x, rows, factor, PLAIN);
    let mut thrust = Thrust::new();
    for i in (0..N).rev() {
        thrust.add(rows, i, x[i]);
    }
    thrust.put(batch, &gait.arms, batch.even, &mut pair);
    pair.scatter(vel, at);
}

/// Starts a batch of bearings from its last impulses.
#[inline(always)]
pub(super) fn warm<S: Double>(batch: &Batch, rows: &[Eight], vel: &mut [Line]) {
    let mut thrust = Thrust::new();
    for (i, row) in rows.iter().enumerate() {
        thrust.add(rows, i, S::load(&row.impulse));
    }
    let at = Within::both(&batch.bodies, vel);
    let mut pair = Pair::<S>::gather(vel, at);
    thrust.put(batch, &arms(batch), batch.even, &mut pair);
    pair.scatter(vel, at);
}

/// From the centres of mass to the points of a batch.
#[inline(always)]
pub(super) fn arms<S: Double>(batch: &Batch) -> [V3<S>; 2] {
    let arm = V3::load(&batch.arm[1]);
    [V3::load(&batch.apart).add(arm), arm]
}

/// How a point slips and how the bodies turn against each other.
pub(super) struct Gait<S> {
    arms: [V3<S>; 2],
    slip: V3<S>,
    spin: V3<S>,
}

impl<S: Double> Gait<S> {
    #[inline(always)]
    pub(super) fn of(batch: &Batch, pair: &Pair<S>) -> Self {
        let arms = arms(batch);
        Self {
            slip: pair.slip(&arms),
            spin: pair.spin(),
            arms,
        }
    }

    /// w of row `i`.
    #[inline(always)]
    pub(super) fn violation(&self, rows: &[Eight], i: usize, pass: Pass) -> S {
        let bias = S::load(&rows[i].bias[pass as usize]);
        if i < POINT {
            V3::load(&rows[i].lin).dot_onto(self.slip, bias)
        } else {
            V3::load(&rows[i].ang[1]).dot_onto(self.spin, bias)
        }
    }
}

/// What impulses of rows are to the bodies: on b, and its opposite on a.
pub(super) struct Thrust<S> {
    force: V3<S>,
    torque: V3<S>,
}

impl<S: Double> Thrust<S> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        let zero = V3([S::zero(); 3]);
        Self {
            force: zero,
            torque: zero,
        }
    }

    /// Adds that of row `i`.
    #[inline(always)]
    pub(super) fn add(&mut self, rows: &[Eight], i: usize, impulse: S) {
        if i < POINT {
            self.force = self.force.more(V3::load(&rows[i].lin), impulse);
        } else {
            self.torque = self.torque.more(V3::load(&rows[i].ang[1]), impulse);
        }
    }

    /// Moves the bodies; those that are `even` by their masses as they are with their velocities, of which single
    /// precision may have left less.
    #[inline(always)]
    pub(super) fn put(self, batch: &Batch, arms: &[V3<S>; 2], even: bool, pair: &mut Pair<S>) {
        let (zero, force) = (V3([S::zero(); 3]), self.force);
        let back = zero.sub(force);
        let turns = [
            arms[0].cross_onto(back, zero.sub(self.torque)),
            arms[1].cross_onto(force, self.torque),
        ];
        if even {
            pair.push_even(0, &batch.mass[0], back, turns[0]);
            pair.push_even(1, &batch.mass[1], force, turns[1]);
        } else {
            pair.push(0, &batch.mass[0], back, turns[0]);
            pair.push(1, &batch.mass[1], force, turns[1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bearing::NO_BEARING;
    use super::super::sample::{START, STOPS, bearing, state};
    use super::super::{JointLanes, LaneBearing};
    use super::*;
    use crate::lanes::{ContactLanes, LANES};

    const BODIES: usize = 2 * LANES;

    /// With locks at every other one, and so many stops.
    fn some(k: usize, locks: bool, stops: usize) -> LaneBearing {
        let whole = bearing(k);
        let none = [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY];
        LaneBearing {
            locked: locks && k.is_multiple_of(2),
            stops: core::array::from_fn(|kind| match kind < stops {
                true => whole.stops[kind],
                false => none[kind],
            }),
            ..whole
        }
    }

    /// Velocities and impulses after some sweeps over bearings, taken as such or by their rows.
    fn swept(by_rows: bool, locks: bool, stops: usize) -> (usize, Vec<f64>) {
        let (mut lanes, mut contacts) = (JointLanes::default(), ContactLanes::default());
        contacts.reset(BODIES);
        let pairs = (0..LANES as u32).map(|j| ([2 * j, 2 * j + 1], 5));
        lanes.seat(pairs, BODIES, BODIES);
        let joints: Vec<_> = (0..LANES).map(|k| some(k, locks, stops)).collect();
        lanes.open_bearings(0, &joints, &STOPS);
        lanes.start_bearings(0, &[START; LANES]);
        state(&mut lanes, &mut contacts, BODIES);
        lanes.prepare(&contacts);
        if by_rows {
            lanes.batches[0].bearing = NO_BEARING;
        }
        for k in 0..4 {
            let pass = [Pass::Position, Pass::Velocity][k / 2];
            lanes.sweep(&mut contacts, pass, k % 2 == 1);
        }
        let rows = &lanes.rows[lanes.batches[0].range()];
        let impulses = rows.iter().map(|row| &row.impulse);
        let all = contacts.vel.iter().chain(impulses).flat_map(|w| w.0);
        (rows.len(), all.collect())
    }

    #[test]
    fn bearings_do_what_their_rows_would() {
        for (locks, stops) in [(false, 0), (false, 3), (true, 0), (true, 3)] {
            let (rows, mine) = swept(false, locks, stops);
            let (_, others) = swept(true, locks, stops);
            assert!(rows >= POINT + 2 * usize::from(locks) + stops.min(1));
            for (a, b) in mine.iter().zip(&others) {
                assert!((a - b).abs() < 1e-11 * (1.0 + b.abs()), "{a} {b}");
            }
        }
    }
}
