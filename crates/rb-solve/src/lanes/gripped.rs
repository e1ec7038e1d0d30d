//! The velocity pass where manifolds have one friction each: what is felt and what is done stays along the axes of
//! the contact from beginning to end.
//!
//! Friction and normals tell each other what they do without asking the bodies ([`cross`](super::cross)), so that these are pushed
//! once, at the end. With c and r the arms to the centre of friction and to the first point, ω of b against that of a, and the
//! notation of [`grip`](super::grip) and [`position`](super::position):
//!
//! ```text
//! twist      z = r n·ω                                             → w of the tangents
//! tangents   (t, u)·(v + ω × c) − belt                             → w and turning of the normals, as of the twist
//! normals    n·v + (r_u ω_t − r_t ω_u of b) − (the same of a)
//! at the end v ± m⁻¹ f,  ω ± I⁻¹ T of all of them together
//! ```
//!
//! Friction comes first: what presses and what slides are then told apart by one visit, and a pile is left nearer to
//! rest.

use super::axes::{Along, Axes};
use super::batch::{Batch, Point, Special};
use super::grip::{Grip, levered, load};
use super::pair::Pair;
use super::position::{Give, Press, again, levers, press};
use super::response::Inertia;
use super::simd::{Simd, Stored, Within, two};
use super::vector::V3;

/// Visits the friction of a batch, then its normals.
#[inline(always)]
pub(super) fn visit<S: Simd, L: Stored, const N: usize, const BACKWARDS: bool>(
    batch: &Batch<S::Stored>,
    inertia: Inertia<S::Stored>,
    grip: &mut Grip<S::Stored>,
    points: &mut [Point<S::Stored>],
    special: Option<&[Special<S::Stored>]>,
    vel: &mut [L],
) {
    let Ok(points) = <&mut [Point<S::Stored>; N]>::try_from(points) else {
        return;
    };
    let at = Within::both(&batch.bodies, vel);
    let mut pair = Pair::<S>::gather(vel, at);
    let limit = S::load(&batch.mu).mul(load(points));
    let speed = Along::new(&Axes::of(batch), &pair);
    let twist = grip.twisted(limit, speed.spin());
    let [_, x, y] = speed.slip(&grip.arms()).0;
    let slid = grip.slid(batch, limit, [x, y], twist);
    let normal = speed.normal(&levers(batch));
    let speed = grip.cross.normals(normal, twist, slid);
    let press = press::<S, N, BACKWARDS>(batch, points, speed, Give::Law(special));
    let batch = again(batch);
    let centre = grip.arms();
    let twist = S::load(&grip.reach).mul(twist);
    let turns = two!(|s| levered(centre[s], slid, twist));
    act(&mut pair, batch, inertia, &press, (slid, turns));
    pair.scatter(vel, at);
}

/// Starts a batch from its last impulses.
#[inline(always)]
pub(super) fn start<S: Simd, L: Stored>(
    batch: &Batch<S::Stored>,
    inertia: Inertia<S::Stored>,
    grip: &Grip<S::Stored>,
    points: &[Point<S::Stored>],
    vel: &mut [L],
) {
    let at = Within::both(&batch.bodies, vel);
    let mut pair = Pair::<S>::gather(vel, at);
    act(&mut pair, batch, inertia, &Press::of(points), grip.held());
    pair.scatter(vel, at);
}

/// Moves the bodies by what the normals press and friction does: impulses along the tangents, and torques on b.
#[inline(always)]
fn act<S: Simd>(
    pair: &mut Pair<S>,
    batch: &Batch<S::Stored>,
    inertia: Inertia<S::Stored>,
    press: &Press<S>,
    ([x, y], turns): ([S; 2], [[S; 3]; 2]),
) {
    let arms = levers(batch);
    let torque = two!(|s| {
        let ([n, t, u], [p, q]) = (turns[s], press.torque(&arms[s]));
        V3([n, t.add(p), u.add(q)])
    });
    inertia.act(pair, &Axes::of(batch), V3([press.sum, x, y]), torque);
}
