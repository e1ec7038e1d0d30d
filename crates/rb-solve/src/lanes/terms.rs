//! What changes from substep to substep: gaps, terms of the normal rows, and the small matrices.

use super::pack::{ContactLanes, Points};
use super::wide::{Wide, Wide3, WideSym};
use rb_core::contact_block::LANES;
use rb_core::discretise::Discretiser;
use rb_core::math::Twist;
use rb_core::problem::ProblemBody;

/// What the contacts need to know of a body at the start of a substep.
#[derive(Clone, Copy, Debug, Default)]
pub struct BodyMotion {
    /// Displacement since the contacts were found: translation (m) and rotation vector (rad).
    pub moved: Twist,
    /// Velocity at the start of the substep.
    pub vel: Twist,
}

/// W of eight bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct WideMass {
    pub(super) lin: Wide3,
    pub(super) ang: WideSym,
}

impl WideMass {
    pub(super) const ZERO: Self = Self {
        lin: Wide3::ZERO,
        ang: WideSym::ZERO,
    };

    #[inline(always)]
    pub(super) fn gather(bodies: &[ProblemBody], at: &[u32; LANES]) -> Self {
        let mut out = Self::ZERO;
        for lane in 0..LANES {
            if let Some(b) = bodies.get(at[lane] as usize) {
                out.lin.set(lane, b.inv.lin);
                out.ang.set(lane, &b.inv.ang);
            }
        }
        out
    }
}

impl ContactLanes {
    /// Terms of all points for the substep that starts now. `motion` and `bodies` are the island's, in
    /// its numbering.
    pub fn pose(&mut self, motion: &[BodyMotion], bodies: &[ProblemBody], numbers: &Discretiser) {
        for batch in &mut self.batches {
            batch.mass = [0, 1].map(|side| WideMass::gather(bodies, &batch.bodies[side]));
            let first = batch.first as usize;
            for p in &mut self.points[first..first + batch.len as usize] {
                p.matrix(&batch.axes, &batch.mass);
            }
        }
        for seat in &self.seats {
            let batch = &self.batches[seat.batch as usize];
            let lane = seat.lane as usize;
            let [ia, ib] = [0, 1].map(|side| batch.bodies[side][lane] as usize);
            let normal = batch.axes[0].get(lane);
            let first = batch.first as usize;
            for p in &mut self.points[first..first + seat.points as usize] {
                let arm = [p.arm[0].get(lane), p.arm[1].get(lane)];
                let along = |a: &Twist, b: &Twist| {
                    normal.dot(b.lin + b.ang.cross(arm[1]) - a.lin - a.ang.cross(arm[0]))
                };
                let gap = p.gap.0[lane] + along(&motion[ia].moved, &motion[ib].moved);
                let rate = along(&motion[ia].vel, &motion[ib].vel);
                let free = along(&bodies[ia].free, &bodies[ib].free);
                let inv_mass = p.normal.0[lane];
                let terms =
                    numbers.normal(gap, rate, free, &seat.material, inv_mass, seat.on_static);
                for (pass, term) in terms.iter().enumerate() {
                    p.bias[pass].0[lane] = term.bias;
                    p.reg[pass].0[lane] = term.reg;
                }
            }
        }
    }
}

impl Points {
    /// a, c, T and T⁻¹.
    #[inline(always)]
    fn matrix(&mut self, axes: &[Wide3; 3], mass: &[WideMass; 2]) {
        let lever = |side: usize, k: usize| self.arm[side].cross(axes[k]);
        let levers = [0, 1].map(|side| [0, 1, 2].map(|k| lever(side, k)));
        let entry = |i: usize, j: usize| {
            let lin = (mass[0].lin + mass[1].lin).times(axes[j]);
            let [a, b] = [0, 1].map(|s| levers[s][i].dot(mass[s].ang.times(levers[s][j])));
            axes[i].dot(lin) + a + b
        };
        self.normal = entry(0, 0);
        self.cross = [entry(0, 1), entry(0, 2)];
        let [x, y, xy] = [entry(1, 1), entry(2, 2), entry(1, 2)];
        self.tangent = [x, y, xy];
        let det = x * y - xy * xy;
        let regular = det.at_least(Wide::splat(1e-12) * x * y) * det.at_least(Wide::splat(1e-300));
        let scale = regular.pick(Wide::splat(1.0) / det, Wide::ZERO);
        self.inverse = [y * scale, x * scale, -xy * scale];
    }
}
