//! Rows of locked and stopped turns, eight joints at once: what `rb_joints::parts::{swing, twist}` and a
//! `rb_joints::Drive` with hard stops state, from the frames of the joints.
//!
//! ```text
//! Q = q_a* q_b,  u = Q z,  θ = ∠(z, u),  f = θ / sin θ,  g = (θ cot θ − 1) / sin² θ
//! locks   σ = f (−u_y, u_x),  J = q_a (1 + g u_x², g u_x u_y, −f u_x),  q_a (g u_x u_y, 1 + g u_y², −f u_y)
//! cone    φ = θ_max − θ,      J = −q_a (−u_y, u_x, 0) / sin θ
//! twist   τ = 2 ∠(Q_w, Q_z),  J = (z_a + z_b) / (1 + z_a·z_b);  φ = τ − lower,  upper − τ
//! ```

use super::angle::{atan2, size, unwrapped};
use super::bearing::{Bearing, LOCKS, Rest};
use super::carry::Turn;
use super::pack::{Eight, JointLanes, NOBODY};
use crate::lanes::LANES;
use crate::lanes::dispatch;
use crate::lanes::pair::Pair;
use crate::lanes::simd::{Double, Line, Place, Wide, Within};
use crate::lanes::vector::V3;

/// Smallest sine of a tilt beyond a quarter turn.
const UPSIDE_DOWN: f64 = 1e-6;
/// Smallest 1 + z_a·z_b divided by.
const OPPOSITE: f64 = 1e-24;
/// sin² θ below which f and g are taken by their series.
const SMALL: f64 = 1e-5;
/// Smallest sine of a tilt that has an axis.
const TILTED: f64 = 1e-12;

/// What is made of a gap.
#[derive(Clone, Copy)]
pub(super) struct Terms {
    /// 1/h (1/s).
    pub(super) rate: f64,
    /// How fast a stop that has been passed is pushed back at most.
    pub(super) push: f64,
    /// A stop is near below this time at the present rate, and this gap besides.
    pub(super) ahead: f64,
    pub(super) margin: f64,
}

pub(super) fn run(lanes: &mut JointLanes, vel: &[Line], terms: Terms) {
    dispatch!(swivel(lanes: &mut JointLanes, vel: &[Line], terms: Terms))
}

#[inline(always)]
pub(super) fn swivel<S: Double>(lanes: &mut JointLanes, vel: &[Line], terms: Terms) {
    for batch in &mut lanes.batches {
        let number = batch.bearing as usize;
        let Some(bearing) = lanes.bearings.get_mut(number) else {
            continue;
        };
        let frame = bearing.turned::<S>(&lanes.rests[number], &lanes.turned, &batch.bodies);
        bearing.follow(&frame);
        if !bearing.turns() {
            continue;
        }
        let plain = bearing.plain();
        let first = batch.first as usize;
        let rows = &mut lanes.rows[first..];
        let angles = Angles::of(&frame);
        if bearing.locks {
            angles.lock(bearing, &mut rows[LOCKS], terms);
        }
        let mut bounded = 0;
        for k in 0..3 {
            if bearing.stands[k] {
                bearing.impulses[k] = rows[plain + bounded].impulse;
                bounded += 1;
            }
        }
        let spin = Pair::<S>::gather(vel, Within::both(&batch.bodies, vel)).spin();
        bounded = 0;
        let twist = angles.twist(bearing);
        for k in 0..3 {
            bearing.stands[k] = false;
            if !bearing.stopped[k] {
                continue;
            }
            let stop = angles.stop(bearing, k, &twist);
            let room = S::splat(terms.ahead).fma(size(stop.axis.dot(spin)), S::splat(terms.margin));
            let near = S::gt(room, stop.gap);
            if S::any(near) {
                let row = &mut rows[plain + bounded];
                lanes.differs |= stop.put(row, near, bearing, k, terms);
                bearing.stands[k] = true;
                bounded += 1;
            } else {
                bearing.impulses[k] = Wide::default();
            }
        }
        batch.bounded = bounded as u8;
    }
}

/// Tells of every joint how far its locks and stops are from holding where its bodies are now (m).
pub(super) fn errors(lanes: &JointLanes, tell: &mut impl FnMut(usize, f64)) {
    for batch in &lanes.batches {
        let number = batch.bearing as usize;
        let Some(bearing) = lanes.bearings.get(number) else {
            continue;
        };
        let (rest, mut most) = (&lanes.rests[number], Wide::default());
        run_error(bearing, rest, &lanes.turned, &batch.bodies, &mut most);
        for (&joint, error) in batch.joints.iter().zip(most.0) {
            if joint != NOBODY {
                tell(joint as usize, error);
            }
        }
    }
}

