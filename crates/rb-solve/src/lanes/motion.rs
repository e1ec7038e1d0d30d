//! Bodies between the passes of a substep, eight side by side: the velocities with which a substep starts,
//! inverse masses at the new attitudes, and the way of the bodies with the velocities found.
//!
//! All is that of [`Mover`] with the implicit gyroscopic term, operation by operation and with nothing fused,
//! so that a body does in lanes what it does by itself; but one that hardly turns keeps its W, and what its gyroscopic
//! term adds to its spin, through a step. What it needs for that beside its [`BodyLines`] lies in four more lines:
//!
//! ```text
//! pose    centre of mass, attitude                  load    (g + F/m) h, 1 + h damping, torque h, 1 + h damping
//! frame   principal moments, their axes, kind       start   velocity at the start of the substep
//! ```
//!
//! The load of one that hardly turns has the change of its spin in the place of the torque.
//!
//! What impulses did goes on as a change of velocity, v = ṽ + Δv, that of the spin as the angular impulse it was: by W′ of the last
//! substep and W of this one, Δω → W W′⁻¹ Δω.
//!
//! Only what a turn mixes is turned into columns, one number of eight bodies each; what is done to each number by
//! itself is done line by line, to the eight numbers of one body.

mod eight;
mod flight;
mod kernel;
mod spin;
mod turn;

pub use flight::{Course, fly};

use super::bodies::{BodyLines, packed, twist};
use super::joints::set_turn;
use super::simd::Line;
use crate::parallel::Parts;
use glam::{DQuat, DVec3};
use rb_core::integrate::{IDLE_TURN, Mover};
use rb_core::math::Twist;

/// Lines of a body.
const LINES: usize = 4;
const POSE: usize = 0;
const FRAME: usize = 1;
const LOAD: usize = 2;
const START: usize = 3;

/// Kinds of bodies: W stays as it is set, follows the attitude, or does so and the body has a gyroscopic term. The last
/// two are negative as long as the body is [calm](Spin::Calm).
const STILL: f64 = 0.0;
const TURNING: f64 = 1.0;
const GYROSCOPIC: f64 = 2.0;

/// Share by which W may change in a substep and be kept for the step: axes, arms and steps of contacts are kept whatever
/// turns.
const CALM: f64 = 1.0 / (1 << 17) as f64;

/// What gives a body another spin than it has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Spin {
    /// Impulses alone: it has no torque, no damping and no gyroscopic term, and W stays.
    Kept,
    /// The same, and what its gyroscopic term was at the start of the step, as long as it is no faster than this about
    /// any axis (rad/s).
    Calm(f32),
    /// All there is.
    #[default]
    Free,
}

/// The lines of movable bodies; kept from step to step for their memory.
#[derive(Clone, Debug, Default)]
pub struct Motions {
    own: Vec<Line>,
    /// What may change the spin of each body.
    spins: Vec<Spin>,
}

impl Motions {
    /// Makes room for so many bodies, all of which are to be [loaded](Moving::load).
    pub fn reset(&mut self, bodies: usize) {
        rb_core::room::fit(&mut self.own, bodies * LINES);
        self.own.resize(bodies * LINES, Line::default());
        rb_core::room::fit(&mut self.spins, bodies);
        self.spins.resize(bodies, Spin::default());
    }

    /// The bodies, with their lines for contacts and joints.
    pub fn with<'a>(&'a mut self, lines: BodyLines<'a>) -> Moving<'a> {
        Moving {
            own: &mut self.own,
            spins: &mut self.spins,
            lines,
        }
    }

    /// Velocity of a body at the start of the substep (m/s, rad/s).
    pub(super) fn start(&self, body: usize) -> Twist {
        twist(&self.own[body * LINES + START])
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        rb_core::room::bytes(&self.own) + rb_core::room::bytes(&self.spins)
    }
}

/// Movable bodies, section after section.
#[derive(Debug)]
pub struct Moving<'a> {
    own: &'a mut [Line],
    spins: &'a mut [Spin],
    /// What contacts and joints know of them.
    pub lines: BodyLines<'a>,
}

impl Parts for Moving<'_> {
    fn parts(&self) -> usize {
        self.lines.parts()
    }

    fn split_at(self, parts: usize) -> (Self, Self) {
        let at = (parts * self.lines.size()).min(self.len());
        let (own, own2) = self.own.split_at_mut(at * LINES);
        let (spins, spins2) = self.spins.split_at_mut(at);
        let (lines, lines2) = self.lines.split_at(parts);
        let of = |own, spins, lines| Moving { own, spins, lines };
        (of(own, spins, lines), of(own2, spins2, lines2))
    }
}

