//! Primal–dual interior point on the exact Coulomb cone.
//!
//! Newton's method on the relaxed conditions of [`super::pair`] and [`super::facets`] with
//! ŵ = A λ̂ + c: an affine step says how far κ can fall, a corrector step goes there; steps stay
//! inside the cones and within a neighbourhood of the central path. The plain direction is used: scaled ones lose digits near the
//! end. Sources: S. Mehrotra, "On the implementation of a primal-dual interior point method", 1992;
//! V. Acary, P. Armand, H. M. Nguyen, M. Shpakovych, "Second-order cone programming for frictional
//! contact mechanics using interior point algorithm", 2022.

use super::certificate::FrictionLaw;
use super::coupling::{Coupling, Factor, ROUNDS};
use super::inner::{Form, Goal, Inner, Local, Open};
use super::problem::ConeProblem;
use super::unit::Unit;
use glam::{DMat3, DVec3};

/// Smallest complementarity product of the neighbourhood, as a fraction of κ.
const NEIGHBOURHOOD: f64 = 1e-3;
/// Fraction of the way to the boundary, at least and at most.
const FRACTION: f64 = 0.99;
const ALMOST: f64 = 1.0 - 1e-9;
/// Cuts of a step that leaves the neighbourhood, at most, and the length at which they end.
const BACKTRACKS: u32 = 20;
const SHORTEST: f64 = 1e-3;
/// A step this short goes nowhere.
const STUCK: f64 = 1e-12;
/// Steps below this are replaced by centring.
const SHORT: f64 = 0.1;
/// A grade below this that has not halved for [`PATIENCE`] steps is as good as it gets.
const SETTLED: f64 = 1e-9;
/// Steps without improvement before a settled search ends.
const PATIENCE: u32 = 4;
/// Below this κ most of what a step does is rounding.
const SPENT: f64 = 1e-11;
/// Steps without improvement there before a search ends whose grade is below this.
const LONGEST: u32 = 5;
const NEAR: f64 = 1e-6;
/// κ down to which a step is not refined: what it misses of the linear equations the next one takes up.
const ROUGH: f64 = 1e-3;
/// κ down to which it is refined once.
const FINE: f64 = 1e-7;
/// Deviation from a wanted point of the central path, relative to its κ.
const ON_PATH: f64 = 1e-12;
/// Miss of a linear equation on the central path, for a problem of unit size.
const FEASIBLE: f64 = 1e-13;

/// Where to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// Free velocities; impulses as large as they are.
    Free,
    /// The regularised bilateral solution (A + R) λ̂ = −c, R = 0.1.
    Bilateral,
}

/// A point on the way.
struct Iterate {
    pairs: Vec<Inner>,
    /// Velocities, independent until the linear equations hold.
    u: Vec<DVec3>,
}

/// A step of impulses, velocities and all variables.
struct Step {
    u: Vec<DVec3>,
    pairs: Vec<Inner>,
}

/// Linearisation at an iterate.
struct System<'a, C> {
    problem: &'a ConeProblem<C>,
    locals: Vec<Local<'a>>,
    /// A r + c − u.
    drift: Vec<DVec3>,
    factor: Box<dyn Factor + 'a>,
    /// Rounds of refinement that a step is worth.
    rounds: u32,
}

/// The best impulses met on the way to a solution, and the number of Newton steps. `grade` ranks
/// impulses by them and the velocities they make, smaller is better, and ends the search at 0.
pub(super) fn solve<C: Coupling>(
    p: &ConeProblem<C>,
    law: FrictionLaw,
    from: Start,
    steps: u32,
    grade: impl Fn(&[DVec3], &[DVec3]) -> f64,
) -> (Vec<DVec3>, u32) {
    let units = open(&p.units, Form::even(law));
    let mut at = start(p, &units, from);
    let (mut best, mut least, mut last_gain) = (at.impulses(), f64::INFINITY, 0);
    for k in 0..steps {
        let r = at.impulses();
        let u = p.velocity(&r);
        let g = grade(&r, &u);
        if g < least {
            last_gain = if g < 0.5 * least { k } else { last_gain };
            (best, least) = (r, g);
        }
        let settled = least < SETTLED && k > last_gain + PATIENCE;
        let spent = at.kappa() < SPENT && least < NEAR && k > last_gain + LONGEST;
        if least == 0.0 || settled || spent {
            return (best, k);
        }
        match System::new(p, &units, &at, &u).advance(&at, 0.0) {
            Some(next) => at = next,
            None => return (best, k + 1),
        }
    }
    (best, steps)
}

