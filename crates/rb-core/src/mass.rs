//! Mass, centre of mass and inertia; composition; the projected inverse mass W = (P M P)⁺.

use crate::error::{Error, Result, check};
use crate::math::Pose;
use bitflags::bitflags;
use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Mass, centre of mass and full inertia of a body or shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MassProps {
    /// Mass (kg).
    pub mass: f64,
    /// Centre of mass in the body frame (m).
    pub com_local: DVec3,
    /// Inertia about the centre of mass, body axes (kg·m²), symmetric.
    pub inertia_local: DMat3,
}

impl MassProps {
    /// Nothing: the neutral element of [`combine`](Self::combine).
    pub const ZERO: Self = Self {
        mass: 0.0,
        com_local: DVec3::ZERO,
        inertia_local: DMat3::ZERO,
    };

    /// Centre of mass at the origin, principal inertias along the body axes (kg, kg·m²).
    pub const fn diagonal(mass: f64, inertia: DVec3) -> Self {
        Self {
            mass,
            com_local: DVec3::ZERO,
            inertia_local: DMat3::from_diagonal(inertia),
        }
    }

    /// The same matter placed at `pose` in a parent frame.
    pub fn placed(&self, pose: &Pose) -> Self {
        let r = DMat3::from_quat(pose.q);
        Self {
            mass: self.mass,
            com_local: pose.point(self.com_local),
            inertia_local: r * self.inertia_local * r.transpose(),
        }
    }

    /// Both lumps of matter as one (parallel-axis theorem).
    pub fn combine(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        if mass <= 0.0 {
            return Self::ZERO;
        }
        let com_local = (self.com_local * self.mass + other.com_local * other.mass) / mass;
        let inertia_local = self.about(com_local) + other.about(com_local);
        Self {
            mass,
            com_local,
            inertia_local,
        }
    }

    /// Inertia about another point of the same frame (kg·m²).
    pub fn about(&self, point: DVec3) -> DMat3 {
        let d = self.com_local - point;
        let outer = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
        self.inertia_local
            + (DMat3::from_diagonal(DVec3::splat(d.length_squared())) - outer) * self.mass
    }

    /// Checks that a dynamic body may have this mass: positive, finite, inertia positive definite.
    pub fn validate(&self) -> Result<()> {
        check::positive("mass", self.mass)?;
        check::vector("com_local", self.com_local)?;
        for c in [
            self.inertia_local.x_axis,
            self.inertia_local.y_axis,
            self.inertia_local.z_axis,
        ] {
            check::vector("inertia", c)?;
        }
        let m = &self.inertia_local;
        let scale = (m.x_axis.x + m.y_axis.y + m.z_axis.z)
            .abs()
            .max(f64::MIN_POSITIVE);
        let skewness = (*m - m.transpose())
            .to_cols_array()
            .into_iter()
            .fold(0.0f64, |a, x| a.max(x.abs()));
        if skewness > 1e-9 * scale {
            return Err(Error::Contradiction {
                argument: "inertia",
                reason: format!("must be symmetric, differs by {skewness:e}"),
            });
        }
        let smallest = principal(*m).0.min_element();
        if smallest > 1e-14 * scale {
            Ok(())
        } else {
            Err(Error::OutOfRange {
                argument: "inertia",
                value: smallest,
                valid: "positive definite",
            })
        }
    }
}

/// Mass and where its centre is: [`MassProps`] without the inertia.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PointMass {
    /// Mass (kg).
    pub mass: f64,
    /// Centre of mass in the body frame (m).
    pub com_local: DVec3,
}

bitflags! {
    /// World axes along or about which a body may not move.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct LockedAxes: u8 {
        /// No translation along x.
        const LINEAR_X = 1;
        /// No translation along y.
        const LINEAR_Y = 2;
        /// No translation along z.
        const LINEAR_Z = 4;
        /// No rotation about x.
        const ANGULAR_X = 8;
        /// No rotation about y.
        const ANGULAR_Y = 16;
        /// No rotation about z.
        const ANGULAR_Z = 32;
        /// No translation at all.
        const LINEAR = 7;
        /// No rotation at all.
        const ANGULAR = 56;
    }
}

impl LockedAxes {
    /// 1 on free axes of translation, 0 on locked ones.
    pub fn linear_mask(self) -> DVec3 {
        let f = |flag| if self.contains(flag) { 0.0 } else { 1.0 };
        DVec3::new(f(Self::LINEAR_X), f(Self::LINEAR_Y), f(Self::LINEAR_Z))
    }

    /// 1 on free axes of rotation, 0 on locked ones.
    pub fn angular_mask(self) -> DVec3 {
        let f = |flag| if self.contains(flag) { 0.0 } else { 1.0 };
        DVec3::new(f(Self::ANGULAR_X), f(Self::ANGULAR_Y), f(Self::ANGULAR_Z))
    }
}

