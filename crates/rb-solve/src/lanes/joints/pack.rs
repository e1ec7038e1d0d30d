//! Rows of joints into lanes, batch by batch, and how they are stored.

use super::MOST;
use super::point::Point;
use super::row::LaneRow;
use super::trees::Group;
use crate::lanes::LANES;
use crate::lanes::batch::Wide3;
use crate::lanes::simd::{Line, Wide};
use core::ops::Range;
use glam::{DMat3, DQuat, DVec3};
use rb_core::discretise::RowTerms;
use rb_core::problem::{Pass, Term};

/// Up to eight joints without a common movable body.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Batch {
    /// Bodies a and b; idle lanes have the body that is none.
    pub(super) bodies: [[u32; LANES]; 2],
    /// Number of the joint in each lane; [`NOBODY`] in idle ones.
    pub(super) joints: [u32; LANES],
    /// Its first row, then the number of rows without bounds and of those with.
    pub(super) first: u32,
    pub(super) plain: u8,
    pub(super) bounded: u8,
    /// How many of its first rows are carried along with their bodies.
    pub(super) anchored: u8,
    /// Whether they are three without bounds along axes at right angles, and their number among the
    /// points if they are swept as one.
    pub(super) square: bool,
    pub(super) point: u32,
    /// Whether its numbers are still in the axes of the bodies (see `pin`).
    pub(super) local: bool,
    /// From the centres of mass to the origins of the joint frames of a and b, and from the centre of
    /// mass of a to that of b (m, world axes).
    pub(super) arm: [Wide3; 2],
    pub(super) apart: Wide3,
    /// W of both bodies.
    pub(super) mass: [[Wide; 9]; 2],
    /// First number of its matrices; those of the velocity pass follow those of the position pass.
    pub(super) factor: u32,
}

/// How far three axes may be from right angles.
const SKEW: f64 = 1e-9;
/// No joint.
pub(super) const NOBODY: u32 = u32::MAX;

impl Batch {
    /// Number of rows.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.plain as usize + self.bounded as usize
    }

    /// Whether all its rows are carried along.
    pub(super) fn is_anchored(&self) -> bool {
        self.anchored > 0 && self.anchored as usize == self.len()
    }

    /// Numbers of its rows.
    #[inline(always)]
    pub(super) fn range(&self) -> Range<usize> {
        let first = self.first as usize;
        first..first + self.len()
    }

    /// Numbers of the rows that are carried along.
    #[inline(always)]
    pub(super) fn carried(&self) -> Range<usize> {
        let first = self.first as usize;
        first..first + self.anchored as usize
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
    /// J W Jᵀ.
    pub(super) diag: Wide,
    /// Share of J W Jᵀ in R of the position pass.
    pub(super) soft: Wide,
    /// φ at the start of the substep (m or rad).
    pub(super) gap: Wide,
    /// What turns a violation into m/s at the surface: 1, or the extent of a body (m).
    pub(super) length: Wide,
    /// Where the impulses return to in their joints' memory.
    pub(super) slot: [u8; LANES],
}

/// Which rows of a joint follow its bodies through the substeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// None: all are stated.
    None,
    /// The anchored ones; others are stated.
    First,
    /// All there are.
    All,
}

/// The joints of one island, in lanes.
#[derive(Clone, Debug, Default)]
pub struct JointLanes {
    pub(super) batches: Vec<Batch>,
    /// Those of earlier steps stay behind the `filled` ones.
    pub(super) rows: Vec<Eight>,
    /// L and 1/D, M, S and 1/S of each batch, row by row of the lower triangle.
    pub(super) factors: Vec<Wide>,
    /// Rows and numbers of matrices in use.
    pub(super) filled: [usize; 2],
    /// Batches of ball joints; those of earlier steps stay behind.
    pub(super) points: Vec<Point>,
    /// Batch and lane of each joint, or its key while seats are taken.
    pub(super) seats: Vec<[u32; 2]>,
    /// Rows of the batch being filled, and how many each lane has: without bounds, with.
    staged: Box<[[Eight; MOST]; 2]>,
    counts: [[u8; LANES]; 2],
    /// How many rows of each lane are anchored, and whether these are the first everywhere.
    anchored: [u8; LANES],
    follows: bool,
    /// What each body did since rows were last stated or carried along: translation (m), then the turn
    /// as a quaternion, w before x, y and z.
    pub(super) turned: Vec<Line>,
    /// Geometric stiffness of each body (kg·m²/s): xx, yy, zz, xy, xz, yz.
    pub(super) levers: Vec<Line>,
    /// Level after the last joint of each body; first batch and next seat of each key.
    pub(super) tops: Vec<u32>,
    pub(super) places: Vec<[u32; 2]>,
    /// Trees that are solved exactly, eight side by side; none where joints are only swept.
    pub(super) groups: Vec<Group>,
    /// Bodies below this number can move.
    pub(super) movable: u32,
    /// Trees by topology, while seats are taken.
    pub(super) sorted: Vec<(u64, u32)>,
    /// First number of each block of the trees' factor, and the factor.
    pub(super) blocks: Vec<u32>,
    pub(super) factor: Vec<Wide>,
    /// Side and right-hand side of each row in an exact solve.
    pub(super) sides: Vec<Wide>,
    pub(super) solution: Vec<Wide>,
    /// Whether R differs between the passes, and whether any term does.
    pub(super) softens: bool,
    pub(super) differs: bool,
}

