//! Stage 2: contacts of the candidate pairs, matched with last step's, and who wakes from them.
//!
//! Tasks look at the pairs, and then do what has to be done about them. Those that keep as many manifolds as they had,
//! which is nearly all, have them written over the old ones at once; the others' are put in their places afterwards.

mod foresee;
mod outlook;
mod places;
mod surfaces;

pub(crate) use foresee::Act;

use crate::events::{ContactEvent, Events, Parted};
use crate::frame::{Changed, Frame, PairChunk, Placed};
use crate::hooks::Hooks;
use crate::stage::broad::flies;
use crate::stage::partition;
use crate::stage::publish::{contact_event, difference, is_told_of};
use crate::state::{Pair, PairList, State};
use foresee::{Kind, foresee};
use outlook::smaller;
use places::Tasks;
use rb_contact::manifold::{Sides, rewrite, warm_start};
use rb_contact::material::combine;
use rb_contact::narrow::collide_shapes;
use rb_contact::reach::Reach;
use rb_contact::recycle::{Memory, Recall, apart};
use rb_core::anchor::{Reference, Stand};
use rb_core::manifold::{ContactMaterial, Manifold};
use rb_solve::parallel;

/// Pairs per task, at least.
const CHUNK: usize = 64;

/// Tasks, about, from which on they hold more pairs instead: what each begins with, looking for its contacts above all,
/// is more than what a few pairs ask for.
const TASKS: usize = 512;

/// Bodies per task.
const BODIES: usize = 128;

/// Gap (m) below which a moving body wakes a sleeper.
const WAKING_GAP: f64 = 1e-3;

/// What became of a pair.
enum Verdict {
    /// Its manifolds, if any, are as they were.
    Kept,
    /// They have been brought up to date.
    Renewed,
    /// So many manifolds have been found now, in this way: written over those known if there are as
    /// many, else put aside.
    Found(u32, Option<Memory>),
}

/// Finds the contacts of all candidate pairs and stores them in the order of their keys.
pub(crate) fn run(
    state: &mut State,
    frame: &mut Frame,
    events: &mut Events,
    hooks: Option<&dyn Hooks>,
    dt: f64,
) {
    // One may fall while the other is held.
    let fall = state.params.gravity.length() * dt * dt;
    let size = CHUNK.max(state.pairs.len() / TASKS);
    let tasks = state.pairs.len().div_ceil(size);
    frame.tasks += tasks as u32;
    frame.chunks.resize_with(tasks, PairChunk::default);
    if frame.left.iter().any(|l| l.flying > 0) {
        expose(&mut state.pairs, size, frame);
    }
    let edited = std::mem::replace(&mut state.edited, true);
    let mut fresh = std::mem::take(&mut frame.fresh);
    fresh.clear();
    fresh.resize(state.contacts.len(), edited);
    let mut taken = Taken::from(&mut *state);
    let Taken {
        state: shared,
        pairs,
        contacts,
    } = &mut taken;
    let tasks = Tasks::new(&mut frame.chunks, pairs, size, (contacts, &mut fresh));
    // If a hook panics they are lost.
    let placed = std::mem::take(&mut frame.placed);
    let shared = &**shared;
    parallel::for_each_part(tasks, &|task: Tasks| {
        look(shared, &placed, hooks, fall, task)
    });
    (frame.placed, frame.fresh) = (placed, fresh);
    // Where contacts come and go islands are others. Who sleeps may still be woken by them.
    let moved = places::settle(pairs, size, contacts, frame, |frame, chunks| {
        if shared.groups.is_empty() {
            let links = chunks.iter().flat_map(|c| c.links.iter().copied());
            partition::begin(shared, frame, links);
        }
    });
    drop(taken);
    let wrote = frame.chunks.iter().any(|c| c.wrote);
    state.edited = edited || moved || wrote;
    mark(state, frame);
    let (materials, contacts) = (&mut state.materials, &mut state.contacts);
    surfaces::gather(materials, &mut frame.former, contacts, &mut frame.chunks);
    sensor_events(state, frame, events);
    wake_touched(state, events);
    frame.contacts_stay = !std::mem::take(&mut state.edited);
}

