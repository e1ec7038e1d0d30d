//! All joints of an island as one block, solved exactly.
//!
//! The joint rows' own system (J W Jᵀ + R) Δλ = −w is factored as block LDLᵀ in the order of
//! [`Elimination`]: without fill, hence in linear time, for trees of joints. Rows with bounds are
//! handled by block principal pivoting: rows at a bound are pinned, the others solved, wrong sides
//! exchanged, until none is wrong; one at a time where all at once go in circles. Contacts stay outside:
//! the sweep visits this block, then them.
//!
//! Sources: D. Baraff, "Linear-time dynamics using Lagrange multipliers", 1996 (elimination along the
//! tree); J. Júdice, F. Pires, 1994 (pivoting).

mod factor;
mod give_up;

pub(crate) use factor::invert;
pub(crate) use give_up::VISITS;

use core::ops::Range;
use rb_core::elimination::Elimination;
use rb_core::math::Twist;
use rb_core::problem::{Block, NO_EXTRA, Pass, Problem, Source};
use rb_core::solver::{DirectMemory, Scratch};

/// Rounds of pivoting before it is given up.
pub(crate) const ROUNDS: usize = 24;
/// Rounds in which all rows on the wrong side are exchanged though they do not become fewer. Then one is exchanged
/// a round until they do, which cannot go in circles unless rows repeat each other.
pub(crate) const PATIENCE: u8 = 3;

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
    memory: &'a mut DirectMemory,
    /// Whether any row has a bound.
    bounded: bool,
}

impl<'a> Joints<'a> {
    /// The joint blocks of a problem, if a direct solve of them is planned.
    pub(crate) fn new(p: &Problem, pass: Pass, scratch: &'a mut Scratch) -> Option<Self> {
        let plan = &scratch.plan;
        plan.work.filter(|&w| w > 0)?;
        let memory = &mut scratch.joints;
        place_blocks(p, plan, memory);
        memory.first.clear();
        memory.first.push(0);
        let (mut n, mut softens, mut bounded) = (0, false, false);
        for b in &memory.blocks {
            if let Some(b) = b {
                n += u32::from(b.len);
                for row in &p.rows[b.rows()] {
                    softens |= row.position.reg != row.velocity.reg;
                    bounded |= !row.is_bilateral();
                }
            }
            memory.first.push(n);
        }
        let n = n as usize;
        memory.solution.clear();
        memory.solution.resize(n, 0.0);
        memory.sides.clear();
        memory.sides.resize(n, Side::Free as i8);
        let mut joints = Self {
            pass,
            plan,
            bounded,
            memory,
        };
        joints.guess_sides(p, &(0..plan.order.len()));
        if joints.memory.factored.len() != n || softens {
            joints.lay_out();
        }
        Some(joints)
    }

    /// Number of rows of position k.
    #[inline]
    fn len(&self, k: usize) -> usize {
        (self.memory.first[k + 1] - self.memory.first[k]) as usize
    }

    /// Number of the first row of position k.
    #[inline]
    fn first(&self, k: usize) -> usize {
        self.memory.first[k] as usize
    }

    /// Rows of the positions of a tree.
    fn unknowns(&self, tree: &Range<usize>) -> Range<usize> {
        self.first(tree.start)..self.first(tree.end)
    }

    fn guess_sides(&mut self, p: &Problem, tree: &Range<usize>) {
        if !self.bounded {
            return;
        }
        let memory = &mut *self.memory;
        for k in tree.clone() {
            let Some(block) = &memory.blocks[k] else {
                continue;
            };
            let first = memory.first[k] as usize;
            for (side, row) in memory.sides[first..].iter_mut().zip(&p.rows[block.rows()]) {
                *side = if row.lambda <= row.lo {
                    Side::Low as i8
                } else if row.lambda >= row.hi {
                    Side::High as i8
                } else {
                    Side::Free as i8
                };
            }
        }
    }

    /// Solves all joint rows against the present velocities; returns the largest change (m/s or
    /// rad/s), and whether the bounds came out right. Joints that do not hang together do not wait for
    /// one another's bounds.
    pub(crate) fn visit(&mut self, p: &mut Problem) -> (f64, bool) {
        let memory = &mut *self.memory;
        memory.before.clear();
        for block in memory.blocks.iter().flatten() {
            let rows = p.rows[block.rows()].iter();
            memory.before.extend(rows.map(|row| row.lambda));
        }
        memory.velocities.clear();
        if self.bounded {
            let velocities = p.bodies.iter().map(|body| body.vel);
            memory.velocities.extend(velocities);
        }
        let plan = self.plan;
        let mut settled = true;
        for ends in plan.trees.windows(2) {
            settled &= self.visit_tree(p, &(ends[0] as usize..ends[1] as usize));
        }
        let (mut change, mut before) = (0.0f64, &self.memory.before[..]);
        for block in self.memory.blocks.iter().flatten() {
            let (mine, others) = before.split_at(block.len as usize);
            for (row, before) in p.rows[block.rows()].iter().zip(mine) {
                change = change.max((row.lambda - before).abs() * row.diag);
            }
            before = others;
        }
        (change, settled)
    }

    fn visit_tree(&mut self, p: &mut Problem, tree: &Range<usize>) -> bool {
        let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
        for _round in 0..ROUNDS {
            if !self.is_factored(tree) {
                self.factor(p, tree);
            }
            self.solve_round(p, tree);
            let wrong = self.exchange(p, tree, patience == 0);
            if wrong == 0 {
                return true;
            }
            patience = match wrong < fewest {
                true => PATIENCE,
                false => patience.saturating_sub(1),
            };
            fewest = fewest.min(wrong);
            self.take_back(p, tree);
        }
        self.give_up(p, tree);
        false
    }

