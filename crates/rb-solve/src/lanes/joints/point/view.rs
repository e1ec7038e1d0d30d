//! Points as the rows they stand for.

use super::Point;
use crate::lanes::batch::Wide3;
use crate::lanes::joints::carry::Turns;
use crate::lanes::joints::grade::Graded;
use crate::lanes::joints::pack::{Batch, Eight, JointLanes};
use crate::lanes::pair::Pair;
use crate::lanes::simd::{AllLanes, Double, Narrow, Plain, Simd, Stored, Wide};
use crate::lanes::vector::V3;
use crate::lanes::{LANES, dispatch};

impl JointLanes {
    /// The point of a batch, if it is swept as one.
    #[inline(always)]
    pub(in crate::lanes::joints) fn point_of(&self, batch: &Batch) -> Option<&Point> {
        self.points.get(batch.point as usize)
    }

    /// The same of either precision, to be looked at.
    #[inline(always)]
    pub(in crate::lanes::joints) fn seen_point(&self, batch: &Batch) -> Option<Seen<'_>> {
        match self.net.point_of(batch) {
            Some(point) => Some(Seen::Single(point)),
            None => self.point_of(batch).map(Seen::Double),
        }
    }

    /// Notes the impulses of points along their axes, after the last sweep of a step.
    pub fn note_points(&mut self) {
        let count = self.numbered as usize;
        match self.net.is_used {
            true => run(&mut self.net.points[..count]),
            false => run(&mut self.points[..count]),
        }
    }
}

/// A point of either precision.
pub(in crate::lanes::joints) enum Seen<'a> {
    Single(&'a Point<Narrow>),
    Double(&'a Point),
}

impl Seen<'_> {
    /// Slot and noted impulse of row `k` in a lane, if the joint there has one.
    #[inline]
    pub(in crate::lanes::joints) fn told(&self, k: usize, lane: usize) -> Option<(u8, f64)> {
        match self {
            Self::Single(point) => point.told(k, lane),
            Self::Double(point) => point.told(k, lane),
        }
    }

    /// Number of rows of all joints of the batch.
    pub(in crate::lanes::joints) fn len(&self) -> usize {
        match self {
            Self::Single(point) => point.len(),
            Self::Double(point) => point.len(),
        }
    }

    /// The rows as they would be stated now.
    pub(in crate::lanes::joints) fn rows(&self) -> [Eight; 3] {
        match self {
            Self::Single(point) => point.widened::<Plain>().rows(),
            Self::Double(point) => point.rows(),
        }
    }
}

fn run<W: Stored>(points: &mut [Point<W>]) {
    dispatch!(of W note(points: &mut [Point<W>]))
}

#[inline(always)]
pub(in crate::lanes::joints) fn note<S: Simd>(points: &mut [Point<S::Stored>]) {
    for point in points {
        let impulse = V3::<S>::load(&point.impulse);
        for k in 0..3 {
            point.axis(k).dot(impulse).store(&mut point.along[k]);
        }
    }
}

impl<W: Stored> Point<W> {
    #[inline(always)]
    fn axis<S: Simd<Stored = W>>(&self, k: usize) -> V3<S> {
        V3::load(&self.axes[k])
    }

    /// Its A⁻¹ in a lane.
    #[cfg(test)]
    pub(in crate::lanes::joints) fn inverse(&self, lane: usize) -> [f64; 6] {
        self.inverse.map(|w| w.at(lane))
    }

    /// Number of rows of all joints.
    fn len(&self) -> usize {
        let used = |diag: &W| (0..LANES).filter(|&lane| diag.at(lane) > 0.0).count();
        self.diag.iter().map(used).sum()
    }

    /// Slot and noted impulse of row `k` in a lane, if the joint there has one.
    #[inline]
    fn told(&self, k: usize, lane: usize) -> Option<(u8, f64)> {
        let there = self.diag[k].at(lane) > 0.0;
        there.then(|| (self.slots[k][lane], self.along[k].at(lane)))
    }

