//! One contact alone: w = A λ + q with λ in the friction cone and everything else standing still.
//!
//! Sticking is tried first. If it leaves the cone, the contact slides along some unit vector d, and
//! for Coulomb's cone that is one equation in one unknown, since
//!
//! ```text
//! n(d) = −qₙ/(a + μ c·d),    wₜ(d) = qₜ + n (c + μ T d),    d⊥·wₜ = 0 with d·wₜ ≤ 0
//! ```
//!
//! (a, c, T: parts of A). Newton's method starts from the direction that sticking would have needed, so
//! that the answer is continuous in q: on the edge of the cone both ways give the same. For the other
//! laws, and where the equation has no such root, t ← Π(t − ρ wₜ) and n take turns.

use glam::{DMat2, DMat3, DVec2, DVec3};
use rb_core::law::Law;

/// Newton steps for the direction of sliding.
const NEWTON_ROUNDS: usize = 12;
/// Longest turn of one step (as a tangent).
const LONGEST_TURN: f64 = 0.5;
/// Turns below which the direction is found.
const TURN: f64 = 1e-14;
/// Projections where there is no direction to find.
const PROJECTIONS: usize = 32;

/// A of one contact with what can be prepared of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    /// A, regularised.
    pub(crate) a: DMat3,
    /// A⁻¹; zero if A is singular (a body with locked axes).
    pub(crate) inverse: DMat3,
}

/// Numbers in a stored [`Local`].
pub(crate) const NUMBERS: usize = 18;

impl Local {
    pub(crate) fn new(a: DMat3) -> Self {
        let t = tangential(&a);
        let regular =
            a.determinant() > 1e-12 * a.x_axis.x * t.determinant() && t.determinant() > 0.0;
        let inverse = if regular { a.inverse() } else { DMat3::ZERO };
        Self { a, inverse }
    }

    pub(crate) fn store(&self, numbers: &mut Vec<f64>) {
        numbers.extend(self.a.to_cols_array());
        numbers.extend(self.inverse.to_cols_array());
    }

    pub(crate) fn load(numbers: &[f64]) -> Self {
        Self {
            a: DMat3::from_cols_slice(&numbers[..9]),
            inverse: DMat3::from_cols_slice(&numbers[9..NUMBERS]),
        }
    }

    /// λ for the given q; `old` is where a singular contact starts.
    pub(crate) fn solve(&self, law: Law, q: DVec3, old: DVec3) -> DVec3 {
        let regular = self.inverse != DMat3::ZERO;
        let stick = if regular { -(self.inverse * q) } else { old };
        let tangent = DVec2::new(stick.y, stick.z);
        if regular && stick.x >= 0.0 && law.contains_tangent(tangent, stick.x) {
            return stick;
        }
        if let Law::Cone { mu } = law
            && let Some(slide) = self.slide(mu, q, tangent)
        {
            return slide;
        }
        self.project(law, q, law.project_tangent(tangent, stick.x.max(0.0)))
    }

    /// Sliding on Coulomb's cone, from the direction of `start`.
    fn slide(&self, mu: f64, q: DVec3, start: DVec2) -> Option<DVec3> {
        if q.x >= 0.0 {
            // It opens.
            return Some(DVec3::ZERO);
        }
        let (a, c) = (
            self.a.x_axis.x,
            DVec2::new(self.a.y_axis.x, self.a.z_axis.x),
        );
        let (t, q_t) = (tangential(&self.a), DVec2::new(q.y, q.z));
        let mut d = start.try_normalize()?;
        for _ in 0..NEWTON_ROUNDS {
            let stiffness = a + mu * c.dot(d);
            if stiffness <= 0.0 {
                return None;
            }
            let n = -q.x / stiffness;
            let pull = c + t * d * mu;
            let w = q_t + pull * n;
            let across = d.perp();
            let less = -n * mu * c.dot(across) / stiffness;
            let slope = across.dot(pull * less + t * across * (mu * n)) - d.dot(w);
            let turn = -across.dot(w) / slope;
            if turn.abs() <= TURN {
                return (d.dot(w) <= 0.0).then(|| DVec3::new(n, mu * n * d.x, mu * n * d.y));
            }
            if slope <= 0.0 || !turn.is_finite() {
                return None;
            }
            d = (d + across * turn.clamp(-LONGEST_TURN, LONGEST_TURN)).normalize();
        }
        None
    }

    /// Normal and tangents in turn.
    fn project(&self, law: Law, q: DVec3, mut t: DVec2) -> DVec3 {
        let a = &self.a;
        let rho = 1.0 / (a.y_axis.y + a.z_axis.z).max(f64::MIN_POSITIVE);
        let mut n = 0.0;
        for _ in 0..PROJECTIONS {
            n = (-(q.x + a.y_axis.x * t.x + a.z_axis.x * t.y) / a.x_axis.x).max(0.0);
            let w = q + a.x_axis * n + a.y_axis * t.x + a.z_axis * t.y;
            let next = law.project_tangent(t - DVec2::new(w.y, w.z) * rho, n);
            let change = (next - t).length_squared();
            t = next;
            if change <= 1e-28 * n * n {
                break;
            }
        }
        DVec3::new(n, t.x, t.y)
    }
}

fn tangential(a: &DMat3) -> DMat2 {
    DMat2::from_cols(
        DVec2::new(a.y_axis.y, a.y_axis.z),
        DVec2::new(a.z_axis.y, a.z_axis.z),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A of a body of 1 kg with inverse inertia `inv`, touched at `arm`.
    fn touched(arm: [f64; 3], inv: [f64; 3]) -> DMat3 {
        let columns = DMat3::IDENTITY.to_cols_array_2d().map(DVec3::from);
        let lever = columns.map(|d| DVec3::from(arm).cross(d));
        let inv = DVec3::from(inv);
        let column = |j: usize| {
            DVec3::from_array([0, 1, 2].map(|i| lever[i].dot(inv * lever[j]))) + columns[j]
        };
        DMat3::from_cols(column(0), column(1), column(2))
    }

    proptest! {
        #[test]
        fn answers_are_exact_and_continuous(
            arm in prop::array::uniform3(-0.15..0.15f64),
            inv in prop::array::uniform3(50.0..200.0f64),
            q in prop::array::uniform3(-2.0..1.0f64),
            nudge in prop::array::uniform3(-1e-9..1e-9f64),
            mu in 0.05..0.7f64,
        ) {
            let local = Local::new(touched(arm, inv));
            let (q, law) = (DVec3::from(q), Law::Cone { mu });
            let lambda = local.solve(law, q, DVec3::ZERO);
            let w = local.a * lambda + q;
            let t = DVec2::new(lambda.y, lambda.z);
            prop_assert!(lambda.x >= 0.0 && t.length() <= mu * lambda.x * (1.0 + 1e-12));
            // Coulomb's law: −(w + μ‖wₜ‖ eₙ) is normal to the cone at λ.
            let lift = DVec3::X * law.support(DVec2::new(w.y, w.z));
            let miss = (law.project(lambda - w - lift) - lambda).length();
            prop_assert!(miss < 1e-10, "{miss:e}: {lambda} {w}");
            let near = local.solve(law, q + DVec3::from(nudge), DVec3::ZERO);
            prop_assert!((near - lambda).length() < 1e-6, "{lambda} jumps to {near}");
        }
    }
}
