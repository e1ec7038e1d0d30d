//! Bodies that moved by more than their core in one step are swept from their old pose to their new one against
//! colliders that are not dynamic (bullets: against all), and put back to the first touch they were not yet in contact
//! with. From there they go along with what they met, as far as nothing static is in the way: it would leave them
//! behind. Velocities stay: the next step's contacts take it from there.

use super::BODIES;
use crate::frame::{Frame, Left, NOWHERE, Placed};
use crate::hooks::Hooks;
use crate::stage::broad::may_meet;
use crate::state::State;
use glam::DVec3;
use rb_contact::sweep::{Impact, Motion, time_of_impact};
use rb_contact::{Aabb, Collider};
use rb_core::body::{Body, BodyFlags, BodyKind};
use rb_core::math::{Pose, Twist, log_rotation};
use rb_solve::parallel;
use smallvec::SmallVec;
use std::cell::OnceCell;

/// Bodies held together by joints, at most, that are put back together.
const TOGETHER: usize = 64;

/// Colliders, at most, whose boxes are looked at one by one.
const FEW: usize = 16;

/// Where a body ends a step in which it met something: it goes as it went for a part of the step, and then, until
/// another, as what it met does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Halt {
    slot: u32,
    /// Slot of the body that it met.
    with: u32,
    fraction: f64,
    until: f64,
}

/// Who looks what fast bodies meet.
#[derive(Clone, Copy)]
struct Lookout<'a> {
    state: &'a State,
    placed: &'a [Placed],
    /// All colliders that stop what is no bullet, if they are few.
    obstacles: Option<&'a [u32]>,
    hooks: Option<&'a dyn Hooks>,
    dt: f64,
}

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
    let obstacles = obstacles(&frame.left);
    let lookout = Lookout {
        state,
        placed: &frame.placed,
        obstacles: obstacles.as_deref(),
        hooks,
        dt,
    };
    parallel::for_each(&mut frame.notes, 1, |run| {
        run.met
            .extend(run.fast.iter().filter_map(|&slot| lookout.halt(slot)));
    });
    let mut back = Vec::new();
    for &halt in frame.notes.iter().flat_map(|run| &run.met) {
        let group = held_to(state, halt.slot).into_iter();
        back.extend(group.map(|slot| Halt { slot, ..halt }));
    }
    // The first touch of each group.
    back.sort_unstable_by(|a, b| {
        let first = a.fraction.total_cmp(&b.fraction);
        a.slot.cmp(&b.slot).then(first).then(a.with.cmp(&b.with))
    });
    back.dedup_by_key(|halt| halt.slot);
    let ends: Vec<Pose> = back.iter().map(|h| h.among(&back).end(state)).collect();
    for (halt, end) in back.iter().zip(ends) {
        let b = state.body_mut(halt.slot);
        b.com = b.previous.p + b.grid.round(end.p);
        b.q = end.q;
        let far = &mut frame.notes[halt.slot as usize / BODIES].far;
        if halt.until > halt.fraction && !far.contains(&halt.slot) {
            far.push(halt.slot);
        }
    }
    for halt in back {
        measure_joints(state, frame, halt.slot);
    }
}

impl Halt {
    /// The same where what it met may itself be among those that go `back`.
    fn among(self, back: &[Self]) -> Self {
        let with = back.binary_search_by_key(&self.with, |halt| halt.slot);
        let most = with.map_or(1.0, |k| back[k].fraction);
        Self {
            until: self.until.min(most).max(self.fraction),
            ..self
        }
    }

    /// Where its body ends, seen from where that was before the step: no place in the world is rounded into it.
    fn end(self, state: &State) -> Pose {
        let body = state.body(self.slot);
        let origin = body.previous.p;
        let touch = pose_after(body, self.fraction, origin);
        if self.until <= self.fraction {
            return touch;
        }
        let with = state.body(self.with);
        let [from, to] = [self.fraction, self.until].map(|part| pose_after(with, part, origin));
        to * from.inverse() * touch
    }
}