/// Inverse mass of one body in world axes: W = (P M P)⁺ (theory: fixed degrees of freedom).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct InvMass {
    /// Inverse mass along each world axis (1/kg), zero on locked axes.
    pub lin: DVec3,
    /// Inverse inertia about the centre of mass, world axes (1/(kg·m²)).
    pub ang: DMat3,
}

impl InvMass {
    /// Immovable.
    pub const ZERO: Self = Self {
        lin: DVec3::ZERO,
        ang: DMat3::ZERO,
    };

    /// W at attitude `q`, with the locked world axes projected out before inverting.
    #[inline]
    pub fn new(mass: f64, inertia: &PrincipalInertia, q: DQuat, locked: LockedAxes) -> Self {
        let mut w = Self::ZERO;
        w.set(mass, inertia, q, locked);
        w
    }

    /// Makes it what [`new`](Self::new) does, in place: a matrix put together elsewhere and copied is waited for.
    #[inline]
    pub fn set(&mut self, mass: f64, inertia: &PrincipalInertia, q: DQuat, locked: LockedAxes) {
        self.lin = locked.linear_mask() * (1.0 / mass);
        if (locked & LockedAxes::ANGULAR).is_empty() {
            inertia.set_world_inverse(q, &mut self.ang);
        } else {
            self.ang = projected_inverse(inertia.world(q), locked.angular_mask());
        }
    }

    /// W times an impulse (a Jacobian half or a wrench): a change of velocity.
    #[inline]
    pub fn apply(&self, impulse: &crate::math::Twist) -> crate::math::Twist {
        crate::math::Twist {
            lin: self.lin * impulse.lin,
            ang: self.ang * impulse.ang,
        }
    }

    /// Whether the body cannot move at all.
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.lin == DVec3::ZERO && self.ang == DMat3::ZERO
    }
}

impl Default for InvMass {
    /// Immovable. (A default matrix would be the identity.)
    fn default() -> Self {
        Self::ZERO
    }
}

/// Moore–Penrose inverse of P M P for a 0/1 diagonal projector P: invert the free block only.
fn projected_inverse(m: DMat3, mask: DVec3) -> DMat3 {
    let free: Vec<usize> = (0..3).filter(|&i| mask[i] != 0.0).collect();
    let mut out = DMat3::ZERO;
    match free.as_slice() {
        [] => {}
        [i] => out.col_mut(*i)[*i] = 1.0 / m.col(*i)[*i],
        [i, j] => {
            let (a, b, d) = (m.col(*i)[*i], m.col(*j)[*i], m.col(*j)[*j]);
            let det = a * d - b * b;
            out.col_mut(*i)[*i] = d / det;
            out.col_mut(*j)[*j] = a / det;
            out.col_mut(*i)[*j] = -b / det;
            out.col_mut(*j)[*i] = -b / det;
        }
        _ => out = m.inverse(),
    }
    out
}

/// Inertia in its principal frame, so that W is rebuilt at any attitude without inverting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PrincipalInertia {
    /// Principal moments (kg·m²).
    pub moments: DVec3,
    /// Principal axes to body axes.
    pub axes: DQuat,
}

impl PrincipalInertia {
    /// Diagonalises a symmetric inertia given in body axes (kg·m²).
    pub fn new(inertia_local: DMat3) -> Self {
        let (moments, axes) = principal(inertia_local);
        Self { moments, axes }
    }

    /// Inertia in world axes at attitude `q` (kg·m²).
    pub fn world(&self, q: DQuat) -> DMat3 {
        if self.is_isotropic() {
            return DMat3::from_diagonal(self.moments);
        }
        self.conjugate(q, self.moments)
    }

    /// Inverse inertia in world axes at attitude `q` (1/(kg·m²)).
    #[inline]
    pub fn world_inverse(&self, q: DQuat) -> DMat3 {
        let mut inverse = DMat3::ZERO;
        self.set_world_inverse(q, &mut inverse);
        inverse
    }

    #[inline]
    fn set_world_inverse(&self, q: DQuat, to: &mut DMat3) {
        if self.is_isotropic() {
            *to = DMat3::from_diagonal(DVec3::splat(1.0 / self.moments.x));
        } else {
            *to = self.conjugate(q, self.moments.recip());
        }
    }

    /// Inertia in body axes (kg·m²).
    pub fn local(&self) -> DMat3 {
        self.world(DQuat::IDENTITY)
    }

    /// How far `mass` (kg) of this inertia is from its centre, in root mean square (m); 0 without mass.
    pub fn spread(&self, mass: f64) -> f64 {
        // Σ m r², twice, over the mass.
        let square = self.moments.element_sum() / (2.0 * mass);
        if square > 0.0 { square.sqrt() } else { 0.0 }
    }

    /// Whether all moments agree to one part in a thousand: then the gyroscopic term is negligible.
    #[inline]
    pub fn is_round(&self) -> bool {
        self.moments.max_element() - self.moments.min_element() < 1e-3 * self.moments.max_element()
    }

