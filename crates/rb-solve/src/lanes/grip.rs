//! Friction of a whole manifold as one: two tangents at the centre of its load, and the twist about its
//! normal there.
//!
//! ```text
//! centre     c = Σ pₖ rₖ / Σ pₖ,  reach r = Σ pₖ |rₖ − c| / Σ pₖ     with the impulses pₖ the step starts with
//! slip       w = (t, u)·(velocity of b relative to a at c) − belt,   z = r n·(ω_b − ω_a)
//! law        ‖(λ_t, λ_u)‖ ≤ μ Σ λₙ,  |λ_z| ≤ μ Σ λₙ
//! ```
//!
//! Where the points stick, or slide without spinning, it is Coulomb's law at every point; a patch that spins
//! on the spot is held back as Coulomb's law has it, and one that does both at once by more. As rows it
//! is a block of [`Law::Spin`](rb_core::law::Law::Spin) whose rows are z, t, u. Sources: E. Catto,
//! "Box3D", 2025 (central and twist friction); for how far the law is from Coulomb's,
//! S. Goyal, A. Ruina, J. Papadopoulos, "Planar sliding with dry friction", 1991 (limit surfaces).

use super::axes::{Along, Arms};
use super::batch::{Batch, Height, Point, Wide3};
use super::cross::Cross;
use super::grade::{Sums, raise};
use super::kernel::project;
use super::position::levers as first_arms;
use super::prepare::{Levers, per};
use super::simd::{Simd, Stored, two};
use super::vector::V3;
use super::view::{Hold, vector};
use rb_core::manifold::FrictionLaw;

/// Impulse below which a point's load does not count, as a change of velocity (m/s): points that carry
/// nothing yet are equal.
pub(super) const TRACE: f64 = 1e-4;

/// Friction of up to eight manifolds, each as one.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Grip<W> {
    /// Centre of the load, from both bodies, along normal and tangents (m).
    pub(super) arm: [Wide3<W>; 2],
    /// r (m).
    pub(super) reach: W,
    /// Impulse along both tangents, and λ_z (N·s).
    pub(super) impulse: Wide3<W>,
    /// Steps of the tangents, ρ, and of the twist.
    pub(super) step: [W; 2],
    /// What its rows do to others.
    pub(super) cross: Cross<W>,
}

impl<W: Stored> Grip<W> {
    /// As one manifold has it.
    pub(super) fn hold(&self, batch: &Batch<W>, lane: usize) -> Hold {
        Hold {
            arm: [0, 1].map(|s| batch.world(vector(&self.arm[s], lane), lane)),
            reach: self.reach.at(lane),
            impulse: vector(&self.impulse, lane).to_array(),
        }
    }

    /// Its impulses as they are stored: along both tangents (N·s), and the twist about the first point (N·m·s); none
    /// where no point has a load.
    #[inline(always)]
    pub(super) fn whole<S: Simd<Stored = W>>(
        &self,
        batch: &Batch<W>,
        points: &[Point<W>],
    ) -> [S; 3] {
        let [_, t, u] = V3::<S>::load(&self.arm[0]).sub(V3::load(&batch.arm[0])).0;
        let [x, y, z] = V3::<S>::load(&self.impulse).0;
        let twist = t.fma(y, u.nfma(x, z.mul(S::load(&self.reach))));
        let pushes = S::gt(load(points), S::zero());
        let none = S::zero();
        [
            S::select(pushes, x, none),
            S::select(pushes, y, none),
            S::select(pushes, twist, none),
        ]
    }

