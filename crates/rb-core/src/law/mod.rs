//! Admissible sets of a block of rows, and the four things a solver or a judge may ask of them.
//!
//! Rows of a block under [`Law::Rows`] are independent: each multiplier lies in its own [lo, hi].
//! The friction laws couple three rows (normal, tangent 1, tangent 2): λₙ ≥ 0 and λₜ ∈ λₙ D, with D
//! a disc, a box or a diamond of size μ. Every Coulomb-like law then reads
//! `−(w + σ_D(−wₜ) eₙ) ∈ N_K(λ)`, where σ_D is the support function of D (de Saxcé's lift for the
//! disc). Source: G. de Saxcé, Z.-Q. Feng, "The bipotential method", 1998.

mod boxed;
mod cone;
mod pyramid;

use crate::manifold::FrictionLaw;
use bitflags::bitflags;
use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};

/// The set a block's multipliers live in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Law {
    /// Independent rows, each within its own bounds: joints, motors, limits, frictionless contact.
    Rows,
    /// Friction with a box of half width μ λₙ along the two tangents.
    Boxed {
        /// Friction coefficient.
        mu: f64,
    },
    /// Friction with the diamond |λ₁| + |λ₂| ≤ μ λₙ.
    Pyramid {
        /// Friction coefficient.
        mu: f64,
    },
    /// Coulomb's cone ‖λₜ‖ ≤ μ λₙ.
    Cone {
        /// Friction coefficient.
        mu: f64,
    },
    /// Resistance of a patch to spin (first row) and rolling (the other two), bounded by the normal
    /// impulses of rows in other blocks: |λ₀| ≤ torsion Σ pₙ, ‖(λ₁, λ₂)‖ ≤ rolling Σ pₙ.
    Spin {
        /// Length (m), friction coefficient included.
        torsion: f64,
        /// Length (m), friction coefficient included.
        rolling: f64,
    },
}

bitflags! {
    /// Set of laws, for a solver to say which it supports.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct LawSet: u8 {
        /// [`Law::Rows`].
        const ROWS = 1;
        /// [`Law::Boxed`].
        const BOXED = 2;
        /// [`Law::Pyramid`].
        const PYRAMID = 4;
        /// [`Law::Cone`].
        const CONE = 8;
        /// [`Law::Spin`].
        const SPIN = 16;
    }
}

impl Law {
    /// Law of a contact with coefficient `mu`; no friction means a single one-sided row.
    pub fn friction(law: FrictionLaw, mu: f64) -> Self {
        match law {
            FrictionLaw::None => Self::Rows,
            FrictionLaw::Boxed => Self::Boxed { mu },
            FrictionLaw::Pyramid => Self::Pyramid { mu },
            FrictionLaw::Conic => Self::Cone { mu },
        }
    }

    /// This law as a one-element set.
    pub fn as_set(self) -> LawSet {
        match self {
            Self::Rows => LawSet::ROWS,
            Self::Boxed { .. } => LawSet::BOXED,
            Self::Pyramid { .. } => LawSet::PYRAMID,
            Self::Cone { .. } => LawSet::CONE,
            Self::Spin { .. } => LawSet::SPIN,
        }
    }

