//! What friction as one does to the other rows of its manifold, so that these need not be asked again.
//!
//! With its impulses Λ = (twist n, x t, y u) at the centre c, the arms r to the first point, and A = I⁻¹ along the axes, b turns by
//! A_b τ and a by −A_a τ, τ = (twist + c_t y − c_u x, −c_n y, c_n x):
//!
//! ```text
//! slip     w_t += Σ (A τ × c)_t,  w_u += Σ (A τ × c)_u                of the twist alone, which is visited before
//! turning  about t and u += Σ (A τ)_t, Σ (A τ)_u                      b against a, of all three
//! speed    at the first point += Σ r_u (A τ)_t − r_t (A τ)_u          and n·M⁻¹ (x t + y u) where axes are locked
//! ```
//!
//! Without these a visit would push the bodies along the axes and then ask them for their speeds once more, and all that follows
//! would wait for that.

use super::prepare::Levers;
use super::simd::{Simd, Stored, two};
use super::vector::V3;

/// What a unit of each row of friction does: of the twist (N·m·s), and along both tangents (N·s).
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Cross<W> {
    /// ρ times that of the twist to the slip at the centre along both tangents.
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
