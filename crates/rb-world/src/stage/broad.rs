//! Stage 1: where everything will be, and which colliders may meet.

mod sweep;

pub(crate) use sweep::{Sweep, reach};

use crate::colliders::mobility;
use crate::events::Events;
use crate::frame::{BodyNotes, Frame, Left, Placed, Travel};
use crate::stage::partition::ListedBody;
use crate::state::{ColliderSlot, Pair, State, stirs};
use glam::DVec3;
use rb_contact::broad::{BroadPhase, Course, Growth, NewBox, Sorted};
use rb_contact::{Aabb, Collider, CollisionGroups};
use rb_core::anchor::Stand;
use rb_core::body::{Body, BodyKind};
use rb_core::handle::{BodyHandle, ColliderHandle};
use rb_core::math::{Pose, Twist, log_rotation};
use rb_core::params::ContactParams;
use rb_core::room::{empty, fit};
use rb_solve::parallel;
use std::sync::atomic::{AtomicBool, Ordering};

/// Colliders per task, or bodies: as many as a word has bits.
const RUN: usize = u64::BITS as usize;

/// Pairs per task when they are sorted out, and when they go to new places.
const SORTED: usize = 2048;

/// Stored boxes are larger than needed by this share of the collider's size, so that slow bodies
/// keep their place in the tree.
const SLACK: f64 = 0.05;

/// Steps of motion that a new box holds in advance; no more than the collider's radius.
const AHEAD: f64 = 5.0;

/// Share of the margin by which a body may move, at most, while contacts see it where it was.
const LEEWAY: f64 = 0.05;

/// Aims kinematic bodies at their targets, brings boxes up to date and collects candidate pairs.
pub(crate) fn run(state: &mut State, frame: &mut Frame, events: &mut Events, dt: f64) {
    survey(state, frame, dt);
    wake_pulled(state, events);
    state.get_up();
    state.lay_down();
    look_around(state, &mut frame.travels);
    place_colliders(state, frame, dt);
    collect_pairs(state, frame);
}

/// Finds how far all bodies go, and lists them for the partition where nobody sleeps who might still be woken in this
/// step: they lie far apart in memory.
fn survey(state: &mut State, frame: &mut Frame, dt: f64) {
    let (contact, listing) = (state.params.contact, state.groups.is_empty());
    let bodies = state.bodies.slots_mut();
    let (travels, listed) = (&mut frame.travels, &mut frame.listed_bodies);
    // What a step listed that a hook cut short no partition has seen.
    frame.partitioned &= frame.bodies_stay.is_none() && listed.len() == bodies.len();
    fit(travels, bodies.len());
    travels.resize(bodies.len(), Travel::default());
    fit(listed, bodies.len());
    listed.resize(bodies.len(), ListedBody::default());
    let changed = AtomicBool::new(false);
    parallel::for_each_three(travels, listed, bodies, RUN, |travel, listed, slot| {
        let mut body = slot.value_mut();
        if let Some(body) = &mut body {
            aim(body, dt);
            let own = body.speed() * dt;
            *travel = Travel::alone(own, is_held(body, own, &contact));
        }
        if listing && !listed.renew(body.map(|body| &*body)) {
            changed.store(true, Ordering::Relaxed);
        }
    });
    frame.bodies_stay = listing.then_some(!changed.into_inner());
}

/// Sleepers that a joint or a constraint holds to a kinematic body that moves wake. (Those it touches wake in
/// the next stage.)
fn wake_pulled(state: &mut State, events: &mut Events) {
    if state.groups.is_empty() {
        return;
    }
    let drives = |b: &BodyHandle| {
        let b = state.body(b.index());
        b.kind == BodyKind::Kinematic && b.vel != Twist::ZERO
    };
    let joints = state.joints.iter().map(|(_, j)| &j.bodies[..]);
    let constraints = state.constraints.iter().map(|(_, c)| &c.bodies[..]);
    let held = joints.chain(constraints);
    let driven = held.filter(|bodies| bodies.iter().any(drives)).flatten();
    let asleep = driven.map(|b| b.index());
    let asleep = asleep.filter(|&slot| state.body(slot).is_asleep());
    let pulled: Vec<u32> = asleep.collect();
    for slot in pulled {
        let woken = state.wake(slot);
        events
            .wake
            .extend(woken.into_iter().map(|s| state.body_handle(s)));
    }
}

