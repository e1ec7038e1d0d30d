//! All joints of an island as one block, solved exactly.
//!
//! The joint rows' own system (J W Jᵀ + R) Δλ = −w is factored as block LDLᵀ in the order of
//! [`Elimination`]: without fill, hence in linear time, for trees of joints. Rows with bounds are
//! handled by block principal pivoting: rows at a bound are pinned, the others solved, wrong sides
//! exchanged, until none is wrong. Contacts stay outside: the sweep visits this block, then them.
//! Sources: D. Baraff, "Linear-time dynamics using Lagrange multipliers", 1996 (elimination along the
//! tree); J. Júdice, F. Pires, 1994 (pivoting).

use crate::linalg::ldl;
use core::ops::Range;
use rb_core::elimination::Elimination;
use rb_core::problem::{Block, NO_EXTRA, Pass, Problem, Source};
use rb_core::solver::Scratch;
use smallvec::SmallVec;

/// Rounds of pivoting before the sweeps are left to finish the bounds one joint at a time.
const ROUNDS: usize = 12;

/// In place of a side: there is no factor yet.
const UNKNOWN: i8 = i8::MAX;

/// Side of a bounded row.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(i8)]
enum Side {
    Low = -1,
    Free = 0,
    High = 1,
}

/// The joint system of one pass.
pub(crate) struct Joints<'a> {
    pass: Pass,
    plan: &'a Elimination,
    factor: &'a mut Vec<f64>,
    factor_at: &'a mut Vec<u32>,
    x: &'a mut Vec<f64>,
    /// Block at each position, if any of the joint's rows can move anything.
    blocks: Vec<Option<Block>>,
    /// First unknown of each position, and the number of unknowns.
    first: Vec<usize>,
    side: Vec<Side>,
    /// Every joint row, in the order of the unknowns.
    rows: Vec<Unknown>,
    before: Vec<f64>,
    /// Diagonal of the system before elimination.
    scale: Vec<f64>,
    /// Sides the factor was made for; empty without one.
    factored: &'a mut Vec<i8>,
}

/// A joint row and the block it belongs to.
#[derive(Clone, Copy)]
struct Unknown {
    row: usize,
    block: Block,
}

impl<'a> Joints<'a> {
    /// The joint blocks of a problem, if a direct solve of them is planned.
    pub(crate) fn new(p: &Problem, pass: Pass, scratch: &'a mut Scratch) -> Option<Self> {
        let plan = &scratch.plan;
        plan.work.filter(|&w| w > 0)?;
        let mut by_joint = vec![None; plan.order.len()];
        // The factor is symmetric: blocks with a column map are left to the sweeps.
        for block in p.blocks.iter().filter(|b| !p.is_mapped(b)) {
            match block.source {
                Source::Joint(j) => by_joint[j as usize] = Some(*block),
                Source::Constraint(k) => by_joint[plan.pairs() + k as usize] = Some(*block),
                Source::Contact { .. } => {}
            }
        }
        let blocks: Vec<_> = plan.order.iter().map(|&j| by_joint[j as usize]).collect();
        let mut first = vec![0];
        for b in &blocks {
            first.push(first[first.len() - 1] + b.map_or(0, |b| b.len as usize));
        }
        let n = first[first.len() - 1];
        scratch.solution.clear();
        scratch.solution.resize(n, 0.0);
        let unknowns = |b: &Block| {
            let block = *b;
            block.rows().map(move |row| Unknown { row, block })
        };
        let mut joints = Self {
            pass,
            plan,
            factor: &mut scratch.factor,
            factor_at: &mut scratch.factor_at,
            x: &mut scratch.solution,
            rows: blocks.iter().flatten().flat_map(unknowns).collect(),
            before: vec![0.0; n],
            scale: vec![0.0; n],
            blocks,
            first,
            side: vec![Side::Free; n],
            factored: &mut scratch.factored,
        };
        joints.guess_sides(p, &(0..plan.order.len()));
        if joints.factored.len() != n || joints.softens(p) {
            joints.lay_out();
        }
        Some(joints)
    }

