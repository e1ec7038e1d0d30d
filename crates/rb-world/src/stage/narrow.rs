//! Stage 2: contacts of the candidate pairs, matched with last step's, and who wakes from them.
//!
//! Tasks look at the pairs and search those of which nothing is known any more; then every manifold's
//! origin is known, and the contacts are written block by block: in place if they are the same pairs
//! as before, which is how a world at rest goes on.

use crate::events::{ContactEvent, Events};
use crate::frame::{Frame, Origin, PairChunk, Placed, Verdict};
use crate::hooks::Hooks;
use crate::stage::publish::difference;
use crate::state::{Pair, PairList, State};
use rb_contact::manifold::{Sides, Surface, warm_start, write as write_manifold};
use rb_contact::material::combine;
use rb_contact::narrow::collide_shapes;
use rb_contact::recycle::{Memory, Recall};
use rb_core::anchor::Reference;
use rb_core::contact_block::{ContactBlock, ContactSet, LANES};
use rb_core::manifold::ContactMaterial;
use rb_solve::parallel;

/// Pairs per task.
const CHUNK: usize = 64;

/// Blocks of contacts per task.
const RUN: usize = 16;

/// Gap (m) below which a moving body wakes a sleeper.
const WAKING_GAP: f64 = 1e-3;

/// Finds the contacts of all candidate pairs and stores them in the order of their keys.
pub(crate) fn run(state: &mut State, frame: &mut Frame, events: &mut Events, hooks: &dyn Hooks) {
    let tasks = state.pairs.len().div_ceil(CHUNK);
    frame.tasks += tasks as u32;
    frame.chunks.resize_with(tasks, PairChunk::default);
    for (k, chunk) in frame.chunks.iter_mut().enumerate() {
        chunk.pairs = k * CHUNK..state.pairs.len().min((k + 1) * CHUNK);
    }
    let (shared, placed) = (&*state, &frame.placed);
    parallel::for_each(&mut frame.chunks, 1, |chunk| {
        look(shared, placed, hooks, chunk)
    });
    sensor_events(state, frame, events);
    number(state, frame);
    write(state, frame);
    wake_touched(state, events);
}

/// What becomes of one task's pairs. Reads last step's contacts, writes only its own chunk.
fn look(state: &State, placed: &[Placed], hooks: &dyn Hooks, chunk: &mut PairChunk) {
    chunk.verdicts.clear();
    chunk.patches.clear();
    chunk.surfaces.clear();
    chunk.overlapping.clear();
    for pair in &state.pairs[chunk.pairs.clone()] {
        let sides = pair.key.map(|c| &placed[c as usize]);
        let asked = sides.map(|s| s.collider);
        let verdict = if !hooks.may_touch(asked, sides.map(|s| s.body)) {
            Verdict::Found(0, None)
        } else if sides[0].sensor || sides[1].sensor {
            sense(state, pair, sides, chunk)
        } else {
            touch(state, pair, sides, chunk)
        };
        chunk.verdicts.push(verdict);
    }
}

/// Finds the contacts of a pair, or that those known will do.
fn touch(state: &State, pair: &Pair, sides: [&Placed; 2], chunk: &mut PairChunk) -> Verdict {
    let [a, b] = sides;
    if !(a.stirs || b.stirs) {
        return Verdict::Kept;
    }
    if !a.bounds.overlaps(&b.bounds) {
        return match pair.count {
            0 => Verdict::Kept,
            _ => Verdict::Found(0, None),
        };
    }
    let prediction = a.reach + b.reach;
    let contacts = &state.contacts;
    let anchored = |i: usize| contacts.anchor(i).reference != Reference::Neither;
    match recall(pair, sides, prediction) {
        Recall::InPlace | Recall::Clear if pair.count == 0 => return Verdict::Kept,
        // A surface with a direction turns with its body, and is combined anew.
        Recall::InPlace if !(a.directed || b.directed) && pair.manifolds().all(anchored) => {
            return Verdict::Renewed;
        }
        _ => {}
    }
    let first = chunk.patches.len();
    let memory = search(sides, prediction, chunk);
    let found = &mut chunk.patches[first..];
    if !found.is_empty() {
        let material = surface(state, pair, sides);
        let sides = both(pair, sides);
        found.sort_by_key(|p| p.sub);
        chunk.surfaces.extend(found.iter().map(|patch| Surface {
            material,
            carried: warm_start(patch, &sides, contacts, pair.manifolds()),
        }));
    }
    Verdict::Found(found.len() as u32, Some(memory))
}

/// The surface of a pair.
fn surface(state: &State, pair: &Pair, sides: [&Placed; 2]) -> ContactMaterial {
    // Whoever edits a collider has its pairs forgotten.
    if pair.memory.is_some() && pair.count > 0 && !sides.iter().any(|s| s.directed) {
        return state.contacts.material(pair.first as usize);
    }
    let material = |k: usize| &state.collider(pair.key[k]).collider.desc().material;
    let turned = |k: usize| state.body(sides[k].body.index()).q;
    combine(material(0), turned(0), material(1), turned(1))
}

/// The sides of a pair's manifolds.
fn both<'a>(pair: &Pair, placed: [&'a Placed; 2]) -> Sides<'a> {
    Sides {
        colliders: pair.key,
        bodies: placed.map(|p| p.body.index()),
        stands: placed.map(|p| &p.stand),
    }
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
    if recall(pair, sides, 0.0) != Recall::Search {
        return Verdict::Kept;
    }
    let first = chunk.patches.len();
    let memory = search(sides, 0.0, chunk);
    let mut points = chunk.patches[first..].iter().flat_map(|p| &p.points);
    let overlaps = points.any(|p| p.gap <= 0.0);
    chunk.patches.truncate(first);
    if overlaps {
        chunk.overlapping.push(pair.key);
    }
    Verdict::Found(0, (!overlaps).then_some(memory))
}

