//! Rows that follow their bodies.
//!
//! A row that holds two anchors together, φ = e·(p_b − p_a), turns with a and moves with both anchors:
//! that needs no kind of joint, and gives what the joint would state at the new poses (see
//! [`Course::Anchored`](rb_core::row::Course)). Other rows are stated anew by their joints.
//!
//! ```text
//! e⁺ = q_a e,  r⁺ = q r of both arms,  d⁺ = d + Δx_b − Δx_a of the way between the centres of mass
//! J = (−e, −(d + r_b) × e, e, r_b × e),  φ = e·(d + r_b − r_a)
//! ```

use super::bearing::Rest;
use super::pack::{Batch, Eight, JointLanes, NOBODY};
use super::pin::Pins;
use super::point::Point;
use super::swivel;
use crate::lanes::LANES;
use crate::lanes::batch::Wide3;
use crate::lanes::dispatch;
use crate::lanes::simd::{Double, Line, Place, Simd, by_halves};
use crate::lanes::vector::V3;
use rb_core::discretise::Discretiser;

impl JointLanes {
    /// Carries the anchored rows along with their bodies, under a soft step or as rigid ones.
    pub fn carry(&mut self, numbers: &Discretiser) {
        match self.net.is_used {
            true => self.carry_net(numbers, false, false),
            false => run(self, numbers, false),
        }
    }

    /// Whether all joints are swept as points.
    pub fn has_only_points(&self) -> bool {
        self.numbered as usize == self.batches.len()
    }

    /// [`carry_pins`](Self::carry_pins) at the `first` substep, else [`carry`](Self::carry), and [`pull`](Self::pull) in
    /// one go, where there are [only points](Self::has_only_points).
    pub fn carry_points(&mut self, numbers: &Discretiser, first: bool) {
        self.levers.fill(Line::default());
        match self.net.is_used {
            true => self.carry_net(numbers, first, true),
            false => run_carry_points(self, Bias::of(numbers), first),
        }
        self.batches.iter_mut().for_each(|b| b.local = false);
    }

    /// The largest of [`carried_errors`](Self::carried_errors) (m).
    pub fn carried_error(&self) -> f64 {
        if self.net.is_used {
            return self.net_error();
        }
        let mut most = Line::default();
        for batch in self.batches.iter().filter(|b| b.anchored > 0) {
            run_error(self, batch, &mut most);
        }
        let mut largest = most.0.into_iter().fold(0.0, f64::max);
        swivel::errors(self, &mut |_, error| largest = error.max(largest));
        largest
    }

    /// Tells of every joint the largest |φ| of its anchored rows where its bodies are now, and how far a
    /// bearing is from holding otherwise (m).
    pub fn carried_errors(&self, mut tell: impl FnMut(usize, f64)) {
        for batch in self.batches.iter().filter(|b| b.anchored > 0) {
            let mut most = Line::default();
            run_error(self, batch, &mut most);
            let joints = batch.joints.into_iter().zip(most.0);
            let joints = joints.filter(|(joint, _)| *joint != NOBODY);
            joints.for_each(|(joint, error)| tell(joint as usize, error));
        }
        swivel::errors(self, &mut tell);
    }
}

/// One turn per lane.
pub(super) struct Turn<S> {
    axis: V3<S>,
    w: S,
}

impl<S: Simd> Turn<S> {
    /// That of a quaternion x, y, z, w.
    #[inline(always)]
    pub(super) fn new([x, y, z, w]: [S; 4]) -> Self {
        Self {
            axis: V3([x, y, z]),
            w,
        }
    }

    /// Its quaternion x, y, z, w.
    #[inline(always)]
    pub(super) fn numbers(&self) -> [S; 4] {
        let [x, y, z] = self.axis.0;
        [x, y, z, self.w]
    }

    /// The angle (rad) of a small one, or up to 1.7 times as much.
    #[inline(always)]
    pub(super) fn angle(&self) -> S {
        let size = |x: S| x.max(S::zero().sub(x));
        let [x, y, z] = self.axis.0;
        let half = size(x).add(size(y)).add(size(z));
        half.add(half)
    }

    #[inline(always)]
    pub(super) fn of(&self, v: V3<S>) -> V3<S> {
        let half = self.axis.cross(v);
        let t = half.add(half);
        v.more(t, self.w).add(self.axis.cross(t))
    }

