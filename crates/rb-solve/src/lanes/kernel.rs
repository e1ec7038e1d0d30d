//! The sweeps.

use super::batch::{Batch, PLAIN, Point, Special};
use super::dispatch;
use super::pack::Bodies;
use super::position::{self, Way};
use super::section::Section;
use super::simd::{Line, Simd, Wide, two};
use super::vector::{Two, V3};
use crate::lanes::LANES;
use glam::DVec2;
use rb_core::discretise::Discretiser;
use rb_core::law::Law;
use rb_core::manifold::FrictionLaw;
use rb_core::problem::Pass;

impl Section {
    /// Adds W Jᵀλ of its contacts to the velocities.
    pub(super) fn warm(&self, bodies: Bodies) {
        let Bodies { inv, vel, .. } = bodies;
        if self.is_thin() {
            return self.warm_thin(inv, vel);
        }
        run_warm(&self.batches, &self.points, inv, vel);
    }

    /// Visits every contact once in the given pass, in order or in reverse.
    pub(super) fn sweep(&mut self, bodies: Bodies, pass: Pass, soft: &Numbers, backwards: bool) {
        if self.is_thin() {
            return self.sweep_thin(bodies, pass, backwards);
        }
        let (batches, points, special) = (&mut self.batches, &mut self.points, &self.special);
        match pass {
            Pass::Position => {
                let way = Way {
                    fresh: std::mem::take(&mut self.fresh),
                    turned: std::mem::take(&mut self.turned),
                    backwards,
                };
                position::run(batches, points, special, bodies, soft, way);
            }
            Pass::Velocity => run_velocity(batches, points, special, bodies, backwards),
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

fn run_warm(batches: &[Batch], points: &[Point], inv: &[Line], vel: &mut [Line]) {
    dispatch!(warm(batches: &[Batch], points: &[Point], inv: &[Line], vel: &mut [Line]))
}

#[inline(always)]
fn warm<S: Simd>(batches: &[Batch], points: &[Point], inv: &[Line], vel: &mut [Line]) {
    for batch in batches {
        let mut pair = Two::<S>::gather(inv, vel, batch);
        let axes = axes(batch);
        for p in &points[batch.range()] {
            let arm = two!(|s| V3::load(&p.arm[s]));
            let impulse = V3::<S>::load(&p.impulse).0;
            pair.push(&arm, world(&axes, impulse));
        }
        pair.scatter(vel, batch);
    }
}

#[inline(always)]
fn axes<S: Simd>(batch: &Batch) -> [V3<S>; 3] {
    let (n, t) = (V3::load(&batch.normal), V3::load(&batch.tangent));
    [n, t, n.cross(t)]
}

/// A vector along the contact axes in world axes.
#[inline(always)]
fn world<S: Simd>([n, t, u]: &[V3<S>; 3], [x, y, z]: [S; 3]) -> V3<S> {
    n.scaled(x).more(*t, y).more(*u, z)
}

fn run_velocity(
    batches: &[Batch],
    points: &mut [Point],
    special: &[Special],
    bodies: Bodies,
    backwards: bool,
) {
    dispatch!(velocity(
        batches: &[Batch],
        points: &mut [Point],
        special: &[Special],
        bodies: Bodies,
        backwards: bool
    ))
}

/// Normals and friction under the law itself.
#[inline(always)]
fn velocity<S: Simd>(
    batches: &[Batch],
    points: &mut [Point],
    special: &[Special],
    bodies: Bodies,
    backwards: bool,
) {
    let one = S::splat(1.0);
    for i in 0..batches.len() {
        let batch = &batches[if backwards { batches.len() - 1 - i } else { i }];
        let mut pair = Two::<S>::gather(bodies.inv, bodies.vel, batch);
        let axes = axes(batch);
        // The linear part is one relative velocity, and one impulse in the end.
        let both = pair.mass[0].lin.add(pair.mass[1].lin);
        let mut apart = pair.lin[1].sub(pair.lin[0]);
        let mut total = V3([S::zero(); 3]);
        let mu = S::load(&batch.mu);
        let belt = [S::load(&batch.belt[0]), S::load(&batch.belt[1])];
        let points = &mut points[batch.range()];
        for i in 0..points.len() {
            let k = if backwards { points.len() - 1 - i } else { i };
            let p = &mut points[k];
            let arm = two!(|s| V3::load(&p.arm[s]));
            let slip = pair.ang[1].cross_onto(arm[1], apart);
            let slip = arm[0].cross_onto(pair.ang[0], slip);
            let [old, x, y] = V3::<S>::load(&p.impulse).0;
            let w = axes[0].dot(slip).add(S::load(&p.bias[1]));
            let wanted = S::load(&p.inverse).nfma(w, old);
            let wanted = if batch.special == PLAIN {
                wanted
            } else {
                let reg = &special[batch.special as usize + k].reg[1];
                wanted.div(one.add(S::load(reg)))
            };
            let n = wanted.max(S::zero());
            let delta = n.sub(old);
            let slide = |e: V3<S>, c: &Wide, belt: S| S::load(c).fma(delta, e.dot(slip)).sub(belt);
            let wx = slide(axes[1], &p.cross[0], belt[0]);
            let wy = slide(axes[2], &p.cross[1], belt[1]);
            let step = S::load(&p.step);
            let t = project(batch.law, mu.mul(n), [step.nfma(wx, x), step.nfma(wy, y)]);
            let push = world(&axes, [delta, t[0].sub(x), t[1].sub(y)]);
            apart = apart.more_by(both, push);
            total = total.add(push);
            pair.ang[0] = pair.mass[0].turned(pair.ang[0], push.cross(arm[0]));
            pair.ang[1] = pair.mass[1].turned(pair.ang[1], arm[1].cross(push));
            V3([n, t[0], t[1]]).store(&mut p.impulse);
        }
        pair.lin[0] = pair.lin[0].sub(pair.mass[0].lin.times(total));
        pair.lin[1] = pair.lin[1].more_by(pair.mass[1].lin, total);
        pair.scatter(bodies.vel, batch);
    }
}

/// Nearest point of the friction disc, square or diamond of radius `r`.
#[inline(always)]
fn project<S: Simd>(law: FrictionLaw, r: S, [x, y]: [S; 2]) -> [S; 2] {
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

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::super::position::position;
    use super::super::simd::{Avx2, Avx512, Plain};
    use super::super::{Width, width};
    use super::*;

    /// A ring of manifolds with awkward numbers in every field.
    fn ring(law: FrictionLaw) -> (Vec<Batch>, Vec<Point>, [Vec<Line>; 3]) {
        let number = |k: usize| (1.7 * k as f64 + 0.3).sin();
        let wide = |k: usize| Wide(core::array::from_fn(|i| number(8 * k + i)));
        let mut batches = Vec::new();
        let mut points = Vec::new();
        for b in 0..6 {
            let bodies = [0, 1].map(|s| core::array::from_fn(|i| ((b + 2 * i + s) % 17) as u32));
            batches.push(Batch {
                bodies,
                normal: [wide(b), wide(b + 1), wide(b + 2)],
                tangent: [wide(b + 3), wide(b + 4), wide(b + 5)],
                mu: Wide([0.4; LANES]),
                belt: [wide(b + 6), wide(b + 7)],
                soft: [Wide([80.0; LANES]), Wide([0.2; LANES])],
                law,
                first: 3 * b as u32,
                len: 3,
                special: PLAIN,
                couple: Default::default(),
            });
            for k in 0..3 {
                let at = 40 * b + 9 * k;
                points.push(Point {
                    arm: [[0, 1, 2], [3, 4, 5]].map(|a| a.map(|j| wide(at + j))),
                    inverse: Wide([0.3; LANES]),
                    gap: Wide(wide(at + 6).0.map(|x| 1e-3 * x)),
                    step: Wide([0.2; LANES]),
                    cross: [wide(at + 7), wide(at + 8)],
                    ..Point::default()
                });
            }
        }
        let lines = |from: usize| (0..17).map(|i| wide(from + i)).collect();
        (batches, points, [lines(100), lines(200), lines(300)])
    }

    fn bits(law: FrictionLaw, width: Width) -> Vec<u64> {
        let (mut batches, mut points, [inv, mut vel, moved]) = ring(law);
        let soft = Numbers {
            rate: 360.0,
            push: 3.0,
            full: 1e4,
            firm: [5e-3, 500.0],
        };
        let special = &[][..];
        macro_rules! sweep {
            ($simd:ty) => {{
                macro_rules! bodies {
                    () => {
                        Bodies {
                            inv: &inv,
                            vel: &mut vel,
                            moved: &moved,
                        }
                    };
                }
                warm::<$simd>(&batches, &points, &inv, &mut vel);
                for fresh in [true, false] {
                    let way = Way {
                        fresh,
                        turned: fresh,
                        backwards: !fresh,
                    };
                    position::<$simd>(&mut batches, &mut points, special, bodies!(), &soft, way);
                }
                velocity::<$simd>(&batches, &mut points, special, bodies!(), true);
            }};
        }
        for _ in 0..3 {
            match width {
                Width::Avx512 => sweep!(Avx512),
                Width::Avx2 => sweep!(Avx2),
                Width::Plain => sweep!(Plain),
            }
        }
        let all = vel.iter().chain(points.iter().flat_map(|p| &p.impulse));
        all.flat_map(|w| w.0.map(f64::to_bits)).collect()
    }

    #[test]
    fn every_width_gives_the_same_bits() {
        let widths: &[Width] = match width() {
            Width::Avx512 => &[Width::Avx512, Width::Avx2],
            Width::Avx2 => &[Width::Avx2],
            Width::Plain => &[],
        };
        for law in [
            FrictionLaw::None,
            FrictionLaw::Boxed,
            FrictionLaw::Pyramid,
            FrictionLaw::Conic,
        ] {
            let plain = bits(law, Width::Plain);
            assert!(
                plain.iter().all(|b| f64::from_bits(*b).is_finite()),
                "{law:?}"
            );
            for width in widths {
                assert_eq!(plain, bits(law, *width), "{law:?}, {width:?}");
            }
        }
    }
}