fn run_error(
    bearing: &Bearing,
    rest: &Rest,
    turned: &[Line],
    bodies: &[[Place; LANES]; 2],
    most: &mut Wide,
) {
    dispatch!(error(
        bearing: &Bearing,
        rest: &Rest,
        turned: &[Line],
        bodies: &[[Place; LANES]; 2],
        most: &mut Wide
    ))
}

#[inline(always)]
pub(super) fn error<S: Double>(
    bearing: &Bearing,
    rest: &Rest,
    turned: &[Line],
    bodies: &[[Place; LANES]; 2],
    most: &mut Wide,
) {
    let angles = Angles::<S>::of(&bearing.turned(rest, turned, bodies));
    let mut worst = S::zero();
    if bearing.locks {
        let locked = S::gt(S::load(&bearing.locked), S::zero());
        let [x, y] = [angles.u.0[0], angles.u.0[1]];
        let swing = size(x).max(size(y)).mul(angles.factors().0);
        worst = S::select(locked, swing, worst);
    }
    let twist = angles.twist(bearing);
    for k in 0..3 {
        if bearing.stopped[k] {
            worst = worst.max(S::zero().sub(angles.stop(bearing, k, &twist).gap));
        }
    }
    worst.mul(S::load(&bearing.extent[1])).store(most);
}

/// How the frames of eight joints stand to each other.
struct Angles<S> {
    /// Frames, and b's seen from a's: x, y, z, w.
    frame: [Turn<S>; 2],
    between: [S; 4],
    /// b's z axis in a's frame, and the sine of its tilt.
    u: V3<S>,
    sine: S,
}

impl<S: Double> Angles<S> {
    #[inline(always)]
    fn of(frame: &[[S; 4]; 2]) -> Self {
        let [a, b] = *frame;
        let zero = S::zero();
        let back = [zero.sub(a[0]), zero.sub(a[1]), zero.sub(a[2]), a[3]];
        let between = product(back, b);
        let [x, y, z, w] = between;
        let two = S::splat(2.0);
        let mut u = V3([
            two.mul(x.fma(z, w.mul(y))),
            two.mul(w.nfma(x, y.mul(z))),
            two.nfma(x.fma(x, y.mul(y)), S::splat(1.0)),
        ]);
        let flat = u.0[0].fma(u.0[0], u.0[1].mul(u.0[1]));
        // Upside down there is no axis of the tilt: x is taken.
        let least = S::splat(UPSIDE_DOWN);
        let down = S::select(S::gt(zero, u.0[2]), flat, S::splat(1.0));
        let lost = S::gt(least.mul(least), down);
        u.0[0] = S::select(lost, zero, u.0[0]);
        u.0[1] = S::select(lost, zero.sub(least), u.0[1]);
        let sine = u.0[0].fma(u.0[0], u.0[1].mul(u.0[1])).sqrt();
        Self {
            frame: [Turn::new(a), Turn::new(b)],
            between,
            u,
            sine,
        }
    }

    /// f and g.
    #[inline(always)]
    fn factors(&self) -> (S, S) {
        let (one, square) = (S::splat(1.0), self.sine.mul(self.sine));
        let f = square.fma(S::splat(3.0 / 40.0), S::splat(1.0 / 6.0));
        let f = square.fma(f, one);
        let g = square.nfma(S::splat(2.0 / 15.0), S::splat(-1.0 / 3.0));
        let upright = S::select(S::gt(self.u.0[2], S::zero()), square, one);
        let plain = S::gt(S::splat(SMALL), upright);
        let open = S::select(plain, S::zero(), one);
        if !S::any(S::gt(open, S::zero())) {
            return (f, g);
        }
        let sine = S::select(plain, one, self.sine);
        let wide = atan2(self.sine, self.u.0[2]).div(sine);
        let bent = wide.mul(self.u.0[2]).sub(one).div(sine.mul(sine));
        (S::select(plain, f, wide), S::select(plain, g, bent))
    }

    /// The rows that lock the swing.
    #[inline(always)]
    fn lock(&self, bearing: &Bearing, rows: &mut [Eight], terms: Terms) {
        let (zero, one) = (S::zero(), S::splat(1.0));
        let locked = S::gt(S::load(&bearing.locked), zero);
        let ((f, g), [x, y, _]) = (self.factors(), self.u.0);
        let mixed = g.mul(x).mul(y);
        let axes = [
            V3([g.mul(x).fma(x, one), mixed, zero.sub(f.mul(x))]),
            V3([mixed, g.mul(y).fma(y, one), zero.sub(f.mul(y))]),
        ];
        let gaps = [zero.sub(f.mul(y)), f.mul(x)];
        for k in 0..2 {
            let (row, axis) = (&mut rows[k], self.frame[0].of(axes[k]));
            put_torque(row, locked, axis);
            let gap = S::select(locked, gaps[k], zero);
            gap.store(&mut row.gap);
            let bias = gap.mul(S::splat(terms.rate));
            bias.store(&mut row.bias[0]);
            bias.store(&mut row.bias[1]);
            zero.store(&mut row.reg[0]);
        }
    }

