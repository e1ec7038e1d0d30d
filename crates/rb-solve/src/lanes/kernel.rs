//! The sweeps.

use super::batch::{Batch, NONE, Packed, Point, Slip, Special};
use super::dispatch;
use super::grip::{Grip, load};
use super::pack::Bodies;
use super::position::{self, Give, Way, by_size, normals};
use super::section::Section;
use super::simd::{Line, Simd, Wide, two};
use super::vector::{Two, V3};
use crate::lanes::LANES;
use glam::DVec2;
use rb_core::discretise::Discretiser;
use rb_core::law::Law;
use rb_core::manifold::FrictionLaw;
use rb_core::problem::Pass;

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;

impl Section {
    /// Adds W Jᵀλ of its contacts to the velocities.
    pub(super) fn warm(&self, bodies: Bodies) {
        let Bodies { inv, vel, .. } = bodies;
        if self.is_thin() {
            return self.warm_thin(inv, vel);
        }
        run_warm(&self.packed, inv, vel);
    }

    /// Visits every contact once in the given pass, in order or in reverse.
    pub(super) fn sweep(&mut self, bodies: Bodies, pass: Pass, soft: &Numbers, backwards: bool) {
        if self.is_thin() {
            return self.sweep_thin(bodies, pass, backwards);
        }
        match pass {
            Pass::Position => {
                let way = Way {
                    fresh: std::mem::take(&mut self.fresh),
                    turned: std::mem::take(&mut self.turned),
                    backwards,
                };
                position::run(&mut self.packed, bodies, soft, way);
            }
            Pass::Velocity => run_velocity(&mut self.packed, bodies, backwards),
        }
    }
}

/// Numbers of the soft step that all contacts share.
pub(super) struct Numbers {
    /// 1/h.
    rate: f64,
    push: f64,
    /// 1/depth of full softness (1/m).
    full: f64,
    /// Depth from which on contacts are rigid (m), and 1/range over which they become so (1/m).
    firm: [f64; 2],
}

impl Numbers {
    pub(super) fn new(d: &Discretiser) -> Self {
        let [firm, range] = d.firmness();
        Self {
            rate: 1.0 / d.h,
            push: d.contact.push_out,
            full: 1.0 / d.full_softness(),
            firm: [firm, 1.0 / range],
        }
    }
}

impl Numbers {
    /// b and R/a of plain contacts at their present gaps, and b of the velocity pass. `soft` is the soft
    /// step of each lane.
    #[inline(always)]
    pub(super) fn terms<S: Simd>(&self, gap: S, [rate, reg]: [S; 2]) -> (S, S, S) {
        let zero = S::zero();
        let shut = S::gt(zero, gap);
        let open = gap.mul(S::splat(self.rate));
        let out = gap.mul(rate).max(S::splat(-self.push));
        let share = gap.mul(S::splat(-self.full)).min(S::splat(1.0));
        let [firm, range] = self.firm.map(S::splat);
        let left = gap.add(firm).mul(range).max(zero);
        let reg = share.min(left).mul(reg);
        (
            S::select(shut, out, open),
            S::select(shut, reg, zero),
            S::select(shut, zero, open),
        )
    }
}

fn run_warm(packed: &Packed, inv: &[Line], vel: &mut [Line]) {
    dispatch!(warm(packed: &Packed, inv: &[Line], vel: &mut [Line]))
}

#[inline(always)]
fn warm<S: Simd>(packed: &Packed, inv: &[Line], vel: &mut [Line]) {
    for batch in &packed.batches {
        let mut pair = Two::<S>::gather(inv, vel, batch);
        let axes = axes(batch);
        let points = &packed.points[batch.range()];
        if let Some(grip) = packed.grips.get(batch.grip as usize) {
            for p in points {
                let arm = two!(|s| V3::load(&p.arm[s]));
                pair.push(&arm, axes[0].scaled(S::load(&p.impulse)));
            }
            grip.warm(&axes, &mut pair);
        }
        for (slip, p) in packed.slips[batch.slips()].iter().zip(points) {
            let arm = two!(|s| V3::load(&p.arm[s]));
            let [x, y] = two!(|s| S::load(&slip.impulse[s]));
            pair.push(&arm, world(&axes, [S::load(&p.impulse), x, y]));
        }
        pair.scatter(vel, batch);
    }
}

