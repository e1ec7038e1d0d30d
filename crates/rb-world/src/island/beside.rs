//! Trees of joints that meet contacts: swept together in lanes, then solved directly.
//!
//! Joints solved exactly and contacts swept by turns need many rounds, since a contact then answers to
//! the mass of one body and finds the whole tree behind it. Swept as equals they need as few as contacts
//! among themselves; a direct solve of the joints ends the pass, so that they hold.

use super::{Island, Shared};
use rb_core::discretise::Discretiser;
use rb_core::problem::{NO_EXTRA, Pass, Source};
use rb_core::solver::Budget;
use rb_solve::Pgs;
use rb_solve::lanes::{LaneRow, Way};

impl Island {
    /// Puts the joint rows of the problem in lanes; false if there is one that lanes cannot hold.
    pub(super) fn put_beside(&mut self) -> bool {
        if self.scratch.plan.work.is_none_or(|w| w == 0) || !self.bent.is_empty() {
            return false;
        }
        let plain = self.problem.blocks.iter().all(|b| b.extra == NO_EXTRA);
        let alone = self.constraints.is_empty() && self.clusters.is_empty();
        let held = plain && alone && self.put_rows();
        if held {
            self.links.prepare(&self.lanes);
        }
        held
    }

    fn put_rows(&mut self) -> bool {
        // A joint without rows has no block.
        let none = u32::MAX;
        self.block_of.clear();
        self.block_of.resize(self.joints.len(), none);
        for (k, block) in self.problem.blocks.iter().enumerate() {
            if let Source::Joint(j) = block.source {
                self.block_of[j as usize] = k as u32;
            }
        }
        for batch in 0..self.links.batches() {
            self.links.open();
            for lane in 0..rb_solve::lanes::LANES {
                let Some(j) = self.links.joint(batch, lane) else {
                    break;
                };
                let block = self.block_of[j as usize];
                if block == none {
                    continue;
                }
                for row in &self.problem.rows[self.problem.blocks[block as usize].rows()] {
                    let held = LaneRow::of(row, 0.0).is_some_and(|row| self.links.put(lane, &row));
                    if !held {
                        return false;
                    }
                }
            }
            self.links.close(batch);
        }
        true
    }

    /// One pass: sweeps over all joints and contacts, then the joints exactly.
    pub(super) fn sweep_beside(&mut self, shared: &Shared, pass: Pass) {
        let numbers = Discretiser::new(shared.params, shared.h);
        let sweeps = self.rounds(shared, pass);
        for k in 0..sweeps {
            let backwards = self.backwards() != (k % 2 == 1);
            self.links.sweep(&mut self.lanes, pass, backwards);
            self.lanes.sweep(pass, &numbers, backwards);
        }
        self.settle_joints(shared, pass);
        self.outcome.iterations += sweeps;
    }

    /// Solves the joints exactly.
    fn settle_joints(&mut self, shared: &Shared, pass: Pass) {
        self.take_velocities();
        self.exchange(Way::ToRows);
        let once = Budget::new(1, shared.params.sweeps.stop);
        let (problem, scratch) = (&mut self.problem, &mut self.scratch);
        Pgs.solve_beside(problem, pass, once, scratch, None);
        self.exchange(Way::ToLanes);
        for (i, b) in self.problem.bodies.iter().enumerate() {
            self.lanes.set_velocity(i, &b.vel);
        }
    }

    fn exchange(&mut self, way: Way) {
        for block in &self.problem.blocks {
            if let Source::Joint(j) = block.source {
                let rows = block.rows();
                self.links
                    .exchange(j as usize, &mut self.problem.rows[rows], way);
            }
        }
    }

    /// Velocities of the bodies as the lanes have them.
    pub(super) fn take_velocities(&mut self) {
        for (i, b) in self.problem.bodies.iter_mut().enumerate() {
            b.vel = self.lanes.velocity(i);
        }
    }
}
