//! Friction at every point of a manifold.

use super::prepare::{Entries, opposed};
use super::visit::{Last, Pair, Speeds, nth, splat, splat3};
use super::{Columns, Normals};
use crate::lanes::simd::{Halves, Narrow, Stored};
use crate::lanes::vector::V3;
use glam::DVec2;
use rb_core::law::Law;
use rb_core::manifold::{FrictionLaw, MAX_POINTS, Manifold};

/// Friction at every point. In each vector the first tangents, then the second.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Each {
    /// s.
    pub(super) root: Narrow,
    /// λ̂.
    pub(super) impulse: Narrow,
    /// r of each point.
    limit: Narrow,
    /// Ĝ between the normal and the tangents of each point.
    cross: Narrow,
    /// Ĝ between a row of a point (n, t, u) and one of another, but for that between normals: the next point
    /// around in the lower half, the one after that in the upper.
    couple: [Narrow; 8],
    /// Of the first tangents, then of the second.
    columns: [Columns<MAX_POINTS>; 2],
}

impl Each {
    /// Takes what was stored, times `scale`; returns the normal impulses.
    pub(super) fn fill(&mut self, manifold: &Manifold, scale: f64) -> [f64; MAX_POINTS] {
        let (points, _) = manifold.each();
        self.impulse = Narrow::default();
        for (k, [_, x, y]) in points[..usize::from(manifold.count)].iter().enumerate() {
            self.impulse.0[k] = (scale * x) as f32;
            self.impulse.0[MAX_POINTS + k] = (scale * y) as f32;
        }
        points.map(|[load, ..]| scale * load)
    }

    /// Impulse of a point along the tangents (N·s).
    #[inline(always)]
    pub(super) fn impulse_of(&self, k: usize) -> [f64; 2] {
        let u = MAX_POINTS + k;
        [
            self.impulse.at(k) * self.root.at(k),
            self.impulse.at(u) * self.root.at(u),
        ]
    }

    #[inline(always)]
    pub(super) fn warm<S: Halves, L: Stored>(&self, m: &Normals, vel: &mut [L]) {
        let mut pair = Pair::<S>::of(m, vel);
        pair.warm(&m.columns, S::load(&m.impulse));
        let impulse = S::load(&self.impulse);
        pair.warm(&self.columns[0], impulse.lows(impulse));
        pair.warm(&self.columns[1], impulse.highs(impulse));
        pair.put_back(m, vel);
    }

    /// Steps and bounds, coupling within each point; impulses become scaled. The normals have been.
    #[inline(always)]
    pub(super) fn scale<S: Halves>(&mut self, m: &Normals, rows: &Entries<S>) {
        let (zero, normal) = (S::zero(), S::load(&m.root));
        let trace = rows.own(1, 1).add(rows.own(2, 2));
        // Rows that nothing answers to take no step.
        let slips = S::gt(normal.mul(trace), zero);
        let tangent = S::select(slips, S::splat(2.0).div(trace).sqrt(), zero);
        let limit = splat::<S>(m.mu).mul(normal).div(tangent);
        S::select(slips, limit, zero).store(&mut self.limit);
        let cross = rows.own(0, 1).lows(rows.own(0, 2));
        normal.mul(tangent).mul(cross).store(&mut self.cross);
        tangent.store(&mut self.root);
        let impulse = S::load(&self.impulse).div(tangent);
        S::select(slips, impulse, zero).store(&mut self.impulse);
    }

    /// Columns, and coupling between points. (Loops over rows and columns leave these in memory.)
    #[inline(always)]
    pub(super) fn couple<S: Halves>(&mut self, m: &Normals, rows: &Entries<S>) {
        let signed = opposed(S::load(&self.root));
        for (k, columns) in self.columns.iter_mut().enumerate() {
            let [shift, turn] = rows.response(k + 1);
            columns.set(shift.scaled(signed), turn.scaled(signed));
        }
        let tangent = S::load(&self.root);
        let roots = [S::load(&m.root), tangent, tangent];
        self.column::<S, 0>(rows, &roots);
        self.column::<S, 1>(rows, &roots);
        self.column::<S, 2>(rows, &roots);
    }

    /// Couples all rows with the rows `C` of other points.
    #[inline(always)]
    fn column<S: Halves, const C: usize>(&mut self, rows: &Entries<S>, roots: &[S; 3]) {
        let others = rows.others(C, roots[C]);
        if C > 0 {
            let entry = rows.between(0, C, others);
            entry.mul(roots[0]).store(&mut self.couple[C - 1]);
        }
        let entry = rows.between(1, C, others);
        entry.mul(roots[1]).store(&mut self.couple[2 + C]);
        let entry = rows.between(2, C, others);
        entry.mul(roots[2]).store(&mut self.couple[5 + C]);
    }

    /// Ĝ between row `r` of point `k` and row `c` of point `l`.
    #[inline(always)]
    fn coupling(&self, m: &Normals, [k, r]: [usize; 2], [l, c]: [usize; 2]) -> f32 {
        if r + c == 0 {
            return m.couple[k].0[l];
        }
        let (entries, back) = (&self.couple[3 * r + c - 1], &self.couple[3 * c + r - 1]);
        match (MAX_POINTS + l - k) % MAX_POINTS {
            1 => entries.0[k],
            2 => entries.0[MAX_POINTS + k],
            _ => back.0[l],
        }
    }

