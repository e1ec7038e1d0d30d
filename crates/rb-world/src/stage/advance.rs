//! Stage 5: what the step did to every body back into it; fast bodies stop at what they would have
//! passed through.

mod swept;

pub(crate) use swept::Halt;

use crate::events::Events;
use crate::frame::{BodyNotes, Frame, NOWHERE};
use crate::hooks::Hooks;
use crate::island::Island;
use crate::sleep::rests;
use crate::stage::broad::{Sweep, follow};
use crate::state::State;
use rb_core::ahead::{NEAR, fetch};
use rb_core::body::{Body, BodyFlags, BodyKind, sound};
use rb_core::integrate::Mover;
use rb_core::math::{Twist, turn};
use rb_core::params::Params;
use rb_solve::parallel;

/// Bodies per task.
const BODIES: usize = 128;

/// Angle over the distance of two unit quaternions, at most: π over √2, for half a turn.
const PER_CHORD: f64 = 2.3;

/// Writes back what was computed and moves kinematic bodies.
pub(crate) fn run(
    state: &mut State,
    frame: &mut Frame,
    events: &mut Events,
    hooks: Option<&dyn Hooks>,
    dt: f64,
) {
    write_back(state, frame, dt);
    let stuck = frame.islands().iter().flat_map(held);
    let lost = frame.flights.iter().filter(|f| f.frozen);
    let strayed = frame.notes.iter().flat_map(|l| &l.strayed);
    for slot in stuck
        .chain(lost.map(|f| f.mover.slot))
        .chain(strayed.copied())
    {
        state.body_mut(slot).flags |= BodyFlags::FROZEN;
        events.frozen.push(state.body_handle(slot));
    }
    events.frozen.sort();
    if state.params.contact.swept {
        swept::stop_fast_bodies(state, frame, hooks, dt);
    }
    follow(state, &mut frame.notes, dt);
}

/// Every body gets all it has to know after the step in one pass over them, for they lie far apart in memory.
fn write_back(state: &mut State, frame: &mut Frame, dt: f64) {
    let runs = state.bodies.capacity().div_ceil(BODIES);
    let params = state.params;
    let mut notes = std::mem::take(&mut frame.notes);
    notes.resize_with(runs, BodyNotes::default);
    for (k, run) in notes.iter_mut().enumerate() {
        run.clear(k * BODIES);
    }
    let slots = state.bodies.slots_mut();
    parallel::for_each_with_run(&mut notes, slots, BODIES, |notes, run| {
        for (k, body) in run.iter_mut().enumerate() {
            let slot = notes.first + k;
            // Islands have theirs in an order of their own.
            if let Some(next) = mover(frame, slot + NEAR) {
                fetch(next);
            }
            if let Some(body) = body.value_mut() {
                settle(body, slot, frame, notes, &params, dt);
                clear_forces(body);
            }
        }
    });
    frame.notes = notes;
}

/// The mover of the body in a slot, if an island has it.
fn mover(frame: &Frame, slot: usize) -> Option<&Mover> {
    let [island, number] = frame.place.get(slot)?.map(|n| n as usize);
    frame.islands().get(island)?.movers.get(number)
}

/// New state, time to stay with the exact solver, and clock of stillness of a body.
fn settle(
    b: &mut Body,
    slot: usize,
    frame: &Frame,
    notes: &mut BodyNotes,
    params: &Params,
    dt: f64,
) {
    // One number after the other, and none is read that has just been written in other parts: either is waited for.
    b.previous.p = b.com;
    b.previous.q = b.q;
    if b.kind == BodyKind::Kinematic {
        if !move_as_told(b, dt) {
            notes.strayed.push(slot as u32);
        }
        return;
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
    let foreseen = Sweep::new(&params.contact, b, frame.travels[slot].own, dt);
    let (way, from) = (m.com - b.com, b.q);
    b.com = m.com;
    b.q = m.q;
    b.vel = m.vel;
    if b.core > 0.0 && way.length_squared() > b.core * b.core {
        notes.fast.push(slot as u32);
    }
    let [there, beyond] = [m.q - from, m.q + from].map(|q| q.length_squared());
    let turn = there.min(beyond).sqrt();
    if !foreseen.holds(way, PER_CHORD * turn * b.extent) {
        notes.far.push(slot as u32);
    }
    if rests(b, &params.sleep, dt) {
        notes.still.push(slot as u32);
    }
}

fn clear_forces(b: &mut Body) {
    b.clear_force();
    if b.kind == BodyKind::Kinematic && b.clear_target() {
        b.vel = Twist::ZERO;
    }
}

/// Slots of the bodies an island had to hold.
fn held(island: &Island) -> impl Iterator<Item = u32> {
    let slot = |&i: &u32| island.movers[i as usize].slot;
    island.frozen.iter().map(slot)
}

/// Moves a kinematic body; one that would leave the bounds of a state stays, at rest. Says whether it moved.
fn move_as_told(b: &mut Body, dt: f64) -> bool {
    let to = match b.target() {
        Some(pose) => pose.p,
        None => b.com + b.grid.round(b.vel.lin * dt),
    };
    if !(sound(to) && sound(b.vel.lin) && sound(b.vel.ang)) {
        b.vel = Twist::ZERO;
        return false;
    }
    match b.target() {
        Some(pose) => b.set_pose(pose),
        None => (b.com, b.q) = (to, turn(b.q, b.vel.ang, dt)),
    }
    true
}
