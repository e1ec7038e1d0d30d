//! Turns and products of vectors, one per lane. Nothing is fused, as in those of bodies by themselves.

use crate::lanes::LANES;
use crate::lanes::simd::{Double, Wide};
use crate::lanes::vector::V3;
use rb_core::math::{FAST_TURN, TURN_SERIES, half_turn};

/// One quaternion x, y, z, w per lane.
#[derive(Clone, Copy)]
pub(super) struct Quat<S>(pub(super) [S; 4]);

impl<S: Double> Quat<S> {
    /// That of a pose or of a frame.
    #[inline(always)]
    pub(super) fn of(line: &[S; LANES]) -> Self {
        Self([line[3], line[4], line[5], line[6]])
    }

    #[inline(always)]
    pub(super) fn times(&self, o: &Self) -> Self {
        let ([x0, y0, z0, w0], [x1, y1, z1, w1]) = (self.0, o.0);
        Self([
            w0.mul(x1).add(x0.mul(w1)).add(y0.mul(z1)).sub(z0.mul(y1)),
            w0.mul(y1).sub(x0.mul(z1)).add(y0.mul(w1)).add(z0.mul(x1)),
            w0.mul(z1).add(x0.mul(y1)).sub(y0.mul(x1)).add(z0.mul(w1)),
            w0.mul(w1).sub(x0.mul(x1)).sub(y0.mul(y1)).sub(z0.mul(z1)),
        ])
    }

    #[inline(always)]
    pub(super) fn back(&self) -> Self {
        let [x, y, z, w] = self.0;
        let minus = S::zero();
        Self([minus.sub(x), minus.sub(y), minus.sub(z), w])
    }

    #[inline(always)]
    pub(super) fn length_squared(&self) -> S {
        let [x, y, z, w] = self.0;
        x.mul(x).add(y.mul(y)).add(z.mul(z)).add(w.mul(w))
    }

    /// The vector turned, times the squared length.
    #[inline(always)]
    pub(super) fn of_vector(&self, v: V3<S>) -> V3<S> {
        let [x, y, z, w] = self.0;
        let (axis, two) = (V3([x, y, z]), S::splat(2.0));
        let straight = v.scaled(w.mul(w).sub(dot(axis, axis)));
        let along = axis.scaled(dot(v, axis).mul(two));
        straight.add(along).add(cross(axis, v).scaled(w.mul(two)))
    }

    /// After the turn by a rotation vector (rad), as [`rb_core::math::turn`].
    #[inline(always)]
    pub(super) fn turned(&self, by: V3<S>) -> Self {
        let x2 = S::splat(0.25).mul(dot(by, by));
        let (mut s, mut c) = (series(0, x2).mul(S::splat(0.5)), series(1, x2));
        if S::any(S::gt(x2, S::splat(FAST_TURN))) {
            (s, c) = one_by_one(x2);
        }
        let [x, y, z] = by.scaled(s).0;
        let long = Self([x, y, z, c]).times(self);
        let size = S::splat(1.5).sub(S::splat(0.5).mul(long.length_squared()));
        let [x, y, z, w] = long.0;
        Self([x.mul(size), y.mul(size), z.mul(size), w.mul(size)])
    }
}

/// Series of sin(x)/x or cos(x) for small angles.
#[inline(always)]
fn series<S: Double>(which: usize, x2: S) -> S {
    let k = TURN_SERIES[which];
    let mut sum = S::splat(k[4]);
    for n in [3, 2, 1, 0] {
        sum = S::splat(k[n]).add(x2.mul(sum));
    }
    S::splat(1.0).add(x2.mul(sum))
}

/// Sine by angle and cosine of half turns where one of them is fast.
#[inline(always)]
fn one_by_one<S: Double>(x2: S) -> (S, S) {
    let (mut s, mut c) = (Wide::default(), Wide::default());
    x2.store(&mut s);
    for k in 0..LANES {
        (s.0[k], c.0[k]) = half_turn(s.0[k]);
    }
    (S::load(&s), S::load(&c))
}

#[inline(always)]
pub(super) fn dot<S: Double>(a: V3<S>, b: V3<S>) -> S {
    let ([x, y, z], [u, v, w]) = (a.0, b.0);
    x.mul(u).add(y.mul(v)).add(z.mul(w))
}

#[inline(always)]
pub(super) fn cross<S: Double>(a: V3<S>, b: V3<S>) -> V3<S> {
    let ([x, y, z], [u, v, w]) = (a.0, b.0);
    V3([
        y.mul(w).sub(v.mul(z)),
        z.mul(u).sub(w.mul(x)),
        x.mul(v).sub(u.mul(y)),
    ])
}
