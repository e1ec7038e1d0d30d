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
/// along the borders, then the one across.
#[derive(Default)]
pub(super) struct Ring {
    at: [Corner; MOST],
    len: usize,
}

impl Ring {
    /// Each with its name.
    pub(super) fn corners(&self) -> &[Corner] {
        &self.at[..self.len]
    }

    /// Appends a corner; there is room for all that four cuts can make.
    pub(super) fn push(&mut self, corner: Corner) {
        if let Some(place) = self.at.get_mut(self.len) {
            *place = corner;
            self.len += 1;
        }
    }

    /// Lowest and highest coordinates of its corners.
    #[inline]
    pub(super) fn bounds(&self) -> [DVec3; 2] {
        let none = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        let corners = self.corners().iter();
        corners.fold(none, |[low, high], (p, _)| [low.min(*p), high.max(*p)])
    }

    /// Leaves in `out` the part that is not `beyond` a border (distance).
    #[inline]
    pub(super) fn cut(&self, out: &mut Self, beyond: impl Fn(DVec3) -> f64, border: u32) {
        out.len = 0;
        let corners = self.corners();
        let mut here = corners.first().map_or(0.0, |(p, _)| beyond(*p));
        for (i, &(p, name)) in corners.iter().enumerate() {
            let (q, other) = corners[if i + 1 < corners.len() { i + 1 } else { 0 }];
            let there = beyond(q);
            if here <= 0.0 {
                out.push((p, name));
            }
            if (here < 0.0 && there > 0.0) || (here > 0.0 && there < 0.0) {
                let name = clip::mix(clip::mix(name, other), border + 1);
                out.push((p + (q - p) * (here / (here - there)), name));
            }
            here = there;
        }
    }
}
