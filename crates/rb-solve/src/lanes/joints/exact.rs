//! The exact solve of trees in lanes: (J W Jᵀ + R) Δλ = −w eight trees at once, by the bodies of trees of bearings (see
//! `limbs`), else joint by joint (see `factor`).
//!
//! Bounds as in `direct`: rows at a bound are pinned, the others solved, wrong sides exchanged, until
//! none is wrong; one a round where all at once go in circles. A lane that has come out right is left
//! alone while the others go on.
//!
//! Source: J. Júdice, F. Pires, 1994 (pivoting).

mod give_up;
mod pivot;

pub(super) use pivot::is_pinned;

use super::bearing::{NO_BEARING, POINT};
use super::kernel::{Push, violation};
use super::limbs::Limbs;
use super::pack::{Batch, Eight, JointLanes};
use super::prepare::ALL;
use super::swept::{Gait, Thrust, arms};
use super::trees::Group;
use crate::direct::{ROUNDS, VISITS};
use crate::lanes::pair::Pair;
use crate::lanes::simd::{Double, Line, Wide, Within};
use crate::lanes::{BodyLines, ContactLanes, dispatch};
use core::cmp::Ordering;
use core::ops::Range;
use pivot::{Rounds, pinned};
use rb_core::elimination::Elimination;
use rb_core::problem::Pass;

impl JointLanes {
    /// Solves all joints exactly against the present velocities of `bodies`; says whether the bounds
    /// came out right. `plan` is that of the seats.
    pub fn settle(&mut self, bodies: &mut ContactLanes, plan: &Elimination, pass: Pass) -> bool {
        self.settle_lines(&mut bodies.vel, plan, pass)
    }

    /// The same for the joints of a section.
    pub fn settle_in(&mut self, section: &mut BodyLines, plan: &Elimination, pass: Pass) -> bool {
        self.settle_lines(section.vel, plan, pass)
    }

    fn settle_lines(&mut self, vel: &mut [Line], plan: &Elimination, pass: Pass) -> bool {
        run(&mut self.task(vel, plan, pass))
    }

    /// What an exact solve of all groups asks for.
    pub(super) fn task<'a>(
        &'a mut self,
        vel: &'a mut [Line],
        plan: &'a Elimination,
        pass: Pass,
    ) -> Task<'a> {
        if self.softens {
            self.groups.iter_mut().for_each(|g| g.factored = false);
        }
        self.start.resize(vel.len(), Line::default());
        Task {
            plan,
            movable: self.movable,
            groups: &mut self.groups,
            limbs: &mut self.limbs,
            batches: &self.batches,
            rows: &mut self.rows,
            matrices: &self.factors,
            blocks: &self.blocks,
            factor: &mut self.factor,
            sides: &mut self.sides,
            free: &mut self.free,
            solution: &mut self.solution,
            before: &mut self.before,
            start: &mut self.start,
            vel,
            pass,
        }
    }
}

fn run(task: &mut Task) -> bool {
    dispatch!(settle(task: &mut Task) -> bool)
}

#[inline(always)]
pub(super) fn settle<S: Double>(task: &mut Task) -> bool {
    let mut settled = true;
    for group in 0..task.groups.len() {
        settled &= task.settle::<S>(group);
    }
    settled
}

/// One exact solve.
pub(super) struct Task<'a> {
    pub(super) plan: &'a Elimination,
    pub(super) movable: u32,
    pub(super) groups: &'a mut [Group],
    pub(super) limbs: &'a mut Limbs,
    pub(super) batches: &'a [Batch],
    pub(super) rows: &'a mut [Eight],
    /// J W Jᵀ of all rows of each batch, among other matrices.
    pub(super) matrices: &'a [Wide],
    /// First number of each block: of a position's triangle, then of its links.
    pub(super) blocks: &'a [u32],
    pub(super) factor: &'a mut [Wide],
    /// −1 of a row at its lower bound, 1 at its upper, else 0; by number of the row.
    pub(super) sides: &'a mut [Wide],
    /// Rows that are solved for, by batch.
    pub(super) free: &'a mut [Free],
    /// Right-hand side and solution of the free rows, from the first number of each batch on.
    pub(super) solution: &'a mut [Wide],
    /// Impulses by number of the row, and velocities of the bodies, before the first round.
    pub(super) before: &'a mut [Wide],
    pub(super) start: &'a mut [Line],
    pub(super) vel: &'a mut [Line],
    pub(super) pass: Pass,
}

