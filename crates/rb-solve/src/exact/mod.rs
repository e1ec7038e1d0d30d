//! Exact solution of one island: every law, every kind of row, to rounding.
//!
//! The island is posed in mass-scaled unknowns ([`pose`]); joints are eliminated and contacts folded
//! into their bodies ([`operator`]) over a sparse factor that is linear in the number of bodies for
//! trees ([`sparse`], [`order`]); what remains goes through the portfolio of [`crate::conic`]: Newton
//! from the multipliers present, the interior point from two starts, the convex relaxation, proximal
//! Newton. The best point by the natural map is kept, the starting point included.
//!
//! Source of the idea to keep bodies as unknowns: T. Howell and others, "Dojo: a differentiable
//! physics engine for robotics", 2022.

mod operator;
mod order;
mod pose;
mod sparse;

use crate::conic::{ConeProblem, FrictionLaw, Stages, search_units};
use glam::DVec3;
use operator::{Operator, Places};
use pose::Pose;
use rb_core::law::LawSet;
use rb_core::problem::{Pass, Problem};
use rb_core::solver::{Budget, IslandSolver, Scratch, SolveOutcome, SolveStatus};

/// Interior point and Newton on the bodies of an island.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exact;

impl IslandSolver for Exact {
    fn name(&self) -> &'static str {
        "conic"
    }

    fn laws(&self) -> LawSet {
        LawSet::all()
    }

    /// `budget.stop` is the largest violation left (m/s), as far as rounding allows; `budget.sweeps`
    /// is not used: the stages have their own ends.
    fn solve(
        &self,
        p: &mut Problem,
        pass: Pass,
        budget: Budget,
        _scratch: &mut Scratch,
    ) -> SolveOutcome {
        let pose = Pose::new(p, pass);
        let places = Places::new(&pose);
        let island = Island::new(&pose, &places);
        let guess = pose.guess(p, island.sigma);
        let stages = if pose.equations.is_empty() {
            Stages::ALL
        } else {
            Stages::WITHOUT_SWEEPS
        };
        let judge = |r: &[DVec3]| island.judge(r, budget.stop);
        let found = search_units(
            &island.problem,
            FrictionLaw::Coulomb,
            &judge,
            &guess,
            stages,
        );
        let z = island.motion(&found.impulse);
        let e = island.problem.coupling.multipliers(&z);
        let finite = found.impulse.iter().all(|r| r.is_finite()) && z.iter().all(|z| z.is_finite());
        if finite {
            pose.store(p, island.sigma, &found.impulse, &e);
        }
        p.rebuild_velocities();
        let miss = island.worst(&found.impulse);
        SolveOutcome {
            status: if finite && judge(&found.impulse) <= Stages::ACCEPT {
                SolveStatus::Converged
            } else {
                SolveStatus::Unmet
            },
            iterations: found.iterations,
            change: miss.0,
        }
    }
}

/// A posed island with its operator and its scale.
struct Island<'a> {
    pose: &'a Pose,
    problem: ConeProblem<Operator<'a>>,
    /// Size of the free velocities (√J).
    sigma: f64,
    /// Bodies and equations without any unit's impulse, in units of σ.
    free: Vec<f64>,
}

impl<'a> Island<'a> {
    fn new(pose: &'a Pose, places: &'a Places) -> Self {
        let coupling = Operator::new(pose, places);
        let n = pose.units.len();
        let z = coupling.respond(&vec![DVec3::ZERO; n], 1.0);
        let free: Vec<DVec3> = (0..n)
            .map(|i| pose.units[i].free + coupling.rate(i, &z))
            .collect();
        let largest = free
            .iter()
            .fold(0.0f64, |m, c| m.max(c.abs().max_element()));
        let sigma = if largest > 0.0 && largest.is_finite() {
            largest
        } else {
            1.0
        };
        let unit = |u: &pose::PosedUnit| match u.unit {
            crate::conic::Unit::Rows { lo, hi } => crate::conic::Unit::Rows {
                lo: lo / sigma,
                hi: hi / sigma,
            },
            friction => friction,
        };
        Self {
            pose,
            problem: ConeProblem {
                coupling,
                free: free.into_iter().map(|c| c / sigma).collect(),
                units: pose.units.iter().map(unit).collect(),
            },
            sigma,
            free: z.into_iter().map(|z| z / sigma).collect(),
        }
    }

    /// Bodies and equations of the units' impulses.
    fn motion(&self, impulse: &[DVec3]) -> Vec<f64> {
        let mut z = self.problem.coupling.respond(impulse, 0.0);
        z.iter_mut().zip(&self.free).for_each(|(z, f)| *z += f);
        z
    }

    /// Largest natural map: in m/s, and relative to the largest impulse or free velocity.
    fn worst(&self, impulse: &[DVec3]) -> (f64, f64) {
        let u = self.problem.velocity(impulse);
        let (mut abs, mut rel, mut size) = (0.0f64, 0.0f64, 1.0f64);
        for (i, unit) in self.problem.units.iter().enumerate() {
            let r = impulse[i];
            let miss = r - unit.project(r - unit.lifted(FrictionLaw::Coulomb, u[i]));
            let e = if miss.is_nan() { DVec3::INFINITY } else { miss };
            abs = abs.max((e * self.pose.units[i].root).length() * self.sigma);
            rel = rel.max(e.length());
            size = size.max(r.length());
        }
        (abs, rel / size)
    }

    /// The grade of the search: at most [`Stages::GOOD`] where `stop` (m/s) or rounding is reached.
    fn judge(&self, impulse: &[DVec3], stop: f64) -> f64 {
        let (abs, rel) = self.worst(impulse);
        rel.min(Stages::GOOD * abs / stop.max(f64::MIN_POSITIVE))
    }
}
