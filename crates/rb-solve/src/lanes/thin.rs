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
//! at the end   v ± W Jᵀ s Δλ̂
//! ```
//!
//! That is the sweep of `kernel`, row for row, and gives its velocities but for rounding.

mod grade;
mod position;
mod prepare;
#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
mod velocity;
mod visit;

pub(super) use grade::grade;

use super::batch::Wide3;
use super::kernel::Numbers;
use super::pack::{Bodies, State};
use super::section::{Masses, Member, Section, Terms};
use super::simd::{Line, Wide};
use super::view::{Patch, Spot, vector};
use glam::DVec3;
use rb_core::discretise::Discretiser;
use rb_core::manifold::{FrictionLaw, MAX_POINTS, Manifold};
use rb_core::math::tangents;
use rb_core::problem::Pass;
use rb_core::room;

/// Mean number of manifolds in a batch from which on batches are the faster way.
pub(super) const FEW: f64 = 3.5;

/// Manifolds from which on the other way is worth having.
pub(super) const ENOUGH: usize = 8;

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
    limit: Wide,
    /// Ĝ between the normal and the first tangent of each point, then the second.
    cross: Wide,
    /// Ĝ between a row of a point (n, t, u) and one of another: the next point around in the lower half,
    /// the one after that in the upper.
    couple: [Wide; 9],
    /// Rate of the push-out (1/s), and R/a.
    pace: [f64; 2],
    bodies: [u32; 2],
    friction: f64,
    points: u32,
    pub(super) law: FrictionLaw,
}

impl Section {
    /// Whether manifolds are kept and swept one by one.
    pub(super) fn is_thin(&self) -> bool {
        !self.thin.is_empty()
    }

    /// Packs the manifolds one by one, in the order of their turns.
    pub(super) fn pack_thin(&mut self, set: &[Manifold], terms: Terms, masses: Masses) {
        room::fit(&mut self.thin, self.seats.len());
        self.thin.resize(self.seats.len(), Thin::default());
        for (seat, &Member { number, bodies }) in self.seats.iter_mut().zip(&self.members) {
            let turn = seat.turn;
            (seat.batch, seat.lane) = (turn, 0);
            let still = bodies.iter().any(|&b| masses.immovable(b));
            let soft = terms.soft[usize::from(still)];
            let thin = &mut self.thin[turn as usize];
            thin.fill(&set[number as usize], terms.scale);
            (thin.bodies, thin.pace) = (bodies, [soft.rate, soft.reg]);
        }
        prepare::run(&mut self.thin, masses.inv, masses.vel);
    }

    /// Terms at the present gaps and attitudes.
    pub(super) fn pose_thin(&mut self, state: State, numbers: &Discretiser, turned: bool) {
        if turned {
            prepare::run_renew(&mut self.thin, state.inv, state.vel);
        }
        visit::run_pose(&mut self.thin, state.moved, &Numbers::new(numbers));
    }

    /// Adds W Jᵀλ of all contacts to the velocities.
    pub(super) fn warm_thin(&self, inv: &[Line], vel: &mut [Line]) {
        visit::run_warm(&self.thin, inv, vel);
    }

    /// Visits every manifold once.
    pub(super) fn sweep_thin(&mut self, bodies: Bodies, pass: Pass, backwards: bool) {
        let Bodies { inv, vel, .. } = bodies;
        match pass {
            Pass::Position => position::run(&mut self.thin, inv, vel, backwards),
            Pass::Velocity => velocity::run(&mut self.thin, inv, vel, backwards),
        }
    }
}

impl Thin {
    /// What a manifold of the world has. Impulses and points are scaled later: a point that is one has
    /// the root 1 till then.
    fn fill(&mut self, manifold: &Manifold, scale: f64) {
        let (n, material) = (manifold.normal, &manifold.material);
        let [t, u] = tangents(n);
        self.axes = [n, t, u].map(|e| e.to_array());
        self.points = u32::from(manifold.count);
        self.law = material.law;
        self.friction = material.sliding_friction();
        let belt = [t, u].map(|e| material.surface_velocity.dot(e));
        let points = manifold.points().iter().zip(&manifold.impulses);
        for (k, (q, impulse)) in points.enumerate() {
            let u = MAX_POINTS + k;
            for c in 0..3 {
                self.arm[c].0[k] = q.arm[0][c];
                self.arm[c].0[u] = q.arm[1][c];
            }
            self.gap.0[k] = q.gap;
            let [n, x, y] = impulse.map(|x| scale * x);
            (
                self.impulse[0].0[k],
                self.impulse[1].0[k],
                self.impulse[1].0[u],
            ) = (n, x, y);
            (self.bias[1].0[k], self.bias[1].0[u]) = (-belt[0], -belt[1]);
            self.root[0].0[k] = 1.0;
        }
    }

    /// Ĝ between row `r` of point `k` and row `c` of point `l`.
    #[inline(always)]
    fn coupling(&self, [k, r]: [usize; 2], [l, c]: [usize; 2]) -> f64 {
        match (MAX_POINTS + l - k) % MAX_POINTS {
            1 => self.couple[3 * r + c].0[k],
            2 => self.couple[3 * r + c].0[MAX_POINTS + k],
            _ => self.couple[3 * c + r].0[l],
        }
    }

    /// Impulse of a point along normal and tangents (N·s).
    #[inline(always)]
    pub(super) fn impulse_of(&self, k: usize) -> [f64; 3] {
        let ([n, t], [rn, rt]) = (&self.impulse, &self.root);
        let u = MAX_POINTS + k;
        [n.0[k] * rn.0[k], t.0[k] * rt.0[k], t.0[u] * rt.0[u]]
    }

    pub(super) fn patch(&self) -> Patch {
        let belt = [self.bias[1].0[0], self.bias[1].0[MAX_POINTS]];
        Patch {
            bodies: self.bodies,
            axes: self.axes.map(DVec3::from_array),
            law: self.law,
            friction: self.friction,
            belt: belt.map(|b| -b),
        }
    }

    pub(super) fn spot(&self, k: usize) -> Spot {
        Spot {
            arm: [k, MAX_POINTS + k].map(|lane| vector(&self.arm, lane)),
            gap: self.gap.0[k],
            impulse: self.impulse_of(k),
            bias: self.bias[0].0[k],
            reg: 0.0,
        }
    }
}
