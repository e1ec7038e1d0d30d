//! The kernels. The bodies of a run are taken eight by eight; where fewer are left, the last fills the lanes.

use super::turn::{Quat, cross, dot};
use super::{CALM, FRAME, LINES, LOAD, Moving, POSE, START, STILL, Spin, TURNING};
use crate::lanes::simd::{AllLanes, Double, Line, Place, Wide};
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

/// Numbers of eight bodies from `first` on.
#[inline(always)]
fn eight(first: usize, count: usize) -> [Place; LANES] {
    let mut at = [Place::default(); LANES];
    for k in 0..LANES {
        at[k] = Place::new((first + k).min(count - 1) as u32);
    }
    at
}

/// One of the four lines of each.
#[inline(always)]
fn own(at: &[Place; LANES], line: usize) -> [Place; LANES] {
    let mut own = [Place::default(); LANES];
    for k in 0..LANES {
        own[k] = at[k].own(LINES, line);
    }
    own
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
        let run = first..count.min(first + LANES);
        for body in run.clone() {
            if all.spins[body] == Spin::Calm && turns::<S>(all, body, h) {
                all.set_turning(body);
            }
        }
        if all.spins[run.clone()].iter().all(|s| *s != Spin::Free) {
            for body in run {
                let push = S::load(&all.own[body * LINES + LOAD]).mul(linear);
                let vel = S::load(&all.lines.vel[body]);
                set_off(all, body, vel.add(push).mul(speeds), go_on);
            }
        } else {
            renewed |= weigh;
            let at = eight(first, count);
            let impulse = match weigh && go_on {
                true => angular_impulses::<S>(all, &at),
                false => None,
            };
            let free = S::transposed(predict(all, &at, S::splat(h), weigh));
            if let Some(impulse) = impulse {
                turn_changes(all, &at, impulse);
            }
            for body in run {
                all.lines.other[body] |= weigh && all.spins[body] == Spin::Free;
                set_off(all, body, free[body - first], go_on);
            }
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

/// Has a body start a substep with its free velocity, and what impulses changed in the last substep if they
/// `go_on`. What its line of velocities holds beside these is nought in the lines of free ones, and so stays.
#[inline(always)]
fn set_off<S: AllLanes + Double>(all: &mut Moving, body: usize, free: S, go_on: bool) {
    let vel = S::load(&all.lines.vel[body]);
    vel.store(&mut all.own[body * LINES + START]);
    let to = &mut all.lines.free[body];
    if go_on {
        let next = free.add(vel.sub(S::load(to)));
        next.store(&mut all.lines.vel[body]);
    }
    free.store(to);
}

/// The angular impulses (N·m·s) that changed the spins of those that turn, by the W′ that they had: W′⁻¹ Δω, by Cramer's rule, for
/// the W′ of a body here is regular (those with locked axes are bound by the caller, by their inertia). None where nothing changed.
#[inline(always)]
fn angular_impulses<S: AllLanes + Double>(all: &Moving, at: &[Place; LANES]) -> Option<V3<S>> {
    let change = changes::<S>(all, at);
    if !S::any(S::gt(dot(change, change), S::zero())) {
        return None;
    }
    let [xx, yy, zz, xy, xz, yz, ..] = S::gather(all.lines.inv, at);
    let (x, y, z) = (V3([xx, xy, xz]), V3([xy, yy, yz]), V3([xz, yz, zz]));
    let (yz, zx, xy) = (cross(y, z), cross(z, x), cross(x, y));
    let per = S::splat(1.0).div(dot(x, yz));
    Some(V3([dot(change, yz), dot(change, zx), dot(change, xy)]).scaled(per))
}

/// What impulses changed of the spins in the last substep.
#[inline(always)]
fn changes<S: AllLanes + Double>(all: &Moving, at: &[Place; LANES]) -> V3<S> {
    let (vel, free) = (S::gather(all.lines.vel, at), S::gather(all.lines.free, at));
    V3([vel[4], vel[5], vel[6]]).sub(V3([free[4], free[5], free[6]]))
}

/// Has the spins of those that turn changed by what the angular impulses do by the W that they have now: from other free ones.
#[inline(always)]
fn turn_changes<S: AllLanes + Double>(all: &mut Moving, at: &[Place; LANES], impulse: V3<S>) {
    let frame = S::gather(all.own, &own(at, FRAME));
    let turning = S::gt(frame[7], S::splat(STILL));
    let (vel, inv) = (S::gather(all.lines.vel, at), S::gather(all.lines.inv, at));
    let from = V3([vel[4], vel[5], vel[6]]).sub(weighed(&inv, impulse));
    let mut free = S::gather(all.lines.free, at);
    for k in 0..3 {
        free[4 + k] = S::select(turning, from.0[k], free[4 + k]);
    }
    S::scatter(all.lines.free, at, free);
}

/// Free velocities, in columns.
#[inline(always)]
fn predict<S: AllLanes + Double>(
    all: &mut Moving,
    at: &[Place; LANES],
    h: S,
    weigh: bool,
) -> [S; LANES] {
    let vel = S::gather(all.lines.vel, at);
    let load = S::gather(all.own, &own(at, LOAD));
    let [u, v, w] = spin_after(all, at, (&vel, &load, h), weigh).0;
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

/// Angular velocity after the external torque, as [`rb_core::integrate::Mover::spin_after`]; renews inverse
/// masses, if they are to be.
#[inline(always)]
fn spin_after<S: AllLanes + Double>(
    all: &mut Moving,
    at: &[Place; LANES],
    (vel, load, h): (&[S; LANES], &[S; LANES], S),
    weigh: bool,
) -> V3<S> {
    let (spin, torque) = (
        V3([vel[4], vel[5], vel[6]]),
        V3([load[3], load[4], load[5]]),
    );
    let frame = S::gather(all.own, &own(at, FRAME));
    let mut inv = S::gather(all.lines.inv, at);
    let turning = S::gt(frame[7], S::splat(STILL));
    if !S::any(turning) {
        return spin.add(weighed(&inv, torque));
    }
    let pose = S::gather(all.own, &own(at, POSE));
    let axes = Quat::of(&pose).times(&Quat::of(&frame));
    let moments = V3([frame[0], frame[1], frame[2]]);
    if weigh {
        let fresh = inverse(&axes, moments);
        for k in 0..6 {
            inv[k] = S::select(turning, fresh[k], inv[k]);
        }
        S::scatter(all.lines.inv, at, inv);
    }
    let mut after = spin.add(weighed(&inv, torque));
    let mask = S::gt(frame[7], S::splat(TURNING));
    if S::any(mask) {
        let spun = gyroscopic(&axes, moments, spin, torque, h);
        for k in 0..3 {
            after.0[k] = S::select(mask, spun.0[k], after.0[k]);
        }
    }
    after
}

#[inline(always)]
fn run_advance<S: AllLanes + Double>(all: &mut Moving, [h, beta]: [f64; 2], turned: &mut [Line]) {
    let (count, h) = (all.len(), S::splat(h));
    let (new, old) = (S::splat(beta), S::splat(1.0 - beta));
    let along = S::load(&SPEEDS).mul(h);
    for first in (0..count).step_by(LANES) {
        let at = eight(first, count);
        let mut vel = [S::zero(); LANES];
        for k in 0..LANES {
            let body = at[k].line() as usize;
            vel[k] = S::load(&all.lines.vel[body]);
            if beta != 1.0 {
                let start = S::load(&all.own[body * LINES + START]);
                vel[k] = vel[k].mul(new).add(start.mul(old));
            }
        }
        for k in 0..count.min(first + LANES) - first {
            let moved = &mut all.lines.moved[first + k];
            S::load(moved).add(vel[k].mul(along)).store(moved);
        }
        let vel = S::transposed(vel);
        let mut pose = S::gather(all.own, &own(&at, POSE));
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
        S::scatter(all.own, &own(&at, POSE), pose);
        if !turned.is_empty() {
            let [dx, dy, dz] = V3([pose[0], pose[1], pose[2]]).sub(from).0;
            let Quat([x, y, z, w]) = next.times(&q.back());
            S::scatter(turned, &at, [dx, dy, dz, w, x, y, z, S::zero()]);
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
        let at = eight(first, count);
        let frame = S::gather(all.own, &own(&at, FRAME));
        let [xx, yy, zz, xy, xz, yz, ..] = S::gather(levers, &at);
        let (x, y, z) = (V3([xx, xy, xz]), V3([xy, yy, yz]), V3([xz, yz, zz]));
        let size = dot(x, x).add(dot(y, y)).add(dot(z, z));
        let least = frame[0].min(frame[1].min(frame[2]));
        let least = least.mul(S::splat(EXPLICIT_SHARE));
        let over = h2.mul(size).sub(least.mul(least));
        if S::any(S::gt(over, S::zero())) {
            let mut excess = Wide::default();
            over.store(&mut excess);
            for (body, excess) in at.into_iter().zip(excess.0) {
                special[body.line() as usize] |= excess > 0.0;
            }
        }
    }
}

/// Inverse inertia in world axes, as [`rb_core::mass::PrincipalInertia::world_inverse`]: xx, yy, zz, xy, xz, yz.
#[inline(always)]
fn inverse<S: AllLanes + Double>(axes: &Quat<S>, moments: V3<S>) -> [S; 6] {
    let ([x, y, z, w], one) = (axes.0, S::splat(1.0));
    let (x2, y2, z2) = (x.add(x), y.add(y), z.add(z));
    let (xx, xy, xz) = (x.mul(x2), x.mul(y2), x.mul(z2));
    let (yy, yz, zz) = (y.mul(y2), y.mul(z2), z.mul(z2));
    let (wx, wy, wz) = (w.mul(x2), w.mul(y2), w.mul(z2));
    // Rows of the rotation, and the same with its columns scaled.
    let rows = [
        V3([one.sub(yy.add(zz)), xy.sub(wz), xz.add(wy)]),
        V3([xy.add(wz), one.sub(xx.add(zz)), yz.sub(wx)]),
        V3([xz.sub(wy), yz.add(wx), one.sub(xx.add(yy))]),
    ];
    let [a, b, c] = moments.0;
    let scale = V3([one.div(a), one.div(b), one.div(c)]);
    let scaled = [
        rows[0].times(scale),
        rows[1].times(scale),
        rows[2].times(scale),
    ];
    [
        dot(scaled[0], rows[0]),
        dot(scaled[1], rows[1]),
        dot(scaled[2], rows[2]),
        mean(&scaled, &rows, [0, 1]),
        mean(&scaled, &rows, [0, 2]),
        mean(&scaled, &rows, [1, 2]),
    ]
}

/// A number off the diagonal of a symmetric product: both triangles differ by rounding.
#[inline(always)]
fn mean<S: AllLanes + Double>(scaled: &[V3<S>; 3], rows: &[V3<S>; 3], [i, j]: [usize; 2]) -> S {
    let both = dot(scaled[i], rows[j]).add(dot(scaled[j], rows[i]));
    both.mul(S::splat(0.5))
}

/// Angular part of W times a torque or an angular impulse.
#[inline(always)]
fn weighed<S: AllLanes + Double>(w: &[S; LANES], t: V3<S>) -> V3<S> {
    let [xx, yy, zz, xy, xz, yz, ..] = *w;
    V3([
        dot(V3([xx, xy, xz]), t),
        dot(V3([xy, yy, yz]), t),
        dot(V3([xz, yz, zz]), t),
    ])
}

/// Angular velocity after the implicit gyroscopic step, as [`rb_core::integrate::gyro`].
#[inline(always)]
fn gyroscopic<S: AllLanes + Double>(
    axes: &Quat<S>,
    moments: V3<S>,
    spin: V3<S>,
    torque: V3<S>,
    h: S,
) -> V3<S> {
    let scale = S::splat(1.0).div(axes.length_squared());
    let back = axes.back();
    let w = back.of_vector(spin).scaled(scale);
    let p = back.of_vector(torque).scaled(scale);
    let [i, j, k] = moments.0;
    let hw = w.scaled(h);
    let ([u, v, t], [a, b, c]) = (hw.0, [j.sub(i), k.sub(j), i.sub(k)]);
    // Columns of I + h([ω]I − [Iω]).
    let x = V3([i, c.mul(t), a.mul(v)]);
    let y = V3([b.mul(t), j, a.mul(u)]);
    let z = V3([b.mul(v), c.mul(u), k]);
    let rhs = p.sub(cross(hw, moments.times(w)));
    let (yz, zx, xy) = (cross(y, z), cross(z, x), cross(x, y));
    let change = V3([dot(rhs, yz), dot(rhs, zx), dot(rhs, xy)]);
    let whole = dot(x, yz);
    let [d, e, f] = change.0;
    let next = w.add(V3([d.div(whole), e.div(whole), f.div(whole)]));
    axes.of_vector(next).scaled(scale)
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