    /// Centre, reach and steps, from points whose normals are prepared; the twist moves to the centre.
    #[inline(always)]
    pub(super) fn prepare<S: Simd<Stored = W>>(
        &mut self,
        levers: &Levers<S>,
        batch: &Batch<W>,
        (points, heights): (&[Point<W>], &[Height<W>]),
    ) {
        let (arms, mut total) = (Arms::of(batch, heights), S::zero());
        let mut sum = [V3([S::zero(); 3]); 2];
        for (p, at) in points.iter().zip(heights) {
            let load = share(p);
            total = total.add(load);
            let to = arms.to(p, at);
            sum = two!(|s| sum[s].more(to[s], load));
        }
        let arm = two!(|s| {
            let [x, y, z] = sum[s].0;
            V3([per(x, total), per(y, total), per(z, total)])
        });
        let mut reach = S::zero();
        for (p, at) in points.iter().zip(heights) {
            let off = arms.to(p, at)[0].sub(arm[0]);
            reach = share::<S>(p).fma(off.dot(off).sqrt(), reach);
        }
        let reach = per(reach, total);
        levers.step(&arm).store(&mut self.step[0]);
        let spin = reach.mul(reach).mul(levers.spin());
        per(S::splat(1.0), spin).store(&mut self.step[1]);
        let [x, y, twist] = V3::<S>::load(&self.impulse).0;
        let [_, t, u] = arms.to(&points[0], &heights[0])[0].sub(arm[0]).0;
        let twist = t.fma(y, u.nfma(x, twist));
        per(twist, reach).store(&mut self.impulse[2]);
        reach.store(&mut self.reach);
        arm[0].store(&mut self.arm[0]);
        arm[1].store(&mut self.arm[1]);
        self.couple(levers, batch);
    }

    /// What its rows do to others, at the present inverse masses.
    #[inline(always)]
    pub(super) fn couple<S: Simd<Stored = W>>(&mut self, levers: &Levers<S>, batch: &Batch<W>) {
        let centre = self.arms();
        let [step, reach] = [S::load(&self.step[0]), S::load(&self.reach)];
        self.cross
            .set(levers, (&centre, reach, step), &first_arms(batch));
    }

    /// Its impulses along the tangents (N·s), and the torques that it is on either body (N·m·s, along the axes, on b).
    #[inline(always)]
    pub(super) fn held<S: Simd<Stored = W>>(&self) -> ([S; 2], [[S; 3]; 2]) {
        let [x, y, z] = V3::<S>::load(&self.impulse).0;
        let (arms, twist) = (self.arms(), S::load(&self.reach).mul(z));
        ([x, y], two!(|s| levered(arms[s], [x, y], twist)))
    }

    /// Visits the twist, with λ_z up to `limit`, where b turns about the normal by `spin` relative to a; returns what λ_z has
    /// gained (N·s).
    #[inline(always)]
    pub(super) fn twisted<S: Simd<Stored = W>>(&mut self, limit: S, spin: S) -> S {
        let (reach, z) = (S::load(&self.reach), S::load(&self.impulse[2]));
        let (most, least) = (limit.sub(z), S::zero().sub(limit).sub(z));
        let wanted = S::load(&self.step[1]).mul(reach).nfma(spin, S::zero());
        let gain = wanted.min(most).max(least);
        z.add(gain).store(&mut self.impulse[2]);
        gain
    }

    /// Visits the tangents, with impulses up to `limit`, where b slips past a at the centre by `slip`; returns what
    /// their impulses have gained (N·s).
    #[inline(always)]
    pub(super) fn slid<S: Simd<Stored = W>>(
        &mut self,
        batch: &Batch<W>,
        limit: S,
        [wx, wy]: [S; 2],
        twist: S,
    ) -> [S; 2] {
        let step = S::load(&self.step[0]);
        let [x, y] = two!(|k| S::load(&self.impulse[k]));
        let wanted = [
            step.nfma(wx.sub(S::load(&batch.belt[0])), x),
            step.nfma(wy.sub(S::load(&batch.belt[1])), y),
        ];
        let t = project(batch.law, limit, self.cross.twisted(wanted, twist));
        t[0].store(&mut self.impulse[0]);
        t[1].store(&mut self.impulse[1]);
        [t[0].sub(x), t[1].sub(y)]
    }

    /// Arms to the centre, along the axes.
    #[inline(always)]
    pub(super) fn arms<S: Simd<Stored = W>>(&self) -> [V3<S>; 2] {
        two!(|s| V3::load(&self.arm[s]))
    }

