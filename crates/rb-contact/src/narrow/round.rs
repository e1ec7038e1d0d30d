//! Capsules and balls on flat-sided shapes, worked out in the frame of these: a point or a segment (a) with a radius.
//!
//! [`on_box`] and [`on_hull`] find where it is nearest, in closed form. From there on both are alike: the face that looks
//! most along the way there is preferred as in [`axis`](super::axis), else there are points around the closest ones as
//! in [`around`](super::around). What of a segment lies over a face is a stretch between two of its places, so that no
//! polygon has to be cut.

mod on_box;
mod on_hull;
#[cfg(test)]
mod tests;

use super::around::{LEAN, beside};
use super::axis::{Axis, slack};
use super::clip::{self, FACE_OF_B, Raw};
use super::{Apart, ContactPatch, Outcome, PatchPoint, hold, report};
use crate::convex::{Core, Placed};
use glam::DVec3;
use rb_core::anchor::{Hold, Reference};

/// Contact of a ball or capsule and a polyhedron, or of a capsule and a box, in either order; points with a gap of at
/// most `prediction` (m). `None` if the segment meets the other shape, or they are no such shapes.
pub(super) fn collide(
    a: &Placed,
    b: &Placed,
    prediction: f64,
    out: &mut Vec<ContactPatch>,
) -> Outcome {
    if let Some(line) = Line::seen_from(a, b) {
        return line.meet([a, b], prediction, out);
    }
    let line = Line::seen_from(b, a)?;
    let first = out.len();
    let found = line.meet([b, a], prediction, out)?;
    out[first..].iter_mut().for_each(ContactPatch::swap);
    Some(found.map_err(Apart::flipped))
}

/// Direction of greatest separation of the cores of such shapes, or how far they are apart at least if that is more than
/// `reach` (m); `None` as for [`collide`].
pub(super) fn axis(a: &Placed, b: &Placed, reach: f64) -> Option<Result<Axis, Apart>> {
    if let Some(line) = Line::seen_from(a, b) {
        let found = line.find(b, reach)?;
        return Some(found.map(|(nearest, _)| nearest.axis(b)));
    }
    let found = Line::seen_from(b, a)?.find(a, reach)?;
    let axis = found.map(|(nearest, _)| nearest.axis(a).flipped());
    Some(axis.map_err(Apart::flipped))
}

/// A segment as another shape sees it: its middle and half of it; a point is one without length.
struct Line {
    middle: DVec3,
    along: DVec3,
}

/// Where a segment is nearest to another shape, or deepest in it.
struct Nearest {
    /// Place on the segment, and on the other.
    x: DVec3,
    on: DVec3,
    /// Unit vector out of the other, and how far the segment is along it (m).
    up: DVec3,
    distance: f64,
}

/// A place on a segment, by how many half lengths it is from the middle, and its name.
type End = (f64, u32);

impl Line {
    fn seen_from(a: &Placed, b: &Placed) -> Option<Self> {
        let along = match (a.core, b.core) {
            (Core::Segment(h), Core::Box(_) | Core::Poly(_)) => b.local(a.rot.y_axis * h),
            (Core::Point, Core::Poly(_)) => DVec3::ZERO,
            _ => return None,
        };
        let middle = b.local(a.at - b.at);
        Some(Self { middle, along })
    }

    fn at(&self, t: f64) -> DVec3 {
        self.middle + self.along * t
    }

    /// Where it is nearest to the core of `b`, and the number of the face that looks most that way; an error as for
    /// [`axis`].
    fn find(&self, b: &Placed, reach: f64) -> Option<Result<(Nearest, usize), Apart>> {
        match b.core {
            Core::Box(half) => on_box::find(self, half).map(Ok),
            Core::Poly(hull) => {
                let found = on_hull::find(self, hull, reach)?;
                Some(found.map_err(|far| Apart::along(b.rot * far.along, far.distance)))
            }
            _ => None,
        }
    }

