//! Two boxes as one of them sees the other, and the points of that one over its faces.

use super::super::PatchPoint;
use super::super::clip::{BORDER, FACE_OF_B};
use super::overlap::Overlap;
use super::{NEXT, most, sign};
use crate::convex::{CORNERS, Placed};
use glam::{DMat3, DVec2, DVec3};
use rb_core::anchor::Reference;

/// A box f that may have the face, and another, o: half extents, the axes of o in the frame of f, and the way from f
/// to o in the frame of f and back in that of o.
pub(super) struct Pair<'a> {
    pub(super) boxes: [&'a Placed<'a>; 2],
    pub(super) half: [DVec3; 2],
    pub(super) turn: DMat3,
    pub(super) ways: [DVec3; 2],
}

/// A face of f: the axis across it, and its direction.
pub(super) type Face = (usize, f64);

/// What points over a face of f are wanted: their gaps are `slope` times the height above it, along a unit vector
/// out of it (world), are taken for the first of the `limits` if they are less, and no more than the second (m).
pub(super) struct Gaps {
    pub(super) along: DVec3,
    pub(super) slope: f64,
    pub(super) limits: [f64; 2],
}

impl Pair<'_> {
    /// With f and o exchanged.
    pub(super) fn flipped(&self) -> Self {
        let ([f, o], [hf, ho], [way, back]) = (self.boxes, self.half, self.ways);
        Self {
            boxes: [o, f],
            half: [ho, hf],
            turn: self.turn.transpose(),
            ways: [back, way],
        }
    }

    /// Outward normal of a face of f (world).
    pub(super) fn out_of(&self, (k, up): Face) -> DVec3 {
        self.boxes[0].axis(k) * up
    }

    /// Calls `put` with the points of o over a face of f, which is a or b as the `reference` says.
    pub(super) fn points(
        &self,
        (k, up): Face,
        reference: Reference,
        gaps: &Gaps,
        mut put: impl FnMut(PatchPoint),
    ) {
        let ([f, o], [half, _]) = (self.boxes, self.half);
        let over = self.over((k, up));
        let level = half.to_array()[k] + f.radius + o.radius;
        let [least, farthest] = gaps.limits;
        let gap = |height: f64| ((up * height - level) * gaps.slope).max(least);
        let all = over.heights().map(gap);
        let mut left = over.found;
        for (k, gap) in all.iter().enumerate() {
            left &= !(u32::from(*gap > farthest) << k);
        }
        let (u, v) = NEXT[k];
        let [u, v, across] = [u, v, k].map(|k| f.axis(k));
        let start = f.at - across * (up * o.radius);
        while left != 0 {
            let k = left.trailing_zeros() as usize;
            left &= left - 1;
            let (p, feature) = over.corner(k);
            let on_other = u * p.x + v * p.y + across * p.z + start;
            let gap = all[k];
            let on_face = on_other - gaps.along * gap;
            let [position_a, position_b] = reference.face_first([on_face, on_other]);
            put(PatchPoint {
                position_a,
                position_b,
                gap,
                feature: feature | reference.face_first([0, FACE_OF_B])[0],
            });
        }
    }

    /// What of the face of o that looks most against a face of f lies over it; its corners are named by their sign
    /// bits.
    fn over(&self, (k, up): Face) -> Overlap {
        let (u, v) = NEXT[k];
        let ([own, other], [way, _]) = (self.half, self.ways);
        let turn = self.turn.to_cols_array_2d();
        let seen = |p: [f64; 3]| DVec3::new(p[u], p[v], p[k]);
        let toward = DVec3::new(turn[0][k], turn[1][k], turn[2][k]) * -up;
        let (axis, _) = most(toward.abs());
        let (i, j) = NEXT[axis];
        let (h, out) = (other.to_array(), sign(toward.to_array()[axis]));
        let middle = seen(way.to_array()) + seen(turn[axis]) * (out * h[axis]);
        let (along_i, along_j) = (seen(turn[i]) * h[i], seen(turn[j]) * (out * h[j]));
        let bit = |k: usize, positive: bool| u32::from(positive) << k;
        let names =
            CORNERS.map(|[s, t]| bit(axis, out > 0.0) | bit(i, s > 0.0) | bit(j, t * out > 0.0));
        let own = own.to_array();
        let half = DVec2::new(own[u], own[v]) * (1.0 + 2.0 * BORDER);
        Overlap::new(middle, [along_i, along_j], names, half)
    }
}
