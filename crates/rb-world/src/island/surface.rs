//! What few surfaces have beyond Coulomb's law: grain, a higher coefficient at rest, and resistance to
//! spinning and rolling.
//!
//! Grain       friction μ along e₁ and κ μ along e₂ is the isotropic law for the row κ J₂ with the
//!             multiplier p₂/κ: the elliptic cone and its lift are exact in every solver
//! At rest     a point slower than the profile's velocity tolerance at the start of the substep may use
//!             μ_s = ratio · μ, a sliding one μ
//! Spin        three rows per patch on ω_b − ω_a: |torsion| ≤ μ ρ_t Σ pₙ about the normal and
//!             ‖rolling‖ ≤ μ ρ_r Σ pₙ across it, with the normal impulses of the same step
//! Per point   the same: rows of all points of a patch are the same functions of ω, so bounds μ ρ pᵢ for
//!             each add up to the patch's μ ρ Σ pₙ, box by box and disc by disc
//! Source      A. Ruina and others on rolling resistance as a couple; theory §4.3 (lengths), T40;
//!             A. Zmitrowicz, "Models of kinematics dependent anisotropic and heterogeneous friction",
//!             2006 (elliptic cone)

use super::{Island, NO_SLOT};
use glam::DVec3;
use rb_core::law::Law;
use rb_core::manifold::{ContactMaterial, SurfaceExtras};
use rb_core::math::Twist;
use rb_core::problem::{Extra, NO_EXTRA, ProblemRow, Source};

/// Directions of anisotropic friction within the tangents of a contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grain {
    cos: f64,
    sin: f64,
    ratio: f64,
}

impl Grain {
    /// The grain of a surface, if it has one that is not along the normal.
    pub(super) fn new(extras: &SurfaceExtras, axes: &[DVec3; 3]) -> Option<Self> {
        if extras.across == 1.0 {
            return None;
        }
        let (x, y) = (extras.grain.dot(axes[1]), extras.grain.dot(axes[2]));
        let length = x.hypot(y);
        (length > 1e-9).then(|| Self {
            cos: x / length,
            sin: y / length,
            ratio: extras.across,
        })
    }

    /// The tangents along and across the grain.
    pub(super) fn axes(&self, axes: &[DVec3; 3]) -> [DVec3; 3] {
        let [n, t1, t2] = *axes;
        [
            n,
            t1 * self.cos + t2 * self.sin,
            t2 * self.cos - t1 * self.sin,
        ]
    }

    /// Scale of the row across the grain.
    pub(super) fn ratio(&self) -> f64 {
        self.ratio
    }

    /// Multipliers of the scaled rows from impulses along the contact's tangents.
    pub(super) fn inward(&self, [n, x, y]: [f64; 3]) -> [f64; 3] {
        [
            n,
            self.cos * x + self.sin * y,
            (self.cos * y - self.sin * x) / self.ratio,
        ]
    }

    /// Impulses along the contact's tangents from multipliers of the scaled rows.
    pub(super) fn outward(&self, [n, x, y]: [f64; 3]) -> [f64; 3] {
        let y = y * self.ratio;
        [n, self.cos * x - self.sin * y, self.sin * x + self.cos * y]
    }
}

/// Friction coefficient of a point that moves at `speed` (m/s) over the surface.
pub(super) fn coefficient(
    material: &ContactMaterial,
    speed: impl FnOnce() -> f64,
    still: f64,
) -> f64 {
    if material.extras.static_ratio > 1.0 && speed() <= still {
        material.friction * material.extras.static_ratio
    } else {
        material.friction
    }
}

impl Island {
    /// Resistance of a patch to spin about its normal and to rolling; `normals` are its normal rows,
    /// `warm` is the angular impulse to start from (N·m·s, world).
    pub(super) fn assemble_spin(
        &mut self,
        material: &ContactMaterial,
        axes: &[DVec3; 3],
        movers: [u32; 2],
        manifold: u32,
        normals: Vec<u32>,
        warm: DVec3,
    ) {
        let lengths = [material.extras.torsion, material.extras.rolling];
        if normals.is_empty() || lengths == [0.0; 2] {
            return;
        }
        let [torsion, rolling] = lengths.map(|l| material.friction * l);
        let rows = axes.map(|e| ProblemRow {
            jac: [Twist::new(DVec3::ZERO, -e), Twist::new(DVec3::ZERO, e)],
            lo: f64::NEG_INFINITY,
            hi: f64::INFINITY,
            lambda: warm.dot(e),
            slot: NO_SLOT,
            ..ProblemRow::default()
        });
        let source = Source::Contact { manifold, point: 0 };
        let extra = Extra {
            normals,
            ..Extra::default()
        };
        let before = self.problem.blocks.len();
        self.problem.push_wide_block(movers, source, &rows, extra);
        if let Some(block) = self.problem.blocks.get_mut(before) {
            debug_assert!(block.extra != NO_EXTRA);
            block.law = Law::Spin { torsion, rolling };
        }
    }
}
