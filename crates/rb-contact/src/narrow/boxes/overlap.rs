//! What of a parallelogram lies over a rectangle, by its corners: the face of a box over a face of another.
//!
//! [`super::clip`] cuts polygons of any shape along any, one border after the other. Here all edges are measured
//! against all borders at once (Liang and Barsky 1984), since which of them cross is anyone's guess, and a wrong
//! guess of a processor costs more than the measuring.
//!
//! Equation   the edge p + t d is inside for t between the greatest of 0 and where it comes in through the borders
//!            across either axis, (∓h − p)/d, and the least of 1 and where it goes out; a corner q of the rectangle
//!            is inside if q − m = s a + t b with |s|, |t| < 1 for the middle m and half edges a and b

use crate::narrow::quad::Quad;
use glam::{DVec2, DVec3};

/// As many there can be of each kind of corner: beginnings of what is left of edges, their ends, and corners of the
/// rectangle.
const SIDES: usize = 4;

/// Corners by their coordinates: two along the rectangle, then the one across.
pub(super) struct Overlap {
    at: [[[f64; SIDES]; 3]; 3],
    /// Which of them there are, by bits.
    pub(super) found: u32,
    /// When the parallelogram's edges come in across either axis, and then when they go out.
    times: [[[f64; SIDES]; 2]; 2],
    /// Which of them lead up along either axis, by bits.
    up: [u32; 2],
    names: [u32; SIDES],
}

impl Overlap {
    /// Of a parallelogram, by its middle, half edges, and names of its corners in the order of [`CORNERS`], each
    /// less than 8, and the rectangle within ±`half`.
    #[inline(always)]
    pub(super) fn new<Q: Quad>(
        m: DVec3,
        [a, b]: [DVec3; 2],
        names: [u32; SIDES],
        half: DVec2,
    ) -> Self {
        let [sign_a, sign_b] = [Q::of([1.0, -1.0, -1.0, 1.0]), Q::of([1.0, 1.0, -1.0, -1.0])];
        let [zero, one] = [Q::splat(0.0), Q::splat(1.0)];
        let round = Q::of([-2.0, -2.0, 2.0, 2.0]);
        let (mut corners, mut ways) = ([zero; 3], [zero; 3]);
        for c in 0..3 {
            corners[c] = Q::splat(m[c]) + Q::splat(a[c]) * sign_a + Q::splat(b[c]) * sign_b;
            ways[c] = Q::of([a[c], b[c], a[c], b[c]]) * round;
        }
        let (mut comes, mut goes) = ([zero; 2], [zero; 2]);
        for c in 0..2 {
            let (h, inverse) = (half[c], one / ways[c]);
            let low = (Q::splat(-h) - corners[c]) * inverse;
            let high = (Q::splat(h) - corners[c]) * inverse;
            (comes[c], goes[c]) = (low.min(high), low.max(high));
        }
        let begin = comes[0].max(comes[1]).max(zero);
        let end = goes[0].min(goes[1]).min(one);
        let signs = [sign_a, sign_b];
        let (inner, inside) = corners_inside(m, [a, b], half, signs);
        let mut at = [[[0.0; SIDES]; 3]; 3];
        for c in 0..3 {
            at[c][0] = (corners[c] + ways[c] * begin).array();
            at[c][1] = (corners[c] + ways[c] * end).array();
            at[c][2] = inner[c].array();
        }
        let left = end.gt(begin);
        Self {
            at,
            found: left | (left & one.gt(end)) << SIDES | inside << (2 * SIDES),
            times: [
                [comes[0].array(), goes[0].array()],
                [comes[1].array(), goes[1].array()],
            ],
            up: [ways[0].gt(zero), ways[1].gt(zero)],
            names,
        }
    }

    /// Heights of all corners of each kind, whether there are such or not.
    #[inline(always)]
    pub(super) fn heights(&self) -> &[[f64; SIDES]; 3] {
        &self.at[2]
    }

    /// Place and name of a corner that is there. (Names: of the parallelogram's corners as given, less than 8, then of
    /// the rectangle's; then of an edge, by what its ends have in common or either has, with a border.)
    #[inline(always)]
    pub(super) fn corner(&self, k: usize) -> (DVec3, u32) {
        let [x, y, z] = &self.at;
        let place = DVec3::new(
            x.as_flattened()[k],
            y.as_flattened()[k],
            z.as_flattened()[k],
        );
        let e = k % SIDES;
        if k >= 2 * SIDES {
            return (place, 8 + e as u32);
        }
        let comes = k < SIDES;
        let [x, y] = [
            self.times[0].as_flattened()[k],
            self.times[1].as_flattened()[k],
        ];
        let [name, next] = [self.names[e], self.names[(e + 1) % SIDES]];
        let across = u32::from((y > x) == comes);
        let up = self.up[across as usize] >> e & 1;
        let border = across << 1 | (up ^ u32::from(comes));
        let crossing = 16 + (((name | next) << 3 | (name & next)) << 2 | border);
        let whole = comes & (x <= 0.0) & (y <= 0.0);
        (place, if whole { name } else { crossing })
    }
}

/// The corners of a rectangle on a parallelogram's plane, and which of them are within it, by bits.
#[inline(always)]
fn corners_inside<Q: Quad>(
    m: DVec3,
    [a, b]: [DVec3; 2],
    half: DVec2,
    [sign_x, sign_y]: [Q; 2],
) -> ([Q; 3], u32) {
    let own = [Q::splat(half.x) * sign_x, Q::splat(half.y) * sign_y];
    let [x, y] = [own[0] - Q::splat(m.x), own[1] - Q::splat(m.y)];
    let inverse = Q::splat(1.0 / (a.x * b.y - a.y * b.x));
    let along_a = (x * Q::splat(b.y) - y * Q::splat(b.x)) * inverse;
    let along_b = (y * Q::splat(a.x) - x * Q::splat(a.y)) * inverse;
    let height = Q::splat(m.z) + Q::splat(a.z) * along_a + Q::splat(b.z) * along_b;
    let one = Q::splat(1.0);
    let inside = one.gt(along_a.abs()) & one.gt(along_b.abs());
    ([own[0], own[1], height], inside)
}