impl Moving<'_> {
    /// Bodies, of the only section.
    pub fn len(&self) -> usize {
        self.own.len() / LINES
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// A run of the bodies of a section, to be worked on in parts of `size`.
    pub fn run(&mut self, run: core::ops::Range<usize>, size: usize) -> Moving<'_> {
        Moving {
            own: &mut self.own[run.start * LINES..run.end * LINES],
            spins: &mut self.spins[run.clone()],
            lines: self.lines.run(run, size),
        }
    }

    /// Loads a body, for substeps of `h` (s).
    #[inline]
    pub fn load(&mut self, body: usize, m: &Mover, h: f64) {
        self.lines.set_mass(body, &m.inv);
        self.lines.set_velocity(body, &m.vel);
        self.lines.set_free(body, &m.vel);
        self.lines.set_moved(body, &m.moved);
        let own = &mut self.own[body * LINES..][..LINES];
        let (moments, axes) = (m.inertia.moments, m.inertia.axes);
        let kind = match m.is_bound() {
            true => STILL,
            false if m.inertia.is_isotropic() => STILL,
            false if m.inertia.is_round() => TURNING,
            false => GYROSCOPIC,
        };
        let (push, torque) = (m.push(), m.force.torque * h);
        let [slow, calm] = m.damping.map(|rate| 1.0 + h * rate);
        let pushed = torque != DVec3::ZERO || [slow, calm] != [1.0; 2];
        let (spin, kind, turn) = match kind {
            _ if pushed => (Spin::Free, kind, torque),
            STILL => (Spin::Kept, kind, torque),
            _ => {
                let (limit, turn) = calm_within(m, h);
                (Spin::Calm(limit), -kind, turn)
            }
        };
        self.spins[body] = spin;
        own[POSE] = line(m.com, m.q, m.grid.anchor());
        own[FRAME] = line(moments, axes, kind);
        own[LOAD].0 = [
            push.x * h,
            push.y * h,
            push.z * h,
            slow,
            turn.x,
            turn.y,
            turn.z,
            calm,
        ];
        own[START] = packed(&m.vel, 0.0);
    }

    /// Centre of mass and attitude of a body.
    #[inline]
    pub fn pose(&self, body: usize) -> (DVec3, DQuat) {
        let [x, y, z, i, j, k, w, _] = self.own[body * LINES + POSE].0;
        (DVec3::new(x, y, z), DQuat::from_xyzw(i, j, k, w))
    }

    /// Tells joints where the bodies are at the start of the step.
    pub fn place(&self, turned: &mut [Line]) {
        for (body, line) in turned.iter_mut().enumerate().take(self.len()) {
            let (com, q) = self.pose(body);
            set_turn(line, com, q);
        }
    }

    /// Velocity of a body at the start of the substep (m/s, rad/s).
    #[inline]
    pub fn start(&self, body: usize) -> Twist {
        twist(&self.own[body * LINES + START])
    }

    /// Begins a substep of `h` (s) at the velocities that the last one left: free velocities, and where bodies are to be
    /// weighed, which the first substep finds done, inverse masses. Where impulses `go_on`, the bodies start with what these
    /// changed in the last substep, by the inverse masses of this one. Whether any inverse mass is another one now.
    pub fn begin(&mut self, h: f64, weigh: bool, go_on: bool) -> bool {
        kernel::begin(self, h, weigh, go_on)
    }

    /// A body that was calm turns.
    fn set_turning(&mut self, body: usize) {
        self.spins[body] = Spin::Free;
        let own = &mut self.own[body * LINES..][..LINES];
        let [.., kind] = &mut own[FRAME].0;
        *kind = -*kind;
        own[LOAD].0[4..7].fill(0.0);
    }

    /// Has the bodies set out with their free velocities, and marks those that geometric stiffness may be too
    /// stiff for (see [`Mover::stiffen`]).
    pub fn set_out(&mut self, h: f64, levers: &[Line], special: &mut [bool]) {
        kernel::set_out(self, h, levers, special);
    }

    /// Moves the bodies for `h` (s) with β times the velocities found and 1 − β times those of the start, and
    /// notes what each did for its joints, if there is room for that in `turned`.
    pub fn advance(&mut self, h: f64, beta: f64, turned: &mut [Line]) {
        kernel::advance(self, [h, beta], turned);
    }
}

