//! Friction of a manifold as one, as [`grip`](crate::lanes::grip) has it.
//!
//! Its rows z, t, u come before the normals, which are then told what they did to them:
//!
//! ```text
//! λ̂_z ← clamp(λ̂_z − s_z w_z, ± r_z Σ λₙ),   λ̂_t ← Π(λ̂_t − s_t w_t − Ĝ_tz Δλ̂_z, r_t Σ λₙ)
//! normals x −= Ĝ_nz Δλ̂_z + Ĝ_nt Δλ̂_t + Ĝ_nu Δλ̂_u
//! ```

use super::Normals;
use super::each::{clamp, project};
use super::position::press;
use super::prepare::Rows;
use super::visit::{Load, arms, normal, speeds, splat};
use crate::lanes::grip::{TRACE, stored};
use crate::lanes::simd::{Line, Simd, Wide};
use crate::lanes::vector::V3;
use crate::lanes::view::Hold;
use glam::DVec3;
use rb_core::manifold::{MAX_POINTS, Manifold};

/// Friction of a manifold as one. Before it is scaled, its twist is that about the first point (N·m·s).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Whole {
    /// Centre of the load, from both bodies.
    pub(super) arm: [[f64; 3]; 2],
    /// Reach (m).
    pub(super) reach: f64,
    /// s of both tangents; of the twist.
    root: [f64; 2],
    /// λ̂ of the tangents, then of the twist.
    impulse: [f64; 3],
    /// r of the tangents; of the twist.
    limit: [f64; 2],
    /// Ĝ between the normals and the first tangent, then the second.
    cross: Wide,
    /// Ĝ between the normals and the twist.
    twist: Wide,
    /// Ĝ between the tangents and the twist.
    inner: [f64; 2],
}

impl Whole {
    /// As it was stored.
    pub(super) fn stored(manifold: &Manifold, scale: f64) -> Self {
        Self {
            impulse: stored(manifold, scale),
            ..Self::default()
        }
    }

    /// Impulses along the tangents and of the twist over the reach (N·s).
    #[inline(always)]
    pub(super) fn impulses(&self) -> [f64; 3] {
        let ([x, y, z], [t, s]) = (self.impulse, self.root);
        [t * x, t * y, s * z]
    }

    /// Steps of the tangents and of the twist.
    #[inline(always)]
    pub(super) fn steps(&self) -> [f64; 2] {
        self.root.map(|s| s * s)
    }

    pub(super) fn hold(&self) -> Hold {
        Hold {
            arm: self.arm.map(DVec3::from_array),
            reach: self.reach,
            impulse: self.impulses(),
        }
    }

    #[inline(always)]
    pub(super) fn warm(&self, m: &Normals, load: &mut Load) {
        for k in 0..MAX_POINTS {
            load.add(m, arms(m, k), [m.impulse.0[k] * m.root.0[k], 0.0, 0.0]);
        }
        self.push(m, self.impulse, load);
    }

    /// Adds changes of its λ̂.
    #[inline(always)]
    fn push(&self, m: &Normals, [x, y, z]: [f64; 3], load: &mut Load) {
        let [t, s] = self.root;
        load.add(m, self.arm, [0.0, t * x, t * y]);
        let z = self.reach * (s * z);
        for torque in &mut load.torque {
            for c in 0..3 {
                torque[c] = m.axes[0][c].mul_add(z, torque[c]);
            }
        }
    }

    /// Centre, reach, steps and bounds; impulses become scaled. The normals have been.
    #[inline(always)]
    pub(super) fn scale<S: Simd>(&mut self, m: &Normals, rows: &Rows<S>, upper: S::Mask) {
        self.settle(m);
        let (mut wide, [t, u, z]) = ([Wide::default(); 3], self.rows(m, rows, upper));
        rows.at(1, t.0, t.1).store(&mut wide[0]);
        rows.at(2, u.0, u.1).store(&mut wide[1]);
        let spin = z.0.dot(z.1);
        spin.add(spin.swapped()).store(&mut wide[2]);
        let [tt, uu, zz] = wide.map(|w| w.0[0]);
        self.root = [root(2.0, tt + uu), root(1.0, zz)];
        self.limit = self.root.map(|s| over(m.mu, s));
        let [x, y, twist] = self.impulse;
        let [t, s] = self.root;
        self.impulse = [over(x, t), over(y, t), over(over(twist, self.reach), s)];
    }

    /// Centre and reach, from normals that are scaled; the twist moves to the centre.
    #[inline(always)]
    fn settle(&mut self, m: &Normals) {
        let count = m.points as usize;
        let (mut shares, mut total) = ([0.0; MAX_POINTS], 0.0);
        for (k, share) in shares[..count].iter_mut().enumerate() {
            let root = m.root.0[k];
            *share = TRACE.mul_add(root * root, root * m.impulse.0[k]);
            total += *share;
        }
        if total <= 0.0 {
            return;
        }
        let mut centre = [DVec3::ZERO; 2];
        let arms = |k: usize| arms(m, k).map(DVec3::from_array);
        for (k, share) in shares[..count].iter().enumerate() {
            let [a, b] = arms(k);
            centre[0] += a * *share;
            centre[1] += b * *share;
        }
        let centre = [centre[0] / total, centre[1] / total];
        let mut reach = 0.0;
        for (k, share) in shares[..count].iter().enumerate() {
            reach += share * (arms(k)[0] - centre[0]).length();
        }
        self.reach = reach / total;
        self.arm = [centre[0].to_array(), centre[1].to_array()];
        let [n, t, u] = m.axes.map(DVec3::from_array);
        let ([x, y, _], off) = (self.impulse, arms(0)[0] - centre[0]);
        self.impulse[2] += n.dot(off.cross(t * x + u * y));
    }

