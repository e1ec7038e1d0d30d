//! Eight manifolds side by side, as the kernels read them: `W` is a number in each lane, of either precision.

use super::grip::Grip;
use super::plan::Class;
use super::response::{Inertia, Response};
use super::simd::{Line, Place, Simd, Stored, Wide};
use super::view::vector;
use crate::lanes::LANES;
use glam::DVec3;
use rb_core::manifold::{FrictionLaw, MAX_POINTS};
use rb_core::room;

/// One vector per lane, in memory.
pub(super) type Wide3<W = Wide> = [W; 3];

/// No entry in a list.
pub(super) const NONE: u32 = u32::MAX;

/// Up to eight manifolds of one law without a common movable body. What every visit asks for comes first.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Batch<W> {
    /// Bodies a and b; idle lanes have the body that is none.
    pub(super) bodies: [[Place; LANES]; 2],
    pub(super) normal: Wide3<W>,
    pub(super) tangent: Wide3<W>,
    /// J W Jᵀ between the normals of two points, where [`place`] says.
    pub(super) couple: [W; PAIRS],
    /// To the first point, from both bodies, along normal and tangents (m).
    pub(super) arm: [Wide3<W>; 2],
    pub(super) law: FrictionLaw,
    /// Its first [`Point`] and their number.
    pub(super) first: u32,
    pub(super) len: u32,
    /// Its [`Response`], or [`NONE`] where all bodies are round.
    pub(super) response: u32,
    /// Its first entry among the special terms, or [`NONE`].
    pub(super) special: u32,
    /// Its friction as one, or [`NONE`] where each point has its own.
    pub(super) grip: u32,
    /// Its first [`Slip`], where each point has one.
    pub(super) slip: u32,
    pub(super) mu: W,
    /// Wanted speed of b relative to a along the tangents (m/s).
    pub(super) belt: [W; 2],
    /// Soft step of each lane: rate of the push-out (1/s), and R/a.
    pub(super) soft: [W; 2],
    /// Manifold of each lane in the set of contacts, or [`NONE`].
    pub(super) manifolds: [u32; LANES],
    /// Its number among those of the section, or [`NONE`].
    pub(super) members: [u32; LANES],
}

/// Pairs of points of a manifold.
pub(super) const PAIRS: usize = MAX_POINTS * (MAX_POINTS - 1) / 2;

/// Place of two points, the lower one first, among all pairs: 01, 02, 03, 12, 13, 23.
#[inline(always)]
pub(super) const fn place(k: usize, l: usize) -> usize {
    k * (2 * MAX_POINTS - 3 - k) / 2 + l - 1
}

impl<W: Stored> Batch<W> {
    pub(super) fn idle(nobody: u32) -> Self {
        Self {
            bodies: [[Place::new(nobody); LANES]; 2],
            manifolds: [NONE; LANES],
            members: [NONE; LANES],
            normal: Default::default(),
            tangent: Default::default(),
            response: NONE,
            mu: W::default(),
            belt: Default::default(),
            soft: Default::default(),
            law: FrictionLaw::None,
            first: 0,
            len: 0,
            special: NONE,
            grip: NONE,
            slip: 0,
            couple: Default::default(),
            arm: Default::default(),
        }
    }

    /// Makes it idle. What is filled in for every lane stays: a batch is large.
    fn empty(&mut self, nobody: u32) {
        (self.manifolds, self.members) = ([NONE; LANES], [NONE; LANES]);
        self.bodies = [[Place::new(nobody); LANES]; 2];
        (self.special, self.grip, self.len) = (NONE, NONE, 0);
    }

    /// Inertia of its bodies.
    #[inline(always)]
    pub(super) fn inertia<'a>(&self, responses: &'a [Response<W>]) -> Inertia<'a, W> {
        match responses.get(self.response as usize) {
            Some(response) => Inertia::Any(response),
            None => Inertia::Round,
        }
    }

    /// An arm along the axes of a lane, in world axes.
    pub(super) fn world(&self, along: DVec3, lane: usize) -> DVec3 {
        let [n, t] = [&self.normal, &self.tangent].map(|e| vector(e, lane));
        n * along.x + t * along.y + n.cross(t) * along.z
    }

    /// What leads to one of its points from both bodies, in a lane (world).
    pub(super) fn arms(
        &self,
        (points, heights): (&[Point<W>], &[Height<W>]),
        k: usize,
        lane: usize,
    ) -> [DVec3; 2] {
        let [t, u] = &points[k].across;
        let from = DVec3::new(heights[k].rise.at(lane), t.at(lane), u.at(lane));
        let widened = heights[k].gap.at(lane) - heights[0].gap.at(lane);
        let from = [from, from + DVec3::X * widened];
        [0, 1].map(|s| self.world(vector(&self.arm[s], lane) + from[s], lane))
    }

    /// Numbers of its points.
    #[inline(always)]
    pub(super) fn range(&self) -> core::ops::Range<usize> {
        let first = self.first as usize;
        first..first + self.len as usize
    }

    /// Numbers of the friction of its points; none where it is one.
    #[inline(always)]
    pub(super) fn slips(&self) -> core::ops::Range<usize> {
        let first = self.slip as usize;
        let len = if self.grip == NONE { self.len } else { 0 };
        first..first + len as usize
    }
}

