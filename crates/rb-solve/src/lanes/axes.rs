//! Axes of eight contacts, normal and tangents, and what moves along them.

use super::batch::{Batch, Wide3};
use super::pair::Pair;
use super::simd::{Simd, two};
use super::vector::V3;

/// Normal n and tangents t and u = n × t.
#[derive(Clone, Copy)]
pub(super) struct Axes<S>(pub(super) [V3<S>; 3]);

impl<S: Simd> Axes<S> {
    #[inline(always)]
    pub(super) fn of(batch: &Batch) -> Self {
        Self::new(V3::load(&batch.normal), V3::load(&batch.tangent))
    }

    #[inline(always)]
    pub(super) fn new(n: V3<S>, t: V3<S>) -> Self {
        Self([n, t, n.cross(t)])
    }

    /// A vector in world axes along these: (n·v, t·v, u·v).
    #[inline(always)]
    pub(super) fn along(&self, v: V3<S>) -> V3<S> {
        let [n, t, u] = self.0;
        V3([n.dot(v), t.dot(v), u.dot(v)])
    }

    /// The reverse: n x + t y + u z.
    #[inline(always)]
    pub(super) fn world(&self, v: V3<S>) -> V3<S> {
        let ([n, t, u], [x, y, z]) = (self.0, v.0);
        n.scaled(x).more(t, y).more(u, z)
    }
}

/// How both bodies of eight contacts move, along the axes of these. What is not asked for costs nothing.
pub(super) struct Along<S> {
    /// Linear velocity of b relative to a.
    lin: V3<S>,
    ang: [V3<S>; 2],
}

impl<S: Simd> Along<S> {
    #[inline(always)]
    pub(super) fn new(axes: &Axes<S>, pair: &Pair<S>) -> Self {
        let ([va, wa], [vb, wb]) = (pair.of(0), pair.of(1));
        Self {
            lin: axes.along(vb.sub(va)),
            ang: [axes.along(wa), axes.along(wb)],
        }
    }

    /// Velocity of b's point relative to a's.
    #[inline(always)]
    pub(super) fn slip(&self, arm: &[Wide3; 2]) -> V3<S> {
        let arm = two!(|s| V3::load(&arm[s]));
        let to = self.ang[1].cross_onto(arm[1], self.lin);
        arm[0].cross_onto(self.ang[0], to)
    }

    /// Rate at which b turns about the normal, relative to a.
    #[inline(always)]
    pub(super) fn spin(&self) -> S {
        self.ang[1].0[0].sub(self.ang[0].0[0])
    }
}
