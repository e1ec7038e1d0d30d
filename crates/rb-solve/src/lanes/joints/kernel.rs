//! Warm start and sweeps.

use super::bearing::NO_BEARING;
use super::pack::{Batch, Eight, JointLanes, triangle};
use super::point::Point;
use super::prepare::ALL;
use super::swept;
use crate::lanes::pair::Pair;
use crate::lanes::simd::{Double, Line, Wide, Within, by_halves};
use crate::lanes::vector::V3;
use crate::lanes::{BodyLines, ContactLanes, dispatch};
use rb_core::problem::Pass;

impl JointLanes {
    /// Adds W Jᵀλ of all rows to the velocities of `bodies`.
    pub fn warm(&self, bodies: &mut ContactLanes) {
        self.warm_lines(&mut bodies.vel);
    }

    /// The same to those of a section.
    pub(super) fn warm_lines(&self, vel: &mut [Line]) {
        run_warm(self, vel);
    }

    /// Visits every joint once in the given pass, in order or in reverse.
    pub fn sweep(&mut self, bodies: &mut ContactLanes, pass: Pass, backwards: bool) {
        self.sweep_lines(&mut bodies.vel, pass, backwards);
    }

    /// The same for the joints of a section.
    pub(super) fn sweep_in(&mut self, lines: &mut BodyLines, pass: Pass, backwards: bool) {
        match lines.narrow.is_empty() {
            true => self.sweep_lines(lines.vel, pass, backwards),
            false => self.sweep_net(lines.narrow, Order { pass, backwards }),
        }
    }

    /// The same, with velocities of double precision.
    fn sweep_lines(&mut self, vel: &mut [Line], pass: Pass, backwards: bool) {
        let order = Order { pass, backwards };
        match self.net.is_used {
            true => self.sweep_net(vel, order),
            false => run(self, vel, order),
        }
    }
}

/// Which terms hold, and which way the sweep goes.
#[derive(Clone, Copy)]
pub(super) struct Order {
    pub(super) pass: Pass,
    pub(super) backwards: bool,
}

fn run_warm(lanes: &JointLanes, vel: &mut [Line]) {
    dispatch!(warm(lanes: &JointLanes, vel: &mut [Line]))
}

#[inline(always)]
pub(super) fn warm<S: Double>(lanes: &JointLanes, vel: &mut [Line]) {
    for batch in &lanes.batches {
        by_halves!(start::<S>(lanes, batch, vel));
    }
}

/// Starts a batch from its last impulses.
#[inline(always)]
fn start<S: Double>(lanes: &JointLanes, batch: &Batch, vel: &mut [Line]) {
    if let Some(point) = lanes.point_of(batch) {
        return point.warm::<S>(&batch.mass, vel);
    }
    let rows = &lanes.rows[batch.range()];
    if batch.bearing != NO_BEARING {
        return swept::warm::<S>(batch, rows, vel);
    }
    let at = Within::both(&batch.bodies, vel);
    let mut pair = Pair::<S>::gather(vel, at);
    let mut push = Push::new();
    for row in rows {
        push.add(row, S::load(&row.impulse));
    }
    push.act(&batch.mass, &mut pair);
    pair.scatter(vel, at);
}

/// w of a row at the velocities of `pair`, whose difference of the linear ones is `slip`.
#[inline(always)]
pub(super) fn violation<S: Double>(row: &Eight, pair: &Pair<S>, slip: V3<S>, pass: Pass) -> S {
    let bias = S::load(&row.bias[pass as usize]);
    let bias = S::load(&row.reg[pass as usize]).fma(S::load(&row.impulse), bias);
    let lin = V3::load(&row.lin).dot(slip).add(bias);
    lin.add(turning(row, pair))
}

/// Angular part of J v.
#[inline(always)]
pub(super) fn turning<S: Double>(row: &Eight, pair: &Pair<S>) -> S {
    let ([_, a], [_, b]) = (pair.of(0), pair.of(1));
    let turn = V3::load(&row.ang[0]).dot(a);
    turn.add(V3::load(&row.ang[1]).dot(b))
}

/// Jᵀλ of several rows.
pub(super) struct Push<S> {
    force: V3<S>,
    torque: [V3<S>; 2],
}

