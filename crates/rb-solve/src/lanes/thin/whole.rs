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
use super::prepare::{both, lines, opposed};
use super::visit::{Lines, Motion, approach, arms};
use crate::lanes::batch::Wide3;
use crate::lanes::grip::{TRACE, stored};
use crate::lanes::simd::{Line, Simd, Wide};
use crate::lanes::vector::{Mass, V3};
use crate::lanes::view::Hold;
use glam::DVec3;
use rb_core::manifold::{MAX_POINTS, Manifold};

/// Friction of a manifold as one. In vectors of rows the first three lanes are t, u and z, and the upper half is
/// idle. Before it is scaled, its twist is that about the first point (N·m·s).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Whole {
    /// Axes of the rows, the same in both halves; z has none.
    axis: Wide3,
    /// Arm × axis, for z the reach times the normal: from a in the lower half, from b in the upper.
    lever: Wide3,
    /// What λ̂ of t and of u does to the linear velocities, as [`Lines`] have them.
    shift: [Wide; 2],
    /// What that of all does to the angular ones.
    turn: [Wide; 3],
    /// λ̂.
    impulse: Wide,
    /// s; in the upper half s times the wanted speed.
    root: Wide,
    /// Ĝ between the normals and the first tangent, then the second.
    cross: Wide,
    /// Ĝ between the normals and the twist.
    twist: Wide,
    /// Ĝ between the tangents and the twist.
    inner: [f64; 2],
    /// r of the tangents; of the twist.
    limit: [f64; 2],
    /// Centre of the load, from both bodies.
    arm: [[f64; 3]; 2],
    /// Reach (m).
    reach: f64,
}

impl Whole {
    /// As it was stored.
    pub(super) fn stored(manifold: &Manifold, scale: f64) -> Self {
        let mut new = Self::default();
        new.impulse.0[..3].copy_from_slice(&stored(manifold, scale));
        new
    }

    /// Impulses along the tangents and of the twist over the reach (N·s).
    #[inline(always)]
    pub(super) fn impulses(&self) -> [f64; 3] {
        let ([x, y, z, ..], [t, u, s, ..]) = (self.impulse.0, self.root.0);
        [t * x, u * y, s * z]
    }

    /// Steps of the tangents and of the twist.
    #[inline(always)]
    pub(super) fn steps(&self) -> [f64; 2] {
        let [t, _, s, ..] = self.root.0;
        [t * t, s * s]
    }

    pub(super) fn hold(&self) -> Hold {
        Hold {
            arm: self.arm.map(DVec3::from_array),
            reach: self.reach,
            impulse: self.impulses(),
        }
    }

    #[inline(always)]
    pub(super) fn warm<S: Simd>(&self, m: &Normals, vel: &mut [Line]) {
        let [x, y, z, ..] = self.impulse.0;
        let mut lines = Lines::<S>::of(m, vel);
        lines.warm(m);
        self.push([x, y, z], &mut lines);
        lines.put_back(m, vel);
    }

    /// Adds what changes of its λ̂ do.
    #[inline(always)]
    fn push<S: Simd>(&self, [x, y, z]: [f64; 3], lines: &mut Lines<S>) {
        lines.shift(&self.shift[0], x);
        lines.shift(&self.shift[1], y);
        lines.turn(&self.turn[0], x);
        lines.turn(&self.turn[1], y);
        lines.turn(&self.turn[2], z);
    }

    /// Centre, reach, rows, steps and bounds; impulses become scaled. The normals have been.
    #[inline(always)]
    pub(super) fn scale<S: Simd>(&mut self, m: &Normals, mass: &Mass<S>) {
        self.settle(m);
        self.lay(m);
        let (axis, lever) = (V3::<S>::load(&self.axis), V3::load(&self.lever));
        let turn = lever.dot(mass.ang(lever));
        let shift = axis.times(both(mass.lin)).dot(axis);
        let mut own = Wide::default();
        turn.add(turn.swapped()).add(shift).store(&mut own);
        let [tt, uu, zz, ..] = own.0;
        let [t, s] = [root(2.0, tt + uu), root(1.0, zz)];
        self.root = Wide([t, t, s, 0.0, t * m.belt[0], t * m.belt[1], 0.0, 0.0]);
        self.limit = [over(m.mu, t), over(m.mu, s)];
        let [x, y, z, ..] = self.impulse.0;
        let scaled = [over(x, t), over(y, t), over(over(z, self.reach), s)];
        self.impulse.0[..3].copy_from_slice(&scaled);
        let shift = mass.lin.times(axis);
        let shift = lines(shift.scaled(opposed(S::load(&self.root))));
        shift[0].store(&mut self.shift[0]);
        shift[1].store(&mut self.shift[1]);
    }

