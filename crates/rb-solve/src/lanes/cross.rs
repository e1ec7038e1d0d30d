//! What friction as one does to the other rows of its manifold, so that these need not be asked again.
//!
//! With its impulses λ_z, x and y at the centre c, the arms r to the first point, and A the inverse inertia, all along the axes, b turns
//! by A_b τ and a by −A_a τ, τ = (reach · λ_z + c_t y − c_u x, −c_n y, c_n x):
//!
//! ```text
//! slip     w_t += Σ (A τ × c)_t,  w_u += Σ (A τ × c)_u        of λ_z alone, which is visited before
//! turning  ω_t += Σ (A τ)_t,  ω_u += Σ (A τ)_u                of b against a, by all three
//! speed    w_n += Σ r_u (A τ)_t − r_t (A τ)_u                 at the first point, and n·M⁻¹ (x t + y u) where axes are locked
//! ```
//!
//! Without these a visit would turn the bodies and then ask them for their speeds once more, and all that follows would wait for that.

use super::prepare::Levers;
use super::simd::{Simd, Stored, two};
use super::vector::V3;

/// What a unit impulse of each row of friction does (N·s): λ_z, then along both tangents.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Cross<W> {
    /// That of λ_z to the slip at the centre along both tangents, times their step.
    slip: [W; 2],
    /// To the speed at the first point along the normal, and to the turning about both tangents.
    normals: [[W; 3]; 3],
}

impl<W: Stored> Cross<W> {
    /// With arms to the centre of friction, along the axes, and to the first point, along the tangents.
    #[inline(always)]
    pub(super) fn set<S: Simd<Stored = W>>(
        &mut self,
        levers: &Levers<S>,
        (centre, reach, step): (&[V3<S>; 2], S, S),
        first: &[[S; 2]; 2],
    ) {
        let (zero, lean) = (S::zero(), levers.lean());
        let twist = levers.turned([V3([reach, zero, zero]); 2]);
        let slip = twist[0].cross(centre[0]).add(twist[1].cross(centre[1]));
        step.mul(slip.0[1]).store(&mut self.slip[0]);
        step.mul(slip.0[2]).store(&mut self.slip[1]);
        self.tell(0, twist, first, zero);
        let along_t = levers.turned(two!(|s| {
            let [n, _, u] = centre[s].0;
            V3([zero.sub(u), zero, n])
        }));
        self.tell(1, along_t, first, lean[0]);
        let along_u = levers.turned(two!(|s| {
            let [n, t, _] = centre[s].0;
            V3([t, zero.sub(n), zero])
        }));
        self.tell(2, along_u, first, lean[1]);
    }

    /// What normals feel of a row that turns the bodies so, and parts them by `lean`.
    #[inline(always)]
    fn tell<S: Simd<Stored = W>>(
        &mut self,
        row: usize,
        turned: [V3<S>; 2],
        first: &[[S; 2]; 2],
        lean: S,
    ) {
        let [[_, ta, ua], [_, tb, ub]] = [turned[0].0, turned[1].0];
        let ([xa, ya], [xb, yb]) = (first[0], first[1]);
        let of_b = xb.nfma(ub, yb.fma(tb, lean));
        xa.nfma(ua, ya.fma(ta, of_b))
            .store(&mut self.normals[row][0]);
        ta.add(tb).store(&mut self.normals[row][1]);
        ua.add(ub).store(&mut self.normals[row][2]);
    }

    /// Impulses that the tangents want, after a change of λ_z.
    #[inline(always)]
    pub(super) fn twisted<S: Simd<Stored = W>>(&self, [x, y]: [S; 2], twist: S) -> [S; 2] {
        let [to_x, to_y] = two!(|k| S::load(&self.slip[k]));
        [to_x.nfma(twist, x), to_y.nfma(twist, y)]
    }

    /// Speed at the first point and turning, after a twist and impulses along the tangents.
    #[inline(always)]
    pub(super) fn normals<S: Simd<Stored = W>>(
        &self,
        (speed, [t, u]): (S, [S; 2]),
        twist: S,
        slid: [S; 2],
    ) -> (S, [S; 2]) {
        (
            self.told(0, speed, twist, slid),
            [self.told(1, t, twist, slid), self.told(2, u, twist, slid)],
        )
    }

