//! The sweeps, one manifold after the other.

use super::Thin;
use crate::lanes::dispatch;
use crate::lanes::kernel::Numbers;
use crate::lanes::simd::{Line, Simd, Wide};
use crate::lanes::vector::V3;
use glam::DVec2;
use rb_core::law::Law;
use rb_core::manifold::{FrictionLaw, MAX_POINTS};

/// Says which lanes are the upper half.
const UPPER: Wide = Wide([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]);

#[inline(always)]
pub(super) fn upper<S: Simd>() -> S::Mask {
    S::gt(S::load(&UPPER), S::zero())
}

/// A number of the line of a in the lower half, of b in the upper.
#[inline(always)]
pub(super) fn sides<S: Simd>(m: &Thin, lines: &[Line], upper: S::Mask, k: usize) -> S {
    let [a, b] = [m.bodies[0] as usize, m.bodies[1] as usize];
    S::select(upper, S::splat(lines[b].0[k]), S::splat(lines[a].0[k]))
}

#[inline(always)]
pub(super) fn splat<S: Simd>(v: &[f64; 3]) -> V3<S> {
    V3([S::splat(v[0]), S::splat(v[1]), S::splat(v[2])])
}

/// What the points of a move with in the lower half, those of b in the upper.
#[inline(always)]
pub(super) fn speeds<S: Simd>(m: &Thin, lines: &[Line], upper: S::Mask) -> V3<S> {
    let both = |k: usize| sides(m, lines, upper, k);
    let lin = V3([both(0), both(1), both(2)]);
    let ang = V3([both(4), both(5), both(6)]);
    lin.add(ang.cross(V3::load(&m.arm)))
}

/// Speed of b relative to a along the normal, for each point.
#[inline(always)]
pub(super) fn normal<S: Simd>(m: &Thin, v: V3<S>) -> S {
    let n = v.dot(splat(&m.axes[0]));
    n.swapped().sub(n)
}

/// Speed of b relative to a along the first tangent, for each point, then along the second.
#[inline(always)]
pub(super) fn tangents<S: Simd>(m: &Thin, v: V3<S>, upper: S::Mask) -> S {
    let (t, u) = (v.dot(splat(&m.axes[1])), v.dot(splat(&m.axes[2])));
    let b = S::select(upper, u, t.swapped());
    b.sub(S::select(upper, u.swapped(), t))
}

pub(super) fn run_pose(manifolds: &mut [Thin], moved: &[Line], numbers: &Numbers) {
    dispatch!(pose(manifolds: &mut [Thin], moved: &[Line], numbers: &Numbers))
}

/// Terms of both passes at the present gaps.
#[inline(always)]
pub(super) fn pose<S: Simd>(manifolds: &mut [Thin], moved: &[Line], numbers: &Numbers) {
    let (upper, one) = (upper::<S>(), S::splat(1.0));
    for m in manifolds {
        let gap = S::load(&m.gap).add(normal(m, speeds::<S>(m, moved, upper)));
        let pace = [S::splat(m.pace[0]), S::splat(m.pace[1])];
        let (bias, reg, after) = numbers.terms(gap, pace);
        let share = one.div(one.add(reg));
        S::select(upper, share.swapped(), bias).store(&mut m.soft);
        after.store(&mut m.bias[0]);
    }
}

pub(super) fn run_warm(manifolds: &[Thin], inv: &[Line], vel: &mut [Line]) {
    dispatch!(warm(manifolds: &[Thin], inv: &[Line], vel: &mut [Line]))
}

#[inline(always)]
pub(super) fn warm<S: Simd>(manifolds: &[Thin], inv: &[Line], vel: &mut [Line]) {
    for m in manifolds {
        let mut load = Load::default();
        for k in 0..MAX_POINTS {
            load.add(m, k, m.impulse_of(k));
        }
        load.push(m, inv, vel);
    }
}

pub(super) fn run_position(
    manifolds: &mut [Thin],
    inv: &[Line],
    vel: &mut [Line],
    backwards: bool,
) {
    dispatch!(position(manifolds: &mut [Thin], inv: &[Line], vel: &mut [Line], backwards: bool))
}

#[inline(always)]
pub(super) fn position<S: Simd>(
    manifolds: &mut [Thin],
    inv: &[Line],
    vel: &mut [Line],
    backwards: bool,
) {
    let upper = upper::<S>();
    if backwards {
        for m in manifolds.iter_mut().rev() {
            position_visit::<S, true>(m, inv, vel, upper);
        }
    } else {
        for m in manifolds {
            position_visit::<S, false>(m, inv, vel, upper);
        }
    }
}

