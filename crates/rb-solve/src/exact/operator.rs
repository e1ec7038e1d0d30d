//! The coupling of an island's units through its bodies, with the equations eliminated.
//!
//! (diag(L) + diag(S) A) x = b is solved over bodies: units are eliminated into 6 × 6 blocks, so that
//! its size does not depend on how many contacts there are, nor its regularity on whether they are
//! redundant:
//!
//! ```text
//! [ I + Σ Âᵀ G Ĵ   −Â_Eᵀ ] [ y ]   [ Âᵀ (L + S R̂)⁻¹ b ]
//! [     Ĵ_E          R̂_E ] [ e ] = [         0          ],   G = (L + S R̂)⁻¹ S,   x = (L + S R̂)⁻¹ (b − S Ĵ y)
//! ```
//!
//! Blocks over one or two bodies are the common case; those over more, or with a column map, only add
//! links, and equations of either kind wait until all their bodies are gone.
//!
//! Every solve is refined on the full system in (x, y, e).

use super::places::Places;
use super::pose::{Equations, Pose};
use super::scaling::{Half, add};
use super::sparse::Sparse;
use super::units::PosedUnit;
use crate::conic::{Coupling, Factor};
use crate::linalg::matrix::max_abs;
use glam::{DMat3, DVec3};

/// Rounds of iterative refinement, at most, and the defect relative to the load that needs none.
const REFINEMENTS: usize = 2;
const REFINED: f64 = 1e-15;

/// A of one pass of an island.
pub(super) struct Operator<'a> {
    pose: &'a Pose,
    places: &'a Places,
    /// Factor of the equations alone, if there are any.
    base: Option<Sparse<'a>>,
    /// Units that each body moves.
    at_body: Vec<Vec<u32>>,
    ones: Vec<f64>,
}

impl<'a> Operator<'a> {
    pub(super) fn new(pose: &'a Pose, places: &'a Places) -> Self {
        let mut at_body = vec![Vec::new(); pose.bodies];
        for (i, u) in pose.units.iter().enumerate() {
            for side in &u.sides {
                at_body[side.node as usize].push(i as u32);
            }
        }
        let mut operator = Self {
            pose,
            places,
            base: None,
            at_body,
            ones: vec![1.0; places.layout.unknowns()],
        };
        if !pose.equations.is_empty() {
            operator.base = Some(operator.equations_alone().factor(&operator.ones));
        }
        operator
    }

