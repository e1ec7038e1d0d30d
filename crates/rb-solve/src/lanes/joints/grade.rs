//! The certificate of joints in lanes: the natural map of `rb_core::residual`, eight rows at once.

use super::kernel::turning;
use super::pack::{Batch, Eight, JointLanes, NOBODY};
use super::point::Point;
use crate::lanes::LANES;
use crate::lanes::grade::{add, raise};
use crate::lanes::pair::Pair;
use crate::lanes::simd::{Double, Line, Wide, Within, by_halves};
use crate::lanes::vector::V3;
use crate::lanes::{ContactLanes, dispatch};
use rb_core::problem::Source;
use rb_core::residual::{Grade, Scaled};

impl JointLanes {
    /// Grade of the joints in the velocity pass at the velocities of `bodies`.
    pub fn grade(&self, bodies: &ContactLanes, speed_floor: f64) -> (Grade, Scaled) {
        self.grade_in([&bodies.vel, &bodies.free], speed_floor)
    }

    /// The same at the velocities of a section, and those before impulses.
    pub(super) fn grade_in(&self, lines: [&[Line]; 2], speed_floor: f64) -> (Grade, Scaled) {
        let mut tally = Tally::default();
        let sums = self.sums(&self.batches, lines, speed_floor);
        (0..LANES).for_each(|lane| tally.take(&sums, lane, &self.batches));
        tally.graded(0)
    }

    /// The same for each of several sets of joints, given by the first joint of each; sources name
    /// joints within their set.
    pub fn grade_parts(
        &mut self,
        bodies: &ContactLanes,
        firsts: &[u32],
        speed_floor: f64,
        mut out: impl FnMut((Grade, Scaled)),
    ) {
        if firsts.len() == 1 {
            return out(self.grade(bodies, speed_floor));
        }
        let mut tallies = std::mem::take(&mut self.tallies);
        tallies.clear();
        tallies.resize(firsts.len(), Tally::default());
        for batch in self.batches.chunks(1) {
            let sums = self.sums(batch, [&bodies.vel, &bodies.free], speed_floor);
            for (lane, &joint) in batch[0].joints.iter().enumerate() {
                if joint != NOBODY {
                    let part = firsts.partition_point(|&first| first <= joint) - 1;
                    tallies[part].take(&sums, lane, batch);
                }
            }
        }
        let parts = tallies.iter().zip(firsts);
        parts.for_each(|(tally, &first)| out(tally.graded(first)));
        self.tallies = tallies;
    }

    fn sums(&self, batches: &[Batch], [vel, free]: [&[Line]; 2], floor: f64) -> Sums {
        let mut sums = Sums::default();
        if self.net.is_used {
            self.grade_net(batches, [vel, free], floor, &mut sums);
            return sums;
        }
        let numbers = (&self.rows[..], &self.points[..]);
        run(batches, numbers, [vel, free], floor, &mut sums);
        sums
    }
}

/// Running numbers over the lanes of one set of joints.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    abs: f64,
    worst: Option<u32>,
    error2_max: f64,
    scale2_max: f64,
    error2: f64,
    scale2: f64,
    outside: f64,
    product: f64,
}

impl Tally {
    /// Adds a lane of what was summed over `batches`.
    fn take(&mut self, sums: &Sums, lane: usize, batches: &[Batch]) {
        let at = |w: &Wide| w.0[lane];
        if at(&sums.abs) > self.abs {
            self.abs = at(&sums.abs);
            self.worst = Some(batches[at(&sums.place) as usize].joints[lane]);
        }
        for (most, w) in [
            (&mut self.error2_max, &sums.error2_max),
            (&mut self.scale2_max, &sums.scale2_max),
            (&mut self.outside, &sums.outside),
            (&mut self.product, &sums.product),
        ] {
            *most = most.max(at(w));
        }
        self.error2 += at(&sums.error2);
        self.scale2 += at(&sums.scale2);
    }

    /// Grade of a set whose first joint is `first`.
    fn graded(&self, first: u32) -> (Grade, Scaled) {
        let worst = self.worst.map(|joint| Source::Joint(joint - first));
        let grade = Grade {
            abs: self.abs,
            joint: self.abs,
            worst,
            worst_joint: worst,
            outside: self.outside,
            complementarity: self.product,
            ..Grade::default()
        };
        let scaled = Scaled {
            error: self.error2_max.sqrt(),
            scale: self.scale2_max.sqrt(),
            error2: self.error2,
            scale2: self.scale2,
        };
        (grade, scaled)
    }
}

/// Running numbers, lane by lane.
#[derive(Default)]
pub(super) struct Sums {
    pub(super) abs: Wide,
    place: Wide,
    error2_max: Wide,
    scale2_max: Wide,
    pub(super) error2: Wide,
    scale2: Wide,
    pub(super) outside: Wide,
    pub(super) product: Wide,
}

/// Rows and points.
type Both<'a> = (&'a [Eight], &'a [Point]);