/// Where a body was after a part of the step, at its mean velocity, seen from `origin` (m, world).
fn pose_after(body: &Body, part: f64, origin: DVec3) -> Pose {
    let way = (body.com - body.previous.p) * part;
    let turned = body.previous.q.slerp(body.q, part);
    Pose::new((body.previous.p - origin) + way, turned)
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

impl Lookout<'_> {
    /// What becomes of a body that meets something.
    fn halt(self, slot: u32) -> Option<Halt> {
        let body = self.state.body(slot);
        let (fraction, with) =
            self.first_impact(body, [&body.previous, &body.com_pose()], false)?;
        let halt = Halt {
            slot,
            with,
            fraction,
            until: fraction,
        };
        if self.state.body(with).kind == BodyKind::Static {
            return Some(halt);
        }
        let whole = Halt { until: 1.0, ..halt };
        let ends = [halt, whole].map(|halt| {
            let end = halt.end(self.state);
            Pose::new(body.previous.p + body.grid.round(end.p), end.q)
        });
        let stopped = self.first_impact(body, ends.each_ref(), true);
        let free = stopped.map_or(1.0, |(part, _)| part);
        Some(Halt {
            until: fraction + (1.0 - fraction) * free,
            ..halt
        })
    }

    /// Share of the way between two poses a body can make before it meets something, and the body that is of; if it is no
    /// bullet, one of the obstacles where they are few. What only `stands` may stop it, or all else in its own motion.
    fn first_impact(self, body: &Body, ends: [&Pose; 2], stands: bool) -> Option<(f64, u32)> {
        let Self {
            state, placed, dt, ..
        } = self;
        let bullet = body.flags.contains(BodyFlags::BULLET);
        // Near enough that the next step finds a contact there.
        let gap = 0.25 * state.params.contact.margin;
        let mut first: Option<(f64, u32)> = None;
        for &c in &body.colliders {
            let mine = state.collider(c.index());
            if mine.collider.is_sensor() {
                continue;
            }
            // Seen from where it was: no place in the world is rounded into when it meets something.
            let origin = body.previous.p;
            let (around, collider) = (path(body, ends, &mine.collider, gap), c.index());
            // Most meet nothing.
            let motion = OnceCell::new();
            let meet = |other: u32| {
                if !bullet && placed[other as usize].dynamic {
                    return;
                }
                let theirs = state.collider(other);
                let with = theirs.body.index();
                let their_body = state.body(with);
                let counts = !stands || their_body.kind == BodyKind::Static;
                let solid = counts && !theirs.collider.is_sensor();
                if solid && may_touch(state, placed, self.hooks, [collider, other]) {
                    let motion =
                        motion.get_or_init(|| motion_of(body, ends, &mine.collider, origin, dt));
                    let theirs_ends = [&their_body.previous, &their_body.com_pose()];
                    let other = motion_of(their_body, theirs_ends, &theirs.collider, origin, dt);
                    let (a, b) = (mine.collider.shape(), theirs.collider.shape());
                    // What it touches from the start is the solver's business, not the sweep's.
                    let hit =
                        time_of_impact(a, motion, b, &other, dt, gap).filter(|h| h.fraction > 0.0);
                    let sooner = |h: &Impact| first.is_none_or(|(part, _)| h.fraction < part);
                    first = hit.filter(sooner).map(|h| (h.fraction, with)).or(first);
                }
            };
            match self.obstacles.filter(|_| !bullet) {
                Some(obstacles) => state.broad.overlapping_of(obstacles, &around, meet),
                None => state.broad.overlapping(&around, meet),
            }
        }
        first.filter(|(part, _)| *part < 1.0)
    }
}

/// Box (m, world) around a collider at both ends of its way, `gap` (m) larger.
fn path(body: &Body, ends: [&Pose; 2], collider: &Collider, gap: f64) -> Aabb {
    let ends = ends.map(|com| {
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

/// Motion of a collider while its body goes from one pose to another within the step, at the mean velocity of that, seen
/// from `origin` (m, world).
fn motion_of(
    body: &Body,
    [from, to]: [&Pose; 2],
    collider: &Collider,
    origin: DVec3,
    dt: f64,
) -> Motion {
    let lin = (to.p - from.p) / dt;
    let ang = log_rotation(to.q * from.q.conjugate()) / dt;
    let stand = collider.stand(from, body.mass.com_local, body.grid);
    let start = stand.seen_from(origin);
    Motion::new(start.pose, Twist::new(lin, ang)).about(start.center)
}