    /// The twist and its derivative, if there is a stop of it: both stops ask for the same.
    #[inline(always)]
    fn twist(&self, bearing: &Bearing) -> Stop<S> {
        let (zero, one) = (S::zero(), S::splat(1.0));
        if !(bearing.stopped[1] || bearing.stopped[2]) {
            return Stop {
                gap: zero,
                axis: V3([zero; 3]),
            };
        }
        let [_, _, z, w] = self.between;
        let angle = S::splat(2.0).mul(atan2(z, w));
        let up = V3([zero, zero, one]);
        let [za, zb] = [self.frame[0].of(up), self.frame[1].of(up)];
        let sum = za.add(zb);
        let below = S::splat(0.5).mul(sum.dot(sum)).max(S::splat(OPPOSITE));
        Stop {
            gap: unwrapped(S::load(&bearing.angle), angle),
            axis: sum.scaled(one.div(below)),
        }
    }

    /// A stop: of the cone, of the lower or of the upper twist.
    #[inline(always)]
    fn stop(&self, bearing: &Bearing, kind: usize, twist: &Stop<S>) -> Stop<S> {
        let (zero, one) = (S::zero(), S::splat(1.0));
        let at = S::load(&bearing.stops[kind]);
        match kind {
            0 => {
                let tilted = S::gt(self.sine, S::splat(TILTED));
                let sine = S::select(tilted, self.sine, one);
                let x = S::select(tilted, self.u.0[1].div(sine), zero.sub(one));
                let y = S::select(tilted, zero.sub(self.u.0[0].div(sine)), zero);
                Stop {
                    gap: at.sub(atan2(self.sine, self.u.0[2])),
                    axis: self.frame[0].of(V3([x, y, zero])),
                }
            }
            1 => Stop {
                gap: twist.gap.sub(at),
                axis: twist.axis,
            },
            _ => Stop {
                gap: at.sub(twist.gap),
                axis: twist.axis.scaled(zero.sub(one)),
            },
        }
    }
}

/// How far a stop is away, and the derivative of that.
struct Stop<S> {
    gap: S,
    axis: V3<S>,
}

impl<S: Double> Stop<S> {
    /// Makes its row in the lanes it is near to; says whether the passes see another one.
    #[inline(always)]
    fn put(
        &self,
        row: &mut Eight,
        near: S::Mask,
        bearing: &Bearing,
        kind: usize,
        terms: Terms,
    ) -> bool {
        let zero = S::zero();
        // Another stop may have been there.
        for k in 0..3 {
            zero.store(&mut row.lin[k]);
        }
        put_torque(row, near, self.axis);
        let gap = S::select(near, self.gap, zero);
        gap.store(&mut row.gap);
        let whole = gap.mul(S::splat(terms.rate));
        whole.max(S::splat(-terms.push)).store(&mut row.bias[0]);
        whole.max(zero).store(&mut row.bias[1]);
        zero.store(&mut row.reg[0]);
        zero.store(&mut row.reg[1]);
        zero.store(&mut row.soft);
        zero.store(&mut row.bounds[0]);
        S::select(near, S::splat(f64::INFINITY), zero).store(&mut row.bounds[1]);
        let impulse = S::load(&bearing.impulses[kind]);
        S::select(near, impulse, zero).store(&mut row.impulse);
        S::load(&bearing.extent[0]).store(&mut row.length);
        row.slot = [bearing.slots[kind]; LANES];
        S::any(S::gt(zero, gap))
    }
}

/// A pair of torques about an axis, + on b, in the lanes of a mask.
#[inline(always)]
fn put_torque<S: Double>(row: &mut Eight, mask: S::Mask, axis: V3<S>) {
    let zero = S::zero();
    for k in 0..3 {
        let along = S::select(mask, axis.0[k], zero);
        along.store(&mut row.ang[1][k]);
        zero.sub(along).store(&mut row.ang[0][k]);
    }
}

#[inline(always)]
pub(super) fn load<S: Double>(from: &[Wide; 4]) -> [S; 4] {
    [
        S::load(&from[0]),
        S::load(&from[1]),
        S::load(&from[2]),
        S::load(&from[3]),
    ]
}

/// p q of quaternions x, y, z, w.
#[inline(always)]
pub(super) fn product<S: Double>(p: [S; 4], q: [S; 4]) -> [S; 4] {
    let ([a, b, c, d], [x, y, z, w]) = (p, q);
    [
        c.nfma(y, b.fma(z, a.fma(w, d.mul(x)))),
        a.nfma(z, c.fma(x, b.fma(w, d.mul(y)))),
        b.nfma(x, a.fma(y, c.fma(w, d.mul(z)))),
        c.nfma(z, b.nfma(y, a.nfma(x, d.mul(w)))),
    ]
}
