//! The certificate of friction problems: natural maps of the exact law, outside every solver.
//!
//! With the lift ũ = u + μ‖u_t‖ e_n (none for the convex law) and ρ > 0, the law holds at a contact
//! exactly if `r = Π_K(r − ρ ũ)`. ρ = 1/a, a the mean diagonal of the contact's block of W, makes the
//! map free of units; in mass-scaled variables it is rb-core's residual. Velocities are computed here
//! from the impulses, with accurate sums. Sources: G. de Saxcé, Z.-Q. Feng, "The bipotential method",
//! 1998; V. Acary, M. Brémond, O. Huber, "On solving contact problems with Coulomb friction", 2018.

use super::problem::{FrictionProblem, GlobalFrictionProblem, triples};
use crate::linalg::accurate::{Accurate, dot_from};
use crate::linalg::matrix::max_abs;
use glam::DVec3;
use rb_core::law::Law as Cone;

/// What sliding does to the normal law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionLaw {
    /// Coulomb's law, exactly: sliding does not lift.
    #[default]
    Coulomb,
    /// Its convex relaxation: a contact sliding at ‖u_t‖ opens at u_n = μ‖u_t‖. Always solvable where
    /// Coulomb's is, and unique in u. Source: M. Anitescu, "Optimization-based simulation of
    /// nonsmooth rigid multibody dynamics", 2006.
    Convex,
}

impl FrictionLaw {
    /// Name for reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Coulomb => "coulomb",
            Self::Convex => "convex",
        }
    }

    /// The velocity that is complementary to the impulse.
    pub(super) fn lifted(self, mu: f64, u: DVec3) -> DVec3 {
        match self {
            Self::Coulomb => u + DVec3::X * (mu * super::cone::tail(u).length()),
            Self::Convex => u,
        }
    }
}

/// Grade of impulses, and of velocities if the problem has them. Impulses that are not finite grade as
/// infinite, and so do those beside which the free velocities vanish by rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// Natural map with ρ = 1/a over max ‖r‖; unit-free. What solvers are compared by.
    pub scaled: f64,
    /// Natural map in mass-scaled variables over the largest scaled impulse or free velocity;
    /// unit-free. rb-core's relative grade.
    pub relative: f64,
    /// Natural map with ρ = 1 (mixed units): for comparison with published figures.
    pub plain: f64,
    /// Largest distance outside the cone, max(‖r_t‖ − μ r_n, −r_n), over max ‖r‖.
    pub cone: f64,
    /// max |M v − H r − f| over the largest term; 0 if there are no velocities.
    pub momentum: f64,
}

/// Largest scaled impulse per scaled free velocity. Along a direction that moves nothing impulses can
/// grow without end, and any miss is small beside them; from here on not even a free velocity shows in
/// W r + q.
const LOST: f64 = 1e15;

impl Residual {
    /// Of impulses that solve nothing.
    const WORST: Self = Self {
        scaled: f64::INFINITY,
        relative: f64::INFINITY,
        plain: f64::INFINITY,
        cone: f64::INFINITY,
        momentum: 0.0,
    };

    /// Whether the law holds to `tolerance`, the cone to rounding and the momentum too.
    pub fn meets(&self, tolerance: f64) -> bool {
        self.scaled <= tolerance && self.cone <= 1e-12 && self.momentum <= tolerance
    }
}

impl FrictionProblem {
    /// Grades impulses r, three per contact.
    pub fn residual(&self, r: &[f64], law: FrictionLaw) -> Residual {
        let u: Vec<f64> = (0..r.len())
            .map(|i| dot_from(self.free_velocity()[i], self.matrix().row(i), r))
            .collect();
        grade(self, r, &u, law)
    }
}