/// Normals under the soft step.
#[inline(always)]
fn position_visit<S: Simd, const BACK: bool>(
    m: &mut Thin,
    inv: &[Line],
    vel: &mut [Line],
    upper: S::Mask,
) {
    let w = normal(m, speeds::<S>(m, vel, upper)).add(S::load(&m.soft));
    let own = S::load(&m.root[0]).nfma(w, S::load(&m.impulse[0]));
    let mut x = Wide::default();
    own.store(&mut x);
    let mut push = Push {
        x: [x.0[0], x.0[1], x.0[2], x.0[3]],
        sum: 0.0,
        centre: [[0.0; 3]; 2],
    };
    push.visit::<BACK, 0>(m);
    push.visit::<BACK, 1>(m);
    push.visit::<BACK, 2>(m);
    push.visit::<BACK, 3>(m);
    let n = m.axes[0];
    let force = [n[0] * push.sum, n[1] * push.sum, n[2] * push.sum];
    let turned = |s: usize| turn([0.0; 3], push.centre[s], n);
    let torque = [turned(0), turned(1)];
    Load { force, torque }.push(m, inv, vel);
}

/// A visit in the position pass.
struct Push {
    /// x of the normals.
    x: [f64; MAX_POINTS],
    /// Sum of the changes of impulse, and of the arms times these.
    sum: f64,
    centre: [[f64; 3]; 2],
}

impl Push {
    /// The point in place `I`.
    #[inline(always)]
    fn visit<const BACK: bool, const I: usize>(&mut self, m: &mut Thin) {
        let k = nth::<BACK>(I);
        if k >= m.points as usize {
            return;
        }
        let new = positive(self.x[k] * m.soft.0[MAX_POINTS + k]);
        let delta = new - m.impulse[0].0[k];
        m.impulse[0].0[k] = new;
        for j in I + 1..MAX_POINTS {
            let l = nth::<BACK>(j);
            self.x[l] = m.coupling([k, 0], [l, 0]).mul_add(-delta, self.x[l]);
        }
        let impulse = m.root[0].0[k] * delta;
        self.sum += impulse;
        for s in 0..2 {
            let arm = arm(m, s, k);
            for c in 0..3 {
                self.centre[s][c] = arm[c].mul_add(impulse, self.centre[s][c]);
            }
        }
    }
}

pub(super) fn run_velocity(
    manifolds: &mut [Thin],
    inv: &[Line],
    vel: &mut [Line],
    backwards: bool,
) {
    dispatch!(velocity(manifolds: &mut [Thin], inv: &[Line], vel: &mut [Line], backwards: bool))
}

#[inline(always)]
pub(super) fn velocity<S: Simd>(
    manifolds: &mut [Thin],
    inv: &[Line],
    vel: &mut [Line],
    backwards: bool,
) {
    let upper = upper::<S>();
    if backwards {
        for m in manifolds.iter_mut().rev() {
            velocity_visit::<S, true>(m, inv, vel, upper);
        }
    } else {
        for m in manifolds {
            velocity_visit::<S, false>(m, inv, vel, upper);
        }
    }
}

/// Normals and friction under the law itself.
#[inline(always)]
fn velocity_visit<S: Simd, const BACK: bool>(
    m: &mut Thin,
    inv: &[Line],
    vel: &mut [Line],
    upper: S::Mask,
) {
    let mut visit = Visit {
        x: own::<S>(m, vel, upper),
        load: Load::default(),
    };
    visit.point::<BACK, 0>(m);
    visit.point::<BACK, 1>(m);
    visit.point::<BACK, 2>(m);
    visit.point::<BACK, 3>(m);
    visit.load.push(m, inv, vel);
}

/// A visit in the velocity pass.
struct Visit {
    /// x of normals, first tangents, second tangents.
    x: [[f64; MAX_POINTS]; 3],
    /// What has changed.
    load: Load,
}

impl Visit {
    /// The point in place `I`.
    #[inline(always)]
    fn point<const BACK: bool, const I: usize>(&mut self, m: &mut Thin) {
        let k = nth::<BACK>(I);
        if k >= m.points as usize {
            return;
        }
        let u = MAX_POINTS + k;
        let old = [m.impulse[0].0[k], m.impulse[1].0[k], m.impulse[1].0[u]];
        let n = positive(self.x[0][k]);
        let dn = n - old[0];
        let wanted = [
            m.cross.0[k].mul_add(-dn, self.x[1][k]),
            m.cross.0[u].mul_add(-dn, self.x[2][k]),
        ];
        let t = project(m.law, m.limit.0[k] * n, wanted);
        (m.impulse[0].0[k], m.impulse[1].0[k], m.impulse[1].0[u]) = (n, t[0], t[1]);
        let delta = [dn, t[0] - old[1], t[1] - old[2]];
        for j in I + 1..MAX_POINTS {
            let l = nth::<BACK>(j);
            for r in 0..3 {
                for c in 0..3 {
                    let g = m.coupling([k, c], [l, r]);
                    self.x[r][l] = g.mul_add(-delta[c], self.x[r][l]);
                }
            }
        }
        let (rn, rt) = (m.root[0].0[k], m.root[1].0[k]);
        let impulse = [rn * delta[0], rt * delta[1], rt * delta[2]];
        self.load.add(m, k, impulse);
    }
}

