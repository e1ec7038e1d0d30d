//! Solving limb by limb: from the tips on what each does to the body it hangs on, and from the root on what that does to it.

use super::{Attachment, Body, Split, TURNS, both};
use crate::lanes::LANES;
use crate::lanes::joints::bearing::POINT;
use crate::lanes::joints::exact::Task;
use crate::lanes::joints::pack::{Batch, Eight, triangle};
use crate::lanes::joints::symmetric::times;
use crate::lanes::joints::trees::Group;
use crate::lanes::simd::{Double, Line, Place, Wide, by_halves};
use crate::lanes::vector::V3;
use rb_core::problem::Pass;

impl Task<'_> {
    /// The free rows of live lanes to w = 0.
    #[inline(always)]
    pub(in super::super) fn solve_limbs<S: Double>(&mut self, group: &Group, live: S) {
        let mut lives = Wide::default();
        live.store(&mut lives);
        for number in group.limbs() {
            let (limb, body) = (self.limbs.joints[number], &mut self.limbs.bodies[number]);
            let at = &self.batches[limb.batch as usize].bodies[limb.side as usize];
            by_halves!(look::<S>(body, self.vel, at));
        }
        for number in group.limbs() {
            let limb = self.limbs.joints[number];
            let split = &mut self.limbs.splits[number];
            if limb.inner as usize == number {
                let body = &mut self.limbs.bodies[number];
                by_halves!(turn_back::<S>(body, split));
                continue;
            }
            let batch = &self.batches[limb.batch as usize];
            let rows = &self.rows[batch.range()];
            let (free, stand) = (self.free[limb.batch as usize].turns(), (self.pass, &lives));
            let bodies = &mut self.limbs.bodies[number..];
            by_halves!(go_in::<S>(
                limb.over(number),
                batch,
                (rows, free),
                stand,
                bodies,
                split
            ));
        }
        for number in group.limbs().rev() {
            let limb = self.limbs.joints[number];
            if limb.inner as usize != number {
                let batch = &self.batches[limb.batch as usize];
                let rows = &mut self.rows[batch.range()];
                let free = self.free[limb.batch as usize].turns();
                let split = &self.limbs.splits[number];
                let bodies = &mut self.limbs.bodies[number..];
                by_halves!(go_out::<S>(
                    limb.over(number),
                    batch,
                    rows,
                    free,
                    bodies,
                    split
                ));
            }
            let body = &self.limbs.bodies[number];
            let at = &self.batches[limb.batch as usize].bodies[limb.side as usize];
            by_halves!(put::<S>(body, self.vel, at));
        }
    }
}

/// Reads the velocity of a body that nothing pushes yet.
#[inline(always)]
fn look<S: Double>(body: &mut Body, vel: &[Line], at: &[Place; LANES]) {
    let columns = S::gather(vel, at);
    for k in 0..LANES {
        columns[k].store(&mut body.vel[k]);
    }
    body.set_twist([V3([S::zero(); 3]); 2]);
}

/// Adds its change to the velocity of a body.
#[inline(always)]
fn put<S: Double>(body: &Body, vel: &mut [Line], at: &[Place; LANES]) {
    let mut columns = [S::zero(); LANES];
    for k in 0..LANES {
        columns[k] = S::load(&body.vel[k]);
    }
    for k in 0..3 {
        columns[k] = columns[k].add(S::load(&body.twist[0][k]));
        columns[k + 4] = columns[k + 4].add(S::load(&body.twist[1][k]));
    }
    S::scatter(vel, at, columns);
}

