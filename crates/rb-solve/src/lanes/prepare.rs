//! What holds for a whole step (axes, effective masses), and terms that are not the plain soft step.

use super::batch::{Batch, Point, Slip, pair};
use super::bodies::twist;
use super::grip::Grip;
use super::kernel::axes;
use super::pack::State;
use super::section::{Section, immovable};
use super::simd::{Simd, two};
use super::vector::{Mass, V3};
use glam::DVec3;
use rb_core::discretise::{Discretiser, SoftStep};
use rb_core::math::Twist;

/// Soft step of contacts between movable bodies, and of those with an immovable one.
pub type Soft = SoftStep;

impl Section {
    /// Terms of the manifolds that bounce or yield, and of thin ones, for the substep that starts now
    /// with velocities `start`.
    pub(super) fn pose(
        &mut self,
        start: impl Fn(usize) -> Twist,
        state: State,
        numbers: &Discretiser,
        turned: bool,
    ) {
        if self.is_thin() {
            return self.pose_thin(state, numbers, turned);
        }
        (self.fresh, self.turned) = (true, turned);
        for (number, lane, material) in &self.surfaces {
            let (batch, lane) = (&self.packed.batches[*number as usize], *lane as usize);
            let sides = two!(|s| batch.bodies[s][lane] as usize);
            let still = sides.iter().any(|&b| immovable(state.inv, state.vel, b));
            let free = sides.map(|b| twist(&state.free[b]));
            let moved = sides.map(|b| twist(&state.moved[b]));
            let before = sides.map(&start);
            let normal = DVec3::from_array([0, 1, 2].map(|k| batch.normal[k].0[lane]));
            for (k, p) in self.packed.points[batch.range()].iter().enumerate() {
                let inverse = p.inverse.0[lane];
                if inverse == 0.0 {
                    continue;
                }
                let arm = [0, 1].map(|s| DVec3::from_array([0, 1, 2].map(|k| p.arm[s][k].0[lane])));
                let along = |v: &[Twist; 2]| normal.dot(v[1].at(arm[1]) - v[0].at(arm[0]));
                let gap = p.gap.0[lane] + along(&moved);
                let rates = [along(&before), along(&free)];
                let terms =
                    numbers.normal(gap, rates[0], rates[1], material, inverse.recip(), still);
                let to = &mut self.packed.special[batch.special as usize + k];
                for (pass, term) in terms.iter().enumerate() {
                    to.bias[pass].0[lane] = term.bias;
                    to.reg[pass].0[lane] = term.reg * inverse;
                }
            }
        }
    }
}

/// Soft step of each lane: another where one body cannot move.
#[inline(always)]
pub(super) fn soften<S: Simd>(batch: &mut Batch, soft: &[Soft; 2], mass: &[Mass<S>; 2]) {
    let [a, b] = two!(|s| mass[s].moves());
    let [free, still] = two!(|s| [S::splat(soft[s].rate), S::splat(soft[s].reg)]);
    for k in 0..2 {
        let soft = S::select(b, free[k], still[k]);
        S::select(a, soft, still[k]).store(&mut batch.soft[k]);
    }
}

/// Effective masses and coupling, from the axes, arms and inverse masses.
#[inline(always)]
pub(super) fn prepare<S: Simd>(
    batch: &mut Batch,
    points: &mut [Point],
    slips: &mut [Slip],
    grip: Option<&mut Grip>,
    mass: &[Mass<S>; 2],
) {
    let axes = axes::<S>(batch);
    couple(batch, points, mass);
    for (slip, p) in slips.iter_mut().zip(points.iter()) {
        let at = Lever::new(two!(|s| V3::load(&p.arm[s])), mass);
        at.entry(axes[0], axes[1]).store(&mut slip.cross[0]);
        at.entry(axes[0], axes[2]).store(&mut slip.cross[1]);
        let live = S::load(&p.inverse);
        at.step(&axes).mul(live).store(&mut slip.step);
    }
    for p in points.iter_mut() {
        let at = Lever::new(two!(|s| V3::load(&p.arm[s])), mass);
        let live = S::load(&p.inverse);
        at.inverse(axes[0]).mul(live).store(&mut p.inverse);
    }
    if let Some(grip) = grip {
        grip.prepare(&axes, points, mass);
    }
}

