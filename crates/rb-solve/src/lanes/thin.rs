//! Islands whose batches would be almost empty: the rows of one manifold are the lanes.
//!
//! In a stack every level holds one manifold. Swept as a batch it idles seven lanes, and each of its
//! points waits for the velocities the last one left. Here a visit reads the velocities once, for all
//! rows, goes over the points with the matrix that couples them, and writes the velocities once.
//!
//! Rows are scaled by the root s of their step (s² = 1/a of a normal, ρ of tangents), which makes one
//! symmetric matrix of the coupling and the steps: λ = s λ̂, Ĝ = s J W Jᵀ s.
//!
//! ```text
//! all rows     x = λ̂ − s (J v + b)                       what the row would take for itself
//! each point   λ̂ₙ ← max(0, xₙ / (1 + R/a)),  xₜ −= Ĝ Δλ̂ₙ,  λ̂ₜ ← Π(xₜ, r λ̂ₙ),  r = μ sₙ/sₜ
//!              x −= Ĝ Δλ̂ of the points still to come
//! at the end   v ± W Jᵀ s Δλ̂                              with W of the present attitude
//! ```
//!
//! That is the sweep of `kernel`, row for row, but for Ĝ of the start of the step: like the steps it
//! decides how fast the fixed point is reached, not where it is.

mod couple;
mod visit;

use super::kernel::{Bodies, Numbers};
use super::pack::{Batch, ContactLanes, PLAIN, Point, Seat, Wide3};
use super::simd::Wide;
use couple::couple;
use rb_core::contact_block::LANES;
use rb_core::discretise::Discretiser;
use rb_core::manifold::{FrictionLaw, MAX_POINTS};
use rb_core::problem::Pass;

/// Mean number of manifolds in a batch from which on batches are the faster way.
const FEW: f64 = 2.5;

/// Pairs of points.
const PAIRS: usize = MAX_POINTS * (MAX_POINTS - 1) / 2;

/// One manifold with all it needs. Where a vector has a number for each point, the upper half is idle;
/// a missing point is zero, and no impulse moves it.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Thin {
    /// Arms of the points from a, then from b.
    arm: Wide3,
    /// s of the normals; of both tangents.
    root: [Wide; 2],
    /// λ̂ of the normals; of the first tangents, then of the second.
    impulse: [Wide; 2],
    /// b of the velocity pass, in the same places.
    bias: [Wide; 2],
    /// Position pass: b of the normals, then 1/(1 + R/a).
    soft: Wide,
    /// Gap of each point when the contact was found (m).
    gap: Wide,
    /// Normal and tangents.
    axes: [[f64; 3]; 3],
    /// r of each point.
    limit: [f64; MAX_POINTS],
    /// Ĝ between the normal and the tangents of a point.
    cross: [[f64; 2]; MAX_POINTS],
    /// Ĝ between two points: 01, 02, 03, 12, 13, 23; row by row of the first.
    couple: [[f64; 9]; PAIRS],
    /// Rate of the push-out (1/s), and R/a.
    pace: [f64; 2],
    bodies: [u32; 2],
    law: FrictionLaw,
    seat: Seat,
}

impl ContactLanes {
    /// Whether manifolds are swept one by one.
    pub(super) fn is_thin(&self) -> bool {
        !self.thin.is_empty()
    }

    /// Sets the manifolds up one by one, if there are few to a batch and all are plain.
    pub(super) fn thin_out(&mut self) {
        let few = (self.seats.len() as f64) < FEW * self.batches.len() as f64;
        if !few || !self.surfaces.is_empty() {
            return;
        }
        for (number, batch) in self.batches.iter().enumerate() {
            let points = &self.points[batch.range()];
            let used = |lane: &usize| points.iter().any(|p| p.inverse.0[*lane] != 0.0);
            self.thin.extend((0..LANES).filter(used).map(|lane| {
                let seat = Seat {
                    batch: number as u32,
                    lane: lane as u8,
                    points: points.len() as u8,
                };
                Thin::new(batch, points, seat)
            }));
        }
        couple(&mut self.thin, &self.inv, &self.vel);
    }

    /// Terms at the present gaps.
    pub(super) fn pose_thin(&mut self, numbers: &Discretiser) {
        visit::run_pose(&mut self.thin, &self.moved, &Numbers::new(numbers));
    }

    /// Visits every manifold once.
    pub(super) fn sweep_thin(&mut self, pass: Pass, backwards: bool) {
        let bodies = Bodies {
            inv: &self.inv,
            vel: &mut self.vel,
            moved: &self.moved,
        };
        match pass {
            Pass::Position => visit::run_position(&mut self.thin, bodies, backwards),
            Pass::Velocity => visit::run_velocity(&mut self.thin, bodies, backwards),
        }
    }

    /// Puts impulses and terms where they are read. To be called after the last sweep.
    pub fn settle(&mut self) {
        for thin in &self.thin {
            let batch = &self.batches[thin.seat.batch as usize];
            let lane = thin.seat.lane as usize;
            for (k, p) in self.points[batch.range()].iter_mut().enumerate() {
                for (to, x) in p.impulse.iter_mut().zip(thin.impulse_of(k)) {
                    to.0[lane] = x;
                }
                p.bias.0[lane] = thin.bias[0].0[k];
            }
        }
    }
}

impl Thin {
    /// The manifold in a lane of a batch, without coupling.
    fn new(batch: &Batch, points: &[Point], seat: Seat) -> Self {
        debug_assert!(batch.special == PLAIN);
        let lane = seat.lane as usize;
        let vector = |w: &Wide3| [w[0].0[lane], w[1].0[lane], w[2].0[lane]];
        let (n, t) = (vector(&batch.normal), vector(&batch.tangent));
        let mut out = Self {
            axes: [n, t, cross(n, t)],
            pace: batch.soft.map(|w| w.0[lane]),
            bodies: batch.bodies.map(|b| b[lane]),
            law: batch.law,
            seat,
            ..Self::default()
        };
        for (k, p) in points.iter().enumerate() {
            let [normal, tangent] = [&p.inverse, &p.step].map(|w| w.0[lane].sqrt());
            if normal == 0.0 {
                continue;
            }
            for c in 0..3 {
                out.arm[c].0[k] = p.arm[0][c].0[lane];
                out.arm[c].0[MAX_POINTS + k] = p.arm[1][c].0[lane];
            }
            out.root[0].0[k] = normal;
            out.gap.0[k] = p.gap.0[lane];
            out.impulse[0].0[k] = p.impulse[0].0[lane] / normal;
            for (axis, at) in [k, MAX_POINTS + k].into_iter().enumerate() {
                out.root[1].0[at] = tangent;
                out.impulse[1].0[at] = p.impulse[1 + axis].0[lane] / tangent;
                out.bias[1].0[at] = -batch.belt[axis].0[lane];
                out.cross[k][axis] = normal * tangent * p.cross[axis].0[lane];
            }
            out.limit[k] = batch.mu.0[lane] * normal / tangent;
        }
        out
    }

    /// Impulse of a point along normal and tangents (N·s).
    fn impulse_of(&self, k: usize) -> [f64; 3] {
        let [n, t] = &self.impulse;
        let [rn, rt] = &self.root;
        let u = MAX_POINTS + k;
        [n.0[k] * rn.0[k], t.0[k] * rt.0[k], t.0[u] * rt.0[u]]
    }
}

fn cross([a, b, c]: [f64; 3], [x, y, z]: [f64; 3]) -> [f64; 3] {
    [b * z - c * y, c * x - a * z, a * y - b * x]
}
