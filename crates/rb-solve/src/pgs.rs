//! Block projected Gauss–Seidel in f64: the readable specification of the fast tier.
//!
//! Blocks are visited in order, by turns there and back; each visit solves its block as
//! if the others stood still, and updates the velocities of its two bodies at once, so that
//! `vel = free + W Jᵀλ` holds throughout:
//!
//! * a block of [`Law::Rows`] is a small boxed problem, solved exactly;
//! * a friction block is one contact's own problem, solved as described in `local`;
//! * the blocks of a stiff cluster are one problem, solved as described in `cluster`.
//!
//! The fixed points are exactly the solutions of the problem. Sources: M. Jean, "The non-smooth
//! contact dynamics method", 1999; K. Erleben, "Velocity-based shock propagation", 2007.

use crate::cluster::Clusters;
use crate::direct::Joints;
use crate::linalg::{boxed, ldl};
use crate::local::Local;
use glam::{DMat3, DVec3};
use rb_core::law::{Law, LawSet};
use rb_core::problem::{Block, NO_EXTRA, Pass, Problem, ProblemBody, Source};
use rb_core::solver::{Budget, IslandSolver, Scratch, SolveOutcome, SolveStatus};

/// Block projected Gauss–Seidel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pgs;

impl IslandSolver for Pgs {
    fn name(&self) -> &'static str {
        "pgs"
    }

    fn laws(&self) -> LawSet {
        LawSet::all()
    }

    fn shares_contacts(&self) -> bool {
        true
    }

    fn solve(
        &self,
        p: &mut Problem,
        pass: Pass,
        budget: Budget,
        scratch: &mut Scratch,
    ) -> SolveOutcome {
        p.rebuild_velocities();
        scratch.joints.factored.clear();
        self.solve_beside(p, pass, budget, scratch, None)
    }
}

/// One sweep over contacts that are kept elsewhere.
pub type Beside<'a> = &'a mut dyn FnMut(&mut [ProblemBody]);

impl Pgs {
    /// As [`solve`](IslandSolver::solve), from the velocities present, taking turns with a sweep over
    /// contacts that are kept elsewhere: `beside` moves the velocities of the bodies. The budget's
    /// sweeps are then spent, whatever changes. A factor in `scratch` is used again.
    pub fn solve_beside(
        &self,
        p: &mut Problem,
        pass: Pass,
        budget: Budget,
        scratch: &mut Scratch,
        beside: Option<Beside>,
    ) -> SolveOutcome {
        prepare(p, pass, scratch);
        let (numbers, offsets) = (
            std::mem::take(&mut scratch.numbers),
            std::mem::take(&mut scratch.offsets),
        );
        let out = sweep(
            p,
            pass,
            budget,
            &Matrices {
                numbers: &numbers,
                offsets: &offsets,
            },
            scratch,
            beside,
        );
        (scratch.numbers, scratch.offsets) = (numbers, offsets);
        out
    }
}

/// Sweeps after which it is asked whether changes fall fast enough.
const WINDOW: u32 = 20;

/// Matrices of the blocks, made once per solve.
struct Matrices<'a> {
    numbers: &'a [f64],
    offsets: &'a [u32],
}

/// Sweeps until nothing changes or the budget is spent. Joints that a direct solve is planned for are
/// one block, visited first.
fn sweep(
    p: &mut Problem,
    pass: Pass,
    budget: Budget,
    matrices: &Matrices,
    scratch: &mut Scratch,
    mut beside: Option<Beside>,
) -> SolveOutcome {
    let mut out = SolveOutcome {
        status: SolveStatus::Unmet,
        ..SolveOutcome::default()
    };
    let mut clusters = Clusters::new(p, scratch);
    let mut joints = Joints::new(p, pass, scratch);
    let direct = joints.is_some();
    let singles: Vec<usize> = (0..p.blocks.len())
        .filter(|&i| (!direct || alone(p, &p.blocks[i])) && !clusters.contains(i))
        .collect();
    let mut former = f64::INFINITY;
    for sweep in 0..budget.sweeps {
        let backwards = budget.backwards != (sweep % 2 == 1);
        out.iterations = sweep + 1;
        out.change = 0.0;
        if let Some(joints) = &mut joints {
            let (change, settled) = joints.visit(p);
            out.change = change;
            if settled && singles.is_empty() && clusters.is_empty() && beside.is_none() {
                out.status = SolveStatus::Converged;
                break;
            }
        }
        let visited = clusters.visit(p, pass, |p, i| visit(p, i, pass, matrices));
        out.change = out.change.max(visited);
        for k in 0..singles.len() {
            let i = singles[if backwards { singles.len() - 1 - k } else { k }];
            out.change = out.change.max(visit(p, i, pass, matrices));
        }
        if let Some(beside) = &mut beside {
            beside(&mut p.bodies);
        } else if out.change <= budget.stop {
            out.status = SolveStatus::Converged;
            break;
        } else if budget.followed && out.iterations.is_multiple_of(WINDOW) {
            let left = (budget.sweeps - out.iterations) / WINDOW;
            if foreseen(out.change, former, left) > budget.stop {
                break;
            }
            former = out.change;
        }
    }
    out
}