fn run(batches: &[Batch], numbers: Both, lines: [&[Line]; 2], floor: f64, sums: &mut Sums) {
    dispatch!(grade(
        batches: &[Batch],
        numbers: Both,
        lines: [&[Line]; 2],
        floor: f64,
        sums: &mut Sums
    ))
}

/// At the velocities of the `lines`, and those before impulses.
#[inline(always)]
pub(super) fn grade<S: Double>(
    batches: &[Batch],
    (rows, points): Both,
    [vel, free]: [&[Line]; 2],
    floor: f64,
    sums: &mut Sums,
) {
    for (number, batch) in batches.iter().enumerate() {
        if let Some(point) = points.get(batch.point as usize) {
            by_halves!(grade_point::<S>(
                point,
                (number, batch),
                [vel, free],
                floor,
                sums
            ));
            continue;
        }
        let vel = Pair::<S>::gather(vel, Within::both(&batch.bodies, vel));
        let free = Pair::<S>::gather(free, Within::both(&batch.bodies, free));
        for row in &rows[batch.range()] {
            let rates = [along(row, &vel), along(row, &free)];
            count(&Graded::of(row), rates, floor, number, sums);
        }
    }
}

/// The points of a batch, by its number.
#[inline(always)]
pub(super) fn grade_point<S: Double>(
    point: &Point,
    (number, batch): (usize, &Batch),
    [vel, free]: [&[Line]; 2],
    floor: f64,
    sums: &mut Sums,
) {
    let vel = Pair::<S>::gather(vel, Within::both(&batch.bodies, vel));
    let free = Pair::<S>::gather(free, Within::both(&batch.bodies, free));
    for k in 0..3 {
        let (row, rates) = point.graded(k, &vel, &free);
        count(&row, rates, floor, number, sums);
    }
}

/// What of a row of eight joints counts beside its rates.
pub(super) struct Graded<S> {
    pub(super) diag: S,
    /// R and b of the velocity pass.
    pub(super) reg: S,
    pub(super) bias: S,
    pub(super) impulse: S,
    pub(super) bounds: [S; 2],
    pub(super) length: S,
}

impl<S: Double> Graded<S> {
    #[inline(always)]
    fn of(row: &Eight) -> Self {
        Self {
            diag: S::load(&row.diag),
            reg: S::load(&row.reg[1]),
            bias: S::load(&row.bias[1]),
            impulse: S::load(&row.impulse),
            bounds: [S::load(&row.bounds[0]), S::load(&row.bounds[1])],
            length: S::load(&row.length),
        }
    }
}

/// J v.
#[inline(always)]
fn along<S: Double>(row: &Eight, v: &Pair<S>) -> S {
    V3::load(&row.lin).dot(v.apart()).add(turning(row, v))
}

/// One row of eight joints, with its J v⁺ and J ṽ. In units of ε = √a e.
#[inline(always)]
fn count<S: Double>(
    row: &Graded<S>,
    [rate, rest]: [S; 2],
    floor: f64,
    number: usize,
    sums: &mut Sums,
) {
    let (zero, one) = (S::zero(), S::splat(1.0));
    let size = |x: S| x.max(zero.sub(x));
    let Graded {
        diag,
        reg,
        bias,
        impulse,
        bounds,
        length,
    } = *row;
    let live = S::gt(diag, zero);
    let pick = |x: S| S::select(live, x, zero);
    let a = S::select(live, size(diag.add(reg)), one);
    let w = reg.fma(impulse, rate.add(bias));
    let scaled = a.mul(impulse);
    let held = scaled.sub(w).max(a.mul(bounds[0])).min(a.mul(bounds[1]));
    let error = size(scaled.sub(held));
    // What is no number compares as no, and counts as infinite.
    let known = S::gt(S::splat(f64::INFINITY), error);
    let error = S::select(known, error, S::splat(f64::INFINITY));
    let abs = pick(error.mul(length));
    let worse = S::gt(abs, S::load(&sums.abs));
    S::select(worse, S::splat(number as f64), S::load(&sums.place)).store(&mut sums.place);
    raise(&mut sums.abs, abs);
    let square = pick(error.mul(error).div(a));
    raise(&mut sums.error2_max, square);
    add(&mut sums.error2, square);
    let scale = size(scaled).max(size(rest)).max(S::splat(floor));
    let scale = pick(scale.mul(scale).div(a));
    raise(&mut sums.scale2_max, scale);
    add(&mut sums.scale2, scale);
    let outside = bounds[0].sub(impulse).max(impulse.sub(bounds[1])).max(zero);
    raise(&mut sums.outside, pick(a.mul(outside).mul(length)));
    let closing = S::gt(w, zero);
    let room = S::select(closing, impulse.sub(bounds[0]), bounds[1].sub(impulse));
    // An equation has no pair: its violation is graded as such.
    let finite = S::gt(S::splat(f64::INFINITY), size(room));
    let product = S::select(finite, size(room.mul(w)), zero);
    raise(&mut sums.product, pick(product));
}
