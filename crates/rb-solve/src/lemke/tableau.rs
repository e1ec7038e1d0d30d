//! Lemke's path on a dictionary of complementary pairs, with lexicographic ties.
//!
//! An artificial variable t ≥ 0 with covering vector d makes `b + d t` non-negative; then the partner
//! of whatever left last enters, until t leaves (a solution) or nothing blocks (a ray). Perturbing b
//! by (ε, ε², …) makes every ratio test unique, so that no basis repeats. Sources: C. Lemke, "Bimatrix
//! equilibrium points and mathematical programming", 1965; R. Cottle, J.-S. Pang, R. Stone, "The
//! Linear Complementarity Problem", 1992, §4.4, §4.9.

use super::dictionary::{Dictionary, Var};

/// Entries below this fraction of their column cannot be pivots.
const PIVOT: f64 = 1e-10;
/// Ratios that differ by less are ties, for a problem of unit size.
const TIE: f64 = 1e-12;
/// A lower bound on the basic values of a solution, relative to the largest.
const FEASIBLE: f64 = 1e-13;

/// How a path ended.
pub(super) enum Path {
    /// With a complementary basis.
    Solved(Point),
    /// On a ray: the point it starts from and its direction.
    Ray(Point, Point),
    /// Out of pivots; the point of smallest artificial variable met.
    Spent(Point),
}

/// Values by variable.
pub(super) struct Point(Vec<f64>);

impl Point {
    pub(super) fn value(&self, v: Var) -> f64 {
        self.0[v.0]
    }
}

/// Where a variable is.
#[derive(Clone, Copy)]
enum Place {
    Row(usize),
    Col(usize),
}

/// A dictionary on its way, and what is needed to rebuild it.
struct Tableau<'a> {
    /// The dictionary at the start, with the artificial column.
    start: &'a Dictionary,
    now: Dictionary,
    place: Vec<Place>,
    artificial: Var,
    /// Pivots since the last rebuild.
    age: usize,
}

/// Follows the path from `pairs` with covering vector `cover`, counting `pivots`, at most `cap`.
pub(super) fn follow(pairs: &Dictionary, cover: &[f64], pivots: &mut u32, cap: u32) -> Path {
    let artificial = Var(pairs
        .rows
        .iter()
        .chain(&pairs.cols)
        .map(|v| v.0 + 1)
        .max()
        .unwrap_or(0)
        | 1);
    let start = pairs.with_column(artificial, cover);
    let mut t = Tableau::new(&start, artificial);
    let size = pairs.b.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    if pairs.b.iter().all(|&b| b >= -FEASIBLE * size) {
        return Path::Solved(t.point());
    }
    let mut leaving = t.enter_artificial(cover);
    let mut best = (t.point(), f64::INFINITY);
    while *pivots < cap {
        *pivots += 1;
        let level = t.artificial_value();
        if level < best.1 {
            best = (t.point(), level);
        }
        let Place::Col(c) = t.place[leaving.partner().0] else {
            break;
        };
        let Some(r) = t.ratio_test(c) else {
            return Path::Ray(t.point(), t.direction(c));
        };
        leaving = t.now.rows[r];
        t.pivot(r, c);
        if leaving == artificial {
            return Path::Solved(t.point());
        }
    }
    Path::Spent(best.0)
}

impl<'a> Tableau<'a> {
    fn new(start: &'a Dictionary, artificial: Var) -> Self {
        let mut t = Self {
            start,
            now: start.clone(),
            place: vec![Place::Row(0); artificial.0 + 1],
            artificial,
            age: 0,
        };
        t.locate();
        t
    }

    fn locate(&mut self) {
        for (i, v) in self.now.rows.iter().enumerate() {
            self.place[v.0] = Place::Row(i);
        }
        for (j, v) in self.now.cols.iter().enumerate() {
            self.place[v.0] = Place::Col(j);
        }
    }

    /// Raises the artificial variable to the last row that needs it; returns what left.
    fn enter_artificial(&mut self, cover: &[f64]) -> Var {
        let ratio = |i: usize| -self.now.b[i] / cover[i];
        let mut r = 0;
        for i in (0..cover.len()).filter(|&i| cover[i] > 0.0) {
            // Of equal rows the last is the lexicographically smallest.
            if cover[r] <= 0.0 || ratio(i) >= ratio(r) - TIE {
                r = i;
            }
        }
        let leaving = self.now.rows[r];
        self.pivot(r, cover_column(self.start));
        leaving
    }

    fn pivot(&mut self, r: usize, c: usize) {
        self.now.pivot(r, c);
        self.age += 1;
        if self.age > 50 + 2 * self.now.rows.len() {
            self.rebuild();
        }
        self.locate();
    }

    /// Computes the dictionary anew from the start, so that rounding does not pile up.
    fn rebuild(&mut self) {
        let now = core::mem::replace(&mut self.now, self.start.clone());
        let basic = |v: Var| now.rows.contains(&v);
        self.now.exchange(|v| !basic(v), basic, 0.0);
        self.age = 0;
    }

    /// Value of the artificial variable.
    fn artificial_value(&self) -> f64 {
        match self.place[self.artificial.0] {
            Place::Row(i) => self.now.b[i],
            Place::Col(_) => 0.0,
        }
    }

    /// All values at the present basis.
    fn point(&self) -> Point {
        let mut values = vec![0.0; self.place.len()];
        for (v, &b) in self.now.rows.iter().zip(&self.now.b) {
            values[v.0] = b.max(0.0);
        }
        Point(values)
    }

    /// Change of all values per unit of the variable of column `c`.
    fn direction(&self, c: usize) -> Point {
        let mut values = vec![0.0; self.place.len()];
        for (i, v) in self.now.rows.iter().enumerate() {
            values[v.0] = self.now.a[(i, c)];
        }
        values[self.now.cols[c].0] = 1.0;
        Point(values)
    }

    /// The row that blocks column `c` first; `None` if none does.
    fn ratio_test(&self, c: usize) -> Option<usize> {
        let d = &self.now;
        let column: Vec<f64> = (0..d.rows.len()).map(|i| -d.a[(i, c)]).collect();
        let largest = column.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let mut tied: Vec<usize> = (0..column.len())
            .filter(|&i| column[i] > PIVOT * largest)
            .collect();
        keep_smallest(&mut tied, |i| d.b[i].max(0.0) / column[i]);
        if let Some(&i) = tied.iter().find(|&&i| d.rows[i] == self.artificial) {
            return Some(i);
        }
        for v in &self.start.rows {
            if tied.len() <= 1 {
                break;
            }
            keep_smallest(&mut tied, |i| self.sensitivity(i, *v) / column[i]);
        }
        tied.into_iter()
            .max_by(|&i, &j| column[i].total_cmp(&column[j]))
    }

    /// Change of basic value `i` per unit added to the constant of the row that `v` headed at the
    /// start.
    fn sensitivity(&self, i: usize, v: Var) -> f64 {
        match self.place[v.0] {
            Place::Row(r) => f64::from(u8::from(r == i)),
            Place::Col(c) => -self.now.a[(i, c)],
        }
    }
}

fn cover_column(start: &Dictionary) -> usize {
    start.cols.len() - 1
}

/// Keeps the entries whose value is smallest, up to rounding.
fn keep_smallest(list: &mut Vec<usize>, value: impl Fn(usize) -> f64) {
    let least = list.iter().map(|&i| value(i)).fold(f64::INFINITY, f64::min);
    let limit = least + TIE * least.abs().max(1.0);
    list.retain(|&i| value(i) <= limit);
}
