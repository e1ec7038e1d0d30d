//! Exact solution of one island: every law, every kind of row, to rounding.
//!
//! The island is posed in mass-scaled unknowns (`pose`); joints are eliminated and contacts folded
//! into their bodies (`operator`) over a sparse factor that is linear in the number of bodies for
//! trees (`sparse`, `order`); what remains goes through the portfolio of [`crate::conic`]: Newton
//! from the multipliers present, the interior point from two starts, the convex relaxation, proximal
//! Newton. The best point by the natural map is kept, the starting point included.
//!
//! Source of the idea to keep bodies as unknowns: T. Howell and others, "Dojo: a differentiable
//! physics engine for robotics", 2022.

mod island;
mod operator;
mod order;
mod pose;
mod smooth;
mod sparse;

use crate::conic::{FrictionLaw, Stages, search_units};
use glam::DVec3;
use island::Island;
use operator::Places;
use pose::Pose;
use rb_core::law::{Law, LawSet};
use rb_core::problem::{Block, NO_EXTRA, Pass, Problem};
use rb_core::solver::{Budget, IslandSolver, Scratch, SolveOutcome, SolveStatus};

pub use smooth::Smooth;

/// Interior point and Newton on the bodies of an island.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exact {
    /// Coulomb's law, or by name its convex relaxation.
    pub law: FrictionLaw,
}

impl IslandSolver for Exact {
    fn name(&self) -> &'static str {
        match self.law {
            FrictionLaw::Coulomb => "conic",
            FrictionLaw::Convex => "convex",
        }
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
        if p.blocks.iter().any(|b| !supported(b)) {
            return SolveOutcome {
                status: SolveStatus::Unsupported,
                change: f64::INFINITY,
                ..SolveOutcome::default()
            };
        }
        let pose = Pose::new(p, pass);
        let places = Places::new(&pose);
        let island = Island::new(&pose, &places);
        let guess = pose.guess(p, island.sigma);
        let stages = if pose.equations.is_empty() {
            Stages::ALL
        } else {
            Stages::FEW_VISITS
        };
        let judge = |r: &[DVec3]| island.judge(r, self.law, budget.stop);
        let found = search_units(&island.problem, self.law, &judge, &guess, stages);
        let finite = island.store(p, &found.impulse);
        let miss = island.worst(&found.impulse, self.law);
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

/// Blocks over two bodies with diagonal compliance, and no resistance to spin.
fn supported(b: &Block) -> bool {
    b.extra == NO_EXTRA && !matches!(b.law, Law::Spin { .. })
}
