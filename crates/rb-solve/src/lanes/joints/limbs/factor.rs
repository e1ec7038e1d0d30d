//! What solving takes of each limb, from the tips on.

use super::inertia::{Inertia, symmetric};
use super::{Attachment, Body, Split, both};
use crate::lanes::joints::exact::{Task, is_pinned};
use crate::lanes::joints::pack::{Batch, Eight, triangle};
use crate::lanes::joints::prepare::invert;
use crate::lanes::joints::symmetric::{PLACES, inverted_above, with_square};
use crate::lanes::joints::trees::Group;
use crate::lanes::simd::{Double, Wide, by_halves};
use crate::lanes::vector::{V3, product};

/// Share of an inertia that may be rounding. All there are resist something: however heavy what hangs on a body is, its
/// own moments count.
const ROUNDING: f64 = 1e-14;

impl Task<'_> {
    /// Factors the system of a group for its present sides.
    #[inline(always)]
    pub(in super::super) fn factor_limbs<S: Double>(&mut self, group: &Group) {
        for body in &mut self.limbs.bodies[group.limbs()] {
            by_halves!(lay_bare::<S>(body));
        }
        for number in group.limbs() {
            let limb = self.limbs.joints[number];
            let split = &mut self.limbs.splits[number];
            if limb.inner as usize == number {
                let body = &self.limbs.bodies[number];
                by_halves!(split_root::<S>(body, split));
                continue;
            }
            let batch = &self.batches[limb.batch as usize];
            let (rows, sides) = (&self.rows[batch.range()], &self.sides[batch.range()]);
            let free = self.free[limb.batch as usize].turns();
            let bodies = &mut self.limbs.bodies[number..];
            by_halves!(split_off::<S>(
                limb.over(number),
                batch,
                (rows, free, sides),
                bodies,
                split
            ));
        }
    }
}

/// A body without limbs.
#[inline(always)]
fn lay_bare<S: Double>(body: &mut Body) {
    let mass = S::load(&body.mass);
    Inertia::central(mass, &body.moments).store(&mut body.held);
}

/// The limb by itself, with its `free` rows that turn; what it is to the body it hangs on. (Compiled for each number of
/// them the code of one solve is several times what the cache of instructions holds.)
#[inline(always)]
fn split_off<S: Double>(
    limb: Attachment,
    batch: &Batch,
    (rows, free, sides): (&[Eight], &[u8], &[Wide]),
    bodies: &mut [Body],
    out: &mut Split,
) {
    let [own, inner] = both(bodies, limb.inner);
    let [arm, inner_arm] = limb.arms::<S>(batch);
    let held = Inertia::load(&own.held).at(arm);
    let (turn, lever) = condense(&held, out);
    let zero = S::zero();
    let mut load = Inertia {
        a: symmetric(&out.hat),
        b: [V3([zero; 3]); 3],
        c: [zero; 6],
    };
    for (j, &row) in free.iter().enumerate() {
        let axis = V3::load(&rows[row as usize].ang[1]);
        let cause = product(&turn, axis);
        let mut spin = axis;
        let mut push = V3([lever[0].dot(axis), lever[1].dot(axis), lever[2].dot(axis)]);
        for i in 0..j {
            let (before, pivot) = (V3::load(&out.spin[i]), S::load(&out.pivot[i]));
            let x = cause.dot(before).mul(pivot);
            x.store(&mut out.below[triangle(j - 1) + i]);
            spin = spin.less(before, x);
            push = push.less(V3::load(&out.push[i]), x);
        }
        let mut pivot = invert(cause.dot(spin), cause.dot(axis));
        if row >= batch.plain {
            let pinned = is_pinned(S::load(&sides[row as usize]));
            pivot = S::select(pinned, zero, pivot);
        }
        push.store(&mut out.push[j]);
        spin.store(&mut out.spin[j]);
        pivot.store(&mut out.pivot[j]);
        load.a = with_square(load.a, push, pivot);
        load.c = with_square(load.c, spin, pivot);
        let scaled = push.scaled(pivot);
        for i in 0..3 {
            load.b[i] = load.b[i].more(spin, scaled.0[i]);
        }
    }
    let back = V3([zero; 3]).sub(inner_arm);
    let sum = Inertia::load(&inner.held).add(&load.at(back));
    sum.store(&mut inner.held);
}

/// What is left when nothing hangs on another body.
#[inline(always)]
fn split_root<S: Double>(body: &Body, out: &mut Split) {
    condense(&Inertia::<S>::load(&body.held), out);
    let inverse = inverted_above(&symmetric::<S>(&out.hat), ROUNDING);
    for k in 0..6 {
        inverse[k].store(&mut out.hat[k]);
    }
}

/// C⁻¹, the columns of G, and Â.
#[inline(always)]
fn condense<S: Double>(held: &Inertia<S>, out: &mut Split) -> ([S; 6], [V3<S>; 3]) {
    let turn = inverted_above(&held.c, ROUNDING);
    let mut lever = held.b;
    for i in 0..3 {
        lever[i] = product(&turn, held.b[i]);
        lever[i].store(&mut out.lever[i]);
    }
    for (k, (i, j)) in PLACES.into_iter().enumerate() {
        turn[k].store(&mut out.turn[k]);
        let hat = held.a[k].sub(held.b[i].dot(lever[j]));
        hat.store(&mut out.hat[k]);
    }
    (turn, lever)
}
