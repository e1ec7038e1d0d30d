//! What every visit of a manifold does: reading the velocities, writing them; and terms and warm start.

use super::{Friction, Normals, Thin};
use crate::lanes::dispatch;
use crate::lanes::kernel::Numbers;
use crate::lanes::simd::{Line, Simd, Wide};
use crate::lanes::vector::V3;
use rb_core::manifold::MAX_POINTS;

/// Visits every manifold once, there or back: `$visit` is compiled for either way.
macro_rules! in_turn {
    ($visit:ident::<$simd:ty>, $manifolds:ident, $backwards:ident, $($arg:expr),*) => {
        if $backwards {
            for m in $manifolds.iter_mut().rev() {
                $visit::<$simd, true>(m, $($arg),*);
            }
        } else {
            for m in $manifolds {
                $visit::<$simd, false>(m, $($arg),*);
            }
        }
    };
}
pub(super) use in_turn;

/// Says which lanes are the upper half.
const UPPER: Wide = Wide([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]);

#[inline(always)]
pub(super) fn upper<S: Simd>() -> S::Mask {
    S::gt(S::load(&UPPER), S::zero())
}

/// A number of the line of a in the lower half, of b in the upper.
#[inline(always)]
pub(super) fn sides<S: Simd>(m: &Normals, lines: &[Line], upper: S::Mask, k: usize) -> S {
    let [a, b] = [m.bodies[0] as usize, m.bodies[1] as usize];
    S::select(upper, S::splat(lines[b].0[k]), S::splat(lines[a].0[k]))
}

#[inline(always)]
pub(super) fn splat<S: Simd>(v: &[f64; 3]) -> V3<S> {
    V3([S::splat(v[0]), S::splat(v[1]), S::splat(v[2])])
}

/// What the points of a move with in the lower half, those of b in the upper.
#[inline(always)]
pub(super) fn speeds<S: Simd>(m: &Normals, lines: &[Line], upper: S::Mask) -> V3<S> {
    let both = |k: usize| sides(m, lines, upper, k);
    let lin = V3([both(0), both(1), both(2)]);
    let ang = V3([both(4), both(5), both(6)]);
    lin.add(ang.cross(V3::load(&m.arm)))
}

/// Speed of b relative to a along the normal, for each point.
#[inline(always)]
pub(super) fn normal<S: Simd>(m: &Normals, v: V3<S>) -> S {
    let n = v.dot(splat(&m.axes[0]));
    n.swapped().sub(n)
}

/// Speed of b relative to a along the first tangent, for each point, then along the second.
#[inline(always)]
pub(super) fn tangents<S: Simd>(m: &Normals, v: V3<S>, upper: S::Mask) -> S {
    let (t, u) = (v.dot(splat(&m.axes[1])), v.dot(splat(&m.axes[2])));
    let b = S::select(upper, u, t.swapped());
    b.sub(S::select(upper, u.swapped(), t))
}

/// That speed less the wanted one.
#[inline(always)]
pub(super) fn slips<S: Simd>(m: &Normals, v: V3<S>, upper: S::Mask) -> S {
    let belt = S::select(upper, S::splat(m.belt[1]), S::splat(m.belt[0]));
    tangents(m, v, upper).sub(belt)
}

pub(super) fn run_pose(manifolds: &mut [Thin], moved: &[Line], numbers: &Numbers) {
    dispatch!(narrow pose(manifolds: &mut [Thin], moved: &[Line], numbers: &Numbers))
}

/// Terms of both passes at the present gaps.
#[inline(always)]
pub(super) fn pose<S: Simd>(manifolds: &mut [Thin], moved: &[Line], numbers: &Numbers) {
    let (upper, one) = (upper::<S>(), S::splat(1.0));
    for Thin { normals: m, .. } in manifolds {
        let gap = S::load(&m.gap).add(normal(m, speeds::<S>(m, moved, upper)));
        let pace = [S::splat(m.pace[0]), S::splat(m.pace[1])];
        let (bias, reg, after) = numbers.terms(gap, pace);
        let share = one.div(one.add(reg));
        S::select(upper, share.swapped(), bias).store(&mut m.soft);
        after.store(&mut m.bias);
    }
}

