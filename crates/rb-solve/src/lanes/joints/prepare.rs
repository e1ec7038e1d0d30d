//! Matrices of the blocks: J W Jᵀ + R of both passes, with the rows without bounds eliminated.

use super::MOST;
use super::pack::{Batch, Eight, JointLanes, triangle};
use super::point::Point;
use crate::lanes::bodies::is_odd;
use crate::lanes::pair::Pair;
use crate::lanes::simd::{Double, Line, Simd, Stored, Wide, Within, by_halves};
use crate::lanes::vector::{Mass, V3};
use crate::lanes::{BodyLines, ContactLanes, dispatch};
use rb_core::problem::Pass;

/// Rows of both sorts together.
pub(super) const ALL: usize = 2 * MOST;

impl JointLanes {
    /// Makes the matrices of all blocks from the inverse masses of `bodies`, and turns relative softness
    /// into R.
    pub fn prepare(&mut self, bodies: &ContactLanes) {
        let held = self.number_points();
        run(self, &bodies.inv, &bodies.vel, held);
    }

    /// The same for the joints of a section, followed by [`warm`](Self::warm): where there are only points in one go,
    /// since both ask for the same bodies.
    pub fn start_in(&mut self, section: &mut BodyLines) {
        if self.net.is_used {
            return self.start_net(section);
        }
        let held = self.number_points();
        if self.has_only_points() {
            return run_start(self, section.inv, section.vel, held);
        }
        run(self, section.inv, section.vel, held);
        self.warm_lines(section.vel);
    }
}

fn run(lanes: &mut JointLanes, inv: &[Line], vel: &[Line], held: usize) {
    dispatch!(prepare(
        lanes: &mut JointLanes,
        inv: &[Line],
        vel: &[Line],
        held: usize
    ))
}

fn run_start(lanes: &mut JointLanes, inv: &[Line], vel: &mut [Line], held: usize) {
    dispatch!(start(
        lanes: &mut JointLanes,
        inv: &[Line],
        vel: &mut [Line],
        held: usize
    ))
}

/// Prepares points and starts from their last impulses; the first `held` have taken their rows.
#[inline(always)]
pub(super) fn start<S: Double>(
    lanes: &mut JointLanes,
    inv: &[Line],
    vel: &mut [Line],
    held: usize,
) {
    for batch in &mut lanes.batches {
        let point = &mut lanes.points[batch.point as usize];
        if batch.point as usize >= held {
            point.take::<S>(batch, &lanes.rows[batch.range()]);
        }
        // Whether its bodies are round is one answer for all lanes.
        let mut bodies = batch.bodies.as_flattened().iter();
        if S::PARTED && bodies.any(|&b| is_odd(&vel[b.line() as usize])) {
            start_point::<S>(batch, point, inv, vel);
        } else {
            by_halves!(start_point::<S>(batch, point, inv, vel));
        }
    }
}

/// Prepares a point and starts it from its last impulse.
#[inline(always)]
fn start_point<S: Double>(batch: &mut Batch, point: &mut Point, inv: &[Line], vel: &mut [Line]) {
    let pair = Pair::<S>::gather(vel, Within::both(&batch.bodies, vel));
    point.prepare(&mut batch.mass, &pair, inv);
    point.warm_pair(&batch.mass, pair, vel);
}

