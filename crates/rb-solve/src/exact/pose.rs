//! An island's problem in mass-scaled unknowns: bodies of unit mass, units of three rows, equations.
//!
//! With W = S Sᵀ per body (S has a zero column for a locked axis), v = ṽ + S y and Ĵ = J S/√a:
//!
//! ```text
//! y = Âᵀ λ̂ + Â_Eᵀ e,    ŵ = Ĵ y + R̂ λ̂ + ĉ,    Ĵ_E y + R̂_E e + ĉ_E = 0
//! ```
//!
//! Â = Ĵ but for rows with a column map. Rows may span any number of bodies. Bilateral rows are the
//! equations E; rows between bounds, friction triples and resistance to spin are units. Rows whose
//! bounds coincide are fixed impulses and move ṽ. Everything is in √J, so one scale serves all.

use super::scaling::{Half, NOTHING, Part, Root, ScaledRow, add};
use super::units::{PosedUnit, turn};
use core::ops::Range;
use glam::DVec3;
use rb_core::law::Law;
use rb_core::problem::{Block, Pass, Problem};
use smallvec::SmallVec;

/// Bilateral rows of one block.
#[derive(Clone, Debug)]
pub(super) struct Equations {
    pub(super) nodes: SmallVec<[u32; 2]>,
    /// Ĵ and Â of every node, row by row; Â is empty without a column map.
    pub(super) jac: SmallVec<[Vec<Half>; 2]>,
    pub(super) acts: Vec<Vec<Half>>,
    /// R̂, row-major.
    pub(super) reg: Vec<f64>,
    pub(super) free: Vec<f64>,
    pub(super) rows: Vec<u32>,
    pub(super) root: Vec<f64>,
}

impl Equations {
    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Adds what row `k` has in one body.
    pub(super) fn add(&mut self, k: usize, part: &Part) {
        let at = self.nodes.iter().position(|&n| n == part.node);
        let at = at.unwrap_or_else(|| {
            let none = vec![[0.0; 6]; self.len()];
            self.nodes.push(part.node);
            if !self.acts.is_empty() {
                self.acts.push(none.clone());
            }
            self.jac.push(none);
            self.nodes.len() - 1
        });
        if self.acts.is_empty() && part.act != part.jac {
            self.acts = self.jac.to_vec();
        }
        add(&mut self.jac[at][k], &part.jac);
        if let Some(acts) = self.acts.get_mut(at) {
            add(&mut acts[k], &part.act);
        }
    }

    /// Â of a node.
    pub(super) fn acting(&self, side: usize) -> &[Half] {
        self.acts.get(side).unwrap_or(&self.jac[side])
    }
}

/// The problem of one pass.
#[derive(Clone, Debug, Default)]
pub(super) struct Pose {
    /// Number of movable bodies, and of auxiliary ones after them.
    pub(super) bodies: usize,
    /// Movable bodies with a locked axis.
    pub(super) locked: Vec<bool>,
    pub(super) units: Vec<PosedUnit>,
    pub(super) equations: Vec<Equations>,
    /// Rows with one admissible impulse, and it.
    pub(super) fixed: Vec<(u32, f64)>,
}

impl Pose {
    /// Poses one pass of a problem.
    pub(super) fn new(p: &Problem, pass: Pass) -> Self {
        let mut pose = Self::default();
        let mut roots: Vec<Root> = p
            .bodies
            .iter()
            .map(|b| {
                let movable = !b.inv.is_zero();
                let node = if movable { pose.bodies as u32 } else { NOTHING };
                pose.bodies += usize::from(movable);
                Root::new(node, &b.inv, b.free)
            })
            .collect();
        let movable = roots.iter().filter(|r| r.node != NOTHING);
        pose.locked = movable.map(Root::is_locked).collect();
        for block in &p.blocks {
            pose.fix(p, block, &mut roots);
        }
        let spins = || p.blocks.iter().filter(|b| is_spin(b));
        let loads: Vec<u32> = spins()
            .flat_map(|b| p.extra(b).into_iter().flat_map(|e| e.normals.clone()))
            .collect();
        for block in &p.blocks {
            match block.law {
                Law::Rows => pose.rows(p, block, pass, &roots, &loads),
                Law::Spin { .. } => {}
                law => pose.friction(p, block, law, pass, &roots),
            }
        }
        pose.couple(p);
        for block in spins() {
            pose.spin(p, block, pass, &roots);
        }
        pose
    }

    /// Collects the fixed impulses of a block.
    fn fix(&mut self, p: &Problem, block: &Block, roots: &mut [Root]) {
        for r in block.rows() {
            let row = &p.rows[r];
            let none = match block.law {
                Law::Spin { torsion, rolling } => {
                    [torsion, rolling, rolling][r - block.first as usize] == 0.0
                }
                law => r > block.first as usize && friction(law) == 0.0,
            };
            if none || (block.law == Law::Rows && row.lo >= row.hi) {
                let value = if none { 0.0 } else { row.hi };
                self.fixed.push((r as u32, value));
                for (body, _, mjt) in p.columns(block, r) {
                    roots[body].free += *mjt * value;
                }
            }
        }
    }