/// The impulses at a point κ > 0 of the central path, if it is reached within `steps`.
pub(super) fn central<C: Coupling>(
    p: &ConeProblem<C>,
    form: Form,
    kappa: f64,
    steps: u32,
) -> Option<Vec<DVec3>> {
    let units = open(&p.units, form);
    let mut at = start(p, &units, Start::Free);
    for _ in 0..steps {
        let r = at.impulses();
        let system = System::new(p, &units, &at, &p.velocity(&r));
        if at.deviation(kappa) <= ON_PATH * kappa && system.infeasibility() <= FEASIBLE {
            return Some(r);
        }
        at = system.advance(&at, kappa)?;
    }
    None
}

/// Rounds of refinement that a step from κ is worth.
fn rounds(kappa: f64) -> u32 {
    match kappa {
        k if k > ROUGH => 0,
        k if k > FINE => 1,
        _ => ROUNDS,
    }
}

fn open(units: &[Unit], form: Form) -> Vec<Open> {
    units.iter().map(|&unit| Open::new(unit, form)).collect()
}

fn start<C: Coupling>(p: &ConeProblem<C>, units: &[Open], start: Start) -> Iterate {
    let n = p.free.len();
    let speed = p
        .free
        .iter()
        .fold(0.0f64, |m, c| m.max(c.abs().max_element()))
        .max(1e-9);
    match start {
        Start::Free => Iterate {
            pairs: units.iter().map(|unit| unit.start(speed, speed)).collect(),
            u: p.free.clone(),
        },
        Start::Bilateral => {
            let softness = 0.1;
            let l = vec![DMat3::from_diagonal(DVec3::splat(softness)); n];
            let mut r: Vec<DVec3> = p.free.iter().map(|c| -*c).collect();
            let factor = p.coupling.factor(l, vec![DMat3::IDENTITY; n]);
            factor.solve(&mut r, ROUNDS);
            let largest = r
                .iter()
                .fold(0.0f64, |m, r| m.max(r.abs().max_element()))
                .max(1e-9);
            let pair = |(r, unit): (&DVec3, &Open)| unit.start(r.x.max(0.1 * largest), speed);
            Iterate {
                pairs: r.iter().zip(units).map(pair).collect(),
                u: r.iter().map(|r| *r * -softness).collect(),
            }
        }
    }
}

impl Iterate {
    fn impulses(&self) -> Vec<DVec3> {
        self.pairs.iter().map(Inner::impulse).collect()
    }

    fn kappa(&self) -> f64 {
        let (sum, count) = self.pairs.iter().fold((0.0, 0), |(sum, count), p| {
            let (gap, products) = p.gap();
            (sum + gap, count + products)
        });
        sum / count.max(1) as f64
    }

    /// Largest miss of γ s = κ and β ∘ η = κ e.
    fn deviation(&self, kappa: f64) -> f64 {
        let each = self.pairs.iter();
        each.fold(0.0, |m, pair| m.max(pair.deviation(kappa)))
    }

