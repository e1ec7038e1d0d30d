//! Friction of a manifold as one, as [`grip`](crate::lanes::grip) has it.
//!
//! Its rows z, t, u come before the normals, which are then told what they did to them:
//!
//! ```text
//! λ̂_z ← clamp(λ̂_z − s_z w_z, ± r_z Σ λₙ),   λ̂_t ← Π(λ̂_t − s_t w_t − Ĝ_tz Δλ̂_z, r_t Σ λₙ)
//! normals d += Ĝ_nz Δλ̂_z + Ĝ_nt Δλ̂_t + Ĝ_nu Δλ̂_u
//! ```

use super::prepare::opposed;
use super::press::Press;
use super::visit::{Last, Pair, Speeds, both, splat, splat3, spread, sum};
use super::{Columns, Normals, Rows, double};
use crate::lanes::grip::TRACE;
use crate::lanes::prepare::per;
use crate::lanes::simd::{Halves, Line, Narrow, Stored};
use crate::lanes::vector::{Mass, V3};
use crate::lanes::view::{Hold, vector};
use rb_core::manifold::{MAX_POINTS, Manifold, WHOLE};

/// Friction of a manifold as one. Lanes of rows are t, u and z, in both halves. Before it is scaled, its twist is that about the first point (N·m·s).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Whole {
    rows: Rows,
    columns: Columns<3>,
    /// λ̂.
    impulse: Narrow,
    /// s times the wanted speed.
    belt: Narrow,
    /// r.
    limit: Narrow,
    /// Ĝ between its own rows and the twist.
    twist: Narrow,
    /// Ĝ between the normals and each of them.
    cross: [Narrow; 3],
    /// s.
    root: Narrow,
    /// Centre of the load, from both bodies.
    arm: [[f32; 3]; 2],
    /// Reach (m).
    reach: f32,
    /// From the first point to the centre along the tangents (m).
    lean: [f64; 2],
    /// 1/s of the tangents and of the twist, or 0.
    stiff: [f32; 2],
    /// Shares of the points in the load, of which all but λ̂ is made.
    shares: Narrow,
    /// Whether all but λ̂ is what it was in the last step, if the normals are.
    kept: bool,
}

/// Speed below which bodies count as at rest, with what gravity has just added to it (m/s, rad/s).
const SLOW: f64 = 0.1;

/// Between bodies at rest shares are multiples of 2⁻⁸. Of single precision, numbers from 2¹⁵ to 2¹⁶ are.
const COARSE: f64 = 49152.0;

impl Whole {
    /// Takes what was stored, times `scale`; returns the normal impulses.
    pub(super) fn fill(&mut self, manifold: &Manifold, scale: f64) -> [f64; MAX_POINTS] {
        let [a, b, c, d, friction @ ..] = manifold.whole().map(|x| scale * x);
        self.impulse = rows(friction.map(|x| x as f32));
        [a, b, c, d]
    }

    /// All impulses as they are stored: no friction where no point has a load.
    pub(super) fn stored(&self, m: &Normals) -> [f64; WHOLE] {
        let of = |k: usize| m.impulse.at(k) * m.root.at(k);
        let ([a, b, c, d], [x, y, z]) = ([of(0), of(1), of(2), of(3)], self.impulses());
        if a + b + c + d <= 0.0 {
            return [0.0; WHOLE];
        }
        let [t, u] = self.lean;
        let twist = z * f64::from(self.reach) + t * y - u * x;
        [a, b, c, d, x, y, twist]
    }

    /// Impulses along the tangents and of the twist over the reach (N·s).
    #[inline(always)]
    pub(super) fn impulses(&self) -> [f64; 3] {
        let of = |k: usize| self.impulse.at(k) * self.root.at(k);
        [of(0), of(1), of(2)]
    }

    /// Steps of the tangents and of the twist.
    #[inline(always)]
    pub(super) fn steps(&self) -> [f32; 2] {
        let [t, _, s, ..] = self.root.0;
        [t * t, s * s]
    }

    pub(super) fn hold(&self) -> Hold {
        Hold {
            arm: self.arm.map(double),
            reach: f64::from(self.reach),
            impulse: self.impulses(),
        }
    }

