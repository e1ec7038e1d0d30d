//! Who lives in which island, and a mover for every body.

use super::divide::LARGE;
use super::{BODIES, ListedBody};
use crate::flight::Flight;
use crate::frame::{Frame, ISLANDS, NOWHERE};
use crate::island::fleet::Fleet;
use crate::island::{Escalated, Island};
use crate::state::State;
use rb_core::ahead::NEAR;
use rb_core::integrate::Mover;
use rb_core::room::fit;
use rb_solve::parallel;

/// Makes an island of each set of bodies that are linked.
pub(super) fn make_islands(frame: &mut Frame) {
    number_bodies(frame);
    list_members(frame);
    frame.make_islands();
}

/// Has islands forget what they had, and divides the large ones. Whether all bodies have the numbers that they had.
pub(super) fn divide(state: &State, frame: &mut Frame) -> bool {
    let (members, starts, listed) = (&frame.members, &frame.starts, &frame.listed_bodies);
    let islands = &mut frame.islands[..frame.island_count];
    parallel::for_each_run(islands, ISLANDS, |first, run| {
        for (k, island) in run.iter_mut().enumerate() {
            let [from, to] = [0, 1].map(|i| starts[first + k + i] as usize);
            begin(island, &members[from..to], listed, state);
        }
    });
    let (numbered, mut stay) = (&mut frame.numbered, true);
    numbered.clone_from(members);
    // Those of a divided island are in the order of its sections.
    for (island, &first) in islands.iter().zip(starts) {
        for (number, slot) in island.residents.slots().enumerate() {
            let before = std::mem::replace(&mut frame.place[slot as usize][1], number as u32);
            stay &= before == number as u32;
            numbered[first as usize + number] = slot;
        }
    }
    stay
}

/// Makes a mover of each body of every island, for substeps of `h` (s).
pub(super) fn make_movers(
    all: &mut [Vec<Mover>],
    numbered: &[u32],
    starts: &[u32],
    state: &State,
    h: f64,
) {
    parallel::for_each_run(all, ISLANDS, |first, run| {
        for (k, movers) in run.iter_mut().enumerate() {
            let [from, to] = [0, 1].map(|i| starts[first + k + i] as usize);
            let slots = &numbered[from..to];
            movers.truncate(slots.len());
            fit(movers, slots.len());
            movers.resize_with(slots.len(), Mover::default);
            parallel::for_each_run(movers, BODIES, |first, part| {
                let slots = &slots[first..];
                for (k, (mover, &slot)) in part.iter_mut().zip(slots).enumerate() {
                    if let Some(&next) = slots.get(k + NEAR) {
                        state.bodies.fetch(next);
                    }
                    mover.renew(slot, state.body(slot), &state.params, h);
                }
            });
        }
    });
}

/// Numbers islands and the bodies of each, lowest slot first.
fn number_bodies(frame: &mut Frame) {
    let n = frame.listed_bodies.len();
    frame.place.clear();
    frame.place.resize(n, [NOWHERE; 2]);
    frame.sizes.clear();
    for slot in 0..n {
        let body = &frame.listed_bodies[slot];
        if !(body.active && body.bound) {
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
fn list_members(frame: &mut Frame) {
    let mut end = 0;
    frame.starts.clear();
    frame.starts.push(0);
    frame.starts.extend(frame.sizes.iter().map(|size| {
        end += size;
        end
    }));
    fit(&mut frame.members, end as usize);
    frame.members.resize(end as usize, NOWHERE);
    for (slot, &[island, number]) in frame.place.iter().enumerate() {
        if island != NOWHERE {
            let at = frame.starts[island as usize] + number;
            frame.members[at as usize] = slot as u32;
        }
    }
}

/// An island of these bodies forgets what it had.
fn begin(island: &mut Island, slots: &[u32], listed: &[ListedBody], state: &State) {
    island.clear();
    let body = |slot: u32| &listed[slot as usize];
    let (mut jointed, mut trees) = (false, 0);
    for &slot in slots {
        claim(&mut island.escalated, body(slot));
        jointed |= body(slot).jointed;
        trees += usize::from(body(slot).tree == slot);
    }
    let (residents, gravity) = (&mut island.residents, state.params.gravity);
    if !jointed && slots.len() >= LARGE {
        let at = |i: usize| (slots[i], body(slots[i]).at);
        let width = body(slots[0]).extent;
        island.section = Some(residents.divide(slots.len(), at, width, gravity));
    } else {
        residents.clear();
        // A fleet cuts between trees; those of a crowd have as many bodies each.
        let crowd = jointed && trees > 1 && slots.len().is_multiple_of(trees);
        if let Some(sections) = Fleet::sections(slots.len()).filter(|_| crowd) {
            residents.divide_crowd(slots, listed, sections, gravity);
        }
    }
    island.movable = slots.len();
}

/// What a body asks of its island.
fn claim(escalated: &mut Escalated, body: &ListedBody) {
    escalated.precise |= body.precise;
    escalated.hold = escalated.hold.max(body.hold);
    escalated.rest = escalated.rest.max(body.rest);
}

/// Makes a flight of each body that nothing holds or touches, for substeps of `h` (s).
pub(super) fn make_flights(state: &State, frame: &mut Frame, h: f64) {
    frame.free.clear();
    for (slot, body) in frame.listed_bodies.iter().enumerate() {
        if body.active && !body.bound {
            frame.place[slot][1] = frame.free.len() as u32;
            frame.free.push(slot as u32);
        }
    }
    let (flights, free) = (&mut frame.flights, &frame.free);
    flights.truncate(free.len());
    fit(flights, free.len());
    flights.resize_with(free.len(), Flight::default);
    parallel::for_each_run(flights, BODIES, |first, part| {
        for (flight, &slot) in part.iter_mut().zip(&free[first..]) {
            flight.mover.renew(slot, state.body(slot), &state.params, h);
            flight.frozen = false;
        }
    });
}