    /// A visit in the velocity pass.
    #[inline(always)]
    pub(super) fn visit<S: Halves, L: Stored, const BACK: bool>(
        &mut self,
        m: &mut Normals,
        vel: &mut [L],
        last: &mut Last<S>,
    ) {
        let pair = Pair::<S>::after::<L, BACK>(m, vel, last);
        let mut visit = Visit {
            d: self.own(m, &pair.speeds()),
            pair,
        };
        visit.point::<BACK, 0>(m, self);
        visit.point::<BACK, 1>(m, self);
        visit.point::<BACK, 2>(m, self);
        visit.point::<BACK, 3>(m, self);
        visit.pair.put_back(m, vel);
        last.0[0] = visit.pair;
    }

    /// What each row would give up by itself: normals, first tangents, second tangents.
    #[inline(always)]
    fn own<S: Halves>(&self, m: &Normals, speeds: &Speeds<S>) -> [[f32; MAX_POINTS]; 3] {
        let mut d = [Narrow::default(); 2];
        let closing = speeds.along(&m.rows).add(S::load(&m.bias));
        closing.store(&mut d[0]);
        S::load(&self.root).mul(slips(m, speeds)).store(&mut d[1]);
        let [n, t] = [d[0].0, d[1].0];
        [
            [n[0], n[1], n[2], n[3]],
            [t[0], t[1], t[2], t[3]],
            [t[4], t[5], t[6], t[7]],
        ]
    }
}

/// A visit in the velocity pass.
struct Visit<S> {
    /// d of normals, first tangents, second tangents.
    d: [[f32; MAX_POINTS]; 3],
    pair: Pair<S>,
}

impl<S: Halves> Visit<S> {
    /// The point in place `I`.
    #[inline(always)]
    fn point<const BACK: bool, const I: usize>(&mut self, m: &mut Normals, each: &mut Each) {
        let k = nth::<BACK>(I);
        if k >= m.points as usize {
            return;
        }
        let u = MAX_POINTS + k;
        let [n, x, y] = [m.impulse.0[k], each.impulse.0[k], each.impulse.0[u]];
        let dn = -at_most(self.d[0][k], n);
        let wanted = [
            x - each.cross.0[k].mul_add(dn, self.d[1][k]),
            y - each.cross.0[u].mul_add(dn, self.d[2][k]),
        ];
        let t = project(m.law, each.limit.0[k] * (n + dn), wanted);
        (m.impulse.0[k], m.impulse.0[u]) = (n + dn, n + dn);
        (each.impulse.0[k], each.impulse.0[u]) = (t[0], t[1]);
        let delta = [dn, t[0] - x, t[1] - y];
        for j in I + 1..MAX_POINTS {
            let l = nth::<BACK>(j);
            for r in 0..3 {
                for c in 0..3 {
                    let g = each.coupling(m, [k, c], [l, r]);
                    self.d[r][l] = g.mul_add(delta[c], self.d[r][l]);
                }
            }
        }
        self.pair.push(&m.columns, k, splat(delta[0]));
        self.pair.push(&each.columns[0], k, splat(delta[1]));
        self.pair.push(&each.columns[1], k, splat(delta[2]));
    }
}

/// Speed of b relative to a along the first tangent, for each point, then along the second.
#[inline(always)]
pub(super) fn tangents<S: Halves>(m: &Normals, speeds: &Speeds<S>) -> S {
    let [lin, ang] = speeds.sides();
    let v = lin.add(ang.cross(V3::load(&m.arm)));
    let (t, u) = (v.dot(splat3(&m.axes[1])), v.dot(splat3(&m.axes[2])));
    t.highs(u).sub(t.lows(u))
}

/// That speed less the wanted one.
#[inline(always)]
pub(super) fn slips<S: Halves>(m: &Normals, speeds: &Speeds<S>) -> S {
    tangents(m, speeds).sub(splat::<S>(m.belt[0]).lows(splat(m.belt[1])))
}

#[inline(always)]
fn at_most(x: f32, most: f32) -> f32 {
    if x < most { x } else { most }
}

/// Nearest point of the friction disc, square or diamond of radius `r`.
#[inline(always)]
fn project(law: FrictionLaw, r: f32, [x, y]: [f32; 2]) -> [f32; 2] {
    match law {
        FrictionLaw::Boxed => [clamp(x, r), clamp(y, r)],
        FrictionLaw::Pyramid => diamond(r, x, y),
        // A point without load has no friction.
        _ if r <= 0.0 => [0.0; 2],
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
fn clamp(x: f32, r: f32) -> f32 {
    let x = if x < r { x } else { r };
    if x > -r { x } else { -r }
}

#[cold]
#[inline(never)]
fn diamond(r: f32, x: f32, y: f32) -> [f32; 2] {
    let t = DVec2::new(f64::from(x), f64::from(y));
    let t = Law::Pyramid { mu: 1.0 }.project_tangent(t, f64::from(r));
    [t.x as f32, t.y as f32]
}