    #[inline(always)]
    pub(super) fn warm<S: Halves, L: Stored>(&self, m: &Normals, vel: &mut [L]) {
        let mut pair = Pair::<S>::of(m, vel);
        pair.warm(&m.columns, S::load(&m.impulse));
        self.push(spread(S::load(&self.impulse)), &mut pair);
        pair.put_back(m, vel);
    }

    /// Adds what changes of its λ̂ do.
    #[inline(always)]
    fn push<S: Halves>(&self, V3([x, y, z]): V3<S>, pair: &mut Pair<S>) {
        pair.push(&self.columns, 0, x);
        pair.push(&self.columns, 1, y);
        pair.push(&self.columns, 2, z);
    }

    /// Rows, steps and bounds, once it has settled; impulses become scaled.
    #[inline(always)]
    pub(super) fn scale<S: Halves>(&mut self, m: &Normals, mass: &Mass<S>) {
        if !self.is_kept(m) {
            self.lay_out(m, mass);
        }
        let ([x, y, twist, ..], [t, z]) = (self.impulse.0, self.stiff);
        self.impulse = rows([x * t, y * t, over(twist, self.reach) * z]);
    }

    /// Rows, steps and bounds.
    #[inline(always)]
    fn lay_out<S: Halves>(&mut self, m: &Normals, mass: &Mass<S>) {
        let (axis, lever) = self.lay::<S>(m);
        let turn = lever.dot(mass.ang(lever));
        let shift = axis.dot(mass.lin.times(axis));
        let mut diagonal = Narrow::default();
        both(turn.add(shift)).store(&mut diagonal);
        let [tt, uu, zz, ..] = diagonal.0;
        // 1/s, or 0 for a row that nothing answers to, which takes no step.
        let [t, z] = [(0.5 * (tt + uu)).max(0.0).sqrt(), zz.max(0.0).sqrt()];
        self.stiff = [t, z];
        self.limit = rows([m.mu * t, m.mu * t, m.mu * z]);
        let ([t, z], [p, q]) = ([over(1.0, t), over(1.0, z)], m.belt);
        self.root = rows([t, t, z]);
        self.belt = rows([t * p, t * q, 0.0]);
        let root = opposed(S::load(&self.root));
        self.rows.set(axis.scaled(root), lever.scaled(root));
    }

    /// Whether all but its impulses is what it was in the last step.
    #[inline(always)]
    pub(super) fn is_kept(&self, m: &Normals) -> bool {
        self.kept && m.kept
    }

    /// Axes of the rows, the same in both halves; z has none. Then arm × axis, for z the reach times the normal: from a
    /// in the lower half, from b in the upper.
    #[inline(always)]
    fn lay<S: Halves>(&self, m: &Normals) -> (V3<S>, V3<S>) {
        let [n, t, u] = [splat3(&m.axes[0]), splat3(&m.axes[1]), splat3(&m.axes[2])];
        let (centre, none) = (self.centre::<S>(), V3([S::zero(); 3]));
        let lever = [
            centre.cross(t),
            centre.cross(u),
            n.scaled(splat(self.reach)),
        ];
        (side_by_side([t, u, none]), side_by_side(lever))
    }

    /// Centre and reach, from normals that are scaled; the twist moves to the centre.
    ///
    /// A load at rest changes in its last digits, and with it would all that hangs on where it is. So its shares are
    /// rounded there, and what they were in the last step is kept.
    #[inline(always)]
    pub(super) fn settle<S: Halves>(&mut self, m: &Normals, vel: &[Line]) {
        let (arm, root) = (V3::<S>::load(&m.arm), S::load(&m.root));
        let mut shares = root.mul(S::splat(TRACE).fma(root, S::load(&m.impulse)));
        if at_rest::<S>(m, vel) {
            let coarse = S::splat(COARSE);
            let each = per(S::splat(1.0), sum(shares));
            shares = coarse.add(shares.mul(each)).sub(coarse);
        }
        let other = shares.sub(S::load(&self.shares));
        let zero = S::zero();
        self.kept = !S::any(S::gt(other.max(zero.sub(other)), zero));
        if !self.is_kept(m) {
            self.find_centre(m, arm, shares);
        }
        let off = arm.sub(self.centre());
        let [n, t, u] = [splat3(&m.axes[0]), splat3(&m.axes[1]), splat3(&m.axes[2])];
        let [x, y, twist, ..] = self.impulse.0;
        let force = t.scaled(splat(x)).more(u, splat(y));
        let mut moved = Narrow::default();
        n.dot(off.cross(force)).store(&mut moved);
        self.impulse = rows([x, y, twist + moved.0[0]]);
    }