/// What a limb with its `free` rows that turn does to a body that does not give way.
#[inline(always)]
fn go_in<S: Double>(
    limb: Attachment,
    batch: &Batch,
    (rows, free): (&[Eight], &[u8]),
    (pass, live): (Pass, &Wide),
    bodies: &mut [Body],
    split: &mut Split,
) {
    let [own, inner] = both(bodies, limb.inner);
    let (zero, sign) = (V3([S::zero(); 3]), limb.sign::<S>());
    let live = S::gt(S::load(live), S::zero());
    let ([arm, inner_arm], [v, w], [vi, wi]) = (limb.arms(batch), own.velocity(), inner.velocity());
    let mut slip = w.cross_onto(arm, v).sub(wi.cross_onto(inner_arm, vi));
    for row in &rows[..POINT] {
        let bias = S::load(&row.bias[pass as usize]).mul(sign);
        slip = slip.more(V3::load(&row.lin), bias);
    }
    let step = V3::select(live, zero.sub(slip), zero);
    let [push, turn] = own.twist::<S>();
    let turn = turn.sub(arm.cross(push));
    let lever = split.levers::<S>();
    let mut away = times(&split.turn, turn);
    for k in 0..3 {
        away = away.less(lever[k], step.0[k]);
    }
    let mut pull = times(&split.hat, step).sub(push);
    for k in 0..3 {
        pull.0[k] = pull.0[k].add(lever[k].dot(turn));
    }
    let (spin, mut twist) = (w.sub(wi), zero);
    let mut wants = [S::zero(); TURNS];
    for (j, &row) in free.iter().enumerate() {
        let row = &rows[row as usize];
        let bias = S::load(&row.bias[pass as usize]).mul(sign);
        let want = V3::load(&row.ang[1]).dot_onto(spin, bias);
        let mut want = S::select(live, S::zero().sub(want), S::zero());
        for i in 0..j {
            want = wants[i].nfma(S::load(&split.below[triangle(j - 1) + i]), want);
        }
        wants[j] = want;
        let axis = V3::load(&split.spin[j]);
        let found = want.sub(axis.dot(away)).mul(S::load(&split.pivot[j]));
        found.store(&mut split.want[j]);
        pull = pull.more(V3::load(&split.push[j]), found);
        twist = twist.more(axis, found);
    }
    step.store(&mut split.step);
    pull.store(&mut split.pull);
    away.add(times(&split.turn, twist)).store(&mut split.free);
    let [push, turn] = inner.twist();
    let turn = turn.sub(inner_arm.cross_onto(pull, twist));
    inner.set_twist([push.sub(pull), turn]);
}

/// The change of a root's twist, where it can move.
#[inline(always)]
fn turn_back<S: Double>(body: &mut Body, split: &Split) {
    let zero = V3([S::zero(); 3]);
    let [push, turn] = body.twist::<S>();
    let lever = split.levers::<S>();
    let mut left = push;
    for k in 0..3 {
        left.0[k] = push.0[k].sub(lever[k].dot(turn));
    }
    let lin = times(&split.hat, left);
    let mut ang = times(&split.turn, turn);
    for k in 0..3 {
        ang = ang.less(lever[k], lin.0[k]);
    }
    let moves = S::gt(S::load(&body.mass), S::zero());
    let [lin, ang] = [V3::select(moves, lin, zero), V3::select(moves, ang, zero)];
    body.set_twist([lin, ang]);
}

/// How a limb with its `free` rows that turn goes along with the body it hangs on; the impulses of its joint.
#[inline(always)]
fn go_out<S: Double>(
    limb: Attachment,
    batch: &Batch,
    rows: &mut [Eight],
    free: &[u8],
    bodies: &mut [Body],
    split: &Split,
) {
    let [own, inner] = both(bodies, limb.inner);
    let sign = limb.sign::<S>();
    let ([arm, inner_arm], [v, w]) = (limb.arms(batch), inner.twist::<S>());
    let point = w.cross_onto(inner_arm, v);
    let (mut pull, mut twist) = (V3::load(&split.pull), V3([S::zero(); 3]));
    pull = pull.add(times(&split.hat, point));
    let mut found = [S::zero(); TURNS];
    for j in 0..free.len() {
        let (push, axis) = (V3::load(&split.push[j]), V3::load(&split.spin[j]));
        let more = axis
            .dot_onto(w, push.dot(point))
            .mul(S::load(&split.pivot[j]));
        pull = pull.more(push, more);
        twist = twist.more(axis, more);
        found[j] = S::load(&split.want[j]).add(more);
    }
    let mut ang = V3::load(&split.free).add(times(&split.turn, twist));
    for k in 0..3 {
        ang = ang.less(V3::load(&split.lever[k]), point.0[k]);
    }
    let lin = point.add(V3::load(&split.step)).sub(ang.cross(arm));
    own.set_twist([lin, ang]);
    for row in &mut rows[..POINT] {
        add(row, V3::load(&row.lin).dot(pull).mul(sign));
    }
    for (j, &row) in free.iter().enumerate().rev() {
        for i in j + 1..free.len() {
            let below = S::load(&split.below[triangle(i - 1) + j]);
            found[j] = found[i].nfma(below, found[j]);
        }
        add(&mut rows[row as usize], found[j].mul(sign));
    }
}

/// Adds to the impulse of a row.
#[inline(always)]
fn add<S: Double>(row: &mut Eight, more: S) {
    S::load(&row.impulse).add(more).store(&mut row.impulse);
}
