//! One contact of the interior point: its variables, their linearisation and its elimination.
//!
//! Four-variable form (Howell et al.): γ impulse and s velocity of the normal law, β = (μγ, r_t) and
//! η = (η₁, u_t) of maximum dissipation; η₁ → ‖u_t‖ by itself, so that no norm is differentiated:
//!
//! ```text
//! γ s = κ,   β ∘ η = κ e,   u_n = σ s + (1 − t) μ η₁     t = 1 Coulomb, t = 0 convex
//! ```
//!
//! σ is the share of the normal condition in κ: 1 on the way to a solution, 1/h for smooth contact,
//! whose γ φ⁺ = κ is a gap's and not a velocity's, 0 where u_n = 0 is an equation, s then being a mere
//! barrier of γ.
//!
//! Source: T. Howell, S. Le Cleac'h, J. Brüdigam, Z. Kolter, M. Schwager, Z. Manchester, "Dojo: a
//! differentiable physics engine for robotics", 2022.

use super::cone::{eigenvalues, join, product, step_to_boundary, step_to_zero, tail};
use glam::{DMat2, DMat3, DVec2, DVec3};

/// Variables of a contact, all strictly inside; also a direction in them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pair {
    pub(super) gamma: f64,
    pub(super) s: f64,
    pub(super) beta: DVec3,
    pub(super) eta: DVec3,
}

/// Right-hand side of the two complementarity conditions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) normal: f64,
    pub(super) cone: DVec3,
}

impl Pair {
    /// The interior point of γ and s with η₁ such that β₁ η₁ = γ s, and no tangential part.
    pub(super) fn centred(mu: f64, gamma: f64, s: f64) -> Self {
        Self {
            gamma,
            s,
            beta: DVec3::X * (mu * gamma),
            eta: DVec3::X * (s / mu),
        }
    }

    /// (r_n, r_t).
    pub(super) fn impulse(&self) -> DVec3 {
        join(self.gamma, tail(self.beta))
    }

    /// γ s + β·η: twice κ on the central path.
    pub(super) fn gap(&self) -> f64 {
        self.gamma * self.s + self.beta.dot(self.eta)
    }

    /// The step α along `d`.
    pub(super) fn moved(&self, d: &Self, alpha: f64) -> Self {
        Self {
            gamma: self.gamma + alpha * d.gamma,
            s: self.s + alpha * d.s,
            beta: self.beta + d.beta * alpha,
            eta: self.eta + d.eta * alpha,
        }
    }

    /// Largest step ≤ 1 that stays inside.
    pub(super) fn step_limit(&self, d: &Self) -> f64 {
        step_to_zero(self.gamma, d.gamma)
            .min(step_to_zero(self.s, d.s))
            .min(step_to_boundary(self.beta, d.beta))
            .min(step_to_boundary(self.eta, d.eta))
    }

    /// Smallest complementarity product: κ on the central path, 0 at the boundary.
    pub(super) fn centrality(&self) -> f64 {
        let ((bl, bh), (el, eh)) = (eigenvalues(self.beta), eigenvalues(self.eta));
        (self.gamma * self.s).min(bl * eh).min(bh * el)
    }

    /// What a Newton step towards κ has to add, less the given second-order term.
    pub(super) fn towards(&self, kappa: f64, second: &Target) -> Target {
        Target {
            normal: kappa - self.gamma * self.s - second.normal,
            cone: DVec3::X * kappa - product(self.beta, self.eta) - second.cone,
        }
    }

    /// The second-order term of a step.
    pub(super) fn second_order(&self, weight: f64) -> Target {
        Target {
            normal: weight * self.gamma * self.s,
            cone: product(self.beta, self.eta) * weight,
        }
    }
}

/// By how much the linear conditions of a contact are missed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Miss {
    /// u_n − σ s − (1 − t) μ η₁.
    pub(super) normal: f64,
    /// μ γ − β₁.
    pub(super) cone: f64,
    /// u_t − η_t.
    pub(super) slip: DVec2,
}

impl Miss {
    pub(super) fn size(&self) -> f64 {
        self.normal
            .abs()
            .max(self.cone.abs())
            .max(self.slip.abs().max_element())
    }
}

/// The contact with everything but its impulse eliminated: δu = k − D δr.
///
/// ```text
/// P = β₁ I − β_t β_tᵀ/β₁,   E = P⁻¹(η₁ I − β_t η_tᵀ/β₁),   f = P⁻¹(η_t − β_t η₁/β₁)
/// δη_t = h − E δβ_t − μ f δγ,      δη₁ = e₀ + e_γ δγ + e_β·δβ_t,      δs = (c − s δγ)/γ
/// ```
#[derive(Clone, Copy, Debug)]
pub(super) struct Elimination {
    pair: Pair,
    mu: f64,
    /// (1 − t) μ.
    lift: f64,
    /// σ.
    share: f64,
    inverse: DMat2,
    e: DMat2,
    f: DVec2,
    e_gamma: f64,
    e_beta: DVec2,
}