    fn len(&self, k: usize) -> usize {
        self.first[k + 1] - self.first[k]
    }

    /// Unknowns of the positions of a tree.
    fn unknowns(&self, tree: &Range<usize>) -> Range<usize> {
        self.first[tree.start]..self.first[tree.end]
    }

    /// Whether the factor of a tree is that of its present sides.
    fn is_factored(&self, tree: &Range<usize>) -> bool {
        let mine = self.unknowns(tree);
        let same = |(f, side): (&i8, &Side)| *f == *side as i8;
        self.factored[mine.clone()]
            .iter()
            .zip(&self.side[mine])
            .all(same)
    }

    /// Whether the two passes have different matrices.
    fn softens(&self, p: &Problem) -> bool {
        let differs = |u: &Unknown| p.rows[u.row].position.reg != p.rows[u.row].velocity.reg;
        self.rows.iter().any(differs)
    }

    /// Places the blocks of column k one after another: the diagonal, then one for each link.
    fn lay_out(&mut self) {
        self.factored.clear();
        self.factored.resize(self.side.len(), UNKNOWN);
        self.factor_at.clear();
        let mut at = 0;
        for k in 0..self.blocks.len() {
            let n = self.len(k);
            self.factor_at.push(at as u32);
            at += n * n;
            for &i in self.plan.column(k) {
                self.factor_at.push(at as u32);
                at += self.len(i as usize) * n;
            }
        }
        self.factor.clear();
        self.factor.resize(at, 0.0);
    }

    /// Range in `factor` of the diagonal block of column k (`link` 0) or of its `link`-th link.
    fn place(&self, k: usize, link: usize) -> Range<usize> {
        let slot = k + self.plan.starts[k] as usize + link;
        let rows = if link == 0 {
            k
        } else {
            self.plan.column(k)[link - 1] as usize
        };
        let at = self.factor_at[slot] as usize;
        at..at + self.len(rows) * self.len(k)
    }

    fn guess_sides(&mut self, p: &Problem, tree: &Range<usize>) {
        let mine = self.unknowns(tree);
        for (side, u) in self.side[mine.clone()].iter_mut().zip(&self.rows[mine]) {
            let row = &p.rows[u.row];
            *side = if row.lambda <= row.lo {
                Side::Low
            } else if row.lambda >= row.hi {
                Side::High
            } else {
                Side::Free
            };
        }
    }

    /// Entry block (i, k) of J W Jᵀ + R: rows of position i against those of position k. Pinned rows
    /// are left out, with 1 on the diagonal.
    fn fill(&mut self, p: &Problem, i: usize, k: usize, at: Range<usize>) {
        let (Some(bi), Some(bk)) = (self.blocks[i], self.blocks[k]) else {
            return;
        };
        let plain = bi.extra == NO_EXTRA && bk.extra == NO_EXTRA;
        let common = common(&bi, &bk);
        let out = &mut self.factor[at];
        for (r, ri) in bi.rows().enumerate() {
            let row = &p.rows[ri];
            let free = self.side[self.first[i] + r] == Side::Free;
            for (c, rk) in bk.rows().enumerate() {
                let entry = &mut out[r * bk.len as usize + c];
                if !free || self.side[self.first[k] + c] != Side::Free {
                    *entry = f64::from(u8::from(ri == rk));
                    continue;
                }
                *entry = if plain {
                    let other = &p.rows[rk];
                    let share = |&[s, t]: &[usize; 2]| row.jac[s].dot(&other.mjt[t]);
                    common.iter().map(share).sum()
                } else {
                    p.shared(&bi, ri, &bk, rk)
                };
                if i == k {
                    *entry += p.reg(&bi, ri, rk, self.pass);
                }
            }
        }
    }

    fn factor(&mut self, p: &Problem, tree: &Range<usize>) {
        for k in tree.clone() {
            let at = self.place(k, 0);
            self.fill(p, k, k, at.clone());
            let n = self.len(k);
            for j in 0..n {
                self.scale[self.first[k] + j] = self.factor[at.start + j * n + j];
            }
            for link in 1..=self.plan.column(k).len() {
                let i = self.plan.column(k)[link - 1] as usize;
                let at = self.place(k, link);
                self.fill(p, i, k, at);
            }
        }
        for k in tree.clone() {
            self.eliminate(k);
        }
        for u in self.unknowns(tree) {
            self.factored[u] = self.side[u] as i8;
        }
    }

