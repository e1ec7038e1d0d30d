//! The contacts of a world: blocks in the order of their keys, and views of their points.

use super::{ContactBlock, LANES, get};
use crate::anchor::Anchor;
use crate::law::Law;
use crate::manifold::{ContactMaterial, Manifold, ManifoldKey, ManifoldPoint};
use crate::math::{Twist, tangents};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// All manifolds of a step, in the order of their keys.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactSet {
    blocks: Vec<ContactBlock>,
    len: usize,
}

/// What a solver needs of one contact point, read from the lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointView {
    /// Normal, tangent 1, tangent 2 (world).
    pub axes: [DVec3; 3],
    /// Lever arms of a and b (m, world).
    pub arm: [DVec3; 2],
    /// Gap at the time of detection (m).
    pub gap: f64,
    /// Impulses along the axes (N·s).
    pub impulse: [f64; 3],
}

impl PointView {
    /// Jacobian halves of the row along axis `k`: J v is the velocity of b relative to a there.
    pub fn jacobian(&self, k: usize) -> [Twist; 2] {
        let d = self.axes[k];
        [
            Twist::new(-d, -self.arm[0].cross(d)),
            Twist::new(d, self.arm[1].cross(d)),
        ]
    }
}

impl ContactSet {
    /// Forgets all manifolds, keeping the memory.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.len = 0;
    }

    /// Number of manifolds.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The blocks, for kernels; the last one may have empty lanes (`count` 0).
    pub fn blocks(&self) -> &[ContactBlock] {
        &self.blocks
    }

    /// The blocks for writing: whoever fills them keeps keys in ascending order.
    pub fn blocks_mut(&mut self) -> &mut [ContactBlock] {
        &mut self.blocks
    }

    /// Makes room for exactly `len` manifolds, whose lanes the caller fills; those past the end are
    /// emptied.
    pub fn resize(&mut self, len: usize) {
        self.blocks
            .resize(len.div_ceil(LANES), ContactBlock::default());
        self.len = len;
        if let Some(b) = self
            .blocks
            .last_mut()
            .filter(|_| !len.is_multiple_of(LANES))
        {
            let empty = ContactBlock::default();
            (len % LANES..LANES).for_each(|lane| b.copy_lane(lane, &empty, lane));
        }
    }

    /// Where the points of manifold `i` are in the frames of their shapes.
    pub fn anchor(&self, i: usize) -> &Anchor {
        let (b, lane) = self.at(i);
        &b.anchor[lane]
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.blocks.len() * core::mem::size_of::<ContactBlock>()
    }

    /// Appends a manifold between the bodies in two slots; keys must come in ascending order.
    pub fn push(&mut self, m: &Manifold) {
        let lane = self.len % LANES;
        if lane == 0 {
            self.blocks.push(ContactBlock::default());
        }
        let Some(b) = self.blocks.last_mut() else {
            return;
        };
        b.put(lane, m);
        self.len += 1;
    }

    /// Appends manifold `i` of another set as it is; keys must come in ascending order.
    pub fn push_from(&mut self, other: &Self, i: usize) {
        let (b, from) = other.at(i);
        let to = self.len;
        self.resize(to + 1);
        self.blocks[to / LANES].copy_lane(to % LANES, b, from);
    }

    #[inline]
    fn at(&self, i: usize) -> (&ContactBlock, usize) {
        (&self.blocks[i / LANES], i % LANES)
    }

    /// Key of manifold `i`.
    #[inline]
    pub fn key(&self, i: usize) -> ManifoldKey {
        let (b, lane) = self.at(i);
        b.key[lane]
    }

    /// Body slots of manifold `i`.
    pub fn bodies(&self, i: usize) -> [u32; 2] {
        let (b, lane) = self.at(i);
        [b.body[0][lane], b.body[1][lane]]
    }

    /// Number of points of manifold `i`.
    #[inline]
    pub fn count(&self, i: usize) -> usize {
        let (b, lane) = self.at(i);
        b.count[lane] as usize
    }

    /// Normal of manifold `i`.
    #[inline]
    pub fn normal(&self, i: usize) -> DVec3 {
        let (b, lane) = self.at(i);
        get(&b.normal, lane)
    }

    /// Combined material of manifold `i`.
    pub fn material(&self, i: usize) -> ContactMaterial {
        let (b, lane) = self.at(i);
        b.material(lane)
    }

    /// Friction law of manifold `i`, with its coefficient.
    pub fn law(&self, i: usize) -> Law {
        let (b, lane) = self.at(i);
        Law::friction(b.law[lane], b.friction[lane])
    }

    /// Point `k` of manifold `i`.
    pub fn point(&self, i: usize, k: usize) -> PointView {
        let (b, lane) = self.at(i);
        let n = get(&b.normal, lane);
        let [t1, t2] = tangents(n);
        let p = &b.points[k];
        PointView {
            axes: [n, t1, t2],
            arm: [get(&p.arm[0], lane), get(&p.arm[1], lane)],
            gap: p.gap[lane],
            impulse: get(&p.impulse, lane).to_array(),
        }
    }

    /// Whether a manifold has nothing beyond one coefficient of friction: no grain, nothing that
    /// differs at rest, no resistance to spin or rolling.
    pub fn is_plain(&self, i: usize) -> bool {
        let (b, lane) = self.at(i);
        b.plain[lane]
    }

    /// Point `k` of manifold `i` as it was stored.
    #[inline]
    pub fn stored(&self, i: usize, k: usize) -> ManifoldPoint {
        let (b, lane) = self.at(i);
        b.points[k].get(lane)
    }

    /// Impulse of point `k` of manifold `i` along its axes (N·s).
    pub fn impulse(&self, i: usize, k: usize) -> [f64; 3] {
        let (b, lane) = self.at(i);
        get(&b.points[k].impulse, lane).to_array()
    }

    /// Angular impulse of the resistance to spin and rolling of manifold `i` (N·m·s, world).
    pub fn spin(&self, i: usize) -> DVec3 {
        let (b, lane) = self.at(i);
        get(&b.spin, lane)
    }

    /// Sum of the normal impulses of manifold `i` (N·s).
    pub fn normal_impulse(&self, i: usize) -> f64 {
        let (b, lane) = self.at(i);
        (0..b.count[lane] as usize)
            .map(|k| b.points[k].impulse[0][lane])
            .sum()
    }

    /// Manifold `i`, put together again; handles are left to the caller, who knows generations.
    pub fn manifold(&self, i: usize) -> Manifold {
        let (b, lane) = self.at(i);
        let points = (0..b.count[lane] as usize).map(|k| self.stored(i, k));
        Manifold {
            key: b.key[lane],
            normal: get(&b.normal, lane),
            points: points.collect(),
            material: self.material(i),
            spin: self.spin(i),
            anchor: b.anchor[lane],
            ..Manifold::default()
        }
    }

    /// Numbers of the manifolds of a collider pair.
    pub fn of_pair(&self, pair: [u32; 2]) -> core::ops::Range<usize> {
        let start = self.first_not_before(pair, true);
        start..self.first_not_before(pair, false).max(start)
    }

    /// First manifold whose pair is ≥ `pair` (`inclusive`) or > `pair`, by bisection.
    fn first_not_before(&self, pair: [u32; 2], inclusive: bool) -> usize {
        let (mut lo, mut hi) = (0, self.len);
        while lo < hi {
            let mid = lo + (hi - lo) / 2;
            let p = self.key(mid).pair;
            if p < pair || (!inclusive && p == pair) {
                lo = mid + 1
            } else {
                hi = mid
            }
        }
        lo
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::Handle;

    fn manifold(a: u32, b: u32, sub: u32) -> Manifold {
        let k = f64::from(a * 100 + b * 10 + sub);
        Manifold {
            key: ManifoldKey {
                pair: [a, b],
                sub: [0, sub],
            },
            bodies: [Handle::from_raw(a, 0), Handle::from_raw(b, 0)],
            normal: DVec3::Y,
            points: (0..1 + (sub as usize % 4))
                .map(|i| ManifoldPoint {
                    arm: [DVec3::splat(k), DVec3::splat(-k)],
                    gap: k + i as f64,
                    feature: i as u32,
                    impulse: [k, 1.0, 2.0],
                })
                .collect(),
            ..Manifold::default()
        }
    }

    #[test]
    fn lanes_give_back_what_was_put_in() {
        let mut set = ContactSet::default();
        let all: Vec<_> = (0..21).map(|i| manifold(i / 3, i / 3 + 1, i % 3)).collect();
        all.iter().for_each(|m| set.push(m));
        assert_eq!(set.len(), 21);
        for (i, m) in all.iter().enumerate() {
            let back = set.manifold(i);
            assert_eq!(
                (&back.points, back.normal, back.key),
                (&m.points, m.normal, m.key)
            );
        }
        assert_eq!(set.of_pair([2, 3]), 6..9);
        assert_eq!(set.of_pair([2, 2]), 6..6);
        assert_eq!(set.of_pair([9, 9]), 21..21);
    }

    #[test]
    fn normal_row_measures_the_gap_rate() {
        let mut set = ContactSet::default();
        set.push(&manifold(1, 2, 0));
        let p = set.point(0, 0);
        let j = p.jacobian(0);
        let (va, vb) = (
            Twist::new(DVec3::X, DVec3::Z),
            Twist::new(DVec3::Y, DVec3::X),
        );
        let gap_rate = p.axes[0].dot(vb.at(p.arm[1]) - va.at(p.arm[0]));
        assert!((j[0].dot(&va) + j[1].dot(&vb) - gap_rate).abs() < 1e-12);
    }
}
