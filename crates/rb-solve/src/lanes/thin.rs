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
//! at the end   v += W Jᵀ s Δλ̂
//! ```
//!
//! The angular rows s J, with their signs, and the columns of W Jᵀ s are kept: what a visit reads is multiplied by rows,
//! and what it does is a multiple of lines that lie as those of the velocities do. Of the linear velocities only their
//! difference counts, taken once along normal and tangents. In a stack each visit waits for the one before, so that it
//! lasts as long as its longest chain of operations, and how many visits overlap hangs on how many operations one has.
//! Normals therefore follow what they would give up instead of their impulses, d = λ̂ − x, which takes one
//! operation less from point to point, and another for each of them:
//!
//! ```text
//! d = s (J v + b) + R/a λ̂,   Δ = min(λ̂ₙ, d / (1 + R/a)),   λ̂ₙ −= Δ,   d −= Ĝ Δ
//! ```
//!
//! That is the sweep of `kernel`, row for row, and gives its velocities but for rounding. Friction is that of each
//! point (`each`) or of the whole manifold (`whole`).

mod each;
mod grade;
mod position;
mod prepare;
#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
mod visit;
mod whole;

pub(super) use grade::grade;

use self::each::Each;
use self::whole::Whole;
use super::batch::Wide3;
use super::kernel::Numbers;
use super::pack::{Bodies, State};
use super::plan::{Class, Member};
use super::section::{Masses, Section, Terms};
use super::simd::{Line, Wide};
use super::view::{Patch, Spot, vector};
use glam::DVec3;
use rb_core::discretise::Discretiser;
use rb_core::manifold::{Contacts, FrictionLaw, Impulses, MAX_POINTS, Manifold};
use rb_core::math::tangents;
use rb_core::problem::Pass;
use rb_core::room;

/// Mean number of manifolds in a batch from which on batches are the faster way.
pub(super) const FEW: f64 = 3.5;

/// Manifolds from which on the other way is worth having.
pub(super) const ENOUGH: usize = 8;

/// One manifold with all it needs.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Thin {
    normals: Normals,
    friction: Friction,
}

/// A manifold but for its friction. Where a vector has a number for each point, the upper half is idle; a missing
/// point is zero, and no impulse moves it.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
struct Normals {
    /// Arms of the points from a, then from b.
    arm: Wide3,
    /// Arm × normal of these.
    lever: Wide3,
    /// s J of each point: what multiplies the angular velocities.
    pull: Wide3,
    /// What multiplies x, y and z of the relative linear velocity: of t, u, none and n; then n by itself.
    along: [Wide; 2],
    /// What λ̂ of each point does to the angular velocity of a, then of b, as they lie in their lines: ± W (r × n) s.
    turn: [Wide; MAX_POINTS],
    /// What 1 N·s along the normal does to the linear velocities: ± W n.
    shift: Wide,
    /// s of the normals.
    root: Wide,
    /// λ̂ of the normals.
    impulse: Wide,
    /// b of the normals in the velocity pass; in the upper half R/a of the position pass.
    bias: Wide,
    /// Position pass: b of the normals, then 1/(1 + R/a).
    soft: Wide,
    /// Gap of each point when the contact was found (m).
    gap: Wide,
    /// Ĝ between the normals of a point and of another: the next point around in the lower half, the one
    /// after that in the upper.
    couple: Wide,
    /// Normal and tangents.
    axes: [[f64; 3]; 3],
    /// Wanted speed of b relative to a along the tangents (m/s).
    belt: [f64; 2],
    /// Rate of the push-out (1/s), and R/a.
    pace: [f64; 2],
    /// What 1 N·s along the normal does to the relative linear velocity along n, t and u (m/s).
    level: [f64; 3],
    /// 1/s of the normals, or 0 where nothing answers.
    stiff: [f64; MAX_POINTS],
    bodies: [u32; 2],
    mu: f64,
    points: u32,
    law: FrictionLaw,
    /// Whether it is what it was in the last step, but for the impulses.
    kept: bool,
}

/// Where its friction acts.
#[derive(Clone, Copy, Debug)]
enum Friction {
    /// At every point.
    Each(Each),
    /// Once for all.
    Whole(Whole),
}

impl Default for Friction {
    fn default() -> Self {
        Self::Whole(Whole::default())
    }
}

impl Friction {
    /// Becomes that of a class; what it holds is of a former manifold, and made anew.
    fn become_of(&mut self, class: Class) {
        match (&self, class.is_gripped()) {
            (Self::Whole(_), true) | (Self::Each(_), false) => {}
            (_, true) => *self = Self::Whole(Whole::default()),
            (_, false) => *self = Self::Each(Each::default()),
        }
    }
}

impl Section {
    /// Whether manifolds are kept and swept one by one.
    pub(super) fn is_thin(&self) -> bool {
        !self.thin.is_empty() && !self.members.is_empty()
    }

