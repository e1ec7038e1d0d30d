//! A segment and a box.
//!
//! Half the derivative of the squared distance between the box and a point m + t e of the segment,
//!
//! ```text
//! g(t) = e · (x − clamp(x, −h, h)),   x = m + t e,   −1 ≤ t ≤ 1,
//! ```
//!
//! never falls, and is linear between the places where the segment crosses the planes of the faces. So the nearest
//! place lies between the last of these where g ≤ 0 and the first where g ≥ 0, where a straight line between both is
//! zero. Where g is zero all along a stretch, it is the middle of that.

use super::{Line, Nearest};
use crate::narrow::boxes::{NEXT, most};
use crate::narrow::clip::BORDER;
use glam::DVec3;

/// Share of the size of the box below which a distance has no direction.
const TOUCHING: f64 = 1e-12;

/// Where a segment is nearest to a box with these half extents, unless it meets it, and the number of the face that looks
/// most that way.
pub(super) fn find(line: &Line, half: DVec3) -> Option<(Nearest, usize)> {
    let x = line.at(nearest(line, half));
    let on = x.clamp(-half, half);
    let out = x - on;
    let distance = out.length();
    (distance > TOUCHING * half.max_element()).then(|| {
        let up = out / distance;
        let (axis, _) = most(up.abs());
        let face = 2 * axis + usize::from(up.to_array()[axis] < 0.0);
        let nearest = Nearest {
            x,
            on,
            up,
            distance,
        };
        (nearest, face)
    })
}

/// The zero of g, or the end that comes nearest to it.
fn nearest(line: &Line, half: DVec3) -> f64 {
    let rise = |t: f64| {
        let x = line.at(t);
        line.along.dot(x - x.clamp(-half, half))
    };
    let [mut low, mut high] = [-1.0, 1.0].map(|t| (t, rise(t)));
    if low.1 > 0.0 {
        return -1.0;
    }
    if high.1 < 0.0 {
        return 1.0;
    }
    let steep = 1.0 / line.along;
    for plane in [-half, half] {
        for t in ((plane - line.middle) * steep).to_array() {
            // What runs along a plane does not cross it, and has no number here.
            if t > -1.0 && t < 1.0 {
                let g = rise(t);
                if g <= 0.0 && t > low.0 {
                    low = (t, g);
                }
                if g >= 0.0 && t < high.0 {
                    high = (t, g);
                }
            }
        }
    }
    let ((from, below), (to, above)) = (low, high);
    if above > below {
        from - below * (to - from) / (above - below)
    } else {
        0.5 * (from + to)
    }
}

/// Outward normal of a face and its height (m).
pub(super) fn plane(half: DVec3, face: usize) -> (DVec3, f64) {
    let (axis, out) = (face / 2, [1.0, -1.0][face % 2]);
    (DVec3::AXES[axis] * out, half.to_array()[axis])
}

/// The borders of a face, for [`within`](super::within).
pub(super) fn borders(line: &Line, half: DVec3, face: usize) -> impl Iterator<Item = [f64; 2]> {
    let [half, middle, along] = [half, line.middle, line.along].map(|v| v.to_array());
    let (u, v) = NEXT[face / 2];
    let sides = [(u, -1.0), (u, 1.0), (v, -1.0), (v, 1.0)];
    sides.into_iter().map(move |(c, side)| {
        let within = half[c] * (1.0 + 2.0 * BORDER);
        [side * middle[c] - within, side * along[c]]
    })
}
