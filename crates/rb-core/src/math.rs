//! Poses, twists and wrenches in f64, and the rotation update shared by every integrator.
//!
//! Frames: a [`Pose`] maps body coordinates to world coordinates. A [`Twist`] and a [`Wrench`] are
//! expressed in world axes and taken at the centre of mass unless a name says otherwise.
//! Trigonometry goes through `libm`, so that the same inputs give the same bits on every platform.

use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Rigid placement: rotate by `q`, then translate by `p` (m).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Translation (m).
    pub p: DVec3,
    /// Rotation, body to world, unit length, stored x, y, z, w.
    pub q: DQuat,
}

impl Pose {
    /// No translation, no rotation.
    pub const IDENTITY: Self = Self {
        p: DVec3::ZERO,
        q: DQuat::IDENTITY,
    };

    /// Placement from a translation (m) and a unit quaternion.
    pub const fn new(p: DVec3, q: DQuat) -> Self {
        Self { p, q }
    }

    /// Placement without rotation.
    pub const fn from_translation(p: DVec3) -> Self {
        Self {
            p,
            q: DQuat::IDENTITY,
        }
    }

    /// World position of a point given in this frame.
    #[inline]
    pub fn point(&self, local: DVec3) -> DVec3 {
        self.p + self.q * local
    }

    /// World direction of a vector given in this frame.
    #[inline]
    pub fn vector(&self, local: DVec3) -> DVec3 {
        self.q * local
    }

    /// Coordinates in this frame of a world point.
    pub fn inverse_point(&self, world: DVec3) -> DVec3 {
        self.q.conjugate() * (world - self.p)
    }

    /// The placement that undoes this one.
    pub fn inverse(&self) -> Self {
        let q = self.q.conjugate();
        Self {
            p: -(q * self.p),
            q,
        }
    }

    /// `self⁻¹ ∘ other`: `other` as seen from this frame.
    #[inline]
    pub fn relative(&self, other: &Self) -> Self {
        let inv = self.q.conjugate();
        Self {
            p: inv * (other.p - self.p),
            q: (inv * other.q).normalize(),
        }
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.p.is_finite() && self.q.is_finite()
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl core::ops::Mul for Pose {
    type Output = Self;
    #[inline]
    fn mul(self, rhs: Self) -> Self {
        Self {
            p: self.p + self.q * rhs.p,
            q: (self.q * rhs.q).normalize(),
        }
    }
}

/// Velocity of a body, or one half of a Jacobian row (then unit-free and m).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Twist {
    /// Linear part (m/s).
    pub lin: DVec3,
    /// Angular part (rad/s).
    pub ang: DVec3,
}

impl Twist {
    /// At rest.
    pub const ZERO: Self = Self {
        lin: DVec3::ZERO,
        ang: DVec3::ZERO,
    };

    /// Twist from its linear (m/s) and angular (rad/s) part.
    pub const fn new(lin: DVec3, ang: DVec3) -> Self {
        Self { lin, ang }
    }

    /// Sum of products of both parts: a row times a velocity.
    #[inline]
    pub fn dot(&self, other: &Self) -> f64 {
        self.lin.dot(other.lin) + self.ang.dot(other.ang)
    }

    /// Velocity of a point at offset `arm` (m, world axes) from the centre of mass (m/s).
    #[inline]
    pub fn at(&self, arm: DVec3) -> DVec3 {
        self.lin + self.ang.cross(arm)
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.lin.is_finite() && self.ang.is_finite()
    }
}

impl core::ops::Add for Twist {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Self {
            lin: self.lin + o.lin,
            ang: self.ang + o.ang,
        }
    }
}

impl core::ops::Sub for Twist {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        Self {
            lin: self.lin - o.lin,
            ang: self.ang - o.ang,
        }
    }
}

impl core::ops::Neg for Twist {
    type Output = Self;
    fn neg(self) -> Self {
        Self {
            lin: -self.lin,
            ang: -self.ang,
        }
    }
}

impl core::ops::AddAssign for Twist {
    #[inline]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl core::ops::Mul<f64> for Twist {
    type Output = Self;
    #[inline]
    fn mul(self, k: f64) -> Self {
        Self {
            lin: self.lin * k,
            ang: self.ang * k,
        }
    }
}

/// Force and torque on a body, at its centre of mass, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wrench {
    /// Force (N).
    pub force: DVec3,
    /// Torque about the centre of mass (N·m).
    pub torque: DVec3,
}

impl Wrench {
    /// No load.
    pub const ZERO: Self = Self {
        force: DVec3::ZERO,
        torque: DVec3::ZERO,
    };

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.force.is_finite() && self.torque.is_finite()
    }
}

impl core::ops::AddAssign for Wrench {
    fn add_assign(&mut self, o: Self) {
        self.force += o.force;
        self.torque += o.torque;
    }
}

/// Cross-product matrix: `skew(a) * b == a × b`.
pub fn skew(a: DVec3) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(0.0, a.z, -a.y),
        DVec3::new(-a.z, 0.0, a.x),
        DVec3::new(a.y, -a.x, 0.0),
    )
}

/// Coefficients of x², x⁴, … in sin(x)/x and in cos(x).
pub const TURN_SERIES: [[f64; 5]; 2] = [
    [
        -1.0 / 6.0,
        1.0 / 120.0,
        -1.0 / 5040.0,
        1.0 / 362_880.0,
        -1.0 / 39_916_800.0,
    ],
    [
        -1.0 / 2.0,
        1.0 / 24.0,
        -1.0 / 720.0,
        1.0 / 40_320.0,
        -1.0 / 3_628_800.0,
    ],
];
/// Square of the half angle (rad²) from which on a turn is too fast for them.
pub const FAST_TURN: f64 = 1e-2;

