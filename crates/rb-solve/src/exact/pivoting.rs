//! Islands whose laws have flat sides, by pivoting: Lemke's method, or bounded principal pivoting.
//!
//! Joints are eliminated and everything scaled as for [`Exact`](super::Exact); A = Ĵ K⁻¹ Âᵀ of what
//! remains is dense. A friction square |r₁|, |r₂| ≤ μ r_n, which a pyramid is too when turned by 45°,
//! is posed exactly for Lemke, per tangent r_k = d⁺ − d⁻ with the speed of sliding β:
//!
//! ```text
//! 0 ≤ d± ⊥ ±w_k + β ≥ 0,   0 ≤ β ⊥ μ r_n − d⁺ − d⁻ ≥ 0
//! ```
//!
//! which is copositive, so that Lemke's path ends with a solution. Principal pivoting has the box
//! |r_k| ≤ μ r_n of the last round instead, round by round. Newton's method from either result finds
//! the last digits, and ends the rounds once it does. Sources: D. Stewart, J. Trinkle, "An implicit time-stepping scheme for rigid
//! body dynamics with inelastic collisions and Coulomb friction", 1996; J. Haslinger, "Approximation of
//! the Signorini problem with friction obeying the Coulomb law", 1983.

use super::island::Island;
use super::scaling::NOTHING;
use super::{SolveOutcome, solve_posed};
use crate::conic::{Coupling, FrictionLaw, Stages, Unit, search_units};
use crate::lcp::{BoxedLcp, Method};
use crate::linalg::matrix::Matrix;
use glam::DVec3;
use rb_core::law::{Law, LawSet};
use rb_core::problem::{Pass, Problem};
use rb_core::solver::{Budget, IslandSolver, Scratch, SolveStatus};

/// Proximal term about the guess, for a unit diagonal: redundant contacts are then independent, and
/// Newton's method, which has one too, takes it out again.
const PROXIMAL: f64 = 1e-8;
/// Rounds of principal pivoting with the bounds of the last round, at most.
const ROUNDS: u32 = 20;

/// Which rows pivot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pivoting {
    /// One pair at a time, along Lemke's path.
    Lemke,
    /// All wrong ones at once.
    Pivot,
}

impl Pivoting {
    /// Whether every law of a problem has flat sides.
    pub fn takes(p: &Problem) -> bool {
        p.blocks.iter().all(|b| match b.law {
            Law::Rows | Law::Boxed { .. } | Law::Pyramid { .. } => true,
            Law::Cone { mu } => mu == 0.0,
            _ => false,
        })
    }
}

impl Pivoting {
    /// Attempts: Lemke's path from the guess's active set and from nothing, or one per set of bounds.
    fn rounds(self) -> u32 {
        match self {
            Self::Lemke => 2,
            Self::Pivot => ROUNDS,
        }
    }
}

impl IslandSolver for Pivoting {
    fn name(&self) -> &'static str {
        match self {
            Self::Lemke => "lemke",
            Self::Pivot => "pivot",
        }
    }

    fn laws(&self) -> LawSet {
        LawSet::ROWS | LawSet::BOXED | LawSet::PYRAMID
    }

    /// `budget.stop` and `budget.sweeps` as for [`Exact`](super::Exact).
    fn solve(
        &self,
        p: &mut Problem,
        pass: Pass,
        budget: Budget,
        _scratch: &mut Scratch,
    ) -> SolveOutcome {
        if !Self::takes(p) {
            return SolveOutcome {
                status: SolveStatus::Unsupported,
                change: f64::INFINITY,
                ..SolveOutcome::default()
            };
        }
        let law = FrictionLaw::Coulomb;
        solve_posed(p, pass, law, budget.stop, |island, guess| {
            let dense = Dense::new(island);
            let judge = |r: &[DVec3]| island.judge(r, law, budget.stop);
            let (mut best, mut grade, mut iterations) = (guess.to_vec(), judge(guess), 0);
            let mut bounds = guess.to_vec();
            for round in 0..self.rounds() {
                let (impulse, pivots) = match self {
                    Self::Lemke => dense.lemke(guess, round == 0),
                    Self::Pivot => dense.pivot(&bounds),
                };
                let stages = Stages::POLISH_ONLY;
                let found = search_units(&island.problem, law, &judge, &impulse, stages);
                (bounds, iterations) = (impulse, iterations + pivots + found.iterations);
                let g = judge(&found.impulse);
                if g < grade {
                    (best, grade) = (found.impulse, g);
                }
                if grade <= Stages::ACCEPT {
                    break;
                }
            }
            (best, iterations)
        })
    }
}

/// An unknown of a complementarity problem.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unknown {
    /// `sign` times itself is part of an impulse (number of the unit, row in it).
    Impulse { at: [usize; 2], sign: f64 },
    /// The speed at which one tangent slides.
    Slip { at: [usize; 2] },
}

/// An island's units with their matrix.
struct Dense<'a> {
    units: &'a [Unit],
    free: &'a [DVec3],
    a: Matrix,
    /// Rows that are there.
    rows: Vec<[usize; 2]>,
}

impl<'a> Dense<'a> {
    fn new(island: &'a Island) -> Self {
        let n = island.problem.units.len();
        let mut a = Matrix::zeros(3 * n, 3 * n);
        let mut rows = Vec::new();
        for i in 0..n {
            for k in (0..3).filter(|&k| island.number(i, k) != NOTHING) {
                rows.push([i, k]);
                let mut column = vec![DVec3::ZERO; n];
                island
                    .problem
                    .coupling
                    .apply_one(i, DVec3::AXES[k], &mut column);
                for (j, c) in column.iter().enumerate() {
                    for l in 0..3 {
                        a[(3 * j + l, 3 * i + k)] = c[l];
                    }
                }
            }
        }
        Self {
            units: &island.problem.units,
            free: &island.problem.free,
            a,
            rows,
        }
    }

