//! One unit of the interior point, round or flat: variables, linearisation, elimination.

use super::certificate::FrictionLaw;
use super::facets::{self, Facets, Flat, MOST};
use super::pair::{Elimination, Miss, Pair, Target};
use super::unit::Unit;
use glam::{DMat3, DVec3};

/// Which conditions hold: the law, and by how much κ of the normal ones exceeds that of friction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) law: FrictionLaw,
    /// γ u_n = share κ, β ∘ η = κ e; one-sided rows count as normal.
    pub(super) share: f64,
}

impl Form {
    /// One κ for all.
    pub(super) fn even(law: FrictionLaw) -> Self {
        Self { law, share: 1.0 }
    }
}

/// Variables of a unit, strictly inside; also a direction in them.
#[derive(Clone, Copy, Debug)]
pub(super) enum Inner {
    Round(Pair),
    Flat(Flat),
}

/// Right-hand side of a unit's complementarity conditions, or their second-order term.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal {
    Round(Target),
    Flat([f64; MOST]),
}

/// A unit that has an interior, and the conditions that hold there.
pub(super) struct Open {
    unit: Unit,
    form: Form,
    /// Empty where it is round.
    facets: Facets,
}

impl Open {
    pub(super) fn new(unit: Unit, form: Form) -> Self {
        let unit = unit.open();
        let facets = facets::of(unit, form).unwrap_or_default();
        Self { unit, form, facets }
    }

    /// A start with impulse and velocity of the given sizes.
    pub(super) fn start(&self, impulse: f64, speed: f64) -> Inner {
        let kappa = impulse * speed;
        match self.unit {
            Unit::Cone { mu } | Unit::Spin { mu } => {
                Inner::Round(Pair::centred(mu, impulse, speed))
            }
            Unit::Square { .. } => Inner::Flat(self.facets.at(DVec3::X * impulse, kappa)),
            Unit::Rows { lo, hi } => {
                Inner::Flat(self.facets.at(facets::inside(lo, hi, impulse), kappa))
            }
        }
    }

    /// The linearisation at a point, with velocity u.
    pub(super) fn linearised(&self, at: &Inner, u: DVec3) -> Local<'_> {
        let pair = match at {
            Inner::Round(pair) => pair,
            Inner::Flat(f) => return Local::Flat(&self.facets, *f, self.facets.miss(f, u)),
        };
        let elimination = match self.unit {
            // No share of κ in u₁ = s: the equation u₁ = 0.
            Unit::Spin { mu } => Elimination::new(*pair, mu, 0.0, 0.0),
            Unit::Cone { mu } | Unit::Square { mu } => {
                let lift = match self.form.law {
                    FrictionLaw::Coulomb => 0.0,
                    FrictionLaw::Convex => mu,
                };
                Elimination::new(*pair, mu, lift, self.form.share)
            }
            Unit::Rows { .. } => Elimination::new(*pair, 1.0, 0.0, self.form.share),
        };
        Local::Round(elimination, elimination.miss(u))
    }
}

/// A unit with everything but its impulse eliminated: δu = k − D δr.
pub(super) enum Local<'a> {
    Round(Elimination, Miss),
    Flat(&'a Facets, Flat, DVec3),
}

impl Inner {
    pub(super) fn impulse(&self) -> DVec3 {
        match self {
            Self::Round(p) => p.impulse(),
            Self::Flat(f) => f.r,
        }
    }

    /// Sum of complementarity products, and how many they count as.
    pub(super) fn gap(&self) -> (f64, usize) {
        match self {
            Self::Round(p) => (p.gap(), 2),
            Self::Flat(f) => f.gap(),
        }
    }

    /// Largest miss of the complementarity conditions.
    pub(super) fn deviation(&self, kappa: f64) -> f64 {
        match self.towards(kappa, None) {
            Goal::Round(t) => t.normal.abs().max(t.cone.abs().max_element()),
            Goal::Flat(c) => c.iter().fold(0.0, |m: f64, c| m.max(c.abs())),
        }
    }

    pub(super) fn towards(&self, kappa: f64, second: Option<&Goal>) -> Goal {
        match (self, second) {
            (Self::Round(p), Some(Goal::Round(t))) => Goal::Round(p.towards(kappa, t)),
            (Self::Round(p), _) => {
                let none = Target {
                    normal: 0.0,
                    cone: DVec3::ZERO,
                };
                Goal::Round(p.towards(kappa, &none))
            }
            (Self::Flat(f), Some(Goal::Flat(s))) => Goal::Flat(f.towards(kappa, s)),
            (Self::Flat(f), _) => Goal::Flat(f.towards(kappa, &[0.0; MOST])),
        }
    }

    pub(super) fn second_order(&self, weight: f64) -> Goal {
        match self {
            Self::Round(p) => Goal::Round(p.second_order(weight)),
            Self::Flat(f) => Goal::Flat(f.second_order(weight)),
        }
    }

    pub(super) fn moved(&self, d: &Self, alpha: f64) -> Self {
        match (self, d) {
            (Self::Round(p), Self::Round(d)) => Self::Round(p.moved(d, alpha)),
            (Self::Flat(f), Self::Flat(d)) => Self::Flat(f.moved(d, alpha)),
            _ => *self,
        }
    }

    pub(super) fn step_limit(&self, d: &Self) -> f64 {
        match (self, d) {
            (Self::Round(p), Self::Round(d)) => p.step_limit(d),
            (Self::Flat(f), Self::Flat(d)) => f.step_limit(d),
            _ => 0.0,
        }
    }

    pub(super) fn centrality(&self) -> f64 {
        match self {
            Self::Round(p) => p.centrality(),
            Self::Flat(f) => f.centrality(),
        }
    }
}

impl Local<'_> {
    pub(super) fn matrix(&self) -> DMat3 {
        match self {
            Self::Round(e, _) => e.matrix(),
            Self::Flat(facets, f, _) => facets.matrix(f),
        }
    }

    /// By how much the linear conditions are missed.
    pub(super) fn miss(&self) -> f64 {
        match self {
            Self::Round(_, miss) => miss.size(),
            Self::Flat(_, _, miss) => miss.abs().max_element(),
        }
    }

    pub(super) fn rhs(&self, goal: &Goal) -> DVec3 {
        match (self, goal) {
            (Self::Round(e, miss), Goal::Round(t)) => e.rhs(t, miss),
            (Self::Flat(facets, f, miss), Goal::Flat(c)) => facets.rhs(f, c, *miss),
            _ => DVec3::ZERO,
        }
    }

    /// The step of all variables from those of impulse and velocity.
    pub(super) fn expand(&self, goal: &Goal, dr: DVec3, du: DVec3) -> Inner {
        match (self, goal) {
            (Self::Round(e, miss), Goal::Round(t)) => Inner::Round(e.expand(t, miss, dr, du)),
            (Self::Flat(facets, f, _), Goal::Flat(c)) => Inner::Flat(facets.expand(f, c, dr)),
            _ => Inner::Flat(Flat::default()),
        }
    }
}
