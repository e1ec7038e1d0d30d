//! Stage 3: which bodies can feel one another, and one [`Island`](crate::island::Island) for each set;
//! bodies that feel nothing are in free flight.
//!
//! While the same bodies feel one another as in the last step, islands keep their joints and contacts: piles at rest are
//! partitioned once.

mod divide;
mod homes;
mod list;
#[cfg(test)]
mod tests;

pub(crate) use divide::Residents;
pub(crate) use list::{ListedBody, ListedJoint};

use crate::frame::{Frame, ISLANDS, NOWHERE};
use crate::island::{Island, IslandConstraint, IslandContact, IslandJoint};
use crate::state::State;
use rb_core::handle::BodyHandle;
use rb_core::integrate::Mover;
use rb_core::partition::Islands;
use rb_core::room::{empty, fit};
use rb_solve::parallel;

/// Bodies per task, and joints.
const BODIES: usize = 128;
const JOINTS: usize = 128;

/// Finds the islands of awake bodies and fills them with bodies, joints and contacts, for a step of `dt` (s).
pub(crate) fn run(state: &mut State, frame: &mut Frame, dt: f64) {
    let h = state.params.substep(dt);
    // Until the step has come to its end joints may change.
    let rejoined = std::mem::replace(&mut state.rejoined, true);
    frame.joint_changes += u64::from(rejoined);
    frame.joints_stay = !rejoined && state.scale_to(h) == 1.0;
    let state = &*state;
    let begun = std::mem::take(&mut frame.begun);
    let known = begun || list::bodies_and_joints(state, frame);
    let stays = list::contacts(state, frame) && known;
    let mut same = may_stay(state, frame) && stays && !begun;
    if !begun {
        if !same {
            let listed = std::mem::take(&mut frame.listed);
            link(state, frame, listed.iter().map(|contact| contact.movers));
            frame.listed = listed;
        }
        same &= make_islands(state, frame, same);
    }
    let mut movers = std::mem::take(&mut frame.movers);
    let islands = frame.islands[..frame.island_count].iter_mut();
    movers.extend(islands.map(|island| std::mem::take(&mut island.movers)));
    let numbered = std::mem::take(&mut frame.numbered);
    let starts = std::mem::take(&mut frame.starts);
    parallel::both(
        || homes::make_movers(&mut movers, &numbered, &starts, state, h),
        || {
            if !same {
                vacate(frame);
                place_joints(frame);
                place_constraints(state, frame);
                place_contacts(state, frame);
            }
            homes::make_flights(state, frame, h);
        },
    );
    (frame.numbered, frame.starts, frame.movers) = (numbered, starts, movers);
    take_seats(state, frame, same);
    (frame.partitioned, frame.same) = (true, same);
}

/// Finds the islands ahead of [`run`], which fills them then, where contacts are of these `pairs` of bodies and were not
/// all of them before.
pub(crate) fn begin(state: &State, frame: &mut Frame, pairs: impl Iterator<Item = [u32; 2]>) {
    list::bodies_and_joints(state, frame);
    link(state, frame, pairs);
    make_islands(state, frame, false);
    frame.begun = true;
}

/// Makes an island of each set of bodies that are linked, which may be the `same` as in the last step. Whether all bodies
/// have the numbers that they had.
fn make_islands(state: &State, frame: &mut Frame, same: bool) -> bool {
    if !same {
        homes::make_islands(frame);
    }
    homes::divide(state, frame)
}

/// Whether what the islands have is as it was put there.
fn may_stay(state: &State, frame: &mut Frame) -> bool {
    // Contacts of an island with stiff clusters have been sorted by these.
    let sorted = frame.islands().iter().any(|i| !i.clusters.is_empty());
    std::mem::take(&mut frame.partitioned) && state.constraints.is_empty() && !sorted
}

/// Links all bodies that can feel one another, by contacts of these `pairs` and otherwise.
fn link(state: &State, frame: &mut Frame, pairs: impl Iterator<Item = [u32; 2]>) {
    let Frame {
        partition: islands,
        listed_bodies: bodies,
        listed_joints: joints,
        ..
    } = frame;
    islands.reset(bodies.len());
    bodies.iter_mut().for_each(|body| body.bound = false);
    for joint in joints.iter().flatten() {
        join(islands, bodies, joint.bodies);
    }
    if !joints.is_empty() {
        for (slot, body) in bodies.iter_mut().enumerate() {
            body.tree = islands.root(slot as u32);
        }
    }
    let mut join = |pair| join(islands, bodies, pair);
    for (_, constraint) in state.constraints.iter() {
        // All awake bodies of the constraint end up together, whatever lies between them.
        let awake = |h: &&BodyHandle| state.is_active(h.index());
        let mut awake = constraint.bodies.iter().filter(awake);
        if let Some(first) = awake.next() {
            join([first.index(); 2]);
            awake.for_each(|other| join([first.index(), other.index()]));
        }
    }
    pairs.for_each(join);
}

