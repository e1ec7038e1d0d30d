//! Friction of a manifold as one, as [`grip`](crate::lanes::grip) has it.
//!
//! Its rows z, t, u come before the normals, which are then told what they did to them:
//!
//! ```text
//! λ̂_z ← clamp(λ̂_z − s_z w_z, ± r_z Σ λₙ),   λ̂_t ← Π(λ̂_t − s_t w_t − Ĝ_tz Δλ̂_z, r_t Σ λₙ)
//! normals x −= Ĝ_nz Δλ̂_z + Ĝ_nt Δλ̂_t + Ĝ_nu Δλ̂_u
//! ```

use super::Normals;
use super::each::project;
use super::position::press;
use super::prepare::{both, first, lines, opposed};
use super::visit::{Lines, Spins, halves, splat, sum};
use crate::lanes::batch::Wide3;
use crate::lanes::grip::TRACE;
use crate::lanes::prepare::per;
use crate::lanes::simd::{Halves, Line, Wide};
use crate::lanes::vector::{Mass, V3};
use crate::lanes::view::{Hold, vector};
use glam::DVec3;
use rb_core::manifold::{FrictionLaw, Impulses, MAX_POINTS, Manifold, WHOLE};

/// Friction of a manifold as one. In vectors of rows the first three lanes are t, u and z, and the upper half is
/// idle. Before it is scaled, its twist is that about the first point (N·m·s).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Whole {
    /// − s J of the angular velocities, as the normals have it: of arm × axis, where z has the reach times the normal.
    pull: Wide3,
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
    /// Ĝ between the normals and the twist; in the upper half that between the tangents and the twist.
    twist: Wide,
    /// r of the tangents; of the twist.
    limit: [f64; 2],
    /// Centre of the load, from both bodies.
    arm: [[f64; 3]; 2],
    /// Reach (m).
    reach: f64,
}

impl Whole {
    /// Takes what was stored, times `scale`; returns the normal impulses.
    pub(super) fn fill(&mut self, manifold: &Manifold, scale: f64) -> [f64; MAX_POINTS] {
        let [a, b, c, d, friction @ ..] = manifold.whole().map(|x| scale * x);
        self.impulse.0[..3].copy_from_slice(&friction);
        [a, b, c, d]
    }

