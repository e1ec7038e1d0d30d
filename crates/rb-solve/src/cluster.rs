//! Small stiff clusters: a few blocks solved exactly as one block of the Gauss–Seidel order.
//!
//! A heavy body on a light one converges by sweeps as slowly as their masses differ. Their contacts
//! together, with whatever they stand on, are a small problem of their own while all other impulses
//! stand still: ṽ of each body is its present velocity less what the cluster's own impulses made of it.
//! It is left alone where it holds already. Source: M. Silcowitz, S. Niebe, K. Erleben, "Projected
//! Gauss–Seidel subspace minimization method for interactive rigid body dynamics", 2010.

use crate::exact::solve_block;
use rb_core::problem::{Block, NO_EXTRA, Pass, Problem, ProblemRow};
use rb_core::residual::grade_pass;
use rb_core::solver::Scratch;

/// What a solve leaves of the violation at which a cluster is left as it is in the position pass.
const MARGIN: f64 = 1e-3;

/// The violation at which it is in the velocity pass, as a share of that. What is left there of a push-out goes
/// on in the next substep, is too much then, is pushed back, and so on by turns: a cluster at rest would be solved anew
/// in every one.
const CALMER: f64 = 0.1;

/// A cluster with its own problem.
struct Cluster {
    blocks: Vec<u32>,
    /// Bodies, as numbers within the island.
    bodies: Vec<u32>,
    problem: Problem,
    /// It could not be solved as one in this pass.
    failed: bool,
}

/// The clusters of one solve.
pub(crate) struct Clusters {
    list: Vec<Cluster>,
    /// Violation (m/s) up to which a cluster counts as solved in the position pass.
    stop: f64,
}

impl Clusters {
    /// The clusters that `scratch` lists.
    pub(crate) fn new(p: &Problem, scratch: &Scratch) -> Self {
        let lists = scratch.clusters.iter();
        Self {
            list: lists.map(|blocks| Cluster::new(p, blocks)).collect(),
            stop: scratch.cluster_stop,
        }
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether a block belongs to one.
    pub(crate) fn contains(&self, block: usize) -> bool {
        let block = block as u32;
        self.list.iter().any(|c| c.blocks.contains(&block))
    }

    /// Solves all clusters, one after the other; `one` visits a block of those that could not be solved
    /// as one. Returns the largest change (m/s).
    pub(crate) fn visit(
        &mut self,
        p: &mut Problem,
        pass: Pass,
        mut one: impl FnMut(&mut Problem, usize) -> f64,
    ) -> f64 {
        let mut change = 0.0f64;
        for cluster in &mut self.list {
            change = change.max(match cluster.solve(p, pass, self.stop) {
                Some(change) => change,
                None => cluster
                    .blocks
                    .iter()
                    .fold(0.0, |m: f64, &b| m.max(one(p, b as usize))),
            });
        }
        change
    }
}

impl Cluster {
    fn new(p: &Problem, blocks: &[u32]) -> Self {
        let of = |b: &u32| p.blocks[*b as usize];
        let mut bodies: Vec<u32> = blocks.iter().flat_map(|b| of(b).bodies).collect();
        bodies.sort_unstable();
        bodies.dedup();
        let mut problem = Problem::default();
        let body = |&b: &u32| p.bodies[b as usize];
        problem.bodies = bodies.iter().map(body).collect();
        for block in blocks.iter().map(of) {
            debug_assert!(block.extra == NO_EXTRA);
            let first = problem.rows.len() as u32;
            problem.rows.extend_from_slice(&p.rows[block.rows()]);
            let place = |b: u32| bodies.partition_point(|&other| other < b) as u32;
            problem.blocks.push(Block {
                bodies: block.bodies.map(place),
                first,
                ..block
            });
        }
        Self {
            blocks: blocks.to_vec(),
            bodies,
            problem,
            failed: false,
        }
    }

    /// Rows of the island in the order of the cluster's own, with their blocks.
    fn rows<'a>(&'a self, p: &'a Problem) -> impl Iterator<Item = (Block, usize)> + 'a {
        let blocks = self.blocks.iter().map(|&b| p.blocks[b as usize]);
        blocks.flat_map(|block| block.rows().map(move |r| (block, r)))
    }

    /// Solves the cluster against the present velocities; the largest change, or `None` if the answer is
    /// no better than what was there. One that was hardly better is not sought again in this pass: that
    /// would cost every stage of the search in every sweep.
    fn solve(&mut self, p: &mut Problem, pass: Pass, stop: f64) -> Option<f64> {
        if self.failed {
            return None;
        }
        let numbers: Vec<(Block, usize)> = self.rows(p).collect();
        for (own, (_, r)) in self.problem.rows.iter_mut().zip(&numbers) {
            own.lambda = p.rows[*r].lambda;
        }
        self.free_bodies(p);
        let before = grade_pass(&self.problem, pass, 0.0).abs;
        let calm = match pass {
            Pass::Position => stop,
            Pass::Velocity => CALMER * stop,
        };
        if before <= calm {
            return Some(0.0);
        }
        solve_block(&mut self.problem, pass, MARGIN * stop);
        let after = grade_pass(&self.problem, pass, 0.0).abs;
        self.failed = after > calm.max(0.5 * before);
        if after >= before {
            return None;
        }
        let mut change = 0.0f64;
        for (own, (block, r)) in self.problem.rows.iter().zip(numbers) {
            let delta = own.lambda - p.rows[r].lambda;
            if delta != 0.0 {
                p.push_impulse(&block, r, delta);
                change = change.max(delta.abs() * own.diag);
            }
        }
        Some(change)
    }

    /// Velocities of the bodies as they are, and as they would be without the cluster's impulses.
    fn free_bodies(&mut self, p: &Problem) {
        for (own, &b) in self.problem.bodies.iter_mut().zip(&self.bodies) {
            own.vel = p.bodies[b as usize].vel;
            own.free = own.vel;
        }
        for block in &self.problem.blocks {
            for ProblemRow { mjt, lambda, .. } in &self.problem.rows[block.rows()] {
                for (body, mjt) in block.bodies.iter().zip(mjt) {
                    let body = &mut self.problem.bodies[*body as usize];
                    body.free = body.free - *mjt * *lambda;
                }
            }
        }
    }
}