/// Entries of J W Jᵀ between the normals of different points.
#[inline(always)]
pub(super) fn couple<S: Simd>(batch: &mut Batch, points: &[Point], mass: &[Mass<S>; 2]) {
    let n = V3::<S>::load(&batch.normal);
    let both = mass[0].lin.add(mass[1].lin).times(n).dot(n);
    for (k, p) in points.iter().enumerate() {
        let lever_k = levers(p, n);
        let turn = two!(|s| mass[s].ang(lever_k[s]));
        for (l, q) in points.iter().enumerate().skip(k + 1) {
            let lever = levers(q, n);
            let entry = both.add(turn[0].dot(lever[0]).add(turn[1].dot(lever[1])));
            entry.store(&mut batch.couple[pair(k, l)]);
        }
    }
}

/// r × n of a point from both bodies.
#[inline(always)]
fn levers<S: Simd>(p: &Point, n: V3<S>) -> [V3<S>; 2] {
    two!(|s| V3::load(&p.arm[s]).cross(n))
}

/// One point of eight manifolds, to ask for entries of J W Jᵀ.
pub(super) struct Lever<'a, S> {
    /// Sum of both linear parts of W.
    lin: V3<S>,
    arm: [V3<S>; 2],
    mass: &'a [Mass<S>; 2],
}

impl<'a, S: Simd> Lever<'a, S> {
    #[inline(always)]
    pub(super) fn new(arm: [V3<S>; 2], mass: &'a [Mass<S>; 2]) -> Self {
        let lin = mass[0].lin.add(mass[1].lin);
        Self { lin, arm, mass }
    }

    /// Between the rows along two axes.
    #[inline(always)]
    fn entry(&self, e: V3<S>, f: V3<S>) -> S {
        let a = self.arm[0]
            .cross(f)
            .dot(self.mass[0].ang(self.arm[0].cross(e)));
        let b = self.arm[1]
            .cross(f)
            .dot(self.mass[1].ang(self.arm[1].cross(e)));
        e.times(self.lin).dot(f).add(a.add(b))
    }

    /// 1/a along an axis; 0 where nothing moves, as in idle lanes.
    #[inline(always)]
    pub(super) fn inverse(&self, e: V3<S>) -> S {
        per(S::splat(1.0), self.entry(e, e))
    }

    /// ρ of the tangents; 0 where nothing moves.
    #[inline(always)]
    pub(super) fn step(&self, [_, t, u]: &[V3<S>; 3]) -> S {
        per(S::splat(2.0), self.entry(*t, *t).add(self.entry(*u, *u)))
    }
}

/// x/a, or 0 where a is not above 0.
#[inline(always)]
pub(super) fn per<S: Simd>(x: S, a: S) -> S {
    S::select(S::gt(a, S::zero()), x.div(a), S::zero())
}

/// The first tangent, as `rb_core::math::tangents` has it.
#[inline(always)]
pub(super) fn tangent<S: Simd>(n: V3<S>) -> V3<S> {
    let near = S::gt(n.0[0].mul(n.0[0]), S::splat(0.81));
    let (zero, one) = (S::zero(), S::splat(1.0));
    let axis = V3([S::select(near, zero, one), zero, S::select(near, one, zero)]);
    let along = n.dot(axis);
    let t = axis.less(n, along);
    let length = t.dot(t).sqrt();
    // Idle lanes have no normal either.
    V3([t.0[0].div(length), t.0[1].div(length), t.0[2].div(length)])
}