    /// The same as a matrix, which takes less from the second vector on.
    #[inline(always)]
    pub(super) fn matrix(&self) -> Matrix<S> {
        let ([x, y, z], one) = (self.axis.0, S::splat(1.0));
        let twice = self.axis.add(self.axis);
        let ([u, v, w], [p, q, r]) = (twice.0, twice.scaled(self.w).0);
        let (xy, xz, yz) = (x.mul(v), x.mul(w), y.mul(w));
        Matrix([
            V3([z.nfma(w, y.nfma(v, one)), xy.sub(r), xz.add(q)]),
            V3([xy.add(r), z.nfma(w, x.nfma(u, one)), yz.sub(p)]),
            V3([xz.sub(q), yz.add(p), y.nfma(v, x.nfma(u, one))]),
        ])
    }
}

/// A turn per lane, row by row.
pub(super) struct Matrix<S>([V3<S>; 3]);

impl<S: Simd> Matrix<S> {
    #[inline(always)]
    pub(super) fn of(&self, v: V3<S>) -> V3<S> {
        let [x, y, z] = &self.0;
        V3([x.dot(v), y.dot(v), z.dot(v)])
    }
}

/// What both bodies of each lane did.
pub(super) struct Turns<S> {
    pub(super) turn: [Turn<S>; 2],
    /// Translation of b's centre of mass relative to a's (m).
    pub(super) went: V3<S>,
}

impl<S: Simd> Turns<S> {
    #[inline(always)]
    pub(super) fn of(turned: &[Line], bodies: &[[Place; LANES]; 2]) -> Self {
        let a = S::gather(turned, &bodies[0]);
        let b = S::gather(turned, &bodies[1]);
        Self {
            turn: [
                Turn::new([a[4], a[5], a[6], a[3]]),
                Turn::new([b[4], b[5], b[6], b[3]]),
            ],
            went: V3([b[0], b[1], b[2]]).sub(V3([a[0], a[1], a[2]])),
        }
    }
}

/// Carries the anchored batches along, those that are `local` or the others.
pub(super) fn run(lanes: &mut JointLanes, numbers: &Discretiser, local: bool) {
    run_carry(lanes, Bias::of(numbers), local);
}

/// What is made of a gap.
#[derive(Clone, Copy)]
pub(super) struct Bias {
    /// Share to take out (1/s), and how fast at most (m/s).
    pub(super) rate: f64,
    pub(super) push: f64,
    /// Whether the velocity pass takes it out as well.
    pub(super) hard: bool,
}

impl Bias {
    /// That of the numbers of a step.
    pub(super) fn of(numbers: &Discretiser) -> Self {
        match numbers.joint_step {
            Some(step) => Self {
                rate: step.linear.rate,
                push: numbers.contact.push_out,
                hard: false,
            },
            None => Self {
                rate: 1.0 / numbers.h,
                push: f64::INFINITY,
                hard: true,
            },
        }
    }

    #[inline(always)]
    pub(super) fn numbers<S: Simd>(self) -> [S; 2] {
        [S::splat(self.rate), S::splat(self.push)]
    }
}

fn run_carry_points(lanes: &mut JointLanes, bias: Bias, local: bool) {
    dispatch!(carry_points(
        lanes: &mut JointLanes,
        bias: Bias,
        local: bool
    ))
}

fn run_carry(lanes: &mut JointLanes, bias: Bias, local: bool) {
    dispatch!(carry(
        lanes: &mut JointLanes,
        bias: Bias,
        local: bool
    ))
}

#[inline(always)]
pub(super) fn carry<S: Double>(lanes: &mut JointLanes, bias: Bias, local: bool) {
    let (rows, points, turned) = (&mut lanes.rows, &mut lanes.points, &lanes.turned[..]);
    let (pins, rests) = (&lanes.pins, &lanes.rests[..]);
    for batch in &mut lanes.batches {
        if batch.anchored == 0 || batch.local != local {
            continue;
        }
        if let Some(point) = points.get_mut(batch.point as usize) {
            let home = local.then(|| &pins[batch.point as usize]);
            by_halves!(follow::<S>(point, turned, bias, home));
            continue;
        }
        let rest = match local {
            true => rests.get(batch.bearing as usize),
            false => None,
        };
        let rows = &mut rows[batch.carried()];
        by_halves!(follow_rows::<S>(batch, rows, turned, bias, rest));
    }
}

