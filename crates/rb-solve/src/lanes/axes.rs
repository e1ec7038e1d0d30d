//! Axes of eight contacts, normal and tangents, and what moves along them.

use super::batch::{Batch, Height, Point};
use super::pair::Pair;
use super::simd::{Simd, two};
use super::vector::V3;

/// Normal n and tangents t and u = n × t.
#[derive(Clone, Copy)]
pub(super) struct Axes<S>(pub(super) [V3<S>; 3]);

impl<S: Simd> Axes<S> {
    #[inline(always)]
    pub(super) fn of(batch: &Batch<S::Stored>) -> Self {
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

    /// The reverse: n x + t y + u z, where x is what is mostly waited for.
    #[inline(always)]
    pub(super) fn world(&self, v: V3<S>) -> V3<S> {
        let ([n, t, u], [x, y, z]) = (self.0, v.0);
        t.scaled(y).more(u, z).more(n, x)
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
    pub(super) fn slip(&self, arm: &[V3<S>; 2]) -> V3<S> {
        let of_b = self.ang[1].cross_onto(arm[1], self.lin);
        of_b.sub(self.ang[0].cross(arm[0]))
    }

    /// Speed of b along the normal relative to a at a point that arms along t and u lead to; what b turns about t and
    /// u, relative to a, tells it elsewhere.
    #[inline(always)]
    pub(super) fn normal(&self, arm: &[[S; 2]; 2]) -> (S, [S; 2]) {
        let [[_, ta, ua], [_, tb, ub]] = [self.ang[0].0, self.ang[1].0];
        let ([xa, ya], [xb, yb]) = (arm[0], arm[1]);
        // Side by side, for all that follows waits for the sum.
        let of_b = xb.nfma(ub, yb.fma(tb, self.lin.0[0]));
        let of_a = xa.nfma(ua, ya.mul(ta));
        (of_b.sub(of_a), [tb.sub(ta), ub.sub(ua)])
    }

    /// Rate at which b turns about the normal, relative to a.
    #[inline(always)]
    pub(super) fn spin(&self) -> S {
        self.ang[1].0[0].sub(self.ang[0].0[0])
    }
}

/// What leads from the bodies of eight contacts to their points. All points of a manifold lie on either surface straight
/// across from each other, so what leads from one to the next is the same on both but for the gaps.
pub(super) struct Arms<S> {
    first: [V3<S>; 2],
    gap: S,
}

impl<S: Simd> Arms<S> {
    #[inline(always)]
    pub(super) fn of(batch: &Batch<S::Stored>, heights: &[Height<S::Stored>]) -> Self {
        Self {
            first: two!(|s| V3::load(&batch.arm[s])),
            gap: match heights {
                [first, ..] => S::load(&first.gap),
                [] => S::zero(),
            },
        }
    }

    /// To a point from both bodies, along normal and tangents (m).
    #[inline(always)]
    pub(super) fn to(&self, p: &Point<S::Stored>, at: &Height<S::Stored>) -> [V3<S>; 2] {
        let (n, [t, u]) = (S::load(&at.rise), two!(|k| S::load(&p.across[k])));
        let across = n.add(S::load(&at.gap).sub(self.gap));
        [
            self.first[0].add(V3([n, t, u])),
            self.first[1].add(V3([across, t, u])),
        ]
    }
}
