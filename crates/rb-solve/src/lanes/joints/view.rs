//! What the lanes hold, joint by joint: impulses, and rows for whoever wants rows.

use super::pack::{Eight, JointLanes, term};
use crate::lanes::simd::Wide;
use core::ops::Range;
use glam::DVec3;
use rb_core::law::Law;
use rb_core::math::Twist;
use rb_core::problem::{Pass, Problem, ProblemRow, Source};

/// Direction of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From the problem.
    ToLanes,
    /// Into the problem.
    ToRows,
}

impl JointLanes {
    /// Impulses of a joint by slot (N·s or N·m·s): rows without bounds first. Those of points are as they were noted.
    pub fn impulses(&self, joint: usize) -> impl Iterator<Item = (u8, f64)> + '_ {
        let [batch, lane] = self.seats[joint];
        let (batch, lane) = (&self.batches[batch as usize], lane as usize);
        let point = self.seen_point(batch);
        (0..batch.len()).filter_map(move |k| match &point {
            Some(point) => point.told(k, lane),
            None => {
                let row = &self.rows[batch.first as usize + k];
                is_used(row, lane).then(|| (row.slot[lane], row.impulse.0[lane]))
            }
        })
    }

    /// The same of a joint that is swept as a point with all three rows and no others.
    #[inline]
    pub fn pin_impulses(&self, joint: usize) -> Option<[(u8, f64); 3]> {
        let [batch, lane] = self.seats[joint];
        let batch = &self.batches[batch as usize];
        let point = self.seen_point(batch).filter(|_| batch.len() == 3)?;
        let told = |k| point.told(k, lane as usize);
        Some([told(0)?, told(1)?, told(2)?])
    }

    /// Copies impulses between the lanes and the rows of a problem the joint was put in from, in order. (Not for points:
    /// they have no rows.)
    pub fn exchange(&mut self, joint: usize, rows: &mut [ProblemRow], way: Way) {
        let [batch, lane] = self.seats[joint];
        let (batch, lane) = (&self.batches[batch as usize], lane as usize);
        let (plain, bounded) = self.rows[batch.range()].split_at_mut(batch.plain as usize);
        let (mut plain, mut bounded) = (plain.iter_mut(), bounded.iter_mut());
        for row in rows {
            let next = match row.is_bilateral() {
                true => plain.next(),
                false => bounded.next(),
            };
            let Some(mine) = next else { return };
            match way {
                Way::ToLanes => mine.impulse.0[lane] = row.lambda,
                Way::ToRows => row.lambda = mine.impulse.0[lane],
            }
        }
    }

    /// Number of rows of a joint.
    pub(super) fn rows_of(&self, joint: usize) -> usize {
        self.impulses(joint).count()
    }

    /// Number of rows of all joints.
    pub(super) fn all_rows(&self) -> usize {
        let used = |diag: &Wide| diag.0.iter().filter(|diag| **diag > 0.0).count();
        let rows = |batch| match self.seen_point(batch) {
            Some(point) => point.len(),
            None => self.rows[batch.range()]
                .iter()
                .map(|row| used(&row.diag))
                .sum::<usize>(),
        };
        self.batches.iter().map(rows).sum()
    }

    /// Appends a joint to a problem, as its joint with this `number`; `seat_of` tells the problem's number of a
    /// body.
    pub(super) fn append_joint(
        &self,
        p: &mut Problem,
        joint: usize,
        number: usize,
        seat_of: impl Fn(u32) -> u32,
    ) {
        let [batch, lane] = self.seats[joint];
        let (batch, lane) = (&self.batches[batch as usize], lane as usize);
        let rows = match self.seen_point(batch) {
            Some(point) => &point.rows()[..],
            None => &self.rows[batch.range()],
        };
        let rows = rows.iter().filter(|row| is_used(row, lane));
        let rows: Vec<ProblemRow> = rows.map(|row| unpacked(row, lane)).collect();
        let bodies = [0, 1].map(|side| seat_of(batch.bodies[side][lane].line()));
        p.push_block(bodies, Law::Rows, Source::Joint(number as u32), &rows);
    }

    /// Number of rows of a run of joints.
    pub fn rows(&self, joints: Range<usize>) -> usize {
        joints.map(|joint| self.rows_of(joint)).sum()
    }

    /// Appends a run of joints to a problem, in their order; `seat_of` tells the problem's number of a
    /// body.
    pub fn append_to(&self, p: &mut Problem, joints: Range<usize>, seat_of: impl Fn(u32) -> u32) {
        for (number, joint) in joints.enumerate() {
            self.append_joint(p, joint, number, &seat_of);
        }
    }
}

/// Whether a lane has a row of its batch: others move nothing.
fn is_used(row: &Eight, lane: usize) -> bool {
    row.diag.0[lane] > 0.0
}

fn unpacked(row: &Eight, lane: usize) -> ProblemRow {
    let vector = |w: &[Wide; 3]| DVec3::new(w[0].0[lane], w[1].0[lane], w[2].0[lane]);
    let lin = vector(&row.lin);
    ProblemRow {
        jac: [
            Twist::new(-lin, vector(&row.ang[0])),
            Twist::new(lin, vector(&row.ang[1])),
        ],
        position: term(row, lane, Pass::Position),
        velocity: term(row, lane, Pass::Velocity),
        lo: row.bounds[0].0[lane],
        hi: row.bounds[1].0[lane],
        lambda: row.impulse.0[lane],
        gap: row.gap.0[lane],
        slot: row.slot[lane],
        ..ProblemRow::default()
    }
}
