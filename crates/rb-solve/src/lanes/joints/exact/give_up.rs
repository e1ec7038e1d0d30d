//! Lanes in which pivoting goes in circles, as `direct::give_up` has it.

use super::{Task, bounded};
use crate::lanes::joints::kernel::{Push, violation};
use crate::lanes::joints::pack::{Batch, Eight};
use crate::lanes::joints::prepare::invert;
use crate::lanes::joints::trees::Group;
use crate::lanes::pair::Pair;
use crate::lanes::simd::{Double, Within};

impl Task<'_> {
    /// Gives up on pivoting in live lanes, where it has been taken back: rows with bounds are pinned, all to the
    /// impulses there were, as far as bounds allow, or to none at all where that is better.
    #[inline(always)]
    pub(super) fn give_up<S: Double>(&mut self, group: &Group, live: S) {
        let given_up = S::gt(live, S::zero());
        for batch in &self.batches[group.batches()] {
            for r in batch.range() {
                let before = clamped(&self.rows[r], S::load(&self.before[r]));
                before.store(&mut self.before[r]);
            }
            for side in &mut self.sides[bounded(batch)] {
                S::select(given_up, S::splat(-1.0), S::load(side)).store(side);
            }
        }
        // 2 E(λ) = λᵀ w(0) + λᵀ w(λ)
        let (mut share, mut twice) = (S::zero(), S::zero());
        for trial in 0..3 {
            self.bring::<S>(group, live, Batch::range, |_, _, before| before.mul(share));
            twice = twice.add(self.work::<S>(group));
            let better = S::select(S::gt(S::zero(), twice), S::splat(1.0), S::zero());
            share = if trial == 0 { S::splat(1.0) } else { better };
        }
    }

    /// λᵀ w of the impulses there were at the present velocities.
    #[inline(always)]
    fn work<S: Double>(&self, group: &Group) -> S {
        let mut sum = S::zero();
        for batch in &self.batches[group.batches()] {
            let pair = Pair::<S>::gather(self.vel, Within::both(&batch.bodies, self.vel));
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
    pub(super) fn relax<S: Double>(&mut self, group: &Group, live: S) {
        let live = S::gt(live, S::zero());
        for batch in &self.batches[group.batches()] {
            for r in bounded(batch) {
                let row = &mut self.rows[r];
                let at = Within::both(&batch.bodies, self.vel);
                let mut pair = Pair::<S>::gather(self.vel, at);
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
                pair.scatter(self.vel, at);
            }
        }
    }
}

/// An impulse within the bounds.
#[inline(always)]
fn clamped<S: Double>(row: &Eight, impulse: S) -> S {
    let impulse = impulse.max(S::load(&row.bounds[0]));
    impulse.min(S::load(&row.bounds[1]))
}
