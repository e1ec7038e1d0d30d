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
    let [_, whole @ ..] = columns::<S>(eight, |m| match is_whole(m) {
        true => S::read(first(m)),
        false => {
            let [a, b, c, d, x, y, twist] = m.whole();
            S::read(&[0.0, a, b, c, d, x, y, twist])
        }
    });
    whole
}

/// Impulses of the first `points` points where each has its own friction (N·s): along the normals, then the tangents.
#[inline(always)]
fn each<S: AllLanes>(eight: [&Manifold; LANES], points: usize) -> [[S; MAX_POINTS]; 3] {
    let [_, a0, a1, a2, b0, b1, b2, c0] = columns::<S>(eight, |m| match is_whole(m) {
        true => S::read(&shares(m)[0]),
        false => S::read(first(m)),
    });
    let [mut c1, mut c2, mut d0, mut d1, mut d2] = [S::zero(); 5];
    if 3 * points > WHOLE {
        [c1, c2, d0, d1, d2, ..] = columns::<S>(eight, |m| match is_whole(m) {
            true => S::read(&shares(m)[1]),
            false => S::read(m.rest.numbers()),
        });
    }
    [[a0, b0, c0, d0], [a1, b1, c1, d1], [a2, b2, c2, d2]]
}

#[inline(always)]
fn is_whole(m: &Manifold) -> bool {
    m.marks.contains(Marks::WHOLE)
}

/// What is stored of impulses in one cache line, after a number of the normal.
#[inline(always)]
fn first(m: &Manifold) -> &[f64] {
    &m.loads()[2..]
}

/// Impulses of the points of a manifold whose friction is one, as they would be stored.
fn shares(m: &Manifold) -> [[f64; LANES]; 2] {
    let (points, _) = m.each();
    let (first, rest) = points.as_flattened().split_at(WHOLE);
    let mut out = [[0.0; LANES]; 2];
    out[0][1..].copy_from_slice(first);
    out[1][..rest.len()].copy_from_slice(rest);
    out
}

/// Eight numbers of each manifold.
#[inline(always)]
fn columns<S: AllLanes>(eight: [&Manifold; LANES], numbers: impl Fn(&Manifold) -> S) -> [S; LANES] {
    let mut rows = [S::zero(); LANES];
    for (row, m) in rows.iter_mut().zip(eight) {
        *row = numbers(m);
    }
    S::transposed(rows)
}