/// The first `held` points have taken their rows.
#[inline(always)]
pub(super) fn prepare<S: Double>(lanes: &mut JointLanes, inv: &[Line], vel: &[Line], held: usize) {
    let (rows, factors, points) = (&mut lanes.rows, &mut lanes.factors, &mut lanes.points);
    for batch in &mut lanes.batches {
        let pair = Pair::<S>::gather(vel, Within::both(&batch.bodies, vel));
        if let Some(point) = points.get_mut(batch.point as usize) {
            if batch.point as usize >= held {
                point.take::<S>(batch, &rows[batch.range()]);
            }
            point.prepare(&mut batch.mass, &pair, inv);
            continue;
        }
        let mass = Mass::of(&pair, inv, &batch.bodies);
        let rows = &mut rows[batch.range()];
        let matrix = &mut factors[batch.matrix()];
        couple(&mass, rows, batch.pushing(), matrix);
        batch.softened = false;
        for (i, row) in rows.iter_mut().enumerate() {
            let a = S::load(&matrix[triangle(i) + i]);
            let (reg, firm) = (S::load(&row.reg[0]), S::load(&row.reg[1]));
            let reg = S::load(&row.soft).fma(a, reg);
            reg.store(&mut row.reg[0]);
            a.store(&mut row.diag);
            batch.softened |= S::any(S::gt(reg, firm)) || S::any(S::gt(firm, reg));
        }
        for s in 0..2 {
            mass[s].store(&mut batch.mass[s]);
        }
        batch.even = mass[0].is_even() && mass[1].is_even();
        let passes = [Pass::Position, Pass::Velocity];
        for &pass in &passes[..1 + usize::from(batch.softened)] {
            let to = batch.triangle(pass);
            factors.copy_within(batch.matrix(), to.start);
            eliminate::<S>(&mut factors[to], rows, batch.plain as usize, pass as usize);
        }
    }
}

/// Lower triangle of J W Jᵀ of some rows, of which the first `pushing` may have linear halves.
#[inline(always)]
fn couple<S: Double>(mass: &[Mass<S>; 2], rows: &[Eight], pushing: usize, out: &mut [Wide]) {
    let lin = mass[0].lin.add(mass[1].lin);
    let out = &mut out[..triangle(rows.len())];
    for (i, row) in rows.iter().enumerate() {
        let [a, b] = [V3::load(&row.ang[0]), V3::load(&row.ang[1])];
        let push = lin.times(V3::load(&row.lin));
        let turn = [mass[0].ang(a), mass[1].ang(b)];
        for (j, other) in rows[..=i].iter().enumerate() {
            let [c, d] = [V3::load(&other.ang[0]), V3::load(&other.ang[1])];
            let mut entry = turn[0].dot(c).add(turn[1].dot(d));
            if i < pushing {
                entry = push.dot(V3::load(&other.lin)).add(entry);
            }
            entry.store(&mut out[triangle(i) + j]);
        }
    }
}

/// Adds R, then LDLᵀ of the first `plain` rows with 1/D in place of D; of the others, their part of L and
/// what is left of the matrix, with its inverse diagonal.
#[inline(always)]
pub(super) fn eliminate<S: Double>(a: &mut [Wide], rows: &[Eight], plain: usize, pass: usize) {
    for i in 0..rows.len() {
        let at = triangle(i);
        let own = S::load(&a[at + i]).add(S::load(&rows[i].reg[pass]));
        own.store(&mut a[at + i]);
        // L D of the row, then L.
        let known = i.min(plain);
        let mut scaled = [S::zero(); MOST];
        for j in 0..known {
            let mut x = S::load(&a[at + j]);
            for k in 0..j {
                x = scaled[k].nfma(S::load(&a[triangle(j) + k]), x);
            }
            scaled[j] = x;
            x.mul(S::load(&a[triangle(j) + j])).store(&mut a[at + j]);
        }
        for j in known..=i {
            let mut x = S::load(&a[at + j]);
            for k in 0..known {
                x = scaled[k].nfma(S::load(&a[triangle(j) + k]), x);
            }
            let x = if j == i { invert(x, own) } else { x };
            x.store(&mut a[at + j]);
        }
    }
}

/// 1/x, or 0 where x has vanished against `own`.
#[inline(always)]
pub(super) fn invert<S: Simd>(x: S, own: S) -> S {
    invert_above(x, own, S::Stored::DEPENDENT)
}

/// 1/x, or 0 where x is no more than a `share` of `own`.
#[inline(always)]
pub(super) fn invert_above<S: Simd>(x: S, own: S, share: f64) -> S {
    let size = |v: S| v.max(S::zero().sub(v));
    let kept = S::gt(size(x), S::splat(share).mul(size(own)));
    // What is not kept may be infinite: nothing waits for the comparison before it divides.
    S::select(kept, S::splat(1.0).div(x), S::zero())
}