/// The change after as many further windows as are `left`, if it falls in each by as much as it did in the last.
fn foreseen(change: f64, former: f64, left: u32) -> f64 {
    // By products, whose last digit does not hang on the platform as that of a power does.
    (0..left).fold(change, |ahead, _| ahead * (change / former))
}

/// Whether a block is visited by itself where the joints are solved as one.
fn alone(p: &Problem, block: &Block) -> bool {
    matches!(block.source, Source::Contact { .. }) || p.is_mapped(block)
}

/// Entry of J W Jᵀ between two rows of one block.
fn coupling(p: &Problem, block: &Block, i: usize, j: usize) -> f64 {
    if block.extra != NO_EXTRA {
        return p.shared(block, i, block, j);
    }
    let (a, b) = (&p.rows[i], &p.rows[j]);
    a.jac[0].dot(&b.mjt[0]) + a.jac[1].dot(&b.mjt[1])
}

/// Per block: the dense matrix A + R (factored if no row is bounded); for a friction block its 3 × 3
/// matrix and its inverse.
fn prepare(p: &Problem, pass: Pass, scratch: &mut Scratch) {
    scratch.numbers.clear();
    scratch.offsets.clear();
    let direct = scratch.plan.work.is_some_and(|w| w > 0);
    for block in &p.blocks {
        scratch.offsets.push(scratch.numbers.len() as u32);
        if direct && !alone(p, block) {
            continue;
        }
        if block.law != Law::Rows {
            prepare_friction(p, block, pass, &mut scratch.numbers);
        } else if block.len > 1 && !p.is_mapped(block) {
            let start = scratch.numbers.len();
            let n = block.len as usize;
            for i in block.rows() {
                for j in block.rows() {
                    let entry = coupling(p, block, i, j) + p.reg(block, i, j, pass);
                    scratch.numbers.push(entry);
                }
            }
            if p.rows[block.rows()].iter().all(|r| r.is_bilateral()) {
                ldl::factor(&mut scratch.numbers[start..], n);
            }
        }
    }
}

fn prepare_friction(p: &Problem, block: &Block, pass: Pass, numbers: &mut Vec<f64>) {
    let f = block.first as usize;
    let mut a = DMat3::ZERO;
    for i in 0..3 {
        for j in 0..3 {
            a.col_mut(j)[i] = coupling(p, block, f + i, f + j);
        }
        a.col_mut(i)[i] += p.rows[f + i].term(pass).reg;
    }
    Local::new(a).store(numbers);
}

/// Visits one block; returns the largest change in m/s (or rad/s).
fn visit(p: &mut Problem, index: usize, pass: Pass, matrices: &Matrices) -> f64 {
    let block = p.blocks[index];
    let data = &matrices.numbers[matrices.offsets[index] as usize..];
    match block.law {
        Law::Rows if block.extra != NO_EXTRA && p.is_mapped(&block) => {
            visit_mapped(p, &block, pass)
        }
        Law::Rows if block.len == 1 => visit_row(p, &block, block.first as usize, pass),
        Law::Rows => visit_rows(p, &block, pass, data),
        law @ Law::Spin { .. } => visit_spin(p, &block, law, pass),
        law => visit_friction(p, &block, law, pass, data),
    }
}

/// Adds impulses to the rows of a block and moves its bodies; returns the largest change.
fn apply(p: &mut Problem, block: &Block, delta: &[f64]) -> f64 {
    let mut change = 0.0f64;
    for (r, &d) in block.rows().zip(delta) {
        if d != 0.0 {
            p.push_impulse(block, r, d);
            change = change.max(d.abs() * p.rows[r].diag);
        }
    }
    change
}

/// Brings a row to w = 0 as if the others stood still, as far as its bounds allow; returns the change.
pub(crate) fn visit_row(p: &mut Problem, block: &Block, r: usize, pass: Pass) -> f64 {
    let w = p.violation(block, r, pass);
    let row = &p.rows[r];
    let a = row.diag + row.term(pass).reg;
    if a <= 0.0 {
        return 0.0;
    }
    set(p, block, r, row.lambda - w / a)
}

