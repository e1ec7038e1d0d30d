//! Boxed linear complementarity problems: the problem, its certificate and the choice of a solver.
//!
//! ```text
//! w = M z + q,   lo ≤ z ≤ hi,   wᵢ ≥ 0 where zᵢ = lo,  wᵢ ≤ 0 where zᵢ = hi,  wᵢ = 0 between
//! ```
//!
//! M is any real square matrix. lo = 0, hi = ∞ is the classical problem 0 ≤ w ⊥ z ≥ 0; a row without
//! bounds is an equation. In rigid-body problems z are impulses (N·s), w velocities (m/s).
//! Source: R. Cottle, J.-S. Pang, R. Stone, "The Linear Complementarity Problem", 1992.

mod active;
mod auto;
mod newton;
mod scale;
mod sweep;

pub(crate) use active::{Side, correct, finish, sides_at};
pub(crate) use scale::Scaled;

use crate::input::{InputError, check_finite, check_len};
use crate::lemke::{self, Form};
use crate::linalg::accurate;
use crate::linalg::matrix::{Matrix, max_abs};
use crate::pivot;

/// A boxed linear complementarity problem; its data are finite and its bounds in order.
#[derive(Clone, Debug, PartialEq)]
pub struct BoxedLcp {
    m: Matrix,
    q: Vec<f64>,
    lo: Vec<f64>,
    hi: Vec<f64>,
}

impl BoxedLcp {
    /// A problem over `q.len()` unknowns. Bounds may be infinite.
    ///
    /// # Errors
    /// Wrong shapes, numbers that are not finite, bounds that are NaN, out of order, or infinite on
    /// the wrong side; the paths are `M`, `q`, `lo` and `hi`.
    pub fn new(m: Matrix, q: Vec<f64>, lo: Vec<f64>, hi: Vec<f64>) -> Result<Self, InputError> {
        let n = q.len();
        check_len("M", m.rows(), n)?;
        for i in 0..n {
            let path = format!("M[{i}]");
            check_len(&path, m.cols(), n)?;
            check_finite(&path, m.row(i))?;
        }
        check_finite("q", &q)?;
        check_len("lo", lo.len(), n)?;
        check_len("hi", hi.len(), n)?;
        for i in 0..n {
            let ordered = lo[i] <= hi[i] && lo[i] < f64::INFINITY && hi[i] > f64::NEG_INFINITY;
            if !ordered {
                let reason = format!("bounds [{}, {}] hold no number", lo[i], hi[i]);
                return Err(InputError::new(format!("lo[{i}]"), reason));
            }
        }
        Ok(Self { m, q, lo, hi })
    }

    /// The classical problem 0 ≤ w ⊥ z ≥ 0.
    ///
    /// # Errors
    /// As [`BoxedLcp::new`].
    pub fn nonnegative(m: Matrix, q: Vec<f64>) -> Result<Self, InputError> {
        let n = q.len();
        Self::new(m, q, vec![0.0; n], vec![f64::INFINITY; n])
    }

    /// The proximal problem about a centre: M + εI, q − ε centre.
    pub(crate) fn proximal(&self, epsilon: f64, centre: &[f64]) -> Self {
        let mut p = self.clone();
        for (i, c) in centre.iter().enumerate() {
            p.m[(i, i)] += epsilon;
            p.q[i] -= epsilon * c;
        }
        p
    }

    /// Number of unknowns.
    pub fn len(&self) -> usize {
        self.q.len()
    }

    /// Whether there is nothing to solve.
    pub fn is_empty(&self) -> bool {
        self.q.is_empty()
    }

    /// M.
    pub fn matrix(&self) -> &Matrix {
        &self.m
    }

    /// q.
    pub fn offset(&self) -> &[f64] {
        &self.q
    }

    /// Lowest z, row by row.
    pub fn lower(&self) -> &[f64] {
        &self.lo
    }

    /// Highest z, row by row.
    pub fn upper(&self) -> &[f64] {
        &self.hi
    }

    /// Whether row `i` has no bounds.
    pub fn is_free(&self, i: usize) -> bool {
        self.lo[i] == f64::NEG_INFINITY && self.hi[i] == f64::INFINITY
    }

    /// wᵢ, accurate to the last digit.
    pub fn rate(&self, i: usize, z: &[f64]) -> f64 {
        accurate::dot_from(self.q[i], self.m.row(i), z)
    }

