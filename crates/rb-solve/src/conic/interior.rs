//! Primal–dual interior point on the exact Coulomb cone.
//!
//! Newton's method on the relaxed conditions of [`super::pair`] with ŵ = A λ̂ + c: an affine step says
//! how far κ can fall, a corrector step goes there; steps stay inside the cones and within a
//! neighbourhood of the central path. The plain direction is used: scaled ones lose digits near the
//! end. Sources: S. Mehrotra, "On the implementation of a primal-dual interior point method", 1992;
//! V. Acary, P. Armand, H. M. Nguyen, M. Shpakovych, "Second-order cone programming for frictional
//! contact mechanics using interior point algorithm", 2022.

use super::certificate::FrictionLaw;
use super::coupling::{Coupling, Factor};
use super::pair::{Elimination, Miss, Pair, Target};
use super::problem::ConeProblem;
use glam::{DMat3, DVec3};

/// Smallest complementarity product of the neighbourhood, as a fraction of κ.
const NEIGHBOURHOOD: f64 = 1e-3;
/// Fraction of the way to the boundary, at least.
const FRACTION: f64 = 0.99;
/// Steps below this are replaced by centring.
const SHORT: f64 = 0.1;
/// A grade below this that has not improved for [`PATIENCE`] steps is as good as it gets.
const SETTLED: f64 = 1e-9;
/// Steps without improvement before a settled search ends.
const PATIENCE: u32 = 4;
/// Deviation from a wanted point of the central path, relative to its κ.
const ON_PATH: f64 = 1e-12;
/// Coefficients of friction below this have no interior and are solved as if they had this.
const LEAST_MU: f64 = 1e-8;

/// Where to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// Free velocities; impulses as large as they are.
    Free,
    /// The regularised bilateral solution (A + R) λ̂ = −c, R = 0.1.
    Bilateral,
}

/// What to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) law: FrictionLaw,
    pub(super) start: Start,
    /// Stop on the central path at this κ; 0 for a solution.
    pub(super) kappa: f64,
    /// Newton steps, at most.
    pub(super) steps: u32,
}

/// A point on the way, with everything known about it.
struct Iterate {
    pairs: Vec<Pair>,
    /// Velocities, independent until the linear equations hold.
    u: Vec<DVec3>,
}

/// Best impulses found, and what they cost.
pub(super) struct Outcome {
    pub(super) r: Vec<DVec3>,
    pub(super) steps: u32,
    /// Whether the wanted point of the central path was reached (κ > 0 only).
    pub(super) on_path: bool,
}

/// A step of impulses, velocities and all variables.
struct Step {
    u: Vec<DVec3>,
    pairs: Vec<Pair>,
}

/// Linearisation at an iterate.
struct System<'a, C> {
    problem: &'a ConeProblem<C>,
    eliminations: Vec<Elimination>,
    misses: Vec<Miss>,
    /// A r + c − u.
    drift: Vec<DVec3>,
    factor: Box<dyn Factor + 'a>,
}