    #[inline(always)]
    fn told<S: Simd<Stored = W>>(&self, k: usize, before: S, twist: S, [x, y]: [S; 2]) -> S {
        let [by_twist, by_x, by_y] = [
            S::load(&self.normals[0][k]),
            S::load(&self.normals[1][k]),
            S::load(&self.normals[2][k]),
        ];
        by_y.fma(y, by_x.fma(x, by_twist.fma(twist, before)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::axes::{Along, Axes};
    use super::super::batch::Batch;
    use super::super::pair::Pair;
    use super::super::position::levers;
    use super::super::response::{Inertia, Response};
    use super::super::simd::{LANES, Place, Plain, Wide, Within};
    use super::super::vector::Mass;
    use super::super::{ContactLanes, view::vector};
    use super::*;
    use glam::{DMat3, DVec3};
    use rb_core::mass::InvMass;
    use rb_core::math::{Twist, tangents};

    fn wave(k: usize) -> DVec3 {
        DVec3::new(k as f64 + 0.2, k as f64 + 0.9, k as f64 + 1.7).map(f64::sin)
    }

    fn lanes(value: impl Fn(usize) -> f64) -> Plain {
        Plain::load(&Wide(core::array::from_fn(value)))
    }

    fn vectors(value: impl Fn(usize) -> DVec3) -> V3<Plain> {
        V3([0, 1, 2].map(|k| lanes(|i| value(i)[k])))
    }

    /// Round, with different moments, and with an axis locked.
    fn masses() -> [fn(usize) -> InvMass; 3] {
        [
            |k| InvMass {
                lin: DVec3::splat(1.0 + k as f64),
                ang: DMat3::from_diagonal(DVec3::splat(2.0 + k as f64)),
            },
            |k| InvMass {
                lin: DVec3::splat(1.0),
                ang: DMat3::from_diagonal(wave(k).abs() + 0.1),
            },
            |k| InvMass {
                lin: DVec3::new(1.0, 0.0, 0.5),
                ang: DMat3::from_diagonal(wave(k).abs()),
            },
        ]
    }

    #[test]
    fn rows_are_told_what_the_bodies_would_tell_them() {
        for mass in masses() {
            let mut bodies = ContactLanes::default();
            bodies.reset(2 * LANES);
            for k in 0..2 * LANES {
                bodies.set_mass(k, &mass(k));
                bodies.set_velocity(k, &Twist::new(wave(k + 40), wave(k + 70)));
            }
            let (inv, vel) = (&bodies.inv[..], &bodies.vel[..]);
            let mut batch = Batch::<Wide>::idle(0);
            batch.bodies = [0, 1].map(|s| core::array::from_fn(|i| Place::new((2 * i + s) as u32)));
            let normal = |i: usize| wave(i).normalize();
            vectors(normal).store(&mut batch.normal);
            vectors(|i| tangents(normal(i))[0]).store(&mut batch.tangent);
            for s in 0..2 {
                vectors(|i| wave(i + 100 * s)).store(&mut batch.arm[s]);
            }
            let axes = Axes::<Plain>::of(&batch);
            let mut pair = Pair::<Plain>::gather(vel, Within::both(&batch.bodies, vel));
            let mut response = Response::default();
            response.set(&axes, &Mass::of(&pair, inv, &batch.bodies));
            let (round, first) = (pair.is_round(), levers(&batch));
            let (levers, inertia) = match round {
                true => (Levers::round(&pair), Inertia::Round),
                false => (Levers::new(&batch, &response), Inertia::Any(&response)),
            };
            let centre = [300, 400].map(|from| vectors(|i| wave(i + from)));
            let [reach, step] = [0.3, 0.7].map(Plain::splat);
            let mut cross = Cross::default();
            cross.set(&levers, (&centre, reach, step), &first);

            let zero = Plain::zero();
            let [z, x, y] = [5, 6, 7].map(|from| lanes(|i| wave(i + 10 * from).x));
            let before = Along::new(&axes, &pair);
            let normal = cross.normals(before.normal(&first), z, [x, y]);
            let [_, p, q] = before.slip(&centre).0;
            let told = cross.twisted([step.nfma(p, zero), step.nfma(q, zero)], z);

            let twist = V3([reach.mul(z), zero, zero]);
            inertia.act(&mut pair, &axes, V3([zero; 3]), [twist; 2]);
            let [_, p, q] = Along::new(&axes, &pair).slip(&centre).0;
            same(
                [step.nfma(p, zero), step.nfma(q, zero), zero],
                [told[0], told[1], zero],
            );
            inertia.push_at(&mut pair, &axes, &centre, V3([zero, x, y]));
            let (speed, [t, u]) = Along::new(&axes, &pair).normal(&first);
            same([speed, t, u], [normal.0, normal.1[0], normal.1[1]]);
        }
    }

    fn same(a: [Plain; 3], b: [Plain; 3]) {
        let mut wide = [[Wide::default(); 3]; 2];
        V3(a).store(&mut wide[0]);
        V3(b).store(&mut wide[1]);
        for i in 0..LANES {
            let [a, b] = wide.each_ref().map(|w| vector(w, i));
            assert!((a - b).abs().max_element() < 1e-12, "{a} {b}");
        }
    }
}