    /// Short name for reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Boxed { .. } => "boxed",
            Self::Pyramid { .. } => "pyramid",
            Self::Cone { .. } => "cone",
            Self::Spin { .. } => "spin",
        }
    }

    /// Nearest multipliers of a [`Law::Spin`] block under the normal impulse `load` (N·s).
    pub fn project_spin(self, p: DVec3, load: f64) -> DVec3 {
        let Self::Spin { torsion, rolling } = self else {
            return p;
        };
        let (most, load) = (torsion * load.max(0.0), load.max(0.0));
        let roll = cone::project_tangent(DVec2::new(p.y, p.z), rolling * load);
        DVec3::new(p.x.max(-most).min(most), roll.x, roll.y)
    }

    /// Nearest point of λₙ D to a tangential impulse, for a given normal impulse.
    pub fn project_tangent(self, t: DVec2, normal: f64) -> DVec2 {
        match self {
            Self::Rows | Self::Spin { .. } => DVec2::ZERO,
            Self::Boxed { mu } => boxed::project_tangent(t, mu * normal),
            Self::Pyramid { mu } => pyramid::project_tangent(t, mu * normal),
            Self::Cone { mu } => cone::project_tangent(t, mu * normal),
        }
    }

    /// Whether a tangential impulse lies within λₙ D.
    pub fn contains_tangent(self, t: DVec2, normal: f64) -> bool {
        match self {
            Self::Rows | Self::Spin { .. } => t == DVec2::ZERO,
            Self::Boxed { mu } => t.abs().max_element() <= mu * normal,
            Self::Pyramid { mu } => t.abs().element_sum() <= mu * normal,
            Self::Cone { mu } => t.length_squared() <= (mu * normal) * (mu * normal),
        }
    }

    /// Support function σ_D(−wₜ) for λₙ = 1: how far sliding at wₜ lifts the normal law.
    pub fn support(self, w_t: DVec2) -> f64 {
        match self {
            Self::Rows | Self::Spin { .. } => 0.0,
            Self::Boxed { mu } => mu * w_t.abs().element_sum(),
            Self::Pyramid { mu } => mu * w_t.abs().max_element(),
            Self::Cone { mu } => mu * w_t.length(),
        }
    }

    /// Euclidean projection of (n, t₁, t₂) onto the friction cone K.
    pub fn project(self, p: DVec3) -> DVec3 {
        match self {
            Self::Rows | Self::Spin { .. } => DVec3::new(p.x.max(0.0), 0.0, 0.0),
            Self::Boxed { mu } => boxed::project(p, mu),
            Self::Pyramid { mu } => pyramid::project(p, mu),
            Self::Cone { mu } => cone::project(p, mu),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn laws(mu: f64) -> [Law; 3] {
        [Law::Boxed { mu }, Law::Pyramid { mu }, Law::Cone { mu }]
    }

    #[test]
    fn nothing_pulls_without_friction() {
        for law in laws(0.0) {
            assert_eq!(law.project(DVec3::NEG_X), DVec3::ZERO, "{law:?}");
            assert_eq!(
                law.project(DVec3::new(-1.0, 0.5, 0.0)),
                DVec3::ZERO,
                "{law:?}"
            );
            assert_eq!(law.project(DVec3::new(1.0, 0.5, 0.0)), DVec3::X, "{law:?}");
        }
    }

    proptest! {
        #[test]
        fn projections_are_projections(
            p in prop::array::uniform3(-5.0..5.0f64),
            q in prop::array::uniform3(-5.0..5.0f64),
            mu in 0.0..2.0f64,
        ) {
            let (p, q) = (DVec3::from(p), DVec3::from(q));
            for law in laws(mu) {
                let (pp, qq) = (law.project(p), law.project(q));
                prop_assert!((law.project(pp) - pp).length() < 1e-12, "idempotent {law:?}");
                prop_assert!((pp - qq).length() <= (p - q).length() + 1e-12, "non-expansive {law:?}");
                // Moreau: the remainder is orthogonal to the cone's point and polar to all others.
                prop_assert!((p - pp).dot(pp).abs() < 1e-10, "orthogonal {law:?}");
                prop_assert!((p - pp).dot(qq) < 1e-10, "polar {law:?}");
            }
        }

        #[test]
        fn support_is_the_largest_product(w in prop::array::uniform2(-3.0..3.0f64), mu in 0.01..2.0f64) {
            let w = DVec2::from(w);
            for law in laws(mu) {
                // Projecting a far point along −w lands on a maximiser of −w·t.
                let t = law.project_tangent(-w * 1e9, 1.0);
                prop_assert!((-w.dot(t) - law.support(w)).abs() < 1e-6 * (1.0 + w.length()), "{law:?}");
                prop_assert!(law.contains_tangent(t * (1.0 - 1e-12), 1.0));
            }
        }
    }
}