/// Notes where contacts have seen the bodies that are not held: not before, for a step that a hook panics in is none.
fn mark(state: &mut State, frame: &mut Frame) {
    let bodies = state.bodies.slots_mut();
    parallel::for_each_pair(&mut frame.travels, bodies, BODIES, |travel, slot| {
        if let Some(body) = slot.value_mut().filter(|_| !travel.held) {
            body.mark = Some(body.com_pose());
        }
    });
}

/// The pairs and contacts of a state while others read the rest of it. They return to it even if a
/// user's hook panics.
struct Taken<'a> {
    state: &'a mut State,
    pairs: Vec<Pair>,
    contacts: Vec<Manifold>,
}

impl<'a> From<&'a mut State> for Taken<'a> {
    fn from(state: &'a mut State) -> Self {
        Self {
            pairs: std::mem::take(&mut state.pairs),
            contacts: std::mem::take(&mut state.contacts),
            state,
        }
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        std::mem::swap(&mut self.state.pairs, &mut self.pairs);
        std::mem::swap(&mut self.state.contacts, &mut self.contacts);
    }
}

/// What becomes of one task's pairs.
fn look(state: &State, placed: &[Placed], hooks: Option<&dyn Hooks>, fall: f64, task: Tasks) {
    let Some((chunk, pairs, mut all)) = task.alone() else {
        return;
    };
    chunk.changed.clear();
    chunk.found.clear();
    chunk.fresh.clear();
    chunk.overlapping.clear();
    chunk.wrote = false;
    let mut acts = std::mem::take(&mut chunk.acts);
    let lists = (&mut acts, &mut chunk.known);
    chunk.count = foresee(state, (placed, hooks, fall), pairs, lists);
    for act in &acts {
        let pair = &mut pairs[act.pair as usize];
        let sides = [&placed[pair.key[0] as usize], &placed[pair.key[1] as usize]];
        let known = all.of(pair);
        let verdict = match act.kind {
            Kind::Part => Verdict::Found(0, None),
            Kind::Sense => sense(state, pair, sides, chunk),
            _ => touch(state, pair, known, sides, (act, fall), chunk),
        };
        if !matches!(verdict, Verdict::Kept) {
            all.note(pair);
        }
        let Verdict::Found(count, memory) = verdict else {
            continue;
        };
        chunk.count = chunk.count - pair.count as usize + count as usize;
        pair.memory = memory;
        if count != pair.count {
            let pair = act.pair;
            chunk.changed.push(Changed { pair, count });
        }
    }
    chunk.acts = acts;
}

/// Whether one of a pair has moved, and not even their boxes meet.
fn parted(sides: [&Placed; 2]) -> bool {
    sides.iter().any(|s| s.stirs) && !meet(sides)
}

/// Whether their boxes do.
fn meet([a, b]: [&Placed; 2]) -> bool {
    a.bounds.overlaps(&b.bounds)
}

/// Notes what flies and may meet something in this step that does not.
fn expose(pairs: &mut [Pair], size: usize, frame: &mut Frame) {
    let (placed, left) = (&frame.placed, &frame.left);
    parallel::for_each_with_run(&mut frame.chunks, pairs, size, |chunk, pairs| {
        chunk.exposed.clear();
        for pair in pairs {
            // Nearly always both do, or neither: that is told without asking where they are.
            let [a, b] = pair.key.map(|c| flies(left, c));
            if a != b && meet(pair.key.map(|c| &placed[c as usize])) {
                chunk.exposed.push(pair.key[usize::from(b)]);
            }
        }
    });
    for &flier in frame.chunks.iter().flat_map(|c| &c.exposed) {
        frame.placed[flier as usize].exposed = true;
    }
}

