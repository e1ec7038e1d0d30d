//! Pivoting in lanes: which rows are at a bound, by rounds that are taken back.

use super::{Task, bounded, size};
use crate::direct::PATIENCE;
use crate::lanes::joints::kernel::violation;
use crate::lanes::joints::pack::Eight;
use crate::lanes::joints::trees::Group;
use crate::lanes::pair::Pair;
use crate::lanes::simd::{Double, Wide, Within};
use crate::lanes::vector::V3;
use rb_core::problem::Pass;

/// Rounding of an impulse or a speed relative to its size.
const ROUNDING: f64 = 1e-13;

/// How far pivoting is, lane by lane.
pub(super) struct Rounds<S: Double> {
    /// 1 where it goes on, 0 where all rows have come out right.
    pub(super) live: S,
    /// Least number of rows on the wrong side so far.
    fewest: S,
    /// Rounds that may go by without fewer before rows are exchanged one by one.
    pub(super) patience: S,
}

impl<S: Double> Rounds<S> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self {
            live: S::splat(1.0),
            fewest: S::splat(f64::MAX),
            patience: S::splat(f64::from(PATIENCE)),
        }
    }

    /// Notes how many rows a round left on the wrong side; says whether there are any.
    #[inline(always)]
    pub(super) fn go_on(&mut self, wrong: S) -> bool {
        let again = S::gt(wrong, S::zero());
        self.live = S::select(again, S::splat(1.0), S::zero());
        let waited = self.patience.sub(S::splat(1.0)).max(S::zero());
        let fewer = S::gt(self.fewest, wrong);
        self.patience = S::select(fewer, S::splat(f64::from(PATIENCE)), waited);
        self.fewest = self.fewest.min(wrong);
        S::any(again)
    }
}

impl Task<'_> {
    /// Notes what rounds are taken back to.
    pub(super) fn remember(&mut self, group: &Group) {
        for batch in &self.batches[group.batches()] {
            for r in batch.range() {
                self.before[r] = self.rows[r].impulse;
            }
            for at in batch.bodies.as_flattened() {
                let body = at.line() as usize;
                self.start[body] = self.vel[body];
            }
        }
    }

    /// Takes a round back in live lanes, as `direct` does.
    #[inline(always)]
    pub(super) fn take_back<S: Double>(&mut self, group: &Group, live: S) {
        let again = S::gt(live, S::zero());
        let mut lives = Wide::default();
        live.store(&mut lives);
        for batch in &self.batches[group.batches()] {
            for r in batch.range() {
                let impulse = &mut self.rows[r].impulse;
                S::select(again, S::load(&self.before[r]), S::load(impulse)).store(impulse);
            }
            for side in &batch.bodies {
                for (at, _) in side.iter().zip(lives.0).filter(|(_, live)| *live > 0.0) {
                    let body = at.line() as usize;
                    self.vel[body] = self.start[body];
                }
            }
        }
    }

    /// Sides by the impulses present; says whether any is another than before.
    #[inline(always)]
    pub(super) fn guess_sides<S: Double>(&mut self, group: &Group) -> bool {
        let mut changed = S::zero();
        for batch in &self.batches[group.batches()] {
            for r in bounded(batch) {
                let row = &self.rows[r];
                let impulse = S::load(&row.impulse);
                let above = S::gt(impulse, S::load(&row.bounds[0]));
                let below = S::gt(S::load(&row.bounds[1]), impulse);
                let high = S::select(below, S::zero(), S::splat(1.0));
                let side = S::select(above, high, S::splat(-1.0));
                changed = changed.max(size(side.sub(S::load(&self.sides[r]))));
                side.store(&mut self.sides[r]);
            }
        }
        S::any(S::gt(changed, S::zero()))
    }

    /// Moves rows of live lanes that are on the wrong side to the right one, where there is no patience left the first
    /// alone; returns their number.
    #[inline(always)]
    pub(super) fn exchange<S: Double>(&mut self, group: &Group, live: S, patience: S) -> S {
        let (mut wrong, patient) = (S::zero(), S::gt(patience, S::zero()));
        for batch in &self.batches[group.batches()] {
            if batch.bounded == 0 {
                continue;
            }
            let pair = Pair::<S>::gather(self.vel, Within::both(&batch.bodies, self.vel));
            let slip = pair.apart();
            for r in bounded(batch) {
                let row = &self.rows[r];
                let side = S::load(&self.sides[r]);
                let w = violation(row, &pair, slip, self.pass);
                let next = next_side(row, side, [w, noise(row, &pair, slip, self.pass)]);
                let next = S::select(S::gt(live, S::zero()), next, side);
                let other = S::gt(size(next.sub(side)), S::zero());
                let later = S::select(S::gt(wrong, S::zero()), side, next);
                S::select(patient, next, later).store(&mut self.sides[r]);
                wrong = S::select(other, wrong.add(S::splat(1.0)), wrong);
            }
        }
        wrong
    }
}

/// Which lanes of a row are pinned.
#[inline(always)]
pub(in crate::lanes::joints) fn is_pinned<S: Double>(side: S) -> S::Mask {
    S::gt(size(side), S::zero())
}

/// Impulse a pinned row is to have.
#[inline(always)]
pub(super) fn pinned<S: Double>(row: &Eight, side: S, _before: S) -> S {
    let low = S::gt(S::zero(), side);
    let low = S::select(low, S::load(&row.bounds[0]), S::load(&row.impulse));
    S::select(S::gt(side, S::zero()), S::load(&row.bounds[1]), low)
}

/// What rounding may leave of w, by the sizes of what it is the sum of.
#[inline(always)]
fn noise<S: Double>(row: &Eight, pair: &Pair<S>, slip: V3<S>, pass: Pass) -> S {
    let ([_, a], [_, b]) = (pair.of(0), pair.of(1));
    let turns = size(V3::load(&row.ang[0]).dot(a)).add(size(V3::load(&row.ang[1]).dot(b)));
    let speeds = size(V3::load(&row.lin).dot(slip)).add(turns);
    let terms = size(S::load(&row.bias[pass as usize])).add(speeds);
    let terms = size(S::load(&row.impulse)).fma(S::load(&row.diag), terms);
    terms.mul(S::splat(ROUNDING))
}

/// Side of a row with violation w, up to a noise, as `direct` has it; one whose bounds are equal stays where it is.
#[inline(always)]
fn next_side<S: Double>(row: &Eight, side: S, [w, noise]: [S; 2]) -> S {
    let (zero, one) = (S::zero(), S::splat(1.0));
    let impulse = S::load(&row.impulse);
    let slack = size(impulse).mul(S::splat(ROUNDING));
    let [lo, hi] = [S::load(&row.bounds[0]), S::load(&row.bounds[1])];
    let below = S::gt(lo.sub(slack), impulse);
    let above = S::gt(impulse, hi.add(slack));
    let free = S::select(below, zero.sub(one), S::select(above, one, zero));
    let low = S::select(S::gt(zero.sub(noise), w), zero, side);
    let high = S::select(S::gt(w, noise), zero, side);
    let next = S::select(S::gt(zero, side), low, free);
    let next = S::select(S::gt(side, zero), high, next);
    S::select(S::gt(hi, lo), next, side)
}