#[inline(always)]
pub(super) fn axes<S: Simd>(batch: &Batch) -> [V3<S>; 3] {
    let (n, t) = (V3::load(&batch.normal), V3::load(&batch.tangent));
    [n, t, n.cross(t)]
}

/// A vector along the contact axes in world axes.
#[inline(always)]
fn world<S: Simd>([n, t, u]: &[V3<S>; 3], [x, y, z]: [S; 3]) -> V3<S> {
    n.scaled(x).more(*t, y).more(*u, z)
}

fn run_velocity(packed: &mut Packed, bodies: Bodies, backwards: bool) {
    dispatch!(velocity(packed: &mut Packed, bodies: Bodies, backwards: bool))
}

/// Normals and friction under the law itself.
#[inline(always)]
fn velocity<S: Simd>(packed: &mut Packed, bodies: Bodies, backwards: bool) {
    let Bodies { inv, vel, .. } = bodies;
    let count = packed.batches.len();
    for i in 0..count {
        let batch = &packed.batches[if backwards { count - 1 - i } else { i }];
        let points = &mut packed.points[batch.range()];
        let special = match batch.special {
            NONE => None,
            first => Some(&packed.special[first as usize..][..points.len()]),
        };
        if let Some(grip) = packed.grips.get_mut(batch.grip as usize) {
            let size = points.len();
            by_size!(
                gripped::<S>(batch, grip, points, special, inv, vel),
                size,
                backwards
            );
            continue;
        }
        let slips = &mut packed.slips[batch.slips()];
        let mut pair = Two::<S>::gather(inv, vel, batch);
        let mut visit = Visit::new(batch, &pair);
        for i in 0..points.len() {
            let k = if backwards { points.len() - 1 - i } else { i };
            let reg = special.map(|s| &s[k].reg[1]);
            visit.point(&mut pair, &mut points[k], &mut slips[k], reg);
        }
        visit.end(&mut pair);
        pair.scatter(vel, batch);
    }
}

/// A batch whose manifolds have one friction each, which comes first: what presses and what slides are then
/// told apart by one visit, and a pile is left nearer to rest.
#[inline(always)]
fn gripped<S: Simd, const N: usize, const BACKWARDS: bool>(
    batch: &Batch,
    grip: &mut Grip,
    points: &mut [Point],
    special: Option<&[Special]>,
    inv: &[Line],
    vel: &mut [Line],
) {
    let mut pair = Two::<S>::gather(inv, vel, batch);
    grip.visit(batch, load(points), &mut pair);
    normals::<S, N, BACKWARDS>(&mut pair, batch, points, Give::Law(special));
    pair.scatter(vel, batch);
}

/// A visit point by point. The linear part is one relative velocity, and one impulse in the end.
struct Visit<'a, S> {
    batch: &'a Batch,
    axes: [V3<S>; 3],
    mu: S,
    belt: [S; 2],
    /// Sum of both linear parts of W.
    both: V3<S>,
    apart: V3<S>,
    total: V3<S>,
}

impl<'a, S: Simd> Visit<'a, S> {
    #[inline(always)]
    fn new(batch: &'a Batch, pair: &Two<S>) -> Self {
        Self {
            batch,
            axes: axes(batch),
            mu: S::load(&batch.mu),
            belt: two!(|s| S::load(&batch.belt[s])),
            both: pair.mass[0].lin.add(pair.mass[1].lin),
            apart: pair.lin[1].sub(pair.lin[0]),
            total: V3([S::zero(); 3]),
        }
    }

