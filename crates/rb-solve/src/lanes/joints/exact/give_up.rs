//! Lanes in which pivoting goes in circles, as `direct::give_up` has it.

use super::{Task, bounded};
use crate::direct::VISITS;
use crate::lanes::joints::kernel::{Push, violation};
use crate::lanes::joints::pack::{Batch, Eight};
use crate::lanes::joints::prepare::invert;
use crate::lanes::joints::trees::Group;
use crate::lanes::pair::Pair;
use crate::lanes::simd::Simd;

impl Task<'_> {
    /// Gives up on pivoting in live lanes, where it has been taken back.
    #[inline(always)]
    pub(super) fn give_up<S: Simd>(&mut self, group: &Group, live: S) {
        self.forget::<S>(group, live);
        self.bring::<S>(group, live, bounded, |row, _| {
            clamped(row, S::load(&row.impulse))
        });
        let given_up = S::gt(live, S::zero());
        for batch in &self.batches[group.batches()] {
            for side in &mut self.sides[bounded(batch)] {
                S::select(given_up, S::splat(-1.0), S::load(side)).store(side);
            }
        }
        self.find_free::<S>(group);
        self.factor::<S>(group);
        self.solve_free::<S>(group, live);
        for _visit in 0..VISITS {
            self.relax::<S>(group, live);
            self.solve_free::<S>(group, live);
        }
    }

    /// Drops the impulses there were in live lanes where none at all are better.
    #[inline(always)]
    fn forget<S: Simd>(&mut self, group: &Group, live: S) {
        let with = self.work::<S>(group);
        self.bring::<S>(group, live, Batch::range, |_, _| S::zero());
        let without = self.work::<S>(group);
        let worth = S::gt(S::zero(), with.add(without));
        self.take_back::<S>(group, S::select(worth, live, S::zero()));
    }

    /// λᵀ w of the impulses there were and the present velocities.
    #[inline(always)]
    fn work<S: Simd>(&self, group: &Group) -> S {
        let mut sum = S::zero();
        for batch in &self.batches[group.batches()] {
            let pair = Pair::<S>::gather(self.vel, &batch.bodies);
            let slip = pair.apart();
            for r in batch.range() {
                let w = violation(&self.rows[r], &pair, slip, self.pass);
                sum = w.fma(S::load(&self.before[r]), sum);
            }
        }
        sum
    }

    /// Brings every row with bounds to w = 0 by itself in live lanes, as far as its bounds allow.
    #[inline(always)]
    fn relax<S: Simd>(&mut self, group: &Group, live: S) {
        let live = S::gt(live, S::zero());
        for batch in &self.batches[group.batches()] {
            for r in bounded(batch) {
                let row = &mut self.rows[r];
                let mut pair = Pair::<S>::gather(self.vel, &batch.bodies);
                let w = violation(row, &pair, pair.apart(), self.pass);
                let reg = S::load(&row.reg[self.pass as usize]);
                let diag = S::load(&row.diag).add(reg);
                let old = S::load(&row.impulse);
                let next = clamped(row, old.sub(w.mul(invert(diag, diag))));
                let next = S::select(live, next, old);
                next.store(&mut row.impulse);
                let mut push = Push::new();
                push.add(row, next.sub(old));
                push.act(&batch.mass, &mut pair);
                pair.scatter(self.vel, &batch.bodies);
            }
        }
    }
}

/// An impulse within the bounds.
#[inline(always)]
fn clamped<S: Simd>(row: &Eight, impulse: S) -> S {
    let impulse = impulse.max(S::load(&row.bounds[0]));
    impulse.min(S::load(&row.bounds[1]))
}
