//! Frictional contact between dense operators, as posed and in mass-scaled units.

use super::certificate::FrictionLaw;
use super::coupling::{Coupling, Delassus};
use super::unit::Unit;
use crate::input::{InputError, check_finite, check_len};
use crate::linalg::lu::{Lu, RankLu};
use crate::linalg::matrix::{Matrix, axpy, max_abs};
use glam::DVec3;

/// Contacts in impulse space: u = W r + q (m/s), r in N·s, three rows (n, t₁, t₂) per contact.
///
/// The numbers are finite, friction coefficients not negative.
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionProblem {
    w: Matrix,
    q: Vec<f64>,
    mu: Vec<f64>,
}

impl FrictionProblem {
    /// Contacts with Delassus matrix `w` (1/kg), free velocity `q` (m/s) and coefficients `mu`.
    ///
    /// # Errors
    /// Wrong shapes, numbers that are not finite, negative μ; the paths are `W`, `q` and `mu`.
    pub fn new(w: Matrix, q: Vec<f64>, mu: Vec<f64>) -> Result<Self, InputError> {
        let n = 3 * mu.len();
        check_len("q", q.len(), n)?;
        check_len("W", w.rows(), n)?;
        check_len("W", w.cols(), n)?;
        check_finite("W", w.entries())?;
        check_finite("q", &q)?;
        check_finite("mu", &mu)?;
        if let Some(i) = mu.iter().position(|m| *m < 0.0) {
            return Err(InputError::new(format!("mu[{i}]"), "must not be negative"));
        }
        Ok(Self { w, q, mu })
    }

    /// Contacts in the plane, two rows (n, t) each. A second tangent is added that moves nothing and
    /// is moved by nothing, so that its impulse is zero and all else is as in the plane.
    ///
    /// # Errors
    /// As [`FrictionProblem::new`].
    pub fn planar(w: &Matrix, q: &[f64], mu: Vec<f64>) -> Result<Self, InputError> {
        let n = 2 * mu.len();
        check_len("q", q.len(), n)?;
        check_len("W", w.rows(), n)?;
        check_len("W", w.cols(), n)?;
        let flat = |i: usize| (i % 3 < 2).then_some(2 * (i / 3) + i % 3);
        let entry = |i: usize, j: usize| match (flat(i), flat(j)) {
            (Some(a), Some(b)) => w[(a, b)],
            (None, None) if i == j => {
                let n = 2 * (i / 3);
                0.5 * (w[(n, n)] + w[(n + 1, n + 1)])
            }
            _ => 0.0,
        };
        let rows = 3 * mu.len();
        let q = (0..rows).map(|i| flat(i).map_or(0.0, |k| q[k])).collect();
        Self::new(Matrix::from_fn(rows, rows, entry), q, mu)
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.mu.len()
    }

    /// Whether there is nothing to solve.
    pub fn is_empty(&self) -> bool {
        self.mu.is_empty()
    }

    /// W.
    pub fn matrix(&self) -> &Matrix {
        &self.w
    }

    /// q.
    pub fn free_velocity(&self) -> &[f64] {
        &self.q
    }

    /// Friction coefficients.
    pub fn mu(&self) -> &[f64] {
        &self.mu
    }

    /// Mean diagonal of the block of each contact (1/kg): its scale a = 1/ρ. Contacts that move
    /// nothing get the largest scale of the others, or 1.
    pub fn scales(&self) -> Vec<f64> {
        let mean = |i: usize| (3 * i..3 * i + 3).map(|k| self.w[(k, k)]).sum::<f64>() / 3.0;
        let a: Vec<f64> = (0..self.len()).map(mean).collect();
        let largest = a.iter().fold(0.0f64, |m, v| m.max(*v));
        let spare = if largest > 0.0 { largest } else { 1.0 };
        a.into_iter()
            .map(|v| if v > 1e-14 * spare { v } else { spare })
            .collect()
    }
}

/// Contacts with their bodies: M v = H r + f, u = Hᵀ v + w.
#[derive(Clone, Debug, PartialEq)]
pub struct GlobalFrictionProblem {
    /// M (kg), `dof × dof`.
    pub m: Matrix,
    /// H, `dof × 3 nc`.
    pub h: Matrix,
    /// f (N·s): impulses of all other forces and momentum before.
    pub f: Vec<f64>,
    /// w (m/s).
    pub w: Vec<f64>,
    /// Friction coefficients.
    pub mu: Vec<f64>,
}

/// A global problem with its bodies eliminated.
#[derive(Clone, Debug)]
pub struct Condensed {
    /// W = Hᵀ M⁻¹ H, q = Hᵀ M⁻¹ f + w.
    pub problem: FrictionProblem,
    factor: Lu,
}