    /// Largest |φ| of its rows where its bodies are now.
    #[inline(always)]
    pub(in crate::lanes::joints) fn error<S: Simd<Stored = W>>(&self, now: &Turns<S>) -> S {
        let [reach, arm] = [V3::load(&self.arm[0]), V3::load(&self.arm[1])];
        let turn = now.turn[0].matrix();
        let reach = reach.sub(arm).add(now.went).add(now.turn[1].of(arm));
        let gap = reach.sub(turn.of(V3::load(&self.anchor)));
        let mut largest = S::zero();
        for k in 0..3 {
            let gap = turn.of(self.axis(k)).dot(gap);
            largest = gap.max(S::zero().sub(gap)).max(largest);
        }
        largest
    }
}

impl Point {
    /// The rows as they would be stated now.
    pub(in crate::lanes::joints) fn rows(&self) -> [Eight; 3] {
        let [reach, arm] = [V3::<Plain>::load(&self.arm[0]), V3::load(&self.arm[1])];
        let gap = reach.sub(V3::load(&self.anchor));
        let all = |x: f64| Wide([x; LANES]);
        let mut rows = [Eight::default(); 3];
        for (k, row) in rows.iter_mut().enumerate() {
            let e = self.axis(k);
            e.store(&mut row.lin);
            e.cross(reach).store(&mut row.ang[0]);
            arm.cross(e).store(&mut row.ang[1]);
            e.dot(gap).store(&mut row.gap);
            e.dot(V3::load(&self.impulse)).store(&mut row.impulse);
            for pass in 0..2 {
                let bias = V3::load(&self.bias[pass]);
                e.dot(bias).store(&mut row.bias[pass]);
            }
            let diag = Plain::load(&self.diag[k]);
            diag.store(&mut row.diag);
            Plain::load(&self.soft).mul(diag).store(&mut row.reg[0]);
            row.bounds = [all(f64::NEG_INFINITY), all(f64::INFINITY)];
            (row.soft, row.length, row.slot) = (self.soft, all(1.0), self.slots[k]);
        }
        rows
    }

    /// Its rows for the certificate: each with its J v⁺ and J ṽ.
    #[inline(always)]
    pub(in crate::lanes::joints) fn graded<S: Double>(
        &self,
        k: usize,
        vel: &Pair<S>,
        free: &Pair<S>,
    ) -> (Graded<S>, [S; 2]) {
        let (e, arm) = (
            self.axis::<S>(k),
            [V3::load(&self.arm[0]), V3::load(&self.arm[1])],
        );
        let graded = Graded {
            diag: S::load(&self.diag[k]),
            reg: S::zero(),
            bias: e.dot(V3::load(&self.bias[1])),
            impulse: e.dot(V3::load(&self.impulse)),
            bounds: [S::splat(f64::NEG_INFINITY), S::splat(f64::INFINITY)],
            length: S::splat(1.0),
        };
        (graded, [e.dot(vel.slip(&arm)), e.dot(free.slip(&arm))])
    }
}

impl Point<Narrow> {
    /// The same with all digits.
    #[inline(always)]
    pub(in crate::lanes::joints) fn widened<S: Double + AllLanes>(&self) -> Point {
        let (bias, arm) = (&self.bias, &self.arm);
        Point {
            bodies: self.bodies,
            impulse: vector::<S>(&self.impulse),
            along: vector::<S>(&self.along),
            arm: [vector::<S>(&arm[0]), vector::<S>(&arm[1])],
            bias: [vector::<S>(&bias[0]), vector::<S>(&bias[1])],
            anchor: vector::<S>(&self.anchor),
            axes: [
                vector::<S>(&self.axes[0]),
                vector::<S>(&self.axes[1]),
                vector::<S>(&self.axes[2]),
            ],
            diag: vector::<S>(&self.diag),
            soft: number::<S>(&self.soft),
            slots: self.slots,
            ..Point::default()
        }
    }
}

#[inline(always)]
fn vector<S: Double + AllLanes>(from: &Wide3<Narrow>) -> Wide3 {
    let [x, y, z] = from;
    [number::<S>(x), number::<S>(y), number::<S>(z)]
}

#[inline(always)]
fn number<S: Double + AllLanes>(from: &Narrow) -> Wide {
    let mut to = Wide::default();
    S::read_single(&from.0).store(&mut to);
    to
}
