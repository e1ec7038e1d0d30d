//! The kernels. The bodies of a run are taken [eight by eight](Eight).

use super::eight::Eight;
use super::spin::{angular_impulses, spin_after, turn_changes};
use super::turn::{Quat, dot};
use super::{CALM, FRAME, LINES, LOAD, Moving, POSE, START, Spin};
use crate::lanes::simd::{AllLanes, Double, Line, Wide};
use crate::lanes::vector::V3;
use crate::lanes::{LANES, dispatch};
use rb_core::integrate::EXPLICIT_SHARE;

pub(super) fn begin(all: &mut Moving, h: f64, weigh: bool, go_on: bool) -> bool {
    dispatch!(run_begin(
        all: &mut Moving,
        h: f64,
        weigh: bool,
        go_on: bool
    ) -> bool)
}

pub(super) fn set_out(all: &mut Moving, h: f64, levers: &[Line], special: &mut [bool]) {
    dispatch!(run_set_out(
        all: &mut Moving,
        h: f64,
        levers: &[Line],
        special: &mut [bool]
    ))
}

pub(super) fn advance(all: &mut Moving, numbers: [f64; 2], turned: &mut [Line]) {
    dispatch!(run_advance(
        all: &mut Moving,
        numbers: [f64; 2],
        turned: &mut [Line]
    ))
}

/// 1 for the numbers of a velocity in a line of eight.
const SPEEDS: Wide = Wide([1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0]);

/// 1 for the linear ones of them.
const LINEAR: Wide = Wide([1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);

/// 1 for the angular ones.
const ANGULAR: Wide = Wide([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0]);

#[inline(always)]
fn run_begin<S: AllLanes + Double>(all: &mut Moving, h: f64, weigh: bool, go_on: bool) -> bool {
    let (count, speeds, linear) = (all.len(), S::load(&SPEEDS), S::load(&LINEAR));
    let mut renewed = false;
    for first in (0..count).step_by(LANES) {
        let eight = Eight::new(first, count);
        let run = eight.run();
        for body in run.clone() {
            if all.spins[body] == Spin::Calm && turns::<S>(all, body, h) {
                all.set_turning(body);
            }
        }
        if all.spins[run.clone()].iter().all(|s| *s != Spin::Free) {
            go_straight(all, eight, [linear, speeds], go_on);
        } else {
            renewed |= weigh;
            let impulse = match weigh && go_on {
                true => angular_impulses::<S>(all, eight),
                false => None,
            };
            let free = S::transposed(predict(all, eight, S::splat(h), weigh));
            if let Some(impulse) = impulse {
                turn_changes(all, eight, impulse);
            }
            for body in run {
                all.lines.other[body] |= weigh && all.spins[body] == Spin::Free;
            }
            set_off(all, eight, free, go_on);
        }
    }
    renewed
}

/// Whether a body turns in this substep.
#[inline(always)]
fn turns<S: AllLanes + Double>(all: &Moving, body: usize, h: f64) -> bool {
    let turn = S::load(&ANGULAR).mul(S::splat(h));
    let next = S::load(&all.lines.vel[body]).mul(turn);
    let most = next.max(S::zero().sub(next));
    S::any(S::gt(most, S::splat(CALM)))
}

/// Bodies that set off: their velocities, the last free ones, and what is their own.
struct Starting<'a> {
    vel: &'a mut [Line],
    last: &'a mut [Line],
    own: &'a mut [[Line; LINES]],
}

impl<'a> Starting<'a> {
    #[inline(always)]
    fn new(all: &'a mut Moving, eight: Eight) -> Self {
        Self {
            vel: &mut all.lines.vel[eight.run()],
            last: &mut all.lines.free[eight.run()],
            own: &mut all.own.as_chunks_mut::<LINES>().0[eight.run()],
        }
    }

    /// Has one start a substep with its free velocity, and what impulses changed in the last substep if they `go_on`. What
    /// its line of velocities holds beside these is nought in the lines of free ones, and so stays.
    #[inline(always)]
    fn set_off<S: AllLanes + Double>(&mut self, k: usize, free: S, go_on: bool) {
        let before = S::load(&self.vel[k]);
        before.store(&mut self.own[k][START]);
        if go_on {
            let change = before.sub(S::load(&self.last[k]));
            free.add(change).store(&mut self.vel[k]);
        }
        free.store(&mut self.last[k]);
    }
}

/// Has bodies set off that gravity and forces move while nothing but impulses turns them.
#[inline(always)]
fn go_straight<S: AllLanes + Double>(
    all: &mut Moving,
    eight: Eight,
    [linear, speeds]: [S; 2],
    go_on: bool,
) {
    let mut starting = Starting::new(all, eight);
    for k in 0..starting.vel.len() {
        let push = S::load(&starting.own[k][LOAD]).mul(linear);
        let free = S::load(&starting.vel[k]).add(push).mul(speeds);
        starting.set_off(k, free, go_on);
    }
}

/// Has bodies set off with these free velocities.
#[inline(always)]
fn set_off<S: AllLanes + Double>(all: &mut Moving, eight: Eight, free: [S; LANES], go_on: bool) {
    let mut starting = Starting::new(all, eight);
    if starting.vel.len() == LANES {
        // A loop of known length is unrolled, and `free` stays in registers.
        for k in 0..LANES {
            starting.set_off(k, free[k], go_on);
        }
    } else {
        for k in 0..starting.vel.len() {
            starting.set_off(k, free[k], go_on);
        }
    }
}