    /// Right-hand sides of a step towards κ, less second-order terms.
    fn targets(&self, kappa: f64, second: impl Fn(usize) -> Option<Goal>) -> Vec<Goal> {
        let each = self.pairs.iter().enumerate();
        each.map(|(i, p)| p.towards(kappa, second(i).as_ref()))
            .collect()
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
        units: &'a [Open],
        at: &Iterate,
        velocity: &[DVec3],
    ) -> Self {
        let n = velocity.len();
        let locals: Vec<Local> = (0..n)
            .map(|i| units[i].linearised(&at.pairs[i], at.u[i]))
            .collect();
        let drift = velocity.iter().zip(&at.u).map(|(a, u)| *a - *u).collect();
        let d: Vec<DMat3> = locals.iter().map(Local::matrix).collect();
        Self {
            problem,
            locals,
            drift,
            factor: problem.coupling.factor(d, vec![DMat3::IDENTITY; n]),
            rounds: rounds(at.kappa()),
        }
    }

    /// Largest miss of a linear equation.
    fn infeasibility(&self) -> f64 {
        let drift = self
            .drift
            .iter()
            .fold(0.0f64, |m, d| m.max(d.abs().max_element()));
        self.locals.iter().fold(drift, |m, l| m.max(l.miss()))
    }

    /// The Newton step for given complementarity targets.
    fn solve(&self, targets: &[Goal]) -> Step {
        let k = |i: usize| self.locals[i].rhs(&targets[i]) - self.drift[i];
        let mut r: Vec<DVec3> = (0..targets.len()).map(k).collect();
        self.factor.solve(&mut r, self.rounds);
        let mut u = self.drift.clone();
        self.problem.coupling.apply(&r, &mut u);
        let expand = |i: usize| self.locals[i].expand(&targets[i], r[i], u[i]);
        let pairs = (0..targets.len()).map(expand).collect();
        Step { u, pairs }
    }

    /// The next iterate on the way to κ = `floor`; `None` if there is no way on.
    fn advance(&self, at: &Iterate, floor: f64) -> Option<Iterate> {
        let kappa = at.kappa();
        let (step, alpha) = self.corrected(at, kappa, floor);
        let (step, alpha) = if alpha < SHORT {
            // The way is blocked: back to the middle.
            let centring = self.solve(&at.targets(kappa.max(floor), |_| None));
            let alpha = 0.9 * at.step_limit(&centring);
            (centring, alpha)
        } else {
            (step, alpha)
        };
        let next = at.moved(&step, alpha);
        (alpha > STUCK && next.u.iter().all(|u| u.is_finite())).then_some(next)
    }

    /// Predictor and corrector: the step, and its length within the neighbourhood.
    fn corrected(&self, at: &Iterate, kappa: f64, floor: f64) -> (Step, f64) {
        let affine = self.solve(&at.targets(floor, |_| None));
        let reach = at.step_limit(&affine);
        let goal = (self.centring(at, &affine, reach) * kappa).max(floor);
        let second = reach > SHORT && goal > floor;
        let weight = if second { reach * reach } else { 0.0 };
        let step = self.solve(&at.targets(goal, |i| Some(affine.pairs[i].second_order(weight))));
        let limit = at.step_limit(&step);
        let mut alpha = if floor > 0.0 && limit == 1.0 {
            1.0
        } else {
            (1.0 - kappa).clamp(FRACTION, ALMOST) * limit
        };
        for _ in 0..BACKTRACKS {
            if alpha < SHORTEST || at.moved(&step, alpha).inside_neighbourhood() {
                break;
            }
            alpha *= 0.8;
        }
        (step, alpha)
    }

    /// σ: how far κ is to fall, from how far the affine step would take it.
    fn centring(&self, at: &Iterate, affine: &Step, reach: f64) -> f64 {
        let kappa = at.kappa();
        let promise = if reach > SHORT {
            (at.moved(affine, reach).kappa() / kappa)
                .clamp(0.0, 1.0)
                .powi(2)
        } else {
            0.9
        };
        let sigma = promise.max(0.5 * (1.0 - reach).powi(2)).min(0.9);
        // κ must not run ahead of the linear equations.
        let ahead = kappa < 0.01 * self.infeasibility().powi(2);
        if ahead { sigma.max(0.5) } else { sigma }
    }
}