    /// Packs the manifolds one by one, in the order of their turns.
    pub(super) fn pack_thin(&mut self, set: Contacts, terms: Terms, masses: Masses) {
        self.thin.truncate(self.seats.len());
        room::fit(&mut self.thin, self.seats.len());
        self.thin.resize_with(self.seats.len(), Thin::default);
        for (seat, &Member { number, bodies, .. }) in self.seats.iter_mut().zip(&self.members) {
            let turn = seat.turn;
            (seat.batch, seat.lane) = (turn, 0);
            let still = bodies.iter().any(|&b| masses.immovable(b));
            let soft = terms.soft[usize::from(still)];
            let thin = &mut self.thin[turn as usize];
            let manifold = &set.manifolds[number as usize];
            thin.normals.kept = masses.keep(&set, number, bodies);
            if thin.normals.kept {
                thin.load(manifold, terms.scale);
                continue;
            }
            thin.friction.become_of(seat.class);
            thin.fill(manifold, set.belt(manifold), terms.scale);
            (thin.normals.bodies, thin.normals.pace) = (bodies, [soft.rate, soft.reg]);
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
            Pass::Position => position::run(&mut self.thin, vel, backwards),
            Pass::Velocity => visit::run_velocity(&mut self.thin, inv, vel, backwards),
        }
    }
}

impl Thin {
    /// Takes what a manifold of the world has.
    fn fill(&mut self, manifold: &Manifold, belt: DVec3, scale: f64) {
        let loads = self.fill_friction(manifold, scale);
        self.normals.fill(manifold, belt, &loads);
    }

    /// Takes the impulses of a manifold that is what it was.
    fn load(&mut self, manifold: &Manifold, scale: f64) {
        let loads = self.fill_friction(manifold, scale);
        let m = &mut self.normals;
        for (k, load) in loads.into_iter().enumerate() {
            let live = k < m.points as usize;
            m.impulse.0[k] = if live { load * m.stiff[k] } else { 0.0 };
        }
    }

    /// Takes its friction; returns the normal impulses.
    fn fill_friction(&mut self, manifold: &Manifold, scale: f64) -> [f64; MAX_POINTS] {
        match &mut self.friction {
            Friction::Each(each) => each.fill(manifold, scale),
            Friction::Whole(whole) => whole.fill(manifold, scale),
        }
    }

    /// Impulse of a point along normal and tangents (N·s); its own, without a share of what all have in common.
    #[inline(always)]
    pub(super) fn impulse_of(&self, k: usize) -> [f64; 3] {
        let n = self.normals.impulse.0[k] * self.normals.root.0[k];
        match &self.friction {
            Friction::Each(each) => {
                let [x, y] = each.impulse_of(k);
                [n, x, y]
            }
            Friction::Whole(_) => [n, 0.0, 0.0],
        }
    }

    /// All its impulses, as they are stored.
    pub(super) fn impulses(&self) -> Impulses {
        let (m, mut points) = (&self.normals, [[0.0; 3]; MAX_POINTS]);
        for (k, to) in points[..m.points as usize].iter_mut().enumerate() {
            *to = self.impulse_of(k);
        }
        match &self.friction {
            Friction::Each(_) => Impulses::Each {
                points,
                spin: DVec3::ZERO,
            },
            Friction::Whole(whole) => whole.stored(m, points.map(|[load, ..]| load)),
        }
    }

    pub(super) fn patch(&self) -> Patch {
        let m = &self.normals;
        Patch {
            bodies: m.bodies,
            axes: m.axes.map(DVec3::from_array),
            law: m.law,
            friction: m.mu,
            belt: m.belt,
            hold: match &self.friction {
                Friction::Each(_) => None,
                Friction::Whole(whole) => Some(whole.hold()),
            },
        }
    }

    pub(super) fn spot(&self, k: usize) -> Spot {
        let m = &self.normals;
        Spot {
            arm: [k, MAX_POINTS + k].map(|lane| vector(&m.arm, lane)),
            gap: m.gap.0[k],
            impulse: self.impulse_of(k),
            bias: m.bias.0[k],
            reg: 0.0,
        }
    }
}

impl Normals {
    /// Takes what a manifold of the world has. Impulses and points are scaled later: a point that is one has
    /// the root 1 till then.
    fn fill(&mut self, manifold: &Manifold, belt: DVec3, loads: &[f64; MAX_POINTS]) {
        let n = manifold.normal;
        let [t, u] = tangents(n);
        self.axes = [n, t, u].map(|e| e.to_array());
        self.points = u32::from(manifold.count);
        self.law = manifold.law;
        self.mu = manifold.sliding_friction();
        self.belt = [t, u].map(|e| belt.dot(e));
        // Points that are none are zero there.
        let points = manifold.points.iter().zip(loads);
        for (k, (q, load)) in points.enumerate() {
            let live = k < usize::from(manifold.count);
            let [a, b] = match live {
                true => manifold.arms(q),
                false => [DVec3::ZERO; 2],
            };
            for c in 0..3 {
                self.arm[c].0[k] = a[c];
                self.arm[c].0[MAX_POINTS + k] = b[c];
            }
            self.gap.0[k] = q.gap;
            self.impulse.0[k] = if live { *load } else { 0.0 };
            self.root.0[k] = if live { 1.0 } else { 0.0 };
        }
    }

    /// Ĝ between the normals of two points.
    #[inline(always)]
    fn coupling(&self, k: usize, l: usize) -> f64 {
        around(&self.couple, &self.couple, k, l)
    }
}

/// An entry between a point and another, from those with the next one around in the lower half and with the one
/// after that in the upper; `back` is the same seen from the other.
#[inline(always)]
fn around(entries: &Wide, back: &Wide, k: usize, l: usize) -> f64 {
    match (MAX_POINTS + l - k) % MAX_POINTS {
        1 => entries.0[k],
        2 => entries.0[MAX_POINTS + k],
        _ => back.0[l],
    }
}
