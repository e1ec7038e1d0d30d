//! Elimination of free unknowns: joints and other equations leave the pivoting before it starts.
//!
//! Equations are solved for free unknowns with complete pivoting, which reveals the rank. Where the
//! equations alone do not determine the free unknowns (circuits, not mechanisms), a one-sided pair
//! lends its row and column for a 2 × 2 pivot; the pair stays complementary, with roles exchanged.

use super::dictionary::{Dictionary, Var};
use super::forms::Expanded;

/// Pivots below this are zero, for a problem of unit size.
const ZERO: f64 = 1e-11;
/// A redundant equation may miss by this much.
const CONSISTENT: f64 = 1e-9;

/// A problem of one-sided pairs, and the way back to all unknowns.
pub(super) struct Reduced {
    pub(super) pairs: Dictionary,
    /// Eliminated unknowns in terms of the columns of `pairs`.
    values: Dictionary,
    size: usize,
}

/// Why elimination failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dead {
    /// The equations contradict each other.
    Contradiction,
    /// Equations are left that no exchange of pairs can satisfy.
    Stuck,
}

impl Reduced {
    pub(super) fn new(e: &Expanded) -> Result<Self, Dead> {
        let mut d = Dictionary::new(e.m.clone(), e.q.clone());
        let free = |v: Var| e.free[v.0 / 2];
        let free_x = |v: Var| v.as_x().is_some() && free(v);
        let free_w = |v: Var| v.as_x().is_none() && free(v);
        d.exchange(free_w, free_x, ZERO);
        while lend(&mut d, &free) {}
        for i in (0..d.rows.len()).filter(|&i| free_w(d.rows[i])) {
            let live = (0..d.cols.len()).any(|j| !free(d.cols[j]) && d.a[(i, j)].abs() > ZERO);
            if live {
                return Err(Dead::Stuck);
            }
            if d.b[i].abs() > CONSISTENT {
                return Err(Dead::Contradiction);
            }
        }
        let numbers = |vars: &[Var], keep: &dyn Fn(Var) -> bool| -> Vec<usize> {
            (0..vars.len()).filter(|&k| keep(vars[k])).collect()
        };
        let kept = |v: Var| !free(v);
        let cols = numbers(&d.cols, &kept);
        Ok(Self {
            pairs: d.part(&numbers(&d.rows, &kept), &cols),
            values: d.part(&numbers(&d.rows, &free_x), &cols),
            size: e.q.len(),
        })
    }

    /// All x of given values of the nonbasic variables of `pairs`, looked up by variable; with
    /// `affine` false, a direction instead of a point.
    pub(super) fn recover(&self, value: impl Fn(Var) -> f64, affine: bool) -> Vec<f64> {
        let mut x = vec![0.0; self.size];
        for &v in self.pairs.cols.iter().chain(&self.pairs.rows) {
            if let Some(k) = v.as_x() {
                x[k] = value(v);
            }
        }
        let nonbasic: Vec<f64> = self.values.cols.iter().map(|&v| value(v)).collect();
        let slopes = self.values.a.apply(&nonbasic);
        for (i, v) in self.values.rows.iter().enumerate() {
            if let Some(k) = v.as_x() {
                x[k] = slopes[i] + if affine { self.values.b[i] } else { 0.0 };
            }
        }
        x
    }
}

/// One 2 × 2 pivot: a free unknown enters a one-sided row, whose partner enters an unmet equation.
/// Picks the largest product of the two pivots; false if there is none.
fn lend(d: &mut Dictionary, free: &impl Fn(Var) -> bool) -> bool {
    let mut best = (0, 0, 0, 0, ZERO);
    for r in (0..d.rows.len()).filter(|&r| free(d.rows[r]) && d.rows[r].as_x().is_none()) {
        for c in (0..d.cols.len()).filter(|&c| free(d.cols[c]) && d.cols[c].as_x().is_some()) {
            for i in (0..d.rows.len()).filter(|&i| !free(d.rows[i])) {
                let partner = d.rows[i].partner();
                let Some(j) = d.cols.iter().position(|&v| v == partner) else {
                    continue;
                };
                let size = (d.a[(i, c)] * d.a[(r, j)]).abs();
                if size > best.4 {
                    best = (r, c, i, j, size);
                }
            }
        }
    }
    let (r, c, i, j, size) = best;
    if size <= ZERO {
        return false;
    }
    d.pivot(i, c);
    d.pivot(r, j);
    true
}