/// x of all rows: normals, first tangents, second tangents.
#[inline(always)]
fn own<S: Simd>(m: &Thin, vel: &[Line], upper: S::Mask) -> [[f64; MAX_POINTS]; 3] {
    let v = speeds::<S>(m, vel, upper);
    let n = normal(m, v).add(S::load(&m.bias[0]));
    let t = tangents(m, v, upper).add(S::load(&m.bias[1]));
    let mut x = [Wide::default(); 2];
    S::load(&m.root[0])
        .nfma(n, S::load(&m.impulse[0]))
        .store(&mut x[0]);
    S::load(&m.root[1])
        .nfma(t, S::load(&m.impulse[1]))
        .store(&mut x[1]);
    let [n, t] = [x[0].0, x[1].0];
    [
        [n[0], n[1], n[2], n[3]],
        [t[0], t[1], t[2], t[3]],
        [t[4], t[5], t[6], t[7]],
    ]
}

/// The point visited in place `i`.
#[inline(always)]
fn nth<const BACK: bool>(i: usize) -> usize {
    if BACK { MAX_POINTS - 1 - i } else { i }
}

#[inline(always)]
fn positive(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.0 }
}

#[inline(always)]
fn arm(m: &Thin, side: usize, k: usize) -> [f64; 3] {
    let at = MAX_POINTS * side + k;
    [m.arm[0].0[at], m.arm[1].0[at], m.arm[2].0[at]]
}

/// A vector along the contact axes in world axes.
#[inline(always)]
fn world([n, t, u]: &[[f64; 3]; 3], [x, y, z]: [f64; 3]) -> [f64; 3] {
    let at = |c: usize| u[c].mul_add(z, t[c].mul_add(y, n[c] * x));
    [at(0), at(1), at(2)]
}

/// sum + r × p.
#[inline(always)]
fn turn(sum: [f64; 3], [a, b, c]: [f64; 3], [x, y, z]: [f64; 3]) -> [f64; 3] {
    [
        (-c).mul_add(y, b.mul_add(z, sum[0])),
        (-a).mul_add(z, c.mul_add(x, sum[1])),
        (-b).mul_add(x, a.mul_add(y, sum[2])),
    ]
}

/// An impulse on b and its opposite on a, with what turns each.
#[derive(Default)]
struct Load {
    force: [f64; 3],
    torque: [[f64; 3]; 2],
}

impl Load {
    /// Adds an impulse at a point, along the contact axes.
    #[inline(always)]
    fn add(&mut self, m: &Thin, k: usize, impulse: [f64; 3]) {
        let p = world(&m.axes, impulse);
        for c in 0..3 {
            self.force[c] += p[c];
        }
        for s in 0..2 {
            self.torque[s] = turn(self.torque[s], arm(m, s, k), p);
        }
    }

    /// v ± W of it.
    #[inline(always)]
    fn push(&self, m: &Thin, inv: &[Line], vel: &mut [Line]) {
        for (s, sign) in [(0, -1.0), (1, 1.0)] {
            let body = m.bodies[s] as usize;
            let [xx, yy, zz, xy, xz, yz, mx, my] = inv[body].0;
            let ([fx, fy, fz], [x, y, z]) = (self.force, self.torque[s]);
            let [fx, fy, fz] = [sign * fx, sign * fy, sign * fz];
            let [x, y, z] = [sign * x, sign * y, sign * z];
            let v = &mut vel[body].0;
            v[0] = mx.mul_add(fx, v[0]);
            v[1] = my.mul_add(fy, v[1]);
            v[2] = v[3].mul_add(fz, v[2]);
            v[4] = xz.mul_add(z, xy.mul_add(y, xx.mul_add(x, v[4])));
            v[5] = yz.mul_add(z, yy.mul_add(y, xy.mul_add(x, v[5])));
            v[6] = zz.mul_add(z, yz.mul_add(y, xz.mul_add(x, v[6])));
        }
    }
}

/// Nearest point of the friction disc, square or diamond of radius `r`.
#[inline(always)]
fn project(law: FrictionLaw, r: f64, [x, y]: [f64; 2]) -> [f64; 2] {
    match law {
        FrictionLaw::Boxed => [clamp(x, r), clamp(y, r)],
        FrictionLaw::Pyramid => diamond(r, x, y),
        _ => {
            let square = y.mul_add(y, x * x);
            if square > r * r {
                let share = r / square.sqrt();
                [x * share, y * share]
            } else {
                [x, y]
            }
        }
    }
}

#[inline(always)]
fn clamp(x: f64, r: f64) -> f64 {
    let x = if x < r { x } else { r };
    if x > -r { x } else { -r }
}

#[cold]
#[inline(never)]
fn diamond(r: f64, x: f64, y: f64) -> [f64; 2] {
    let t = Law::Pyramid { mu: 1.0 }.project_tangent(DVec2::new(x, y), r);
    [t.x, t.y]
}
