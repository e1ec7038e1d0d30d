//! The order in which methods are tried, the certificate after each, the best point kept.
//!
//! 1. Gauss–Seidel sweeps, then Newton: cheap, settles most contacts.
//! 2. Interior point from the free velocities, then Newton.
//! 3. Interior point from the bilateral solution, then Newton.
//! 4. The convex relaxation, its lift moved to where it slides, then Newton.
//! 5. Proximal Newton between sweeps, with ever less of the proximal term.

use super::certificate::{FrictionLaw, Residual};
use super::coupling::Coupling;
use super::interior::{self, Outcome, Settings, Start};
use super::newton;
use super::problem::{ConeProblem, FrictionProblem, Scaled};
use super::sweep;
use glam::DVec3;
use rb_core::law::Law as Cone;

/// Scaled residual at which the search ends.
const GOOD: f64 = 1e-13;
/// Proximal term of the polish.
const POLISH: f64 = 1e-9;
/// Updates of the lift of the convex relaxation.
const LIFTS: u32 = 3;
/// Rounds of the proximal loop.
const ROUNDS: u32 = 20;

/// What a method found.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// Impulses (N·s), three per contact, inside their cones.
    pub r: Vec<f64>,
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
    /// Interior point from two starts, each polished by Newton.
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
        let mut search = Search::new(problem, &scaled, law);
        let stages: &[Stage] = match (self, law) {
            (Self::Auto, FrictionLaw::Coulomb) => &[
                |s| s.sweep_and_polish(),
                |s| s.interior(Start::Free),
                |s| s.interior(Start::Bilateral),
                |s| s.convex(),
                |s| s.proximal(),
            ],
            (Self::Auto | Self::Interior, _) => &[
                |s| s.interior(Start::Free),
                |s| s.interior(Start::Bilateral),
            ],
            (Self::Sweep, _) => &[|s| s.sweep(SWEEPS)],
        };
        for stage in stages {
            stage(&mut search);
            if search.grade <= GOOD {
                break;
            }
        }
        Attempt {
            r: scaled.unscale(&search.best),
            solver: search.solver,
            iterations: search.iterations,
        }
    }
}

/// A step of the portfolio.
type Stage = fn(&mut Search<'_>);

/// Sweeps of the first stage.
const FIRST_SWEEPS: u32 = 60;
/// Sweeps of [`Method::Sweep`].
const SWEEPS: u32 = 20_000;

/// The state of the search over a scaled problem.
struct Search<'a> {
    posed: &'a FrictionProblem,
    scaled: &'a Scaled,
    law: FrictionLaw,
    best: Vec<DVec3>,
    grade: f64,
    solver: &'static str,
    iterations: u32,
}

impl<'a> Search<'a> {
    fn new(posed: &'a FrictionProblem, scaled: &'a Scaled, law: FrictionLaw) -> Self {
        let mut search = Self {
            posed,
            scaled,
            law,
            best: Vec::new(),
            grade: f64::INFINITY,
            solver: "none",
            iterations: 0,
        };
        search.offer(vec![DVec3::ZERO; posed.len()], "none");
        search
    }

    fn residual(&self, r: &[DVec3]) -> Residual {
        self.posed.residual(&self.scaled.unscale(r), self.law)
    }

    /// Keeps a candidate, moved into its cones, if it is the best so far.
    fn offer(&mut self, mut r: Vec<DVec3>, solver: &'static str) {
        project(&mut r, self.posed.mu());
        let grade = self.residual(&r).scaled;
        if grade < self.grade {
            (self.best, self.grade, self.solver) = (r, grade, solver);
        }
    }

    /// Offers a candidate and what Newton makes of it, again from there while that helps: the
    /// proximal term holds redundant contacts near where the last round left them.
    fn polish(&mut self, mut r: Vec<DVec3>, solver: &'static str) {
        self.offer(r.clone(), solver);
        let settings = newton::Settings {
            proximal: POLISH,
            steps: 12,
            stop: 1e-16,
        };
        let rounds = if self.law == FrictionLaw::Coulomb {
            3
        } else {
            0
        };
        for _ in 0..rounds {
            if self.grade <= GOOD {
                return;
            }
            let before = self.grade;
            self.iterations += newton::solve(&self.scaled.problem, &mut r, settings).steps;
            self.offer(r.clone(), solver);
            if self.grade > 0.5 * before {
                return;
            }
        }
    }

    fn sweep(&mut self, sweeps: u32) {
        let mut r = self.best.clone();
        let p = &self.scaled.problem;
        self.iterations += sweep::solve(p, &mut r, self.law, sweeps, 1e-16);
        self.offer(r, "sweeps");
    }

