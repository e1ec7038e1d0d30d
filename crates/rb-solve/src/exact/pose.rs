//! An island's problem in mass-scaled unknowns: bodies of unit mass, units of three rows, equations.
//!
//! With W = S Sᵀ per body (S has a zero column for a locked axis), v = ṽ + S y and Ĵ = J S/√a:
//!
//! ```text
//! y = Ĵᵀ λ̂ + Ĵ_Eᵀ e,    ŵ = Ĵ y + R̂ λ̂ + ĉ,    Ĵ_E y + R̂_E e + ĉ_E = 0
//! ```
//!
//! Bilateral rows are the equations E; rows between bounds and friction triples are units. Rows whose
//! bounds coincide are fixed impulses and move ṽ. Everything is in √J, so one scale serves all.

use crate::conic::Unit;
use core::f64::consts::FRAC_1_SQRT_2;
use glam::{DMat3, DVec3};
use rb_core::law::Law;
use rb_core::mass::InvMass;
use rb_core::math::Twist;
use rb_core::problem::{Block, Pass, Problem};

/// No body, or no row.
pub(super) const NOTHING: u32 = u32::MAX;

/// Half of a row over one body's unknowns.
pub(super) type Half = [f64; 6];

/// Three rows under one law; missing rows are zero with R̂ = 1.
#[derive(Clone, Debug)]
pub(super) struct PosedUnit {
    pub(super) nodes: [u32; 2],
    pub(super) jac: [[Half; 3]; 2],
    pub(super) reg: DVec3,
    pub(super) free: DVec3,
    pub(super) unit: Unit,
    /// Row numbers in the problem.
    rows: [u32; 3],
    /// √a per row.
    pub(super) root: DVec3,
    /// Tangents turned by 45°.
    turned: bool,
}

/// Bilateral rows of one block.
#[derive(Clone, Debug)]
pub(super) struct Equations {
    pub(super) nodes: [u32; 2],
    pub(super) jac: [Vec<Half>; 2],
    pub(super) reg: Vec<f64>,
    pub(super) free: Vec<f64>,
    rows: Vec<u32>,
    root: Vec<f64>,
}

/// The problem of one pass.
#[derive(Clone, Debug, Default)]
pub(super) struct Pose {
    /// Number of movable bodies.
    pub(super) bodies: usize,
    pub(super) units: Vec<PosedUnit>,
    pub(super) equations: Vec<Equations>,
    /// Rows with one admissible impulse, and it.
    fixed: Vec<(u32, f64)>,
}

/// S of one body.
struct Root {
    node: u32,
    lin: DVec3,
    ang: DMat3,
    /// ṽ with the fixed impulses.
    free: Twist,
}