/// Brings the contacts of a pair up to date, or searches for them.
fn touch(
    state: &State,
    pair: &Pair,
    known: &mut [Manifold],
    sides: [&Placed; 2],
    (act, fall): (&Act, f64),
    chunk: &mut PairChunk,
) -> Verdict {
    let contact = &state.params.contact;
    let far = act.outlook.far(contact, sides);
    let stays = |m: &Manifold| match m.anchor.reference {
        Reference::Neither => false,
        Reference::Lines => m.is_within(far),
        _ => act.kind == Kind::Renew && m.is_within(far),
    };
    // A surface with a direction turns with its body, and is combined anew.
    let directed = sides.iter().any(|s| s.directed);
    if act.kind != Kind::Search && !directed && known.iter().all(stays) {
        let stands = sides.map(|p| &p.stand);
        known.iter_mut().for_each(|m| m.renew(stands));
        return Verdict::Renewed;
    }
    let reach = act.outlook.reach(contact, fall, sides);
    let [a, b] = sides.map(Placed::sphere);
    let stays_apart = |memory: &Memory| memory.stays_apart(a, b, &reach);
    if known.is_empty() && pair.memory.as_ref().is_some_and(stays_apart) {
        return Verdict::Kept;
    }
    let stands = close_up(sides);
    let memory = search(state, sides, &stands, &reach, chunk);
    if !chunk.patches.is_empty() {
        let material = surface(state, pair, known, sides);
        let sides = Sides {
            colliders: pair.key,
            bodies: sides.map(|p| p.body.index()),
            stands: [&stands[0], &stands[1]],
        };
        put(known, material, &sides, chunk);
    }
    Verdict::Found(chunk.patches.len() as u32, Some(memory))
}

/// Makes manifolds of the patches found, over those known or, if there are not as many, aside; of `surface`, or
/// that of those known.
fn put(
    known: &mut [Manifold],
    surface: Option<ContactMaterial>,
    sides: &Sides,
    chunk: &mut PairChunk,
) {
    let PairChunk {
        patches,
        carried,
        found,
        fresh,
        wrote,
        ..
    } = chunk;
    *wrote = true;
    patches.sort_by_key(|p| p.sub);
    carried.clear();
    carried.extend(patches.iter().map(|patch| warm_start(patch, sides, known)));
    let before = known.first().map(|m| (m.law, m.friction, m.surface));
    let now = surface.map(|m| (m.law, m.friction, surfaces::note(fresh, &m)));
    let (surface, places) = if patches.len() == known.len() {
        (now, known)
    } else {
        let surface = now.or(before);
        let first = found.len();
        found.resize(first + patches.len(), Manifold::default());
        (surface, &mut found[first..])
    };
    for (place, (patch, carried)) in places.iter_mut().zip(patches.iter().zip(carried)) {
        if let Some(surface) = surface {
            (place.law, place.friction, place.surface) = surface;
        }
        rewrite(place, patch, carried, sides);
    }
}

/// The surface of a pair; `None` if it is that of the manifolds known.
fn surface(
    state: &State,
    pair: &Pair,
    known: &[Manifold],
    sides: [&Placed; 2],
) -> Option<ContactMaterial> {
    // Whoever edits a collider has its pairs forgotten.
    if pair.memory.is_some() && !known.is_empty() && !sides.iter().any(|s| s.directed) {
        return None;
    }
    let material = |k: usize| state.collider(pair.key[k]).collider.material();
    let turned = |k: usize| state.body(sides[k].body.index()).q;
    Some(combine(&material(0), turned(0), &material(1), turned(1)))
}

