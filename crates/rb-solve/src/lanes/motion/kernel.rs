//! The kernels. The bodies of a run are taken [eight by eight](Eight).

use super::eight::Eight;
use super::spin::Spins;
use super::turn::{Quat, dot};
use super::{FRAME, LINES, LOAD, Moving, POSE, START, Spin};
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

#[inline(always)]
fn run_begin<S: AllLanes + Double>(all: &mut Moving, h: f64, weigh: bool, go_on: bool) -> bool {
    let (count, speeds) = (all.len(), S::load(&SPEEDS));
    let mut renewed = false;
    for first in (0..count).step_by(LANES) {
        let eight = Eight::new(first, count);
        if goes_straight(all, eight) {
            go_straight(all, eight, speeds, go_on);
            continue;
        }
        renewed |= weigh;
        set_off(all, eight, S::splat(h), [weigh, go_on]);
        for body in eight.run() {
            all.lines.other[body] |= weigh && all.spins[body] == Spin::Free;
        }
    }
    renewed
}

/// Whether loads are changes of velocities for all of eight bodies. Those that were calm and turn too fast for that are no more.
#[inline(always)]
fn goes_straight(all: &mut Moving, eight: Eight) -> bool {
    // Most are alike in all directions, and need not be asked how they turn.
    let kept = |spin: &Spin| matches!(spin, Spin::Kept);
    if all.spins[eight.run()].iter().all(kept) {
        return true;
    }
    for body in eight.run() {
        if turns(all, body) {
            all.set_turning(body);
        }
    }
    let free = |spin: &Spin| matches!(spin, Spin::Free);
    !all.spins[eight.run()].iter().any(free)
}

/// Whether a body that was calm turns too fast for that.
#[inline(always)]
fn turns(all: &Moving, body: usize) -> bool {
    let Spin::Calm(limit) = all.spins[body] else {
        return false;
    };
    let [.., u, v, w, _] = all.lines.vel[body].0;
    u.abs().max(v.abs()).max(w.abs()) > f64::from(limit)
}

/// Has bodies set off whose loads are changes of their velocities. What their lines of velocities hold beside these is nought
/// in those of free ones, and so stays.
#[inline(always)]
fn go_straight<S: AllLanes + Double>(all: &mut Moving, eight: Eight, speeds: S, go_on: bool) {
    let vel = &mut all.lines.vel[eight.run()];
    let last = &mut all.lines.free[eight.run()];
    let own = &mut all.own.as_chunks_mut::<LINES>().0[eight.run()];
    for k in 0..vel.len() {
        let (before, load) = (S::load(&vel[k]), S::load(&own[k][LOAD]));
        before.store(&mut own[k][START]);
        let free = before.add(load).mul(speeds);
        if go_on {
            let change = before.sub(S::load(&last[k]));
            free.add(change).store(&mut vel[k]);
        }
        free.store(&mut last[k]);
    }
}

/// Has bodies set off of which some turn.
#[inline(always)]
fn set_off<S: AllLanes + Double>(all: &mut Moving, eight: Eight, h: S, [weigh, go_on]: [bool; 2]) {
    let before = eight.rows::<S, 1>(all.lines.vel, 0);
    eight.set_rows::<S, LINES>(all.own, START, before);
    let vel = S::transposed(before);
    let mut spins = Spins::of(all, eight);
    let (mut change, mut impulse) = (vel, None);
    if go_on {
        let last = eight.gather(all.lines.free);
        for k in 0..LANES {
            change[k] = vel[k].sub(last[k]);
        }
        if weigh {
            impulse = spins.impulse(&change);
        }
    }
    let load = eight.own(all.own, LOAD);
    let spin = spins.after(all, eight, (&vel, &load, h), weigh);
    let free = velocity(&vel, &load, spin);
    if go_on {
        if let Some(impulse) = impulse {
            spins.turn(&mut change, impulse);
        }
        for k in 0..LANES {
            change[k] = free[k].add(change[k]);
        }
        eight.scatter(all.lines.vel, change);
    }
    eight.scatter(all.lines.free, free);
}

/// Free velocities, in columns.
#[inline(always)]
fn velocity<S: Double>(vel: &[S; LANES], load: &[S; LANES], spin: V3<S>) -> [S; LANES] {
    let ([u, v, w], [slow, calm]) = (spin.0, [load[3], load[7]]);
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
