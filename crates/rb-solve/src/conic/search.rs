//! The search behind the portfolio: its stages, the best point so far and what it cost.

use super::certificate::FrictionLaw;
use super::coupling::Coupling;
use super::interior::{self, Start};
use super::newton;
use super::problem::{ConeProblem, project};
use super::sweep;
use core::iter;
use glam::DVec3;

/// Grade at which the search ends.
pub(super) const GOOD: f64 = 1e-13;
/// Grade at which an interior point ends: nothing is left to gain.
const EXACT: f64 = 1e-14;
/// Steps of an interior point, at most.
const STEPS: u32 = 50;
/// Proximal term of the polish.
const POLISH: f64 = 1e-9;
/// Rounds of the polish, at most.
const POLISHES: u32 = 3;
/// Weights of velocities that polishing tries: a great one tells what slides at a crawl from what sticks.
pub(super) const WEIGHTS: [f64; 2] = [1.0, 1e6];
/// Newton steps per solve.
const NEWTON: u32 = 12;
/// Sweeps where there is nothing else.
const MANY_SWEEPS: u32 = 20_000;
/// Sweeps before Newton takes over, or between two of its rounds.
pub(super) const SWEEPS: u32 = 60;
/// Sweeps stop at this largest change.
const STILL: f64 = 1e-16;
/// Updates of the lift of the convex relaxation.
const LIFTS: u32 = 3;
/// Proximal term that Newton is first held with.
const FIRM: f64 = 1e-2;
/// Largest component of its function, over the weight of velocities, at which it has come to its end.
const SOLVED: f64 = 1e-12;
/// Rounds of the proximal loop.
const ROUNDS: u32 = 20;
/// Rounds without halving after which it ends: there may be nothing to find.
const PATIENCE: u32 = 8;

/// A stage of the portfolio.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stage {
    /// Newton from the guess.
    Polish,
    /// Sweeps alone, as many as it takes.
    Sweep,
    /// A few sweeps, then Newton.
    SweepAndPolish,
    /// The interior point, then Newton.
    Interior(Start),
    /// Newton from the best so far with a great proximal term, which shrinks as long as that succeeds.
    Firm,
    /// The convex relaxation, then Newton.
    Convex,
    /// Newton with a shrinking proximal term, between sweeps.
    Proximal,
}

/// The state of a search.
pub(super) struct Search<'a, C> {
    problem: &'a ConeProblem<C>,
    law: FrictionLaw,
    /// The certificate: smaller is better.
    judge: &'a dyn Fn(&[DVec3]) -> f64,
    /// Grade with which the dear methods are content once it falls no more.
    pub(super) accept: f64,
    /// Newton stops at this largest component.
    pub(super) still: f64,
    /// Proximal term of polishing, and its rounds at most. Impulses of redundant contacts, which no
    /// equation determines, move by rounding over this term; each round leaves about this share of the
    /// error.
    pub(super) proximal: f64,
    pub(super) polishes: u32,
    /// Weights of velocities that it tries.
    pub(super) weights: &'static [f64],
    /// Sweeps of the proximal loop that find a new start.
    pub(super) sweeps: u32,
    pub(super) best: Vec<DVec3>,
    pub(super) grade: f64,
    pub(super) solver: &'static str,
    pub(super) iterations: u32,
}

impl<'a, C: Coupling> Search<'a, C> {
    pub(super) fn new(
        problem: &'a ConeProblem<C>,
        law: FrictionLaw,
        judge: &'a dyn Fn(&[DVec3]) -> f64,
        guess: &[DVec3],
    ) -> Self {
        let mut search = Self {
            problem,
            law,
            judge,
            accept: GOOD,
            still: STILL,
            proximal: POLISH,
            polishes: POLISHES,
            weights: &WEIGHTS,
            sweeps: SWEEPS,
            best: vec![DVec3::ZERO; problem.free.len()],
            grade: f64::INFINITY,
            solver: "none",
            iterations: 0,
        };
        search.offer(guess.to_vec(), "guess");
        search
    }

    pub(super) fn run(&mut self, stage: Stage) {
        match stage {
            Stage::Polish => self.polish(self.best.clone(), "newton"),
            Stage::Sweep => self.sweep(),
            Stage::SweepAndPolish => self.sweep_and_polish(),
            Stage::Interior(start) => self.interior(start),
            Stage::Firm => self.firm(),
            Stage::Convex => self.convex(),
            Stage::Proximal => self.proximal(),
        }
    }

    /// Keeps a candidate, moved into its cones, if it is the best so far.
    fn offer(&mut self, mut r: Vec<DVec3>, solver: &'static str) {
        project(&mut r, &self.problem.units);
        let grade = (self.judge)(&r);
        if grade < self.grade {
            (self.best, self.grade, self.solver) = (r, grade, solver);
        }
    }

    /// Whether a dear method may end that found a grade of `before`: nothing is left to gain, or the grade is accepted and
    /// has not halved.
    fn is_over(&self, before: f64) -> bool {
        self.grade <= GOOD || self.grade <= self.accept && self.grade > 0.5 * before
    }

