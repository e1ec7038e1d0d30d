//! Rows of joints into lanes, straight from their joints.
//!
//! Bearings (ball joints and hinges with locks and hard stops alone) are stated once per step, by their frames:
//! the lanes make their rows from these in every substep. Of other joints hard anchored rows are stated once
//! per step and then carried along with their bodies, which gives the same rows; the others are stated in every
//! substep, if the joint had any at the start of the step. A stop of a joint that had none takes part from the
//! next step on: it has a row from two substeps before it is reached, so that it may come late above 12 rad/s.

use super::Fleet;
use crate::island::assemble::see;
use crate::island::{Island, IslandJoint, Shared};
use glam::{DMat3, DVec3};
use rb_core::discretise::Discretiser;
use rb_core::integrate::Mover;
use rb_core::math::{Pose, Twist};
use rb_core::row::{Course, Row};
use rb_core::stabilise::Stabilisation;
use rb_joints::bearing::{self, Bearing, Swing};
use rb_joints::{Joint, JointBody, JointCx, LIMIT_MARGIN, Rows, pin};
use rb_solve::lanes::LANES;
use rb_solve::lanes::{Carried, LaneBearing, LanePin, LaneRow, Stops};
use smallvec::SmallVec;

/// What stating a batch asks for.
#[derive(Clone, Copy)]
struct Stating<'a> {
    shared: &'a Shared<'a>,
    numbers: &'a Discretiser,
    /// Whether all is stated, or what is not carried along.
    all: bool,
}

impl Fleet {
    /// States joints at the present poses: all of them, or those that are not carried along. A member with
    /// a row that lanes cannot hold is no longer `linked`; what is there of it moves nobody else.
    pub(super) fn state(
        &mut self,
        islands: &mut [Island],
        shared: &Shared,
        numbers: &Discretiser,
        all: bool,
    ) {
        self.links.begin();
        if !all && numbers.joint_step.is_some() && self.links.all_carried() {
            return;
        }
        let stating = Stating {
            shared,
            numbers,
            all,
        };
        let mut rows = std::mem::take(&mut self.rows);
        let mut seen = false;
        for batch in 0..self.links.batches() {
            let done = match all {
                true if self.hard => self.state_bearings(islands, stating, batch),
                true => self.state_pins(islands, numbers, batch),
                false => self.is_carried(islands, numbers, batch),
            };
            if !done {
                if !seen {
                    self.look(islands);
                }
                seen = true;
                self.state_batch(islands, stating, batch, &mut rows);
            }
        }
        self.rows = rows;
        if all {
            self.links.carry_pins(numbers);
        }
        self.links.turn_bearings(&self.lanes, numbers, &STOPS);
    }

    /// Has every member look where its bodies are.
    fn look(&self, islands: &mut [Island]) {
        for &k in &self.members {
            let island = &mut islands[k as usize];
            island.seen.clear();
            island.seen.extend(island.movers.iter().map(see));
        }
    }