/// Velocity that carries a kinematic body to its target within `dt`.
fn aim(body: &mut Body, dt: f64) {
    let Some(target) = body.target() else {
        return;
    };
    let com = body.com_at(&target);
    body.vel.lin = (com - body.com) / dt;
    body.vel.ang = log_rotation(target.q * body.q.conjugate()) / dt;
}

/// Whether contacts go on seeing a body where they saw it: it has not moved, and will not in this step, in which it goes
/// so far (m), by more than a share of its extent. Else they see it where it is.
fn is_held(body: &Body, travel: f64, contact: &ContactParams) -> bool {
    let moved = body.moved();
    let way = moved.lin.length() + moved.ang.length() * body.span() + travel;
    body.mark.is_some() && (way <= leeway(contact, body) || body.is_asleep())
}

/// How far a body may move (m) while contacts see it where it was. What lies on a large body is small beside it.
fn leeway(contact: &ContactParams, body: &Body) -> f64 {
    (contact.following * body.span()).min(LEEWAY * contact.margin)
}

/// Places every collider and lists those that have left their boxes.
fn place_colliders(state: &mut State, frame: &mut Frame, dt: f64) {
    let slots = state.colliders.capacity();
    fit(&mut frame.placed, slots);
    frame.placed.resize(slots, NOWHERE);
    frame.left.resize_with(slots.div_ceil(RUN), Left::default);
    for (k, left) in frame.left.iter_mut().enumerate() {
        left.first = k * RUN;
        empty(&mut left.boxes);
        (left.reports, left.flying, left.massive) = (false, 0, 0);
    }
    let (shared, travels) = (&*state, &frame.travels);
    parallel::for_each_with_run(&mut frame.left, &mut frame.placed, RUN, |left, run| {
        for (k, placed) in run.iter_mut().enumerate() {
            let slot = (left.first + k) as u32;
            let Some(of) = shared.colliders.slot(slot) else {
                continue;
            };
            left.reports |= of.collider.force_threshold().is_some();
            let travel = travels[of.body.index() as usize];
            let rests = placed.rests && placed.body == of.body;
            if rests && shared.body(of.body.index()).is_asleep() {
                placed.unrest = travel.unrest;
            } else {
                left.boxes
                    .extend(place(shared, slot, of, travel, dt, placed));
            }
            left.flying |= u64::from(placed.flies) << k;
            left.massive |= u64::from(!placed.dynamic) << k;
        }
    });
}

/// Whether a collider flies.
pub(crate) fn flies(left: &[Left], slot: u32) -> bool {
    let slot = slot as usize;
    (left[slot / RUN].flying >> (slot % RUN)) & 1 == 1
}

/// What stands in a free slot, or has not been placed yet: nowhere.
const NOWHERE: Placed = Placed {
    stand: Stand {
        pose: Pose {
            p: DVec3::NAN,
            ..Pose::IDENTITY
        },
        center: DVec3::ZERO,
    },
    motion: Twist::ZERO,
    collider: ColliderHandle::INVALID,
    body: BodyHandle::INVALID,
    radius: 0.0,
    reach: 0.0,
    unrest: 0.0,
    bounds: Aabb::EVERYWHERE,
    stirs: false,
    held: false,
    rests: false,
    sensor: false,
    directed: false,
    flies: false,
    exposed: false,
    groups: CollisionGroups::new(0, 0),
    dynamic: false,
    jointed: false,
};

/// Where a collider of `radius` (m) is going.
fn course(body: &Body, radius: f64, dt: f64) -> Course {
    Course {
        margin: SLACK * radius,
        ahead: (body.vel.lin * (AHEAD * dt)).clamp_length_max(radius),
        mobility: mobility(body.kind),
    }
}

