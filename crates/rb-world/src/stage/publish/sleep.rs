//! Sleep: islands whose bodies have all been still for long enough.

use crate::events::Events;
use crate::frame::{Frame, NOWHERE};
use crate::island::Island;
use crate::state::State;
use rb_core::math::Twist;

/// Counts the still bodies of each island; returns those in flight. A body that something has woken since
/// it landed, a joint that broke, is not still.
fn count_still(state: &State, frame: &mut Frame) -> Vec<u32> {
    let mut alone = Vec::new();
    frame.resting.clear();
    frame.resting.resize(frame.island_count, 0);
    for &slot in frame.notes.iter().flat_map(|l| &l.still) {
        let [island, number] = frame.place[slot as usize];
        if state.body(slot).still == 0.0 {
            continue;
        }
        if island != NOWHERE {
            frame.resting[island as usize] += 1;
        } else if !frame.flights[number as usize].frozen {
            alone.push(slot);
        }
    }
    alone
}

/// Puts the bodies of islands that may sleep to sleep, and those in flight, each for itself.
pub(super) fn fall_asleep(state: &mut State, frame: &mut Frame, events: &mut Events) {
    let alone = count_still(state, frame);
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
