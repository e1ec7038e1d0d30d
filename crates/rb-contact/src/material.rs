//! Surfaces, and the surface of a contact made of two of them.

use glam::{DQuat, DVec3};
use rb_core::error::check;
use rb_core::manifold::{ContactMaterial, FrictionLaw, SurfaceExtras};
use rb_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// How the coefficients of two surfaces become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Combine {
    /// (x + y) / 2.
    #[default]
    #[serde(alias = "average")]
    Average,
    /// The smaller.
    #[serde(alias = "min")]
    Min,
    /// x · y.
    #[serde(alias = "multiply")]
    Multiply,
    /// √(x · y).
    #[serde(alias = "geometric_mean")]
    GeometricMean,
    /// The larger.
    #[serde(alias = "max")]
    Max,
}

impl Combine {
    /// Applies the rule. Where two surfaces disagree about it, use the greater of the two rules, in
    /// the order they are declared.
    pub fn apply(self, x: f64, y: f64) -> f64 {
        match self {
            Self::Average => 0.5 * (x + y),
            Self::Min => x.min(y),
            Self::Multiply => x * y,
            Self::GeometricMean => (x * y).sqrt(),
            Self::Max => x.max(y),
        }
    }
}

/// Surface of a collider.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Material {
    /// Friction coefficient μ, ≥ 0.
    pub friction: f64,
    /// Coefficient of restitution e, 0 to 1.
    pub restitution: f64,
    /// Rule for friction.
    pub friction_combine: Combine,
    /// Rule for restitution.
    pub restitution_combine: Combine,
    /// Friction law. Of two surfaces, the later in the order None, Boxed, Pyramid, Conic rules.
    pub law: FrictionLaw,
    /// Compliance of a contact point (m/N), ≥ 0; 0 is rigid.
    pub compliance: f64,
    /// Damping time (s), damping / stiffness, ≥ 0.
    pub damping: f64,
    /// Velocity of the surface relative to the body, body axes (m/s): conveyor belts.
    pub surface_velocity: DVec3,
    /// Grain (body axes), friction at rest, resistance to spin and rolling.
    pub extras: SurfaceExtras,
}

impl Default for Material {
    /// μ = 0.5, no bounce, Coulomb's cone, rigid, at rest.
    fn default() -> Self {
        Self {
            friction: 0.5,
            restitution: 0.0,
            friction_combine: Combine::Average,
            restitution_combine: Combine::Average,
            law: FrictionLaw::Conic,
            compliance: 0.0,
            damping: 0.0,
            surface_velocity: DVec3::ZERO,
            extras: SurfaceExtras::default(),
        }
    }
}

impl Material {
    /// Checks every number.
    ///
    /// # Errors
    /// A number not finite, negative, or a restitution above 1.
    pub fn validate(&self) -> Result<()> {
        check::non_negative("friction", self.friction)?;
        check::fraction("restitution", self.restitution)?;
        check::non_negative("compliance", self.compliance)?;
        check::non_negative("damping", self.damping)?;
        check::vector("surface_velocity", self.surface_velocity)?;
        let e = &self.extras;
        check::vector("extras.grain", e.grain)?;
        check::positive("extras.across", e.across)?;
        check::non_negative("extras.torsion", e.torsion)?;
        check::non_negative("extras.rolling", e.rolling)?;
        if !(e.static_ratio.is_finite() && e.static_ratio >= 1.0) {
            return Err(Error::OutOfRange {
                argument: "extras.static_ratio",
                value: e.static_ratio,
                valid: ">= 1: friction at rest is not below friction in motion",
            });
        }
        Ok(())
    }
}

/// Surface of the contact of `a` and `b`, whose bodies are turned by `rot_a` and `rot_b` (body to
/// world).
///
/// Compliances add (springs in series); the damping time is the mean weighted by compliance; the
/// surface velocity is the one at which b rests on a, b relative to a, in world axes.
pub fn combine(a: &Material, rot_a: DQuat, b: &Material, rot_b: DQuat) -> ContactMaterial {
    let rule = a.friction_combine.max(b.friction_combine);
    let bounce = a.restitution_combine.max(b.restitution_combine);
    let compliance = a.compliance + b.compliance;
    let damping = if compliance > 0.0 {
        (a.damping * a.compliance + b.damping * b.compliance) / compliance
    } else {
        0.0
    };
    ContactMaterial {
        law: if law_rank(a.law) >= law_rank(b.law) {
            a.law
        } else {
            b.law
        },
        friction: rule.apply(a.friction, b.friction),
        restitution: bounce.apply(a.restitution, b.restitution).min(1.0),
        compliance,
        damping,
        surface_velocity: rot_a * a.surface_velocity - rot_b * b.surface_velocity,
        extras: combine_extras(&a.extras, rot_a, &b.extras, rot_b),
    }
}

/// The grain of a, or of b where a has none; of everything else the larger.
fn combine_extras(
    a: &SurfaceExtras,
    rot_a: DQuat,
    b: &SurfaceExtras,
    rot_b: DQuat,
) -> SurfaceExtras {
    let (grain, across) = if a.across != 1.0 {
        (rot_a * a.grain, a.across)
    } else {
        (rot_b * b.grain, b.across)
    };
    SurfaceExtras {
        grain,
        across,
        static_ratio: a.static_ratio.max(b.static_ratio),
        torsion: a.torsion.max(b.torsion),
        rolling: a.rolling.max(b.rolling),
    }
}

fn law_rank(law: FrictionLaw) -> u8 {
    match law {
        FrictionLaw::None => 0,
        FrictionLaw::Boxed => 1,
        FrictionLaw::Pyramid => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soft_contacts_act_in_series() {
        let soft = |compliance, damping, friction| Material {
            compliance,
            damping,
            friction,
            ..Material::default()
        };
        let still = DQuat::IDENTITY;
        let m = combine(&soft(1e-4, 2e-3, 0.5), still, &soft(0.0, 9.0, 0.1), still);
        assert_eq!((m.compliance, m.damping), (1e-4, 2e-3));
        assert_eq!(m.friction, 0.3);
        let m = combine(&soft(1e-4, 2e-3, 0.5), still, &soft(3e-4, 0.0, 0.5), still);
        assert!((m.compliance - 4e-4).abs() < 1e-18 && (m.damping - 5e-4).abs() < 1e-18);
    }

    #[test]
    fn the_greater_rule_and_law_win() {
        let a = Material {
            friction_combine: Combine::Max,
            law: FrictionLaw::Boxed,
            ..Material::default()
        };
        let b = Material {
            friction: 0.9,
            law: FrictionLaw::Pyramid,
            ..Material::default()
        };
        let m = combine(&a, DQuat::IDENTITY, &b, DQuat::IDENTITY);
        assert_eq!((m.friction, m.law), (0.9, FrictionLaw::Pyramid));
    }

    #[test]
    fn belts_move_with_their_body() {
        let belt = Material {
            surface_velocity: DVec3::X,
            ..Material::default()
        };
        let turned = DQuat::from_rotation_y(core::f64::consts::FRAC_PI_2);
        let m = combine(&belt, turned, &Material::default(), DQuat::IDENTITY);
        assert!((m.surface_velocity + DVec3::Z).length() < 1e-15);
    }
}
