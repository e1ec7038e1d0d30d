//! The admissible set of one unit of three rows, and the four things the methods ask of it.

use super::certificate::FrictionLaw;
use super::cone::{join, tail};
use glam::{DVec2, DVec3};
use rb_core::law::Law as Cone;

/// Coefficients of friction below this have no interior and are solved as if they had this.
const LEAST_MU: f64 = 1e-8;

/// What three rows may carry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unit {
    /// Coulomb's disc, ‖r_t‖ ≤ μ r_n.
    Cone {
        /// Coefficient of friction.
        mu: f64,
    },
    /// A square, |r₁|, |r₂| ≤ μ r_n; a pyramid |r₁| + |r₂| ≤ μ r_n is one of μ/√2 turned by 45°.
    Square {
        /// Half width for r_n = 1.
        mu: f64,
    },
    /// The last two rows within a disc that the first, an equation, makes: ‖r_t‖ ≤ μ r₁ with u₁ = 0.
    /// Resistance to spin and rolling, whose bound is the normal impulse of others.
    Spin {
        /// Radius for r₁ = 1.
        mu: f64,
    },
    /// Independent rows between bounds, lo < hi.
    Rows {
        /// Lowest impulses.
        lo: DVec3,
        /// Highest impulses.
        hi: DVec3,
    },
}

impl Unit {
    /// Nearest admissible impulse.
    pub fn project(&self, r: DVec3) -> DVec3 {
        match *self {
            Self::Cone { mu } => Cone::Cone { mu }.project(r),
            Self::Square { mu } => Cone::Boxed { mu }.project(r),
            Self::Spin { mu } => {
                let t = Cone::Cone { mu }.project_tangent(tail(r), r.x.max(0.0));
                join(r.x, t)
            }
            Self::Rows { lo, hi } => r.max(lo).min(hi),
        }
    }

    /// The velocity that is complementary to the impulse: sliding does not lift under Coulomb's law.
    pub fn lifted(&self, law: FrictionLaw, u: DVec3) -> DVec3 {
        match (*self, law) {
            (Self::Cone { mu }, FrictionLaw::Coulomb) => u + DVec3::X * (mu * tail(u).length()),
            (Self::Square { mu }, FrictionLaw::Coulomb) => {
                u + DVec3::X * (mu * tail(u).abs().element_sum())
            }
            _ => u,
        }
    }

    /// Whether three rows under friction may stick with this impulse.
    pub(super) fn holds(&self, r: DVec3) -> bool {
        match *self {
            Self::Cone { mu } | Self::Spin { mu } => {
                r.x >= 0.0 && Cone::Cone { mu }.contains_tangent(tail(r), r.x)
            }
            Self::Square { mu } => r.x >= 0.0 && tail(r).abs().max_element() <= mu * r.x,
            Self::Rows { lo, hi } => r.cmpge(lo).all() && r.cmple(hi).all(),
        }
    }

    /// The same set with an interior.
    pub(super) fn open(self) -> Self {
        match self {
            Self::Cone { mu } => Self::Cone {
                mu: mu.max(LEAST_MU),
            },
            Self::Square { mu } => Self::Square {
                mu: mu.max(LEAST_MU),
            },
            Self::Spin { mu } => Self::Spin {
                mu: mu.max(LEAST_MU),
            },
            rows @ Self::Rows { .. } => rows,
        }
    }

    /// Whether a contact must open at this free velocity, whatever it slides at.
    pub(super) fn opens(&self, law: FrictionLaw, u: DVec3) -> bool {
        let contact = matches!(self, Self::Cone { .. } | Self::Square { .. });
        law == FrictionLaw::Coulomb && contact && u.x >= 0.0
    }
}

/// Edges of a square: which tangent, on which side.
pub(super) const EDGES: [(DVec2, f64); 4] = [
    (DVec2::X, 1.0),
    (DVec2::X, -1.0),
    (DVec2::Y, 1.0),
    (DVec2::Y, -1.0),
];

/// (0, t) for a tangent.
pub(super) fn tangential(t: DVec2) -> DVec3 {
    join(0.0, t)
}
