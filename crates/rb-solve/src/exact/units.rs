//! Units of an island: three rows under one law, over any number of bodies.

use super::scaling::{Half, NOTHING, Part, ScaledRow, add};
use crate::conic::Unit;
use core::f64::consts::FRAC_1_SQRT_2;
use glam::DVec3;
use rb_core::law::Law;
use rb_core::problem::Problem;
use smallvec::SmallVec;

/// Three rows' share in one body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) node: u32,
    pub(super) jac: [Half; 3],
}

/// Three rows under one law; missing rows are zero with R̂ = 1.
#[derive(Clone, Debug)]
pub(super) struct PosedUnit {
    pub(super) sides: SmallVec<[Side; 2]>,
    /// Â of every side; empty if it is Ĵ.
    acts: Vec<[Half; 3]>,
    pub(super) reg: DVec3,
    pub(super) free: DVec3,
    pub(super) unit: Unit,
    /// Row numbers in the problem.
    pub(super) rows: [u32; 3],
    /// √a per row.
    pub(super) root: DVec3,
    /// Tangents turned by 45°.
    pub(super) turned: bool,
    /// Rows whose impulses add up to the first of this unit, which is none of the problem's.
    pub(super) normals: Vec<u32>,
}

impl PosedUnit {
    /// A unit over up to three rows; rows without a number are missing.
    pub(super) fn new(unit: Unit, numbers: [u32; 3], rows: &[Option<&ScaledRow>]) -> Self {
        let mut u = Self {
            sides: SmallVec::new(),
            acts: Vec::new(),
            reg: DVec3::ONE,
            free: DVec3::ZERO,
            unit,
            rows: numbers,
            root: DVec3::ONE,
            turned: false,
            normals: Vec::new(),
        };
        for (k, row) in rows.iter().enumerate() {
            let Some(row) = row else { continue };
            (u.root[k], u.reg[k], u.free[k]) = (row.root, row.reg, row.free);
            for part in &row.parts {
                u.add(k, part);
            }
        }
        u
    }

    /// Up to three rows between their bounds.
    pub(super) fn bounded(p: &Problem, numbers: &[usize], rows: &[ScaledRow]) -> Self {
        let (mut lo, mut hi) = (DVec3::NEG_INFINITY, DVec3::INFINITY);
        let (mut named, mut given) = ([NOTHING; 3], [None; 3]);
        for (k, (&r, row)) in numbers.iter().zip(rows).enumerate() {
            (lo[k], hi[k]) = (row.root * p.rows[r].lo, row.root * p.rows[r].hi);
            (named[k], given[k]) = (r as u32, Some(row));
        }
        Self::new(Unit::Rows { lo, hi }, named, &given)
    }

    /// A friction triple whose normal is row `first`.
    pub(super) fn friction(law: Law, first: usize, rows: &[ScaledRow; 3]) -> Self {
        let unit = match law {
            Law::Boxed { mu } => Unit::Square { mu },
            Law::Pyramid { mu } => Unit::Square {
                mu: mu * FRAC_1_SQRT_2,
            },
            Law::Cone { mu } => Unit::Cone { mu },
            _ => Unit::Cone { mu: 0.0 },
        };
        let numbers = [0, 1, 2].map(|k| (first + k) as u32);
        let mut u = Self::new(unit, numbers, &rows.each_ref().map(Some));
        if matches!(law, Law::Pyramid { .. }) {
            u.turn();
        }
        u
    }

    /// Â of a side.
    pub(super) fn acting(&self, side: usize) -> &[Half; 3] {
        self.acts.get(side).unwrap_or(&self.sides[side].jac)
    }

    /// Adds what row `k` has in one body.
    pub(super) fn add(&mut self, k: usize, part: &Part) {
        let at = self.sides.iter().position(|s| s.node == part.node);
        let at = at.unwrap_or_else(|| {
            let (node, jac) = (part.node, [[0.0; 6]; 3]);
            self.sides.push(Side { node, jac });
            if !self.acts.is_empty() {
                self.acts.push(jac);
            }
            self.sides.len() - 1
        });
        if self.acts.is_empty() && part.act != part.jac {
            self.acts = self.sides.iter().map(|s| s.jac).collect();
        }
        add(&mut self.sides[at].jac[k], &part.jac);
        if let Some(acts) = self.acts.get_mut(at) {
            add(&mut acts[k], &part.act);
        }
    }

    fn turn(&mut self) {
        self.turned = true;
        self.free = turn(self.free);
        let halves = self.sides.iter_mut().map(|s| &mut s.jac);
        for half in halves.chain(&mut self.acts) {
            let [_, t1, t2] = *half;
            for k in 0..6 {
                half[1][k] = (t1[k] + t2[k]) * FRAC_1_SQRT_2;
                half[2][k] = (t1[k] - t2[k]) * FRAC_1_SQRT_2;
            }
        }
    }
}

/// The reflection that maps a diamond onto a square; its own inverse.
pub(super) fn turn(r: DVec3) -> DVec3 {
    DVec3::new(
        r.x,
        (r.y + r.z) * FRAC_1_SQRT_2,
        (r.y - r.z) * FRAC_1_SQRT_2,
    )
}
