//! Impulses of manifolds into lanes, a batch at a time: what is stored, in whichever form, as the batch has it.

use super::batch::Slip;
use super::grip::Grip;
use super::simd::{AllLanes, LANES};
use super::vector::V3;
use rb_core::manifold::{MAX_POINTS, Manifold, Marks, WHOLE};

/// Takes the impulses of all manifolds, times `scale`, but for those of the normals, which it returns.
#[inline(always)]
pub(super) fn load<S: AllLanes>(
    eight: [&Manifold; LANES],
    slips: &mut [Slip<S::Stored>],
    grip: &mut Option<&mut Grip<S::Stored>>,
    scale: S,
) -> [S; MAX_POINTS] {
    let [a, b, c, d] = match grip {
        Some(grip) => {
            let [loads @ .., x, y, twist] = whole(eight);
            V3([x, y, twist]).scaled(scale).store(&mut grip.impulse);
            loads
        }
        None => {
            let [loads, first, second] = each::<S>(eight, slips.len());
            for (k, slip) in slips.iter_mut().enumerate() {
                first[k].mul(scale).store(&mut slip.impulse[0]);
                second[k].mul(scale).store(&mut slip.impulse[1]);
            }
            loads
        }
    };
    [a.mul(scale), b.mul(scale), c.mul(scale), d.mul(scale)]
}

/// Impulses with friction as one (N·s).
#[inline(always)]
fn whole<S: AllLanes>(eight: [&Manifold; LANES]) -> [S; WHOLE] {
    let mut rows = [S::zero(); LANES];
    for (row, m) in rows.iter_mut().zip(eight) {
        *row = if m.marks.contains(Marks::WHOLE) {
            S::read(&m.loads()[2..])
        } else {
            let [a, b, c, d, x, y, twist] = m.whole();
            S::read(&[0.0, a, b, c, d, x, y, twist])
        };
    }
    let [_, whole @ ..] = S::transposed(rows);
    whole
}

/// Impulses of the first `points` points where each has its own friction (N·s): along the normals, then the tangents.
#[inline(always)]
fn each<S: AllLanes>(eight: [&Manifold; LANES], points: usize) -> [[S; MAX_POINTS]; 3] {
    const REST: usize = 3 * MAX_POINTS - LANES;
    let numbers = eight.map(|m| m.each().0);
    let [a0, a1, a2, b0, b1, b2, c0, c1] = columns::<S>(&numbers, 0);
    let (mut c2, [mut d0, mut d1, mut d2]) = (S::zero(), [S::zero(); 3]);
    if 3 * points > LANES {
        [.., c2, d0, d1, d2] = columns::<S>(&numbers, REST);
    }
    [[a0, b0, c0, d0], [a1, b1, c1, d1], [a2, b2, c2, d2]]
}

/// Eight of the numbers of all points, from one on.
#[inline(always)]
fn columns<S: AllLanes>(numbers: &[[[f64; 3]; MAX_POINTS]; LANES], from: usize) -> [S; LANES] {
    let mut rows = [S::zero(); LANES];
    for (row, numbers) in rows.iter_mut().zip(numbers) {
        *row = S::read(&numbers.as_flattened()[from..]);
    }
    S::transposed(rows)
}
