//! From real numbers to the integers that are stored.
//!
//! The player (`web/src/stream.js`) undoes these maps; the steps must agree.

use crate::error::Problem;

/// Distance between two representable positions, m: 2⁻¹³ m, an eighth of a millimetre.
const POSITION_STEP: f64 = 1.0 / 8192.0;
/// Distance between two representable velocities, m/s.
const VELOCITY_STEP: f64 = 1e-3;
/// Steps in the range 0 ..= 1/√2 of the three smaller components of a unit quaternion.
const ROTATION_STEPS: f64 = 16383.0;
/// Steps in the range 0 ..= 1 of an octahedral coordinate.
const NORMAL_STEPS: f64 = 127.0;
/// The weakest impulse that is told from none, N·s.
const IMPULSE_FLOOR: f64 = 1e-6;
/// Steps per doubling of an impulse.
const IMPULSE_STEPS: f64 = 8.0;

/// Largest error of a stored position on each axis, m (0.061 mm).
pub const POSITION_ERROR: f64 = POSITION_STEP / 2.0;
/// Largest stored distance from the origin on each axis, m (262 km).
pub const POSITION_LIMIT: f64 = POSITION_STEP * i32::MAX as f64;
/// Largest error of a stored velocity on each axis, m/s.
pub const VELOCITY_ERROR: f64 = VELOCITY_STEP / 2.0;
/// Bound on the angle between a stored and a true orientation, rad (0.009°).
///
/// Half a step, `1 / (2√2 · 16383)`, on three components, doubled at worst by restoring the
/// fourth (which is at least one half), doubled again from quaternion to angle.
pub const ROTATION_ERROR: f64 = 1.5e-4;

/// A position, in steps.
pub(crate) fn position(metres: [f64; 3]) -> Result<[i32; 3], Problem> {
    lattice(metres, POSITION_STEP)
}

/// A velocity, in steps.
pub(crate) fn velocity(metres_per_second: [f32; 3]) -> Result<[i32; 3], Problem> {
    lattice(metres_per_second.map(f64::from), VELOCITY_STEP)
}

/// A rotation as its three components of least magnitude, in steps, and the index of the
/// fourth, which is made positive (`q` and `-q` are the same rotation).
pub(crate) fn rotation(xyzw: [f64; 4]) -> Result<([i32; 3], i32), Problem> {
    let unit = normalised(xyzw)?;
    let largest = (1..4).fold(0, |best, axis| {
        if unit[axis].abs() > unit[best].abs() {
            axis
        } else {
            best
        }
    });
    let scale = unit[largest].signum() * std::f64::consts::SQRT_2 * ROTATION_STEPS;
    let smaller = [1, 2, 3].map(|skip| {
        let axis = if skip <= largest { skip - 1 } else { skip };
        (unit[axis] * scale).round() as i32
    });
    Ok((smaller, largest as i32))
}

/// A direction in octahedral coordinates, in steps.
pub(crate) fn normal(direction: [f32; 3]) -> Result<[i32; 2], Problem> {
    let [x, y, z] = normalised(direction.map(f64::from))?;
    let sum = x.abs() + y.abs() + z.abs();
    let (u, v) = (x / sum, y / sum);
    let folded = if z < 0.0 {
        [(1.0 - v.abs()).copysign(u), (1.0 - u.abs()).copysign(v)]
    } else {
        [u, v]
    };
    Ok(folded.map(|c| (c * NORMAL_STEPS).round() as i32))
}

/// The magnitude of an impulse on a logarithmic scale; 0 for (almost) none.
pub(crate) fn impulse(newton_seconds: f32) -> Result<i32, Problem> {
    if !newton_seconds.is_finite() {
        return Err(Problem::NotFinite);
    }
    let octaves = (f64::from(newton_seconds).abs() / IMPULSE_FLOOR)
        .max(1.0)
        .log2();
    Ok((octaves * IMPULSE_STEPS).round().min(255.0) as i32)
}

fn lattice(values: [f64; 3], step: f64) -> Result<[i32; 3], Problem> {
    if values.iter().any(|v| !v.is_finite()) {
        return Err(Problem::NotFinite);
    }
    let steps = values.map(|v| (v / step).round());
    if steps.iter().any(|s| s.abs() > f64::from(i32::MAX)) {
        return Err(Problem::OutOfRange);
    }
    Ok(steps.map(|s| s as i32))
}