    /// [I, −Â_Eᵀ; Ĵ_E, R̂_E], not factored.
    fn equations_alone(&self) -> Sparse<'a> {
        let mut k = Sparse::new(&self.places.layout);
        let identity: [f64; 36] = core::array::from_fn(|i| f64::from(u8::from(i % 7 == 0)));
        for b in 0..self.pose.bodies as u32 {
            k.add([(b, 0), (b, 0)], 6, &identity);
        }
        for (q, &at) in self.pose.equations.iter().zip(&self.places.at) {
            let n = q.len();
            k.add([at, at], n, &q.reg);
            for (side, &node) in q.nodes.iter().enumerate() {
                let (body, acts) = ((node, 0), q.acting(side));
                k.add([at, body], 6, q.jac[side].as_flattened());
                let transposed: Vec<f64> = (0..6 * n).map(|i| -acts[i % n][i / n]).collect();
                k.add([body, at], n, &transposed);
            }
        }
        k
    }

    /// z += Âᵀ x of unit `i`.
    fn push(&self, i: usize, x: DVec3, z: &mut [f64]) {
        let u = &self.pose.units[i];
        for (s, side) in u.sides.iter().enumerate() {
            let at = self.places.layout.unknown(side.node);
            if let Some(z) = z[at..].first_chunk_mut::<6>() {
                add(z, &transposed(u.acting(s), x));
            }
        }
    }

    /// Ĵ y of unit `i`.
    pub(super) fn rate(&self, i: usize, z: &[f64]) -> DVec3 {
        let sides = self.pose.units[i].sides.iter();
        sides.fold(DVec3::ZERO, |rate, side| {
            let at = self.places.layout.unknown(side.node);
            rate + times(&side.jac, &z[at..])
        })
    }

    /// Σ Âᵀ x.
    fn gather(&self, x: &[DVec3]) -> Vec<f64> {
        let mut z = vec![0.0; self.places.layout.unknowns()];
        for (i, x) in x.iter().enumerate() {
            self.push(i, *x, &mut z);
        }
        z
    }

    /// out −= [I, −Â_Eᵀ; Ĵ_E, R̂_E] z.
    fn subtract_base(&self, z: &[f64], out: &mut [f64]) {
        let layout = &self.places.layout;
        for b in 0..self.pose.bodies as u32 {
            let at = layout.unknown(b);
            for k in at..at + 6 {
                out[k] -= z[k];
            }
        }
        for (q, &(node, offset)) in self.pose.equations.iter().zip(&self.places.at) {
            let (at, n) = (layout.unknown(node) + offset, q.len());
            for i in 0..n {
                let reg = q.reg[i * n..(i + 1) * n].iter().zip(&z[at..at + n]);
                let mut w: f64 = reg.map(|(r, e)| r * e).sum();
                for (side, &node) in q.nodes.iter().enumerate() {
                    let body = layout.unknown(node);
                    for k in 0..6 {
                        w += q.jac[side][i][k] * z[body + k];
                        out[body + k] += q.acting(side)[i][k] * z[at + i];
                    }
                }
                out[at + i] -= w;
            }
        }
    }

    /// Bodies and equations under given loads, units aside.
    fn settle(&self, load: Vec<f64>) -> Vec<f64> {
        let Some(base) = &self.base else {
            return load;
        };
        let mut z = load.clone();
        base.solve(&mut z);
        for _ in 0..REFINEMENTS {
            let mut defect = load.clone();
            self.subtract_base(&z, &mut defect);
            if max_abs(&defect) <= REFINED * max_abs(&load) {
                break;
            }
            base.solve(&mut defect);
            z.iter_mut().zip(&defect).for_each(|(z, d)| *z += d);
        }
        z
    }

    /// Bodies and equations of impulses x, and of the equations' own constants if `constants`.
    pub(super) fn respond(&self, x: &[DVec3], constants: f64) -> Vec<f64> {
        let mut load = self.gather(x);
        for (q, &(node, offset)) in self.pose.equations.iter().zip(&self.places.at) {
            let at = self.places.layout.unknown(node) + offset;
            for (i, c) in q.free.iter().enumerate() {
                load[at + i] -= constants * c;
            }
        }
        self.settle(load)
    }

    /// The multipliers of every block of equations in a solution.
    pub(super) fn multipliers<'z>(&self, z: &'z [f64]) -> Vec<&'z [f64]> {
        let place = |(q, &(node, offset)): (&Equations, &(u32, usize))| {
            let at = self.places.layout.unknown(node) + offset;
            &z[at..at + q.len()]
        };
        self.pose
            .equations
            .iter()
            .zip(&self.places.at)
            .map(place)
            .collect()
    }

    /// Adds Âᵀ G Ĵ of a unit.
    fn add_unit(&self, k: &mut Sparse, u: &PosedUnit, g: DMat3) {
        let g = g.transpose();
        for col in &u.sides {
            let moved = [g.x_axis, g.y_axis, g.z_axis].map(|row| transposed(&col.jac, row));
            for (s, row) in u.sides.iter().enumerate() {
                let [a, b, c] = u.acting(s);
                let line = |r: usize| transposed(&moved, DVec3::new(a[r], b[r], c[r]));
                let block: [Half; 6] = core::array::from_fn(line);
                k.add([(row.node, 0), (col.node, 0)], 6, block.as_flattened());
            }
        }
    }
}

/// Aᵀ x.
#[inline(always)]
fn transposed(rows: &[Half; 3], x: DVec3) -> Half {
    let ([a, b, c], mut sum) = (rows, [0.0; 6]);
    for k in 0..6 {
        sum[k] = a[k] * x.x + b[k] * x.y + c[k] * x.z;
    }
    sum
}

/// A y, for the six entries of y at the start of a slice.
#[inline]
fn times(rows: &[Half; 3], y: &[f64]) -> DVec3 {
    let Some(y) = y.first_chunk::<6>() else {
        return DVec3::ZERO;
    };
    let dot = |row: &Half| (0..6).map(|k| row[k] * y[k]).sum::<f64>();
    DVec3::new(dot(&rows[0]), dot(&rows[1]), dot(&rows[2]))
}

