//! Rows of joints into lanes, batch by batch.

use super::MOST;
use super::pack::{Eight, JointLanes, NOBODY, triangle};
use super::row::LaneRow;
use crate::lanes::LANES;
use crate::lanes::batch::Wide3;
use crate::lanes::simd::Stored;
use glam::DVec3;
use rb_core::discretise::RowTerms;

/// How far three axes may be from right angles.
const SKEW: f64 = 1e-9;

impl JointLanes {
    /// Starts a batch. Batches are filled in their order.
    pub fn open(&mut self) {
        (self.counts, self.anchored) = Default::default();
        (self.follows, self.kept) = (true, 0);
    }

    /// Starts a batch anew behind the rows that are carried along.
    pub fn open_behind(&mut self, batch: usize) {
        let kept = self.batches[batch].anchored;
        (self.counts, self.anchored) = ([[kept; LANES], [0; LANES]], [kept; LANES]);
        (self.follows, self.kept) = (true, kept as usize);
    }

    /// Has all rows of the open batch stated in every substep.
    pub fn keep_stating(&mut self) {
        self.follows = false;
    }

    /// Arms of the joint in a lane of batch `batch`: from the centres of mass of a and b to the origins
    /// of its frames, and from the centre of mass of a to that of b (m, world axes).
    #[inline]
    pub fn place(&mut self, batch: usize, lane: usize, arm: [DVec3; 2], apart: DVec3) {
        let to = &mut self.batches[batch];
        set(&mut to.arm[0], lane, arm[0]);
        set(&mut to.arm[1], lane, arm[1]);
        set(&mut to.apart, lane, apart);
    }

    /// Adds a row to a lane of the open batch; false if the lane is full.
    #[inline]
    pub fn put(&mut self, lane: usize, row: &LaneRow) -> bool {
        let sort = usize::from(row.is_bounded());
        let at = self.counts[sort][lane] as usize;
        if at == MOST {
            return false;
        }
        let to = &mut self.staged[sort][at];
        if self.counts[sort].iter().all(|&n| n as usize <= at) {
            *to = Eight::default();
        }
        self.counts[sort][lane] += 1;
        set(&mut to.lin, lane, row.lin);
        set(&mut to.ang[0], lane, row.ang[0]);
        set(&mut to.ang[1], lane, row.ang[1]);
        let RowTerms {
            position,
            velocity,
            soft,
            bounds,
        } = row.terms;
        (to.bias[0].0[lane], to.bias[1].0[lane]) = (position.bias, velocity.bias);
        (to.reg[0].0[lane], to.reg[1].0[lane]) = (position.reg, velocity.reg);
        (to.bounds[0].0[lane], to.bounds[1].0[lane]) = (bounds[0], bounds[1]);
        (to.impulse.0[lane], to.gap.0[lane]) = (row.impulse, row.gap);
        to.soft.0[lane] = soft;
        if row.anchored {
            self.follows &= sort == 0 && at == self.anchored[lane] as usize;
            self.anchored[lane] += 1;
        }
        self.softens |= position.reg != velocity.reg || soft != 0.0;
        self.differs |= position != velocity || soft != 0.0;
        let angular = row.lin == DVec3::ZERO;
        to.length.0[lane] = if angular { row.extent } else { 1.0 };
        to.slot[lane] = row.slot;
        true
    }

    /// Ends the batch with number `batch`.
    pub fn close(&mut self, batch: usize) {
        let most = |counts: &[u8; LANES]| counts.iter().copied().max().unwrap_or(0);
        let counts = [most(&self.counts[0]), most(&self.counts[1])];
        let before = self.batches[batch].first as usize;
        self.make_room(batch, counts);
        let to = &mut self.batches[batch];
        if to.first as usize != before {
            let kept = before..before + self.kept;
            self.rows.copy_within(kept, to.first as usize);
        }
        let (plain, bounded) = self.rows[to.range()].split_at_mut(counts[0] as usize);
        let stated = self.kept..plain.len();
        plain[stated.clone()].copy_from_slice(&self.staged[0][stated]);
        bounded.copy_from_slice(&self.staged[1][..bounded.len()]);
        // Trees have no points.
        to.square = counts == [3, 0] && self.groups.is_empty() && is_square(plain);
        self.batches[batch].anchored = self.common(batch);
    }

    /// How many first rows of a batch that has been filled are anchored in every lane.
    fn common(&self, batch: usize) -> u8 {
        let joints = &self.batches[batch].joints;
        let used = || (0..LANES).filter(|&lane| joints[lane] != NOBODY);
        let whole = |lane| [self.anchored[lane], 0] == self.counts.map(|counts| counts[lane]);
        let most = used().map(|lane| self.anchored[lane]).max().unwrap_or(0);
        let alike = used().all(|lane| self.anchored[lane] == most) || used().all(whole);
        if self.follows && alike { most } else { 0 }
    }

    /// Gives a batch room for its rows, without bounds and with, and their matrices: where they are, if
    /// nothing else has that place by now. What is there has no meaning.
    pub(super) fn make_room(&mut self, batch: usize, counts: [u8; 2]) -> &mut [Eight] {
        let to = &mut self.batches[batch];
        let stays = [to.plain, to.bounded] == counts && to.range().end <= self.filled[0];
        if !stays || to.len() == 0 {
            [to.plain, to.bounded] = counts;
            (to.first, to.factor) = (self.filled[0] as u32, self.filled[1] as u32);
            self.filled[0] += to.len();
            self.filled[1] += 3 * triangle(to.len());
            grow(&mut self.rows, self.filled[0]);
            grow(&mut self.factors, self.filled[1]);
        }
        &mut self.rows[to.range()]
    }
}

fn grow<T: Clone + Default>(numbers: &mut Vec<T>, least: usize) {
    if numbers.len() < least {
        numbers.resize(least, T::default());
    }
}

/// Whether three rows are along axes at right angles, in every lane that has rows.
fn is_square(rows: &[Eight]) -> bool {
    let axis = |k: usize, lane: usize| {
        let [x, y, z] = &rows[k].lin;
        DVec3::new(x.0[lane], y.0[lane], z.0[lane])
    };
    (0..LANES).all(|lane| {
        let [a, b, c] = [axis(0, lane), axis(1, lane), axis(2, lane)];
        let skew = a.dot(b).abs() + b.dot(c).abs() + c.dot(a).abs();
        let unit = |e: DVec3| (e.length_squared() - 1.0).abs();
        let none = [a, b, c] == [DVec3::ZERO; 3];
        none || skew + unit(a) + unit(b) + unit(c) < SKEW
    })
}

#[inline]
pub(super) fn set<W: Stored>(to: &mut Wide3<W>, lane: usize, v: DVec3) {
    to[0].set(lane, v.x);
    to[1].set(lane, v.y);
    to[2].set(lane, v.z);
}
