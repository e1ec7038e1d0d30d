//! What of a parallelogram lies over a rectangle, by its corners: the face of a box over a face of another.
//!
//! [`super::clip`] cuts polygons of any shape along any, one border after the other. Here all edges are measured
//! against all borders at once (Liang and Barsky 1984), since which of them cross is anyone's guess, and a wrong
//! guess of a processor costs more than the measuring.
//!
//! Equation   the edge p + t d is inside for t between the greatest of 0 and where it comes in through the borders
//!            across either axis, (∓h − p)/d, and the least of 1 and where it goes out; a corner q of the rectangle
//!            is inside if q − m = s a + t b with |s|, |t| < 1 for the middle m and half edges a and b

use crate::convex::CORNERS;
use core::array::from_fn;
use glam::{DVec2, DVec3};

/// As many there can be of each kind of corner: beginnings of what is left of edges, their ends, and corners of the
/// rectangle.
const SIDES: usize = 4;

/// Corners by their coordinates: two along the rectangle, then the one across.
pub(super) struct Overlap {
    at: [[f64; 3 * SIDES]; 3],
    /// Which of them there are, by bits.
    pub(super) found: u32,
    /// When the parallelogram's edges come in across either axis, and then when they go out.
    times: [[f64; 2 * SIDES]; 2],
    /// Which of them lead up along either axis, by bits.
    up: [u32; 2],
    names: [u32; SIDES],
}

impl Overlap {
    /// Of a parallelogram, by its middle, half edges, and names of its corners in the order of [`CORNERS`], each
    /// less than 8, and the rectangle within ±`half`.
    #[inline(always)]
    pub(super) fn new(m: DVec3, [a, b]: [DVec3; 2], names: [u32; SIDES], half: DVec2) -> Self {
        let corners: [[f64; SIDES]; 3] = from_fn(|c| {
            let [p, q] = [m[c] + a[c], m[c] - a[c]];
            [p + b[c], q + b[c], q - b[c], p - b[c]]
        });
        let ways: [[f64; SIDES]; 3] = from_fn(|c| {
            let [a, b] = [2.0 * a[c], 2.0 * b[c]];
            [-a, -b, a, b]
        });
        let mut times = [[0.0; 2 * SIDES]; 2];
        for c in 0..2 {
            for e in 0..SIDES {
                let (inverse, p) = (1.0 / ways[c][e], corners[c][e]);
                let [low, high] = [(-half[c] - p) * inverse, (half[c] - p) * inverse];
                times[c][e] = lesser(low, high);
                times[c][SIDES + e] = greater(low, high);
            }
        }
        let [x, y] = &times;
        let begin: [f64; SIDES] = from_fn(|e| greater(greater(x[e], y[e]), 0.0));
        let end: [f64; SIDES] = from_fn(|e| lesser(lesser(x[SIDES + e], y[SIDES + e]), 1.0));
        // The corners of the rectangle in terms of a and b.
        let inverse = 1.0 / (a.x * b.y - a.y * b.x);
        let own: [[f64; SIDES]; 2] = from_fn(|c| CORNERS.map(|s| s[c] * half[c]));
        let along_a: [f64; SIDES] =
            from_fn(|k| ((own[0][k] - m.x) * b.y - (own[1][k] - m.y) * b.x) * inverse);
        let along_b: [f64; SIDES] =
            from_fn(|k| (a.x * (own[1][k] - m.y) - a.y * (own[0][k] - m.x)) * inverse);
        let mut at = [[0.0; 3 * SIDES]; 3];
        for c in 0..3 {
            for e in 0..SIDES {
                at[c][e] = corners[c][e] + ways[c][e] * begin[e];
                at[c][SIDES + e] = corners[c][e] + ways[c][e] * end[e];
            }
        }
        for k in 0..SIDES {
            at[0][2 * SIDES + k] = own[0][k];
            at[1][2 * SIDES + k] = own[1][k];
            at[2][2 * SIDES + k] = m.z + a.z * along_a[k] + b.z * along_b[k];
        }
        let mut found = 0;
        for e in 0..SIDES {
            let left = begin[e] < end[e];
            let inside = (along_a[e].abs() < 1.0) & (along_b[e].abs() < 1.0);
            found |= u32::from(left) << e;
            found |= u32::from(left & (end[e] < 1.0)) << (SIDES + e);
            found |= u32::from(inside) << (2 * SIDES + e);
        }
        let up = |way: &[f64; SIDES]| {
            let bits = way.iter().enumerate();
            bits.fold(0, |set, (e, way)| set | u32::from(*way > 0.0) << e)
        };
        Self {
            at,
            found,
            times,
            up: [up(&ways[0]), up(&ways[1])],
            names,
        }
    }

    /// Heights of all corners, whether there are such or not.
    pub(super) fn heights(&self) -> [f64; 3 * SIDES] {
        self.at[2]
    }

    /// Place and name of a corner that is there. (Names: of the parallelogram's corners as given, less than 8, then of
    /// the rectangle's; then of an edge, by what its ends have in common or either has, with a border.)
    pub(super) fn corner(&self, k: usize) -> (DVec3, u32) {
        let place = DVec3::new(self.at[0][k], self.at[1][k], self.at[2][k]);
        let e = k % SIDES;
        if k >= 2 * SIDES {
            return (place, 8 + e as u32);
        }
        let comes = k < SIDES;
        let [x, y] = [self.times[0][k], self.times[1][k]];
        let [name, next] = [self.names[e], self.names[(e + 1) % SIDES]];
        let across = u32::from((y > x) == comes);
        let up = self.up[across as usize] >> e & 1;
        let border = across << 1 | (up ^ u32::from(comes));
        let crossing = 16 + (((name | next) << 3 | (name & next)) << 2 | border);
        let whole = comes & (x <= 0.0) & (y <= 0.0);
        (place, if whole { name } else { crossing })
    }
}

/// Where one is no number it is the second.
fn lesser(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}

/// Where one is no number it is the second.
fn greater(x: f64, y: f64) -> f64 {
    if x > y { x } else { y }
}