/// Follows the central path; `grade` ranks impulses (smaller is better) and ends the search at 0.
pub(super) fn solve<C: Coupling>(
    p: &ConeProblem<C>,
    s: Settings,
    grade: impl Fn(&[DVec3]) -> f64,
) -> Outcome {
    let mu: Vec<f64> = p.mu.iter().map(|m| m.max(LEAST_MU)).collect();
    let mut at = start(p, &mu, s.start);
    let mut best = (at.impulses(), f64::INFINITY);
    let mut last_gain = 0;
    for k in 0..s.steps {
        let r = at.impulses();
        let g = grade(&r);
        let kappa = at.kappa();
        if s.kappa == 0.0 && g < best.1 {
            last_gain = if g < 0.5 * best.1 { k } else { last_gain };
            best = (r.clone(), g);
        }
        let done = |r, on_path| Outcome {
            r,
            steps: k,
            on_path,
        };
        let settled = best.1 < SETTLED && k > last_gain + PATIENCE;
        if s.kappa == 0.0 && (best.1 == 0.0 || settled) {
            return done(best.0, false);
        }
        let system = System::new(p, &mu, s.law, &at, &r);
        if s.kappa > 0.0 && at.deviation(s.kappa).max(system.infeasibility()) <= ON_PATH * s.kappa {
            return done(r, true);
        }
        let step = system.step(&at, kappa, s.kappa);
        let next = at.moved(&step.0, step.1);
        if !next.u.iter().all(|u| u.is_finite()) || step.1 < 1e-12 {
            return done(if s.kappa > 0.0 { r } else { best.0 }, false);
        }
        at = next;
    }
    let r = if s.kappa > 0.0 { at.impulses() } else { best.0 };
    Outcome {
        r,
        steps: s.steps,
        on_path: false,
    }
}

fn start<C: Coupling>(p: &ConeProblem<C>, mu: &[f64], start: Start) -> Iterate {
    let n = p.free.len();
    let speed = p
        .free
        .iter()
        .fold(0.0f64, |m, c| m.max(c.abs().max_element()))
        .max(1e-9);
    match start {
        Start::Free => Iterate {
            pairs: mu
                .iter()
                .map(|&mu| Pair::centred(mu, speed, speed))
                .collect(),
            u: p.free.clone(),
        },
        Start::Bilateral => {
            let softness = 0.1;
            let l = vec![DMat3::from_diagonal(DVec3::splat(softness)); n];
            let mut r: Vec<DVec3> = p.free.iter().map(|c| -*c).collect();
            p.coupling
                .factor(&l, &vec![DMat3::IDENTITY; n])
                .solve(&mut r);
            let largest = r
                .iter()
                .fold(0.0f64, |m, r| m.max(r.abs().max_element()))
                .max(1e-9);
            let pair = |(r, &mu): (&DVec3, &f64)| Pair::centred(mu, r.x.max(0.1 * largest), speed);
            Iterate {
                pairs: r.iter().zip(mu).map(pair).collect(),
                u: r.iter().map(|r| *r * -softness).collect(),
            }
        }
    }
}

impl Iterate {
    fn impulses(&self) -> Vec<DVec3> {
        self.pairs.iter().map(Pair::impulse).collect()
    }

    fn kappa(&self) -> f64 {
        self.pairs.iter().map(Pair::gap).sum::<f64>() / (2 * self.pairs.len()) as f64
    }

    /// Largest miss of γ s = κ and β ∘ η = κ e.
    fn deviation(&self, kappa: f64) -> f64 {
        let none = Pair::default().second_order(0.0);
        self.pairs.iter().fold(0.0, |m, pair| {
            let miss = pair.towards(kappa, none);
            m.max(miss.normal.abs()).max(miss.cone.abs().max_element())
        })
    }

    fn moved(&self, step: &Step, alpha: f64) -> Self {
        Self {
            pairs: self
                .pairs
                .iter()
                .zip(&step.pairs)
                .map(|(p, d)| p.moved(d, alpha))
                .collect(),
            u: self
                .u
                .iter()
                .zip(&step.u)
                .map(|(u, d)| *u + *d * alpha)
                .collect(),
        }
    }

    fn step_limit(&self, step: &Step) -> f64 {
        let each = self.pairs.iter().zip(&step.pairs);
        each.fold(1.0, |a, (p, d)| a.min(p.step_limit(d)))
    }

    fn inside_neighbourhood(&self) -> bool {
        let least = self
            .pairs
            .iter()
            .fold(f64::INFINITY, |m, p| m.min(p.centrality()));
        least > NEIGHBOURHOOD * self.kappa()
    }
}