    fn sweep_and_polish(&mut self) {
        let mut r = vec![DVec3::ZERO; self.posed.len()];
        let p = &self.scaled.problem;
        self.iterations += sweep::solve(p, &mut r, self.law, FIRST_SWEEPS, 1e-16);
        self.polish(r, "sweeps+newton");
    }

    fn interior(&mut self, start: Start) {
        let out = self.follow(&self.scaled.problem, self.law, start);
        self.iterations += out.steps;
        self.polish(out.r, "interior");
    }

    fn follow<C: Coupling>(&self, p: &ConeProblem<C>, law: FrictionLaw, start: Start) -> Outcome {
        let settings = Settings {
            law,
            start,
            kappa: 0.0,
            steps: 50,
        };
        interior::solve(p, settings, |r| {
            let mut r = r.to_vec();
            project(&mut r, self.posed.mu());
            let grade = natural_map(p, &r, law);
            if grade <= 1e-14 { 0.0 } else { grade }
        })
    }

    /// The convex relaxation opens sliding contacts by μ‖u_t‖; taking that much off the normal
    /// velocity beforehand and solving again approaches Coulomb's law.
    fn convex(&mut self) {
        let p = &self.scaled.problem;
        let mut lifted = ConeProblem {
            coupling: p.coupling.clone(),
            free: p.free.clone(),
            mu: p.mu.clone(),
        };
        for _ in 0..LIFTS {
            let Outcome { r, steps, .. } =
                self.follow(&lifted, FrictionLaw::Convex, Start::Bilateral);
            self.iterations += steps;
            for ((free, c), (u, mu)) in lifted
                .free
                .iter_mut()
                .zip(&p.free)
                .zip(p.velocity(&r).into_iter().zip(&p.mu))
            {
                *free = FrictionLaw::Coulomb.lifted(*mu, u) - u + *c;
            }
            self.polish(r, "convex");
            if self.grade <= GOOD {
                return;
            }
        }
    }

    fn proximal(&mut self) {
        let p = &self.scaled.problem;
        let mut r = self.best.clone();
        let mut proximal = 1e-2;
        for _ in 0..ROUNDS {
            let mut next = r.clone();
            let settings = newton::Settings {
                proximal,
                steps: 12,
                stop: 1e-13,
            };
            let out = newton::solve(p, &mut next, settings);
            self.iterations += out.steps;
            let solved = out.size < 1e-9;
            let better = natural_map(p, &next, self.law) < natural_map(p, &r, self.law);
            self.offer(next.clone(), "proximal");
            if self.grade <= GOOD {
                return;
            }
            if better {
                r = next;
            }
            proximal = if solved {
                (0.1 * proximal).max(POLISH)
            } else {
                (3.0 * proximal).min(0.3)
            };
            if !(better && solved) {
                project(&mut r, self.posed.mu());
                self.iterations += sweep::solve(p, &mut r, self.law, FIRST_SWEEPS, 1e-16);
            }
        }
    }
}

/// Moves impulses to the nearest point of their cones.
fn project(r: &mut [DVec3], mu: &[f64]) {
    for (r, &mu) in r.iter_mut().zip(mu) {
        *r = Cone::Cone { mu }.project(*r);
    }
}

/// Largest natural map over the largest impulse, in scaled variables.
fn natural_map<C: Coupling>(p: &ConeProblem<C>, r: &[DVec3], law: FrictionLaw) -> f64 {
    let (mut worst, mut size) = (0.0f64, f64::MIN_POSITIVE);
    for ((r, u), &mu) in r.iter().zip(p.velocity(r)).zip(&p.mu) {
        let e = (*r - Cone::Cone { mu }.project(*r - law.lifted(mu, u))).length();
        worst = if e.is_nan() {
            f64::INFINITY
        } else {
            worst.max(e)
        };
        size = size.max(r.length());
    }
    worst / size
}

/// The point of the central path γ s = κ, β ∘ η = κ e (κ in J), for smooth laws and gradients.
///
/// `None` if it was not reached to 1e-12 relative.
pub fn central_path(problem: &FrictionProblem, law: FrictionLaw, kappa: f64) -> Option<Vec<f64>> {
    let scaled = Scaled::new(problem);
    let settings = Settings {
        law,
        start: Start::Free,
        kappa: kappa / scaled.energy,
        steps: 200,
    };
    let out = interior::solve(&scaled.problem, settings, |_| f64::INFINITY);
    out.on_path.then(|| scaled.unscale(&out.r))
}