impl Root {
    fn half(&self, jac: &Twist) -> Half {
        let (l, a) = (jac.lin * self.lin, self.ang.transpose() * jac.ang);
        [l.x, l.y, l.z, a.x, a.y, a.z]
    }
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
                root_of(node, &b.inv, b.free)
            })
            .collect();
        for block in &p.blocks {
            pose.fix(p, block, &mut roots);
        }
        for block in &p.blocks {
            match block.law {
                Law::Rows => pose.rows(p, block, pass, &roots),
                law => pose.friction(p, block, law, pass, &roots),
            }
        }
        pose
    }

    /// Collects the fixed impulses of a block.
    fn fix(&mut self, p: &Problem, block: &Block, roots: &mut [Root]) {
        for r in block.rows() {
            let row = &p.rows[r];
            let tangent_without_friction = r > block.first as usize && friction(block.law) == 0.0;
            let value = if tangent_without_friction {
                0.0
            } else {
                row.hi
            };
            let fixed = block.law == Law::Rows && row.lo >= row.hi;
            if fixed || tangent_without_friction {
                self.fixed.push((r as u32, value));
                for (side, body) in block.bodies.into_iter().enumerate() {
                    roots[body as usize].free += row.mjt[side] * value;
                }
            }
        }
    }

    fn rows(&mut self, p: &Problem, block: &Block, pass: Pass, roots: &[Root]) {
        let sides = block.bodies.map(|b| &roots[b as usize]);
        let nodes = sides.map(|s| s.node);
        let bilateral = |r: &usize| p.rows[*r].is_bilateral();
        let mut equations = Equations {
            nodes,
            jac: [Vec::new(), Vec::new()],
            reg: Vec::new(),
            free: Vec::new(),
            rows: Vec::new(),
            root: Vec::new(),
        };
        for r in block.rows().filter(bilateral) {
            let (root, reg, free, half) = scaled(p, r, pass, sides, None);
            for side in 0..2 {
                equations.jac[side].push(half[side]);
            }
            equations.reg.push(reg);
            equations.free.push(free);
            equations.rows.push(r as u32);
            equations.root.push(root);
        }
        if !equations.rows.is_empty() {
            self.equations.push(equations);
        }
        let bounded: Vec<usize> = block
            .rows()
            .filter(|r| !bilateral(r) && p.rows[*r].lo < p.rows[*r].hi)
            .collect();
        for three in bounded.chunks(3) {
            self.push_unit(p, pass, nodes, sides, three, None);
        }
    }

    fn friction(&mut self, p: &Problem, block: &Block, law: Law, pass: Pass, roots: &[Root]) {
        let sides = block.bodies.map(|b| &roots[b as usize]);
        let nodes = sides.map(|s| s.node);
        let rows: Vec<usize> = block.rows().collect();
        if friction(law) == 0.0 {
            self.push_unit(p, pass, nodes, sides, &rows[..1], None);
        } else {
            self.push_unit(p, pass, nodes, sides, &rows, Some(law));
        }
    }

    fn push_unit(
        &mut self,
        p: &Problem,
        pass: Pass,
        nodes: [u32; 2],
        sides: [&Root; 2],
        rows: &[usize],
        law: Option<Law>,
    ) {
        // One scale per triple: scales of their own would bend the cone.
        let common = law.map(|_| {
            let a = |r: &usize| p.rows[*r].diag + p.rows[*r].term(pass).reg;
            (rows.iter().map(a).sum::<f64>() / 3.0).sqrt()
        });
        let mut u = PosedUnit {
            nodes,
            jac: [[[0.0; 6]; 3]; 2],
            reg: DVec3::ONE,
            free: DVec3::ZERO,
            unit: Unit::Cone { mu: 0.0 },
            rows: [NOTHING; 3],
            root: DVec3::ONE,
            turned: false,
        };
        let (mut lo, mut hi) = (DVec3::NEG_INFINITY, DVec3::INFINITY);
        for (k, &r) in rows.iter().enumerate() {
            let (root, reg, free, half) = scaled(p, r, pass, sides, common);
            (u.root[k], u.reg[k], u.free[k], u.rows[k]) = (root, reg, free, r as u32);
            (u.jac[0][k], u.jac[1][k]) = (half[0], half[1]);
            (lo[k], hi[k]) = (root * p.rows[r].lo, root * p.rows[r].hi);
        }
        u.unit = match law {
            None | Some(Law::Rows) => Unit::Rows { lo, hi },
            Some(Law::Boxed { mu }) => Unit::Square { mu },
            Some(Law::Pyramid { mu }) => {
                u.turn();
                Unit::Square {
                    mu: mu * FRAC_1_SQRT_2,
                }
            }
            Some(law) => Unit::Cone { mu: friction(law) },
        };
        self.units.push(u);
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

impl PosedUnit {
    fn turn(&mut self) {
        self.turned = true;
        self.free = turn(self.free);
        for half in &mut self.jac {
            let [_, t1, t2] = *half;
            for k in 0..6 {
                half[1][k] = (t1[k] + t2[k]) * FRAC_1_SQRT_2;
                half[2][k] = (t1[k] - t2[k]) * FRAC_1_SQRT_2;
            }
        }
    }
}

/// The reflection that maps a diamond onto a square; its own inverse.
fn turn(r: DVec3) -> DVec3 {
    DVec3::new(
        r.x,
        (r.y + r.z) * FRAC_1_SQRT_2,
        (r.y - r.z) * FRAC_1_SQRT_2,
    )
}

fn friction(law: Law) -> f64 {
    match law {
        Law::Boxed { mu } | Law::Pyramid { mu } | Law::Cone { mu } => mu,
        _ => f64::INFINITY,
    }
}

/// √a, R̂, ĉ and Ĵ of a row, with its own scale or a given one.
fn scaled(
    p: &Problem,
    r: usize,
    pass: Pass,
    sides: [&Root; 2],
    root: Option<f64>,
) -> (f64, f64, f64, [Half; 2]) {
    let row = &p.rows[r];
    let term = row.term(pass);
    let root = root.unwrap_or_else(|| (row.diag + term.reg).sqrt());
    let root = if root > 0.0 { root } else { 1.0 };
    let free = row.jac[0].dot(&sides[0].free) + row.jac[1].dot(&sides[1].free) + term.bias;
    let half = |s: usize| sides[s].half(&row.jac[s]).map(|x| x / root);
    (
        root,
        term.reg / (root * root),
        free / root,
        [half(0), half(1)],
    )
}

/// The Cholesky root of W; dependent columns are zero.
fn root_of(node: u32, inv: &InvMass, free: Twist) -> Root {
    let a = inv.ang;
    let mut l = DMat3::ZERO;
    let largest = (0..3).fold(0.0f64, |m, k| m.max(a.col(k)[k]));
    for j in 0..3 {
        let d = (0..j).fold(a.col(j)[j], |d, k| d - l.col(k)[j] * l.col(k)[j]);
        if d <= 1e-14 * largest {
            continue;
        }
        let d = d.sqrt();
        for i in j..3 {
            let s = (0..j).fold(a.col(j)[i], |s, k| s - l.col(k)[i] * l.col(k)[j]);
            l.col_mut(j)[i] = s / d;
        }
    }
    Root {
        node,
        lin: DVec3::new(inv.lin.x.sqrt(), inv.lin.y.sqrt(), inv.lin.z.sqrt()),
        ang: l,
        free,
    }
}
