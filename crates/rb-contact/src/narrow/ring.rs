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

    /// Leaves in `out` the part that is not `beyond` a border (distance); false, with nothing done, if that
    /// is all of it.
    #[inline]
    pub(super) fn cut(&self, out: &mut Self, beyond: impl Fn(DVec3) -> f64, border: u32) -> bool {
        let mut far = [0.0; MOST];
        for (far, (p, _)) in far.iter_mut().zip(self.corners()) {
            *far = beyond(*p);
        }
        if far.iter().all(|d| *d <= 0.0) {
            return false;
        }
        out.len = 0;
        for (i, &(p, name)) in self.corners().iter().enumerate() {
            let next = if i + 1 < self.len { i + 1 } else { 0 };
            let (here, there) = (far[i], far[next]);
            if here <= 0.0 {
                out.push((p, name));
            }
            if (here < 0.0 && there > 0.0) || (here > 0.0 && there < 0.0) {
                let (q, other) = self.at[next];
                let name = clip::mix(clip::mix(name, other), border + 1);
                out.push((p + (q - p) * (here / (here - there)), name));
            }
        }
        true
    }
}
