//! Two boxes as one of them sees the other, and the points of that one over its faces.

use super::overlap::Overlap;
use super::seen::product;
use super::{NEXT, most, sign};
use crate::convex::{CORNERS, Placed};
use crate::narrow::PatchPoint;
use crate::narrow::clip::{BORDER, FACE_OF_B};
use crate::narrow::quad::Quad;
use glam::{DVec2, DVec3};
use rb_core::anchor::Reference;

/// A box f that may have the face, and another, o: half extents; the axes of o in the frame of f, and those of f in that
/// of o; the way from f to o in the frame of f, and back in that of o.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) boxes: [&'a Placed<'a>; 2],
    pub(super) half: [DVec3; 2],
    pub(super) turns: [Turn; 2],
    pub(super) ways: [DVec3; 2],
}

/// Axes of a box in the frame of another, each with a number to spare.
pub(super) type Turn = [[f64; 4]; 3];

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
    #[inline(always)]
    pub(super) fn flipped(&self) -> Self {
        let ([f, o], [hf, ho], [there, back]) = (self.boxes, self.half, self.turns);
        Self {
            boxes: [o, f],
            half: [ho, hf],
            turns: [back, there],
            ways: [self.ways[1], self.ways[0]],
        }
    }

    /// The axes of o in the frame of f.
    #[inline(always)]
    pub(super) fn axes<Q: Quad>(&self) -> [Q; 3] {
        let [x, y, z] = self.turns[0];
        [Q::of(x), Q::of(y), Q::of(z)]
    }

    /// Outward normal of a face of f (world).
    pub(super) fn out_of(&self, (k, up): Face) -> DVec3 {
        self.boxes[0].axis(k) * up
    }

    /// Calls `put` with the points of o over a face of f, which is a or b as the `reference` says.
    #[inline(always)]
    pub(super) fn points<Q: Quad>(
        &self,
        (k, up): Face,
        reference: Reference,
        gaps: &Gaps,
        mut put: impl FnMut(PatchPoint),
    ) {
        let ([f, o], [half, _]) = (self.boxes, self.half);
        let over = self.over::<Q>((k, up));
        let level = Q::splat(half.to_array()[k] + f.radius + o.radius);
        let (outward, slope) = (Q::splat(up), Q::splat(gaps.slope));
        let [least, farthest] = [Q::splat(gaps.limits[0]), Q::splat(gaps.limits[1])];
        let mut all = [[0.0; 4]; 3];
        let mut left = over.found;
        for (kind, heights) in over.heights().iter().enumerate() {
            let gap = ((outward * Q::of(*heights) - level) * slope).max(least);
            left &= !(gap.gt(farthest) << (4 * kind));
            all[kind] = gap.array();
        }
        let (u, v) = NEXT[k];
        let [u, v, across] = [f.axis(u), f.axis(v), f.axis(k)];
        let start = Q::of_vector(f.at - across * (up * o.radius));
        let axes = [Q::of_vector(u), Q::of_vector(v), Q::of_vector(across)];
        let along = Q::of_vector(gaps.along);
        while left != 0 {
            let k = left.trailing_zeros() as usize;
            left &= left - 1;
            let (p, feature) = over.corner(k);
            let on_other = product(&axes, p) + start;
            let gap = all.as_flattened()[k];
            let on_face = on_other - along * Q::splat(gap);
            let [position_a, position_b] =
                reference.face_first([on_face.vector(), on_other.vector()]);
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
    #[inline(always)]
    fn over<Q: Quad>(&self, (k, up): Face) -> Overlap {
        let (u, v) = NEXT[k];
        let ([own, other], [way, _]) = (self.half, self.ways);
        let [turn, back] = &self.turns;
        let seen = |p: &[f64]| DVec3::new(p[u], p[v], p[k]);
        let toward = DVec3::new(back[k][0], back[k][1], back[k][2]) * -up;
        let (axis, _) = most(toward.abs());
        let (i, j) = NEXT[axis];
        let (h, out) = (other.to_array(), sign(toward.to_array()[axis]));
        let middle = seen(&way.to_array()) + seen(&turn[axis]) * (out * h[axis]);
        let (along_i, along_j) = (seen(&turn[i]) * h[i], seen(&turn[j]) * (out * h[j]));
        let bit = |k: usize, positive: bool| u32::from(positive) << k;
        let names =
            CORNERS.map(|[s, t]| bit(axis, out > 0.0) | bit(i, s > 0.0) | bit(j, t * out > 0.0));
        let own = own.to_array();
        let half = DVec2::new(own[u], own[v]) * (1.0 + 2.0 * BORDER);
        Overlap::new::<Q>(middle, [along_i, along_j], names, half)
    }
}