    /// Factors the diagonal of column k and subtracts its product from the later columns.
    fn eliminate(&mut self, k: usize) {
        let n = self.len(k);
        if n == 0 {
            return;
        }
        let diagonal = self.place(k, 0);
        // A loop of joints repeats rows: its last pivots vanish against what they were.
        let scale = &self.scale[self.first[k]..self.first[k + 1]];
        ldl::factor_against(&mut self.factor[diagonal.clone()], n, |j, _| scale[j]);
        let links = self.plan.column(k).len();
        // Rows S of the column become L = S D⁻¹; S is kept for the products.
        let column = diagonal.end..self.place(k, links).end.max(diagonal.end);
        let before = self.factor[column.clone()].to_vec();
        let (head, tail) = self.factor.split_at_mut(diagonal.end);
        for row in tail[..column.len()].chunks_exact_mut(n) {
            ldl::solve(&head[diagonal.clone()], n, row);
        }
        for a in 1..=links {
            for b in a..=links {
                self.subtract_product(k, a, b, &before[..], column.start);
            }
        }
    }

    /// S(j, i) −= L(j, k) S(i, k)ᵀ, with i and j the `a`-th and `b`-th link of k.
    fn subtract_product(&mut self, k: usize, a: usize, b: usize, before: &[f64], start: usize) {
        let n = self.len(k);
        let (i, j) = (self.plan.column(k)[a - 1], self.plan.column(k)[b - 1]);
        let target = if i == j {
            self.place(i as usize, 0)
        } else {
            // Eliminating k has linked i and j, so the column of i has j.
            let Ok(link) = self.plan.column(i as usize).binary_search(&j) else {
                return;
            };
            self.place(i as usize, link + 1)
        };
        let (left, right) = (self.place(k, b), self.place(k, a));
        let (rows, cols) = (self.len(j as usize), self.len(i as usize));
        if cols == 0 {
            return;
        }
        // Later columns lie behind this one.
        let (head, tail) = self.factor.split_at_mut(target.start);
        let left = head[left].chunks_exact(n).take(rows);
        let right = &before[right.start - start..right.end - start];
        for (out, l) in tail.chunks_exact_mut(cols).zip(left) {
            for (out, s) in out.iter_mut().zip(right.chunks_exact(n)) {
                *out -= l.iter().zip(s).map(|(a, b)| a * b).sum::<f64>();
            }
        }
    }

    /// Solves with the factor, in place in `x`.
    fn substitute(&mut self, tree: &Range<usize>) {
        for k in tree.clone() {
            let n = self.len(k);
            if n == 0 {
                continue;
            }
            for (link, &i) in self.plan.column(k).iter().enumerate() {
                let factor = &self.factor[self.place(k, link + 1)];
                // Links go to later positions.
                let (head, tail) = self.x.split_at_mut(self.first[i as usize]);
                let known = &head[self.first[k]..self.first[k + 1]];
                for (x, l) in tail.iter_mut().zip(factor.chunks_exact(n)) {
                    *x -= l.iter().zip(known).map(|(l, x)| l * x).sum::<f64>();
                }
            }
        }
        for k in tree.clone().rev() {
            let n = self.len(k);
            if n == 0 {
                continue;
            }
            let mine = self.first[k]..self.first[k + 1];
            ldl::solve(&self.factor[self.place(k, 0)], n, &mut self.x[mine.clone()]);
            for (link, &i) in self.plan.column(k).iter().enumerate() {
                let factor = &self.factor[self.place(k, link + 1)];
                let (head, tail) = self.x.split_at_mut(self.first[i as usize]);
                for (l, x) in factor.chunks_exact(n).zip(&*tail) {
                    for (mine, l) in head[mine.clone()].iter_mut().zip(l) {
                        *mine -= l * x;
                    }
                }
            }
        }
    }