    /// Centre and reach of a load with these shares.
    #[inline(always)]
    fn find_centre<S: Halves>(&mut self, m: &Normals, arm: V3<S>, shares: S) {
        let each = per(S::splat(1.0), sum(shares));
        let [x, y, z] = arm.scaled(shares).0;
        let centre = V3([sum(x).mul(each), sum(y).mul(each), sum(z).mul(each)]);
        let off = arm.sub(centre);
        let reach = sum(shares.mul(off.dot(off).sqrt())).mul(each);
        let mut at = [Narrow::default(); 4];
        let [x, y, z] = centre.0;
        for (to, from) in at.iter_mut().zip([x, y, z, reach]) {
            from.store(to);
        }
        let side = |lane: usize| [at[0].0[lane], at[1].0[lane], at[2].0[lane]];
        self.arm = [side(0), side(MAX_POINTS)];
        self.reach = at[3].0[0];
        let [_, t, u] = m.axes.map(double);
        let lean = double(self.arm[0]) - vector(&m.arm, 0);
        self.lean = [t.dot(lean), u.dot(lean)];
        shares.store(&mut self.shares);
    }

    /// Arms to the centre, from a in the lower half and from b in the upper.
    #[inline(always)]
    fn centre<S: Halves>(&self) -> V3<S> {
        splat3::<S>(&self.arm[0]).lows(splat3(&self.arm[1]))
    }

    /// What its rows do to the velocities, to the normals and to each other, at the present attitude; `turned` is W
    /// times the levers of the normals.
    #[inline(always)]
    pub(super) fn couple<S: Halves>(&mut self, m: &Normals, mass: &Mass<S>, turned: V3<S>) {
        let [axis, lever] = self.rows.parts::<S>();
        let own = mass.ang(lever);
        self.columns.set(mass.lin.times(axis), own);
        let (root, [_, t, u]) = (S::load(&m.root), m.level);
        let level = splat::<S>(self.root.0[0]).mul(root);
        let [x, y, z] = [lever.each::<0>(), lever.each::<1>(), lever.each::<2>()];
        splat::<S>(t)
            .fma(level, both(x.dot(turned)))
            .store(&mut self.cross[0]);
        splat::<S>(u)
            .fma(level, both(y.dot(turned)))
            .store(&mut self.cross[1]);
        both(z.dot(turned)).store(&mut self.cross[2]);
        both(z.dot(own)).store(&mut self.twist);
    }

    /// A visit in the velocity pass.
    #[inline(always)]
    pub(super) fn visit<S: Halves, L: Stored, const BACK: bool>(
        &mut self,
        m: &mut Normals,
        vel: &mut [L],
        last: &mut Last<S>,
    ) {
        let start = self.start::<S, L, BACK>(m, vel, last);
        let press = self.rub(m, start).run::<BACK>(m);
        last.0[0] = press.end(m, vel);
    }

    /// The same of two that share no body, by turns.
    #[inline(always)]
    pub(super) fn visit_two<S: Halves, L: Stored, const BACK: bool>(
        [first, second]: [&mut Self; 2],
        [m, n]: [&mut Normals; 2],
        vel: &mut [L],
        last: &mut Last<S>,
    ) {
        let p = first.start::<S, L, BACK>(m, vel, last);
        let q = second.start::<S, L, BACK>(n, vel, last);
        let (p, q) = (first.rub(m, p), second.rub(n, q));
        let [p, q] = p.run_two::<BACK>(m, q, n);
        last.0 = [p.end(m, vel), q.end(n, vel)];
    }

    /// What each row would do by itself.
    #[inline(always)]
    fn start<S: Halves, L: Stored, const BACK: bool>(
        &self,
        m: &Normals,
        vel: &[L],
        last: &Last<S>,
    ) -> Start<S> {
        let pair = Pair::<S>::after::<L, BACK>(m, vel, last);
        let speeds = pair.speeds();
        let load = sum(S::load(&m.root).mul(S::load(&m.impulse)));
        let most = S::load(&self.limit).mul(load);
        let now = S::load(&self.impulse);
        let wanted = S::load(&self.belt).sub(speeds.along(&self.rows));
        let (least, less) = (S::zero().sub(most).sub(now), most.sub(now));
        Start {
            change: speeds.along(&m.rows).add(S::load(&m.bias)),
            pair,
            most,
            turned: wanted.min(less).max(least),
            wanted,
        }
    }