fn normalised<const N: usize>(v: [f64; N]) -> Result<[f64; N], Problem> {
    if v.iter().any(|c| !c.is_finite()) {
        return Err(Problem::NotFinite);
    }
    // Scaling by the largest component first keeps the squares from overflowing.
    let largest = v.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
    if largest == 0.0 {
        return Err(Problem::NoDirection);
    }
    let scaled = v.map(|c| c / largest);
    let length = scaled.iter().map(|c| c * c).sum::<f64>().sqrt();
    Ok(scaled.map(|c| c / length))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the player does.
    fn restored((smaller, largest): ([i32; 3], i32)) -> [f64; 4] {
        let scale = 1.0 / (std::f64::consts::SQRT_2 * ROTATION_STEPS);
        let three = smaller.map(|s| f64::from(s) * scale);
        let fourth = (1.0 - three.iter().map(|c| c * c).sum::<f64>())
            .max(0.0)
            .sqrt();
        let mut rest = three.into_iter();
        std::array::from_fn(|axis| {
            if axis == largest as usize {
                fourth
            } else {
                rest.next().expect("three components")
            }
        })
    }

    /// A low-discrepancy walk through [-1, 1]^4.
    fn quaternions() -> impl Iterator<Item = [f64; 4]> {
        (1..5000).map(|n| {
            [0.8567, 0.7339, 0.6287, 0.5386].map(|a| 2.0 * (f64::from(n) * a).fract() - 1.0)
        })
    }

    #[test]
    fn rotations_return_within_the_stated_angle() {
        for q in quaternions() {
            let unit = normalised(q).expect("not zero");
            let back = restored(rotation(q).expect("finite"));
            // The chord keeps its digits where the cosine has none left.
            let sign = unit
                .iter()
                .zip(back)
                .map(|(a, b)| a * b)
                .sum::<f64>()
                .signum();
            let chord: f64 = unit
                .iter()
                .zip(back)
                .map(|(a, b)| (a - sign * b).powi(2))
                .sum();
            let angle = 4.0 * (chord.sqrt() / 2.0).asin();
            assert!(angle <= ROTATION_ERROR, "{q:?} is off by {angle} rad");
        }
    }

    #[test]
    fn no_rotation_is_exact_and_sign_does_not_matter() {
        assert_eq!(rotation([0.0, 0.0, 0.0, 1.0]), Ok(([0; 3], 3)));
        assert_eq!(
            rotation([0.1, 0.7, -0.2, 0.3]),
            rotation([-0.1, -0.7, 0.2, -0.3])
        );
    }

    #[test]
    fn positions_return_within_the_stated_error() {
        for n in 0..10_000 {
            let x = (f64::from(n) * 0.754_877).fract() * 200.0 - 100.0;
            let steps = position([x, -x, 1e5 + x]).expect("in range");
            for (step, metres) in steps.into_iter().zip([x, -x, 1e5 + x]) {
                assert!((f64::from(step) * POSITION_STEP - metres).abs() <= POSITION_ERROR);
            }
        }
    }

    #[test]
    fn normals_stay_within_one_degree_and_a_half() {
        for [x, y, z, _] in quaternions() {
            let [a, b, c] = normalised([x, y, z]).expect("not zero");
            let [u, v] = normal([x, y, z].map(|c| c as f32)).expect("finite");
            let (u, v) = (f64::from(u) / NORMAL_STEPS, f64::from(v) / NORMAL_STEPS);
            let height = 1.0 - u.abs() - v.abs();
            let fold = (-height).max(0.0);
            let unfold = [u - fold.copysign(u), v - fold.copysign(v), height];
            let [p, q, r] = normalised(unfold).expect("not zero");
            assert!((a * p + b * q + c * r).min(1.0).acos() < 1.5_f64.to_radians());
        }
    }

    #[test]
    fn impulses_keep_their_magnitude() {
        assert_eq!(impulse(0.0), Ok(0));
        for newton_seconds in [1e-5_f32, 0.02, 1.0, 37.0, 3000.0] {
            let steps = impulse(newton_seconds).expect("finite");
            let back = IMPULSE_FLOOR * (f64::from(steps) / IMPULSE_STEPS).exp2();
            assert!((back / f64::from(newton_seconds) - 1.0).abs() < 0.05);
        }
    }

    #[test]
    fn what_cannot_be_stored_is_named() {
        assert_eq!(position([0.0, f64::NAN, 0.0]), Err(Problem::NotFinite));
        assert_eq!(position([0.0, -3e5, 0.0]), Err(Problem::OutOfRange));
        assert!(position([POSITION_LIMIT; 3]).is_ok());
        assert_eq!(rotation([0.0; 4]), Err(Problem::NoDirection));
        assert_eq!(
            rotation([0.0, f64::INFINITY, 0.0, 0.0]),
            Err(Problem::NotFinite)
        );
        assert_eq!(normal([0.0; 3]), Err(Problem::NoDirection));
        assert_eq!(impulse(f32::NAN), Err(Problem::NotFinite));
    }
}
