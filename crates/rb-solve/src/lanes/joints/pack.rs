//! How the joints of an island lie in lanes.

use super::MOST;
use super::bearing::{Bearing, NO_BEARING, Rest};
use super::exact::Free;
use super::grade::Tally;
use super::limbs::Limbs;
use super::net::Net;
use super::pin::Pins;
use super::point::{NO_POINT, Point};
use super::trees::Group;
use crate::lanes::LANES;
use crate::lanes::batch::Wide3;
use crate::lanes::simd::{Line, Place, Wide};
use core::ops::Range;
use glam::{DMat3, DQuat, DVec3};
use rb_core::problem::{Pass, Term};

/// Up to eight joints without a common movable body.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Batch {
    /// Bodies a and b; idle lanes have the body that is none.
    pub(super) bodies: [[Place; LANES]; 2],
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
    /// Its number among the bearings, if it is one of these.
    pub(super) bearing: u32,
    /// Whether its numbers are still in the axes of the bodies (see `pin`).
    pub(super) local: bool,
    /// From the centres of mass to the origins of the joint frames of a and b, and from the centre of
    /// mass of a to that of b (m, world axes).
    pub(super) arm: [Wide3; 2],
    pub(super) apart: Wide3,
    /// W of both bodies.
    pub(super) mass: [[Wide; 9]; 2],
    /// Whether no body has locked axes: what pushes it alike in all directions is with its velocity as well.
    pub(super) even: bool,
    /// First number of its matrices: J W Jᵀ, then that of the position pass, then that of the velocity pass where these
    /// are softened.
    pub(super) factor: u32,
    pub(super) softened: bool,
}

/// No joint.
pub(super) const NOBODY: u32 = u32::MAX;

impl Batch {
    /// Forgets its rows.
    fn empty(&mut self) {
        (self.first, self.plain, self.bounded, self.anchored) = (0, 0, 0, 0);
        (self.square, self.local) = (false, false);
        (self.point, self.bearing) = (NO_POINT, NO_BEARING);
    }

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

    /// Where the lower triangle of J W Jᵀ is among the matrices.
    #[inline(always)]
    pub(super) fn matrix(&self) -> Range<usize> {
        let first = self.factor as usize;
        first..first + triangle(self.len())
    }

    /// Where that of a pass is.
    #[inline(always)]
    pub(super) fn triangle(&self, pass: Pass) -> Range<usize> {
        let number = match pass {
            Pass::Velocity if self.softened => 2,
            _ => 1,
        };
        let size = triangle(self.len());
        let first = self.factor as usize + number * size;
        first..first + size
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
    /// J W Jᵀ of each batch, then L and 1/D, M, S and 1/S, row by row of the lower triangle.
    pub(super) factors: Vec<Wide>,
    /// Rows and numbers of matrices in use.
    pub(super) filled: [usize; 2],
    /// Batches of ball joints; those of earlier steps stay behind.
    pub(super) points: Vec<Point>,
    /// Number of those in use, and of those of pins among them.
    pub(super) numbered: u32,
    pub(super) of_pins: u32,
    /// What these pins were stated as, by number of the point.
    pub(super) pins: Vec<Pins>,
    /// Both of single precision, if that is what they are swept in.
    pub(super) net: Net,
    /// Batches of bearings, and what each starts its steps from.
    pub(super) bearings: Vec<Bearing>,
    pub(super) rests: Vec<Rest>,
    /// Batch and lane of each joint, or its key while seats are taken.
    pub(super) seats: Vec<[u32; 2]>,
    /// Rows of the batch being filled, and how many each lane has: without bounds, with. (Not there
    /// before there are joints: most islands have none.)
    pub(super) staged: Vec<[Eight; MOST]>,
    pub(super) counts: [[u8; LANES]; 2],
    /// How many rows of each lane are anchored, and whether these are the first everywhere; how many are
    /// there already.
    pub(super) anchored: [u8; LANES],
    pub(super) follows: bool,
    pub(super) kept: usize,
    /// What each body did since rows were last stated or carried along: translation (m), then the turn
    /// as a quaternion, w before x, y and z.
    pub(super) turned: Vec<Line>,
    /// Geometric stiffness of each body (kg·m²/s): xx, yy, zz, xy, xz, yz.
    pub(super) levers: Vec<Line>,
    /// While seats are taken: level or batch after the last joint of each body, and the bodies of each joint; how many
    /// joints a level or a batch has, and how many rows those of the batch have.
    pub(super) tops: Vec<u32>,
    pub(super) pairs: Vec<[u32; 2]>,
    pub(super) fills: Vec<u32>,
    pub(super) kinds: Vec<u32>,
    /// Batches in the order in which they are swept.
    pub(super) visits: Vec<u32>,
    /// Trees that are solved exactly, eight side by side; none where joints are only swept.
    pub(super) groups: Vec<Group>,
    pub(super) limbs: Limbs,
    /// Bodies below this number can move.
    pub(super) movable: u32,
    /// Trees by topology or joints by level, while seats are taken.
    pub(super) sorted: Vec<(u64, u32)>,
    /// First number of each block of the trees' factor, and the factor.
    pub(super) blocks: Vec<u32>,
    pub(super) factor: Vec<Wide>,
    /// Side and right-hand side of each row in an exact solve.
    pub(super) sides: Vec<Wide>,
    pub(super) solution: Vec<Wide>,
    /// Impulses of each row and velocities of each body before an exact solve.
    pub(super) before: Vec<Wide>,
    pub(super) start: Vec<Line>,
    /// Rows of each batch that are solved for.
    pub(super) free: Vec<Free>,
    /// Grades of several sets, while they are counted.
    pub(super) tallies: Vec<Tally>,
    /// Whether R differs between the passes, and whether any term does.
    pub(super) softens: bool,
    pub(super) differs: bool,
}

impl JointLanes {
    /// Forgets all joints.
    pub fn clear(&mut self) {
        self.batches.clear();
        self.visits.clear();
        (self.filled, self.numbered, self.of_pins) = ([0; 2], 0, 0);
        self.seats.clear();
        self.groups.clear();
        self.limbs.clear();
        self.bearings.clear();
        self.rests.clear();
    }