    /// Joints of a batch, lane by lane.
    fn joints<'a>(
        &'a self,
        islands: &'a [Island],
        batch: usize,
    ) -> impl Iterator<Item = (&'a Island, &'a IslandJoint)> {
        let lanes = (0..LANES).map_while(move |lane| self.links.joint(batch, lane));
        lanes.map(|joint| {
            let [k, own] = self.owners[joint as usize];
            let island = &islands[k as usize];
            (island, &island.joints[own as usize])
        })
    }

    /// Whether nothing of a batch has to be stated in the present substep. Rigid joints state their stops
    /// whenever they are near.
    fn is_carried(&self, islands: &[Island], numbers: &Discretiser, batch: usize) -> bool {
        let rigid = numbers.joint_step.is_none();
        if self.links.has_bearings(batch) {
            return true;
        }
        self.links.carried(batch) == Carried::All && !(rigid && self.has_others(islands, batch))
    }

    /// Whether a batch has joints that may do more than hold two points together.
    fn has_others(&self, islands: &[Island], batch: usize) -> bool {
        self.joints(islands, batch).any(|(_, j)| j.pin.is_none())
    }

    /// States a batch, or what of it is not carried along.
    fn state_batch(
        &mut self,
        islands: &mut [Island],
        stating: Stating,
        batch: usize,
        rows: &mut Rows,
    ) {
        let behind = !stating.all && self.links.carried(batch) != Carried::None;
        match behind {
            true => self.links.open_behind(batch),
            false => self.links.open(),
        }
        for lane in 0..LANES {
            let Some(joint) = self.links.joint(batch, lane) else {
                break;
            };
            let [k, own] = self.owners[joint as usize].map(|n| n as usize);
            if !stating.all {
                let memory = &mut islands[k].joints[own].memory;
                memory.store(self.links.impulses(joint as usize));
            }
            let seat = [joint as usize, batch, lane];
            let held = self.state_one(&islands[k], own, stating, seat, behind, rows);
            islands[k].linked &= held;
        }
        self.links.close(batch);
    }

    /// States a batch of rigid bearings; false if there are other joints in it.
    fn state_bearings(&mut self, islands: &[Island], stating: Stating, batch: usize) -> bool {
        let numbers = stating.numbers;
        if numbers.joint_step.is_some() || !numbers.depends_on_gap() {
            return false;
        }
        let mut bearings = SmallVec::<[LaneBearing; LANES]>::new();
        for (island, joint) in self.joints(islands, batch) {
            let Some(bearing) = bearing(island, joint, stating.shared) else {
                return false;
            };
            bearings.push(bearing);
        }
        self.links.open_bearings(batch, &bearings, &STOPS);
        true
    }

    /// States a batch of softened joints that only hold two points together; false if there are others
    /// in it.
    fn state_pins(&mut self, islands: &[Island], numbers: &Discretiser, batch: usize) -> bool {
        let plain = numbers.stabilisation.is_none();
        let Some(step) = numbers.joint_step.filter(|_| plain) else {
            return false;
        };
        if self.has_others(islands, batch) {
            return false;
        }
        self.links.open_pins(batch, step.reg, pin::SLOTS);
        for lane in 0..LANES {
            let Some((island, joint)) = self.joints(islands, batch).nth(lane) else {
                break;
            };
            let Some([a, b]) = joint.pin else { break };
            let center = joint.movers.map(|m| island.movers[m as usize].com_local);
            let pin = LanePin {
                axes: DMat3::from_quat(a.q),
                arm: [a.p - center[0], b.p - center[1]],
                impulse: pin::impulse(&joint.memory),
            };
            self.links.put_pin(batch, lane, &pin);
        }
        true
    }

    /// States a joint of an island into a lane of the open batch, or what of it is not carried along;
    /// `seat` is its number, its batch and its lane. False if there is a row lanes cannot hold.
    fn state_one(
        &mut self,
        island: &Island,
        own: usize,
        stating: Stating,
        [number, batch, lane]: [usize; 3],
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
        if let Some((arms, apart)) = place {
            self.links.place(batch, lane, arms, apart);
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
                self.links.keep_stating();
            }
            self.links.put(lane, &row)
        })
    }
}

/// Stops of bearings.
const STOPS: Stops = Stops {
    slots: bearing::SLOTS,
    margin: LIMIT_MARGIN,
};

/// A joint as lanes take it, if it is a bearing.
fn bearing(island: &Island, joint: &IslandJoint, shared: &Shared) -> Option<LaneBearing> {
    let Bearing {
        frames: [a, b],
        swing,
        twist: [lower, upper],
    } = shared.joints.slot(joint.slot)?.desc.bearing()?;
    let sides = joint.movers.map(|m| &island.movers[m as usize]);
    let cone = match swing {
        Swing::Cone(angle) => angle,
        _ => f64::INFINITY,
    };
    Some(LaneBearing {
        frame: [a.q, b.q],
        arm: [a.p - sides[0].com_local, b.p - sides[1].com_local],
        locked: swing == Swing::Locked,
        stops: [cone, lower, upper],
        angle: joint.memory.angle[2],
        impulses: bearing::impulses(&joint.memory),
        extent: [
            reach(sides[0]).max(reach(sides[1])),
            sides[0].extent.max(sides[1].extent),
        ],
    })
}

/// Extent of a body that can move (m).
fn reach(m: &Mover) -> f64 {
    if m.inv.is_zero() { 0.0 } else { m.extent }
}

/// Arms of a joint with these frames: from the centres of mass of a and b to the origins of its frames, and
/// from the centre of mass of a to that of b (m, world axes).
fn place(cx: &JointCx, [a, b]: &[Pose; 2]) -> ([DVec3; 2], DVec3) {
    let arm = |body: &JointBody, frame: &Pose| body.pose.point(frame.p) - body.com;
    ([arm(&cx.a, a), arm(&cx.b, b)], cx.b.com - cx.a.com)
}