    /// Solves all joint rows against the present velocities; returns the largest change (m/s or
    /// rad/s), and whether the bounds came out right. Joints that do not hang together do not wait for
    /// one another's bounds.
    pub(crate) fn visit(&mut self, p: &mut Problem) -> (f64, bool) {
        for (before, u) in self.before.iter_mut().zip(&self.rows) {
            *before = p.rows[u.row].lambda;
        }
        let plan = self.plan;
        let mut settled = true;
        for ends in plan.trees.windows(2) {
            settled &= self.visit_tree(p, &(ends[0] as usize..ends[1] as usize));
        }
        let change = |(u, before): (&Unknown, &f64)| {
            let row = &p.rows[u.row];
            (row.lambda - before).abs() * row.diag
        };
        let changes = self.rows.iter().zip(&self.before).map(change);
        (changes.fold(0.0, f64::max), settled)
    }

    fn visit_tree(&mut self, p: &mut Problem, tree: &Range<usize>) -> bool {
        for _round in 0..ROUNDS {
            if !self.is_factored(tree) {
                self.factor(p, tree);
            }
            self.solve_round(p, tree);
            if !self.exchange(p, tree) {
                return true;
            }
        }
        self.clamp(p, tree);
        false
    }

    /// Pinned rows to their bounds, the others to w = 0.
    fn solve_round(&mut self, p: &mut Problem, tree: &Range<usize>) {
        let mine = self.unknowns(tree);
        for u in mine.clone() {
            let row = &p.rows[self.rows[u].row];
            let bound = match self.side[u] {
                Side::Free => continue,
                Side::Low => row.lo,
                Side::High => row.hi,
            };
            push(p, &self.rows[u], bound - row.lambda);
        }
        for u in mine.clone() {
            let Unknown { row, block } = &self.rows[u];
            self.x[u] = if self.side[u] == Side::Free {
                -p.violation(block, *row, self.pass)
            } else {
                0.0
            };
        }
        self.substitute(tree);
        for u in mine.filter(|&u| self.side[u] == Side::Free) {
            push(p, &self.rows[u], self.x[u]);
        }
    }

    /// Moves every row on the wrong side to the right one; false if there is none.
    fn exchange(&mut self, p: &Problem, tree: &Range<usize>) -> bool {
        let mut wrong = false;
        for k in self.unknowns(tree) {
            let (u, side) = (&self.rows[k], &mut self.side[k]);
            let row = &p.rows[u.row];
            if row.lo == row.hi || row.is_bilateral() {
                continue;
            }
            let w = p.violation(&u.block, u.row, self.pass);
            let noise = 1e-13 * (row.lambda.abs() * row.diag + row.term(self.pass).bias.abs());
            let slack = 1e-13 * row.lambda.abs();
            let next = match *side {
                Side::Free if row.lambda < row.lo - slack => Side::Low,
                Side::Free if row.lambda > row.hi + slack => Side::High,
                Side::Low if w < -noise => Side::Free,
                Side::High if w > noise => Side::Free,
                same => same,
            };
            wrong |= next != *side;
            *side = next;
        }
        wrong
    }

    /// Gives up on pivoting: every multiplier back within its bounds.
    fn clamp(&mut self, p: &mut Problem, tree: &Range<usize>) {
        for u in &self.rows[self.unknowns(tree)] {
            let row = &p.rows[u.row];
            push(p, u, row.lambda.max(row.lo).min(row.hi) - row.lambda);
        }
        self.guess_sides(p, tree);
    }
}

/// Sides (s, t) of two blocks that are the same body.
fn common(a: &Block, b: &Block) -> SmallVec<[[usize; 2]; 4]> {
    let all = [[0, 0], [0, 1], [1, 0], [1, 1]];
    let same = |&[s, t]: &[usize; 2]| a.bodies[s] == b.bodies[t];
    all.into_iter().filter(same).collect()
}

/// Adds an impulse to a row and moves its bodies.
fn push(p: &mut Problem, u: &Unknown, delta: f64) {
    if delta != 0.0 {
        p.push_impulse(&u.block, u.row, delta);
    }
}