/// Notes that two bodies can feel one another.
fn join(islands: &mut Islands, bodies: &mut [ListedBody], [a, b]: [u32; 2]) {
    let [i, j] = [a as usize, b as usize];
    (bodies[i].bound, bodies[j].bound) = (true, true);
    if bodies[i].active && bodies[j].active {
        islands.link(a, b);
    }
}

/// Islands forget who is in them besides the movable bodies.
fn vacate(frame: &mut Frame) {
    let islands = &mut frame.islands[..frame.island_count];
    parallel::for_each(islands, ISLANDS, Island::vacate);
}

/// Island of a pair of bodies and their numbers in it; `None` if neither is awake. An immovable body
/// becomes a guest of the island.
fn seat(frame: &mut Frame, slots: [u32; 2]) -> Option<(usize, [u32; 2])> {
    let home = slots.map(|s| frame.place[s as usize][0]);
    let island = home.into_iter().find(|&h| h != NOWHERE)? as usize;
    let seats = slots.map(|slot| seat_in(frame, island, slot));
    Some((island, seats))
}

/// Number of a body in an island; one that does not live there becomes a guest.
fn seat_in(frame: &mut Frame, island: usize, slot: u32) -> u32 {
    let place = frame.place[slot as usize];
    if place[0] as usize == island {
        return place[1];
    }
    let isle = &mut frame.islands[island];
    // Static, kinematic, frozen or asleep: it moves others, nothing moves it.
    let known = isle.guests.iter().position(|&guest| guest == slot);
    let k = known.unwrap_or_else(|| {
        isle.guests.push(slot);
        isle.guests.len() - 1
    });
    (isle.movable + k) as u32
}

fn place_constraints(state: &State, frame: &mut Frame) {
    for (handle, constraint) in state.constraints.iter() {
        let slots: Vec<u32> = constraint.bodies.iter().map(|h| h.index()).collect();
        let mut homes = slots.iter().map(|&s| frame.place[s as usize][0]);
        let Some(island) = homes.find(|&h| h != NOWHERE) else {
            continue;
        };
        let island = island as usize;
        let movers = slots
            .iter()
            .map(|&slot| seat_in(frame, island, slot))
            .collect();
        frame.islands[island].constraints.push(IslandConstraint {
            slot: handle.index(),
            movers,
            memory: constraint.memory.clone(),
        });
    }
}

/// Gives every joint its place in an island.
fn place_joints(frame: &mut Frame) {
    let joints = std::mem::take(&mut frame.listed_joints);
    frame.joint_homes.clear();
    frame.joint_homes.resize(joints.len(), [NOWHERE; 2]);
    for (slot, joint) in joints.iter().enumerate() {
        let Some(joint) = joint else { continue };
        let Some((number, movers)) = seat(frame, joint.bodies) else {
            continue;
        };
        let island = &mut frame.islands[number];
        frame.joint_homes[slot] = [number as u32, island.seats.len() as u32];
        island.seats.push((slot as u32, movers));
    }
    frame.listed_joints = joints;
}

/// Guests and joints take their places in the islands, which may be the `same`.
fn take_seats(state: &State, frame: &mut Frame, same: bool) {
    let (listed, stay) = (&frame.listed_joints, same && frame.joints_stay);
    let islands = &mut frame.islands[..frame.island_count];
    for (island, movers) in islands.iter_mut().zip(frame.movers.drain(..)) {
        island.movers = movers;
    }
    parallel::for_each(islands, ISLANDS, |island| {
        if !(same && island.planned) {
            island.count_contacts();
        }
        let Island { movers, guests, .. } = island;
        let guest = |&slot: &u32| Mover::guest(slot, state.body(slot), &state.params);
        movers.extend(guests.iter().map(guest));
        let (seats, joints) = (&island.seats, &mut island.joints);
        for traits in seats
            .iter()
            .filter_map(|s| listed[s.0 as usize].map(|j| j.traits))
        {
            island.escalated.precise |= traits.precise;
            island.brittle |= traits.brittle;
            island.coupled |= traits.coupled;
        }
        if stay && island.planned && island.pinned {
            return;
        }
        joints.truncate(seats.len());
        fit(joints, seats.len());
        joints.resize_with(seats.len(), IslandJoint::default);
        parallel::for_each_run(joints, JOINTS, |first, run| {
            for (joint, seat) in run.iter_mut().zip(&seats[first..]) {
                joint.take_seat(*seat, state, movers);
            }
        });
        island.pinned = joints.iter().all(|j| j.stays_pin);
    });
}

fn place_contacts(state: &State, frame: &mut Frame) {
    empty(&mut frame.homes);
    fit(&mut frame.homes, state.contacts.len());
    frame.points = 0;
    let listed = std::mem::take(&mut frame.listed);
    for contact in &listed {
        frame.points += u32::from(contact.kind.points);
        let Some((island, movers)) = seat(frame, contact.movers) else {
            frame.homes.push([NOWHERE; 2]);
            continue;
        };
        let contacts = &mut frame.islands[island].contacts;
        frame.homes.push([island as u32, contacts.len() as u32]);
        contacts.push(IslandContact { movers, ..*contact });
    }
    frame.listed = listed;
}
