//! What a step leaves behind in the bodies: one pass over all of them, for they lie far apart in memory.

use crate::events::Events;
use crate::frame::{Frame, NOWHERE};
use crate::island::Island;
use crate::sleep::rests;
use crate::state::State;
use rb_core::body::{Body, BodyKind};
use rb_core::math::Twist;

/// Stores how long the exact solver is to hold on, advances clocks of stillness, clears forces, and puts
/// to sleep what may.
pub(super) fn settle_bodies(state: &mut State, frame: &mut Frame, events: &mut Events, dt: f64) {
    let sleep = state.params.sleep;
    frame.resting.clear();
    frame.resting.resize(frame.island_count, 0);
    let (mut flights, mut alone) = (frame.flights.iter().peekable(), Vec::new());
    for (handle, b) in state.bodies.iter_mut() {
        let slot = handle.index();
        let island = frame.place[slot as usize][0];
        if island != NOWHERE {
            let escalated = &frame.islands[island as usize].escalated;
            (b.exact_hold, b.exact_rest) = (escalated.hold, escalated.rest);
            frame.resting[island as usize] += u32::from(rests(b, &sleep, dt));
        } else if let Some(flight) = flights.next_if(|f| f.mover.slot == slot) {
            b.exact_hold = b.exact_hold.saturating_sub(1);
            b.exact_rest = b.exact_rest.saturating_sub(1);
            if rests(b, &sleep, dt) && !flight.frozen {
                alone.push(slot);
            }
        }
        clear_forces(b);
    }
    fall_asleep(state, frame, &alone, events);
}

fn clear_forces(b: &mut Body) {
    b.force = Default::default();
    if b.kind == BodyKind::Kinematic && b.target.take().is_some() {
        b.vel = Twist::ZERO;
    }
}

/// Puts the bodies of islands that may sleep to sleep, and those `alone`, each for itself.
fn fall_asleep(state: &mut State, frame: &Frame, alone: &[u32], events: &mut Events) {
    let tolerance = state.params.tolerances.velocity;
    let mut settle = |slots: &[u32]| {
        state.put_to_sleep(slots);
        let handles = slots.iter().map(|&s| state.body_handle(s));
        events.sleep.extend(handles);
    };
    for (island, &resting) in frame.islands().iter().zip(&frame.resting) {
        if resting as usize == island.movable && may_sleep(island, tolerance) {
            let movers = &island.movers[..island.movable];
            settle(&movers.iter().map(|m| m.slot).collect::<Vec<_>>());
        }
    }
    alone.iter().for_each(|&slot| settle(&[slot]));
}

/// An island whose bodies have all been still sleeps if its solve passed and nothing that moves it (a
/// moving kinematic body) touches it.
fn may_sleep(island: &Island, tolerance: f64) -> bool {
    let driven = island.movers[island.movable..]
        .iter()
        .any(|m| m.vel != Twist::ZERO);
    !driven && island.frozen.is_empty() && island.outcome.grade.abs <= tolerance
}
