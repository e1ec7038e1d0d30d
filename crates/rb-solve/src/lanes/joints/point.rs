//! Ball joints in the sweeps: three anchored rows along axes at right angles are one point, which is solved
//! as a vector.
//!
//! With E the axes of the rows, r the arms to the point through which the impulse acts and P = Eᵀλ:
//!
//! ```text
//! w = (v_b + ω_b × r_b) − (v_a + ω_a × r_a) + Eᵀ R E P + Eᵀ b,   ΔP = −Eᵀ (A + R)⁻¹ E w
//! ```
//!
//! That is what the rows would give, from half as many numbers; fewer still where all bodies have equal
//! moments of inertia, as the balls of a cloth. Rows get their impulses back when the passes are done.

use super::pack::{Batch, Eight, JointLanes, triangle};
use super::prepare::eliminate;
use crate::lanes::LANES;
use crate::lanes::batch::Wide3;
use crate::lanes::dispatch;
use crate::lanes::simd::{Line, Simd, Wide};
use crate::lanes::vector::{Mass, Two, V3};
use rb_core::problem::Pass;

/// No point.
pub(super) const NO_POINT: u32 = u32::MAX;

/// Up to eight points without a common movable body.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Point {
    bodies: [[u32; LANES]; 2],
    /// Impulse on b (N·s).
    impulse: Wide3,
    /// From the centres of mass of a and b to the point (m).
    arm: [Wide3; 2],
    /// By pass: Eᵀ b, and Eᵀ (A + R)⁻¹ E as xx, yy, zz, xy, xz, yz.
    bias: [Wide3; 2],
    inverse: [[Wide; 6]; 2],
    /// Eᵀ R E of the position pass; that of the velocity pass is zero.
    reg: [Wide; 6],
    /// Inverse masses and moments of inertia of `round` bodies.
    mass: [[Wide; 2]; 2],
    /// Whether all bodies have equal moments of inertia, and no locked axes.
    round: bool,
}

impl JointLanes {
    /// Gives points to the batches that are swept as such.
    pub(super) fn number_points(&mut self) {
        let (swept, mut count) = (self.groups.is_empty(), 0);
        for batch in &mut self.batches {
            let is_point = swept && batch.anchored && batch.square;
            batch.point = if is_point { count } else { NO_POINT };
            count += u32::from(is_point);
        }
        self.points.resize(count as usize, Point::default());
    }

    /// Gives the rows of points their impulses, after the last sweep of a substep.
    pub fn part_points(&mut self) {
        run(&self.batches, &mut self.rows, &self.points);
    }
}

fn run(batches: &[Batch], rows: &mut [Eight], points: &[Point]) {
    dispatch!(part(
        batches: &[Batch],
        rows: &mut [Eight],
        points: &[Point]
    ))
}

#[inline(always)]
pub(super) fn part<S: Simd>(batches: &[Batch], rows: &mut [Eight], points: &[Point]) {
    for batch in batches {
        if let Some(point) = points.get(batch.point as usize) {
            let impulse = V3::<S>::load(&point.impulse);
            for row in &mut rows[batch.range()] {
                V3::load(&row.lin).dot(impulse).store(&mut row.impulse);
            }
        }
    }
}

impl Point {
    /// Takes the three rows of a batch with their J W Jᵀ.
    #[inline(always)]
    pub(super) fn take<S: Simd>(
        &mut self,
        batch: &mut Batch,
        pair: &Two<S>,
        rows: &[Eight],
        matrix: &[Wide],
    ) {
        let [x, y, z] = [&rows[0], &rows[1], &rows[2]];
        let e = [V3::load(&x.lin), V3::load(&y.lin), V3::load(&z.lin)];
        self.bodies = batch.bodies;
        combined(e, [&x.impulse, &y.impulse, &z.impulse]).store(&mut self.impulse);
        let arm = V3::<S>::load(&batch.arm[1]);
        V3::load(&batch.apart).add(arm).store(&mut self.arm[0]);
        arm.store(&mut self.arm[1]);
        for pass in 0..2 {
            let bias = [&x.bias[pass], &y.bias[pass], &z.bias[pass]];
            combined(e, bias).store(&mut self.bias[pass]);
        }
        let reg = [S::load(&x.reg[0]), S::load(&y.reg[0]), S::load(&z.reg[0])];
        let zero = S::zero();
        turned(e, [reg[0], reg[1], reg[2], zero, zero, zero], &mut self.reg);
        for pass in [Pass::Position, Pass::Velocity] {
            let mut factor = [Wide::default(); triangle(3)];
            factor.copy_from_slice(&matrix[..triangle(3)]);
            eliminate::<S>(&mut factor, rows, 3, pass as usize);
            turned(e, inverted(&factor), &mut self.inverse[pass as usize]);
        }
        self.round = pair.mass[0].is_round() && pair.mass[1].is_round();
        for s in 0..2 {
            let [lin, ang] = &mut self.mass[s];
            let (m, i) = pair.mass[s].round();
            m.store(lin);
            i.store(ang);
            if !self.round {
                pair.mass[s].store(&mut batch.mass[s]);
            }
        }
    }

    /// Adds W Jᵀλ to the velocities.
    #[inline(always)]
    pub(super) fn warm<S: Simd>(&self, mass: &[[Wide; 9]; 2], vel: &mut [Line]) {
        let mut pair = Pair::<S>::gather(vel, &self.bodies);
        let arm = [V3::load(&self.arm[0]), V3::load(&self.arm[1])];
        self.push(&mut pair, mass, &arm, V3::load(&self.impulse));
        pair.scatter(vel, &self.bodies);
    }