    /// w of one row.
    fn rate(&self, r: &[DVec3], [i, k]: [usize; 2]) -> f64 {
        let row = self.a.row(3 * i + k).chunks_exact(3).zip(r);
        self.free[i][k] + row.map(|(a, r)| DVec3::from_slice(a).dot(*r)).sum::<f64>()
    }

    /// Bounds of a row under the impulses present.
    fn bounds(&self, r: &[DVec3], [i, k]: [usize; 2]) -> [f64; 2] {
        match self.units[i] {
            Unit::Rows { lo, hi } => [lo[k], hi[k]],
            _ if k == 0 => [0.0, f64::INFINITY],
            Unit::Square { mu } | Unit::Cone { mu } | Unit::Spin { mu } => {
                let most = mu * r[i].x.max(0.0);
                [-most, most]
            }
        }
    }

    /// A boxed problem over some unknowns, proximal about a guess of their values.
    fn pose(
        &self,
        unknowns: &[Unknown],
        guess: &[f64],
        bounds: impl Fn(Unknown) -> [f64; 2],
    ) -> Option<BoxedLcp> {
        let entry = |i: usize, j: usize| match (unknowns[i], unknowns[j]) {
            (Unknown::Impulse { at, sign }, Unknown::Impulse { at: by, sign: s }) => {
                let proximal = if at == by { PROXIMAL } else { 0.0 };
                sign * s * (self.a[(3 * at[0] + at[1], 3 * by[0] + by[1])] + proximal)
            }
            (Unknown::Impulse { at, .. }, Unknown::Slip { at: by }) if at == by => 1.0,
            (Unknown::Slip { at }, Unknown::Impulse { at: by, .. }) if at == by => -1.0,
            (Unknown::Slip { at }, Unknown::Impulse { at: [unit, 0], .. }) if at[0] == unit => {
                match self.units[unit] {
                    Unit::Square { mu } => mu,
                    _ => 0.0,
                }
            }
            _ => 0.0,
        };
        let centre = self.collapse(unknowns, guess);
        let offset = |u: &Unknown| match *u {
            Unknown::Impulse { at: [i, k], sign } => {
                sign * (self.free[i][k] - PROXIMAL * centre[i][k])
            }
            Unknown::Slip { .. } => 0.0,
        };
        let n = unknowns.len();
        let q = unknowns.iter().map(offset).collect();
        let (lo, hi) = unknowns
            .iter()
            .map(|u| bounds(*u))
            .map(<[f64; 2]>::into)
            .unzip();
        // Refused only if a number is not finite.
        BoxedLcp::new(Matrix::from_fn(n, n, entry), q, lo, hi).ok()
    }

    /// Impulses of a solution.
    fn collapse(&self, unknowns: &[Unknown], z: &[f64]) -> Vec<DVec3> {
        let mut r = vec![DVec3::ZERO; self.units.len()];
        for (u, z) in unknowns.iter().zip(z) {
            if let Unknown::Impulse { at: [i, k], sign } = *u {
                r[i][k] += sign * z;
            }
        }
        r
    }

    fn is_tangent(&self, [i, k]: [usize; 2]) -> bool {
        k > 0 && !matches!(self.units[i], Unit::Rows { .. })
    }

    /// Lemke's method, from the active set of a guess or from nothing; the impulses and the number of
    /// pivots.
    fn lemke(&self, guess: &[DVec3], warm: bool) -> (Vec<DVec3>, u32) {
        let (mut unknowns, mut z) = (Vec::new(), Vec::new());
        for &at in &self.rows {
            let r = guess[at[0]][at[1]];
            if !self.is_tangent(at) {
                unknowns.push(Unknown::Impulse { at, sign: 1.0 });
                z.push(r);
                continue;
            }
            for sign in [1.0, -1.0] {
                unknowns.push(Unknown::Impulse { at, sign });
                z.push((sign * r).max(0.0));
            }
            let [_, most] = self.bounds(guess, at);
            let slides = most > 0.0 && r.abs() >= most * (1.0 - 1e-9);
            let speed = self.rate(guess, at).abs();
            unknowns.push(Unknown::Slip { at });
            z.push(if slides { speed } else { 0.0 });
        }
        let bounds = |u: Unknown| match u {
            Unknown::Impulse { at, .. } if !self.is_tangent(at) => self.bounds(guess, at),
            _ => [0.0, f64::INFINITY],
        };
        let Some(problem) = self.pose(&unknowns, &z, bounds) else {
            return (guess.to_vec(), 0);
        };
        let found = Method::Lemke.solve_from(&problem, warm.then_some(&z[..]));
        (self.collapse(&unknowns, &found.z), found.iterations)
    }

    /// Principal pivoting between the bounds that given impulses make; new impulses and the number of
    /// rounds.
    fn pivot(&self, r: &[DVec3]) -> (Vec<DVec3>, u32) {
        let sign = 1.0;
        let rows = self.rows.iter();
        let unknowns: Vec<Unknown> = rows.map(|&at| Unknown::Impulse { at, sign }).collect();
        let z: Vec<f64> = self.rows.iter().map(|&[i, k]| r[i][k]).collect();
        let bounds = |u: Unknown| match u {
            Unknown::Impulse { at, .. } | Unknown::Slip { at } => self.bounds(r, at),
        };
        let Some(problem) = self.pose(&unknowns, &z, bounds) else {
            return (r.to_vec(), 0);
        };
        let found = Method::Pivot.solve_from(&problem, Some(&z));
        (self.collapse(&unknowns, &found.z), found.iterations)
    }
}