/// The same point of up to eight manifolds: its normal, as every visit asks for it. Zero is an idle lane: no impulse
/// moves it.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Point<W> {
    /// From the first point to this one along the tangents (m): the same on the surfaces of a and b, for points are
    /// straight across from each other.
    pub(super) across: [W; 2],
    /// 1/a of the normal.
    pub(super) inverse: W,
    /// Constant part of the normal row in the position pass (m/s). Where that is above 0, so that the point is open, it
    /// is that of the velocity pass as well, which has none otherwise; special terms have one of their own.
    pub(super) bias: W,
    /// 1/(1 + R/a) of the position pass.
    pub(super) give: W,
    /// Impulse along the normal (N·s).
    pub(super) impulse: W,
}

impl<W: Stored> Point<W> {
    /// Constant part of the normal row in the velocity pass (m/s).
    #[inline(always)]
    pub(super) fn after<S: Simd<Stored = W>>(&self) -> S {
        S::load(&self.bias).max(S::zero())
    }
}

/// What the same point has along the normal, which visits need not know.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Height<W> {
    /// How far it is from the first one on the surface of a (m); on that of b by the difference of their gaps more.
    pub(super) rise: W,
    /// Gap when the contact was found (m).
    pub(super) gap: W,
}

/// Friction of the same point, where each point has its own.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Slip<W> {
    /// Impulse along the tangents (N·s).
    pub(super) impulse: [W; 2],
    /// Tangents' part of the column of the normal.
    pub(super) cross: [W; 2],
    /// ρ.
    pub(super) step: W,
}

/// Terms of a point that bounces or yields, made anew in every substep.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Special<W> {
    /// b and R/a, in the position and the velocity pass.
    pub(super) bias: [W; 2],
    pub(super) reg: [W; 2],
}

impl<W: Stored> Special<W> {
    /// b and R/a in the velocity pass.
    #[inline(always)]
    pub(super) fn after<S: Simd<Stored = W>>(&self) -> [S; 2] {
        [S::load(&self.bias[1]), S::load(&self.reg[1])]
    }
}

/// Where a manifold sits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seat {
    pub(super) batch: u32,
    pub(super) lane: u8,
    pub(super) points: u8,
    pub(super) class: Class,
    /// Its place in the order of visits.
    pub(super) turn: u32,
}

/// What the kernels of batches read and write besides the bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed<W> {
    pub(super) batches: Vec<Batch<W>>,
    pub(super) points: Vec<Point<W>>,
    /// In the order of the points.
    pub(super) heights: Vec<Height<W>>,
    pub(super) slips: Vec<Slip<W>>,
    pub(super) grips: Vec<Grip<W>>,
    /// What became of every member, as it is stored, if some have one friction.
    pub(super) settled: Vec<Line>,
    pub(super) special: Vec<Special<W>>,
    pub(super) responses: Vec<Response<W>>,
}

impl<W: Stored> Packed<W> {
    /// Makes so many idle batches, in place of those there were.
    pub(super) fn make_idle(&mut self, batches: usize, nobody: u32) {
        let all = &mut self.batches;
        all.truncate(batches);
        all.iter_mut().for_each(|batch| batch.empty(nobody));
        room::fit(all, batches);
        all.resize_with(batches, || Batch::idle(nobody));
    }

    /// Gives every batch its places in the lists, whose `special` and `grip` say so far whether they are
    /// wanted, and makes room there and for what becomes of so many members. What is in the lists is of former
    /// batches: it is made anew.
    pub(super) fn number(&mut self, members: usize) {
        let [mut points, mut slips, mut grips, mut special] = [0; 4];
        for batch in &mut self.batches {
            (batch.first, batch.slip) = (points, slips);
            points += batch.len;
            if batch.special != NONE {
                batch.special = special;
                special += batch.len;
            }
            if batch.grip != NONE {
                batch.grip = grips;
                grips += 1;
            } else {
                slips += batch.len;
            }
        }
        resize(&mut self.points, points);
        resize(&mut self.heights, points);
        resize(&mut self.slips, slips);
        resize(&mut self.grips, grips);
        resize(
            &mut self.settled,
            if grips > 0 { members as u32 } else { 0 },
        );
        resize(&mut self.special, special);
    }

    /// The points of a batch.
    #[inline(always)]
    pub(super) fn of(&self, batch: &Batch<W>) -> (&[Point<W>], &[Height<W>]) {
        let range = batch.range();
        (&self.points[range.clone()], &self.heights[range])
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let normals = room::bytes(&self.batches) + room::bytes(&self.points);
        let normals = normals + room::bytes(&self.heights);
        let friction = room::bytes(&self.slips) + room::bytes(&self.grips);
        let friction = friction + room::bytes(&self.settled);
        let rare = room::bytes(&self.special) + room::bytes(&self.responses);
        normals + friction + rare
    }
}

fn resize<T: Clone + Default>(list: &mut Vec<T>, len: u32) {
    let len = len as usize;
    if list.capacity() < len {
        // What is in it need not be taken along.
        list.clear();
    }
    list.truncate(len);
    room::fit(list, len);
    list.resize(len, T::default());
}
