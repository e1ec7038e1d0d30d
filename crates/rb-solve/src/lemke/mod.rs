//! Lemke's method for boxed problems: expansion, elimination of equations, paths, retries.
//!
//! For a feasible problem with positive semidefinite M the path ends with a solution; for other
//! classes (copositive-plus, P, friction pyramids) see Cottle, Pang, Stone, "The Linear
//! Complementarity Problem", 1992, §4.4. A ray with one covering vector is no proof, so others are
//! tried before it is reported.

mod dictionary;
mod forms;
mod reduce;
mod tableau;

pub use forms::Form;

use crate::lcp::{Attempt, BoxedLcp, End};
use crate::linalg::lu::RankLu;
use dictionary::{Dictionary, Var};
use forms::Expanded;
use reduce::{Dead, Reduced};
use tableau::{Path, Point};

/// Smallest relative pivot of a warm start.
const WARM: f64 = 1e-8;
/// Fractional part of the golden ratio: multiples of it spread evenly over (0, 1).
const GOLDEN: f64 = 0.618_033_988_749_894_8;

/// Solves a problem of about unit size, from a guess of z if there is one.
///
/// [`Form::Split`] ends with [`End::NoSolution`] if a box does not contain 0: its expansion cannot
/// represent such a box.
pub fn solve(p: &BoxedLcp, form: Form, guess: Option<&[f64]>) -> Attempt {
    let solver = match form {
        Form::Compact => "lemke",
        Form::Split => "lemke4",
    };
    let expanded = Expanded::new(p, form);
    let attempt = |z, end, iterations| Attempt {
        z,
        end,
        iterations,
        solver,
    };
    let reduced = match Reduced::new(&expanded) {
        Ok(reduced) => reduced,
        Err(dead) => {
            let end = match dead {
                Dead::Contradiction => End::NoSolution { ray: Vec::new() },
                Dead::Stuck => End::Unmet,
            };
            return attempt(p.clamp(&vec![0.0; p.len()]), end, 0);
        }
    };
    let z_of =
        |point: &Point| p.clamp(&expanded.collapse(&reduced.recover(|v| point.value(v), true)));
    let start = match guess {
        Some(z) => warm(&reduced.pairs, &expanded.support(p, z)),
        None => reduced.pairs.clone(),
    };
    let mut pivots = 0;
    let mut last = None;
    for cover in covers(&start) {
        let cap = pivots + 1000 + 50 * start.rows.len() as u32;
        match tableau::follow(&start, &cover, &mut pivots, cap) {
            Path::Solved(point) => return attempt(z_of(&point), End::Converged, pivots),
            Path::Ray(point, direction) => {
                let dx = reduced.recover(|v| direction.value(v), false);
                let ray = expanded.collapse_direction(&dx);
                last.get_or_insert((z_of(&point), End::NoSolution { ray }));
            }
            Path::Spent(point) => last = Some((z_of(&point), End::Unmet)),
        }
    }
    let (z, end) = last.unwrap_or_else(|| (p.clamp(&vec![0.0; p.len()]), End::Unmet));
    attempt(z, end, pivots)
}

/// Covering vectors, all positive where needed: even, by size of the violation, and uneven ones that
/// take the path elsewhere.
fn covers(d: &Dictionary) -> Vec<Vec<f64>> {
    let n = d.b.len();
    let worst =
        d.b.iter()
            .fold(0.0f64, |m, b| m.max(-b))
            .max(f64::MIN_POSITIVE);
    let spread = |k: usize, shift: f64| 0.1 + (k as f64 * GOLDEN + shift).fract();
    vec![
        vec![1.0; n],
        d.b.iter().map(|b| (-b / worst).max(0.0)).collect(),
        (0..n).map(|k| spread(k, 0.0)).collect(),
        (0..n).map(|k| spread(n - k, 0.5)).collect(),
    ]
}

/// The dictionary with the supported unknowns basic, if they are independent; else as it was.
fn warm(pairs: &Dictionary, support: &[bool]) -> Dictionary {
    let wanted = |v: Var| v.as_x().is_some() && support[v.0 / 2];
    let cols: Vec<usize> = (0..pairs.cols.len())
        .filter(|&j| wanted(pairs.cols[j]))
        .collect();
    let rows: Vec<usize> = cols
        .iter()
        .filter_map(|&j| {
            pairs
                .rows
                .iter()
                .position(|&v| v == pairs.cols[j].partner())
        })
        .collect();
    let block = pairs.a.block(&rows, &cols);
    let mut d = pairs.clone();
    if RankLu::new(block, WARM).rank() == cols.len() {
        let leave = |v: Var| wanted(v.partner());
        d.exchange(leave, wanted, 0.0);
    }
    d
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::matrix::Matrix;

    /// The far bound of a box is lo + (hi − lo) on the expansion, which may miss hi by rounding; a
    /// fixed row is at both of its bounds.
    #[test]
    fn a_warm_start_knows_a_bound_it_misses_by_rounding() {
        let (lo, hi) = (-0.348_842_431_949_310_6, 0.946_938_359_195_996);
        assert_ne!(lo + (hi - lo), hi);
        let m = Matrix::from_fn(3, 3, |i, j| if i == j { 2.0 } else { 1.0 });
        let lower = vec![lo, 0.5, 0.5];
        let p = BoxedLcp::new(m, vec![-9.0, -9.0, 9.0], lower, vec![hi, 0.5, 0.5]).expect("valid");
        for z in [hi, lo + (hi - lo)] {
            let warm = solve(&p, Form::Compact, Some(&[z, 0.5, 0.5]));
            assert_eq!((warm.end, warm.iterations), (End::Converged, 0));
        }
    }
}
