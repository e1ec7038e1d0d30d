//! What the impulses of joints make of the inertia of their bodies: geometric stiffness, as `rb_core::integrate::lever`.
//!
//! ```text
//! K = Σ (r·P) 1 − sym(r Pᵀ)   of the impulse P on each body at its arm r
//! ```

use super::pack::{Batch, Eight, JointLanes};
use super::point::Point;
use crate::lanes::simd::{Double, Line, Place, Simd, by_halves};
use crate::lanes::vector::V3;
use crate::lanes::{LANES, dispatch};

impl JointLanes {
    /// Sums up the geometric stiffness of all bodies from the present impulses.
    pub fn pull(&mut self) {
        self.levers.fill(Line::default());
        self.pull_more();
    }

    /// Adds it to what there is.
    pub(super) fn pull_more(&mut self) {
        if self.net.is_used {
            return self.pull_net();
        }
        run_pull(&self.batches, &self.rows, &self.points, &mut self.levers);
    }
}

fn run_pull(batches: &[Batch], rows: &[Eight], points: &[Point], levers: &mut [Line]) {
    dispatch!(pull(
        batches: &[Batch],
        rows: &[Eight],
        points: &[Point],
        levers: &mut [Line]
    ))
}

#[inline(always)]
pub(super) fn pull<S: Double>(
    batches: &[Batch],
    rows: &[Eight],
    points: &[Point],
    levers: &mut [Line],
) {
    for batch in batches {
        by_halves!(pull_one::<S>(batch, rows, points, levers));
    }
}

#[inline(always)]
fn pull_one<S: Double>(batch: &Batch, rows: &[Eight], points: &[Point], levers: &mut [Line]) {
    let pull = match points.get(batch.point as usize) {
        Some(point) => point.pull::<S>(),
        None => Pull::of(batch, &rows[batch.range()]),
    };
    pull.put(levers, &batch.bodies);
}

/// What joints do to the inertia of their bodies: the impulse on b, and the arms on which each body feels it (m).
pub(super) struct Pull<S> {
    pub(super) impulse: V3<S>,
    pub(super) arm: [V3<S>; 2],
}

impl<S: Double> Pull<S> {
    /// Of the rows of a batch.
    #[inline(always)]
    fn of(batch: &Batch, rows: &[Eight]) -> Self {
        let mut impulse = V3([S::zero(); 3]);
        for row in rows {
            impulse = impulse.more(V3::load(&row.lin), S::load(&row.impulse));
        }
        Self {
            impulse,
            arm: [V3::load(&batch.arm[0]), V3::load(&batch.arm[1])],
        }
    }
}

impl<S: Simd> Pull<S> {
    /// Adds it to what there is.
    #[inline(always)]
    pub(super) fn put(&self, levers: &mut [Line], bodies: &[[Place; LANES]; 2]) {
        for side in 0..2 {
            let sign = S::splat(if side == 0 { -1.0 } else { 1.0 });
            let [x, y, z] = self.impulse.scaled(sign).0;
            let [u, v, w] = self.arm[side].0;
            let half = S::splat(-0.5);
            let mixed = |a: S, b: S, c: S, d: S| a.mul(b).add(c.mul(d)).mul(half);
            let old = S::gather(levers, &bodies[side]);
            let new = [
                old[0].add(v.mul(y).add(w.mul(z))),
                old[1].add(u.mul(x).add(w.mul(z))),
                old[2].add(u.mul(x).add(v.mul(y))),
                old[3].add(mixed(u, y, v, x)),
                old[4].add(mixed(u, z, w, x)),
                old[5].add(mixed(v, z, w, y)),
                S::zero(),
                S::zero(),
            ];
            S::scatter(levers, &bodies[side], new);
        }
    }
}
