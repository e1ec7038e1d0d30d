//! Rows of joints into lanes: levels, seats, storage.

use super::MOST;
use crate::lanes::pack::Wide3;
use crate::lanes::simd::Wide;
use glam::DVec3;
use rb_core::contact_block::LANES;
use rb_core::discretise::RowTerms;
use rb_core::problem::{Pass, ProblemRow, Term};
use rb_core::row::Row;

/// Up to eight joints without a common movable body.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    /// Bodies a and b; idle lanes have the body that is none.
    pub(super) bodies: [[u32; LANES]; 2],
    /// Number of the joint in each lane; [`NOBODY`] in idle ones.
    pub(super) joints: [u32; LANES],
    /// Its first row, then the number of rows without bounds and of those with.
    pub(super) first: u32,
    pub(super) plain: u8,
    pub(super) bounded: u8,
    /// First number of its matrices; those of the velocity pass follow those of the position pass.
    pub(super) factor: u32,
}

/// No joint.
pub(super) const NOBODY: u32 = u32::MAX;

impl Batch {
    /// Number of rows.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.plain as usize + self.bounded as usize
    }

    /// Numbers of its rows.
    #[inline(always)]
    pub(super) fn range(&self) -> core::ops::Range<usize> {
        let first = self.first as usize;
        first..first + self.len()
    }

    /// Where the lower triangle of a pass starts in the matrices.
    #[inline(always)]
    pub(super) fn triangle(&self, pass: Pass) -> usize {
        let behind = match pass {
            Pass::Position => 0,
            Pass::Velocity => triangle(self.len()),
        };
        self.factor as usize + behind
    }
}

/// Numbers in a lower triangle with `n` rows.
#[inline(always)]
pub(super) const fn triangle(n: usize) -> usize {
    n * (n + 1) / 2
}

/// The same row of up to eight joints. Zero is an idle lane: its impulse stays zero.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Eight {
    /// Linear half of b, the opposite of that of a.
    pub(super) lin: Wide3,
    /// Angular halves of a and b.
    pub(super) ang: [Wide3; 2],
    /// b and R of the position and the velocity pass.
    pub(super) bias: [Wide; 2],
    pub(super) reg: [Wide; 2],
    pub(super) bounds: [Wide; 2],
    pub(super) impulse: Wide,
    /// R of the position pass over J W Jᵀ, beside `reg`; then J W Jᵀ.
    pub(super) diag: Wide,
    /// φ at the start of the substep (m or rad).
    pub(super) gap: Wide,
    /// What turns a violation into m/s at the surface: 1, or the extent of a body (m).
    pub(super) length: Wide,
    /// Where the impulses return to in their joints' memory.
    pub(super) slot: [u8; LANES],
}

/// A row as lanes take it.
#[derive(Clone, Copy, Debug)]
pub struct LaneRow {
    /// Linear half of b, the opposite of that of a.
    pub lin: DVec3,
    /// Angular halves of a and b.
    pub ang: [DVec3; 2],
    /// Terms of both passes.
    pub terms: RowTerms,
    /// φ (m or rad).
    pub gap: f64,
    /// Warm start (N·s or N·m·s).
    pub impulse: f64,
    /// Largest extent of the two bodies that can move (m): turns rad/s into m/s.
    pub extent: f64,
    /// Where the impulse returns to.
    pub slot: u8,
}

impl LaneRow {
    /// A row as its joint states it; `None` if its linear halves are not opposite.
    #[inline]
    pub fn new(row: &Row, terms: RowTerms, extent: f64) -> Option<Self> {
        let [a, b] = &row.jac;
        (a.lin == -b.lin).then_some(Self {
            lin: b.lin,
            ang: [a.ang, b.ang],
            terms,
            gap: row.gap,
            impulse: row.warm,
            extent,
            slot: row.slot,
        })
    }

    /// A row of a problem.
    pub fn from_problem(row: &ProblemRow, extent: f64) -> Option<Self> {
        let [a, b] = &row.jac;
        let terms = RowTerms {
            position: row.position,
            velocity: row.velocity,
            soft: 0.0,
            bounds: [row.lo, row.hi],
        };
        (a.lin == -b.lin).then_some(Self {
            lin: b.lin,
            ang: [a.ang, b.ang],
            terms,
            gap: row.gap,
            impulse: row.lambda,
            extent,
            slot: row.slot,
        })
    }

    fn is_bounded(&self) -> bool {
        self.terms.bounds != [f64::NEG_INFINITY, f64::INFINITY]
    }
}

/// The joints of one island, in lanes.
#[derive(Clone, Debug, Default)]
pub struct JointLanes {
    pub(super) batches: Vec<Batch>,
    pub(super) rows: Vec<Eight>,
    /// L and 1/D, M, S and 1/S of each batch, row by row of the lower triangle.
    pub(super) factors: Vec<Wide>,
    /// Batch and lane of each joint, or its key while seats are taken.
    pub(super) seats: Vec<[u32; 2]>,
    /// Rows of the batch being filled, and how many each lane has: without bounds, with.
    staged: Box<[[Eight; MOST]; 2]>,
    counts: [[u8; LANES]; 2],
    /// Level after the last joint of each body; first batch and next seat of each key.
    tops: Vec<u32>,
    places: Vec<[u32; 2]>,
}

