//! How contacts are found and solved.

use crate::error::{Result, check};
use serde::{Deserialize, Serialize};

/// [`ContactParams::recycling`] of the game profile: .9 mm for a box of a metre.
pub(super) const RECYCLING: f64 = 1e-3;

/// Spring that stands for a rigid row in the position pass, so that few sweeps per substep are
/// stable: solver regularisation, not physics. The velocity pass solves the rigid law.
/// Source: E. Catto, "Soft constraints", GDC 2011.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Softening {
    /// Frequency as a share of the substep rate 1/h: error shrinks with the square of the substeps.
    pub rate: f64,
    /// Damping ratio.
    pub ratio: f64,
}

impl Softening {
    pub(super) fn validate(&self) -> Result<()> {
        check::positive("softening.rate", self.rate)?;
        check::non_negative("softening.ratio", self.ratio)?;
        Ok(())
    }
}

/// Where the sweeps of contacts in lanes have friction act; rows (the robotics profile, the exact solver,
/// surfaces with grain, resistance to rolling or a flat-sided law) have it at every point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum FrictionAt {
    /// Coulomb's law at every point.
    #[default]
    #[serde(alias = "points")]
    Points,
    /// One friction for a whole manifold, at the centre of its load, and resistance to twist about it. The
    /// same where a patch sticks, slides or spins on the spot, and cheaper; a patch that slides and spins
    /// at once is held back by more than at its points. The certificate grades the law as solved.
    #[serde(alias = "manifold")]
    Manifold,
}

/// Precision of the numbers in which contacts are swept in lanes, and softened joints where an island has nothing but
/// such as hold two points together: a cloth of ball joints. Bodies, other joints, rows and whatever solves exactly are of
/// double precision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Precision {
    /// Seven digits, and half the memory. The speeds a sweep leaves are known to 6e-8 of their size; places are added
    /// up in double precision. Where a mass is below 1e-12 kg or above 1e12 kg, contacts and joints are swept as with
    /// `Double`.
    #[serde(alias = "single")]
    Single,
    /// Sixteen digits.
    #[default]
    #[serde(alias = "double")]
    Double,
}

/// Contact settings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContactParams {
    /// How far apart contacts are looked for, beyond what relative motion brings nearer along the way between the shapes
    /// (m): 0.35 of it where they move or touch what moves, up to all of it where one of them flies, a quarter at rest.
    pub margin: f64,
    /// Motion of two shapes against each other, as a share of the smaller one's bounding radius, up to which contacts
    /// over a face are placed anew instead of searched for. Points on the border of the face are then off by no more
    /// than that along it, and by that times the tilt in their gap.
    #[serde(default = "game_recycling")]
    pub recycling: f64,
    /// The same, at most, for shapes that move against each other by more than that in a single step: twice what is
    /// beyond it is added. No longer than at rest where it is less.
    #[serde(default)]
    pub recycling_in_motion: f64,
    /// Motion of a body, as a share of its extent, up to which contacts see it where it was: gaps follow to first order,
    /// arms and normals stay. It includes that of the step ahead. (Body by body: what moves by more is seen where it is.)
    #[serde(default)]
    pub following: f64,
    /// Fastest speed at which penetration is pushed out (m/s).
    pub push_out: f64,
    /// Slowest approach that bounces (m/s).
    pub bounce_threshold: f64,
    /// Where friction acts.
    #[serde(default)]
    pub friction: FrictionAt,
    /// Precision of their sweeps, and of those of nets of joints.
    #[serde(default)]
    pub precision: Precision,
    /// Soft step of contacts, or `None` for rigid rows.
    pub softening: Option<Softening>,
    /// Smooth contact: κ of the relaxed law γ φ⁺ = κ (J·s), β ∘ η = κ e (J) that every island is
    /// solved at, or `None` for the exact law. Bodies hover at κ/γ and creep under a tangential load;
    /// the certificate, which knows the exact law alone, shows by how much.
    pub smooth: Option<f64>,
    /// Swept test that stops fast bodies at static and kinematic ones, and `bullet` bodies at all. They go along with
    /// what they met for the rest of the step.
    pub swept: bool,
}

impl ContactParams {
    pub(super) fn validate(&self) -> Result<()> {
        check::non_negative("contact.margin", self.margin)?;
        check::non_negative("contact.recycling", self.recycling)?;
        check::non_negative("contact.recycling_in_motion", self.recycling_in_motion)?;
        check::non_negative("contact.following", self.following)?;
        check::positive("contact.push_out", self.push_out)?;
        check::non_negative("contact.bounce_threshold", self.bounce_threshold)?;
        if let Some(kappa) = self.smooth {
            check::positive("contact.smooth", kappa)?;
        }
        self.softening.map_or(Ok(()), |s| s.validate())
    }
}

/// For scenes that do not state it.
fn game_recycling() -> f64 {
    RECYCLING
}