/// How fast (rad/s) a body may turn about an axis to be calm, and what its gyroscopic term then adds to its spin in each
/// substep (rad/s), as it is now.
///
/// A turn by θ changes W by up to θ (1/I₁ − 1/I₃), I₁ the least of its moments and I₃ the greatest, and in a substep the spin
/// by up to θ (I₃ − I₁)/I₁ of it: both are within θ (I₃/I₁ − 1), in terms of the least of W and of the spin.
#[inline]
fn calm_within(m: &Mover, h: f64) -> (f32, DVec3) {
    let (moments, speed) = (m.inertia.moments, m.vel.ang.abs().max_element());
    let uneven = h * (moments.max_element() / moments.min_element() - 1.0);
    let share = speed * uneven;
    let turn = if share <= IDLE_TURN || share > CALM || m.inertia.is_round() {
        DVec3::ZERO
    } else {
        let axes = m.q * m.inertia.axes;
        let w = axes.conjugate() * m.vel.ang;
        axes * ((moments * w).cross(w) * h / moments)
    };
    ((CALM / uneven) as f32, turn)
}

#[inline]
fn line(v: DVec3, q: DQuat, last: f64) -> Line {
    super::simd::Wide([v.x, v.y, v.z, q.x, q.y, q.z, q.w, last])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::ContactLanes;
    use rb_core::body::{Body, BodyDesc};
    use rb_core::grid::Grid;
    use rb_core::mass::MassProps;
    use rb_core::math::{Wrench, exp_rotation};
    use rb_core::params::{Params, Scheme};

    /// A ball, a stone that is nearly round, a card, and a card that tumbles fast; from 16 on balls that only fall.
    pub(super) fn mover(k: usize, params: &Params) -> Mover {
        let x = k as f64;
        let shapes = [
            DVec3::splat(0.3),
            DVec3::new(0.3, 0.3001, 0.3),
            DVec3::new(0.1, 0.2, 0.29),
        ];
        let grid = [Grid::NONE, Grid::FINE][k % 2];
        let mut body = Body::new(BodyDesc::dynamic(), grid);
        body.set_mass(MassProps::diagonal(1.0 + x, shapes[k % 3]));
        body.q = exp_rotation(DVec3::new(0.3 * x, -0.1, 0.2));
        body.vel = Twist::new(DVec3::new(x, 1.0, -0.5), DVec3::new(0.7, -x, 2.0));
        body.add_force(Wrench {
            force: DVec3::new(0.0, x, 0.1),
            torque: DVec3::new(0.02 * x, 0.0, -0.01),
        });
        (body.linear_damping, body.angular_damping) = (0.1 * x, 0.3);
        if k == 8 {
            body.vel.ang *= 10.0;
        }
        if k >= 16 {
            body.set_mass(MassProps::diagonal(1.0 + x, shapes[0]));
            body.clear_force();
            body.add_force(Wrench {
                force: DVec3::new(0.0, x, 0.1),
                torque: DVec3::ZERO,
            });
            (body.linear_damping, body.angular_damping) = (0.0, 0.0);
        }
        Mover::new(k as u32, &body, params, 1.0 / 240.0)
    }

    /// Loads bodies into empty lanes, for substeps of `h` (s).
    pub(super) fn load<'a>(
        movers: &[Mover],
        lanes: &'a mut ContactLanes,
        motions: &'a mut Motions,
        h: f64,
    ) -> Moving<'a> {
        lanes.reset(movers.len());
        motions.reset(movers.len());
        let mut moving = motions.with(lanes.lines());
        for (i, m) in movers.iter().enumerate() {
            moving.load(i, m, h);
        }
        moving
    }

    #[test]
    fn bodies_move_in_lanes_as_by_themselves() {
        let (params, h) = (Params::game(), 1.0 / 240.0);
        let mut movers: Vec<Mover> = (0..19).map(|k| mover(k, &params)).collect();
        let (mut lanes, mut motions) = (ContactLanes::default(), Motions::default());
        let mut moving = load(&movers, &mut lanes, &mut motions, h);
        let scheme = Scheme {
            beta: 0.75,
            ..params.scheme
        };
        let push = Twist::new(DVec3::new(0.1, 0.2, -0.3), DVec3::new(1.0, -2.0, 0.5));
        let mut impulses = [Twist::ZERO; 19];
        for _ in 0..20 {
            moving.begin(h, true, true);
            for (i, m) in movers.iter_mut().enumerate() {
                m.refresh();
                let free = m.predict(h, params.gyroscopic);
                // What was done to them goes on, by the W that they have now.
                let gone_on = Twist::new(impulses[i].lin, m.inv.ang * impulses[i].ang);
                let start = moving.lines.velocity(i);
                assert_eq!(moving.lines.free(i), free, "body {i}");
                let off = start.ang - (free.ang + gone_on.ang);
                assert!(off.length() < 1e-12 * start.ang.length(), "body {i}");
                assert_eq!(start.lin, free.lin + gone_on.lin, "body {i}");
                assert_eq!(moving.start(i), m.vel, "body {i}");
                m.advance_by_scheme(h, &scheme, start + push, params.gyroscopic);
                m.vel = start + push;
                let change = m.vel - free;
                impulses[i] = Twist::new(change.lin, m.inv.ang.inverse() * change.ang);
                moving.lines.set_velocity(i, &m.vel);
            }
            moving.advance(h, scheme.beta, &mut []);
            for (i, m) in movers.iter().enumerate() {
                assert_eq!(moving.pose(i), (m.com, m.q), "body {i}");
                assert_eq!(moving.lines.moved(i), m.moved, "body {i}");
            }
        }
    }

    /// A card that spins so fast (rad/s), with nothing to change that.
    pub(super) fn card(speed: f64) -> Mover {
        let mut m = mover(2, &Params::game());
        (m.force, m.damping) = (Wrench::default(), [0.0; 2]);
        m.vel.ang = DVec3::new(0.6, -0.8, 0.3) * speed;
        m
    }

    /// Whether masses were renewed, free velocity, attitude and W of the first body after each of some substeps.
    fn course(movers: &[Mover], strike: f64) -> Vec<(bool, Twist, DQuat, Line)> {
        let h = 1.0 / 240.0;
        let (mut lanes, mut motions) = (ContactLanes::default(), Motions::default());
        let mut moving = load(movers, &mut lanes, &mut motions, h);
        let substep = |k: usize| {
            let renewed = moving.begin(h, true, true);
            let free = moving.lines.free(0);
            if k == 2 {
                let vel = moving.lines.velocity(0);
                let struck = Twist::new(vel.lin, vel.ang + DVec3::Y * strike);
                moving.lines.set_velocity(0, &struck);
            }
            moving.advance(h, 1.0, &mut []);
            (renewed, free, moving.pose(0).1, moving.lines.inv[0])
        };
        (0..6).map(substep).collect()
    }

    #[test]
    fn a_body_that_hardly_turns_keeps_its_masses_until_it_does() {
        let h = 1.0 / 240.0;
        let limit = f64::from(calm_within(&card(1.0), h).0);
        // It is told by its fastest axis.
        let [slow, fast] = [0.99, 1.01].map(|share| card(share * limit / 0.8));
        assert!(course(&[fast], 0.0)[0].0);
        let calm = course(std::slice::from_ref(&slow), 0.0);
        let (mut alone, before) = (slow.clone(), slow.vel.ang);
        for &(renewed, free, _, inv) in &calm {
            alone.refresh();
            let next = alone.predict(h, Params::game().gyroscopic);
            assert!(!renewed && free.lin == next.lin);
            // Its gyroscopic term is that of the start, and W off by the share that it may be, for each substep.
            let (off, change) = (free.ang - next.ang, next.ang - before);
            assert!(change.length() > 1e-6 * before.length());
            assert!(off.length() < 1e-3 * change.length());
            let least = 1.0 / alone.inertia.moments.max_element();
            let w = alone.inv.ang;
            let entries = [
                w.x_axis.x, w.y_axis.y, w.z_axis.z, w.y_axis.x, w.z_axis.x, w.z_axis.y,
            ];
            for (kept, now) in inv.0.iter().zip(entries) {
                assert!((kept - now).abs() < 2.0 * 6.0 * CALM * least);
            }
            alone.advance(h, next, Params::game().gyroscopic);
            alone.vel = next;
        }
        // Whoever is beside it changes nothing for it.
        let beside = course(&[slow.clone(), card(3.0)], 0.0);
        for (one, other) in calm.iter().zip(&beside) {
            assert!(other.0 && (one.1, one.2, one.3.0) == (other.1, other.2, other.3.0));
        }
        // Struck in its third substep it turns from the fourth on.
        let struck = course(&[slow], 1.0);
        let renewed: Vec<bool> = struck.iter().map(|s| s.0).collect();
        assert_eq!(renewed, [false, false, false, true, true, true]);
        assert_ne!(struck[5].3.0, struck[2].3.0);
    }
}
