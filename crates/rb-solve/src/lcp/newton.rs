//! Damped semismooth Newton on the Fischer–Burmeister function.
//!
//! φ(a, b) = a + b − √(a² + b²) vanishes exactly where 0 ≤ a ⊥ b ≥ 0. Boxes nest it (Billups):
//! `F = φ(z − lo, −φ(hi − z, −w))`. Half its squared norm is smooth, so a line search always has a
//! direction: the Newton step, regularised towards steepest descent where the Jacobian is singular.
//! Sources: A. Fischer, "A special Newton-type optimization method", 1992; S. Billups, "Algorithms
//! for complementarity problems and generalized equations", 1995; T. De Luca, F. Facchinei, C. Kanzow,
//! "A semismooth equation approach to the solution of nonlinear complementarity problems", 1996.

use super::{Attempt, BoxedLcp, End, finish};
use crate::linalg::lu::Lu;
use crate::linalg::matrix::{Matrix, dot};

/// Newton steps from one start, at most.
const STEPS: u32 = 100;
/// Half squared norm below which the active set is read off.
const CLOSE: f64 = 1e-24;
/// Residual of a solved problem of unit size.
const SOLVED: f64 = 1e-12;
/// Remembered merits of the non-monotone line search.
const MEMORY: usize = 6;
/// Halvings of a step, at most.
const HALVINGS: u32 = 40;

/// Solves a problem of about unit size from a guess, if there is one, and several fixed starts.
pub(super) fn solve(p: &BoxedLcp, guess: Option<&[f64]>) -> Attempt {
    let n = p.len();
    let (mut best, mut grade, mut steps) = (p.clamp(&vec![0.0; n]), f64::INFINITY, 0);
    let fixed = [0.0, 1.0, -1.0, 1e2].map(|start| vec![start; n]);
    for start in guess.map(<[f64]>::to_vec).into_iter().chain(fixed) {
        let mut z = p.clamp(&start);
        steps += descend(p, &mut z);
        let z = finish(p, &z);
        let g = p.residual(&z).abs;
        if g < grade {
            (best, grade) = (z, g);
        }
        if grade <= SOLVED {
            break;
        }
    }
    Attempt {
        z: best,
        end: if grade <= SOLVED {
            End::Converged
        } else {
            End::Unmet
        },
        iterations: steps,
        solver: "newton",
    }
}

/// φ and its two derivatives; at the kink, those along a = b > 0.
fn fischer(a: f64, b: f64) -> (f64, f64, f64) {
    let r = libm::hypot(a, b);
    if r == 0.0 {
        let d = 1.0 - core::f64::consts::FRAC_1_SQRT_2;
        return (0.0, d, d);
    }
    // For a, b > 0 the difference cancels; 2ab/(a + b + r) is the same number.
    let value = if a > 0.0 && b > 0.0 {
        2.0 * a * (b / (a + b + r))
    } else {
        a + b - r
    };
    (value, 1.0 - a / r, 1.0 - b / r)
}

/// Fᵢ and its derivatives by zᵢ and wᵢ.
fn row(p: &BoxedLcp, i: usize, z: f64, w: f64) -> (f64, f64, f64) {
    let (below, above) = (z - p.lo[i], p.hi[i] - z);
    match (below.is_finite(), above.is_finite()) {
        (false, false) => (w, 0.0, 1.0),
        (true, false) => fischer(below, w),
        (false, true) => {
            let (f, da, db) = fischer(above, -w);
            (-f, da, db)
        }
        (true, true) => {
            let (g, ga, gb) = fischer(above, -w);
            let (f, fa, fb) = fischer(below, -g);
            (f, fa + fb * ga, fb * gb)
        }
    }
}

/// F and the diagonals of its derivatives by z and w.
struct Linearised {
    f: Vec<f64>,
    by_z: Vec<f64>,
    by_w: Vec<f64>,
}

impl Linearised {
    fn at(p: &BoxedLcp, z: &[f64]) -> Self {
        let n = p.len();
        let (mut f, mut by_z, mut by_w) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        for i in 0..n {
            (f[i], by_z[i], by_w[i]) = row(p, i, z[i], p.rate(i, z));
        }
        Self { f, by_z, by_w }
    }

    fn merit(&self) -> f64 {
        0.5 * dot(&self.f, &self.f)
    }

    fn jacobian(&self, p: &BoxedLcp) -> Matrix {
        Matrix::from_fn(p.len(), p.len(), |i, j| {
            self.by_w[i] * p.m[(i, j)] + if i == j { self.by_z[i] } else { 0.0 }
        })
    }
}

/// Descends from z until the merit is small, stalls or the steps are spent; returns their number.
fn descend(p: &BoxedLcp, z: &mut Vec<f64>) -> u32 {
    let mut at = Linearised::at(p, z);
    let mut memory = vec![at.merit()];
    for k in 0..STEPS {
        let merit = at.merit();
        if merit < CLOSE || !merit.is_finite() {
            return k;
        }
        let jacobian = at.jacobian(p);
        let gradient = jacobian.transposed().apply(&at.f);
        let step = direction(&jacobian, &at.f, &gradient);
        let slope = dot(&gradient, &step);
        let ceiling = memory.iter().fold(0.0f64, |m, &v| m.max(v));
        let mut t = 1.0;
        let mut found = None;
        for _ in 0..HALVINGS {
            let trial: Vec<f64> = z.iter().zip(&step).map(|(z, s)| z + t * s).collect();
            let next = Linearised::at(p, &trial);
            if next.merit() <= ceiling + 1e-4 * t * slope {
                found = Some((trial, next));
                break;
            }
            t *= 0.5;
        }
        let Some((trial, next)) = found else {
            return k;
        };
        (*z, at) = (trial, next);
        memory.push(at.merit());
        if memory.len() > MEMORY {
            memory.remove(0);
        }
    }
    STEPS
}

/// The Newton step if it descends, else the Levenberg–Marquardt step, else steepest descent.
fn direction(jacobian: &Matrix, f: &[f64], gradient: &[f64]) -> Vec<f64> {
    let descends = |d: &[f64]| {
        let (slope, size) = (dot(gradient, d), dot(d, d));
        size.is_finite() && slope <= -1e-10 * libm::pow(size, 1.05)
    };
    let mut newton: Vec<f64> = f.iter().map(|x| -x).collect();
    Lu::new(jacobian.clone()).solve(&mut newton);
    if descends(&newton) {
        return newton;
    }
    let mut normal = jacobian.transposed().times(jacobian);
    let damping = 1e-8 + 1e-3 * dot(f, f).sqrt().min(1.0);
    for i in 0..normal.rows() {
        normal[(i, i)] += damping;
    }
    let mut damped: Vec<f64> = gradient.iter().map(|x| -x).collect();
    Lu::new(normal).solve(&mut damped);
    if descends(&damped) {
        damped
    } else {
        gradient.iter().map(|x| -x).collect()
    }
}