    /// Rows under their own bounds; those that others take as a `load` are units in any case.
    fn rows(&mut self, p: &Problem, block: &Block, pass: Pass, roots: &[Root], loads: &[u32]) {
        let (equal, bounded): (Vec<usize>, Vec<usize>) = block
            .rows()
            .filter(|&r| p.rows[r].lo < p.rows[r].hi)
            .partition(|&r| p.rows[r].is_bilateral() && !loads.contains(&(r as u32)));
        if !equal.is_empty() {
            self.equate(p, block, pass, roots, &equal);
        }
        for three in bounded.chunks(3) {
            let row = |r: &usize| ScaledRow::new(p, block, *r, pass, roots, None);
            let rows: SmallVec<[ScaledRow; 3]> = three.iter().map(row).collect();
            self.units.push(PosedUnit::bounded(p, three, &rows));
        }
    }

    fn equate(&mut self, p: &Problem, block: &Block, pass: Pass, roots: &[Root], equal: &[usize]) {
        let n = equal.len();
        let mut q = Equations {
            nodes: SmallVec::new(),
            jac: SmallVec::new(),
            acts: Vec::new(),
            reg: vec![0.0; n * n],
            free: Vec::with_capacity(n),
            rows: Vec::with_capacity(n),
            root: Vec::with_capacity(n),
        };
        for (i, &r) in equal.iter().enumerate() {
            let row = ScaledRow::new(p, block, r, pass, roots, None);
            if i == 0 {
                q.nodes = row.parts.iter().map(|part| part.node).collect();
                q.jac = row.parts.iter().map(|_| Vec::with_capacity(n)).collect();
                if p.is_mapped(block) {
                    q.acts = q.jac.to_vec();
                }
            }
            for (side, part) in row.parts.iter().enumerate() {
                q.jac[side].push(part.jac);
                if let Some(acts) = q.acts.get_mut(side) {
                    acts.push(part.act);
                }
            }
            q.reg[i * n + i] = row.reg;
            q.free.push(row.free);
            q.rows.push(r as u32);
            q.root.push(row.root);
        }
        if p.extra(block).is_some_and(|e| !e.cross.is_empty()) {
            for (i, &r) in equal.iter().enumerate() {
                for (j, &s) in equal.iter().enumerate().filter(|(j, _)| *j != i) {
                    q.reg[i * n + j] = p.reg(block, r, s, pass) / (q.root[i] * q.root[j]);
                }
            }
        }
        self.equations.push(q);
    }

    fn friction(&mut self, p: &Problem, block: &Block, law: Law, pass: Pass, roots: &[Root]) {
        let scaled = |r: usize, root| ScaledRow::new(p, block, r, pass, roots, root);
        let Range { start, .. } = block.rows();
        if friction(law) == 0.0 {
            let row = scaled(start, None);
            self.units.push(PosedUnit::bounded(p, &[start], &[row]));
            return;
        }
        // One scale per triple: scales of their own would bend the cone.
        let a = |r: usize| p.rows[r].diag + p.rows[r].term(pass).reg;
        let common = (block.rows().map(a).sum::<f64>() / 3.0).sqrt();
        let rows = [0, 1, 2].map(|k| scaled(start + k, Some(common)));
        self.units.push(PosedUnit::friction(law, start, &rows));
    }

    /// Impulses λ̂ of the problem's present multipliers, in units of σ.
    pub(super) fn guess(&self, p: &Problem, sigma: f64) -> Vec<DVec3> {
        let one = |u: &PosedUnit| {
            let mut r = DVec3::ZERO;
            for k in 0..3 {
                if u.rows[k] != NOTHING {
                    r[k] = u.root[k] * p.rows[u.rows[k] as usize].lambda / sigma;
                }
            }
            let load = |&r: &u32| p.rows[r as usize].lambda;
            r.x += u.root.x * u.normals.iter().map(load).sum::<f64>() / sigma;
            if u.turned { turn(r) } else { r }
        };
        self.units.iter().map(one).collect()
    }

    /// Writes multipliers into the problem: units `impulse` and equations `e`, in units of σ.
    pub(super) fn store(&self, p: &mut Problem, sigma: f64, impulse: &[DVec3], e: &[&[f64]]) {
        for &(r, value) in &self.fixed {
            p.rows[r as usize].lambda = value;
        }
        for (u, r) in self.units.iter().zip(impulse) {
            let r = if u.turned { turn(*r) } else { *r };
            for k in (0..3).filter(|&k| u.rows[k] != NOTHING) {
                let row = &mut p.rows[u.rows[k] as usize];
                row.lambda = (sigma * r[k] / u.root[k]).max(row.lo).min(row.hi);
            }
        }
        for (q, e) in self.equations.iter().zip(e) {
            for ((r, root), e) in q.rows.iter().zip(&q.root).zip(*e) {
                p.rows[*r as usize].lambda = sigma * e / root;
            }
        }
    }
}

fn is_spin(block: &Block) -> bool {
    matches!(block.law, Law::Spin { .. })
}

fn friction(law: Law) -> f64 {
    match law {
        Law::Boxed { mu } | Law::Pyramid { mu } | Law::Cone { mu } => mu,
        Law::Rows | Law::Spin { .. } | _ => f64::INFINITY,
    }
}
