//! Expansions of a boxed problem into one where every unknown is one-sided or free.
//!
//! Compact, for any lo ≤ hi: z = lo + x (z = hi − x if only hi is finite), and, where both bounds
//! are finite, a velocity slack y at the far one:
//!
//! ```text
//! 0 ≤ x ⊥ A x + y + r ≥ 0,   0 ≤ y ⊥ −x + (hi − lo) ≥ 0        matrix [[A, I], [−I, 0]]
//! ```
//!
//! Split, for lo ≤ 0 ≤ hi: z = z⁺ − z⁻, each half with a slack at its cap:
//!
//! ```text
//! 0 ≤ z⁺ ⊥  w + β⁺ ≥ 0,   0 ≤ β⁺ ⊥ hi − z⁺ ≥ 0
//! 0 ≤ z⁻ ⊥ −w + β⁻ ≥ 0,   0 ≤ β⁻ ⊥ −lo − z⁻ ≥ 0
//! ```
//!
//! Slacks of infinite bounds are left out. y and β are velocities: they never act on a body. With
//! M positive semidefinite so are both expanded matrices; for finite or one-sided boxes that contain
//! 0 they are feasible too, so that Lemke's method ends with a solution.

use crate::lcp::{BoxedLcp, Side, sides_at};
use crate::linalg::matrix::Matrix;

/// Which expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Up to two unknowns per row; any bounds.
    Compact,
    /// Up to four unknowns per row; bounds must contain 0.
    Split,
}

/// Meaning of an expanded unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    /// Contributes `sign` times itself to z of a row.
    Value { row: usize, sign: f64 },
    /// Slack at the far bound of the value unknown `of`.
    Slack { of: usize, cap: f64 },
}

/// The expanded problem: 0 ≤ x ⊥ w = M x + q ≥ 0, except that free x have w = 0 and no sign.
pub(super) struct Expanded {
    pub(super) m: Matrix,
    pub(super) q: Vec<f64>,
    pub(super) free: Vec<bool>,
    parts: Vec<Part>,
    /// z where all values are 0.
    origin: Vec<f64>,
}

impl Expanded {
    pub(super) fn new(p: &BoxedLcp, form: Form) -> Self {
        let n = p.len();
        let (mut parts, mut caps) = (Vec::new(), Vec::new());
        let mut origin = vec![0.0; n];
        for row in 0..n {
            let (lo, hi) = (p.lower()[row], p.upper()[row]);
            let mut value = |sign: f64, cap: f64| {
                parts.push(Part::Value { row, sign });
                caps.push(cap);
            };
            match form {
                _ if p.is_free(row) => value(1.0, f64::INFINITY),
                Form::Compact if lo.is_finite() => {
                    origin[row] = lo;
                    value(1.0, hi - lo);
                }
                Form::Compact => {
                    origin[row] = hi;
                    value(-1.0, f64::INFINITY);
                }
                Form::Split => {
                    if hi != 0.0 {
                        value(1.0, hi);
                    }
                    if lo != 0.0 {
                        value(-1.0, -lo);
                    }
                }
            }
        }
        for (of, cap) in caps.into_iter().enumerate() {
            if cap.is_finite() {
                parts.push(Part::Slack { of, cap });
            }
        }
        let q = parts.iter().map(|&part| offset(p, &origin, part)).collect();
        let m = Matrix::from_fn(parts.len(), parts.len(), |i, j| {
            entry(p, (i, parts[i]), (j, parts[j]))
        });
        let free = parts.iter().map(|part| is_free(p, *part)).collect();
        Self {
            m,
            q,
            free,
            parts,
            origin,
        }
    }

    /// z of expanded values.
    pub(super) fn collapse(&self, x: &[f64]) -> Vec<f64> {
        self.add(x, self.origin.clone())
    }

    /// The direction in z of a direction of expanded values.
    pub(super) fn collapse_direction(&self, dx: &[f64]) -> Vec<f64> {
        self.add(dx, vec![0.0; self.origin.len()])
    }

    fn add(&self, x: &[f64], mut z: Vec<f64>) -> Vec<f64> {
        for (part, x) in self.parts.iter().zip(x) {
            if let Part::Value { row, sign } = part {
                z[*row] += sign * x;
            }
        }
        z
    }

    /// Which unknowns of the compact expansion are above zero where z ends up, by the natural map:
    /// the basis a warm start asks for. A z that misses its bound by rounding counts as at it.
    pub(super) fn support(&self, p: &BoxedLcp, z: &[f64]) -> Vec<bool> {
        let mut sides = sides_at(p, z);
        for row in (0..sides.len()).filter(|&row| p.lower()[row] == p.upper()[row]) {
            // At both bounds: its velocity tells which of them holds it.
            if p.rate(row, z) < 0.0 {
                sides[row] = Side::High;
            }
        }
        let at = |part: &Part| match *part {
            Part::Value { row, sign } => sides[row] != near(sign),
            Part::Slack { of, .. } => match self.parts[of] {
                Part::Value { row, sign } => sides[row] == near(-sign),
                Part::Slack { .. } => false,
            },
        };
        self.parts.iter().map(at).collect()
    }
}

/// The bound at which a value unknown of this sign is 0.
fn near(sign: f64) -> Side {
    if sign > 0.0 { Side::Low } else { Side::High }
}

fn is_free(p: &BoxedLcp, part: Part) -> bool {
    match part {
        Part::Value { row, .. } => p.is_free(row),
        Part::Slack { .. } => false,
    }
}

fn offset(p: &BoxedLcp, origin: &[f64], part: Part) -> f64 {
    match part {
        Part::Value { row, sign } => sign * p.rate(row, origin),
        Part::Slack { cap, .. } => cap,
    }
}

fn entry(p: &BoxedLcp, (i, a): (usize, Part), (j, b): (usize, Part)) -> f64 {
    match (a, b) {
        (Part::Value { row: r, sign: s }, Part::Value { row: c, sign: t }) => {
            s * p.matrix()[(r, c)] * t
        }
        (Part::Value { .. }, Part::Slack { of, .. }) if of == i => 1.0,
        (Part::Slack { of, .. }, Part::Value { .. }) if of == j => -1.0,
        _ => 0.0,
    }
}