    /// Its certificate.
    #[inline(always)]
    pub(super) fn grade<S: Simd<Stored = W>>(
        &self,
        batch: &Batch<W>,
        load: S,
        vel: &Along<S>,
        floor: f64,
        sums: &mut Sums<W>,
    ) -> S::Mask {
        let [_, wx, wy] = vel.slip(&self.arms()).0;
        let patch = Patch {
            law: batch.law,
            limit: S::load(&batch.mu).mul(load),
            step: two!(|k| S::load(&self.step[k])),
            impulse: V3::load(&self.impulse).0,
            w: [
                wx.sub(S::load(&batch.belt[0])),
                wy.sub(S::load(&batch.belt[1])),
                S::load(&self.reach).mul(vel.spin()),
            ],
        };
        let place = S::splat(f64::from(batch.first));
        patch.grade(S::splat(1.0), place, floor, sums)
    }
}

/// The friction of a manifold in each lane, to be graded.
pub(super) struct Patch<S> {
    pub(super) law: FrictionLaw,
    /// μ Σ λₙ.
    pub(super) limit: S,
    /// Steps of the tangents and of the twist.
    pub(super) step: [S; 2],
    pub(super) impulse: [S; 3],
    pub(super) w: [S; 3],
}

impl<S: Simd> Patch<S> {
    /// The certificate of [`Law::Spin`](rb_core::law::Law::Spin), which lanes with 0 in `counts` have no part in;
    /// says which lanes stick.
    #[inline(always)]
    pub(super) fn grade(
        self,
        counts: S,
        place: S,
        floor: f64,
        sums: &mut Sums<S::Stored>,
    ) -> S::Mask {
        let (zero, r) = (S::zero(), self.limit);
        let ([x, y, z], w) = (self.impulse, self.w);
        let stiff = per(S::splat(2.0), self.step[0]).add(per(S::splat(1.0), self.step[1]));
        let (a, per_a) = (stiff.div(S::splat(3.0)), per(S::splat(3.0), stiff));
        let wanted = [
            per_a.nfma(w[0], x),
            per_a.nfma(w[1], y),
            per_a.nfma(w[2], z),
        ];
        let live = S::gt(a.mul(counts), zero);
        let a2 = a.mul(a);
        let off = a2.mul(self.off(wanted));
        let size = square(self.impulse).mul(a);
        let size = size.max(per_a.mul(S::splat(floor * floor)));
        sums.add(off, per_a, size, live, place);
        let outside = a2.mul(self.off(self.impulse));
        raise(&mut sums.outside2, S::select(live, outside, zero));
        let more = S::splat(1.0 + S::Stored::CLOSE);
        let slides = square([x.mul(more), y.mul(more), zero]).sub(r.mul(r));
        let spins = z.max(zero.sub(z)).mul(more).sub(r);
        S::gt(S::splat(S::Stored::TINY), slides.max(spins))
    }
}

impl<S: Simd> Patch<S> {
    /// Square of the distance from its impulse to the nearest admissible point of `to`.
    #[inline(always)]
    fn off(&self, to: [S; 3]) -> S {
        let r = self.limit;
        let [p, q] = project(self.law, r, [to[0], to[1]]);
        let held = to[2].min(r).max(S::zero().sub(r));
        let [x, y, z] = self.impulse;
        square([x.sub(p), y.sub(q), z.sub(held)])
    }
}

#[inline(always)]
fn square<S: Simd>([x, y, z]: [S; 3]) -> S {
    z.fma(z, y.fma(y, x.mul(x)))
}

/// What impulses along the tangents do on an arm, and a twist besides: torques on b, along the axes.
#[inline(always)]
pub(super) fn levered<S: Simd>(arm: V3<S>, [x, y]: [S; 2], twist: S) -> [S; 3] {
    let [n, t, u] = arm.0;
    [
        t.fma(y, u.nfma(x, twist)),
        n.mul(S::zero().sub(y)),
        n.mul(x),
    ]
}

/// Sum of the normal impulses (N·s).
#[inline(always)]
pub(super) fn load<S: Simd>(points: &[Point<S::Stored>]) -> S {
    let mut sum = S::zero();
    for p in points {
        sum = sum.add(S::load(&p.impulse));
    }
    sum
}

/// What a point counts for in the centre.
#[inline(always)]
fn share<S: Simd>(p: &Point<S::Stored>) -> S {
    S::splat(TRACE).fma(S::load(&p.inverse), S::load(&p.impulse))
}
