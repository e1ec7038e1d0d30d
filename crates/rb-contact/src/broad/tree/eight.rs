//! Eight boxes side by side, and what they are compared with.

use crate::geom::Box32;
use glam::{DVec3, Vec3, Vec4};

/// Boxes of a node.
pub(super) const WIDTH: usize = 8;

/// Eight boxes, axis by axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Eight {
    mins: [[f32; WIDTH]; 3],
    maxs: [[f32; WIDTH]; 3],
}

/// Around nothing: meets no box, and adds nothing to one around it.
pub(super) const NOTHING: Box32 = Box32 {
    mins: Vec3::INFINITY,
    maxs: Vec3::NEG_INFINITY,
};

/// A box as eight see it.
pub(super) struct Region {
    mins: [Vec4; 3],
    maxs: [Vec4; 3],
}

impl Region {
    pub(super) fn new(b: &Box32) -> Self {
        Self {
            mins: b.mins.to_array().map(Vec4::splat),
            maxs: b.maxs.to_array().map(Vec4::splat),
        }
    }
}

/// A segment as eight see it: origin + t dir, 0 ≤ t ≤ max. In single precision, so all boxes are a little larger.
pub(super) struct Segment {
    origin: [Vec4; 3],
    /// 1 / dir, never infinite.
    inverse: [Vec4; 3],
    max: Vec4,
    margin: Vec4,
}

impl Segment {
    /// Share of the numbers that go into it by which a result may be wrong, with room to spare.
    const INEXACT: f32 = 8.0 * f32::EPSILON;
    /// Highest inverse.
    const STEEP: f32 = 1e30;

    pub(super) fn new([origin, dir]: [DVec3; 2], max: f64, margin: f64) -> Self {
        let inverse = |x: f64| ((1.0 / x) as f32).clamp(-Self::STEEP, Self::STEEP);
        Self {
            origin: origin.to_array().map(|x| Vec4::splat(x as f32)),
            inverse: dir.to_array().map(|x| Vec4::splat(inverse(x))),
            max: Vec4::splat(max as f32),
            margin: Vec4::splat(margin as f32),
        }
    }
}

impl Eight {
    /// Nothing but [`NOTHING`].
    pub(super) const EMPTY: Self = Self {
        mins: [[f32::INFINITY; WIDTH]; 3],
        maxs: [[f32::NEG_INFINITY; WIDTH]; 3],
    };

    pub(super) fn set(&mut self, k: usize, b: &Box32) {
        for axis in 0..3 {
            self.mins[axis][k] = b.mins[axis];
            self.maxs[axis][k] = b.maxs[axis];
        }
    }

    pub(super) fn get(&self, k: usize) -> Box32 {
        let corner = |of: &[[f32; WIDTH]; 3]| Vec3::from(of.map(|axis| axis[k]));
        Box32::new(corner(&self.mins), corner(&self.maxs))
    }

    /// Lowest and highest corners of four of them, axis by axis. (Written out: a `map` over arrays is a call where the
    /// compiler finds the caller too long, and takes as long as the rest of a descent.)
    #[inline]
    fn four(&self, half: usize) -> [[Vec4; 3]; 2] {
        let part = |axis: &[f32; WIDTH]| Vec4::from_slice(&axis[4 * half..]);
        let corner = |[x, y, z]: &[[f32; WIDTH]; 3]| [part(x), part(y), part(z)];
        [corner(&self.mins), corner(&self.maxs)]
    }

    /// The box around all.
    pub(super) fn around(&self) -> Box32 {
        let [[a, c], [b, d]] = [self.four(0), self.four(1)];
        let low = |axis: usize| a[axis].min(b[axis]).min_element();
        let high = |axis: usize| c[axis].max(d[axis]).max_element();
        Box32::new(
            Vec3::new(low(0), low(1), low(2)),
            Vec3::new(high(0), high(1), high(2)),
        )
    }

    /// Which share a point with a region, as bits.
    #[inline]
    pub(super) fn meeting(&self, region: &Region) -> u32 {
        let four = |half: usize| {
            let [mins, maxs] = self.four(half);
            let on = |k: usize| mins[k].cmple(region.maxs[k]) & maxs[k].cmpge(region.mins[k]);
            (on(0) & on(1) & on(2)).bitmask()
        };
        four(0) | four(1) << 4
    }

    /// Those that a segment may touch, as bits.
    pub(super) fn along(&self, ray: &Segment) -> u32 {
        let four = |half: usize| {
            let [mins, maxs] = self.four(half);
            let (mut enter, mut leave) = (Vec4::ZERO, ray.max);
            for k in 0..3 {
                let (from, inverse) = (ray.origin[k], ray.inverse[k]);
                let size = mins[k].abs().max(maxs[k].abs()) + from.abs() + ray.margin;
                let more = ray.margin + size * Segment::INEXACT;
                let one = (mins[k] - more - from) * inverse;
                let other = (maxs[k] + more - from) * inverse;
                enter = enter.max(one.min(other));
                leave = leave.min(one.max(other));
            }
            let meets = enter.cmple(leave * (1.0 + Segment::INEXACT));
            (meets & mins[0].cmple(maxs[0])).bitmask()
        };
        four(0) | four(1) << 4
    }
}
