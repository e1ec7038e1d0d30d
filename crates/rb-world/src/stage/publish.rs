//! Stage 6: impulses back to where they persist, events, sleep, and the report.

mod contacts;
mod joints;
mod sleep;
mod touching;

use contacts::store_contacts;
use joints::store_joints;
use sleep::fall_asleep;
use touching::list_touching;

pub(crate) use touching::TouchingRun;

use crate::events::{ContactEvent, ContactForceEvent, Events, JointBreakEvent, Parted};
use crate::frame::Frame;
use crate::island::Island;
use crate::state::{State, Touching};
use rb_contact::ColliderEvents;
use rb_core::manifold::Manifold;
use rb_core::problem::Source;
use rb_core::report::{Culprit, IslandReport, StepReport};
use rb_core::residual::Grade;
use std::sync::Arc;

/// Everything that has to be known after a step.
pub(crate) fn run(
    state: &mut State,
    frame: &mut Frame,
    events: &mut Events,
    solver: &'static str,
    dt: f64,
    report: &mut StepReport,
) {
    state.step += 1;
    state.time += dt;
    state.dt = dt;
    let h = state.params.substep(dt);
    let scale = state.scale_to(h);
    state.h = h;
    state.rejoined = false;
    store_impulses(state, frame, scale);
    contact_events(state, frame, events);
    break_joints(state, frame, events);
    fall_asleep(state, frame, events);
    fill_report(state, frame, events, solver, report);
}

/// Impulses to where they persist, and which manifolds are closed. What sleeps, or takes no part in another way, goes on
/// exerting the forces of its last solve: their impulses follow the length of the substep by `scale`.
fn store_impulses(state: &mut State, frame: &mut Frame, scale: f64) {
    store_contacts(state, frame, scale);
    store_joints(state, frame, scale);
    let constraints = state.constraints.iter_mut();
    constraints.for_each(|(_, c)| c.memory.scale(scale));
    for island in frame.islands() {
        for c in &island.constraints {
            if let Some(slot) = state.constraints.slot_mut(c.slot) {
                slot.memory.clone_from(&c.memory);
            }
        }
    }
}

fn contact_events(state: &mut State, frame: &mut Frame, events: &mut Events) {
    if !frame.contacts_stay || frame.stored.iter().any(|(_, changed)| *changed) {
        list_touching(state, frame, events);
    }
    Parted::tell(&mut state.parted.contacts, &mut events.contact_end);
    if frame.left.iter().any(|l| l.reports) {
        contact_forces(state, events);
    }
}

/// The event of a pair of collider slots.
pub(crate) fn contact_event(state: &State, pair: [u32; 2]) -> ContactEvent {
    let body = |c: u32| state.colliders.slot(c).map(|slot| slot.body);
    ContactEvent {
        colliders: pair.map(|c| state.collider_handle(c)),
        bodies: pair.map(|c| body(c).unwrap_or_default()),
    }
}

/// Whether one of a pair of colliders asks for begin and end of contact.
pub(crate) fn is_told_of(state: &State, pair: &[u32; 2]) -> bool {
    let events = |c: u32| state.colliders.slot(c).map(|slot| slot.collider.events());
    let mut asks = pair.iter().filter_map(|&c| events(c));
    asks.any(|events| events.contains(ColliderEvents::CONTACT))
}

/// Members of one sorted list that are not in another.
pub(crate) fn difference<'a>(
    a: &'a [[u32; 2]],
    b: &'a [[u32; 2]],
) -> impl Iterator<Item = [u32; 2]> + 'a {
    let mut others = b.iter().peekable();
    a.iter().copied().filter(move |p| {
        while others.next_if(|o| *o < p).is_some() {}
        others.peek() != Some(&p)
    })
}

fn contact_forces(state: &State, events: &mut Events) {
    let load = |touching: &Touching| {
        let contacts = state.contacts_of(touching.pair).iter();
        (touching.pair, contacts.map(Manifold::normal_impulse).sum())
    };
    let loads = state.touching.iter().map(load).chain(state.waiting_loads());
    for (pair, impulse) in loads {
        let asked = pair.map(|c| state.collider(c).collider.force_threshold());
        let Some(threshold) = asked.into_iter().flatten().reduce(f64::min) else {
            continue;
        };
        let force: f64 = impulse / state.h;
        if force > threshold {
            let colliders = pair.map(|c| state.collider_handle(c));
            let event = ContactForceEvent { colliders, force };
            events.contact_force.push(event);
        }
    }
    events.contact_force.sort_by_key(|e| e.colliders);
}

