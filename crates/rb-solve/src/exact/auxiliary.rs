//! What couples rows of different units: auxiliary bodies of unit mass.
//!
//! Spin        −w ∈ N_C(λ), C = {|λ₀| ≤ τ ℓ} × {‖(λ₁, λ₂)‖ ≤ ρ ℓ}, ℓ = Σ pₙ over the patch: ℓ as the
//!             normals' push on an auxiliary unknown z = α ℓ, and units with a first row of their own,
//!             whose law is the equation r₀ = z and whose other two rows it bounds
//! Compliance  entries of R between rows of which one is bounded, w = … + C λ: each row pushes an
//!             unknown of its own, z = λ, and is moved by C z
//!
//! Neither is symmetric: what is pushed does not push back, as with any column map. Source of the law
//! of patches: A. Ruina and others, on rolling resistance as a couple; theory §4.11, T40.

use super::pose::Pose;
use super::scaling::{NOTHING, Part, Root, ScaledRow};
use super::units::PosedUnit;
use crate::conic::Unit;
use rb_core::law::Law;
use rb_core::problem::{Block, Pass, Problem};

/// Unknowns of an auxiliary body.
const PLACES: usize = 6;

/// Where a row of the problem was posed.
#[derive(Clone, Copy)]
enum Place {
    /// Unit and row.
    Unit(usize, usize),
    /// Block of equations and row.
    Equation(usize, usize),
}

impl Pose {
    /// Resistance to spin and rolling under the normal impulses of other units.
    pub(super) fn spin(&mut self, p: &Problem, block: &Block, pass: Pass, roots: &[Root]) {
        let Law::Spin { torsion, rolling } = block.law else {
            return;
        };
        let first = block.first as usize;
        let a = block.rows().map(|r| p.rows[r].diag).sum::<f64>();
        let (normals, root) = (self.normals_of(p, block), (a / 3.0).sqrt());
        let places: Vec<(Place, f64)> = normals.iter().filter_map(|&r| self.place(r)).collect();
        // α: the scale of the patch's own normals.
        let alpha = places.first().map_or(1.0, |(_, root)| *root);
        let node = self.add_body();
        for (place, own) in places {
            self.push_on(place, node, 0, alpha / own);
        }
        let fixed = self.fixed.iter().filter(|(r, _)| normals.contains(r));
        let fixed: f64 = fixed.map(|(_, value)| value).sum();
        let mut z = [0.0; PLACES];
        z[0] = -1.0;
        let load = ScaledRow {
            root: alpha,
            reg: 1.0,
            free: -alpha * fixed,
            parts: [Part::measuring(node, z)].into_iter().collect(),
        };
        let row = |r: usize| ScaledRow::new(p, block, r, pass, roots, Some(root));
        let both = [
            (torsion, vec![first]),
            (rolling, vec![first + 1, first + 2]),
        ];
        for (length, rows) in both.into_iter().filter(|(length, _)| *length > 0.0) {
            let scaled: Vec<ScaledRow> = rows.iter().map(|&r| row(r)).collect();
            let mu = scaled[0].root * length / alpha;
            let number = |k: usize| rows.get(k).map_or(NOTHING, |&r| r as u32);
            let given = [Some(&load), scaled.first(), scaled.get(1)];
            let mut unit =
                PosedUnit::new(Unit::Spin { mu }, [NOTHING, number(0), number(1)], &given);
            unit.normals.clone_from(&normals);
            self.units.push(unit);
        }
    }

    fn normals_of(&self, p: &Problem, block: &Block) -> Vec<u32> {
        p.extra(block).map_or_else(Vec::new, |e| e.normals.clone())
    }

    /// Compliance between rows of which one is bounded.
    pub(super) fn couple(&mut self, p: &Problem) {
        for block in &p.blocks {
            let Some(extra) = p.extra(block).filter(|e| !e.cross.is_empty()) else {
                continue;
            };
            let rows = block.rows().map(|r| self.place(r as u32));
            let rows: Vec<Option<(Place, f64)>> = rows.collect();
            let (mut node, mut used) = (0, 0);
            for j in 0..rows.len() {
                let column = |i: usize| extra.cross[i * rows.len() + j];
                let (Some((by, _)), moved) = (rows[j], moved(&rows, j, column)) else {
                    continue;
                };
                if moved.is_empty() {
                    continue;
                }
                let at = used % PLACES;
                if at == 0 {
                    node = self.add_body();
                }
                used += 1;
                self.push_on(by, node, at, 1.0);
                for (to, moves) in moved {
                    let mut z = [0.0; PLACES];
                    z[at] = moves;
                    self.add_part(to, &Part::measuring(node, z));
                }
            }
        }
    }

    fn add_body(&mut self) -> u32 {
        self.bodies += 1;
        self.locked.push(false);
        self.bodies as u32 - 1
    }

    /// Where a row was posed, and its √a.
    fn place(&self, row: u32) -> Option<(Place, f64)> {
        let in_unit = |(i, u): (usize, &PosedUnit)| {
            let k = u.rows.iter().position(|&r| r == row)?;
            Some((Place::Unit(i, k), u.root[k]))
        };
        let unit = self.units.iter().enumerate().find_map(in_unit);
        unit.or_else(|| {
            let each = self.equations.iter().enumerate();
            each.into_iter().find_map(|(i, q)| {
                let k = q.rows.iter().position(|&r| r == row)?;
                Some((Place::Equation(i, k), q.root[k]))
            })
        })
    }

    /// Lets a row's impulse push one unknown of an auxiliary body.
    fn push_on(&mut self, place: Place, node: u32, at: usize, weight: f64) {
        let mut act = [0.0; PLACES];
        act[at] = weight;
        let part = Part {
            node,
            jac: [0.0; PLACES],
            act,
        };
        self.add_part(place, &part);
    }

    fn add_part(&mut self, place: Place, part: &Part) {
        match place {
            Place::Unit(i, k) => self.units[i].add(k, part),
            Place::Equation(i, k) => self.equations[i].add(k, part),
        }
    }
}

/// Rows that the impulse of row `j` moves through compliance, and by how much in scaled terms; pairs of
/// equations have theirs in R̂.
fn moved(
    rows: &[Option<(Place, f64)>],
    j: usize,
    column: impl Fn(usize) -> f64,
) -> Vec<(Place, f64)> {
    let Some((by, own)) = rows[j] else {
        return Vec::new();
    };
    let each = rows.iter().enumerate().filter_map(|(i, row)| {
        let (to, root) = (*row)?;
        let equal = matches!((to, by), (Place::Equation(..), Place::Equation(..)));
        (column(i) != 0.0 && !equal).then(|| (to, column(i) / (root * own)))
    });
    each.collect()
}

impl Part {
    /// What is moved by an auxiliary unknown without pushing it.
    fn measuring(node: u32, jac: [f64; PLACES]) -> Self {
        Self {
            node,
            jac,
            act: [0.0; PLACES],
        }
    }
}