/// Carries rows along; those of bearings that start a step come from where these are at `rest`.
#[inline(always)]
fn follow_rows<S: Double>(
    batch: &mut Batch,
    rows: &mut [Eight],
    turned: &[Line],
    bias: Bias,
    rest: Option<&Rest>,
) {
    let [rate, push] = bias.numbers::<S>();
    let now = match rest {
        Some(rest) => Followed::<S>::from_rest(rest, batch, turned),
        None => Followed::new(batch, turned),
    };
    now.apart.store(&mut batch.apart);
    now.arm[0].store(&mut batch.arm[0]);
    now.arm[1].store(&mut batch.arm[1]);
    let (reach, gap) = (now.reach(), now.gap());
    for (k, row) in rows.iter_mut().enumerate() {
        let axis = match rest {
            Some(rest) => &rest.axes[k],
            None => &row.lin,
        };
        let e = now.turn.of(V3::load(axis));
        e.store(&mut row.lin);
        e.cross(reach).store(&mut row.ang[0]);
        now.arm[1].cross(e).store(&mut row.ang[1]);
        let gap = e.dot(gap);
        gap.store(&mut row.gap);
        let out = gap.mul(rate).min(push).max(S::zero().sub(push));
        if bias.hard {
            out.store(&mut row.bias[1]);
            out.store(&mut row.bias[0]);
        } else {
            out.add(S::load(&row.bias[1])).store(&mut row.bias[0]);
        }
        S::zero().store(&mut row.reg[0]);
    }
}

/// Carries a point along.
#[inline(always)]
fn follow<S: Double>(point: &mut Point, turned: &[Line], bias: Bias, home: Option<&Pins>) {
    let now = Turns::<S>::of(turned, &point.bodies);
    point.carry(&now, bias.numbers(), home);
}

/// Carries points along where there is nothing else, and sums up the geometric stiffness from their impulses while
/// these are at hand.
#[inline(always)]
pub(super) fn carry_points<S: Double>(lanes: &mut JointLanes, bias: Bias, local: bool) {
    let JointLanes {
        batches,
        points,
        pins,
        turned,
        levers,
        ..
    } = lanes;
    for batch in batches {
        let point = &mut points[batch.point as usize];
        let home = local.then(|| &pins[batch.point as usize]);
        by_halves!(follow_and_pull::<S>(
            batch,
            point,
            [turned, levers],
            bias,
            home
        ));
    }
}

#[inline(always)]
fn follow_and_pull<S: Double>(
    batch: &Batch,
    point: &mut Point,
    [turned, levers]: [&mut [Line]; 2],
    bias: Bias,
    home: Option<&Pins>,
) {
    let now = Turns::<S>::of(turned, &point.bodies);
    let pull = point.carry(&now, bias.numbers(), home);
    pull.put(levers, &batch.bodies);
}

/// A batch where its bodies are now.
struct Followed<S> {
    /// Turn of a.
    turn: Matrix<S>,
    arm: [V3<S>; 2],
    apart: V3<S>,
}

impl<S: Double> Followed<S> {
    #[inline(always)]
    fn new(batch: &Batch, turned: &[Line]) -> Self {
        let now = Turns::of(turned, &batch.bodies);
        let apart = V3::load(&batch.apart).add(now.went);
        Self::at(now, &batch.arm, apart)
    }

    /// The same of bearings that start a step.
    #[inline(always)]
    fn from_rest(rest: &Rest, batch: &Batch, turned: &[Line]) -> Self {
        let now = Turns::of(turned, &batch.bodies);
        let apart = now.went;
        Self::at(now, &rest.arm, apart)
    }

    #[inline(always)]
    fn at(now: Turns<S>, arm: &[Wide3; 2], apart: V3<S>) -> Self {
        let [a, b] = now.turn;
        let a = a.matrix();
        Self {
            arm: [a.of(V3::load(&arm[0])), b.of(V3::load(&arm[1]))],
            apart,
            turn: a,
        }
    }

    /// From the centre of mass of a to b's anchor.
    #[inline(always)]
    fn reach(&self) -> V3<S> {
        self.apart.add(self.arm[1])
    }

    /// From a's anchor to b's.
    #[inline(always)]
    fn gap(&self) -> V3<S> {
        self.reach().sub(self.arm[0])
    }
}

fn run_error(lanes: &JointLanes, batch: &Batch, most: &mut Line) {
    dispatch!(error(lanes: &JointLanes, batch: &Batch, most: &mut Line))
}

#[inline(always)]
pub(super) fn error<S: Double>(lanes: &JointLanes, batch: &Batch, most: &mut Line) {
    let mut largest = S::load(most);
    if let Some(point) = lanes.point_of(batch) {
        let now = Turns::<S>::of(&lanes.turned, &point.bodies);
        return point.error(&now).max(largest).store(most);
    }
    let now = Followed::<S>::new(batch, &lanes.turned);
    let gap = now.gap();
    for row in &lanes.rows[batch.carried()] {
        let gap = now.turn.of(V3::load(&row.lin)).dot(gap);
        largest = gap.max(S::zero().sub(gap)).max(largest);
    }
    largest.store(most);
}