    /// Solves the points against the present velocities.
    #[inline(always)]
    pub(super) fn visit<S: Simd>(&mut self, mass: &[[Wide; 9]; 2], vel: &mut [Line], pass: Pass) {
        let mut pair = Pair::<S>::gather(vel, &self.bodies);
        let arm = [V3::load(&self.arm[0]), V3::load(&self.arm[1])];
        let old = V3::load(&self.impulse);
        let mut w = pair.slip(&arm).add(V3::load(&self.bias[pass as usize]));
        if pass == Pass::Position {
            w = w.add(times(&self.reg, old));
        }
        let less = times(&self.inverse[pass as usize], w);
        old.sub(less).store(&mut self.impulse);
        let zero = V3([S::zero(); 3]);
        self.push(&mut pair, mass, &arm, zero.sub(less));
        pair.scatter(vel, &self.bodies);
    }

    #[inline(always)]
    fn push<S: Simd>(&self, pair: &mut Pair<S>, mass: &[[Wide; 9]; 2], arm: &[V3<S>; 2], p: V3<S>) {
        let turns = [p.cross(arm[0]), arm[1].cross(p)];
        let pushes = [V3([S::zero(); 3]).sub(p), p];
        for s in 0..2 {
            let [lin, ang] = pair.of(s);
            if self.round {
                let [m, i] = &self.mass[s];
                pair.set(
                    s,
                    lin.more(pushes[s], S::load(m)),
                    ang.more(turns[s], S::load(i)),
                );
            } else {
                let mass = Mass::load(&mass[s]);
                pair.set(
                    s,
                    lin.more_by(mass.lin, pushes[s]),
                    mass.turned(ang, turns[s]),
                );
            }
        }
    }
}

/// Velocities of both bodies as they were gathered.
struct Pair<S>([[S; LANES]; 2]);

impl<S: Simd> Pair<S> {
    #[inline(always)]
    fn gather(vel: &[Line], bodies: &[[u32; LANES]; 2]) -> Self {
        Self([S::gather(vel, &bodies[0]), S::gather(vel, &bodies[1])])
    }

    #[inline(always)]
    fn scatter(self, vel: &mut [Line], bodies: &[[u32; LANES]; 2]) {
        S::scatter(vel, &bodies[0], self.0[0]);
        S::scatter(vel, &bodies[1], self.0[1]);
    }

    /// Linear and angular velocity of a side.
    #[inline(always)]
    fn of(&self, side: usize) -> [V3<S>; 2] {
        let v = &self.0[side];
        [V3([v[0], v[1], v[2]]), V3([v[4], v[5], v[6]])]
    }

    #[inline(always)]
    fn set(&mut self, side: usize, lin: V3<S>, ang: V3<S>) {
        for k in 0..3 {
            self.0[side][k] = lin.0[k];
            self.0[side][k + 4] = ang.0[k];
        }
    }

    /// Velocity of b's point relative to a's.
    #[inline(always)]
    fn slip(&self, arm: &[V3<S>; 2]) -> V3<S> {
        let ([va, wa], [vb, wb]) = (self.of(0), self.of(1));
        wb.cross_onto(arm[1], vb).sub(wa.cross_onto(arm[0], va))
    }
}

/// A symmetric matrix times a vector.
#[inline(always)]
fn times<S: Simd>(m: &[Wide; 6], v: V3<S>) -> V3<S> {
    let at = |k: usize| S::load(&m[k]);
    let [xx, yy, zz, xy, xz, yz] = [at(0), at(1), at(2), at(3), at(4), at(5)];
    let [x, y, z] = v.0;
    V3([
        xz.fma(z, xy.fma(y, xx.mul(x))),
        yz.fma(z, yy.fma(y, xy.mul(x))),
        zz.fma(z, yz.fma(y, xz.mul(x))),
    ])
}

/// Eᵀ x.
#[inline(always)]
fn combined<S: Simd>(e: [V3<S>; 3], x: [&Wide; 3]) -> V3<S> {
    let first = e[0].scaled(S::load(x[0]));
    first.more(e[1], S::load(x[1])).more(e[2], S::load(x[2]))
}

/// Eᵀ M E of a symmetric M given, as the result, by xx, yy, zz, xy, xz, yz.
#[inline(always)]
fn turned<S: Simd>(e: [V3<S>; 3], m: [S; 6], out: &mut [Wide; 6]) {
    let [xx, yy, zz, xy, xz, yz] = m;
    let f = [
        e[0].scaled(xx).more(e[1], xy).more(e[2], xz),
        e[0].scaled(xy).more(e[1], yy).more(e[2], yz),
        e[0].scaled(xz).more(e[1], yz).more(e[2], zz),
    ];
    let places = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
    for k in 0..6 {
        let (i, j) = places[k];
        let first = e[0].0[i].mul(f[0].0[j]);
        let entry = e[2].0[i].fma(f[2].0[j], e[1].0[i].fma(f[1].0[j], first));
        entry.store(&mut out[k]);
    }
}

/// The inverse from L and 1/D, as xx, yy, zz, xy, xz, yz.
#[inline(always)]
fn inverted<S: Simd>(factor: &[Wide]) -> [S; 6] {
    let [d, e, f] = [
        S::load(&factor[0]),
        S::load(&factor[2]),
        S::load(&factor[5]),
    ];
    // L⁻¹ below its diagonal.
    let zero = S::zero();
    let p = zero.sub(S::load(&factor[1]));
    let q = zero.sub(S::load(&factor[4]));
    let r = p.fma(q, zero.sub(S::load(&factor[3])));
    let (ep, fq, fr) = (e.mul(p), f.mul(q), f.mul(r));
    [
        fr.fma(r, ep.fma(p, d)),
        fq.fma(q, e),
        f,
        fr.fma(q, ep),
        fr,
        fq,
    ]
}