impl<S: Double> Push<S> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        let zero = V3([S::zero(); 3]);
        Self {
            force: zero,
            torque: [zero; 2],
        }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, row: &Eight, impulse: S) {
        self.force = self.force.more(V3::load(&row.lin), impulse);
        self.torque[0] = self.torque[0].more(V3::load(&row.ang[0]), impulse);
        self.torque[1] = self.torque[1].more(V3::load(&row.ang[1]), impulse);
    }

    /// Moves the bodies, whose inverse masses these are.
    #[inline(always)]
    pub(super) fn act(&self, mass: &[[Wide; 9]; 2], pair: &mut Pair<S>) {
        let back = V3([S::zero(); 3]).sub(self.force);
        pair.push(0, &mass[0], back, self.torque[0]);
        pair.push(1, &mass[1], self.force, self.torque[1]);
    }
}

fn run(lanes: &mut JointLanes, vel: &mut [Line], order: Order) {
    dispatch!(sweep(
        lanes: &mut JointLanes,
        vel: &mut [Line],
        order: Order
    ))
}

#[inline(always)]
pub(super) fn sweep<S: Double>(lanes: &mut JointLanes, vel: &mut [Line], order: Order) {
    let (batches, rows, factors) = (&lanes.batches, &mut lanes.rows, &lanes.factors);
    for i in 0..batches.len() {
        let place = if order.backwards {
            batches.len() - 1 - i
        } else {
            i
        };
        let batch = &batches[lanes.visits[place] as usize];
        if let Some(point) = lanes.points.get_mut(batch.point as usize) {
            by_halves!(hold::<S>(batch, point, vel, order.pass));
            continue;
        }
        let rows = &mut rows[batch.range()];
        let factor = &factors[batch.triangle(order.pass)];
        if batch.bearing != NO_BEARING {
            swept::visit::<S>(batch, rows, factor, vel, order.pass);
        } else {
            by_halves!(visit::<S>(batch, rows, factor, vel, order.pass));
        }
    }
}

/// Solves a batch of points against the present velocities.
#[inline(always)]
fn hold<S: Double>(batch: &Batch, point: &mut Point, vel: &mut [Line], pass: Pass) {
    point.visit::<S, _>(&batch.mass, vel, pass);
}

/// Solves the blocks of a batch against the present velocities.
#[inline(always)]
fn visit<S: Double>(
    batch: &Batch,
    rows: &mut [Eight],
    factor: &[Wide],
    vel: &mut [Line],
    pass: Pass,
) {
    let at = Within::both(&batch.bodies, vel);
    let mut pair = Pair::<S>::gather(vel, at);
    let slip = pair.apart();
    let mut x = [S::zero(); ALL];
    for (x, row) in x.iter_mut().zip(&*rows) {
        *x = violation(row, &pair, slip, pass);
    }
    solve::<S, false>(&mut x, rows, factor, batch.plain as usize);
    let mut push = Push::new();
    for (x, row) in x.iter().zip(&*rows) {
        push.add(row, *x);
    }
    push.act(&batch.mass, &mut pair);
    pair.scatter(vel, at);
}

/// Turns the violations w of the rows of a block into the changes of their impulses, and adds these. `STOPS` may push
/// as hard as they like, and do not pull.
#[inline(always)]
pub(super) fn solve<S: Double, const STOPS: bool>(
    x: &mut [S; ALL],
    rows: &mut [Eight],
    factor: &[Wide],
    plain: usize,
) {
    let n = rows.len().min(ALL);
    let entry = |i: usize, j: usize| S::load(&factor[triangle(i) + j]);
    // y and s, then the change of the impulses.
    for i in 1..n {
        for k in 0..i.min(plain) {
            x[i] = x[k].nfma(entry(i, k), x[i]);
        }
    }
    for i in plain..n {
        let row = &rows[i];
        let old = S::load(&row.impulse);
        let wanted = x[i].nfma(entry(i, i), old);
        let held = match STOPS {
            true => wanted.max(S::zero()),
            false => {
                let held = wanted.max(S::load(&row.bounds[0]));
                held.min(S::load(&row.bounds[1]))
            }
        };
        x[i] = held.sub(old);
        for k in i + 1..n {
            x[k] = x[i].fma(entry(k, i), x[k]);
        }
    }
    // What was found last comes last into each sum: the others do not wait for it.
    for i in (0..n.min(plain)).rev() {
        let mut change = S::zero().sub(x[i].mul(entry(i, i)));
        for k in plain..n {
            change = x[k].nfma(entry(k, i), change);
        }
        for k in (i + 1..n.min(plain)).rev() {
            change = x[k].nfma(entry(k, i), change);
        }
        x[i] = change;
    }
    for i in 0..n {
        let impulse = &mut rows[i].impulse;
        S::load(impulse).add(x[i]).store(impulse);
    }
}