/// New boxes for bodies that may have left theirs within the step: questions are asked before the next one. They
/// are what the next step would store.
pub(crate) fn follow(state: &mut State, notes: &mut [BodyNotes], dt: f64) {
    let shared = &*state;
    parallel::for_each(notes, 1, |run| {
        for &slot in &run.far {
            leave(shared, shared.body(slot), dt, &mut run.left);
        }
    });
    let count = notes.iter().map(|run| run.left.len()).sum();
    let left = notes.iter().flat_map(|run| &run.left).copied();
    state.broad.set_many(count, left);
}

/// Lists new boxes for the colliders of a body that have left theirs.
fn leave(state: &State, body: &Body, dt: f64, left: &mut Vec<NewBox>) {
    let sweep = Sweep::new(&state.params.contact, body, body.speed() * dt, dt);
    for slot in body.colliders.iter().map(|c| c.index()) {
        let tight = state.collider_box(slot);
        let fat = state.broad.fat_box(slot);
        if fat.is_none_or(|fat| !fat.contains(&tight)) {
            let course = course(body, state.collider(slot).collider.radius(), dt);
            left.push(NewBox::new(slot, &sweep.of(&tight), &course));
        }
    }
}

/// Notes which bodies something touched at the end of the last step, and how far it goes.
fn look_around(state: &State, travels: &mut [Travel]) {
    for touching in &state.touching {
        let [a, b] = touching.bodies.map(|slot| slot as usize);
        for (one, other) in [(a, b), (b, a)] {
            let other = travels[other].own;
            let one = &mut travels[one];
            one.touched = true;
            one.unrest = one.unrest.max(other);
        }
    }
}

/// Places the collider in a slot, of a body that goes so far; returns a new box if it has left its own.
fn place(
    state: &State,
    number: u32,
    slot: &ColliderSlot,
    travel: Travel,
    dt: f64,
    placed: &mut Placed,
) -> Option<NewBox> {
    let (body, collider) = (state.body(slot.body.index()), state.collider_handle(number));
    let same = (placed.body, placed.collider) == (slot.body, collider);
    let stays = same && placed.held && travel.held;
    (placed.body, placed.collider, placed.held) = (slot.body, collider, travel.held);
    let before = placed.stand.pose;
    if !stays {
        stand(state, &slot.collider, body, (travel, dt), placed);
    }
    let arm = placed.stand.pose.p - placed.stand.center;
    placed.motion = Twist::new(body.vel.lin + body.vel.ang.cross(arm), body.vel.ang) * dt;
    placed.unrest = travel.unrest;
    placed.stirs = stirs(body);
    placed.rests = body.is_asleep() && placed.stand.pose == before;
    placed.sensor = slot.collider.is_sensor();
    placed.dynamic = body.kind == BodyKind::Dynamic;
    placed.flies = placed.dynamic && !(travel.touched || body.is_asleep());
    placed.exposed = false;
    placed.groups = slot.collider.groups();
    placed.jointed = !body.joints.is_empty();
    placed.directed = slot.collider.is_directed();
    if stays || body.kind == BodyKind::Static || body.is_asleep() {
        // The box that is stored holds it.
        return None;
    }
    let course = course(body, placed.radius, dt);
    state.broad.new_box(number, &placed.bounds, &course)
}

/// Puts a collider where contacts see it.
fn stand(
    state: &State,
    collider: &Collider,
    body: &Body,
    (travel, dt): (Travel, f64),
    placed: &mut Placed,
) {
    let contact = &state.params.contact;
    // What is held goes no farther than its leeway, in this step and in those to come.
    let mark = body.mark.filter(|_| travel.held);
    let seen = mark.unwrap_or_else(|| body.com_pose());
    placed.stand = collider.stand(&seen, body.mass.com_local, body.grid);
    placed.radius = collider.radius();
    let around = collider.aabb(&placed.stand.pose, body.grid);
    (placed.reach, placed.bounds) = if mark.is_some() {
        let reach = reach(contact, body, leeway(contact, body));
        (reach, around.inflated(reach))
    } else {
        (
            reach(contact, body, travel.own),
            Sweep::new(contact, body, travel.own, dt).of(&around),
        )
    };
}

