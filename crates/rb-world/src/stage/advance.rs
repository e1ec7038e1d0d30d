//! Stage 5: what the step did to every body back into it; fast bodies stop at what they would have
//! passed through.

use crate::events::Events;
use crate::frame::{Frame, Landed, NOWHERE};
use crate::island::Island;
use crate::sleep::rests;
use crate::state::State;
use rb_contact::sweep::{Motion, time_of_impact};
use rb_core::body::{Body, BodyFlags, BodyKind};
use rb_core::math::{Pose, Twist, turn};
use rb_core::params::SleepParams;
use rb_solve::parallel;

/// Bodies per task.
const BODIES: usize = 128;

/// Writes back what was computed and moves kinematic bodies.
pub(crate) fn run(state: &mut State, frame: &mut Frame, events: &mut Events, dt: f64) {
    land(state, frame, dt);
    let stuck = frame.islands().iter().flat_map(held);
    let lost = frame.flights.iter().filter(|f| f.frozen);
    for slot in stuck.chain(lost.map(|f| f.mover.slot)) {
        state.body_mut(slot).flags |= BodyFlags::FROZEN;
        events.frozen.push(state.body_handle(slot));
    }
    events.frozen.sort();
    if state.params.contact.swept {
        stop_fast_bodies(state, frame, dt);
    }
}

/// Every body gets all it has to know after the step in one pass over them, for they lie far apart in memory.
fn land(state: &mut State, frame: &mut Frame, dt: f64) {
    let (sleep, runs) = (state.params.sleep, state.bodies.capacity().div_ceil(BODIES));
    let mut landed = std::mem::take(&mut frame.landed);
    landed.resize_with(runs, Landed::default);
    for (k, run) in landed.iter_mut().enumerate() {
        run.clear(k * BODIES);
    }
    let slots = state.bodies.slots_mut();
    parallel::for_each_with_run(&mut landed, slots, BODIES, |landed, run| {
        for (k, body) in run.iter_mut().enumerate() {
            let slot = landed.first + k;
            if let Some(body) = body.value_mut() {
                settle(body, slot, frame, landed, &sleep, dt);
                clear_forces(body);
            }
        }
    });
    frame.landed = landed;
}

/// New state, time to stay with the exact solver, and clock of stillness of a body.
fn settle(
    b: &mut Body,
    slot: usize,
    frame: &Frame,
    landed: &mut Landed,
    sleep: &SleepParams,
    dt: f64,
) {
    if b.kind == BodyKind::Kinematic {
        return move_as_told(b, dt);
    }
    let [island, number] = frame.place[slot].map(|n| n as usize);
    let m = match frame.islands().get(island) {
        Some(island) => {
            (b.exact_hold, b.exact_rest) = (island.escalated.hold, island.escalated.rest);
            &island.movers[number]
        }
        None if number != NOWHERE as usize => {
            b.exact_hold = b.exact_hold.saturating_sub(1);
            b.exact_rest = b.exact_rest.saturating_sub(1);
            &frame.flights[number].mover
        }
        None => return,
    };
    (b.com, b.q, b.vel) = (m.com, m.q, m.vel);
    if b.core > 0.0 && b.com.distance(b.previous.p) > b.core {
        landed.fast.push(slot as u32);
    }
    if rests(b, sleep, dt) {
        landed.still.push(slot as u32);
    }
}

fn clear_forces(b: &mut Body) {
    b.force = Default::default();
    if b.kind == BodyKind::Kinematic && b.target.take().is_some() {
        b.vel = Twist::ZERO;
    }
}

/// Slots of the bodies an island had to hold.
fn held(island: &Island) -> impl Iterator<Item = u32> {
    let slot = |&i: &u32| island.movers[i as usize].slot;
    island.frozen.iter().map(slot)
}

fn move_as_told(b: &mut Body, dt: f64) {
    match b.target {
        Some(pose) => b.set_pose(pose),
        None => {
            b.com += b.vel.lin * dt;
            b.q = turn(b.q, b.vel.ang, dt);
        }
    }
}

/// A fast body, which moved by more than its core in one step, is swept from its old pose to its new
/// one against static colliders (bullets: against all), and put back to the first touch it was not yet
/// in contact with. Its velocity stays: the next step's contacts take it from there.
fn stop_fast_bodies(state: &mut State, frame: &Frame, dt: f64) {
    let mut clamped = Vec::new();
    for &slot in frame.landed.iter().flat_map(|l| &l.fast) {
        let fraction = first_impact(state, slot, dt);
        if fraction < 1.0 {
            clamped.push((slot, fraction));
        }
    }
    for (slot, fraction) in clamped {
        let b = state.body_mut(slot);
        b.com = b.previous.p.lerp(b.com, fraction);
        b.q = b.previous.q.slerp(b.q, fraction);
    }
}

/// Share of the step's motion a body can make before it meets something.
fn first_impact(state: &State, slot: u32, dt: f64) -> f64 {
    let body = state.body(slot);
    let bullet = body.flags.contains(BodyFlags::BULLET);
    // Near enough that the next step finds a contact there.
    let gap = 0.25 * state.params.contact.margin;
    let mut first = 1.0f64;
    for &c in &body.colliders {
        let mine = state.collider(c.index());
        if mine.collider.desc().sensor {
            continue;
        }
        let motion = motion_of(body, &mine.collider.desc().offset, dt);
        let shape = mine.collider.shape();
        let region = shape
            .aabb(&motion.start)
            .merged(&shape.aabb(&motion.at(dt)))
            .inflated(gap);
        state.broad.overlapping(&region, |other| {
            let theirs = state.collider(other);
            let their_body = state.body(theirs.body.index());
            let meets = (bullet || their_body.kind != BodyKind::Dynamic)
                && theirs.body != mine.body
                && !theirs.collider.desc().sensor
                && mine
                    .collider
                    .desc()
                    .groups
                    .admits(&theirs.collider.desc().groups);
            if meets {
                let other = motion_of(their_body, &theirs.collider.desc().offset, dt);
                let (a, b) = (mine.collider.shape(), theirs.collider.shape());
                // What it touches from the start is the solver's business, not the sweep's.
                let hit =
                    time_of_impact(a, &motion, b, &other, dt, gap).filter(|h| h.fraction > 0.0);
                first = hit.map_or(first, |h| first.min(h.fraction));
            }
        });
    }
    first
}

/// Motion of a collider over the last step, at the mean velocity of its body.
fn motion_of(body: &Body, offset: &Pose, dt: f64) -> Motion {
    let lin = (body.com - body.previous.p) / dt;
    let ang = rb_core::math::log_rotation(body.q * body.previous.q.conjugate()) / dt;
    let frame = Pose::new(
        body.previous.p - body.previous.q * body.mass.com_local,
        body.previous.q,
    );
    Motion {
        start: frame * *offset,
        center: body.previous.p,
        twist: Twist::new(lin, ang),
    }
}