    /// Visits its own rows; says what each normal would give up then.
    #[inline(always)]
    fn rub<S: Halves>(&mut self, m: &Normals, start: Start<S>) -> Press<S, false> {
        let Start {
            mut pair,
            change,
            most,
            turned,
            wanted,
        } = start;
        let now = S::load(&self.impulse);
        let twist = turned.spread::<2>();
        let wanted = S::load(&self.twist).nfma(twist, wanted);
        let (held, by) = slide(most.spread::<0>(), now, wanted);
        held.with::<2>(now.add(turned)).store(&mut self.impulse);
        let by = V3([by.spread::<0>(), by.spread::<1>(), twist]);
        let change = S::load(&self.cross[2]).fma(by.0[2], change);
        let change = S::load(&self.cross[0]).fma(by.0[0], change);
        let change = S::load(&self.cross[1]).fma(by.0[1], change);
        self.push(by, &mut pair);
        Press {
            pair,
            change,
            share: S::zero(),
            most: S::load(&m.impulse),
            given: S::zero(),
        }
    }

    /// Speed of b relative to a along its rows.
    #[inline(always)]
    pub(super) fn speed<S: Halves>(&self, m: &Normals, vel: &[Line]) -> S {
        let taken = Speeds::of(m, vel).along(&self.rows);
        per(taken, S::load(&self.root))
    }
}

/// What a visit starts from.
struct Start<S> {
    pair: Pair<S>,
    /// What each normal would give up.
    change: S,
    /// Bounds of its rows.
    most: S,
    /// Change of λ̂ of the twist, and of the tangents without it.
    turned: S,
    wanted: S,
}

/// Whether neither body moves faster than at rest.
#[inline(always)]
fn at_rest<S: Halves>(m: &Normals, vel: &[Line]) -> bool {
    let [a, b] = [m.bodies[0] as usize, m.bodies[1] as usize];
    // In the last place of each half is an inverse mass.
    let a = vel[a].row::<S>().with::<3>(S::zero());
    let b = vel[b].row::<S>().with::<3>(S::zero());
    !S::any(S::gt(a.mul(a).max(b.mul(b)), S::splat(SLOW * SLOW)))
}

/// Numbers of the three rows, in both halves.
#[inline(always)]
fn rows([t, u, z]: [f32; 3]) -> Narrow {
    Narrow([t, u, z, 0.0, t, u, z, 0.0])
}

/// Where a change of both tangents leads within a disc of radius `r`, the same in all lanes, and what is left of it.
#[inline(always)]
fn slide<S: Halves>(r: S, now: S, by: S) -> (S, S) {
    if !S::any(S::gt(r, S::zero())) {
        return (S::zero(), S::zero().sub(now));
    }
    let wanted = now.add(by);
    let square = wanted.mul(wanted);
    let square = square.spread::<0>().add(square.spread::<1>());
    if !S::any(S::gt(square, r.mul(r))) {
        // What sticks does what it would, without waiting for more.
        return (wanted, by);
    }
    let held = wanted.mul(r.div(square.sqrt()));
    (held, held.sub(now))
}

/// Three vectors, each the same in all lanes of a half, in the first three lanes of that half.
#[inline(always)]
fn side_by_side<S: Halves>([a, b, c]: [V3<S>; 3]) -> V3<S> {
    let ([ax, ay, az], [bx, by, bz], [cx, cy, cz]) = (a.0, b.0, c.0);
    let row = |a: S, b: S, c: S| {
        let all = a.with::<1>(b).with::<2>(c);
        all.with::<3>(S::zero())
    };
    V3([row(ax, bx, cx), row(ay, by, cy), row(az, bz, cz)])
}

/// x/s, or 0 for a row without a step.
#[inline(always)]
fn over(x: f32, s: f32) -> f32 {
    if s > 0.0 { x / s } else { 0.0 }
}