/// Free velocities, in columns.
#[inline(always)]
fn predict<S: AllLanes + Double>(all: &mut Moving, eight: Eight, h: S, weigh: bool) -> [S; LANES] {
    let vel = eight.gather(all.lines.vel);
    let load = eight.own::<S>(all.own, LOAD);
    let [u, v, w] = spin_after(all, eight, (&vel, &load, h), weigh).0;
    let [slow, calm] = [load[6], load[7]];
    [
        vel[0].add(load[0]).div(slow),
        vel[1].add(load[1]).div(slow),
        vel[2].add(load[2]).div(slow),
        S::zero(),
        u.div(calm),
        v.div(calm),
        w.div(calm),
        S::zero(),
    ]
}

#[inline(always)]
fn run_advance<S: AllLanes + Double>(all: &mut Moving, [h, beta]: [f64; 2], turned: &mut [Line]) {
    let (count, h) = (all.len(), S::splat(h));
    let (new, old) = (S::splat(beta), S::splat(1.0 - beta));
    let along = S::load(&SPEEDS).mul(h);
    for first in (0..count).step_by(LANES) {
        let eight = Eight::new(first, count);
        let mut vel = eight.rows::<S, 1>(all.lines.vel, 0);
        if beta != 1.0 {
            let start = eight.rows::<S, LINES>(all.own, START);
            for k in 0..LANES {
                vel[k] = vel[k].mul(new).add(start[k].mul(old));
            }
        }
        eight.add_rows(all.lines.moved, &vel, along);
        let vel = S::transposed(vel);
        let mut pose = eight.own::<S>(all.own, POSE);
        let (from, q) = (V3([pose[0], pose[1], pose[2]]), Quat::of(&pose));
        // In steps of the grid, as `Grid::round`.
        let anchor = pose[7];
        for k in 0..3 {
            let way = vel[k].mul(h).add(anchor).sub(anchor);
            pose[k] = pose[k].add(way);
        }
        let next = q.turned(V3([vel[4], vel[5], vel[6]]).scaled(h));
        let Quat([x, y, z, w]) = next;
        [pose[3], pose[4], pose[5], pose[6]] = [x, y, z, w];
        eight.set_rows::<S, LINES>(all.own, POSE, S::transposed(pose));
        if !turned.is_empty() {
            let [dx, dy, dz] = V3([pose[0], pose[1], pose[2]]).sub(from).0;
            let Quat([x, y, z, w]) = next.times(&q.back());
            eight.scatter(turned, [dx, dy, dz, w, x, y, z, S::zero()]);
        }
    }
}

#[inline(always)]
fn run_set_out<S: AllLanes + Double>(
    all: &mut Moving,
    h: f64,
    levers: &[Line],
    special: &mut [bool],
) {
    let (count, h2) = (all.len(), S::splat(h * h));
    let speeds = S::gt(S::load(&SPEEDS), S::zero());
    for (vel, free) in all.lines.vel.iter_mut().zip(&*all.lines.free).take(count) {
        S::select(speeds, S::load(free), S::load(vel)).store(vel);
    }
    for first in (0..count).step_by(LANES) {
        let eight = Eight::new(first, count);
        let frame = eight.own::<S>(all.own, FRAME);
        let [xx, yy, zz, xy, xz, yz, ..] = eight.gather::<S>(levers);
        let (x, y, z) = (V3([xx, xy, xz]), V3([xy, yy, yz]), V3([xz, yz, zz]));
        let size = dot(x, x).add(dot(y, y)).add(dot(z, z));
        let least = frame[0].min(frame[1].min(frame[2]));
        let least = least.mul(S::splat(EXPLICIT_SHARE));
        let over = h2.mul(size).sub(least.mul(least));
        if S::any(S::gt(over, S::zero())) {
            let mut excess = Wide::default();
            over.store(&mut excess);
            for (special, excess) in special[eight.run()].iter_mut().zip(excess.0) {
                *special |= excess > 0.0;
            }
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::super::Motions;
    use super::super::tests::{card, load, mover};
    use super::*;
    use crate::lanes::simd::{Avx2, Avx512, Plain};
    use crate::lanes::{ContactLanes, Width, assert_same_at_every_width};
    use rb_core::params::Params;

    const BODIES: usize = 19;

    /// All that a few substeps leave in the lines.
    fn lines<S: AllLanes + Double>() -> String {
        let (params, h) = (Params::game(), 1.0 / 240.0);
        // The last two hardly turn.
        let movers = (0..BODIES).map(|k| match k < 17 {
            true => mover(k, &params),
            false => card(1e-6),
        });
        let movers: Vec<_> = movers.collect();
        let (mut lanes, mut motions) = (ContactLanes::default(), Motions::default());
        let mut moving = load(&movers, &mut lanes, &mut motions, h);
        let mut turned = [Line::default(); BODIES];
        let levers = [Wide([1e3; LANES]); BODIES];
        let mut special = [false; BODIES];
        for go_on in [false, true, true] {
            run_begin::<S>(&mut moving, h, true, go_on);
            run_advance::<S>(&mut moving, [h, 0.75], &mut turned);
        }
        run_set_out::<S>(&mut moving, h, &levers, &mut special);
        format!("{moving:?} {turned:?} {special:?}")
    }

    #[test]
    fn every_width_gives_the_same_bits() {
        assert_same_at_every_width("motion", |width| match width {
            Width::Avx512 => lines::<Avx512>(),
            Width::Avx2 => lines::<Avx2>(),
            Width::Plain => lines::<Plain>(),
        });
    }
}
