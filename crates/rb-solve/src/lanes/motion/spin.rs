//! What turns bodies in a substep: torques, the gyroscopic term, and impulses that go on from the last one.

use super::eight::Eight;
use super::turn::{Quat, cross, dot};
use super::{FRAME, Moving, POSE, STILL, TURNING};
use crate::lanes::LANES;
use crate::lanes::simd::{AllLanes, Double};
use crate::lanes::vector::V3;

/// What turns eight bodies: their moments of inertia and their kinds, and W as it is.
pub(super) struct Spins<S> {
    frame: [S; LANES],
    inv: [S; LANES],
}

impl<S: AllLanes + Double> Spins<S> {
    #[inline(always)]
    pub(super) fn of(all: &Moving, eight: Eight) -> Self {
        Self {
            frame: eight.own(all.own, FRAME),
            inv: eight.gather(all.lines.inv),
        }
    }

    /// Which of them turn, and W with them.
    #[inline(always)]
    fn turning(&self) -> S::Mask {
        S::gt(self.frame[7], S::splat(STILL))
    }

    /// The angular impulses (N·m·s) that changed their spins by so much: W⁻¹ Δω, by Cramer's rule, for the W of a body here is
    /// regular (those with locked axes are bound by the caller, by their inertia). None where nothing changed.
    #[inline(always)]
    pub(super) fn impulse(&self, change: &[S; LANES]) -> Option<V3<S>> {
        let change = V3([change[4], change[5], change[6]]);
        if !S::any(S::gt(dot(change, change), S::zero())) {
            return None;
        }
        let [xx, yy, zz, xy, xz, yz, ..] = self.inv;
        let (x, y, z) = (V3([xx, xy, xz]), V3([xy, yy, yz]), V3([xz, yz, zz]));
        let (yz, zx, xy) = (cross(y, z), cross(z, x), cross(x, y));
        let per = S::splat(1.0).div(dot(x, yz));
        Some(V3([dot(change, yz), dot(change, zx), dot(change, xy)]).scaled(per))
    }

    /// Has those that turn change their spins by what these impulses do now.
    #[inline(always)]
    pub(super) fn turn(&self, change: &mut [S; LANES], impulse: V3<S>) {
        let (turning, turned) = (self.turning(), weighed(&self.inv, impulse));
        for k in 0..3 {
            change[4 + k] = S::select(turning, turned.0[k], change[4 + k]);
        }
    }

    /// Angular velocity after the external torque, as [`rb_core::integrate::Mover::spin_after`]; renews inverse
    /// masses, if they are to be.
    #[inline(always)]
    pub(super) fn after(
        &mut self,
        all: &mut Moving,
        eight: Eight,
        (vel, load, h): (&[S; LANES], &[S; LANES], S),
        weigh: bool,
    ) -> V3<S> {
        let (spin, torque) = (
            V3([vel[4], vel[5], vel[6]]),
            V3([load[4], load[5], load[6]]),
        );
        let (turning, kind) = (self.turning(), self.frame[7]);
        let calm = S::gt(S::splat(STILL), kind);
        if !S::any(turning) {
            return spin.add(change(calm, torque, &self.inv));
        }
        let pose = eight.own::<S>(all.own, POSE);
        let axes = Quat::of(&pose).times(&Quat::of(&self.frame));
        let moments = V3([self.frame[0], self.frame[1], self.frame[2]]);
        if weigh {
            let fresh = inverse(&axes, moments);
            for k in 0..6 {
                self.inv[k] = S::select(turning, fresh[k], self.inv[k]);
            }
            eight.scatter(all.lines.inv, self.inv);
        }
        let mut after = spin.add(change(calm, torque, &self.inv));
        let mask = S::gt(kind, S::splat(TURNING));
        if S::any(mask) {
            let spun = gyroscopic(&axes, moments, spin, torque, h);
            for k in 0..3 {
                after.0[k] = S::select(mask, spun.0[k], after.0[k]);
            }
        }
        after
    }
}

/// What a load does to a spin: of those that are calm it is the change.
#[inline(always)]
fn change<S: AllLanes + Double>(calm: S::Mask, load: V3<S>, inv: &[S; LANES]) -> V3<S> {
    let turned = weighed(inv, load);
    let [u, v, w] = turned.0;
    V3([
        S::select(calm, load.0[0], u),
        S::select(calm, load.0[1], v),
        S::select(calm, load.0[2], w),
    ])
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
