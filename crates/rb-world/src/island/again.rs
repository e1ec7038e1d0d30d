//! A second try for islands of contacts alone whose velocities miss their tolerance.
//!
//! Sweeps are what most of them are short of, in the step of an impact above all, and cost a small part of what the exact
//! solver does. Whoever still misses the tolerance asks that one, if it is small enough. A second try has the law of the
//! first, contacts that yield.

use super::convoy::{Convoy, RUN};
use super::{Ask, Island, Shared};
use crate::frame::release;
use rb_core::room::bytes;
use rb_solve::lanes::ContactLanes;
use rb_solve::parallel;

/// Islands whose step is made again in lanes, together in runs of their own.
#[derive(Debug, Default)]
pub(crate) struct SecondTry {
    /// Their numbers, and they themselves while it is made.
    numbers: Vec<u32>,
    islands: Vec<Island>,
    /// The lanes of every run.
    convoys: Vec<Convoy>,
}

impl SecondTry {
    /// Makes the step of those again that ask for it, and judges it; returns the number of tasks.
    pub(crate) fn run(&mut self, islands: &mut [Island], shared: &Shared) -> usize {
        let asking = islands.iter_mut().enumerate();
        for (k, island) in asking.filter(|(_, island)| island.asks_again(shared)) {
            island.again = Some((self.islands.len() / RUN) as u32);
            self.numbers.push(k as u32);
            self.islands.push(std::mem::take(island));
        }
        let tasks = self.islands.len().div_ceil(RUN);
        if self.convoys.len() < tasks {
            self.convoys.resize_with(tasks, Convoy::default);
        }
        let (used, unused) = self.convoys.split_at_mut(tasks);
        release(unused, Convoy::bytes);
        parallel::for_each_with_run(used, &mut self.islands, RUN, |convoy, run| {
            convoy.run_again(run, shared);
            run.iter_mut().for_each(|island| island.judge_again(shared));
        });
        for (k, island) in self.numbers.drain(..).zip(self.islands.drain(..)) {
            islands[k as usize] = island;
        }
        tasks
    }

    /// The lanes of a run.
    #[inline]
    pub(crate) fn lanes(&self, run: u32) -> &ContactLanes {
        &self.convoys[run as usize].lanes
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let lanes: usize = self.convoys.iter().map(Convoy::bytes).sum();
        lanes + bytes(&self.convoys) + bytes(&self.islands) + bytes(&self.numbers)
    }
}

impl Island {
    /// Whether its step may be made again in lanes.
    pub(super) fn may_step_again(&self, shared: &Shared) -> bool {
        let policy = shared.params.escalation;
        policy.again > 1
            && self.rows() <= policy.again_rows
            && self.again.is_none()
            && self.joins_others()
    }

    /// Whether it is to be, for its velocities.
    fn asks_again(&self, shared: &Shared) -> bool {
        matches!(self.ask, Some(Ask::Residual(_))) && self.may_step_again(shared)
    }

    /// Judges the second try as if there had been no first.
    fn judge_again(&mut self, shared: &Shared) {
        self.escalated.failed = false;
        self.judge(shared);
    }
}
