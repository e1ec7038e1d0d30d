//! Rows of joints into lanes, straight from their joints.
//!
//! Bearings (ball joints and hinges with locks and hard stops alone) are stated once per step, by their frames:
//! the lanes make their rows from these in every substep. Of other joints hard anchored rows are stated once
//! per step and then carried along with their bodies, which gives the same rows; the others are stated in every
//! substep; those of softened joints if the joint had any at the start of the step. A stop of such a joint that had none
//! takes part from the next step on: it has a row from two substeps before it is reached, so that it may come late above
//! 12 rad/s.

use super::Fleet;
use super::place::has_others;
use crate::island::assemble::see;
use crate::island::{Island, Shared};
use glam::DVec3;
use rb_core::discretise::Discretiser;
use rb_core::integrate::Mover;
use rb_core::math::{Pose, Twist};
use rb_core::row::{Course, Row};
use rb_core::stabilise::Stabilisation;
use rb_joints::{Joint, JointCx, Rows};
use rb_solve::lanes::{Carried, LANES, LaneRow};

/// What stating a batch asks for.
#[derive(Clone, Copy)]
struct Stating<'a> {
    shared: &'a Shared<'a>,
    numbers: &'a Discretiser,
    /// Whether all is stated, or what is not carried along.
    all: bool,
}

impl Fleet {
    /// Whether anything is to be stated in the present substep: in the first all that has not stayed.
    pub(super) fn are_stated(
        &self,
        islands: &[Island],
        numbers: &Discretiser,
        first: bool,
    ) -> bool {
        if self.stayed || first {
            return !self.stayed;
        }
        if numbers.joint_step.is_some() && self.links.all_carried() {
            return false;
        }
        let mut parts = self.links.parts().iter().enumerate();
        parts.any(|(part, links)| {
            (0..links.batches()).any(|batch| !self.is_carried(islands, numbers, [part, batch]))
        })
    }

    /// States joints at the present poses: all of them, or those that are not carried along. A member with
    /// a row that lanes cannot hold is no longer `linked`; what is there of it moves nobody else.
    pub(super) fn state(
        &mut self,
        islands: &mut [Island],
        shared: &Shared,
        numbers: &Discretiser,
        all: bool,
    ) {
        if all {
            self.place_joints(islands, shared, numbers);
        }
        let stating = Stating {
            shared,
            numbers,
            all,
        };
        let mut rows = std::mem::take(&mut self.rows);
        let mut seen = false;
        for part in 0..self.links.parts().len() {
            for batch in 0..self.links.parts()[part].batches() {
                let done = match all {
                    true => self.links.parts()[part].is_placed(batch),
                    false => self.is_carried(islands, numbers, [part, batch]),
                };
                if done {
                    continue;
                }
                if !seen {
                    self.squads(islands, |squad| squad.tell());
                    self.look(islands);
                }
                seen = true;
                self.state_batch(islands, stating, [part, batch], &mut rows);
            }
        }
        self.rows = rows;
    }

    /// Has every member look where its bodies are.
    fn look(&self, islands: &mut [Island]) {
        for &k in &self.members {
            let island = &mut islands[k as usize];
            island.seen.clear();
            island.seen.extend(island.movers.iter().map(see));
        }
    }

    /// Whether nothing of a batch has to be stated in the present substep. Rigid joints state their stops
    /// whenever they are near.
    fn is_carried(
        &self,
        islands: &[Island],
        numbers: &Discretiser,
        [part, batch]: [usize; 2],
    ) -> bool {
        let links = &self.links.parts()[part];
        let rigid = numbers.joint_step.is_none();
        let others = || has_others(links, batch, islands, &self.owners);
        links.is_placed(batch) || (links.carried(batch) == Carried::All && !(rigid && others()))
    }