    /// Pinned rows to their bounds, the others to w = 0.
    fn solve_round(&mut self, p: &mut Problem, tree: &Range<usize>) {
        if self.bounded {
            self.pin(p, tree);
        }
        self.solve_free(p, tree);
    }

    /// The rows that are not pinned to w = 0.
    fn solve_free(&mut self, p: &mut Problem, tree: &Range<usize>) {
        for k in tree.clone() {
            let Some(block) = self.memory.blocks[k] else {
                continue;
            };
            let mine = self.first(k)..self.first(k) + block.len as usize;
            let memory = &mut *self.memory;
            let sides = &memory.sides[mine.clone()];
            let violations = p.violations(&block, self.pass);
            for ((b, w), side) in memory.solution[mine].iter_mut().zip(violations).zip(sides) {
                *b = if *side == Side::Free as i8 { -w } else { 0.0 };
            }
        }
        self.substitute(tree);
        for k in tree.clone() {
            if let Some(block) = &self.memory.blocks[k] {
                let first = self.memory.first[k] as usize;
                push(p, block, &self.memory.solution[first..]);
            }
        }
    }

    /// Sets the pinned rows to their bounds.
    fn pin(&mut self, p: &mut Problem, tree: &Range<usize>) {
        for k in tree.clone() {
            let Some(block) = self.memory.blocks[k] else {
                continue;
            };
            let sides = &self.memory.sides[self.memory.first[k] as usize..];
            for (row, side) in block.rows().zip(sides) {
                let r = &p.rows[row];
                let bound = match *side {
                    -1 => r.lo,
                    1 => r.hi,
                    _ => continue,
                };
                let delta = bound - r.lambda;
                if delta != 0.0 {
                    p.push_impulse(&block, row, delta);
                }
            }
        }
    }

    /// Moves rows on the wrong side to the right one, all or the first alone; returns their number.
    fn exchange(&mut self, p: &Problem, tree: &Range<usize>, one: bool) -> usize {
        let mut wrong = 0;
        for k in tree.clone().filter(|_| self.bounded) {
            let Some(block) = self.memory.blocks[k] else {
                continue;
            };
            let first = self.first(k);
            for (u, r) in (first..).zip(block.rows()) {
                let row = &p.rows[r];
                if row.lo == row.hi || row.is_bilateral() {
                    continue;
                }
                let w = p.violation(&block, r, self.pass);
                let side = &mut self.memory.sides[u];
                let speeds =
                    [0, 1].map(|s| row.jac[s].dot(&p.bodies[block.bodies[s] as usize].vel));
                let terms = row.term(self.pass).bias.abs() + speeds[0].abs() + speeds[1].abs();
                let noise = 1e-13 * (row.lambda.abs() * row.diag + terms);
                let slack = 1e-13 * row.lambda.abs();
                let next = match *side {
                    0 if row.lambda < row.lo - slack => Side::Low as i8,
                    0 if row.lambda > row.hi + slack => Side::High as i8,
                    -1 if w < -noise => Side::Free as i8,
                    1 if w > noise => Side::Free as i8,
                    same => same,
                };
                if next == *side {
                    continue;
                }
                if wrong == 0 || !one {
                    *side = next;
                }
                wrong += 1;
            }
        }
        wrong
    }

    /// Takes a round back. Rows that nearly repeat each other may have pushed against one another with 1e15 N·s: their
    /// difference would leave its rounding in the velocities, so these are remembered.
    fn take_back(&mut self, p: &mut Problem, tree: &Range<usize>) {
        let memory = &*self.memory;
        for k in tree.clone() {
            let Some(block) = memory.blocks[k] else {
                continue;
            };
            let before = &memory.before[memory.first[k] as usize..];
            for (row, before) in block.rows().zip(before) {
                p.rows[row].lambda = *before;
            }
            let spilled = p.extras.get(block.extra as usize);
            let spilled = spilled.into_iter().flat_map(|e| &e.bodies);
            for &body in block.bodies.iter().chain(spilled) {
                p.bodies[body as usize].vel = memory.velocities[body as usize];
            }
        }
    }
}

/// Finds the block at each position of the elimination order.
fn place_blocks(p: &Problem, plan: &Elimination, memory: &mut DirectMemory) {
    memory.stated.clear();
    memory.stated.resize(plan.order.len(), None);
    // The factor is symmetric: blocks with a column map are left to the sweeps.
    for block in p.blocks.iter().filter(|b| !p.is_mapped(b)) {
        match block.source {
            Source::Joint(j) => memory.stated[j as usize] = Some(*block),
            Source::Constraint(k) => memory.stated[plan.pairs() + k as usize] = Some(*block),
            Source::Contact { .. } => {}
        }
    }
    let stated = &memory.stated;
    let blocks = plan.order.iter().map(|&j| stated[j as usize]);
    memory.blocks.clear();
    memory.blocks.extend(blocks);
}

/// Adds impulses to the rows of a block and moves its bodies.
fn push(p: &mut Problem, block: &Block, delta: &[f64]) {
    if block.extra != NO_EXTRA {
        for (row, &d) in block.rows().zip(delta) {
            if d != 0.0 {
                p.push_impulse(block, row, d);
            }
        }
        return;
    }
    let mut change = [Twist::ZERO; 2];
    for (row, &d) in p.rows[block.rows()].iter_mut().zip(delta) {
        row.lambda += d;
        change[0] += row.mjt[0] * d;
        change[1] += row.mjt[1] * d;
    }
    for (body, change) in block.bodies.into_iter().zip(change) {
        p.bodies[body as usize].vel += change;
    }
}
