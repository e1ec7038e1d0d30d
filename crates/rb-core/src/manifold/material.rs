//! Surfaces of contacts after the two materials have been combined: the law of friction, and what few of them have
//! beyond it, which lies apart from the manifolds.

use super::Manifold;
use bytemuck::NoUninit;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Law of friction of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, NoUninit, Serialize, Deserialize)]
#[repr(u8)]
#[non_exhaustive]
pub enum FrictionLaw {
    /// No friction.
    #[serde(alias = "none")]
    None,
    /// |λ₁| ≤ μ λₙ and |λ₂| ≤ μ λₙ along two fixed tangents.
    #[serde(alias = "boxed")]
    Boxed,
    /// |λ₁| + |λ₂| ≤ μ λₙ: four edges on the tangents.
    #[serde(alias = "pyramid")]
    Pyramid,
    /// ‖λₜ‖ ≤ μ λₙ: Coulomb's cone.
    #[default]
    #[serde(alias = "conic")]
    Conic,
}

/// What few surfaces have beyond Coulomb's law; the default has none of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SurfaceExtras {
    /// Direction along which μ holds; zero or along the normal is none. Body axes on a collider, world
    /// axes on a contact.
    pub grain: DVec3,
    /// Friction across the grain over friction along it, > 0.
    pub across: f64,
    /// μ at rest over μ while sliding, ≥ 1.
    pub static_ratio: f64,
    /// Length ρ (m) of resistance to spin about the normal: torque up to μ ρ times the normal force.
    pub torsion: f64,
    /// Length ρ (m) of resistance to rolling.
    pub rolling: f64,
}

impl Default for SurfaceExtras {
    fn default() -> Self {
        Self {
            grain: DVec3::ZERO,
            across: 1.0,
            static_ratio: 1.0,
            torsion: 0.0,
            rolling: 0.0,
        }
    }
}

impl SurfaceExtras {
    /// Whether there is nothing beyond one coefficient of friction.
    pub fn is_plain(&self) -> bool {
        self.across == 1.0 && self.static_ratio == 1.0 && !self.resists()
    }

    /// Whether spin or rolling is resisted.
    pub fn resists(&self) -> bool {
        self.torsion > 0.0 || self.rolling > 0.0
    }
}

/// Surface of a contact after the two materials have been combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactMaterial {
    /// Friction law.
    pub law: FrictionLaw,
    /// Friction coefficient μ.
    pub friction: f64,
    /// Coefficient of restitution e, 0 to 1.
    pub restitution: f64,
    /// Compliance c of each point (m/N); 0 is rigid.
    pub compliance: f64,
    /// Damping time d = damping/stiffness (s) of a compliant point.
    pub damping: f64,
    /// Wanted tangential velocity of b relative to a at the surface (m/s, world): conveyors.
    pub surface_velocity: DVec3,
    /// Grain, friction at rest, resistance to spin and rolling.
    pub extras: SurfaceExtras,
}

impl ContactMaterial {
    /// With friction alone.
    pub fn plain(law: FrictionLaw, friction: f64) -> Self {
        Self {
            law,
            friction,
            ..Self::default()
        }
    }

    /// Whether there is nothing but friction.
    pub fn is_plain(&self) -> bool {
        *self == Self::plain(self.law, self.friction)
    }
}

/// Manifolds, and the materials of those that have more than friction.
#[derive(Clone, Copy, Debug)]
pub struct Contacts<'a> {
    /// All manifolds.
    pub manifolds: &'a [Manifold],
    /// What the [`surface`](Manifold::surface) of some counts, from 1.
    pub materials: &'a [ContactMaterial],
    /// Whether each is another than in the step before, but for its impulses; empty if all may be.
    pub fresh: &'a [bool],
}

impl<'a> Contacts<'a> {
    /// The material of one of the manifolds if it has more than friction.
    #[inline]
    pub fn surface(&self, of: &Manifold) -> Option<&'a ContactMaterial> {
        self.materials.get((of.surface as usize).checked_sub(1)?)
    }

    /// Wanted velocity of b relative to a at the surface of one of the manifolds (m/s, world).
    #[inline]
    pub fn belt(&self, of: &Manifold) -> DVec3 {
        self.surface(of).map_or(DVec3::ZERO, |m| m.surface_velocity)
    }

    /// The material of one of the manifolds.
    pub fn material(&self, of: &Manifold) -> ContactMaterial {
        let plain = || ContactMaterial::plain(of.law, of.friction);
        self.surface(of).copied().unwrap_or_else(plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn materials_with_more_than_friction_lie_apart() {
        let bouncy = ContactMaterial {
            restitution: 0.3,
            ..ContactMaterial::plain(FrictionLaw::Boxed, 0.7)
        };
        assert!(!bouncy.is_plain());
        let mut of = Manifold {
            law: FrictionLaw::Boxed,
            friction: 0.5,
            ..Manifold::default()
        };
        let contacts = Contacts {
            manifolds: &[],
            materials: &[bouncy],
            fresh: &[],
        };
        let plain = contacts.material(&of);
        assert!(plain.is_plain() && plain.friction == 0.5 && plain.law == FrictionLaw::Boxed);
        of.surface = 1;
        assert_eq!(contacts.material(&of), bouncy);
    }
}
