//! Rows that follow their bodies, and what their impulses make of the bodies' inertia.
//!
//! A row that holds two anchors together, φ = e·(p_b − p_a), turns with a and moves with both anchors:
//! that needs no kind of joint, and gives what the joint would state at the new poses (see
//! [`Course::Anchored`](rb_core::row::Course)). Other rows are stated anew by their joints.
//!
//! ```text
//! e⁺ = q_a e,  r⁺ = q r of both arms,  d⁺ = d + Δx_b − Δx_a of the way between the centres of mass
//! J = (−e, −(d + r_b) × e, e, r_b × e),  φ = e·(d + r_b − r_a)
//! ```

use super::pack::{Batch, Eight, JointLanes, NOBODY};
use super::point::Point;
use super::swivel;
use crate::lanes::LANES;
use crate::lanes::dispatch;
use crate::lanes::simd::{Double, Line, by_halves};
use crate::lanes::vector::V3;
use rb_core::discretise::Discretiser;

impl JointLanes {
    /// Carries the anchored rows along with their bodies, under a soft step or as rigid ones.
    pub fn carry(&mut self, numbers: &Discretiser) {
        run(self, numbers, false);
    }

    /// Sums up the geometric stiffness of all bodies from the present impulses.
    pub fn pull(&mut self) {
        let none = Line::default();
        self.levers.iter_mut().for_each(|l| *l = none);
        self.pull_more();
    }

    /// Adds it to what there is.
    pub(super) fn pull_more(&mut self) {
        run_pull(&self.batches, &self.rows, &self.points, &mut self.levers);
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

impl<S: Double> Turn<S> {
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

impl<S: Double> Matrix<S> {
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

impl<S: Double> Turns<S> {
    #[inline(always)]
    pub(super) fn of(turned: &[Line], bodies: &[[u32; LANES]; 2]) -> Self {
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
    let bias = match numbers.joint_step {
        Some(step) => Bias {
            rate: step.rate,
            push: numbers.contact.push_out,
            hard: false,
        },
        None => Bias {
            rate: 1.0 / numbers.h,
            push: f64::INFINITY,
            hard: true,
        },
    };
    run_carry(lanes, bias, local);
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

fn run_carry(lanes: &mut JointLanes, bias: Bias, local: bool) {
    dispatch!(carry(
        lanes: &mut JointLanes,
        bias: Bias,
        local: bool
    ))
}

#[inline(always)]
pub(super) fn carry<S: Double>(lanes: &mut JointLanes, bias: Bias, local: bool) {
    let [rate, push] = [S::splat(bias.rate), S::splat(bias.push)];
    let (rows, points, turned) = (&mut lanes.rows, &mut lanes.points, &lanes.turned[..]);
    for batch in &mut lanes.batches {
        if batch.anchored == 0 || batch.local != local {
            continue;
        }
        if let Some(point) = points.get_mut(batch.point as usize) {
            by_halves!(follow::<S>(point, turned, bias, local));
            continue;
        }
        let now = Followed::<S>::new(batch, turned);
        now.apart.store(&mut batch.apart);
        now.arm[0].store(&mut batch.arm[0]);
        now.arm[1].store(&mut batch.arm[1]);
        let (reach, gap) = (now.reach(), now.gap());
        for row in &mut rows[batch.carried()] {
            let e = now.turn.of(V3::load(&row.lin));
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
}

/// Carries a point along, which has yet to take up its impulse if it is `local`.
#[inline(always)]
fn follow<S: Double>(point: &mut Point, turned: &[Line], bias: Bias, local: bool) {
    let [rate, push] = [S::splat(bias.rate), S::splat(bias.push)];
    point.carry(turned, [rate, push]);
    if local {
        point.take_up::<S>();
    }
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
        let Turns { turn: [a, b], went } = Turns::of(turned, &batch.bodies);
        let a = a.matrix();
        Self {
            arm: [a.of(V3::load(&batch.arm[0])), b.of(V3::load(&batch.arm[1]))],
            apart: V3::load(&batch.apart).add(went),
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
        return point.error::<S>(&lanes.turned).max(largest).store(most);
    }
    let now = Followed::<S>::new(batch, &lanes.turned);
    let gap = now.gap();
    for row in &lanes.rows[batch.carried()] {
        let gap = now.turn.of(V3::load(&row.lin)).dot(gap);
        largest = gap.max(S::zero().sub(gap)).max(largest);
    }
    largest.store(most);
}

fn run_pull(batches: &[Batch], rows: &[Eight], points: &[Point], levers: &mut [Line]) {
    dispatch!(pull(
        batches: &[Batch],
        rows: &[Eight],
        points: &[Point],
        levers: &mut [Line]
    ))
}

/// (r·P) 1 − sym(r Pᵀ) of the impulse P on each body at its arm r, as `rb_core::integrate::lever`.
#[inline(always)]
pub(super) fn pull<S: Double>(
    batches: &[Batch],
    rows: &[Eight],
    points: &[Point],
    levers: &mut [Line],
) {
    for batch in batches {
        by_halves!(pull_one::<S>(batch, rows, points, levers));
    }
}

#[inline(always)]
fn pull_one<S: Double>(batch: &Batch, rows: &[Eight], points: &[Point], levers: &mut [Line]) {
    let (impulse, arm) = match points.get(batch.point as usize) {
        Some(point) => point.pull::<S>(),
        None => pulled_by(batch, &rows[batch.range()]),
    };
    for side in 0..2 {
        let sign = S::splat(if side == 0 { -1.0 } else { 1.0 });
        let [x, y, z] = impulse.scaled(sign).0;
        let [u, v, w] = arm[side].0;
        let half = S::splat(-0.5);
        let mixed = |a: S, b: S, c: S, d: S| a.mul(b).add(c.mul(d)).mul(half);
        let old = S::gather(levers, &batch.bodies[side]);
        let new = [
            old[0].add(v.mul(y).add(w.mul(z))),
            old[1].add(u.mul(x).add(w.mul(z))),
            old[2].add(u.mul(x).add(v.mul(y))),
            old[3].add(mixed(u, y, v, x)),
            old[4].add(mixed(u, z, w, x)),
            old[5].add(mixed(v, z, w, y)),
            S::zero(),
            S::zero(),
        ];
        S::scatter(levers, &batch.bodies[side], new);
    }
}

/// Impulse on b of the rows of a batch, and the arms on which each body feels it (m).
#[inline(always)]
fn pulled_by<S: Double>(batch: &Batch, rows: &[Eight]) -> (V3<S>, [V3<S>; 2]) {
    let mut impulse = V3([S::zero(); 3]);
    for row in rows {
        impulse = impulse.more(V3::load(&row.lin), S::load(&row.impulse));
    }
    (impulse, [V3::load(&batch.arm[0]), V3::load(&batch.arm[1])])
}