/// Stores the boxes that are new and brings the list of pairs up to date; pairs that stay keep what is known of them.
fn collect_pairs(state: &mut State, frame: &mut Frame) {
    let mut broad = std::mem::take(&mut state.broad);
    let mut pairs = std::mem::take(&mut state.pairs);
    let (shared, placed) = (&*state, &frame.placed);
    let keep = |a, b| may_meet(shared, placed, [a, b]);
    let left = frame.left.iter().flat_map(|l| &l.boxes).copied();
    let growth = broad.store_many(left.clone().count(), left);
    let sorted = &mut frame.sorted;
    sorted.resize_with(pairs.len().div_ceil(SORTED), Sorted::default);
    if !growth.boxes().stale().is_empty() {
        sort_out(growth, &pairs, keep, sorted);
        let found = search(&broad, keep, &mut frame.searches);
        let found = found.iter().flatten().copied();
        let revision = broad.revise(sorted, &found, |parts, plan| {
            parallel::for_each(parts, 1, plan);
        });
        let size = parallel::stretch(SORTED);
        revision.make(&mut pairs, size, &mut frame.astray, |pairs, within| {
            parallel::for_each_run(pairs, size, within);
        });
    }
    (state.broad, state.pairs) = (broad, pairs);
}

/// Finds out which pairs are none any more, while the tree grows.
fn sort_out(
    growth: Growth,
    pairs: &[Pair],
    keep: impl Fn(u32, u32) -> bool + Copy + Send + Sync,
    sorted: &mut [Sorted],
) {
    let boxes = growth.boxes();
    let sort_out = || {
        parallel::for_each_run(sorted, 1, |k, runs| {
            let places = k * SORTED..pairs.len().min((k + 1) * SORTED);
            let each = runs.iter_mut();
            each.for_each(|run| boxes.sort_out(pairs, places.clone(), keep, run));
        });
    };
    parallel::both(|| growth.grow(), sort_out);
}

/// Finds the new pairs of all colliders whose boxes are new, a list for each task.
fn search<'a>(
    broad: &BroadPhase,
    keep: impl Fn(u32, u32) -> bool + Copy + Send + Sync,
    searches: &'a mut Vec<Vec<[u32; 2]>>,
) -> &'a [Vec<[u32; 2]>] {
    let stale = broad.stale();
    let runs = stale.len().div_ceil(RUN);
    searches.truncate(runs + runs / 8 + 1);
    if searches.len() < runs {
        searches.resize_with(runs, Vec::new);
    }
    parallel::for_each_run(&mut searches[..runs], 1, |k, found| {
        let slots = &stale[k * RUN..stale.len().min((k + 1) * RUN)];
        for found in found {
            empty(found);
            for &slot in slots {
                broad.partners(slot, keep, found);
            }
        }
    });
    &searches[..runs]
}

/// Whether two colliders may touch: different bodies, one of them movable, not at rest together, groups, joints.
/// Whoever changes one of these has the pairs rechecked.
pub(crate) fn may_meet(state: &State, placed: &[Placed], pair: [u32; 2]) -> bool {
    let [a, b] = pair.map(|c| &placed[c as usize]);
    let moves = a.dynamic || b.dynamic || a.sensor || b.sensor;
    let admitted = moves && a.body != b.body && a.groups.admits(&b.groups);
    let awake = a.stirs || b.stirs || state.resting_group(pair).is_none();
    admitted && awake && !(a.jointed && b.jointed && joined(state, [a.body, b.body]))
}

/// Whether two bodies are held together by a joint that keeps them from touching.
fn joined(state: &State, pair: [BodyHandle; 2]) -> bool {
    let [a, b] = pair.map(|body| &state.body(body.index()).joints);
    let shorter = if a.len() <= b.len() { a } else { b };
    let joints = shorter.iter().filter_map(|j| state.joints.get(*j));
    joints
        .filter(|j| !j.desc.collide_connected)
        .any(|j| pair.iter().all(|body| j.bodies.contains(body)))
}
