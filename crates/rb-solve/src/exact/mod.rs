//! Exact solution of one island: every law, every kind of row, to rounding.
//!
//! The island is posed in mass-scaled unknowns (`pose`); joints are eliminated and contacts folded
//! into their bodies (`operator`) over a sparse factor that is linear in the number of bodies for
//! trees (`sparse`, `order`); what remains goes through the portfolio of [`crate::conic`]: Newton
//! from the multipliers present, the interior point from two starts, each followed by Newton held
//! near its end, the convex relaxation, proximal Newton. The best point by the natural map is kept, the
//! starting point included.
//!
//! Blocks may span any number of bodies, their forces may act elsewhere than their rows measure, and
//! normal impulses may bound resistance to spin (`auxiliary`).
//!
//! Source of the idea to keep bodies as unknowns: T. Howell and others, "Dojo: a differentiable
//! physics engine for robotics", 2022.

mod auxiliary;
mod blocks;
mod island;
mod operator;
mod order;
mod pivoting;
mod places;
mod pose;
mod scaling;
mod smooth;
mod sparse;
mod units;

use crate::conic::{FrictionLaw, Stages, search_units};
use glam::DVec3;
use island::Island;
use places::Places;
use pose::Pose;
use rb_core::law::LawSet;
use rb_core::problem::{Pass, Problem};
use rb_core::solver::{Budget, IslandSolver, Scratch, SolveOutcome, SolveStatus};

pub use pivoting::Pivoting;
pub use smooth::Smooth;

/// Interior point and Newton on the bodies of an island.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exact {
    /// Coulomb's law, or by name its convex relaxation.
    pub law: FrictionLaw,
}

impl Exact {
    /// Methods aim for a violation of `budget.stop`; the next one is tried, and the answer counts as not converged, only
    /// above so many times that. The same holds for each [`Part`] and for [`Pivoting`].
    pub const LEEWAY: f64 = Stages::LEEWAY;
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

    /// `budget.stop` is the largest violation left (m/s), as far as rounding and [`LEEWAY`](Self::LEEWAY) allow;
    /// `budget.sweeps` is not used: the stages have their own ends.
    fn solve(
        &self,
        p: &mut Problem,
        pass: Pass,
        budget: Budget,
        _scratch: &mut Scratch,
    ) -> SolveOutcome {
        solve_in_stages(p, pass, self.law, budget.stop, all)
    }
}

/// All methods, with visits of units one by one as far as they are cheap.
fn all(island: &Island) -> Stages {
    if island.is_free_of_equations() {
        Stages::ALL
    } else {
        Stages::FEW_VISITS
    }
}

/// A part of the methods of [`Exact`], from the multipliers present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The first: they settle almost every island, and give up soon on the others.
    Brief,
    /// What costs little after these, and settles most of what they leave.
    Firm,
    /// What is tried after both.
    Rest,
}

impl IslandSolver for Part {
    fn name(&self) -> &'static str {
        Exact::default().name()
    }

    fn laws(&self) -> LawSet {
        LawSet::all()
    }

    /// As for [`Exact`].
    fn solve(
        &self,
        p: &mut Problem,
        pass: Pass,
        budget: Budget,
        _scratch: &mut Scratch,
    ) -> SolveOutcome {
        let law = Exact::default().law;
        solve_in_stages(p, pass, law, budget.stop, |island| match self {
            Self::Brief => Stages::BRIEF,
            Self::Firm => Stages::FIRM,
            Self::Rest => all(island).after_firm(),
        })
    }
}

/// Solves a block of a sweep as [`Part::Brief`] does an island, to a violation of `stop` (m/s).
pub(crate) fn solve_block(p: &mut Problem, pass: Pass, stop: f64) {
    let law = Exact::default().law;
    solve_in_stages(p, pass, law, stop, |_| Stages::BLOCK);
}

/// Searches with the stages that `choose` names.
fn solve_in_stages(
    p: &mut Problem,
    pass: Pass,
    law: FrictionLaw,
    stop: f64,
    choose: impl FnOnce(&Island) -> Stages,
) -> SolveOutcome {
    solve_posed(p, pass, law, stop, |island, guess| {
        let judge = |r: &[DVec3]| island.judge(r, law, stop);
        let stages = choose(island);
        let found = search_units(&island.problem, law, &judge, guess, stages);
        (found.impulse, found.iterations)
    })
}

/// Poses one pass, asks `find` for impulses and the number of iterations from a guess, and stores them.
fn solve_posed(
    p: &mut Problem,
    pass: Pass,
    law: FrictionLaw,
    stop: f64,
    find: impl FnOnce(&Island, &[DVec3]) -> (Vec<DVec3>, u32),
) -> SolveOutcome {
    let pose = Pose::new(p, pass);
    let places = Places::new(&pose);
    let island = Island::new(&pose, &places);
    let guess = pose.guess(p, island.sigma);
    let (impulse, iterations) = find(&island, &guess);
    let finite = island.store(p, &impulse);
    let good = island.judge(&impulse, law, stop) <= Stages::ACCEPT;
    SolveOutcome {
        status: if finite && good {
            SolveStatus::Converged
        } else {
            SolveStatus::Unmet
        },
        iterations,
        change: island.worst(&impulse, law).0,
    }
}
