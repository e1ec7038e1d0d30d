//! The order in which methods are tried, the certificate after each, the best point kept.
//!
//! 1. Gauss–Seidel sweeps, then Newton: cheap, settles most contacts.
//! 2. Interior point from the free velocities, then Newton.
//! 3. Interior point from the bilateral solution, then Newton.
//! 4. The convex relaxation, its lift moved to where it slides, then Newton.
//! 5. Proximal Newton between sweeps, with ever less of the proximal term.
//!
//! The convex law goes the same way without the fourth stage.

use super::certificate::FrictionLaw;
use super::coupling::Coupling;
use super::inner::Form;
use super::interior::{self, Start};
use super::problem::{ConeProblem, FrictionProblem, Scaled};
use super::search::{GOOD, SWEEPS, Search, Stage, WEIGHTS};
use glam::DVec3;

/// What a method found for a problem as posed.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// Impulses (N·s), three per contact, inside their cones.
    pub r: Vec<f64>,
    /// Which stage found them.
    pub solver: &'static str,
    /// Sweeps and factorisations spent.
    pub iterations: u32,
}

/// What a method found for a problem in mass-scaled variables.
#[derive(Clone, Debug, PartialEq)]
pub struct ConeAttempt {
    /// Impulses λ̂, inside their cones.
    pub impulse: Vec<DVec3>,
    /// Which stage found them.
    pub solver: &'static str,
    /// Sweeps and factorisations spent.
    pub iterations: u32,
}

/// Solvers of friction problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The portfolio.
    Auto,
    /// Interior point from two starts, each polished by Newton, the second time held near its end.
    Interior,
    /// Gauss–Seidel sweeps alone.
    Sweep,
}

impl Method {
    /// Every method, the automatic choice first.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Interior, Self::Sweep];

    /// Name for reports and command lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Interior => "conic",
            Self::Sweep => "pgs",
        }
    }

    /// Solves a problem from a cold start.
    pub fn solve(self, problem: &FrictionProblem, law: FrictionLaw) -> Attempt {
        let scaled = Scaled::new(problem);
        let judge = |r: &[DVec3]| problem.residual(&scaled.unscale(r), law).scaled;
        let guess = vec![DVec3::ZERO; problem.len()];
        let found = self.search(Search::new(&scaled.problem, law, &judge, &guess), law);
        Attempt {
            r: scaled.unscale(&found.impulse),
            solver: found.solver,
            iterations: found.iterations,
        }
    }

    /// Solves a problem in mass-scaled variables from a guess, judged by its own natural map. The
    /// caller grades the answer in the terms the problem came from.
    pub fn solve_cones<C: Coupling>(
        self,
        problem: &ConeProblem<C>,
        law: FrictionLaw,
        guess: &[DVec3],
    ) -> ConeAttempt {
        let judge = |r: &[DVec3]| problem.natural_map(r, law);
        self.search(Search::new(problem, law, &judge, guess), law)
    }

    fn search<C: Coupling>(self, search: Search<C>, law: FrictionLaw) -> ConeAttempt {
        run(search, self.stages(law), GOOD)
    }

    fn stages(self, law: FrictionLaw) -> &'static [Stage] {
        match (self, law) {
            (Self::Auto, FrictionLaw::Coulomb) => &[
                Stage::SweepAndPolish,
                Stage::Interior(Start::Free),
                Stage::Firm,
                Stage::Interior(Start::Bilateral),
                Stage::Firm,
                Stage::Convex,
                Stage::Proximal,
            ],
            (Self::Auto, FrictionLaw::Convex) => &[
                Stage::SweepAndPolish,
                Stage::Interior(Start::Free),
                Stage::Firm,
                Stage::Interior(Start::Bilateral),
                Stage::Firm,
                Stage::Proximal,
            ],
            (Self::Interior, _) => &[
                Stage::Interior(Start::Free),
                Stage::Firm,
                Stage::Interior(Start::Bilateral),
                Stage::Firm,
            ],
            (Self::Sweep, _) => &[Stage::Sweep],
        }
    }
}

/// Runs stages until the grade is at most `accept`.
fn run<C: Coupling>(mut search: Search<C>, stages: &[Stage], accept: f64) -> ConeAttempt {
    for stage in stages {
        if search.grade <= accept {
            break;
        }
        search.run(*stage);
    }
    ConeAttempt {
        impulse: search.best,
        solver: search.solver,
        iterations: search.iterations,
    }
}

/// Stages for problems that come with a good guess, and how often sweeps may visit a unit.
pub(crate) struct Stages {
    /// Visits of units by the sweeps between two rounds of the proximal loop, about.
    visits: u32,
    /// What is tried.
    stages: &'static [Stage],
    /// Weights of velocities that polishing tries.
    weights: &'static [f64],
}