/// sin(x)/(2x) and cos(x) of a half angle, from x² (rad²).
#[inline]
pub fn half_turn(x2: f64) -> (f64, f64) {
    // Both by their series for small angles, exact to rounding: faster, and sin(x)/x loses no digits.
    if x2 < FAST_TURN {
        let series = |k: [f64; 5]| {
            let tail = k[1] + x2 * (k[2] + x2 * (k[3] + x2 * k[4]));
            1.0 + x2 * (k[0] + x2 * tail)
        };
        (0.5 * series(TURN_SERIES[0]), series(TURN_SERIES[1]))
    } else {
        let half = x2.sqrt();
        (0.5 * libm::sin(half) / half, libm::cos(half))
    }
}

/// Unit quaternion of the rotation vector `theta` (rad, axis times angle).
#[inline]
pub fn exp_rotation(theta: DVec3) -> DQuat {
    let (s, c) = half_turn(0.25 * theta.length_squared());
    DQuat::from_xyzw(theta.x * s, theta.y * s, theta.z * s, c)
}

/// Rotation vector (rad) of a unit quaternion, the short way round: the inverse of [`exp_rotation`].
pub fn log_rotation(q: DQuat) -> DVec3 {
    let v = DVec3::new(q.x, q.y, q.z);
    let (v, w) = if q.w < 0.0 { (-v, -q.w) } else { (v, q.w) };
    let s = v.length();
    if s < 1e-9 {
        v * (2.0 / w)
    } else {
        v * (2.0 * libm::atan2(s, w) / s)
    }
}

/// Attitude after turning with constant `omega` (rad/s, world axes) for `h` (s).
#[inline]
pub fn turn(q: DQuat, omega: DVec3, h: f64) -> DQuat {
    renormalized(exp_rotation(omega * h) * q)
}

/// What is a unit quaternion but for rounding, as a product of two is, made one: q (3 − |q|²)/2, which is q/|q| but for the
/// square of what is missing, without a root or a quotient to wait for.
#[inline]
pub fn renormalized(q: DQuat) -> DQuat {
    q * (1.5 - 0.5 * q.length_squared())
}

/// Angle wrapped into (−π, π] (rad).
pub fn wrap_angle(a: f64) -> f64 {
    let tau = core::f64::consts::TAU;
    let r = a - tau * libm::floor(a / tau + 0.5);
    if r <= -core::f64::consts::PI {
        r + tau
    } else {
        r
    }
}

/// Two unit vectors that complete the unit vector `n` to a right-handed frame (t₁, t₂ = n × t₁).
///
/// t₁ is world x made orthogonal to `n`, or world z where `n` is too close to x, so that friction
/// axes on a horizontal floor are the world axes.
#[inline]
pub fn tangents(n: DVec3) -> [DVec3; 2] {
    let axis = if n.x.abs() < 0.9 { DVec3::X } else { DVec3::Z };
    let t1 = (axis - n * n.dot(axis)).normalize();
    [t1, n.cross(t1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_and_logarithm_are_inverse() {
        for k in [1e-12, 1e-4, 2.1e-3, 0.1, 0.1999, 0.2001, 3.0] {
            let t = DVec3::new(0.3, -0.7, 0.2).normalize() * k;
            let back = log_rotation(exp_rotation(t));
            assert!(
                (back - t).length() < 1e-14 * k.max(1.0),
                "{k}: {back} vs {t}"
            );
            assert!((exp_rotation(t).length_squared() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn units_stay_units_without_a_root() {
        let omega = DVec3::new(3.0, -7.0, 2.0);
        let mut q = DQuat::IDENTITY;
        for _ in 0..100_000 {
            q = turn(q, omega, 1.0 / 240.0);
            assert!((q.length() - 1.0).abs() < 4e-16);
        }
        let exact = exp_rotation(omega * (100_000.0 / 240.0));
        assert!((q.dot(exact).abs() - 1.0).abs() < 1e-15, "{q} vs {exact}");
        let off = renormalized(q * (1.0 + 1e-8));
        assert!((off - q).length() < 1e-15, "{off} vs {q}");
    }

    #[test]
    fn tangent_frames_are_right_handed() {
        for n in [
            DVec3::X,
            DVec3::Y,
            DVec3::NEG_Z,
            DVec3::new(1.0, 2.0, -3.0).normalize(),
        ] {
            let [a, b] = tangents(n);
            assert!((a.cross(b) - n).length() < 1e-15);
        }
        assert_eq!(tangents(DVec3::Y)[0], DVec3::X);
    }

    #[test]
    fn relative_pose_undoes_composition() {
        let a = Pose::new(
            DVec3::new(1.0, 2.0, 3.0),
            exp_rotation(DVec3::new(0.1, 0.2, 0.3)),
        );
        let b = Pose::new(
            DVec3::new(-1.0, 0.5, 2.0),
            exp_rotation(DVec3::new(-0.4, 0.2, 1.3)),
        );
        let r = a.relative(&b);
        assert!(((a * r).p - b.p).length() < 1e-15);
        assert!((a.inverse_point(a.point(b.p)) - b.p).length() < 1e-15);
    }
}
