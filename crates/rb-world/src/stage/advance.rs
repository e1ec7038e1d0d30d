//! Stage 5: poses and velocities back into the bodies; fast bodies stop at what they would have
//! passed through.

use crate::events::Events;
use crate::frame::Frame;
use crate::island::Island;
use crate::state::State;
use rb_contact::sweep::{Motion, time_of_impact};
use rb_core::body::{Body, BodyFlags, BodyKind};
use rb_core::math::{Pose, Twist, turn};

/// Writes back what the islands computed and moves kinematic bodies.
pub(crate) fn run(state: &mut State, frame: &Frame, events: &mut Events, dt: f64) {
    let mut fast = Vec::new();
    for m in frame.moved() {
        let b = state.body_mut(m.slot);
        (b.com, b.q, b.vel) = (m.com, m.q, m.vel);
        if b.core > 0.0 && b.com.distance(b.previous.p) > b.core {
            fast.push(m.slot);
        }
    }
    let stuck = frame.islands().iter().flat_map(held);
    let lost = frame.flights.iter().filter(|f| f.frozen);
    for slot in stuck.chain(lost.map(|f| f.mover.slot)) {
        state.body_mut(slot).flags |= BodyFlags::FROZEN;
        events.frozen.push(state.body_handle(slot));
    }
    events.frozen.sort();
    for (_, b) in state
        .bodies
        .iter_mut()
        .filter(|(_, b)| b.kind == BodyKind::Kinematic)
    {
        move_as_told(b, dt);
    }
    if state.params.contact.swept {
        stop_fast_bodies(state, &fast, dt);
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

/// A `fast` body, which moved by more than its core in one step, is swept from its old pose to its new
/// one against static colliders (bullets: against all), and put back to the first touch it was not yet
/// in contact with. Its velocity stays: the next step's contacts take it from there.
fn stop_fast_bodies(state: &mut State, fast: &[u32], dt: f64) {
    let mut clamped = Vec::new();
    for &slot in fast {
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
