//! Who lives in which island, and a mover for every body.

use super::BODIES;
use super::divide::{self, LARGE, Resident};
use crate::flight::Flight;
use crate::frame::{Frame, ISLANDS, NOWHERE};
use crate::island::Island;
use crate::state::State;
use rb_core::body::{Body, BodyFlags};
use rb_core::integrate::Mover;
use rb_core::room::{empty, fit};
use rb_solve::parallel;

/// Makes an island of each set of bodies that are linked, and a flight of each body that is bound to none.
pub(super) fn place_bodies(state: &State, frame: &mut Frame) {
    number_bodies(frame);
    list_tenants(frame);
    frame.make_islands();
    let (tenants, starts) = (&frame.tenants, &frame.starts);
    let islands = &mut frame.islands[..frame.island_count];
    parallel::for_each_run(islands, ISLANDS, |first, run| {
        for (k, island) in run.iter_mut().enumerate() {
            let [from, to] = [0, 1].map(|i| starts[first + k + i] as usize);
            move_in(island, &tenants[from..to], state);
        }
    });
    // Those of a large island are in the order of its sections.
    let residents = islands.iter().flat_map(|i| i.residents.iter().enumerate());
    for (number, resident) in residents {
        frame.place[resident.slot as usize][1] = number as u32;
    }
    take_off(state, frame);
}

/// Numbers islands and the bodies of each, lowest slot first.
fn number_bodies(frame: &mut Frame) {
    let n = frame.active.len();
    frame.place.clear();
    frame.place.resize(n, [NOWHERE; 2]);
    frame.sizes.clear();
    for slot in 0..n {
        if !(frame.active[slot] && frame.bound[slot]) {
            continue;
        }
        // The root is the lowest slot, so it has been met first.
        let root = frame.partition.root(slot as u32) as usize;
        if root == slot {
            frame.place[slot][0] = frame.sizes.len() as u32;
            frame.sizes.push(0);
        }
        let island = frame.place[root][0];
        let size = &mut frame.sizes[island as usize];
        frame.place[slot] = [island, *size];
        *size += 1;
    }
}

/// Lists the bodies of all islands, one island after the other.
fn list_tenants(frame: &mut Frame) {
    let mut end = 0;
    frame.starts.clear();
    frame.starts.push(0);
    frame.starts.extend(frame.sizes.iter().map(|size| {
        end += size;
        end
    }));
    fit(&mut frame.tenants, end as usize);
    frame.tenants.resize(end as usize, NOWHERE);
    for (slot, &[island, number]) in frame.place.iter().enumerate() {
        if island != NOWHERE {
            let at = frame.starts[island as usize] + number;
            frame.tenants[at as usize] = slot as u32;
        }
    }
}

/// Bodies become movers of their island, which forgets those it had.
fn move_in(island: &mut Island, slots: &[u32], state: &State) {
    island.clear();
    for &slot in slots {
        claim(island, state.body(slot));
    }
    if slots.len() >= LARGE {
        let residents = slots
            .iter()
            .map(|&slot| Resident::new(slot, state.body(slot)));
        island.residents.extend(residents);
        // Joints are swept by one thread.
        if !island.residents.iter().any(|r| r.jointed) {
            island.section = Some(divide::divide(&mut island.residents, state.params.gravity));
        }
    }
    let residents = &island.residents;
    let slot = |i: usize| residents.get(i).map_or(slots[i], |r| r.slot);
    let mover = |i| Mover::new(slot(i), state.body(slot(i)), &state.params);
    fit(&mut island.movers, slots.len());
    parallel::extend(&mut island.movers, slots.len(), BODIES, mover);
    island.movable = slots.len();
}

/// What a body asks of its island.
fn claim(island: &mut Island, body: &Body) {
    let escalated = &mut island.escalated;
    escalated.precise |= body.flags.contains(BodyFlags::PRECISE);
    escalated.hold = escalated.hold.max(body.exact_hold);
    escalated.rest = escalated.rest.max(body.exact_rest);
}

/// Bodies that nothing holds or touches.
fn take_off(state: &State, frame: &mut Frame) {
    frame.free.clear();
    for slot in 0..frame.active.len() {
        if frame.active[slot] && !frame.bound[slot] {
            frame.place[slot][1] = frame.free.len() as u32;
            frame.free.push(slot as u32);
        }
    }
    let (flights, free) = (&mut frame.flights, &frame.free);
    empty(flights);
    fit(flights, free.len());
    let flight = |i: usize| {
        let slot = free[i];
        Flight::new(Mover::new(slot, state.body(slot), &state.params))
    };
    parallel::extend(flights, free.len(), BODIES, flight);
}