fn recall(pair: &Pair, [a, b]: [&Placed; 2], prediction: f64) -> Recall {
    match &pair.memory {
        Some(memory) => memory.recall(a.sphere(), b.sphere(), prediction),
        None => Recall::Search,
    }
}

/// Adds the patches of a pair up to a gap of `prediction` (m) to the chunk's, and a little beyond.
fn search([a, b]: [&Placed; 2], prediction: f64, chunk: &mut PairChunk) -> Memory {
    let spare = Memory::spare(a.sphere(), b.sphere());
    let clear = collide_shapes(
        &a.shape,
        &a.stand.pose,
        &b.shape,
        &b.stand.pose,
        prediction + spare,
        &mut chunk.patches,
    );
    Memory::new(a.sphere(), b.sphere(), clear)
}

/// Numbers this step's manifolds in the order of the pairs, and says where each comes from.
fn number(state: &mut State, frame: &mut Frame) {
    let origins = &mut frame.origins;
    origins.clear();
    for (task, chunk) in frame.chunks.iter().enumerate() {
        let mut found = 0..;
        for (i, verdict) in chunk.pairs.clone().zip(&chunk.verdicts) {
            let pair = &mut state.pairs[i];
            let (first, known) = (origins.len(), pair.first..pair.first + pair.count);
            match *verdict {
                Verdict::Kept => origins.extend(known.map(Origin::Kept)),
                Verdict::Renewed => {
                    origins.extend(known.map(|old| Origin::Renewed(old, i as u32)));
                }
                Verdict::Found(count, memory) => {
                    (pair.count, pair.memory) = (count, memory);
                    let new = found.by_ref().take(count as usize);
                    origins.extend(new.map(|k| Origin::Found(task as u32, k, i as u32)));
                }
            }
            pair.first = first as u32;
        }
    }
}

/// Writes this step's contacts over last step's, or beside them where they have changed places.
fn write(state: &mut State, frame: &mut Frame) {
    let origins = &frame.origins;
    let stays = |(i, origin): (usize, &Origin)| match *origin {
        Origin::Kept(old) | Origin::Renewed(old, _) => old as usize == i,
        Origin::Found(..) => true,
    };
    let in_place = origins.iter().enumerate().all(stays);
    let (target, old) = if in_place {
        (&mut state.contacts, None)
    } else {
        (&mut frame.spare_contacts, Some(&state.contacts))
    };
    target.resize(origins.len());
    let source = Sources {
        origins,
        pairs: &state.pairs,
        placed: &frame.placed,
        chunks: &frame.chunks,
        old,
    };
    parallel::for_each_run(target.blocks_mut(), RUN, |first, blocks| {
        for (k, block) in blocks.iter_mut().enumerate() {
            source.fill(first + k, block);
        }
    });
    if !in_place {
        std::mem::swap(&mut state.contacts, &mut frame.spare_contacts);
    }
}

/// What blocks of contacts are written from.
struct Sources<'a> {
    origins: &'a [Origin],
    pairs: &'a [Pair],
    placed: &'a [Placed],
    chunks: &'a [PairChunk],
    /// Last step's contacts, unless they are what is written over.
    old: Option<&'a ContactSet>,
}

impl Sources<'_> {
    /// Writes block `number`.
    fn fill(&self, number: usize, block: &mut ContactBlock) {
        let first = number * LANES;
        let last = self.origins.len().min(first + LANES);
        for (lane, origin) in self.origins[first..last].iter().enumerate() {
            match *origin {
                Origin::Kept(old) => self.carry(block, lane, old),
                Origin::Renewed(old, pair) => {
                    self.carry(block, lane, old);
                    block.renew(lane, self.sides(pair).stands);
                }
                Origin::Found(task, k, pair) => {
                    let (chunk, k) = (&self.chunks[task as usize], k as usize);
                    let (patch, surface) = (&chunk.patches[k], &chunk.surfaces[k]);
                    write_manifold(block, lane, patch, surface, &self.sides(pair));
                }
            }
        }
    }

    fn sides(&self, pair: u32) -> Sides<'_> {
        let pair = &self.pairs[pair as usize];
        both(pair, pair.key.map(|c| &self.placed[c as usize]))
    }

    fn carry(&self, block: &mut ContactBlock, lane: usize, i: u32) {
        if let Some(old) = self.old {
            let i = i as usize;
            block.copy_lane(lane, &old.blocks()[i / LANES], i % LANES);
        }
    }
}

/// Sleepers that something moving touches wake with their whole island.
fn wake_touched(state: &mut State, events: &mut Events) {
    if state.groups.is_empty() {
        return;
    }
    let mut waking = Vec::new();
    for i in 0..state.contacts.len() {
        let slots = state.contacts.bodies(i);
        let [a, b] = slots.map(|s| state.body(s).is_asleep());
        if a != b && state.stirs(slots[usize::from(a)]) {
            let gap = |k: usize| state.contacts.stored(i, k).gap;
            if (0..state.contacts.count(i)).any(|k| gap(k) <= WAKING_GAP) {
                waking.push(slots[usize::from(b)]);
            }
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