    #[inline(always)]
    fn point(&mut self, pair: &mut Two<S>, p: &mut Point, slip: &mut Slip, reg: Option<&Wide>) {
        let (axes, arm) = (self.axes, two!(|s| V3::load(&p.arm[s])));
        let moved = pair.ang[1].cross_onto(arm[1], self.apart);
        let moved = arm[0].cross_onto(pair.ang[0], moved);
        let old = S::load(&p.impulse);
        let [x, y] = two!(|s| S::load(&slip.impulse[s]));
        let w = axes[0].dot(moved).add(S::load(&p.bias[1]));
        let wanted = S::load(&p.inverse).nfma(w, old);
        let wanted = match reg {
            None => wanted,
            Some(reg) => wanted.div(S::splat(1.0).add(S::load(reg))),
        };
        let n = wanted.max(S::zero());
        let delta = n.sub(old);
        let cross = two!(|s| S::load(&slip.cross[s]));
        let wx = cross[0].fma(delta, axes[1].dot(moved)).sub(self.belt[0]);
        let wy = cross[1].fma(delta, axes[2].dot(moved)).sub(self.belt[1]);
        let step = S::load(&slip.step);
        let r = self.mu.mul(n);
        let t = project(self.batch.law, r, [step.nfma(wx, x), step.nfma(wy, y)]);
        let push = world(&axes, [delta, t[0].sub(x), t[1].sub(y)]);
        self.apart = self.apart.more_by(self.both, push);
        self.total = self.total.add(push);
        pair.ang[0] = pair.mass[0].turned(pair.ang[0], push.cross(arm[0]));
        pair.ang[1] = pair.mass[1].turned(pair.ang[1], arm[1].cross(push));
        n.store(&mut p.impulse);
        t[0].store(&mut slip.impulse[0]);
        t[1].store(&mut slip.impulse[1]);
    }

    /// Moves the bodies.
    #[inline(always)]
    fn end(self, pair: &mut Two<S>) {
        pair.lin[0] = pair.lin[0].sub(pair.mass[0].lin.times(self.total));
        pair.lin[1] = pair.lin[1].more_by(pair.mass[1].lin, self.total);
    }
}

/// Nearest point of the friction disc, square or diamond of radius `r`.
#[inline(always)]
pub(super) fn project<S: Simd>(law: FrictionLaw, r: S, [x, y]: [S; 2]) -> [S; 2] {
    let zero = S::zero();
    match law {
        FrictionLaw::Boxed => [x.min(r).max(zero.sub(r)), y.min(r).max(zero.sub(r))],
        FrictionLaw::Pyramid => diamond(r, [x, y]),
        _ => {
            // Points without load have no friction; they would ask for the root in most visits.
            let loaded = S::gt(r, zero);
            let [x, y] = [S::select(loaded, x, zero), S::select(loaded, y, zero)];
            let square = y.fma(y, x.mul(x));
            let out = S::gt(square, r.mul(r));
            if !S::any(out) {
                return [x, y];
            }
            let share = r.div(square.max(S::splat(f64::MIN_POSITIVE)).sqrt());
            let share = S::select(out, share, S::splat(1.0));
            [x.mul(share), y.mul(share)]
        }
    }
}

/// The diamond has no short formula: lane by lane.
#[inline(always)]
fn diamond<S: Simd>(r: S, t: [S; 2]) -> [S; 2] {
    let mut wide = [Wide::default(); 3];
    for (to, x) in wide.iter_mut().zip([r, t[0], t[1]]) {
        x.store(to);
    }
    let [r, mut x, mut y] = wide;
    for i in 0..LANES {
        let t = Law::Pyramid { mu: 1.0 }.project_tangent(DVec2::new(x.0[i], y.0[i]), r.0[i]);
        (x.0[i], y.0[i]) = (t.x, t.y);
    }
    [S::load(&x), S::load(&y)]
}
