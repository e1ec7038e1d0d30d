//! Face of a box, cut along the four borders of a face of another: four corners, one more for each cut.
//!
//! [`super::clip`] cuts polygons of any shape along any. Here the borders are coordinates and the corners
//! are few, and most pairs that are searched for contacts are boxes.

use super::clip;
use crate::convex::Corner;
use glam::DVec3;

/// Corners there can be.
const MOST: usize = 8;

/// Its corners, in order. Coordinates in the frame of the box that has the face it is cut along: the two
/// along the borders, then the one across. (Apart from the names: an empty one is then zeros, which need not be
/// fetched.)
#[derive(Default)]
pub(super) struct Ring {
    at: [DVec3; MOST],
    names: [u32; MOST],
    len: usize,
}

impl Ring {
    /// Each with its name.
    pub(super) fn corners(&self) -> impl Iterator<Item = Corner> {
        let names = self.names.iter().copied();
        self.places().iter().copied().zip(names)
    }

    fn places(&self) -> &[DVec3] {
        &self.at[..self.len]
    }

    /// Appends a corner; there is room for all that four cuts can make.
    pub(super) fn push(&mut self, (p, name): Corner) {
        if self.len < MOST {
            (self.at[self.len], self.names[self.len]) = (p, name);
            self.len += 1;
        }
    }

    /// Lowest and highest coordinates of its corners.
    #[inline]
    pub(super) fn bounds(&self) -> [DVec3; 2] {
        let none = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        let places = self.places().iter();
        places.fold(none, |[low, high], p| [low.min(*p), high.max(*p)])
    }

    /// Leaves in `out` the part that is not `beyond` a border (distance).
    #[inline]
    pub(super) fn cut(&self, out: &mut Self, beyond: impl Fn(DVec3) -> f64, border: u32) {
        out.len = 0;
        let places = self.places();
        let mut here = places.first().map_or(0.0, |p| beyond(*p));
        for (i, (&p, &name)) in places.iter().zip(&self.names).enumerate() {
            let next = if i + 1 < places.len() { i + 1 } else { 0 };
            let q = places[next];
            let there = beyond(q);
            if here <= 0.0 {
                out.push((p, name));
            }
            if (here < 0.0 && there > 0.0) || (here > 0.0 && there < 0.0) {
                let name = clip::mix(clip::mix(name, self.names[next]), border + 1);
                out.push((p + (q - p) * (here / (here - there)), name));
            }
            here = there;
        }
    }
}