pub(super) fn run_warm(manifolds: &[Thin], inv: &[Line], vel: &mut [Line]) {
    dispatch!(narrow warm(manifolds: &[Thin], inv: &[Line], vel: &mut [Line]))
}

#[inline(always)]
pub(super) fn warm<S: Simd>(manifolds: &[Thin], inv: &[Line], vel: &mut [Line]) {
    for Thin { normals, friction } in manifolds {
        let mut load = Load::default();
        match friction {
            Friction::Each(each) => each.warm(normals, &mut load),
            Friction::Whole(whole) => whole.warm(normals, &mut load),
        }
        load.push(normals, inv, vel);
    }
}

pub(super) fn run_velocity(
    manifolds: &mut [Thin],
    inv: &[Line],
    vel: &mut [Line],
    backwards: bool,
) {
    dispatch!(narrow velocity(manifolds: &mut [Thin], inv: &[Line], vel: &mut [Line], backwards: bool))
}

/// Normals and friction under the law itself, one manifold after the other.
#[inline(always)]
pub(super) fn velocity<S: Simd>(
    manifolds: &mut [Thin],
    inv: &[Line],
    vel: &mut [Line],
    backwards: bool,
) {
    let upper = upper::<S>();
    in_turn!(visit::<S>, manifolds, backwards, inv, vel, upper);
}

#[inline(always)]
fn visit<S: Simd, const BACK: bool>(m: &mut Thin, inv: &[Line], vel: &mut [Line], upper: S::Mask) {
    let normals = &mut m.normals;
    let load = match &mut m.friction {
        Friction::Each(each) => each.visit::<S, BACK>(normals, vel, upper),
        Friction::Whole(whole) => whole.visit::<S, BACK>(normals, vel, upper),
    };
    load.push(normals, inv, vel);
}

/// The point visited in place `i`.
#[inline(always)]
pub(super) fn nth<const BACK: bool>(i: usize) -> usize {
    if BACK { MAX_POINTS - 1 - i } else { i }
}

#[inline(always)]
pub(super) fn positive(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.0 }
}

#[inline(always)]
pub(super) fn arm(m: &Normals, side: usize, k: usize) -> [f64; 3] {
    let at = MAX_POINTS * side + k;
    [m.arm[0].0[at], m.arm[1].0[at], m.arm[2].0[at]]
}

#[inline(always)]
pub(super) fn arms(m: &Normals, k: usize) -> [[f64; 3]; 2] {
    [arm(m, 0, k), arm(m, 1, k)]
}

/// A vector along the contact axes in world axes.
#[inline(always)]
fn world([n, t, u]: &[[f64; 3]; 3], [x, y, z]: [f64; 3]) -> [f64; 3] {
    let at = |c: usize| u[c].mul_add(z, t[c].mul_add(y, n[c] * x));
    [at(0), at(1), at(2)]
}

/// sum + r × p.
#[inline(always)]
pub(super) fn turn(sum: [f64; 3], [a, b, c]: [f64; 3], [x, y, z]: [f64; 3]) -> [f64; 3] {
    [
        (-c).mul_add(y, b.mul_add(z, sum[0])),
        (-a).mul_add(z, c.mul_add(x, sum[1])),
        (-b).mul_add(x, a.mul_add(y, sum[2])),
    ]
}

/// An impulse on b and its opposite on a, with what turns each.
#[derive(Default)]
pub(super) struct Load {
    pub(super) force: [f64; 3],
    pub(super) torque: [[f64; 3]; 2],
}

impl Load {
    /// Adds an impulse along the contact axes at a point that `arms` lead to.
    #[inline(always)]
    pub(super) fn add(&mut self, m: &Normals, arms: [[f64; 3]; 2], impulse: [f64; 3]) {
        let p = world(&m.axes, impulse);
        for c in 0..3 {
            self.force[c] += p[c];
        }
        for s in 0..2 {
            self.torque[s] = turn(self.torque[s], arms[s], p);
        }
    }

    /// v ± W of it.
    #[inline(always)]
    pub(super) fn push(&self, m: &Normals, inv: &[Line], vel: &mut [Line]) {
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
