//! What the lanes hold, joint by joint: impulses, and rows for whoever wants rows.

use super::pack::{Batch, Eight, JointLanes, term};
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
    /// Impulses of a joint by slot (N·s or N·m·s): rows without bounds first.
    pub fn impulses(&self, joint: usize) -> impl Iterator<Item = (u8, f64)> + '_ {
        let [batch, lane] = self.seats[joint];
        let batch = &self.batches[batch as usize];
        let rows = used(batch, &self.rows[batch.range()], lane as usize);
        rows.map(move |row| (row.slot[lane as usize], row.impulse.0[lane as usize]))
    }

    /// Copies impulses between the lanes and the rows of a problem the joint was put in from, in order.
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
        let rows = used(batch, &self.rows[batch.range()], lane);
        let rows: Vec<ProblemRow> = rows.map(|row| unpacked(row, lane)).collect();
        let bodies = [batch.bodies[0][lane], batch.bodies[1][lane]].map(seat_of);
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

/// Rows a lane has, of those of its batch: the others move nothing.
pub(super) fn used<'a>(
    batch: &Batch,
    rows: &'a [Eight],
    lane: usize,
) -> impl Iterator<Item = &'a Eight> + use<'a> {
    debug_assert_eq!(rows.len(), batch.len());
    rows.iter().filter(move |row| row.diag.0[lane] > 0.0)
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