    /// Forgets what the joints were stated as; their seats stay.
    pub(super) fn renew(&mut self) {
        (self.filled, self.numbered, self.of_pins) = ([0; 2], 0, 0);
        self.bearings.clear();
        self.rests.clear();
        self.batches.iter_mut().for_each(Batch::empty);
    }

    /// Gives back the memory of lanes that are not needed any more.
    pub fn release(&mut self) {
        *self = Self::default();
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.seats.len()
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

    /// How many joints share the batch of a joint, itself among them.
    pub fn mates(&self, joint: usize) -> usize {
        let batch = &self.batches[self.seats[joint][0] as usize];
        batch.joints.iter().filter(|&&j| j != NOBODY).count()
    }

    /// Starts a substep, whose rows follow.
    pub fn begin(&mut self) {
        (self.softens, self.differs) = (false, false);
    }

    /// Whether both passes pose the same rows.
    pub fn passes_agree(&self) -> bool {
        !self.differs
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

    /// Whether a batch has been stated by its frames: nothing of it ever has to be again.
    pub fn is_placed(&self, batch: usize) -> bool {
        self.batches[batch].local || self.has_bearings(batch)
    }

    /// Whether all rows are.
    pub fn all_carried(&self) -> bool {
        self.batches.iter().all(Batch::is_anchored)
    }

    /// Whether all rows are carried along, or made from frames that are.
    pub fn holds_all(&self) -> bool {
        let mut batches = self.batches.iter();
        batches.all(|b| b.is_anchored() || b.bearing != NO_BEARING)
    }

    /// As [`carried`](Self::carried), of a joint.
    pub fn carries(&self, joint: usize) -> Carried {
        let seat = self.seats.get(joint);
        let batch = |seat: &[u32; 2]| seat[0] as usize;
        match seat.map(batch) {
            Some(batch) if self.has_bearings(batch) => Carried::All,
            Some(batch) => self.carried(batch),
            None => Carried::None,
        }
    }

    /// Sets what a body did since rows were last stated or carried along: translation (m) and turn.
    #[inline]
    pub fn set_turned(&mut self, body: usize, by: DVec3, turn: DQuat) {
        set_turn(&mut self.turned[body], by, turn);
    }

    /// What the joints know of each body: what it did (see [`set_turn`]), and its geometric stiffness
    /// (see [`stiffness`]).
    pub fn bodies(&mut self) -> (&mut [Line], &[Line]) {
        (&mut self.turned, &self.levers)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.batches.capacity() * size_of::<Batch>()
            + self.rows.capacity() * size_of::<Eight>()
            + self.points.capacity() * size_of::<Point>()
            + self.pins.capacity() * size_of::<Pins>()
            + self.net.bytes()
            + self.bearings.capacity() * size_of::<Bearing>()
            + self.rests.capacity() * size_of::<Rest>()
            + (self.factors.capacity() + self.factor.capacity()) * size_of::<Wide>()
            + (self.sides.capacity() + self.solution.capacity()) * size_of::<Wide>()
            + (self.before.capacity() + self.start.capacity()) * size_of::<Wide>()
            + self.seats.capacity() * size_of::<[u32; 2]>()
            + self.limbs.bytes()
    }
}

/// Sets what a body did since rows were last stated or carried along: translation (m) and turn.
#[inline]
pub fn set_turn(line: &mut Line, by: DVec3, turn: DQuat) {
    line.0 = [by.x, by.y, by.z, turn.w, turn.x, turn.y, turn.z, 0.0];
}

/// Geometric stiffness of a body from the last impulses (kg·m²/s).
#[inline]
pub fn stiffness(line: &Line) -> DMat3 {
    let [xx, yy, zz, xy, xz, yz, ..] = line.0;
    DMat3::from_cols_array_2d(&[[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
}

/// Terms of a pass in a lane of a row.
pub(super) fn term(row: &Eight, lane: usize, pass: Pass) -> Term {
    let at = pass as usize;
    Term {
        bias: row.bias[at].0[lane],
        reg: row.reg[at].0[lane],
    }
}
