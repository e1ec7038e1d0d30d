//! One unit with flat sides in the interior point: independent bounded rows, or a square of friction.
//!
//! Slack g of each side, its multiplier y, and the velocity they make up:
//!
//! ```text
//! gᵢ = aᵢ·r + bᵢ,   gᵢ yᵢ = κ,   u = Σ wᵢ yᵢ
//! ```
//!
//! w = a for a convex set. Coulomb's square has w without the normal component on its edges: the
//! bound moves with r_n, but sliding does not lift.

use super::certificate::FrictionLaw;
use super::cone::step_to_zero;
use super::inner::Form;
use super::unit::{EDGES, Unit, tangential};
use glam::{DMat3, DVec3};

/// Sides of a unit, at most.
pub(super) const MOST: usize = 6;

/// Geometry of a unit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facets {
    a: [DVec3; MOST],
    w: [DVec3; MOST],
    b: [f64; MOST],
    len: usize,
}

/// Variables of a unit, all g and y strictly positive; also a direction in them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flat {
    pub(super) r: DVec3,
    g: [f64; MOST],
    y: [f64; MOST],
    len: usize,
}

impl Facets {
    pub(super) fn rows(lo: DVec3, hi: DVec3, share: f64) -> Self {
        let mut f = Self::default();
        for (k, axis) in DVec3::AXES.into_iter().enumerate() {
            let two_sided = lo[k] > f64::NEG_INFINITY && hi[k] < f64::INFINITY;
            let weight = if two_sided { 1.0 } else { share };
            if lo[k] > f64::NEG_INFINITY {
                f.push(axis, axis * weight, -lo[k]);
            }
            if hi[k] < f64::INFINITY {
                f.push(-axis, -axis * weight, hi[k]);
            }
        }
        f
    }

    pub(super) fn square(mu: f64, form: Form) -> Self {
        let mut f = Self::default();
        f.push(DVec3::X, DVec3::X * form.share, 0.0);
        for (t, side) in EDGES {
            let edge = tangential(t * -side);
            let a = DVec3::X * mu + edge;
            let w = match form.law {
                FrictionLaw::Coulomb => edge,
                FrictionLaw::Convex => a,
            };
            f.push(a, w, 0.0);
        }
        f
    }

    fn push(&mut self, a: DVec3, w: DVec3, b: f64) {
        (self.a[self.len], self.w[self.len], self.b[self.len]) = (a, w, b);
        self.len += 1;
    }

    /// The point of the central path at an impulse strictly inside.
    pub(super) fn at(&self, r: DVec3, kappa: f64) -> Flat {
        let mut flat = Flat {
            r,
            len: self.len,
            ..Flat::default()
        };
        for i in 0..self.len {
            flat.g[i] = self.a[i].dot(r) + self.b[i];
            flat.y[i] = kappa / flat.g[i];
        }
        flat
    }

    /// u − Σ w y.
    pub(super) fn miss(&self, flat: &Flat, u: DVec3) -> DVec3 {
        (0..self.len).fold(u, |miss, i| miss - self.w[i] * flat.y[i])
    }

    /// D of δu = k − D δr.
    pub(super) fn matrix(&self, flat: &Flat) -> DMat3 {
        let mut d = DMat3::ZERO;
        for i in 0..self.len {
            let w = self.w[i] * (flat.y[i] / flat.g[i]);
            let a = self.a[i];
            d += DMat3::from_cols(w * a.x, w * a.y, w * a.z);
        }
        d
    }

    /// k, for right-hand sides c of the complementarity conditions.
    pub(super) fn rhs(&self, flat: &Flat, c: &[f64; MOST], miss: DVec3) -> DVec3 {
        (0..self.len).fold(-miss, |k, i| k + self.w[i] * (c[i] / flat.g[i]))
    }

    /// The step of all variables from that of the impulse.
    pub(super) fn expand(&self, flat: &Flat, c: &[f64; MOST], dr: DVec3) -> Flat {
        let mut d = Flat {
            r: dr,
            len: self.len,
            ..Flat::default()
        };
        for i in 0..self.len {
            d.g[i] = self.a[i].dot(dr);
            d.y[i] = (c[i] - flat.y[i] * d.g[i]) / flat.g[i];
        }
        d
    }
}

impl Flat {
    /// Σ g y and the number of products.
    pub(super) fn gap(&self) -> (f64, usize) {
        let sum = (0..self.len).map(|i| self.g[i] * self.y[i]).sum();
        (sum, self.len)
    }

    pub(super) fn moved(&self, d: &Self, alpha: f64) -> Self {
        let mut next = *self;
        next.r += d.r * alpha;
        for i in 0..self.len {
            next.g[i] += alpha * d.g[i];
            next.y[i] += alpha * d.y[i];
        }
        next
    }

    pub(super) fn step_limit(&self, d: &Self) -> f64 {
        (0..self.len).fold(1.0, |a: f64, i| {
            a.min(step_to_zero(self.g[i], d.g[i]))
                .min(step_to_zero(self.y[i], d.y[i]))
        })
    }

    pub(super) fn centrality(&self) -> f64 {
        (0..self.len).fold(f64::INFINITY, |m, i| m.min(self.g[i] * self.y[i]))
    }

    /// κ − g y less second-order terms.
    pub(super) fn towards(&self, kappa: f64, second: &[f64; MOST]) -> [f64; MOST] {
        core::array::from_fn(|i| {
            if i < self.len {
                kappa - self.g[i] * self.y[i] - second[i]
            } else {
                0.0
            }
        })
    }

    /// The second-order term of a step.
    pub(super) fn second_order(&self, weight: f64) -> [f64; MOST] {
        core::array::from_fn(|i| weight * self.g[i] * self.y[i])
    }
}

/// An impulse inside independent bounds, about `size` from those it is near.
pub(super) fn inside(lo: DVec3, hi: DVec3, size: f64) -> DVec3 {
    let each = |k: usize| {
        let margin = size.min(0.25 * (hi[k] - lo[k]));
        0.0f64.max(lo[k] + margin).min(hi[k] - margin)
    };
    DVec3::new(each(0), each(1), each(2))
}

/// The facets of a unit with flat sides.
pub(super) fn of(unit: Unit, form: Form) -> Option<Facets> {
    match unit {
        Unit::Cone { .. } | Unit::Spin { .. } => None,
        Unit::Square { mu } => Some(Facets::square(mu, form)),
        Unit::Rows { lo, hi } => Some(Facets::rows(lo, hi, form.share)),
    }
}