/// Rows of a batch that are free in at least one lane. In lanes where such a row is pinned its pivot is zero, so that
/// it is as good as not there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Free {
    rows: [u8; ALL],
    len: u8,
}

impl Free {
    /// Their numbers within the batch.
    #[inline(always)]
    pub(super) fn rows(&self) -> &[u8] {
        &self.rows[..self.len as usize]
    }

    /// Their number.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.len as usize
    }

    /// Those that turn a bearing, whose points are always free.
    #[inline(always)]
    pub(super) fn turns(&self) -> &[u8] {
        &self.rows()[POINT..]
    }
}

impl Task<'_> {
    #[inline(always)]
    fn settle<S: Double>(&mut self, number: usize) -> bool {
        let group = self.groups[number];
        let pivots = self.batches[group.batches()].iter().any(|b| b.bounded > 0);
        let moved = pivots && self.guess_sides::<S>(&group);
        if pivots {
            self.remember(&group);
        }
        let mut factored = group.factored && !moved;
        let mut rounds = Rounds::<S>::new();
        // One loop for pivoting and for what follows it, so that what is large is compiled once.
        for round in 0..=ROUNDS + VISITS {
            if !factored {
                self.find_free::<S>(&group);
                match group.limbed {
                    true => self.factor_limbs::<S>(&group),
                    false => self.factor::<S>(&group),
                }
                factored = true;
            }
            match round.cmp(&ROUNDS) {
                Ordering::Less if pivots => self.bring::<S>(&group, rounds.live, bounded, pinned),
                Ordering::Greater => self.relax::<S>(&group, rounds.live),
                _ => {}
            }
            match group.limbed {
                true => self.solve_limbs::<S>(&group, rounds.live),
                false => self.solve_free::<S>(&group, rounds.live),
            }
            if round >= ROUNDS {
                continue;
            }
            let wrong = match pivots {
                true => self.exchange::<S>(&group, rounds.live, rounds.patience),
                false => S::zero(),
            };
            if !rounds.go_on(wrong) {
                self.groups[number].factored = true;
                return true;
            }
            self.take_back::<S>(&group, rounds.live);
            factored = false;
            if round + 1 == ROUNDS {
                self.give_up::<S>(&group, rounds.live);
            }
        }
        self.groups[number].factored = false;
        false
    }

    /// The rows that are free to w = 0.
    #[inline(always)]
    fn solve_free<S: Double>(&mut self, group: &Group, live: S) {
        self.state::<S>(group, live);
        self.substitute::<S>(group);
        self.push::<S>(group);
    }

    /// Finds the rows there are to solve for.
    #[inline(always)]
    fn find_free<S: Double>(&mut self, group: &Group) {
        for number in group.batches() {
            let (batch, free) = (&self.batches[number], &mut self.free[number]);
            free.len = 0;
            for (k, r) in batch.range().enumerate() {
                let loose = S::select(is_pinned(S::load(&self.sides[r])), S::zero(), S::splat(1.0));
                if k < batch.plain as usize || S::any(S::gt(loose, S::zero())) {
                    free.rows[free.len as usize] = k as u8;
                    free.len += 1;
                }
            }
        }
    }

    /// Gives some rows of each batch in live lanes the impulses of `wanted`, by row, side and impulse before.
    #[inline(always)]
    fn bring<S: Double>(
        &mut self,
        group: &Group,
        live: S,
        rows: impl Fn(&Batch) -> Range<usize>,
        wanted: impl Fn(&Eight, S, S) -> S,
    ) {
        let live = S::gt(live, S::zero());
        for batch in &self.batches[group.batches()] {
            let (mut push, mut most) = (Push::new(), S::zero());
            for r in rows(batch) {
                let row = &mut self.rows[r];
                let old = S::load(&row.impulse);
                let [side, before] = [&self.sides[r], &self.before[r]].map(S::load);
                let next = S::select(live, wanted(row, side, before), old);
                next.store(&mut row.impulse);
                let change = next.sub(old);
                most = most.max(size(change));
                push.add(row, change);
            }
            if !S::any(S::gt(most, S::zero())) {
                continue;
            }
            let at = Within::both(&batch.bodies, self.vel);
            let mut pair = Pair::<S>::gather(self.vel, at);
            push.act(&batch.mass, &mut pair);
            pair.scatter(self.vel, at);
        }
    }

    /// −w of the free rows of live lanes, on the right-hand side.
    #[inline(always)]
    fn state<S: Double>(&mut self, group: &Group, live: S) {
        let live = S::gt(live, S::zero());
        for number in group.batches() {
            let batch = &self.batches[number];
            let (rows, first) = (&self.rows[batch.range()], batch.first as usize);
            let (out, free) = (&mut self.solution[first..], self.free[number].rows());
            if batch.bearing == NO_BEARING {
                let pair = Pair::<S>::gather(self.vel, Within::both(&batch.bodies, self.vel));
                let slip = pair.apart();
                for (to, &r) in out.iter_mut().zip(free) {
                    let w = violation(&rows[r as usize], &pair, slip, self.pass);
                    S::zero().sub(w).store(to);
                }
            } else {
                let gait = Gait::<S>::of(
                    batch,
                    &Pair::gather(self.vel, Within::both(&batch.bodies, self.vel)),
                );
                for (to, &r) in out.iter_mut().zip(free) {
                    let w = gait.violation(rows, r as usize, self.pass);
                    S::zero().sub(w).store(to);
                }
            }
            for to in &mut out[..free.len()] {
                S::select(live, S::load(to), S::zero()).store(to);
            }
        }
    }

    /// Adds the solution to the impulses and moves the bodies.
    #[inline(always)]
    fn push<S: Double>(&mut self, group: &Group) {
        for number in group.batches() {
            let batch = &self.batches[number];
            let rows = &mut self.rows[batch.range()];
            let changes = &self.solution[batch.first as usize..];
            let changes = changes.iter().zip(self.free[number].rows());
            for (change, &r) in changes.clone() {
                let impulse = &mut rows[r as usize].impulse;
                S::load(impulse).add(S::load(change)).store(impulse);
            }
            if batch.bearing == NO_BEARING {
                let mut push = Push::new();
                for (change, &r) in changes {
                    push.add(&rows[r as usize], S::load(change));
                }
                let at = Within::both(&batch.bodies, self.vel);
                let mut pair = Pair::<S>::gather(self.vel, at);
                push.act(&batch.mass, &mut pair);
                pair.scatter(self.vel, at);
            } else {
                let mut thrust = Thrust::new();
                for (change, &r) in changes {
                    thrust.add(rows, r as usize, S::load(change));
                }
                let at = Within::both(&batch.bodies, self.vel);
                let mut pair = Pair::<S>::gather(self.vel, at);
                thrust.put(batch, &arms(batch), false, &mut pair);
                pair.scatter(self.vel, at);
            }
        }
    }
}

/// Numbers of the bounded rows of a batch.
#[inline(always)]
fn bounded(batch: &Batch) -> Range<usize> {
    batch.range().start + batch.plain as usize..batch.range().end
}

#[inline(always)]
fn size<S: Double>(x: S) -> S {
    x.max(S::zero().sub(x))
}