impl Elimination {
    pub(super) fn new(pair: Pair, mu: f64, lift: f64, share: f64) -> Self {
        let (b1, bt) = (pair.beta.x, tail(pair.beta));
        let (h1, ht) = (pair.eta.x, tail(pair.eta));
        let (low, high) = eigenvalues(pair.beta);
        let inverse = (DMat2::IDENTITY + outer(bt, bt) / (low * high)) / b1;
        let e = inverse * (DMat2::IDENTITY * h1 - outer(bt, ht) / b1);
        let f = inverse * (ht - bt * (h1 / b1));
        Self {
            pair,
            mu,
            lift,
            share,
            inverse,
            e,
            f,
            e_gamma: mu * (bt.dot(f) - h1) / b1,
            e_beta: (e.transpose() * bt - ht) / b1,
        }
    }

    /// What the linear conditions are missed by, with velocity u.
    pub(super) fn miss(&self, u: DVec3) -> Miss {
        let pair = &self.pair;
        Miss {
            normal: u.x - self.share * pair.s - self.lift * pair.eta.x,
            cone: self.mu * pair.gamma - pair.beta.x,
            slip: tail(u) - tail(pair.eta),
        }
    }

    /// D.
    pub(super) fn matrix(&self) -> DMat3 {
        let nn = self.share * self.pair.s / self.pair.gamma - self.lift * self.e_gamma;
        let nt = self.e_beta * -self.lift;
        let mut d = super::newton::block(nn, self.f * self.mu, self.e);
        d.y_axis.x = nt.x;
        d.z_axis.x = nt.y;
        d
    }

    /// h and e₀ of a right-hand side.
    fn constants(&self, c: &Target, miss: &Miss) -> (DVec2, f64) {
        let (b1, bt) = (self.pair.beta.x, tail(self.pair.beta));
        let h = self.inverse * (tail(c.cone) - bt * (c.cone.x / b1)) - self.f * miss.cone;
        (h, (c.cone.x - self.pair.eta.x * miss.cone - bt.dot(h)) / b1)
    }

    /// k.
    pub(super) fn rhs(&self, c: &Target, miss: &Miss) -> DVec3 {
        let (h, e0) = self.constants(c, miss);
        let normal = self.share * c.normal / self.pair.gamma - miss.normal + self.lift * e0;
        join(normal, h - miss.slip)
    }

    /// The step of all variables from those of impulse and velocity.
    pub(super) fn expand(&self, c: &Target, miss: &Miss, dr: DVec3, du: DVec3) -> Pair {
        let (_, e0) = self.constants(c, miss);
        let e1 = e0 + self.e_gamma * dr.x + self.e_beta.dot(tail(dr));
        let s = if self.share > 0.0 {
            (du.x + miss.normal - self.lift * e1) / self.share
        } else {
            (c.normal - self.pair.s * dr.x) / self.pair.gamma
        };
        Pair {
            gamma: dr.x,
            s,
            beta: join(self.mu * dr.x + miss.cone, tail(dr)),
            eta: join(e1, tail(du) + miss.slip),
        }
    }
}

fn outer(a: DVec2, b: DVec2) -> DMat2 {
    DMat2::from_cols(a * b.x, a * b.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Inside the cone, by `margin` from its boundary.
    fn inside([x, y]: [f64; 2], margin: f64) -> DVec3 {
        let t = DVec2::new(x, y);
        join(t.length() + margin, t)
    }

    proptest! {
        /// The eliminated step satisfies the linearised conditions it was derived from, up to points a millionth
        /// from the boundary; what is lost there is rounding over that distance.
        #[test]
        fn elimination_solves_the_linearisation(
            x in prop::array::uniform6(-1.0..1.0f64),
            y in prop::array::uniform6(-1.0..1.0f64),
            depth in prop::array::uniform2(0.0..6.0f64),
            t in 0.0..1.0f64,
        ) {
            let mu = 0.7;
            let margins = depth.map(|d| 10f64.powf(-d));
            let pair = Pair {
                gamma: 1.5 + x[0],
                s: 1.2 + x[1],
                beta: inside([x[2], x[3]], margins[0]),
                eta: inside([x[4], x[5]], margins[1]),
            };
            let bound = 1e-13 / margins[0];
            let lift = (1.0 - t) * mu;
            let u = DVec3::new(y[0], y[1], y[2]);
            let share = 1.0 + 2.0 * t;
            let elimination = Elimination::new(pair, mu, lift, share);
            let miss = elimination.miss(u);
            let c = pair.towards(0.3, &Target { normal: 0.1, cone: DVec3::new(0.2, -0.1, 0.3) });
            let dr = DVec3::new(y[3], y[4], y[5]);
            let du = elimination.rhs(&c, &miss) - elimination.matrix() * dr;
            let d = elimination.expand(&c, &miss, dr, du);
            let cone = product(pair.beta, d.eta) + product(d.beta, pair.eta) - c.cone;
            let normal = pair.s * d.gamma + pair.gamma * d.s - c.normal;
            prop_assert!(cone.abs().max_element() < bound, "{cone}");
            prop_assert!(normal.abs() < bound, "{normal}");
            let moved = Elimination::new(pair.moved(&d, 1.0), mu, lift, share);
            prop_assert!(moved.miss(u + du).size() < bound);
        }
    }
}