impl GlobalFrictionProblem {
    /// The problem in impulse space.
    ///
    /// # Errors
    /// Wrong shapes, numbers that are not finite, a singular M; paths `M`, `H`, `f`, `w`, `mu`.
    pub fn condense(&self) -> Result<Condensed, InputError> {
        let (dof, n) = (self.f.len(), 3 * self.mu.len());
        for (path, found, expected) in [
            ("M", self.m.rows(), dof),
            ("M", self.m.cols(), dof),
            ("H", self.h.rows(), dof),
            ("H", self.h.cols(), n),
            ("w", self.w.len(), n),
        ] {
            check_len(path, found, expected)?;
        }
        check_finite("M", self.m.entries())?;
        check_finite("H", self.h.entries())?;
        check_finite("f", &self.f)?;
        let factor = Lu::new(self.m.clone());
        let regular = factor.smallest_pivot() > 0.0
            && (factor.smallest_pivot() > 1e-14
                || RankLu::new(self.m.clone(), 1e-300).rank() == dof);
        if !regular {
            return Err(InputError::new("M", "is singular"));
        }
        let ht = self.h.transposed();
        let mut columns = ht.clone();
        for i in 0..n {
            factor.solve(columns.row_mut(i));
        }
        let w = Matrix::from_fn(n, n, |i, j| {
            crate::linalg::matrix::dot(ht.row(i), columns.row(j))
        });
        let mut free = self.f.clone();
        factor.solve(&mut free);
        let mut q = ht.apply(&free);
        axpy(&mut q, 1.0, &self.w);
        let problem = FrictionProblem::new(w, q, self.mu.clone())?;
        Ok(Condensed { problem, factor })
    }

    /// Velocities v of impulses r, refined on the original M.
    pub fn velocities(&self, condensed: &Condensed, r: &[f64]) -> Vec<f64> {
        let mut v = self.h.apply(r);
        axpy(&mut v, 1.0, &self.f);
        let impulse = v.clone();
        condensed.factor.solve(&mut v);
        for _ in 0..2 {
            let mut defect = impulse.clone();
            axpy(&mut defect, -1.0, &self.m.apply(&v));
            condensed.factor.solve(&mut defect);
            axpy(&mut v, 1.0, &defect);
        }
        v
    }
}

/// A problem in mass-scaled, unit-sized variables: λ̂ = √a r/σ, ŵ = u/(√a σ), both of one unit.
///
/// Cones keep their shape, and one κ serves all contacts.
pub struct ConeProblem<C> {
    /// A of ŵ = A λ̂ + c.
    pub coupling: C,
    /// c.
    pub free: Vec<DVec3>,
    /// What each three rows may carry.
    pub units: Vec<Unit>,
}

impl<C: Coupling> ConeProblem<C> {
    /// ŵ of impulses λ̂.
    pub fn velocity(&self, impulse: &[DVec3]) -> Vec<DVec3> {
        let mut u = self.free.clone();
        self.coupling.apply(impulse, &mut u);
        u
    }

    /// Largest natural map over the largest impulse; infinite if anything is not a number.
    pub fn natural_map(&self, impulse: &[DVec3], law: FrictionLaw) -> f64 {
        self.natural_map_at(impulse, &self.velocity(impulse), law)
    }

    /// The same where the velocities are known that the impulses make.
    pub(super) fn natural_map_at(
        &self,
        impulse: &[DVec3],
        velocity: &[DVec3],
        law: FrictionLaw,
    ) -> f64 {
        let (mut worst, mut size) = (0.0f64, f64::MIN_POSITIVE);
        for ((r, u), unit) in impulse.iter().zip(velocity).zip(&self.units) {
            let step = *r - unit.lifted(law, *u);
            let e = (*r - unit.project(step)).length();
            worst = if e.is_nan() {
                f64::INFINITY
            } else {
                worst.max(e)
            };
            size = size.max(r.length());
        }
        if size.is_finite() {
            worst / size
        } else {
            f64::INFINITY
        }
    }
}

/// Moves impulses to the nearest admissible ones.
pub(super) fn project(impulse: &mut [DVec3], units: &[Unit]) {
    for (r, unit) in impulse.iter_mut().zip(units) {
        *r = unit.project(*r);
    }
}

/// A scaled problem and the way back.
pub(super) struct Scaled {
    pub(super) problem: ConeProblem<Delassus>,
    /// r = unit λ̂, contact by contact.
    unit: Vec<f64>,
    /// σ².
    pub(super) energy: f64,
}

impl Scaled {
    pub(super) fn new(p: &FrictionProblem) -> Self {
        let root: Vec<f64> = p.scales().iter().map(|a| a.sqrt()).collect();
        let n = p.q.len();
        let free: Vec<f64> = (0..n).map(|k| p.q[k] / root[k / 3]).collect();
        let largest = max_abs(&free);
        let sigma = if largest > 0.0 { largest } else { 1.0 };
        let a = Matrix::from_fn(n, n, |i, j| p.w[(i, j)] / (root[i / 3] * root[j / 3]));
        let problem = ConeProblem {
            coupling: Delassus::new(a),
            free: triples(&free).map(|c| c / sigma).collect(),
            units: p.mu.iter().map(|&mu| Unit::Cone { mu }).collect(),
        };
        Self {
            problem,
            unit: root.iter().map(|r| sigma / r).collect(),
            energy: sigma * sigma,
        }
    }

    /// r of λ̂.
    pub(super) fn unscale(&self, impulse: &[DVec3]) -> Vec<f64> {
        let each = impulse.iter().zip(&self.unit);
        each.flat_map(|(l, unit)| (*l * *unit).to_array()).collect()
    }
}

/// Consecutive triples of numbers.
pub(super) fn triples(x: &[f64]) -> impl Iterator<Item = DVec3> + '_ {
    x.chunks_exact(3).map(DVec3::from_slice)
}