    /// Axes and levers of its rows.
    #[inline(always)]
    fn lay(&mut self, m: &Normals) {
        let [n, t, u] = &m.axes;
        for c in 0..3 {
            let [d, e] = [(c + 1) % 3, (c + 2) % 3];
            for (s, r) in self.arm.iter().enumerate() {
                let cross = |v: &[f64; 3]| r[d] * v[e] - r[e] * v[d];
                let lever = [cross(t), cross(u), self.reach * n[c]];
                let at = s * MAX_POINTS;
                self.axis[c].0[at..at + 2].copy_from_slice(&[t[c], u[c]]);
                self.lever[c].0[at..at + 3].copy_from_slice(&lever);
            }
        }
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
        let ([x, y, ..], off) = (self.impulse.0, arms(0)[0] - centre[0]);
        self.impulse.0[2] += n.dot(off.cross(t * x + u * y));
    }

    /// What its rows do to the velocities, to the normals and to each other, at the present attitude.
    #[inline(always)]
    pub(super) fn couple<S: Simd>(&mut self, m: &Normals, mass: &Mass<S>) {
        let (root, roots) = (S::load(&m.root), S::load(&self.root));
        let turn = lines(mass.ang(V3::load(&self.lever)).scaled(opposed(roots)));
        turn[0].store(&mut self.turn[0]);
        turn[1].store(&mut self.turn[1]);
        turn[2].store(&mut self.turn[2]);
        let t = Motion::<S>::lying(&self.shift[0], &self.turn[0]);
        let u = Motion::<S>::lying(&self.shift[1], &self.turn[1]);
        let z = Motion::<S>::lying(&Wide::default(), &self.turn[2]);
        let cross = approach(m, &t).lows(approach(m, &u));
        cross.mul(root.lows(root)).store(&mut self.cross);
        approach(m, &z).mul(root).store(&mut self.twist);
        let mut inner = Wide::default();
        self.speed(&z).mul(roots).store(&mut inner);
        self.inner = [inner.0[0], inner.0[1]];
    }

    /// A visit in the velocity pass.
    #[inline(always)]
    pub(super) fn visit<S: Simd, const BACK: bool>(&mut self, m: &mut Normals, vel: &mut [Line]) {
        let motion = Motion::<S>::of(m, vel);
        let w = approach(m, &motion).add(S::load(&m.bias));
        let own = S::load(&m.root).nfma(w, S::load(&m.impulse));
        let [x, y, z] = self.rub(m, &motion);
        let cross = S::load(&self.cross);
        let own = S::load(&self.twist).nfma(S::splat(z), own);
        let own = cross.nfma(S::splat(x), own);
        let own = cross.swapped().nfma(S::splat(y), own);
        let mut lines = Lines::of(m, vel);
        self.push([x, y, z], &mut lines);
        press::<S, BACK, false>(m, own, &mut lines);
        lines.put_back(m, vel);
    }

    /// Visits its own rows; says how their λ̂ change.
    #[inline(always)]
    fn rub<S: Simd>(&mut self, m: &Normals, motion: &Motion<S>) -> [f64; 3] {
        let mut load = 0.0;
        for k in 0..MAX_POINTS {
            load = m.root.0[k].mul_add(m.impulse.0[k], load);
        }
        let (root, mut own) = (S::load(&self.root), Wide::default());
        let still = S::load(&self.impulse).add(root.swapped());
        root.nfma(self.speed(motion), still).store(&mut own);
        let ([x, y, z, ..], [t, u, s, ..]) = (self.impulse.0, own.0);
        let twist = clamp(s, self.limit[1] * load);
        let turned = twist - z;
        let wanted = [
            self.inner[0].mul_add(-turned, t),
            self.inner[1].mul_add(-turned, u),
        ];
        let [p, q] = project(m.law, self.limit[0] * load, wanted);
        self.impulse.0[..3].copy_from_slice(&[p, q, twist]);
        [p - x, q - y, turned]
    }

    /// Speed of b relative to a along its rows.
    #[inline(always)]
    pub(super) fn speed<S: Simd>(&self, motion: &Motion<S>) -> S {
        motion.along(V3::load(&self.axis), &self.lever)
    }
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