impl<'a, C: Coupling> System<'a, C> {
    fn new(
        problem: &'a ConeProblem<C>,
        mu: &[f64],
        law: FrictionLaw,
        at: &Iterate,
        r: &[DVec3],
    ) -> Self {
        let lift = |i: usize| match law {
            FrictionLaw::Coulomb => 0.0,
            FrictionLaw::Convex => mu[i],
        };
        let n = r.len();
        let eliminations: Vec<Elimination> = (0..n)
            .map(|i| Elimination::new(at.pairs[i], mu[i], lift(i)))
            .collect();
        let misses = (0..n)
            .map(|i| Miss::new(&at.pairs[i], mu[i], lift(i), at.u[i]))
            .collect();
        let drift = problem
            .velocity(r)
            .iter()
            .zip(&at.u)
            .map(|(a, u)| *a - *u)
            .collect();
        let d: Vec<DMat3> = eliminations.iter().map(Elimination::matrix).collect();
        Self {
            problem,
            eliminations,
            misses,
            drift,
            factor: problem.coupling.factor(&d, &vec![DMat3::IDENTITY; n]),
        }
    }

    /// Largest miss of a linear equation.
    fn infeasibility(&self) -> f64 {
        let drift = self
            .drift
            .iter()
            .fold(0.0f64, |m, d| m.max(d.abs().max_element()));
        self.misses.iter().fold(drift, |m, miss| m.max(miss.size()))
    }

    /// The Newton step for given complementarity targets.
    fn solve(&self, targets: &[Target]) -> Step {
        let k = |i: usize| self.eliminations[i].rhs(&targets[i], &self.misses[i]) - self.drift[i];
        let mut r: Vec<DVec3> = (0..targets.len()).map(k).collect();
        self.factor.solve(&mut r);
        let mut u = self.drift.clone();
        self.problem.coupling.apply(&r, &mut u);
        let expand =
            |i: usize| self.eliminations[i].expand(&targets[i], &self.misses[i], r[i], u[i]);
        let pairs = (0..targets.len()).map(expand).collect();
        Step { u, pairs }
    }

    /// Predictor, corrector, and if the way is blocked a centring step; with its length.
    fn step(&self, at: &Iterate, kappa: f64, floor: f64) -> (Step, f64) {
        let none = Pair::default().second_order(0.0);
        let targets = |kappa: f64, second: &dyn Fn(usize) -> Target| -> Vec<Target> {
            at.pairs
                .iter()
                .enumerate()
                .map(|(i, p)| p.towards(kappa, second(i)))
                .collect()
        };
        let affine = self.solve(&targets(floor, &|_| none));
        let reach = at.step_limit(&affine);
        let infeasibility = self.infeasibility();
        let mut sigma = if reach > SHORT {
            (at.moved(&affine, reach).kappa() / kappa)
                .clamp(0.0, 1.0)
                .powi(2)
        } else {
            0.9
        };
        sigma = sigma.max(0.5 * (1.0 - reach).powi(2)).min(0.9);
        if kappa < 0.01 * infeasibility * infeasibility {
            sigma = sigma.max(0.5);
        }
        let goal = (sigma * kappa).max(floor);
        let weight = if reach > SHORT && goal > floor {
            reach * reach
        } else {
            0.0
        };
        let step = self.solve(&targets(goal, &|i| affine.pairs[i].second_order(weight)));
        let mut alpha = FRACTION.max(1.0 - kappa).min(1.0 - 1e-9) * at.step_limit(&step);
        if alpha >= FRACTION && floor > 0.0 {
            alpha = at.step_limit(&step).min(1.0);
        }
        for _ in 0..20 {
            if alpha < 1e-3 || at.moved(&step, alpha).inside_neighbourhood() {
                break;
            }
            alpha *= 0.8;
        }
        if alpha >= SHORT {
            return (step, alpha);
        }
        let centring = self.solve(&targets(kappa.max(floor), &|_| none));
        let alpha = 0.9 * at.step_limit(&centring);
        (centring, alpha)
    }
}