impl Stages {
    /// A grade at which polishing ends.
    pub(crate) const GOOD: f64 = GOOD;
    /// Up to how many times the grade that is asked for needs no further stage.
    pub(crate) const LEEWAY: f64 = 100.0;
    /// A grade that needs no further stage.
    pub(crate) const ACCEPT: f64 = Self::LEEWAY * GOOD;
    /// Where Newton may stop: below it a step costs a line search and gains nothing.
    const STILL: f64 = 1e-14;
    /// Proximal term and rounds of polishing: impulses that nothing determines stay where the guess has
    /// them to nine digits, so that the next step does not start from rounding.
    const POLISH: (f64, u32) = (1e-7, 8);
    /// Cheapest first.
    const ORDER: &'static [Stage] = &[
        Stage::Polish,
        Stage::Interior(Start::Free),
        Stage::Firm,
        Stage::Interior(Start::Bilateral),
        Stage::Firm,
        Stage::Convex,
        Stage::Proximal,
    ];
    /// A step is content with less than what the second weight is for, and comes back in every substep.
    const CONTENT: &'static [f64] = WEIGHTS.split_at(1).0;
    /// As many sweeps as help.
    pub(crate) const ALL: Self = Self {
        visits: u32::MAX,
        stages: Self::ORDER,
        weights: Self::CONTENT,
    };
    /// Few visits of units one by one, which are dear where each moves a whole mechanism.
    pub(crate) const FEW_VISITS: Self = Self {
        visits: 1000,
        stages: Self::ORDER,
        weights: Self::CONTENT,
    };
    /// Newton from the guess alone.
    pub(crate) const POLISH_ONLY: Self = Self {
        visits: 1,
        stages: Self::ORDER.split_at(1).0,
        weights: Self::CONTENT,
    };
    /// What settles almost every small problem.
    pub(crate) const BRIEF: Self = Self {
        visits: 1,
        stages: Self::ORDER.split_at(2).0,
        weights: Self::CONTENT,
    };
    /// What costs little after these.
    pub(crate) const FIRM: Self = Self {
        stages: &[Stage::Firm],
        ..Self::BRIEF
    };
    /// What both leave out.
    pub(crate) fn after_firm(self) -> Self {
        let stages = &self.stages[Self::BLOCK.stages.len()..];
        Self { stages, ..self }
    }

    /// Both for a block of a sweep: with a great load on a light body, points that nearly slide are many, and the
    /// second weight spares two interior points of five.
    pub(crate) const BLOCK: Self = Self {
        stages: Self::ORDER.split_at(3).0,
        weights: &WEIGHTS,
        ..Self::BRIEF
    };

    fn sweeps(&self, units: usize) -> u32 {
        (self.visits / units.max(1) as u32).clamp(1, SWEEPS)
    }
}

/// Solves a problem of any units from a guess; `judge` ranks impulses, smaller is better.
pub(crate) fn search_units<C: Coupling>(
    problem: &ConeProblem<C>,
    law: FrictionLaw,
    judge: &dyn Fn(&[DVec3]) -> f64,
    guess: &[DVec3],
    stages: Stages,
) -> ConeAttempt {
    let mut search = Search::new(problem, law, judge, guess);
    (search.accept, search.still) = (Stages::ACCEPT, Stages::STILL);
    (search.proximal, search.polishes) = Stages::POLISH;
    search.sweeps = stages.sweeps(guess.len());
    search.weights = stages.weights;
    run(search, stages.stages, Stages::ACCEPT)
}

/// Newton steps to a point of the central path, at most.
const PATH_STEPS: u32 = 200;

/// The impulses at the point of the central path γ s = κ, β ∘ η = κ e (κ in J): the smooth law of
/// gradients. `None` if it was not reached.
pub fn central_path(problem: &FrictionProblem, law: FrictionLaw, kappa: f64) -> Option<Vec<f64>> {
    let scaled = Scaled::new(problem);
    let form = Form::even(law);
    let r = interior::central(&scaled.problem, form, kappa / scaled.energy, PATH_STEPS)?;
    Some(scaled.unscale(&r))
}

/// The impulses at a point of the central path of a scaled problem, γ u_n = `share` κ and β ∘ η = κ e.
pub(crate) fn smooth_units<C: Coupling>(
    problem: &ConeProblem<C>,
    share: f64,
    kappa: f64,
) -> Option<Vec<DVec3>> {
    let form = Form {
        law: FrictionLaw::Coulomb,
        share,
    };
    interior::central(problem, form, kappa, PATH_STEPS)
}