impl GlobalFrictionProblem {
    /// Grades impulses and velocities; u comes from v, and v has to balance the momentum.
    /// `condensed` is this problem in impulse space.
    pub fn residual(
        &self,
        condensed: &FrictionProblem,
        v: &[f64],
        r: &[f64],
        law: FrictionLaw,
    ) -> Residual {
        let ht = self.h.transposed();
        let u: Vec<f64> = (0..r.len())
            .map(|i| dot_from(self.w[i], ht.row(i), v))
            .collect();
        let (mut defect, mut size) = (Vec::new(), f64::MIN_POSITIVE);
        for i in 0..v.len() {
            let mut sum = Accurate::new(-self.f[i]);
            size = size.max(self.f[i].abs());
            for (a, x) in self.m.row(i).iter().zip(v) {
                sum.add_product(*a, *x);
                size = size.max((a * x).abs());
            }
            for (a, x) in self.h.row(i).iter().zip(r) {
                sum.add_product(-a, *x);
            }
            defect.push(sum.value());
        }
        Residual {
            momentum: max_abs(&defect) / size,
            ..grade(condensed, r, &u, law)
        }
    }
}

fn grade(p: &FrictionProblem, r: &[f64], u: &[f64], law: FrictionLaw) -> Residual {
    let (mut out, mut r_max) = (Residual::default(), 0.0f64);
    let (mut r_scaled, mut free_scaled) = (0.0f64, 0.0f64);
    let scales = p.scales();
    let contacts = triples(r).zip(triples(u)).zip(triples(p.free_velocity()));
    for (i, ((r, u), free)) in contacts.enumerate() {
        let (mu, a) = (p.mu()[i], scales[i]);
        let lifted = law.lifted(mu, u);
        let miss = |rho: f64| (r - Cone::Cone { mu }.project(r - lifted * rho)).length();
        let (e, plain) = (miss(1.0 / a), miss(1.0));
        let outside = (super::cone::tail(r).length() - mu * r.x).max(-r.x);
        // NaN has to show as the worst grade, not to vanish in a maximum.
        if !(e.is_finite() && plain.is_finite() && outside.is_finite()) {
            return Residual::WORST;
        }
        let root = a.sqrt();
        out.scaled = out.scaled.max(e);
        out.relative = out.relative.max(e * root);
        out.plain = out.plain.max(plain);
        out.cone = out.cone.max(outside);
        r_max = r_max.max(r.length());
        r_scaled = r_scaled.max(r.length() * root);
        free_scaled = free_scaled.max(free.length() / root);
    }
    let lost = free_scaled > 0.0 && r_scaled > LOST * free_scaled;
    if lost || !r_max.is_finite() {
        return Residual::WORST;
    }
    // Without impulses there is nothing to be relative to but what would stop the free motion.
    let reference = if r_max > 0.0 {
        r_max
    } else {
        let stop = |(c, a): (DVec3, &f64)| c.length() / a;
        triples(p.free_velocity())
            .zip(&scales)
            .map(stop)
            .fold(f64::MIN_POSITIVE, f64::max)
    };
    out.scaled /= reference;
    out.cone = out.cone.max(0.0) / reference;
    out.relative /= r_scaled.max(free_scaled).max(f64::MIN_POSITIVE);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::matrix::Matrix;

    /// Two contacts that slide and press against each other: the convex law wants both to open, which
    /// no impulse does, and along (1, −1, 0) of both nothing moves.
    #[test]
    fn impulses_without_end_are_no_solution() {
        let normals = [1.0, 0.0, 0.0, -1.0, 0.0, 0.0];
        let w = Matrix::from_fn(6, 6, |i, j| normals[i] * normals[j]);
        let q = vec![0.0, 1.0, 0.0, 0.0, 1.0, 0.0];
        let p = FrictionProblem::new(w, q, vec![1.0; 2]).expect("valid");
        for size in [1e20, 1e120, 1e160, 1e300, f64::INFINITY] {
            let r = [size, -size, 0.0, size, -size, 0.0];
            let grade = p.residual(&r, FrictionLaw::Convex);
            assert_eq!(grade.scaled, f64::INFINITY, "{size}");
        }
    }
}
