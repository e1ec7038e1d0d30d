//! Points as the rows they stand for.

use super::Point;
use crate::lanes::joints::carry::Turns;
use crate::lanes::joints::grade::Graded;
use crate::lanes::joints::pack::{Batch, Eight, JointLanes};
use crate::lanes::pair::Pair;
use crate::lanes::simd::{Double, Line, Plain, Simd, Wide};
use crate::lanes::vector::V3;
use crate::lanes::{LANES, dispatch};

impl JointLanes {
    /// The point of a batch, if it is swept as one.
    #[inline(always)]
    pub(in crate::lanes::joints) fn point_of(&self, batch: &Batch) -> Option<&Point> {
        self.points.get(batch.point as usize)
    }

    /// Notes the impulses of points along their axes, after the last sweep of a step.
    pub fn note_points(&mut self) {
        run(&mut self.points[..self.numbered as usize]);
    }
}

fn run(points: &mut [Point]) {
    dispatch!(note(points: &mut [Point]))
}

#[inline(always)]
pub(in crate::lanes::joints) fn note<S: Double>(points: &mut [Point]) {
    for point in points {
        let impulse = V3::<S>::load(&point.impulse);
        for k in 0..3 {
            point.axis(k).dot(impulse).store(&mut point.along[k]);
        }
    }
}

impl Point {
    #[inline(always)]
    fn axis<S: Double>(&self, k: usize) -> V3<S> {
        V3::load(&self.axes[k])
    }

    /// Its A⁻¹ in a lane.
    #[cfg(test)]
    pub(in crate::lanes::joints) fn inverse(&self, lane: usize) -> [f64; 6] {
        self.inverse.map(|w| w.0[lane])
    }

    /// J W Jᵀ of its rows.
    pub(in crate::lanes::joints) fn diagonal(&self) -> &[Wide; 3] {
        &self.diag
    }

    /// Slot and noted impulse of row `k` in a lane, if the joint there has one.
    #[inline]
    pub(in crate::lanes::joints) fn told(&self, k: usize, lane: usize) -> Option<(u8, f64)> {
        let there = self.diag[k].0[lane] > 0.0;
        there.then(|| (self.slots[k][lane], self.along[k].0[lane]))
    }

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

    /// Largest |φ| of its rows where its bodies are now.
    #[inline(always)]
    pub(in crate::lanes::joints) fn error<S: Double>(&self, turned: &[Line]) -> S {
        let now = Turns::<S>::of(turned, &self.bodies);
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
