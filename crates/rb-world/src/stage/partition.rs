//! Stage 3: which bodies can feel one another, and one [`Island`](crate::island::Island) for each set;
//! bodies that feel nothing are in free flight.

mod divide;
mod homes;
mod list;

pub(crate) use divide::Residents;
pub(crate) use list::{ListedBody, ListedJoint};

use crate::frame::{Frame, ISLANDS, NOWHERE};
use crate::island::{IslandConstraint, IslandContact, IslandJoint};
use crate::state::State;
use rb_core::handle::BodyHandle;
use rb_core::integrate::Mover;
use rb_core::room::fit;
use rb_solve::parallel;

/// Bodies per task, and joints.
const BODIES: usize = 128;
const JOINTS: usize = 128;

/// Finds the islands of awake bodies and fills them with bodies, joints and contacts, for a step of `dt` (s).
pub(crate) fn run(state: &State, frame: &mut Frame, dt: f64) {
    list::run(state, frame);
    link(state, frame);
    homes::place_bodies(state, frame, state.params.substep(dt));
    place_joints(state, frame);
    place_constraints(state, frame);
    place_contacts(state, frame);
}

fn link(state: &State, frame: &mut Frame) {
    let Frame {
        partition: islands,
        listed_bodies: bodies,
        listed_joints: joints,
        listed,
        ..
    } = frame;
    islands.reset(bodies.len());
    let mut join = |[a, b]: [u32; 2]| {
        let [i, j] = [a as usize, b as usize];
        (bodies[i].bound, bodies[j].bound) = (true, true);
        if bodies[i].active && bodies[j].active {
            islands.link(a, b);
        }
    };
    for joint in joints.iter().flatten() {
        join(joint.bodies);
    }
    for (_, constraint) in state.constraints.iter() {
        // All awake bodies of the constraint end up together, whatever lies between them.
        let awake = |h: &&BodyHandle| state.is_active(h.index());
        let mut awake = constraint.bodies.iter().filter(awake);
        if let Some(first) = awake.next() {
            join([first.index(); 2]);
            awake.for_each(|other| join([first.index(), other.index()]));
        }
    }
    for contact in listed {
        join(contact.movers);
    }
}

/// Island of a pair of bodies and their numbers in it; `None` if neither is awake. An immovable body
/// becomes a guest of the island.
fn seat(state: &State, frame: &mut Frame, slots: [u32; 2]) -> Option<(usize, [u32; 2])> {
    let home = slots.map(|s| frame.place[s as usize][0]);
    let island = home.into_iter().find(|&h| h != NOWHERE)? as usize;
    let seats = slots.map(|slot| seat_in(state, frame, island, slot));
    Some((island, seats))
}

/// Number of a body in an island; one that does not live there becomes a guest.
fn seat_in(state: &State, frame: &mut Frame, island: usize, slot: u32) -> u32 {
    let place = frame.place[slot as usize];
    if place[0] as usize == island {
        return place[1];
    }
    let isle = &mut frame.islands[island];
    let guests = &isle.movers[isle.movable..];
    if let Some(k) = guests.iter().position(|m| m.slot == slot) {
        return (isle.movable + k) as u32;
    }
    // Static, kinematic, frozen or asleep: it moves others, nothing moves it.
    isle.movers
        .push(Mover::guest(slot, state.body(slot), &state.params));
    (isle.movers.len() - 1) as u32
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
            .map(|&slot| seat_in(state, frame, island, slot))
            .collect();
        frame.islands[island].constraints.push(IslandConstraint {
            slot: handle.index(),
            movers,
            memory: constraint.memory.clone(),
        });
    }
}

/// Gives every joint its place in an island; then all are filled in side by side.
fn place_joints(state: &State, frame: &mut Frame) {
    let joints = std::mem::take(&mut frame.listed_joints);
    frame.joint_homes.clear();
    frame.joint_homes.resize(joints.len(), [NOWHERE; 2]);
    for (slot, joint) in joints.iter().enumerate() {
        let Some(joint) = joint else { continue };
        let Some((number, movers)) = seat(state, frame, joint.bodies) else {
            continue;
        };
        let island = &mut frame.islands[number];
        frame.joint_homes[slot] = [number as u32, island.seats.len() as u32];
        island.escalated.precise |= joint.traits.precise;
        island.brittle |= joint.traits.brittle;
        island.coupled |= joint.traits.coupled;
        island.seats.push((slot as u32, movers));
    }
    if !joints.is_empty() {
        let islands = &mut frame.islands[..frame.island_count];
        parallel::for_each(islands, ISLANDS, |island| {
            let (seats, movers, joints) = (&island.seats, &island.movers, &mut island.joints);
            joints.truncate(seats.len());
            fit(joints, seats.len());
            joints.resize_with(seats.len(), IslandJoint::default);
            parallel::for_each_run(joints, JOINTS, |first, run| {
                for (joint, seat) in run.iter_mut().zip(&seats[first..]) {
                    joint.take_seat(*seat, state, movers);
                }
            });
        });
    }
    frame.listed_joints = joints;
}

fn place_contacts(state: &State, frame: &mut Frame) {
    frame.homes.clear();
    fit(&mut frame.homes, state.contacts.len());
    frame.points = 0;
    let listed = std::mem::take(&mut frame.listed);
    for contact in &listed {
        frame.points += u32::from(contact.kind.points);
        let Some((island, movers)) = seat(state, frame, contact.movers) else {
            frame.homes.push([NOWHERE; 2]);
            continue;
        };
        let contacts = &mut frame.islands[island].contacts;
        frame.homes.push([island as u32, contacts.len() as u32]);
        contacts.push(IslandContact { movers, ..*contact });
    }
    frame.listed = listed;
}