    /// z with every entry moved to its nearest admissible value; NaN becomes the value nearest 0.
    pub fn clamp(&self, z: &[f64]) -> Vec<f64> {
        let into = |i: usize, x: f64| {
            if x.is_nan() { 0.0 } else { x }
                .max(self.lo[i])
                .min(self.hi[i])
        };
        z.iter().enumerate().map(|(i, &x)| into(i, x)).collect()
    }

    /// The certificate: how far z is from solving the problem.
    ///
    /// Natural map e = z − clamp(z − w, lo, hi), evaluated as the median of (z − lo, z − hi, w), which
    /// is the same number without the cancellation. A point that is not finite grades as infinite.
    pub fn residual(&self, z: &[f64]) -> Residual {
        let e: Vec<f64> = (0..self.len())
            .map(|i| natural(z[i] - self.lo[i], z[i] - self.hi[i], self.rate(i, z)))
            .collect();
        let abs = max_abs(&e);
        Residual {
            abs,
            relative: abs / (1.0 + max_abs(&self.q)),
        }
    }
}

/// Median of (above, below, w) for above ≥ below.
pub(crate) fn natural(above: f64, below: f64, w: f64) -> f64 {
    if above.is_nan() || below.is_nan() || w.is_nan() {
        f64::NAN
    } else {
        below.max(above.min(w))
    }
}

/// Grade of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residual {
    /// max |e|, in the units of z and w.
    pub abs: f64,
    /// max |e| / (1 + max |q|).
    pub relative: f64,
}

/// How a solver stopped, by its own account; the certificate decides.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// By its own criterion.
    Converged,
    /// On proof or strong evidence that there is no solution: along the ray z + t·ray, t ≥ 0, some
    /// rows only get worse. The ray is empty if equations contradict each other.
    NoSolution {
        /// Direction in the space of z.
        ray: Vec<f64>,
    },
    /// Out of iterations or of digits.
    Unmet,
}

/// What a solver found.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// Best point.
    pub z: Vec<f64>,
    /// How it stopped.
    pub end: End,
    /// Pivots, rounds, sweeps or Newton steps.
    pub iterations: u32,
    /// Which solver it was.
    pub solver: &'static str,
}

/// Solvers of boxed complementarity problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Principal pivoting, then Lemke, then Newton, until the certificate is met.
    Auto,
    /// Projected Gauss–Seidel with subspace minimisation; for positive diagonals.
    Sweep,
    /// Lemke's method on the compact expansion, two unknowns per box.
    Lemke,
    /// Lemke's method on the expansion into four unknowns per box; bounds must contain 0.
    LemkeSplit,
    /// Bounded principal pivoting; for P-matrices and positive semidefinite ones.
    Pivot,
    /// Damped Newton on the Fischer–Burmeister function; for P₀-matrices.
    Newton,
}

impl Method {
    /// Every method, the automatic choice first.
    pub const ALL: [Self; 6] = [
        Self::Auto,
        Self::Pivot,
        Self::Lemke,
        Self::LemkeSplit,
        Self::Newton,
        Self::Sweep,
    ];

    /// Name for reports and command lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Sweep => "pgs",
            Self::Lemke => "lemke",
            Self::LemkeSplit => "lemke4",
            Self::Pivot => "pivot",
            Self::Newton => "newton",
        }
    }

    /// Solves a problem from a cold start.
    pub fn solve(self, problem: &BoxedLcp) -> Attempt {
        self.solve_from(problem, None)
    }

    /// Solves a problem from a guess of z, if there is one: its active set is where pivoting starts,
    /// its value where sweeps and Newton do. [`Method::LemkeSplit`] always starts cold.
    pub fn solve_from(self, problem: &BoxedLcp, guess: Option<&[f64]>) -> Attempt {
        let start = guess.map(|z| problem.clamp(z));
        let start = start.as_deref();
        let scaled = Scaled::new(problem);
        let guess = start.map(|z| scaled.scale(z));
        let guess = guess.as_deref();
        let p = &scaled.problem;
        let attempt = match self {
            Self::Auto => return auto::solve(problem, &scaled, start),
            Self::Pivot => pivot::solve(p, guess),
            Self::Sweep => sweep::solve(p, guess),
            Self::Lemke => lemke::solve(p, Form::Compact, guess),
            Self::LemkeSplit => lemke::solve(p, Form::Split, None),
            Self::Newton => newton::solve(p, guess),
        };
        scaled.restore(problem, attempt)
    }
}
