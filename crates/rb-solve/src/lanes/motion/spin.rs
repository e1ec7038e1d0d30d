//! What turns bodies in a substep: torques, the gyroscopic term, and impulses that go on from the last one.

use super::eight::Eight;
use super::turn::{Quat, cross, dot};
use super::{FRAME, Moving, POSE, STILL, TURNING};
use crate::lanes::LANES;
use crate::lanes::simd::{AllLanes, Double};
use crate::lanes::vector::V3;

/// The angular impulses (N·m·s) that changed the spins of those that turn, by the W′ that they had: W′⁻¹ Δω, by Cramer's rule, for
/// the W′ of a body here is regular (those with locked axes are bound by the caller, by their inertia). None where nothing changed.
#[inline(always)]
pub(super) fn angular_impulses<S: AllLanes + Double>(all: &Moving, eight: Eight) -> Option<V3<S>> {
    let change = changes::<S>(all, eight);
    if !S::any(S::gt(dot(change, change), S::zero())) {
        return None;
    }
    let [xx, yy, zz, xy, xz, yz, ..] = eight.gather(all.lines.inv);
    let (x, y, z) = (V3([xx, xy, xz]), V3([xy, yy, yz]), V3([xz, yz, zz]));
    let (yz, zx, xy) = (cross(y, z), cross(z, x), cross(x, y));
    let per = S::splat(1.0).div(dot(x, yz));
    Some(V3([dot(change, yz), dot(change, zx), dot(change, xy)]).scaled(per))
}

/// What impulses changed of the spins in the last substep.
#[inline(always)]
fn changes<S: AllLanes + Double>(all: &Moving, eight: Eight) -> V3<S> {
    let (vel, free) = (eight.gather(all.lines.vel), eight.gather(all.lines.free));
    V3([vel[4], vel[5], vel[6]]).sub(V3([free[4], free[5], free[6]]))
}

/// Has the spins of those that turn changed by what the angular impulses do by the W that they have now: from other free ones.
#[inline(always)]
pub(super) fn turn_changes<S: AllLanes + Double>(all: &mut Moving, eight: Eight, impulse: V3<S>) {
    let frame = eight.own::<S>(all.own, FRAME);
    let turning = S::gt(frame[7], S::splat(STILL));
    let (vel, inv) = (eight.gather(all.lines.vel), eight.gather(all.lines.inv));
    let from = V3([vel[4], vel[5], vel[6]]).sub(weighed(&inv, impulse));
    let mut free = eight.gather(all.lines.free);
    for k in 0..3 {
        free[4 + k] = S::select(turning, from.0[k], free[4 + k]);
    }
    eight.scatter(all.lines.free, free);
}

/// Angular velocity after the external torque, as [`rb_core::integrate::Mover::spin_after`]; renews inverse
/// masses, if they are to be.
#[inline(always)]
pub(super) fn spin_after<S: AllLanes + Double>(
    all: &mut Moving,
    eight: Eight,
    (vel, load, h): (&[S; LANES], &[S; LANES], S),
    weigh: bool,
) -> V3<S> {
    let (spin, torque) = (
        V3([vel[4], vel[5], vel[6]]),
        V3([load[3], load[4], load[5]]),
    );
    let frame = eight.own::<S>(all.own, FRAME);
    let mut inv = eight.gather(all.lines.inv);
    let turning = S::gt(frame[7], S::splat(STILL));
    if !S::any(turning) {
        return spin.add(weighed(&inv, torque));
    }
    let pose = eight.own::<S>(all.own, POSE);
    let axes = Quat::of(&pose).times(&Quat::of(&frame));
    let moments = V3([frame[0], frame[1], frame[2]]);
    if weigh {
        let fresh = inverse(&axes, moments);
        for k in 0..6 {
            inv[k] = S::select(turning, fresh[k], inv[k]);
        }
        eight.scatter(all.lines.inv, inv);
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