    /// Offers a candidate and what Newton makes of it, again from there while that helps: the
    /// proximal term holds redundant contacts near where the last round left them.
    fn polish(&mut self, r: Vec<DVec3>, solver: &'static str) {
        self.offer(r.clone(), solver);
        for &weight in self.weights {
            let mut r = r.clone();
            let settings = newton::Settings {
                law: self.law,
                proximal: self.proximal,
                weight,
                steps: NEWTON,
                stop: self.still,
            };
            for _ in 0..self.polishes {
                let before = self.grade;
                if before <= GOOD {
                    return;
                }
                self.iterations += newton::solve(self.problem, &mut r, settings).steps;
                self.offer(r.clone(), solver);
                if self.grade > 0.5 * before {
                    break;
                }
            }
        }
    }

    fn sweep(&mut self) {
        let mut r = self.best.clone();
        self.iterations += sweep::solve(self.problem, &mut r, self.law, MANY_SWEEPS, STILL);
        self.offer(r, "sweeps");
    }

    fn sweep_and_polish(&mut self) {
        let mut r = self.best.clone();
        self.iterations += sweep::solve(self.problem, &mut r, self.law, SWEEPS, STILL);
        self.polish(r, "sweeps+newton");
    }

    fn interior(&mut self, start: Start) {
        let (r, steps) = follow(self.problem, self.law, start, |r| (self.judge)(r) <= GOOD);
        self.iterations += steps;
        self.polish(r, "interior");
    }

    /// An interior point ends a root of rounding away from contacts between two states, and beside redundant ones a polish
    /// from there has no step that descends. With impulses held where they are a step or two solve it.
    fn firm(&mut self) {
        let mut r = self.best.clone();
        let mut proximal = FIRM;
        while self.grade > self.accept && proximal >= self.proximal {
            if !self.hold(&mut r, proximal) {
                break;
            }
            proximal *= 0.1;
        }
    }

    /// Newton with that proximal term ρ, offered; whether it came to its end. Velocities there are ρ times how far
    /// impulses move: a contact that slides at such a crawl is told from one that sticks by a weight that grows with 1/ρ.
    fn hold(&mut self, r: &mut Vec<DVec3>, proximal: f64) -> bool {
        let from = r.clone();
        let greater = Some(FIRM / proximal).filter(|&weight| weight > WEIGHTS[0]);
        for weight in iter::once(WEIGHTS[0]).chain(greater) {
            let mut next = from.clone();
            let settings = newton::Settings {
                law: self.law,
                proximal,
                weight,
                steps: NEWTON,
                stop: GOOD,
            };
            let out = newton::solve(self.problem, &mut next, settings);
            self.iterations += out.steps;
            self.offer(next.clone(), "proximal");
            let solved = out.size < SOLVED * weight;
            if solved || weight == WEIGHTS[0] {
                *r = next;
            }
            if solved {
                return true;
            }
        }
        false
    }

    /// A relaxed contact that slides opens by μ‖u_t‖; granting it
    /// that much normal velocity beforehand and solving again approaches Coulomb's law.
    fn convex(&mut self) {
        let p = self.problem;
        let mut lifted = ConeProblem {
            coupling: &p.coupling,
            free: p.free.clone(),
            units: p.units.clone(),
        };
        for _ in 0..LIFTS {
            let (r, steps) = follow(&lifted, FrictionLaw::Convex, Start::Bilateral, |_| false);
            self.iterations += steps;
            for (i, u) in p.velocity(&r).into_iter().enumerate() {
                let lift = p.units[i].lifted(FrictionLaw::Coulomb, u) - u;
                lifted.free[i] = p.free[i] + lift;
            }
            let before = self.grade;
            self.polish(r, "convex");
            if self.is_over(before) {
                return;
            }
        }
    }

    /// The proximal term shrinks while Newton succeeds; where it does not, sweeps find a new start.
    fn proximal(&mut self) {
        let mut r = self.best.clone();
        let mut proximal = FIRM;
        let (mut least, mut last_gain) = (self.grade, 0);
        for round in 0..ROUNDS {
            if self.grade < 0.5 * least {
                (least, last_gain) = (self.grade, round);
            }
            if round > last_gain + PATIENCE {
                return;
            }
            let (mut next, before) = (r.clone(), self.grade);
            let solved = self.hold(&mut next, proximal);
            if self.is_over(before) {
                return;
            }
            let grade = |r: &[DVec3]| self.problem.natural_map(r, self.law);
            let better = grade(&next) < grade(&r);
            if better {
                r = next;
            }
            proximal = if solved {
                (0.1 * proximal).max(POLISH)
            } else {
                (3.0 * proximal).min(0.3)
            };
            if !(better && solved) {
                project(&mut r, &self.problem.units);
                self.iterations += sweep::solve(self.problem, &mut r, self.law, self.sweeps, STILL);
            }
        }
    }
}

/// The interior point of a law, graded as it goes, until nothing is left to gain or impulses inside their cones are
/// `enough`.
fn follow<C: Coupling>(
    p: &ConeProblem<C>,
    law: FrictionLaw,
    start: Start,
    enough: impl Fn(&[DVec3]) -> bool,
) -> (Vec<DVec3>, u32) {
    interior::solve(p, law, start, STEPS, |r, u| {
        let grade = p.natural_map_at(r, u, law);
        let mut r = r.to_vec();
        project(&mut r, &p.units);
        if grade <= EXACT || enough(&r) {
            0.0
        } else {
            grade
        }
    })
}
