//! Stage 2: contacts of the candidate pairs, matched with last step's, and who wakes from them.

use crate::events::{ContactEvent, Events};
use crate::frame::{Frame, PairChunk};
use crate::stage::broad::reach;
use crate::stage::publish::difference;
use crate::state::{PairList, State};
use rb_contact::collide;
use rb_contact::manifold::{Sides, manifold, warm_start};
use rb_contact::material::combine;
use rb_core::manifold::Manifold;
use rb_core::math::{Pose, Twist};
use rb_solve::parallel;
use smallvec::SmallVec;

/// Gap (m) below which a moving body wakes a sleeper.
const WAKING_GAP: f64 = 1e-3;

/// Finds the contacts of all candidate pairs and stores them in the order of their keys.
pub(crate) fn run(state: &mut State, frame: &mut Frame, events: &mut Events, dt: f64) {
    let poses = &frame.collider_poses;
    let shared = &*state;
    parallel::for_each(&mut frame.chunks, 1, |chunk| find(shared, poses, dt, chunk));
    sensor_events(state, frame, events);
    wake_touched(state, frame, events);
    state.contacts.clear();
    for manifold in frame.chunks.iter().flat_map(|c| &c.manifolds) {
        state.contacts.push(manifold);
    }
}

/// Contacts of one task's pairs. Reads last step's contacts, writes only its own chunk.
fn find(state: &State, poses: &[Pose], dt: f64, chunk: &mut PairChunk) {
    chunk.manifolds.clear();
    chunk.overlapping.clear();
    let mut patches = Vec::new();
    for &pair in &chunk.pairs {
        let [a, b] = pair.map(|c| state.collider(c));
        let bodies = [a.body, b.body];
        let sensor = a.collider.desc().sensor || b.collider.desc().sensor;
        if !bodies.iter().any(|h| stirs(state, h.index())) {
            keep(state, pair, &mut chunk.manifolds);
            if sensor && state.overlapping.binary_search(&pair).is_ok() {
                chunk.overlapping.push(pair);
            }
            continue;
        }
        let [pose_a, pose_b] = pair.map(|c| &poses[c as usize]);
        let [body_a, body_b] = bodies.map(|h| state.body(h.index()));
        let prediction = if sensor {
            0.0
        } else {
            reach(state, body_a, dt) + reach(state, body_b, dt)
        };
        patches.clear();
        collide(
            &a.collider,
            pose_a,
            &b.collider,
            pose_b,
            prediction,
            &mut patches,
        );
        if sensor {
            if patches
                .iter()
                .any(|p| p.points.iter().any(|q| q.gap <= 0.0))
            {
                chunk.overlapping.push(pair);
            }
            continue;
        }
        let [ma, mb] = [a, b].map(|c| &c.collider.desc().material);
        let material = combine(ma, body_a.q, mb, body_b.q);
        let handles = pair.map(|c| state.collider_handle(c));
        patches.sort_by_key(|p| p.sub);
        let sides = Sides {
            colliders: handles,
            bodies,
            centers: [body_a.com, body_b.com],
        };
        let old: SmallVec<[Manifold; 2]> = state
            .contacts
            .of_pair(pair)
            .map(|i| state.contacts.manifold(i))
            .collect();
        for patch in &patches {
            let mut new = manifold(patch, &sides, material);
            warm_start(&mut new, &old);
            chunk.manifolds.push(new);
        }
    }
}

/// Whether a body may have moved since contacts were last found: awake, or told to move.
fn stirs(state: &State, slot: u32) -> bool {
    let b = state.body(slot);
    state.is_active(slot) || (!b.is_movable() && b.vel != Twist::ZERO)
}

/// Takes over last step's manifolds of a pair that has not moved.
fn keep(state: &State, pair: [u32; 2], out: &mut Vec<Manifold>) {
    for i in state.contacts.of_pair(pair) {
        let mut m = state.contacts.manifold(i);
        m.colliders = pair.map(|c| state.collider_handle(c));
        m.bodies = state.contacts.bodies(i).map(|b| state.body_handle(b));
        out.push(m);
    }
}

/// Sleepers that something moving touches wake with their whole island.
fn wake_touched(state: &mut State, frame: &Frame, events: &mut Events) {
    let mut waking = Vec::new();
    for m in frame.chunks.iter().flat_map(|c| &c.manifolds) {
        let slots = m.bodies.map(|b| b.index());
        let [a, b] = slots.map(|s| state.body(s).is_asleep());
        let close = m.points.iter().any(|p| p.gap <= WAKING_GAP);
        if a != b && close && stirs(state, slots[usize::from(a)]) {
            waking.push(slots[usize::from(b)]);
        }
    }
    for slot in waking {
        let woken = state.wake(slot);
        events
            .wake
            .extend(woken.into_iter().map(|s| state.body_handle(s)));
    }
}

fn sensor_events(state: &mut State, frame: &Frame, events: &mut Events) {
    let now: PairList = frame
        .chunks
        .iter()
        .flat_map(|c| c.overlapping.iter().copied())
        .collect();
    let before = std::mem::replace(&mut state.overlapping, now);
    let make = |pair: [u32; 2]| ContactEvent {
        colliders: pair.map(|c| state.collider_handle(c)),
        bodies: pair.map(|c| {
            state
                .colliders
                .slot(c)
                .map_or_else(Default::default, |s| s.body)
        }),
    };
    events
        .sensor_begin
        .extend(difference(&state.overlapping, &before).map(make));
    events
        .sensor_end
        .extend(difference(&before, &state.overlapping).map(make));
}
