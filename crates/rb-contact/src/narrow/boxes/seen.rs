//! Two boxes, each as the other sees it, and the fifteen axes along which they may be apart.

use super::over::Turn;
use super::{NEXT, most, sign};
use crate::convex::Placed;
use crate::narrow::quad::Quad;
use glam::DVec3;

/// Squared sine of the angle between two edges below which they count as parallel.
const PARALLEL: f64 = 1e-6;

/// In the frame of a, then in that of b: the way from a to b, and the axes of the other box.
pub(super) struct Seen<Q> {
    pub(super) ways: [Q; 2],
    axes: [[Q; 3]; 2],
}

/// Axis number i of box a and number j of box b: separation (m) along their cross product, and its unit
/// vector from a to b in the frame of a.
pub(super) struct Edges {
    pub(super) of: [usize; 2],
    pub(super) s: f64,
    pub(super) axis: DVec3,
}

impl<Q: Quad> Seen<Q> {
    #[inline(always)]
    pub(super) fn new([a, b]: [&Placed; 2]) -> Self {
        let d = b.at - a.at;
        let (to_a, to_b) = (rows(a), rows(b));
        Self {
            ways: [product(&to_a, d), product(&to_b, d)],
            axes: [axes(&to_a, b), axes(&to_b, a)],
        }
    }

    #[inline(always)]
    pub(super) fn turns(&self) -> [Turn; 2] {
        let [[x, y, z], [u, v, w]] = self.axes;
        [
            [x.array(), y.array(), z.array()],
            [u.array(), v.array(), w.array()],
        ]
    }

    /// Of either box the face that separates best: number of the axis across it, and separation (m).
    #[inline(always)]
    pub(super) fn faces(&self, [ha, hb]: [DVec3; 2]) -> [(usize, f64); 2] {
        let ([to_b, to_a], [b, a]) = (self.ways, self.axes);
        let over_a = to_b.abs() - Q::of_vector(ha) - product(&spread(b), hb);
        let over_b = to_a.abs() - Q::of_vector(hb) - product(&spread(a), ha);
        [most(over_a.vector()), most(over_b.vector())]
    }

    /// Best of the nine cross products of axes if it separates better than `least` (m).
    #[inline(always)]
    pub(super) fn edges(&self, [ha, hb]: [DVec3; 2], least: f64) -> Option<Edges> {
        let (d, turn, wide) = (self.ways[0], self.axes[0], spread(self.axes[0]));
        let h = Q::of_vector(ha);
        let (h1, h2, d1, d2) = (h.yzx(), h.zxy(), d.yzx(), d.zxy());
        let none = Q::splat(f64::NEG_INFINITY);
        // Parallel edges: the axis is no direction, and a face axis does its work. There is no fourth axis.
        let parallel = Q::of([PARALLEL, PARALLEL, PARALLEL, f64::INFINITY]);
        // All axes i at once, and no branch before the best is known. With s the separation times the sine between the
        // edges, s|s|/sine² orders as s/sine does, and takes no root.
        let mut ranks = [none; 3];
        for j in 0..3 {
            let (j1, j2) = NEXT[j];
            let v = turn[j];
            let (v1, v2) = (v.yzx(), v.zxy());
            let [b1, b2] = [Q::splat(hb[j1]), Q::splat(hb[j2])];
            let width = h2 * v1.abs() + h1 * v2.abs() + wide[j2] * b1 + wide[j1] * b2;
            let s = (v1 * d2 - d1 * v2).abs() - width;
            let sine2 = Q::splat(1.0) - v * v;
            ranks[j] = (s * s.abs() / sine2).where_at_least(sine2, parallel, none);
        }
        let [r0, r1, r2] = ranks;
        let [x, y, z, _] = r0.max(r1).max(r2).array();
        let greater = |x: f64, y: f64| if y > x { y } else { x };
        let rank = greater(greater(greater(least * least.abs(), x), y), z);
        let best = Q::splat(rank);
        let bits = r0.eq(best) | r1.eq(best) << 3 | r2.eq(best) << 6;
        // None is better.
        if bits == 0 {
            return None;
        }
        let first = bits.trailing_zeros() as usize;
        let (j, i) = (first / 3, first % 3);
        let of_b = DVec3::from_slice(&self.turns()[0][j]);
        let across = DVec3::AXES[i].cross(of_b).normalize();
        Some(Edges {
            of: [i, j],
            s: rank.abs().sqrt().copysign(rank),
            axis: across * sign(across.dot(d.vector())),
        })
    }
}

/// The matrix that leads into the frame of a box, by its columns.
#[inline(always)]
fn rows<Q: Quad>(p: &Placed) -> [Q; 3] {
    let [x, y, z] = [p.rot.x_axis, p.rot.y_axis, p.rot.z_axis];
    [
        Q::of([x.x, y.x, z.x, 0.0]),
        Q::of([x.y, y.y, z.y, 0.0]),
        Q::of([x.z, y.z, z.z, 0.0]),
    ]
}

/// Axes of a box in the frame that a matrix leads into.
#[inline(always)]
fn axes<Q: Quad>(to: &[Q; 3], p: &Placed) -> [Q; 3] {
    [
        product(to, p.rot.x_axis),
        product(to, p.rot.y_axis),
        product(to, p.rot.z_axis),
    ]
}

/// How far axes reach along those of the other box.
#[inline(always)]
fn spread<Q: Quad>([x, y, z]: [Q; 3]) -> [Q; 3] {
    [x.abs(), y.abs(), z.abs()]
}

/// Of a matrix, by its columns, and a vector.
#[inline(always)]
pub(super) fn product<Q: Quad>(&[x, y, z]: &[Q; 3], v: DVec3) -> Q {
    x * Q::splat(v.x) + y * Q::splat(v.y) + z * Q::splat(v.z)
}
