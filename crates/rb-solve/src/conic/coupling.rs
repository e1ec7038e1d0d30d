//! What couples contacts: the operator A of ŵ = A λ̂ + c, and systems built on it.
//!
//! Everything in this folder reaches A through [`Coupling`] alone. [`Delassus`] holds it as a matrix;
//! an island of bodies can offer J M⁻¹ Jᵀ without forming it.

use crate::linalg::lu::Lu;
use crate::linalg::matrix::Matrix;
use glam::{DMat3, DVec3};

/// A linear operator over contacts, three rows each.
pub trait Coupling {
    /// u ← u + A r.
    fn apply(&self, r: &[DVec3], u: &mut [DVec3]);

    /// u ← u + A r for an r that vanishes but for contact `i`.
    fn apply_one(&self, i: usize, r: DVec3, u: &mut [DVec3]);

    /// Diagonal block of contact `i`.
    fn block(&self, i: usize) -> DMat3;

    /// Factors `diag(L) + diag(S) A`, with one 3 × 3 block per contact in `l` and `s`.
    fn factor(&self, l: Vec<DMat3>, s: Vec<DMat3>) -> Box<dyn Factor + '_>;
}

/// A factored system.
pub trait Factor {
    /// Solves in place, and refines the solution iteratively, by so many `rounds` at most. Numbers that are not
    /// finite mean a singular system.
    fn solve(&self, x: &mut [DVec3], rounds: u32);
}

/// Rounds of refinement after which only rounding is left.
pub(super) const ROUNDS: u32 = 2;

impl<C: Coupling> Coupling for &C {
    fn apply(&self, r: &[DVec3], u: &mut [DVec3]) {
        (**self).apply(r, u);
    }

    fn apply_one(&self, i: usize, r: DVec3, u: &mut [DVec3]) {
        (**self).apply_one(i, r, u);
    }

    fn block(&self, i: usize) -> DMat3 {
        (**self).block(i)
    }

    fn factor(&self, l: Vec<DMat3>, s: Vec<DMat3>) -> Box<dyn Factor + '_> {
        (**self).factor(l, s)
    }
}

/// A as a matrix: dense for factoring, its non-zero blocks for products.
#[derive(Clone, Debug)]
pub struct Delassus {
    a: Matrix,
    /// Per column of blocks: row and block.
    columns: Vec<Vec<(usize, DMat3)>>,
}

impl Delassus {
    /// The operator of a square matrix of 3 rows per contact.
    pub fn new(a: Matrix) -> Self {
        assert_eq!(a.rows(), a.cols());
        assert!(a.rows().is_multiple_of(3));
        let n = a.rows() / 3;
        let block = |i: usize, j: usize| {
            DMat3::from_cols_array(&core::array::from_fn(|k| a[(3 * i + k % 3, 3 * j + k / 3)]))
        };
        let column = |j: usize| {
            let blocks = (0..n).map(|i| (i, block(i, j)));
            blocks
                .filter(|(i, b)| *i == j || *b != DMat3::ZERO)
                .collect()
        };
        let columns = (0..n).map(column).collect();
        Self { a, columns }
    }
}

impl Coupling for Delassus {
    fn apply(&self, r: &[DVec3], u: &mut [DVec3]) {
        for (j, r) in r.iter().enumerate() {
            self.apply_one(j, *r, u);
        }
    }

    fn apply_one(&self, j: usize, r: DVec3, u: &mut [DVec3]) {
        for (i, block) in &self.columns[j] {
            u[*i] += *block * r;
        }
    }

    fn block(&self, i: usize) -> DMat3 {
        let diagonal = self.columns[i].iter().find(|(row, _)| *row == i);
        diagonal.map_or(DMat3::ZERO, |(_, block)| *block)
    }

    fn factor(&self, l: Vec<DMat3>, s: Vec<DMat3>) -> Box<dyn Factor + '_> {
        let n = self.a.rows();
        let mut system = Matrix::zeros(n, n);
        for (c, s) in s.iter().enumerate() {
            for k in 0..3 {
                let weights = s.row(k).to_array();
                let row = system.row_mut(3 * c + k);
                for (o, weight) in weights.into_iter().enumerate() {
                    if weight != 0.0 {
                        crate::linalg::matrix::axpy(row, weight, self.a.row(3 * c + o));
                    }
                }
                for (o, v) in l[c].row(k).to_array().into_iter().enumerate() {
                    row[3 * c + o] += v;
                }
            }
        }
        let lu = Lu::new(system);
        Box::new(DenseFactor { a: self, l, s, lu })
    }
}

struct DenseFactor<'a> {
    a: &'a Delassus,
    l: Vec<DMat3>,
    s: Vec<DMat3>,
    lu: Lu,
}

impl DenseFactor<'_> {
    fn divide(&self, x: &[DVec3]) -> Vec<DVec3> {
        let mut flat: Vec<f64> = x.iter().flat_map(|v| v.to_array()).collect();
        self.lu.solve(&mut flat);
        super::problem::triples(&flat).collect()
    }
}

impl Factor for DenseFactor<'_> {
    fn solve(&self, x: &mut [DVec3], rounds: u32) {
        let b = x.to_vec();
        x.copy_from_slice(&self.divide(&b));
        for _ in 0..rounds {
            let mut ax = vec![DVec3::ZERO; x.len()];
            self.a.apply(x, &mut ax);
            let defect: Vec<DVec3> = (0..x.len())
                .map(|i| b[i] - self.l[i] * x[i] - self.s[i] * ax[i])
                .collect();
            for (x, d) in x.iter_mut().zip(self.divide(&defect)) {
                *x += d;
            }
        }
    }
}