    /// Angular parts of the rows t, u and z, and W times these, felt by a in the lower half and by b in the
    /// upper.
    #[inline(always)]
    fn rows<S: Simd>(&self, m: &Normals, rows: &Rows<S>, upper: S::Mask) -> [(V3<S>, V3<S>); 3] {
        let arm = V3([
            either(upper, &self.arm, 0),
            either(upper, &self.arm, 1),
            either(upper, &self.arm, 2),
        ]);
        let t = arm.cross(splat(&m.axes[1]));
        let u = arm.cross(splat(&m.axes[2]));
        let z = splat::<S>(&m.axes[0]).scaled(S::splat(self.reach));
        let mass = &rows.mass;
        [(t, mass.ang(t)), (u, mass.ang(u)), (z, mass.ang(z))]
    }

    /// Coupling at the present attitude.
    #[inline(always)]
    pub(super) fn couple<S: Simd>(&mut self, m: &Normals, rows: &Rows<S>, upper: S::Mask) {
        let [t, u, z] = self.rows(m, rows, upper);
        let normal = S::load(&m.root);
        let normal = normal.add(normal.swapped());
        let [tangent, spin] = [S::splat(self.root[0]), S::splat(self.root[1])];
        let cross = S::select(upper, rows.entry(0, 2, u.1), rows.entry(0, 1, t.1));
        cross.mul(normal.mul(tangent)).store(&mut self.cross);
        let twist = rows.turn(0, z.1).mul(normal.mul(spin));
        S::select(upper, S::zero(), twist).store(&mut self.twist);
        let (t, u) = (t.0.dot(z.1), u.0.dot(z.1));
        let both = tangent.mul(spin);
        let mut wide = [Wide::default(); 2];
        t.add(t.swapped()).mul(both).store(&mut wide[0]);
        u.add(u.swapped()).mul(both).store(&mut wide[1]);
        self.inner = [wide[0].0[0], wide[1].0[0]];
    }

    /// A visit in the velocity pass.
    #[inline(always)]
    pub(super) fn visit<S: Simd, const BACK: bool>(
        &mut self,
        m: &mut Normals,
        vel: &[Line],
        upper: S::Mask,
    ) -> Load {
        let w = normal(m, speeds::<S>(m, vel, upper)).add(S::load(&m.bias));
        let own = S::load(&m.root).nfma(w, S::load(&m.impulse));
        let [x, y, z] = self.rub(m, vel);
        let cross = S::load(&self.cross);
        let own = S::load(&self.twist).nfma(S::splat(z), own);
        let own = cross.nfma(S::splat(x), own);
        let own = cross.swapped().nfma(S::splat(y), own);
        let mut load = press::<S, BACK, false>(m, own);
        self.push(m, [x, y, z], &mut load);
        load
    }

    /// Visits its own rows; says how their λ̂ change.
    #[inline(always)]
    fn rub(&mut self, m: &Normals, vel: &[Line]) -> [f64; 3] {
        let mut load = 0.0;
        for k in 0..MAX_POINTS {
            load = m.root.0[k].mul_add(m.impulse.0[k], load);
        }
        let [wt, wu, wz] = self.slip(m, vel);
        let ([t, s], [x, y, z]) = (self.root, self.impulse);
        let twist = clamp((-s).mul_add(wz, z), self.limit[1] * load);
        let turned = twist - z;
        let wanted = [
            self.inner[0].mul_add(-turned, (-t).mul_add(wt, x)),
            self.inner[1].mul_add(-turned, (-t).mul_add(wu, y)),
        ];
        let [p, q] = project(m.law, self.limit[0] * load, wanted);
        self.impulse = [p, q, twist];
        [p - x, q - y, turned]
    }

    /// w along the tangents and of the twist.
    #[inline(always)]
    pub(super) fn slip(&self, m: &Normals, lines: &[Line]) -> [f64; 3] {
        let [a, b] = m.bodies.map(|body| &lines[body as usize].0);
        let at = |v: &[f64; 8], r: [f64; 3]| {
            let [x, y, z] = [v[4], v[5], v[6]];
            [
                y.mul_add(r[2], (-z).mul_add(r[1], v[0])),
                z.mul_add(r[0], (-x).mul_add(r[2], v[1])),
                x.mul_add(r[1], (-y).mul_add(r[0], v[2])),
            ]
        };
        let (p, q) = (at(a, self.arm[0]), at(b, self.arm[1]));
        let slip = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
        let turn = [b[4] - a[4], b[5] - a[5], b[6] - a[6]];
        let dot = |e: [f64; 3], v: [f64; 3]| e[2].mul_add(v[2], e[1].mul_add(v[1], e[0] * v[0]));
        let [n, t, u] = m.axes;
        [
            dot(t, slip) - m.belt[0],
            dot(u, slip) - m.belt[1],
            self.reach * dot(n, turn),
        ]
    }
}

/// A coordinate of the first arm in the lower half, of the second in the upper.
#[inline(always)]
fn either<S: Simd>(upper: S::Mask, [a, b]: &[[f64; 3]; 2], c: usize) -> S {
    S::select(upper, S::splat(b[c]), S::splat(a[c]))
}

/// Root of x/a, or 0 where a is not above 0: a row that nothing answers to takes no step.
#[inline(always)]
fn root(x: f64, a: f64) -> f64 {
    if a > 0.0 { (x / a).sqrt() } else { 0.0 }
}

/// x/s, or 0 for a row without a step.
#[inline(always)]
fn over(x: f64, s: f64) -> f64 {
    if s > 0.0 { x / s } else { 0.0 }
}
