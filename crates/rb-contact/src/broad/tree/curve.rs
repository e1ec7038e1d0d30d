//! A curve that fills space: boxes in its order are mostly near one another.
//!
//! Source: G. M. Morton, "A computer oriented geodetic data base and a new technique in file sequencing", 1966.

use crate::geom::Box32;
use glam::Vec3;

/// Bits of the curve's place along each axis.
const BITS: u32 = 20;

/// Boxes this many times as large as the middle one of all are large.
const LARGE: f32 = 8.0;

/// A curve through space, for small boxes first.
pub(super) struct Curve {
    origin: Vec3,
    scale: f32,
    large: f32,
}

impl Curve {
    pub(super) fn through<'a>(boxes: impl Iterator<Item = &'a Box32> + Clone) -> Self {
        let mut sizes: Vec<f32> = boxes.clone().map(size).collect();
        let middle = sizes.len() / 2;
        let middle = match sizes.is_empty() {
            true => 0.0,
            false => *sizes.select_nth_unstable_by(middle, f32::total_cmp).1,
        };
        let large = LARGE * middle;
        let small = boxes.filter(|b| size(b) <= large);
        let (low, high) = small.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), b| {
            (low.min(center(b)), high.max(center(b)))
        });
        Self {
            origin: low,
            scale: (1 << BITS) as f32 / (high - low).max_element().max(f32::MIN_POSITIVE),
            large,
        }
    }

    /// Where a box comes along the curve.
    pub(super) fn key(&self, b: &Box32) -> u64 {
        // Numbers beyond the last cell, or that are none, end in the outermost cells.
        let cell = |x: f32| u64::from((x as u32).min((1 << BITS) - 1));
        let at = ((center(b) - self.origin) * self.scale)
            .to_array()
            .map(cell);
        let along = at
            .iter()
            .enumerate()
            .fold(0, |key, (k, x)| key | spread(*x) << k);
        u64::from(size(b) > self.large) << (3 * BITS) | along
    }
}

fn center(b: &Box32) -> Vec3 {
    b.mins * 0.5 + b.maxs * 0.5
}

/// The longest side of a box (m).
fn size(b: &Box32) -> f32 {
    (b.maxs - b.mins).max_element()
}

/// The lowest 21 bits of a number, each the first of three.
fn spread(x: u64) -> u64 {
    const STEPS: [(u32, u64); 5] = [
        (32, 0x001f_0000_0000_ffff),
        (16, 0x001f_0000_ff00_00ff),
        (8, 0x100f_00f0_0f00_f00f),
        (4, 0x10c3_0c30_c30c_30c3),
        (2, 0x1249_2492_4924_9249),
    ];
    let lowest = x & 0x001f_ffff;
    STEPS
        .iter()
        .fold(lowest, |x, (shift, mask)| (x | x << shift) & mask)
}