impl Coupling for Operator<'_> {
    fn apply(&self, r: &[DVec3], u: &mut [DVec3]) {
        let z = self.respond(r, 0.0);
        for (i, u) in u.iter_mut().enumerate() {
            *u += self.rate(i, &z) + self.pose.units[i].reg * r[i];
        }
    }

    fn apply_one(&self, i: usize, r: DVec3, u: &mut [DVec3]) {
        if self.base.is_some() {
            let mut all = vec![DVec3::ZERO; u.len()];
            all[i] = r;
            return self.apply(&all, u);
        }
        let own = &self.pose.units[i];
        u[i] += own.reg * r;
        for (side, n) in own.sides.iter().map(|s| s.node).enumerate() {
            let y = transposed(own.acting(side), r);
            for &other in &self.at_body[n as usize] {
                let o = &self.pose.units[other as usize];
                for s in o.sides.iter().filter(|s| s.node == n) {
                    u[other as usize] += times(&s.jac, &y);
                }
            }
        }
    }

    fn block(&self, i: usize) -> DMat3 {
        let mut columns = DMat3::ZERO;
        for k in 0..3 {
            let mut u = vec![DVec3::ZERO; self.pose.units.len()];
            self.apply_one(i, DVec3::AXES[k], &mut u);
            *columns.col_mut(k) = u[i];
        }
        columns
    }

    fn factor(&self, l: Vec<DMat3>, s: Vec<DMat3>) -> Box<dyn Factor + '_> {
        let mut k = self.equations_alone();
        let mut inverse = Vec::with_capacity(l.len());
        for (i, u) in self.pose.units.iter().enumerate() {
            let scaled = DMat3::from_cols(
                s[i].x_axis * u.reg.x,
                s[i].y_axis * u.reg.y,
                s[i].z_axis * u.reg.z,
            );
            let inv = (l[i] + scaled).inverse();
            self.add_unit(&mut k, u, inv * s[i]);
            inverse.push(inv);
        }
        Box::new(IslandFactor {
            operator: self,
            l,
            s,
            inverse,
            k: k.factor(&self.ones),
        })
    }
}

/// A factored system of an island.
struct IslandFactor<'a> {
    operator: &'a Operator<'a>,
    l: Vec<DMat3>,
    s: Vec<DMat3>,
    /// (L + S R̂)⁻¹.
    inverse: Vec<DMat3>,
    k: Sparse<'a>,
}

impl IslandFactor<'_> {
    /// Corrects (x, z) by the solution for the defects of the units and of the bodies.
    fn correct(&self, defect: &[DVec3], mut load: Vec<f64>, x: &mut [DVec3], z: &mut [f64]) {
        let pushed: Vec<DVec3> = (0..x.len()).map(|i| self.inverse[i] * defect[i]).collect();
        for (i, x) in pushed.iter().enumerate() {
            self.operator.push(i, *x, &mut load);
        }
        self.k.solve(&mut load);
        for i in 0..x.len() {
            let rate = self.s[i] * self.operator.rate(i, &load);
            x[i] += pushed[i] - self.inverse[i] * rate;
        }
        z.iter_mut().zip(&load).for_each(|(z, d)| *z += d);
    }
}

impl Factor for IslandFactor<'_> {
    fn solve(&self, x: &mut [DVec3], rounds: u32) {
        let b = x.to_vec();
        let n = self.operator.places.layout.unknowns();
        let mut z = vec![0.0; n];
        x.fill(DVec3::ZERO);
        self.correct(&b, vec![0.0; n], x, &mut z);
        for _ in 0..rounds {
            let mut load = self.operator.gather(x);
            self.operator.subtract_base(&z, &mut load);
            let defect: Vec<DVec3> = (0..x.len())
                .map(|i| {
                    let w = self.operator.rate(i, &z) + self.operator.pose.units[i].reg * x[i];
                    b[i] - self.l[i] * x[i] - self.s[i] * w
                })
                .collect();
            let size = |x: &[DVec3]| x.iter().fold(0.0f64, |m, x| m.max(x.abs().max_element()));
            if size(&defect).max(max_abs(&load)) <= REFINED * size(&b) {
                break;
            }
            self.correct(&defect, load, x, &mut z);
        }
    }
}