/// Finds whether a pair with a sensor overlaps; it never has manifolds.
fn sense(state: &State, pair: &Pair, sides: [&Placed; 2], chunk: &mut PairChunk) -> Verdict {
    if !(sides[0].stirs || sides[1].stirs) {
        if state.overlapping.binary_search(&pair.key).is_ok() {
            chunk.overlapping.push(pair.key);
        }
        return Verdict::Found(0, None);
    }
    // Only pairs found apart are remembered.
    let limit = state.params.contact.recycling * smaller(sides);
    if recall(pair, sides, limit) != Recall::Search {
        return Verdict::Kept;
    }
    let reach = Reach::all(2.0 * limit);
    let memory = search(state, sides, &close_up(sides), &reach, chunk);
    let mut points = chunk.patches.iter().flat_map(|p| &p.points);
    let overlaps = points.any(|p| p.gap <= 0.0);
    if overlaps {
        chunk.overlapping.push(pair.key);
    }
    Verdict::Found(0, (!overlaps).then_some(memory))
}

/// What is left of the last search of a pair that looks no farther than to contact.
fn recall(pair: &Pair, sides: [&Placed; 2], limit: f64) -> Recall {
    let Some(memory) = &pair.memory else {
        return Recall::Search;
    };
    let moved = memory.moved(sides[0].sphere(), sides[1].sphere());
    memory.recall(moved, 0.0, limit)
}

/// Where a pair stands as seen from the smaller shape: no place in the world is rounded into what follows.
fn close_up([a, b]: [&Placed; 2]) -> [Stand; 2] {
    let from = if a.radius < b.radius { a } else { b };
    [a, b].map(|side| side.stand.seen_from(from.stand.pose.p))
}

/// Finds the patches of a pair that stands there up to a gap of `reach` (m).
fn search(
    state: &State,
    [a, b]: [&Placed; 2],
    stands: &[Stand; 2],
    reach: &Reach,
    chunk: &mut PairChunk,
) -> Memory {
    chunk.patches.clear();
    let (sphere_a, sphere_b) = (a.sphere(), b.sphere());
    // Boxes overlap long before most shapes do; most that get here are near, and then no root is drawn.
    let near = reach.most() + a.radius + b.radius;
    let clear = if sphere_a.0.p.distance_squared(sphere_b.0.p) <= near * near {
        let [at_a, at_b] = stands.each_ref().map(|s| &s.pose);
        let [shape_a, shape_b] = [a, b].map(|side| state.shape(side.collider));
        collide_shapes(shape_a, at_a, shape_b, at_b, reach, &mut chunk.patches)
    } else {
        apart(sphere_a, sphere_b)
    };
    Memory::new(sphere_a, sphere_b, clear)
}

/// Sleepers that something moving touches wake with their whole island.
fn wake_touched(state: &mut State, events: &mut Events) {
    if state.groups.is_empty() {
        return;
    }
    let mut waking = Vec::new();
    for manifold in &state.contacts {
        let slots = manifold.bodies;
        let [a, b] = slots.map(|s| state.body(s).is_asleep());
        let moved = a != b && state.stirs(slots[usize::from(a)]);
        if moved && manifold.points().iter().any(|p| p.gap <= WAKING_GAP) {
            waking.push(slots[usize::from(b)]);
        }
    }
    for slot in waking {
        let woken = state.wake(slot);
        events
            .wake
            .extend(woken.into_iter().map(|s| state.body_handle(s)));
    }
    state.get_up();
}

fn sensor_events(state: &mut State, frame: &Frame, events: &mut Events) {
    let now: PairList = frame
        .chunks
        .iter()
        .flat_map(|c| c.overlapping.iter().copied())
        .collect();
    let before = std::mem::replace(&mut state.overlapping, now);
    let told = |now: &PairList, before: &PairList, list: &mut Vec<ContactEvent>| {
        let told = difference(now, before).filter(|pair| is_told_of(state, pair));
        list.extend(told.map(|pair| contact_event(state, pair)));
    };
    told(&state.overlapping, &before, &mut events.sensor_begin);
    told(&before, &state.overlapping, &mut events.sensor_end);
    Parted::tell(&mut state.parted.sensors, &mut events.sensor_end);
}
