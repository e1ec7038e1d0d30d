//! Means and quantiles.

/// Arithmetic mean; 0 of nothing.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The value below which a fraction `q` of the values lie; 0 of nothing.
pub(crate) fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let index = (sorted.len().saturating_sub(1) as f64 * q).round() as usize;
    sorted.get(index).copied().unwrap_or(0.0)
}

/// Four significant digits, enough for people and small enough for a line.
pub(crate) fn round(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_a_ramp() {
        let ramp: Vec<f64> = (0..=100).rev().map(f64::from).collect();
        assert_eq!(
            [0.0, 0.5, 0.99, 1.0].map(|q| quantile(&ramp, q)),
            [0.0, 50.0, 99.0, 100.0]
        );
        assert_eq!(
            (mean(&ramp), mean(&[]), quantile(&[], 0.5)),
            (50.0, 0.0, 0.0)
        );
    }

    #[test]
    fn four_digits_remain() {
        assert_eq!(
            [123_456.0, 0.001_234_56, -9.999_96].map(round),
            [123_500.0, 0.001_235, -10.0]
        );
    }
}