impl JointLanes {
    /// Forgets all joints.
    pub fn clear(&mut self) {
        self.batches.clear();
        self.filled = [0; 2];
        self.seats.clear();
        self.groups.clear();
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

    /// Starts a substep, whose rows follow.
    pub fn begin(&mut self) {
        (self.softens, self.differs) = (false, false);
    }

    /// Whether both passes pose the same rows.
    pub fn passes_agree(&self) -> bool {
        !self.differs
    }

    /// Starts a batch. Batches are filled in their order.
    pub fn open(&mut self) {
        (self.counts, self.anchored, self.follows) = (Default::default(), [0; LANES], true);
    }

    /// Starts a batch anew behind the rows that are carried along.
    pub fn open_behind(&mut self, batch: usize) {
        self.anchored = [self.batches[batch].anchored; LANES];
        (self.counts, self.follows) = ([self.anchored, [0; LANES]], true);
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
        let carried = self.batches[batch].carried();
        self.make_room(batch, counts);
        let to = &mut self.batches[batch];
        self.rows.copy_within(carried.clone(), to.first as usize);
        let (plain, bounded) = self.rows[to.range()].split_at_mut(counts[0] as usize);
        let stated = carried.len()..plain.len();
        plain[stated.clone()].copy_from_slice(&self.staged[0][stated]);
        bounded.copy_from_slice(&self.staged[1][..bounded.len()]);
        to.square = counts == [3, 0] && is_square(plain);
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
            self.filled[1] += 2 * triangle(to.len());
            grow(&mut self.rows, self.filled[0]);
            grow(&mut self.factors, self.filled[1]);
        }
        &mut self.rows[to.range()]
    }

    /// How many of the rows of a batch are carried along instead of being stated.
    pub fn carried(&self, batch: usize) -> Carried {
        let batch = &self.batches[batch];
        match batch.anchored {
            0 => Carried::None,
            _ if batch.is_anchored() => Carried::All,
            _ => Carried::First,
        }
    }

    /// Whether all rows are.
    pub fn all_carried(&self) -> bool {
        self.batches.iter().all(Batch::is_anchored)
    }

    /// As [`carried`](Self::carried), of a joint.
    pub fn carries(&self, joint: usize) -> Carried {
        let seat = self.seats.get(joint);
        seat.map_or(Carried::None, |seat| self.carried(seat[0] as usize))
    }

    /// Geometric stiffness of a body from the last impulses (kg·m²/s).
    pub fn lever(&self, body: usize) -> DMat3 {
        let [xx, yy, zz, xy, xz, yz, ..] = self.levers[body].0;
        DMat3::from_cols_array_2d(&[[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    }

    /// Sets what a body did since rows were last stated or carried along: translation (m) and turn.
    #[inline]
    pub fn set_turned(&mut self, body: usize, by: DVec3, turn: DQuat) {
        self.turned[body].0 = [by.x, by.y, by.z, turn.w, turn.x, turn.y, turn.z, 0.0];
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.batches.capacity() * size_of::<Batch>()
            + self.rows.capacity() * size_of::<Eight>()
            + self.points.capacity() * size_of::<Point>()
            + (self.factors.capacity() + self.factor.capacity()) * size_of::<Wide>()
            + (self.sides.capacity() + self.solution.capacity()) * size_of::<Wide>()
            + self.seats.capacity() * size_of::<[u32; 2]>()
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
pub(super) fn set(to: &mut Wide3, lane: usize, v: DVec3) {
    (to[0].0[lane], to[1].0[lane], to[2].0[lane]) = (v.x, v.y, v.z);
}

/// Terms of a pass in a lane of a row.
pub(super) fn term(row: &Eight, lane: usize, pass: Pass) -> Term {
    let at = pass as usize;
    Term {
        bias: row.bias[at].0[lane],
        reg: row.reg[at].0[lane],
    }
}