impl JointLanes {
    /// Gives every joint a seat. `joints` are their bodies, of which the first `movable` can move, and
    /// a guess of their numbers of rows; `bodies` is the number of bodies.
    pub fn seat(
        &mut self,
        joints: impl Iterator<Item = ([u32; 2], usize)>,
        movable: usize,
        bodies: usize,
    ) {
        self.clear();
        self.tops.clear();
        self.tops.resize(movable, 0);
        self.places.clear();
        let mut pairs = Vec::new();
        for (pair, guess) in joints {
            let ours = pair.map(|b| b as usize).into_iter();
            let ours = ours.filter(|&b| b < movable);
            let level = ours.clone().map(|b| self.tops[b]).max().unwrap_or(0);
            ours.for_each(|b| self.tops[b] = level + 1);
            let key = level as usize * (2 * MOST) + guess.min(2 * MOST - 1);
            if self.places.len() <= key {
                self.places.resize(key + 1, [0; 2]);
            }
            self.places[key][1] += 1;
            self.seats.push([key as u32, 0]);
            pairs.push(pair);
        }
        for place in &mut self.places {
            let more = self.batches.len() + place[1].div_ceil(LANES as u32) as usize;
            *place = [self.batches.len() as u32, 0];
            self.batches.resize(more, idle(bodies as u32));
        }
        for (j, (seat, pair)) in self.seats.iter_mut().zip(pairs).enumerate() {
            let [first, next] = &mut self.places[seat[0] as usize];
            *seat = [*first + *next / LANES as u32, *next % LANES as u32];
            *next += 1;
            let batch = &mut self.batches[seat[0] as usize];
            let lane = seat[1] as usize;
            batch.joints[lane] = j as u32;
            (batch.bodies[0][lane], batch.bodies[1][lane]) = (pair[0], pair[1]);
        }
    }

    /// Forgets all joints.
    pub fn clear(&mut self) {
        self.batches.clear();
        self.rows.clear();
        self.factors.clear();
        self.seats.clear();
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.seats.is_empty()
    }

    /// Number of batches.
    pub fn batches(&self) -> usize {
        self.batches.len()
    }

    /// Joint in a lane of a batch.
    #[inline]
    pub fn joint(&self, batch: usize, lane: usize) -> Option<u32> {
        let joint = self.batches[batch].joints[lane];
        (joint != NOBODY).then_some(joint)
    }

    /// Forgets all rows; the joints keep their seats.
    pub fn clear_rows(&mut self) {
        self.rows.clear();
        self.factors.clear();
    }

    /// Starts a batch. Batches are filled in their order.
    pub fn open(&mut self) {
        self.counts = Default::default();
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
        let set = |to: &mut Wide3, v: DVec3| {
            (to[0].0[lane], to[1].0[lane], to[2].0[lane]) = (v.x, v.y, v.z);
        };
        set(&mut to.lin, row.lin);
        set(&mut to.ang[0], row.ang[0]);
        set(&mut to.ang[1], row.ang[1]);
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
        to.diag.0[lane] = soft;
        let angular = row.lin == DVec3::ZERO;
        to.length.0[lane] = if angular { row.extent } else { 1.0 };
        to.slot[lane] = row.slot;
        true
    }

    /// Ends the batch with number `batch`.
    pub fn close(&mut self, batch: usize) {
        let most = |counts: &[u8; LANES]| counts.iter().copied().max().unwrap_or(0);
        let counts = [most(&self.counts[0]), most(&self.counts[1])];
        let to = &mut self.batches[batch];
        (to.first, to.factor) = (self.rows.len() as u32, self.factors.len() as u32);
        (to.plain, to.bounded) = (counts[0], counts[1]);
        for (staged, count) in self.staged.iter().zip(counts) {
            self.rows.extend_from_slice(&staged[..count as usize]);
        }
        let numbers = self.factors.len() + 2 * triangle(to.len());
        self.factors.resize(numbers, Wide::default());
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.batches.capacity() * size_of::<Batch>()
            + self.rows.capacity() * size_of::<Eight>()
            + self.factors.capacity() * size_of::<Wide>()
            + self.seats.capacity() * size_of::<[u32; 2]>()
    }
}

fn idle(nobody: u32) -> Batch {
    Batch {
        bodies: [[nobody; LANES]; 2],
        joints: [NOBODY; LANES],
        first: 0,
        plain: 0,
        bounded: 0,
        factor: 0,
    }
}

/// Terms of a pass in a lane of a row.
pub(super) fn term(row: &Eight, lane: usize, pass: Pass) -> Term {
    let at = pass as usize;
    Term {
        bias: row.bias[at].0[lane],
        reg: row.reg[at].0[lane],
    }
}
