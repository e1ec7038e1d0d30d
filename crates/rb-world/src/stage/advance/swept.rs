//! Bodies that moved by more than their core in one step are swept from their old pose to their new one against
//! static colliders (bullets: against all), and put back to the first touch they were not yet in contact
//! with. Velocities stay: the next step's contacts take it from there.

use crate::frame::{Frame, Left, NOWHERE, Placed};
use crate::hooks::Hooks;
use crate::stage::broad::may_meet;
use crate::state::State;
use glam::DVec3;
use rb_contact::sweep::{Motion, time_of_impact};
use rb_contact::{Aabb, Collider};
use rb_core::body::{Body, BodyFlags};
use rb_core::math::Twist;
use rb_solve::parallel;
use smallvec::SmallVec;
use std::cell::OnceCell;

/// Bodies held together by joints, at most, that are put back together.
const TOGETHER: usize = 64;

/// Colliders, at most, whose boxes are looked at one by one.
const FEW: usize = 16;

/// Puts back the fast bodies that met something, and with each those that joints hold to it: alone it
/// would be torn from them.
pub(super) fn stop_fast_bodies(
    state: &mut State,
    frame: &mut Frame,
    hooks: Option<&dyn Hooks>,
    dt: f64,
) {
    if frame.notes.iter().all(|run| run.fast.is_empty()) {
        return;
    }
    let (shared, placed) = (&*state, &frame.placed);
    let obstacles = obstacles(&frame.left);
    let obstacles = obstacles.as_deref();
    parallel::for_each(&mut frame.notes, 1, |run| {
        let of = |&slot: &u32| {
            (
                slot,
                first_impact(shared, placed, obstacles, hooks, slot, dt),
            )
        };
        let met = run.fast.iter().map(of).filter(|(_, part)| *part < 1.0);
        run.met.extend(met);
    });
    let mut back = Vec::new();
    for &(slot, fraction) in frame.notes.iter().flat_map(|run| &run.met) {
        let group = held_to(state, slot).into_iter();
        back.extend(group.map(|member| (member, fraction)));
    }
    // The first touch of each group.
    back.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    back.dedup_by_key(|(slot, _)| *slot);
    for &(slot, fraction) in &back {
        let b = state.body_mut(slot);
        b.com = b.previous.p + b.grid.round((b.com - b.previous.p) * fraction);
        b.q = b.previous.q.slerp(b.q, fraction);
    }
    for (slot, _) in back {
        measure_joints(state, frame, slot);
    }
}

/// All colliders that stop what is not a bullet; `None` if they are so many that the tree finds those near a path sooner.
fn obstacles(left: &[Left]) -> Option<SmallVec<[u32; FEW]>> {
    let mut all = SmallVec::new();
    for run in left {
        let mut massive = run.massive;
        while massive != 0 {
            if all.len() == FEW {
                return None;
            }
            all.push(run.first as u32 + massive.trailing_zeros());
            massive &= massive - 1;
        }
    }
    Some(all)
}

/// A body and all that joints hold to it, near and far; it alone where these are too many to stop for one.
fn held_to(state: &State, slot: u32) -> Vec<u32> {
    let mut group = vec![slot];
    let mut next = 0;
    while let Some(&at) = group.get(next) {
        next += 1;
        let joints = state.body(at).joints.iter();
        for joint in joints.filter_map(|&joint| state.joints.get(joint)) {
            for other in joint.bodies.map(|body| body.index()) {
                if state.is_active(other) && !group.contains(&other) {
                    group.push(other);
                }
            }
        }
        if group.len() > TOGETHER {
            return vec![slot];
        }
    }
    group
}

/// Joint errors of a body that was put back, to the report of its island.
fn measure_joints(state: &State, frame: &mut Frame, slot: u32) {
    let joints = state.body(slot).joints.iter();
    for joint in joints.filter_map(|&joint| state.joints.get(joint)) {
        let error = state.joint_error_of(joint);
        let island = frame.place[slot as usize][0];
        if island != NOWHERE {
            let out = &mut frame.islands[island as usize].outcome;
            out.joint_error = out.joint_error.max(error);
        }
    }
}

/// Share of the step's motion a body can make before it meets something: one of the `obstacles`, if they are given and it
/// is not a bullet.
fn first_impact(
    state: &State,
    placed: &[Placed],
    obstacles: Option<&[u32]>,
    hooks: Option<&dyn Hooks>,
    slot: u32,
    dt: f64,
) -> f64 {
    let body = state.body(slot);
    let bullet = body.flags.contains(BodyFlags::BULLET);
    // Near enough that the next step finds a contact there.
    let gap = 0.25 * state.params.contact.margin;
    let mut first = 1.0f64;
    for &c in &body.colliders {
        let mine = state.collider(c.index());
        if mine.collider.is_sensor() {
            continue;
        }
        // Seen from where it was: no place in the world is rounded into when it meets something.
        let origin = body.previous.p;
        let (around, collider) = (path(body, &mine.collider, gap), c.index());
        // Most meet nothing.
        let motion = OnceCell::new();
        let meet = |other: u32| {
            if !bullet && placed[other as usize].dynamic {
                return;
            }
            let theirs = state.collider(other);
            let their_body = state.body(theirs.body.index());
            let solid = !theirs.collider.is_sensor();
            if solid && may_touch(state, placed, hooks, [collider, other]) {
                let motion = motion.get_or_init(|| motion_of(body, &mine.collider, origin, dt));
                let other = motion_of(their_body, &theirs.collider, origin, dt);
                let (a, b) = (mine.collider.shape(), theirs.collider.shape());
                // What it touches from the start is the solver's business, not the sweep's.
                let hit =
                    time_of_impact(a, motion, b, &other, dt, gap).filter(|h| h.fraction > 0.0);
                first = hit.map_or(first, |h| first.min(h.fraction));
            }
        };
        match obstacles.filter(|_| !bullet) {
            Some(obstacles) => state.broad.overlapping_of(obstacles, &around, meet),
            None => state.broad.overlapping(&around, meet),
        }
    }
    first
}

/// Box (m, world) around where a collider was before the step and where it is now, `gap` (m) larger.
fn path(body: &Body, collider: &Collider, gap: f64) -> Aabb {
    let ends = [&body.previous, &body.com_pose()].map(|com| {
        let stand = collider.stand(com, body.mass.com_local, body.grid);
        collider.shape().aabb(&stand.pose)
    });
    ends[0].merged(&ends[1]).inflated(gap)
}

/// Whether the narrow phase would look for contacts of two solid colliders: what may be passed does not stop
/// a fast body.
fn may_touch(state: &State, placed: &[Placed], hooks: Option<&dyn Hooks>, pair: [u32; 2]) -> bool {
    let [a, b] = pair;
    let sides = [a.min(b), a.max(b)].map(|c| &placed[c as usize]);
    may_meet(state, placed, pair)
        && hooks.is_none_or(|h| h.may_touch(sides.map(|s| s.collider), sides.map(|s| s.body)))
}

/// Motion of a collider over the last step, at the mean velocity of its body, seen from `origin` (m, world).
fn motion_of(body: &Body, collider: &Collider, origin: DVec3, dt: f64) -> Motion {
    let lin = (body.com - body.previous.p) / dt;
    let ang = rb_core::math::log_rotation(body.q * body.previous.q.conjugate()) / dt;
    let stand = collider.stand(&body.previous, body.mass.com_local, body.grid);
    let start = stand.seen_from(origin);
    Motion::new(start.pose, Twist::new(lin, ang)).about(start.center)
}