    /// All impulses as they are stored: no friction where no point has a load.
    pub(super) fn stored(&self, m: &Normals, loads: [f64; MAX_POINTS]) -> Impulses {
        let ([a, b, c, d], [x, y, z]) = (loads, self.impulses());
        if a + b + c + d <= 0.0 {
            return Impulses::Whole([0.0; WHOLE]);
        }
        let [_, t, u] = m.axes.map(DVec3::from_array);
        let centre = DVec3::from_array(self.arm[0]) - vector(&m.arm, 0);
        let twist = z * self.reach + t.dot(centre) * y - u.dot(centre) * x;
        Impulses::Whole([a, b, c, d, x, y, twist])
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
    pub(super) fn warm<S: Halves>(&self, m: &Normals, vel: &mut [Line]) {
        let [x, y, z, ..] = self.impulse.0;
        let mut lines = Lines::<S>::of(m, vel);
        lines.warm(m);
        self.push([x, y, z], &mut lines);
        lines.put_back(vel);
    }

    /// Adds what changes of its λ̂ do.
    #[inline(always)]
    fn push<S: Halves>(&self, [x, y, z]: [f64; 3], lines: &mut Lines<S>) {
        lines.shift(&self.shift[0], x);
        lines.shift(&self.shift[1], y);
        lines.turn(&self.turn[0], x);
        lines.turn(&self.turn[1], y);
        lines.turn(&self.turn[2], z);
    }

    /// Rows, steps and bounds, once it has settled; impulses become scaled.
    #[inline(always)]
    pub(super) fn scale<S: Halves>(&mut self, m: &Normals, mass: &Mass<S>) {
        let ([a, b], reach) = (self.arm, S::splat(self.reach));
        let centre = V3([halves(a[0], b[0]), halves(a[1], b[1]), halves(a[2], b[2])]);
        let (axis, lever) = lay(m, centre, reach);
        let turn = lever.dot(mass.ang(lever));
        let shift = axis.times(both(mass.lin)).dot(axis);
        let mut diagonal = Wide::default();
        turn.add(turn.swapped()).add(shift).store(&mut diagonal);
        let [tt, uu, zz, ..] = diagonal.0;
        // 1/s, or 0 for a row that nothing answers to, which takes no step.
        let [t, z] = [(0.5 * (tt + uu)).max(0.0).sqrt(), zz.max(0.0).sqrt()];
        self.limit = [m.mu * t, m.mu * z];
        let [x, y, twist, ..] = self.impulse.0;
        self.impulse.0[..3].copy_from_slice(&[x * t, y * t, over(twist, self.reach) * z]);
        let ([t, z], [p, q]) = ([over(1.0, t), over(1.0, z)], m.belt);
        self.root = Wide([t, t, z, 0.0, t * p, t * q, 0.0, 0.0]);
        let back = S::zero().sub(opposed(S::load(&self.root)));
        lever.scaled(back).store(&mut self.pull);
        let shift = lines(mass.lin.times(axis).scaled(opposed(S::splat(t))));
        shift[0].store(&mut self.shift[0]);
        shift[1].store(&mut self.shift[1]);
    }

    /// Centre and reach, from normals that are scaled; the twist moves to the centre.
    #[inline(always)]
    pub(super) fn settle<S: Halves>(&mut self, m: &Normals) {
        let (arm, root) = (V3::<S>::load(&m.arm), S::load(&m.root));
        let share = root.mul(S::splat(TRACE).fma(root, S::load(&m.impulse)));
        let share = share.lows(share);
        let each = per(S::splat(1.0), sum(share));
        let [x, y, z] = arm.scaled(share).0;
        let [x, y, z] = [sum(x).mul(each), sum(y).mul(each), sum(z).mul(each)];
        self.arm = [
            [first(x), first(y), first(z)],
            [first(x.swapped()), first(y.swapped()), first(z.swapped())],
        ];
        let centre = V3([x, y, z]);
        let off = arm.sub(centre);
        let reach = sum(share.mul(off.dot(off).sqrt())).mul(each);
        self.reach = first(reach);
        let [n, t, u] = [splat(&m.axes[0]), splat(&m.axes[1]), splat(&m.axes[2])];
        let [x, y, ..] = self.impulse.0;
        let force = t.scaled(S::splat(x)).more(u, S::splat(y));
        self.impulse.0[2] += first(n.dot(off.cross(force)));
    }

    /// What its rows do to the velocities, to the normals and to each other, at the present attitude; `turned` is W
    /// times the levers of the normals.
    #[inline(always)]
    pub(super) fn couple<S: Halves>(&mut self, m: &Normals, mass: &Mass<S>, turned: V3<S>) {
        let own = mass.ang(V3::load(&self.pull)).scaled(S::splat(-1.0));
        let turn = lines(own);
        turn[0].store(&mut self.turn[0]);
        turn[1].store(&mut self.turn[1]);
        turn[2].store(&mut self.turn[2]);
        let ([_, t, u], root) = (m.level, S::load(&m.root));
        let level = halves::<S>(t, u).mul(S::splat(self.root.0[0]));
        let level = level.mul(root.lows(root));
        let (a, b) = (self.levers(0, 0, 1), self.levers(1, 0, 1));
        let cross = turned.lows(turned).dot_off(a, level);
        let cross = cross.sub(turned.highs(turned).dot(b));
        cross.store(&mut self.cross);
        let (a, b) = (self.levers(0, 2, 2), self.levers(1, 2, 2));
        let twist = turned.lows(own).dot_off(a, S::zero());
        let twist = twist.sub(turned.highs(own).dot(b));
        twist.store(&mut self.twist);
    }

    /// What a row has in `pull` of one of the bodies in the lower half, and another in the upper.
    #[inline(always)]
    fn levers<S: Halves>(&self, side: usize, low: usize, high: usize) -> V3<S> {
        let [x, y, z] = &self.pull;
        let (p, q) = (MAX_POINTS * side + low, MAX_POINTS * side + high);
        V3([
            halves(x.0[p], x.0[q]),
            halves(y.0[p], y.0[q]),
            halves(z.0[p], z.0[q]),
        ])
    }

    /// A visit in the velocity pass.
    #[inline(always)]
    pub(super) fn visit<S: Halves, const BACK: bool>(&mut self, m: &mut Normals, vel: &mut [Line]) {
        let mut lines = Lines::<S>::of(m, vel);
        let (spins, apart) = (Spins::of(m, vel), lines.apart(m));
        let root = S::load(&m.root);
        let turning = spins.onto(&m.pull, root.mul(S::load(&m.bias)));
        let change = root.fma(apart.spread::<3>(), turning);
        let [x, y, z] = self.rub(m, &spins, apart);
        let cross = S::load(&self.cross);
        let change = S::load(&self.twist).fma(S::splat(z), change);
        let change = cross.fma(S::splat(x), change);
        let change = cross.swapped().fma(S::splat(y), change);
        self.push([x, y, z], &mut lines);
        press::<S, BACK, false>(m, change, &mut lines);
        lines.put_back(vel);
    }

    /// Visits its own rows; says how their λ̂ change.
    #[inline(always)]
    fn rub<S: Halves>(&mut self, m: &Normals, spins: &Spins<S>, apart: S) -> [f64; 3] {
        let mut load = 0.0;
        for k in 0..MAX_POINTS {
            load = m.root.0[k].mul_add(m.impulse.0[k], load);
        }
        let mut wide = Wide::default();
        self.want(spins, apart, S::load(&self.root).swapped())
            .store(&mut wide);
        let ([x, y, z, ..], [t, u, s, ..]) = (self.impulse.0, wide.0);
        let most = self.limit[1] * load;
        let turned = within(s, [-most - z, most - z]);
        let [.., p, q, _, _] = self.twist.0;
        let wanted = [p.mul_add(-turned, t), q.mul_add(-turned, u)];
        let (held, [dx, dy]) = slide(m.law, self.limit[0] * load, [x, y], wanted);
        self.impulse.0[..3].copy_from_slice(&[held[0], held[1], z + turned]);
        [dx, dy, turned]
    }

    /// What its rows would take for themselves beside `start`: − s J v.
    #[inline(always)]
    fn want<S: Halves>(&self, spins: &Spins<S>, apart: S, start: S) -> S {
        S::load(&self.root).nfma(apart, spins.onto(&self.pull, start))
    }

    /// Speed of b relative to a along its rows.
    #[inline(always)]
    pub(super) fn speed<S: Halves>(&self, m: &Normals, vel: &[Line]) -> S {
        let apart = Lines::<S>::of(m, vel).apart(m);
        let taken = self.want(&Spins::of(m, vel), apart, S::zero());
        per(S::zero().sub(taken), S::load(&self.root))
    }
}

#[inline(always)]
fn within(x: f64, [low, high]: [f64; 2]) -> f64 {
    let x = if x < high { x } else { high };
    if x > low { x } else { low }
}

/// Where a change leads within the bounds of a law, and what is left of it.
#[inline(always)]
fn slide(law: FrictionLaw, r: f64, [x, y]: [f64; 2], by: [f64; 2]) -> ([f64; 2], [f64; 2]) {
    let wanted = [x + by[0], y + by[1]];
    let round = !matches!(law, FrictionLaw::Boxed | FrictionLaw::Pyramid);
    let square = wanted[1].mul_add(wanted[1], wanted[0] * wanted[0]);
    if round && r > 0.0 && square <= r * r {
        // What sticks does what it would, without waiting for more.
        return (wanted, by);
    }
    let held = project(law, r, wanted);
    (held, [held[0] - x, held[1] - y])
}

/// Axes of the rows, the same in both halves; z has none. Then arm × axis, for z the reach times the normal: from a in
/// the lower half, from b in the upper.
#[inline(always)]
fn lay<S: Halves>(m: &Normals, centre: V3<S>, reach: S) -> (V3<S>, V3<S>) {
    let [n, t, u] = [splat(&m.axes[0]), splat(&m.axes[1]), splat(&m.axes[2])];
    let none = V3([S::zero(); 3]);
    (
        side_by_side(t, u, none),
        side_by_side(centre.cross(t), centre.cross(u), n.scaled(reach)),
    )
}

/// Three vectors, each the same in all lanes of a half, in the first three lanes of that half.
#[inline(always)]
fn side_by_side<S: Halves>(a: V3<S>, b: V3<S>, c: V3<S>) -> V3<S> {
    let ([ax, ay, az], [bx, by, bz], [cx, cy, cz]) = (a.0, b.0, c.0);
    let [x, ..] = lines(V3([ax, bx, cx]));
    let [y, ..] = lines(V3([ay, by, cy]));
    let [z, ..] = lines(V3([az, bz, cz]));
    V3([x, y, z])
}

/// x/s, or 0 for a row without a step.
#[inline(always)]
fn over(x: f64, s: f64) -> f64 {
    if s > 0.0 { x / s } else { 0.0 }
}