    /// Its contact, as that of a, with b.
    fn meet(&self, [a, b]: [&Placed; 2], prediction: f64, out: &mut Vec<ContactPatch>) -> Outcome {
        let radii = a.radius + b.radius;
        let (nearest, face) = match self.find(b, prediction + radii)? {
            Ok(found) => found,
            Err(far) => return Some(Err(Apart::along(far.along, far.distance - radii))),
        };
        let (axis, gap) = (nearest.axis(b), nearest.distance - radii);
        if gap > prediction {
            return Some(Err(Apart::along(axis.normal, gap)));
        }
        let (up, level) = plane(&b.core, face);
        let (face_up, cosine) = (b.rot * up, up.dot(nearest.up));
        let leans = cosine > LEAN && !matches!(a.core, Core::Point);
        let over = if leans {
            self.over(&b.core, face)
        } else {
            None
        };
        let ends = || over.into_iter().flatten();
        // A place over the face, with `slope` times its height as its gap along a unit vector out of b.
        let point = |(t, name): End, slope: f64, along: DVec3, least: f64| {
            let x = self.at(t);
            let gap = ((up.dot(x) - level - radii) * slope).max(least);
            let position_a = b.rot * x + b.at - face_up * a.radius;
            PatchPoint {
                position_a,
                position_b: position_a - along * gap,
                gap,
                feature: name | FACE_OF_B,
            }
        };
        let mut raw = Raw::new();
        let slack = slack(a, b, nearest.distance);
        let lowest = up.dot(self.middle) - up.dot(self.along).abs() - level;
        if leans && lowest >= nearest.distance - slack {
            let points = ends().map(|end| point(end, 1.0, face_up, f64::NEG_INFINITY));
            raw.extend(points.filter(|p| p.gap <= prediction));
            if raw.iter().any(|p| p.gap <= gap + slack) {
                let hold = hold::over_face(a, Reference::FaceOfB, &raw);
                return Some(report(-face_up, hold, &raw, Apart::by(prediction), out));
            }
            raw.clear();
        }
        let first = clip::witness(a, b, &axis);
        raw.push(first);
        let mut around = Hold::NONE;
        if leans {
            let put = beside(first, a, b, prediction, &mut raw);
            let points = ends().map(|end| point(end, 1.0 / cosine, -axis.normal, first.gap));
            points.for_each(put);
            around = Hold::beside_face(Reference::BesideFaceOfB, face_up);
        }
        let faces = [None, Some(face_up)];
        let hold = hold::closest([a, b], axis.normal, &faces, around, &raw);
        Some(report(axis.normal, hold, &raw, Apart::by(prediction), out))
    }

    /// Both ends of the stretch that lies over a face, if there is one.
    fn over(&self, core: &Core, face: usize) -> Option<[End; 2]> {
        match core {
            Core::Box(half) => Self::within(on_box::borders(self, *half, face)),
            Core::Poly(hull) => Self::within(on_hull::borders(self, hull, face)),
            _ => None,
        }
    }

    /// What of it lies within some borders: by the height of the middle above each (any unit, out of the border), and of
    /// its end over that of the middle.
    fn within(borders: impl Iterator<Item = [f64; 2]>) -> Option<[End; 2]> {
        let (mut from, mut to): (End, End) = ((-1.0, 0), (1.0, 1));
        for (k, [height, rise]) in borders.enumerate() {
            let t = -height / rise;
            let name = 2 * k as u32 + 2;
            if rise > 0.0 {
                if t < to.0 {
                    to = (t, name + 1);
                }
            } else if rise < 0.0 {
                if t > from.0 {
                    from = (t, name);
                }
            } else if height > 0.0 {
                return None;
            }
        }
        (from.0 <= to.0).then_some([from, to])
    }
}

/// Outward unit normal of a face and its height along that (m).
fn plane(core: &Core, face: usize) -> (DVec3, f64) {
    match core {
        Core::Box(half) => on_box::plane(*half, face),
        Core::Poly(hull) => (hull.faces[face].normal, hull.faces[face].level),
        _ => (DVec3::Y, 0.0),
    }
}

impl Nearest {
    /// From the segment to the other shape, whose frame this is in.
    fn axis(&self, b: &Placed) -> Axis {
        let axis = Axis {
            normal: -self.up,
            a: self.x,
            b: self.on,
        };
        axis.placed(b)
    }
}