    /// States a batch, or what of it is not carried along.
    fn state_batch(
        &mut self,
        islands: &mut [Island],
        stating: Stating,
        [part, batch]: [usize; 2],
        rows: &mut Rows,
    ) {
        let links = &mut self.links.parts_mut()[part];
        let behind = !stating.all && links.carried(batch) != Carried::None;
        match behind {
            true => links.open_behind(batch),
            false => links.open(),
        }
        for lane in 0..LANES {
            let links = &self.links.parts()[part];
            let Some(joint) = links.joint(batch, lane) else {
                break;
            };
            let [k, own] = self.owners[joint as usize].map(|n| n as usize);
            if !stating.all {
                let memory = &mut islands[k].joints[own].memory;
                memory.store(links.impulses(joint as usize));
            }
            let seat = [part, joint as usize, batch, lane];
            let held = self.state_one(&islands[k], own, stating, seat, behind, rows);
            islands[k].linked &= held;
        }
        self.links.parts_mut()[part].close(batch);
    }

    /// States a joint of an island into a lane of the open batch, or what of it is not carried along;
    /// `seat` is its part of the lanes, its number, its batch and its lane. False if there is a row lanes cannot hold.
    fn state_one(
        &mut self,
        island: &Island,
        own: usize,
        stating: Stating,
        [part, number, batch, lane]: [usize; 4],
        behind: bool,
        rows: &mut Rows,
    ) -> bool {
        let Stating {
            shared, numbers, ..
        } = stating;
        let joint = &island.joints[own];
        let Some(slot) = shared.joints.slot(joint.slot) else {
            return false;
        };
        let sides = joint.movers.map(|m| &island.movers[m as usize]);
        let [a, b] = joint.movers.map(|m| island.seen[m as usize]);
        let (cx, kind) = (JointCx { a, b, h: shared.h }, &slot.desc.kind);
        rows.clear();
        match behind {
            true => kind.loose_rows(&cx, &joint.memory, rows),
            false => kind.rows(&cx, &joint.memory, rows),
        }
        if !slot.desc.options.is_default() {
            slot.desc.options.apply(rows);
        }
        let place = (!behind).then(|| place(&cx, kind.frames()));
        let links = &mut self.links.parts_mut()[part];
        if let Some((arms, apart)) = place {
            links.place(batch, lane, arms, apart);
        }
        let follows = |row: &LaneRow| {
            let fits = place.is_some_and(|(arms, apart)| row.fits(arms, apart));
            fits && numbers.depends_on_gap()
        };
        let extent = reach(sides[0]).max(reach(sides[1]));
        let along = |row: &Row, v: [Twist; 2]| row.jac[0].dot(&v[0]) + row.jac[1].dot(&v[1]);
        let (before, lanes) = ([cx.a.vel, cx.b.vel], &self.lanes);
        let pair = self.pairs[number].map(|body| body as usize);
        rows.iter().all(|stated| {
            if numbers.way(stated) == Some(Stabilisation::Iterated) {
                return false;
            }
            let free = || pair.map(|body| lanes.free(body));
            let terms = numbers.terms(stated, || [along(stated, before), along(stated, free())]);
            let Some(mut row) = LaneRow::new(stated, terms, extent) else {
                return false;
            };
            row.anchored = row.anchored && follows(&row);
            if stated.course == Course::Anchored && !row.anchored {
                links.keep_stating();
            }
            links.put(lane, &row)
        })
    }
}

/// Extent of a body that can move (m).
pub(super) fn reach(m: &Mover) -> f64 {
    if m.inv.is_zero() { 0.0 } else { m.extent }
}

/// Arms of a joint with these frames: from the centres of mass of a and b to the origins of its frames, and
/// from the centre of mass of a to that of b (m, world axes).
fn place(cx: &JointCx, [a, b]: &[Pose; 2]) -> ([DVec3; 2], DVec3) {
    ([cx.a.arm(a.p), cx.b.arm(b.p)], cx.b.com - cx.a.com)
}