    /// Whether the moments are equal to the last bit: the inertia is the same at every attitude.
    #[inline]
    pub fn is_isotropic(&self) -> bool {
        self.moments.x == self.moments.y && self.moments.y == self.moments.z
    }

    /// Inertia at attitude `q` times a vector (world axes).
    #[inline]
    pub fn times(&self, q: DQuat, v: DVec3) -> DVec3 {
        let axes = q * self.axes;
        axes * (self.moments * (axes.conjugate() * v))
    }

    #[inline]
    fn conjugate(&self, q: DQuat, d: DVec3) -> DMat3 {
        let r = DMat3::from_quat(q * self.axes);
        let s = DMat3::from_cols(r.x_axis * d.x, r.y_axis * d.y, r.z_axis * d.z);
        symmetrised(s * r.transpose())
    }
}

/// Removes the rounding difference between the two triangles.
#[inline]
fn symmetrised(m: DMat3) -> DMat3 {
    (m + m.transpose()) * 0.5
}

/// Eigenvalues and eigenvectors (as a rotation) of a symmetric matrix, by cyclic Jacobi rotations.
fn principal(m: DMat3) -> (DVec3, DQuat) {
    let mut a = symmetrised(m);
    if a.x_axis.y == 0.0 && a.x_axis.z == 0.0 && a.y_axis.z == 0.0 {
        return (
            DVec3::new(a.x_axis.x, a.y_axis.y, a.z_axis.z),
            DQuat::IDENTITY,
        );
    }
    let mut v = DMat3::IDENTITY;
    for _sweep in 0..32 {
        let off = a.x_axis.y.abs() + a.x_axis.z.abs() + a.y_axis.z.abs();
        let trace = a.x_axis.x.abs() + a.y_axis.y.abs() + a.z_axis.z.abs();
        if off <= 1e-18 * trace {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let apq = a.col(q)[p];
            if apq == 0.0 {
                continue;
            }
            let theta = (a.col(q)[q] - a.col(p)[p]) / (2.0 * apq);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let mut g = DMat3::IDENTITY;
            g.col_mut(p)[p] = c;
            g.col_mut(q)[q] = c;
            g.col_mut(q)[p] = t * c;
            g.col_mut(p)[q] = -t * c;
            a = symmetrised(g.transpose() * a * g);
            v *= g;
        }
    }
    if v.determinant() < 0.0 {
        v = DMat3::from_cols(v.x_axis, v.y_axis, -v.z_axis);
    }
    (
        DVec3::new(a.x_axis.x, a.y_axis.y, a.z_axis.z),
        DQuat::from_mat3(&v).normalize(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::exp_rotation;

    #[test]
    fn one_free_rotation_axis_inverts_after_projecting() {
        // Theory T32: (P I P)⁺ = 1/2, while P I⁻¹ P would give 2/3.
        let i = DMat3::from_cols_array(&[2.0, 1.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 3.0]);
        let p = PrincipalInertia::new(i);
        let locked = LockedAxes::ANGULAR_Y | LockedAxes::ANGULAR_Z;
        let w = InvMass::new(1.0, &p, DQuat::IDENTITY, locked);
        assert!((w.ang.x_axis - DVec3::new(0.5, 0.0, 0.0)).length() < 1e-15);
        assert_eq!(w.ang.y_axis, DVec3::ZERO);
    }

    #[test]
    fn principal_frame_rebuilds_the_inertia() {
        let r = DMat3::from_quat(exp_rotation(DVec3::new(0.4, -1.1, 0.7)));
        let i = r * DMat3::from_diagonal(DVec3::new(1.0, 2.5, 3.0)) * r.transpose();
        let p = PrincipalInertia::new(i);
        let q = exp_rotation(DVec3::new(-0.2, 0.9, 0.3));
        let rq = DMat3::from_quat(q);
        assert!((p.world(q) - rq * i * rq.transpose()).abs_diff_eq(DMat3::ZERO, 1e-13));
        assert!((p.world(q) * p.world_inverse(q)).abs_diff_eq(DMat3::IDENTITY, 1e-13));
    }

    #[test]
    fn two_half_cubes_make_a_bar() {
        let cube = MassProps::diagonal(2.0, DVec3::splat(2.0 / 6.0));
        let left = cube.placed(&Pose::from_translation(DVec3::new(-0.5, 0.0, 0.0)));
        let right = cube.placed(&Pose::from_translation(DVec3::new(0.5, 0.0, 0.0)));
        let bar = left.combine(&right);
        let (m, l) = (4.0, 2.0);
        assert!((bar.inertia_local.y_axis.y - m * (l * l + 1.0) / 12.0).abs() < 1e-14);
        assert!((bar.inertia_local.x_axis.x - m * 2.0 / 12.0).abs() < 1e-14);
        assert!(bar.validate().is_ok());
    }
}
