//! Sums of products as accurate as if computed in twice the working precision.
//!
//! Every addition and multiplication is split exactly into its rounded result and its error, and the
//! errors are summed along. A certificate built on this cannot be fooled by cancellation between
//! large terms, and iterative refinement gains digits even where the matrix has none to spare.
//! Source: T. Ogita, S. Rump, S. Oishi, "Accurate sum and dot product", 2005.

/// Running sum: value and accumulated error.
#[derive(Clone, Copy, Debug, Default)]
pub struct Accurate {
    sum: f64,
    error: f64,
}

/// 2²⁷ + 1 halves a significand (Veltkamp).
const SPLITTER: f64 = 134_217_729.0;
/// Above this, splitting would overflow; such products are taken as rounded.
const SPLIT_LIMIT: f64 = 1e290;

fn split(a: f64) -> (f64, f64) {
    let c = SPLITTER * a;
    let high = c - (c - a);
    (high, a - high)
}

impl Accurate {
    /// A sum that starts at `x`.
    pub fn new(x: f64) -> Self {
        Self { sum: x, error: 0.0 }
    }

    /// Adds `x` (Knuth's two-sum).
    #[inline]
    pub fn add(&mut self, x: f64) {
        let s = self.sum + x;
        let virtual_x = s - self.sum;
        self.error += (self.sum - (s - virtual_x)) + (x - virtual_x);
        self.sum = s;
    }

    /// Adds `a b` (Dekker's two-product).
    #[inline]
    pub fn add_product(&mut self, a: f64, b: f64) {
        let p = a * b;
        self.add(p);
        if a.abs() < SPLIT_LIMIT && b.abs() < SPLIT_LIMIT && p.abs() < SPLIT_LIMIT {
            let ((ah, al), (bh, bl)) = (split(a), split(b));
            self.error += al * bl - (((p - ah * bh) - al * bh) - ah * bl);
        }
    }

    /// The sum, rounded once. An overflow shows as an infinity or NaN.
    pub fn value(self) -> f64 {
        self.sum + self.error
    }
}

/// start + xᵀy.
pub fn dot_from(start: f64, x: &[f64], y: &[f64]) -> f64 {
    let mut sum = Accurate::new(start);
    for (&a, &b) in x.iter().zip(y) {
        if a != 0.0 && b != 0.0 {
            sum.add_product(a, b);
        }
    }
    sum.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survives_cancellation() {
        // 1e17 − 1e17 − 1 in any order.
        assert_eq!(dot_from(-1.0, &[1.0, -1.0], &[1e17, 1e17]), -1.0);
        // (1 + 2⁻³⁰)² − 1 − 2⁻²⁹ = 2⁻⁶⁰, lost entirely in plain arithmetic.
        let x = 1.0 + 2f64.powi(-30);
        assert_eq!(dot_from(-1.0 - 2f64.powi(-29), &[x], &[x]), 2f64.powi(-60));
    }
}
