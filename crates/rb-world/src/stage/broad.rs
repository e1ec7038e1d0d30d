//! Stage 1: where everything will be, and which colliders may meet.

use crate::colliders::mobility;
use crate::events::Events;
use crate::frame::{Frame, PairChunk};
use crate::hooks::Hooks;
use crate::state::State;
use rb_core::body::{Body, BodyKind};
use rb_core::math::{Pose, Twist, log_rotation};

/// Pairs per narrow-phase task.
const CHUNK: usize = 64;

/// Stored boxes are larger than needed by this share of the collider's size, so that slow bodies
/// keep their place in the tree.
const SLACK: f64 = 0.1;

/// Aims kinematic bodies at their targets, brings boxes up to date and collects candidate pairs.
pub(crate) fn run(
    state: &mut State,
    frame: &mut Frame,
    events: &mut Events,
    hooks: &dyn Hooks,
    dt: f64,
) {
    for (_, body) in state.bodies.iter_mut() {
        body.previous = body.com_pose();
        aim(body, dt);
    }
    wake_pulled(state, events);
    update_boxes(state, frame, dt);
    collect_pairs(state, frame, hooks);
}

/// Sleepers on a joint with a kinematic body that moves wake. (Those it touches wake in the next
/// stage.)
fn wake_pulled(state: &mut State, events: &mut Events) {
    let pulled: Vec<u32> = state
        .joints
        .iter()
        .flat_map(|(_, j)| [(j.bodies[0], j.bodies[1]), (j.bodies[1], j.bodies[0])])
        .map(|(driver, driven)| (driver.index(), driven.index()))
        .filter(|&(driver, driven)| {
            let d = state.body(driver);
            d.kind == BodyKind::Kinematic && d.vel != Twist::ZERO && state.body(driven).is_asleep()
        })
        .map(|(_, driven)| driven)
        .collect();
    for slot in pulled {
        let woken = state.wake(slot);
        events
            .wake
            .extend(woken.into_iter().map(|s| state.body_handle(s)));
    }
}

/// Velocity that carries a kinematic body to its target within `dt`.
fn aim(body: &mut Body, dt: f64) {
    let Some(target) = body.target else { return };
    let com = target.point(body.mass.com_local);
    body.vel.lin = (com - body.com) / dt;
    body.vel.ang = log_rotation(target.q * body.q.conjugate()) / dt;
}

/// How far a contact may be away and still matter within this step (m): half the margin, and as far
/// as the body gets, at most half its size. What is faster is left to the swept test.
pub(crate) fn reach(state: &State, body: &Body, dt: f64) -> f64 {
    let margin = 0.5 * state.params.contact.margin;
    let travel = (body.vel.lin.length() + body.vel.ang.length() * body.extent) * dt;
    match body.kind {
        BodyKind::Static => margin,
        BodyKind::Kinematic => margin + travel,
        BodyKind::Dynamic => margin + travel.min(0.5 * body.extent),
    }
}

fn update_boxes(state: &mut State, frame: &mut Frame, dt: f64) {
    frame.collider_poses.clear();
    frame
        .collider_poses
        .resize(state.colliders.capacity(), Pose::IDENTITY);
    let mut broad = std::mem::take(&mut state.broad);
    for (handle, slot) in state.colliders.iter() {
        let body = state.body(slot.body.index());
        let pose = slot.collider.pose(&body.pose());
        frame.collider_poses[handle.index() as usize] = pose;
        if body.kind == BodyKind::Static || body.is_asleep() {
            continue;
        }
        let tight = slot.collider.aabb(&pose).inflated(reach(state, body, dt));
        let slack = SLACK * slot.collider.shape().bounding_radius();
        broad.set(handle.index(), &tight, slack, mobility(body.kind));
    }
    state.broad = broad;
}

fn collect_pairs(state: &mut State, frame: &mut Frame, hooks: &dyn Hooks) {
    let mut broad = std::mem::take(&mut state.broad);
    let pairs = broad.pairs(&|a, b| may_meet(state, hooks, [a, b]));
    let n = pairs.len().div_ceil(CHUNK);
    frame.chunks.resize_with(n, PairChunk::default);
    for (chunk, pairs) in frame.chunks.iter_mut().zip(pairs.chunks(CHUNK)) {
        chunk.pairs.clear();
        chunk.pairs.extend_from_slice(pairs);
    }
    state.broad = broad;
    frame.tasks += n as u32;
}

/// Whether two colliders may touch: different bodies, one of them movable, groups, joints, hooks.
fn may_meet(state: &State, hooks: &dyn Hooks, pair: [u32; 2]) -> bool {
    let [a, b] = pair.map(|c| state.collider(c));
    if a.body == b.body || !a.collider.desc().groups.admits(&b.collider.desc().groups) {
        return false;
    }
    let [body_a, body_b] = [a, b].map(|c| state.body(c.body.index()));
    let sensor = a.collider.desc().sensor || b.collider.desc().sensor;
    if !sensor && body_a.kind != BodyKind::Dynamic && body_b.kind != BodyKind::Dynamic {
        return false;
    }
    let shorter = if body_a.joints.len() <= body_b.joints.len() {
        body_a
    } else {
        body_b
    };
    let joined = shorter
        .joints
        .iter()
        .filter_map(|j| state.joints.get(*j))
        .any(|j| {
            !j.desc.collide_connected && j.bodies.contains(&a.body) && j.bodies.contains(&b.body)
        });
    !joined && hooks.may_touch(pair.map(|c| state.collider_handle(c)), [a.body, b.body])
}
