//! Tilt of b's axis against a's: the two angles that keep a hinge aligned, and the cone angle.
//!
//! Equation   u = z_b in a's joint frame = (sin θ cos ψ, sin θ sin ψ, cos θ); the shortest turn from
//!            z to u has rotation vector σ = θ (−sin ψ, cos ψ, 0) = f (−u_y, u_x, 0), f = θ/sin θ
//! Jacobian   u̇ = ω × u gives (axes of a's joint frame, ω = ω_b − ω_a)
//!               σ̇_x = (1 + g u_x²) ω_x + g u_x u_y ω_y − f u_x ω_z
//!               σ̇_y = g u_x u_y ω_x + (1 + g u_y²) ω_y − f u_y ω_z,   g = (θ cot θ − 1)/sin² θ
//!            and θ̇ = n · ω with the swing axis n = (−sin ψ, cos ψ, 0)
//! Why σ      the common sines u_x, u_y vanish again when b is upside down; |σ| = θ grows up to π,
//!            so zero means aligned and a joint loaded the wrong way round turns back
//! Units      rad; torques N·m
//! Singular   θ = π has no axis; x is used and f stays below 4e6
//! Source     P. Baerlocher, R. Boulic, "Parametrization and range of motion of the ball-and-socket
//!            joint", 2001 (swing vector); derivative by own calculation

use super::Frames;
use crate::axis::Axis;
use crate::joint::Coordinate;
use glam::DVec3;

/// Smallest sine of a tilt beyond a quarter turn.
const UPSIDE_DOWN: f64 = 1e-6;

/// The direction of b's axis in a's joint frame.
struct Tilt {
    u: DVec3,
    /// sin θ.
    sine: f64,
}

impl Tilt {
    fn new(frames: &Frames) -> Self {
        let mut u = frames.a.q.conjugate() * (frames.b.q * DVec3::Z);
        if u.z < 0.0 && u.x * u.x + u.y * u.y < UPSIDE_DOWN * UPSIDE_DOWN {
            (u.x, u.y) = (0.0, -UPSIDE_DOWN);
        }
        let sine = (u.x * u.x + u.y * u.y).sqrt();
        Self { u, sine }
    }

    /// θ (rad).
    fn angle(&self) -> f64 {
        libm::atan2(self.sine, self.u.z)
    }

    /// (f, g) of the header; by their series in sin² θ where the quotients lose digits.
    fn factors(&self) -> (f64, f64) {
        let s2 = self.sine * self.sine;
        if s2 < 1e-5 && self.u.z > 0.0 {
            let f = 1.0 + s2 * (1.0 / 6.0 + s2 * (3.0 / 40.0));
            return (f, -1.0 / 3.0 - s2 * (2.0 / 15.0));
        }
        let f = self.angle() / self.sine;
        (f, (f * self.u.z - 1.0) / s2)
    }
}

impl Frames {
    /// Swing vector of b's axis along x and y of a's joint frame (rad), as `AngX` and `AngY`.
    pub fn swing(&self) -> [Coordinate; 2] {
        let tilt = Tilt::new(self);
        let (f, g) = tilt.factors();
        let DVec3 { x, y, .. } = tilt.u;
        let jx = DVec3::new(1.0 + g * x * x, g * x * y, -f * x);
        let jy = DVec3::new(g * x * y, 1.0 + g * y * y, -f * y);
        [
            self.torque(Axis::AngX, -f * y, self.a.q * jx),
            self.torque(Axis::AngY, f * x, self.a.q * jy),
        ]
    }

    /// Angle between the two z axes (rad, 0 to π), as `AngX`. The derivative jumps at 0, where the
    /// swing axis is taken along x.
    pub fn cone(&self) -> Coordinate {
        let tilt = Tilt::new(self);
        let n = if tilt.sine > 1e-12 {
            DVec3::new(-tilt.u.y, tilt.u.x, 0.0) / tilt.sine
        } else {
            DVec3::X
        };
        self.torque(Axis::AngX, tilt.angle(), self.a.q * n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_meets_the_quotients() {
        let factors = |sine: f64| {
            let angle = libm::asin(sine);
            let u = DVec3::new(sine, 0.0, libm::cos(angle));
            Tilt { u, sine }.factors()
        };
        let edge = 1e-5f64.sqrt();
        let [(f0, g0), (f1, g1)] = [edge * (1.0 - 1e-9), edge * (1.0 + 1e-9)].map(factors);
        assert!((f0 - f1).abs() < 1e-13, "{f0} {f1}");
        assert!((g0 - g1).abs() < 1e-10, "{g0} {g1}");
    }
}