fn break_joints(state: &mut State, frame: &Frame, events: &mut Events) {
    let mut broken = Vec::new();
    let islands = frame.islands().iter().filter(|i| i.brittle);
    for joint in islands.flat_map(|i| &i.joints) {
        let Some(slot) = state.joints.slot(joint.slot) else {
            continue;
        };
        if slot.desc.is_brittle() {
            let load = state.reaction_of(slot);
            if slot.desc.breaks(&load) {
                broken.push((state.joint_handle(joint.slot), load));
            }
        }
    }
    broken.sort_by_key(|(joint, _)| *joint);
    for (joint, load) in broken {
        if let Some(slot) = state.unlink_joint(joint) {
            events.joint_break.push(JointBreakEvent {
                joint,
                bodies: slot.bodies,
                load,
            });
        }
    }
}

fn fill_report(
    state: &State,
    frame: &Frame,
    events: &Events,
    solver: &'static str,
    report: &mut StepReport,
) {
    report.step = state.step;
    report.tasks = frame.tasks;
    let waiting = state.groups.waiting();
    report.manifolds = state.contacts.len() as u32 + waiting[0];
    report.contacts = frame.points + waiting[1];
    report.frozen.clone_from(&events.frozen);
    report.awake = frame.flights.len() as u32;
    (report.exact, report.rows) = (0, 0);
    (report.penetration, report.joint_error) = (0.0, 0.0);
    report.grade = Grade::default();
    // Whoever still holds the last step's list keeps it.
    if Arc::get_mut(&mut report.islands).is_none() {
        report.islands = Arc::default();
    }
    let Some(list) = Arc::get_mut(&mut report.islands) else {
        return;
    };
    list.clear();
    let mut worst = None;
    for island in frame.islands() {
        let o = island.outcome;
        if o.grade.abs > report.grade.abs || worst.is_none() {
            worst = o.grade.worst.map(|source| (island, source));
        }
        report.grade = report.grade.worst_of(o.grade);
        report.penetration = report.penetration.max(o.penetration);
        report.joint_error = report.joint_error.max(o.joint_error);
        report.awake += island.movable as u32;
        report.exact += u32::from(island.escalated.reason.is_some());
        let rows = island.rows();
        report.rows += rows;
        list.push(IslandReport {
            root: state.body_handle(island.root()),
            bodies: island.movable as u32,
            rows,
            substeps: match island.crowd {
                true => state.params.crowd_substeps(),
                false => state.params.substeps,
            },
            iterations: o.iterations,
            solver: island.escalated.solver.unwrap_or(solver),
            clusters: island.clusters.len() as u32,
            reason: island.escalated.reason,
            laws: island.laws(),
            grade: o.grade,
            sampled: o.sampled,
            worst_contact: o.grade.worst_contact.map(|s| culprit(state, island, s)),
            worst_joint: o.grade.worst_joint.map(|s| culprit(state, island, s)),
            penetration: o.penetration,
            joint_error: o.joint_error,
        });
    }
    report.residual = report.grade.abs;
    report.worst = worst.map(|(island, source)| culprit(state, island, source));
    let t = state.params.tolerances;
    report.met = report.residual <= t.velocity
        && report.penetration <= t.position
        && report.joint_error <= t.position
        && report.frozen.is_empty();
}

fn culprit(state: &State, island: &Island, source: Source) -> Culprit {
    match source {
        Source::Joint(j) => Culprit::Joint(state.joint_handle(island.joints[j as usize].slot)),
        Source::Constraint(k) => {
            let slot = island.constraints[k as usize].slot;
            Culprit::Constraint(state.constraints.handle_at(slot).unwrap_or_default())
        }
        Source::Contact { manifold, .. } => {
            let i = island.contacts[manifold as usize].manifold as usize;
            let [a, b] = state.contacts[i].key.pair.map(|c| state.collider_handle(c));
            Culprit::Contact(a, b)
        }
    }
}
