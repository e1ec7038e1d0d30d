//! Active sets: which rows are at a bound, and the point that follows from it.

use super::BoxedLcp;
use crate::linalg::lu::{Lu, RankLu};
use crate::linalg::matrix::max_abs;

/// Where an unknown is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Between its bounds: w = 0.
    Free,
    /// At lo: w ≥ 0.
    Low,
    /// At hi: w ≤ 0.
    High,
}

/// Below this ratio of pivots a matrix is factored again with its rank revealed.
const DOUBTFUL: f64 = 1e-11;
/// What counts as zero in a rank decision, relative to the largest entry.
const DEPENDENT: f64 = 1e-13;
/// Rounds of iterative refinement, at most.
const REFINEMENTS: usize = 6;
/// Active sets tried by [`finish`], at most.
const SETS: usize = 8;

/// Sides by the natural map: what one projected step z − w runs into.
pub(crate) fn sides_at(p: &BoxedLcp, z: &[f64]) -> Vec<Side> {
    let side = |i: usize| {
        let step = z[i] - p.rate(i, z);
        if p.lo[i] == p.hi[i] || step <= p.lo[i] {
            Side::Low
        } else if step >= p.hi[i] {
            Side::High
        } else {
            Side::Free
        }
    };
    (0..p.len()).map(side).collect()
}

/// A factor of M over the free rows.
enum Factor {
    Regular(Lu),
    Ranked(RankLu),
}

impl Factor {
    fn solve(&self, mut b: Vec<f64>) -> Vec<f64> {
        match self {
            Self::Regular(lu) => {
                lu.solve(&mut b);
                b
            }
            Self::Ranked(lu) => lu.solve(&b),
        }
    }
}

/// Moves z to the point of the given sides: bounds taken, w = 0 on the free rows, solved to the last
/// digit by refinement with accurate residuals. Dependent free unknowns keep their values. Returns
/// whether the free rows were independent.
pub(crate) fn correct(p: &BoxedLcp, sides: &[Side], z: &mut [f64]) -> bool {
    for (i, side) in sides.iter().enumerate() {
        match side {
            Side::Free => {}
            Side::Low => z[i] = p.lo[i],
            Side::High => z[i] = p.hi[i],
        }
    }
    let free: Vec<usize> = (0..p.len()).filter(|&i| sides[i] == Side::Free).collect();
    let block = p.m.block(&free, &free);
    let lu = Lu::new(block.clone());
    let (factor, regular) = if lu.smallest_pivot() > DOUBTFUL {
        (Factor::Regular(lu), true)
    } else {
        let ranked = RankLu::new(block, DEPENDENT);
        let regular = ranked.rank() == free.len();
        (Factor::Ranked(ranked), regular)
    };
    let mut last = f64::INFINITY;
    for _ in 0..REFINEMENTS {
        let step = factor.solve(free.iter().map(|&i| -p.rate(i, z)).collect());
        let size = max_abs(&step);
        if size >= 0.5 * last {
            break;
        }
        last = size;
        for (&i, s) in free.iter().zip(&step) {
            z[i] += s;
        }
    }
    regular
}

/// The best point reached from z by repeatedly solving for the active set it suggests: Newton's
/// method on the natural map, kept only while the residual falls.
pub(crate) fn finish(p: &BoxedLcp, z: &[f64]) -> Vec<f64> {
    let mut best = p.clamp(z);
    let mut grade = p.residual(&best).abs;
    for _ in 0..SETS {
        let mut next = best.clone();
        correct(p, &sides_at(p, &best), &mut next);
        let next = p.clamp(&next);
        let g = p.residual(&next).abs;
        if g >= grade {
            break;
        }
        (best, grade) = (next, g);
    }
    best
}