/// Sets a multiplier, as far as its bounds allow; returns the change.
fn set(p: &mut Problem, block: &Block, r: usize, wanted: f64) -> f64 {
    let row = &p.rows[r];
    let delta = wanted.max(row.lo).min(row.hi) - row.lambda;
    if delta == 0.0 {
        return 0.0;
    }
    p.push_impulse(block, r, delta);
    delta.abs() * p.rows[r].diag
}

/// Share of J W Jᵀ below which a row's own force J W (J + E)ᵀ does not count as an answer.
const UNANSWERED: f64 = 1e-12;

/// Rows whose forces act along other directions than they measure, one by one: their matrix is not
/// symmetric. Where a force would not move its own row the right way (Painlevé) the law has no or
/// several solutions; the row then exerts nothing, and the certificate says it is unmet.
fn visit_mapped(p: &mut Problem, block: &Block, pass: Pass) -> f64 {
    block.rows().fold(0.0, |change: f64, r| {
        let own = p.shared(block, r, block, r) + p.rows[r].term(pass).reg;
        let next = if own > UNANSWERED * p.rows[r].diag {
            p.rows[r].lambda - p.violation(block, r, pass) / own
        } else {
            0.0
        };
        change.max(set(p, block, r, next))
    })
}

fn visit_rows(p: &mut Problem, block: &Block, pass: Pass, a: &[f64]) -> f64 {
    let n = block.len as usize;
    let mut w = [0.0; boxed::MAX];
    for (k, r) in block.rows().enumerate() {
        w[k] = p.violation(block, r, pass);
    }
    if p.rows[block.rows()].iter().all(|r| r.is_bilateral()) {
        w[..n].iter_mut().for_each(|x| *x = -*x);
        ldl::solve(&a[..n * n], n, &mut w[..n]);
        return apply(p, block, &w[..n]);
    }
    let (mut x, mut q) = ([0.0; boxed::MAX], w);
    let (mut lo, mut hi) = ([0.0; boxed::MAX], [0.0; boxed::MAX]);
    for (k, r) in p.rows[block.rows()].iter().enumerate() {
        (x[k], lo[k], hi[k]) = (r.lambda, r.lo, r.hi);
    }
    for i in 0..n {
        for j in 0..n {
            q[i] -= a[i * n + j] * x[j];
        }
    }
    if boxed::solve(&a[..n * n], &q[..n], &lo[..n], &hi[..n], &mut x[..n]) {
        let mut delta = [0.0; boxed::MAX];
        for (k, r) in block.rows().enumerate() {
            delta[k] = x[k] - p.rows[r].lambda;
        }
        return apply(p, block, &delta[..n]);
    }
    block.rows().fold(0.0, |change: f64, r| {
        change.max(visit_row(p, block, r, pass))
    })
}

fn visit_friction(p: &mut Problem, block: &Block, law: Law, pass: Pass, data: &[f64]) -> f64 {
    let f = block.first as usize;
    let w = DVec3::from_array([0, 1, 2].map(|k| p.violation(block, f + k, pass)));
    let old = DVec3::from_array([0, 1, 2].map(|k| p.rows[f + k].lambda));
    let local = Local::load(data);
    let new = local.solve(law, w - local.a * old, old);
    apply(p, block, &(new - old).to_array())
}

/// Steps of the two rolling rows before the sweep goes on.
const SPIN_ROUNDS: usize = 8;

/// Resistance to spin and rolling, under the normal impulses as they are now: torsion by its row, the
/// two rolling rows together, since a disc cannot be reached one row at a time.
fn visit_spin(p: &mut Problem, block: &Block, law: Law, pass: Pass) -> f64 {
    let f = block.first as usize;
    let load = p.load(block);
    let mut change = 0.0f64;
    let coupled = coupling(p, block, f + 1, f + 2).abs();
    for rows in [0..1, 1..3] {
        let slack = if rows.len() == 2 { coupled } else { 0.0 };
        let stiff = rows.clone().map(|k| p.rows[f + k].diag).fold(0.0, f64::max) + slack;
        for _ in 0..if stiff > 0.0 { SPIN_ROUNDS } else { 0 } {
            let old = DVec3::from_array([0, 1, 2].map(|k| p.rows[f + k].lambda));
            let mut next = old;
            for k in rows.clone() {
                next[k] -= p.violation(block, f + k, pass) / stiff;
            }
            let step = apply(p, block, &(law.project_spin(next, load) - old).to_array());
            change = change.max(step);
            if step == 0.0 {
                break;
            }
        }
    }
    change
}
