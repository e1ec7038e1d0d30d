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
use super::{Apart, ContactPatch, Found, Outcome, PatchPoint, hold, report};
use crate::convex::{Core, Placed};
use crate::polyhedron::Polyhedron;
use crate::reach::Reach;
use glam::DVec3;
use rb_core::anchor::{Hold, Reference};

/// Contact of a ball or capsule and a polyhedron, or of a capsule and a box, in either order; points with a gap of at
/// most `prediction` (m). `None` if the segment meets the other shape, or they are no such shapes.
pub(super) fn collide(
    a: &Placed,
    b: &Placed,
    reach: &Reach,
    out: &mut Vec<ContactPatch>,
) -> Outcome {
    if let Some(line) = Line::seen_from(a, b) {
        return line.meet([a, b], reach, out);
    }
    let line = Line::seen_from(b, a)?;
    let first = out.len();
    let found = line.meet([b, a], &reach.flipped(), out)?;
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

/// A flat-sided core.
#[derive(Clone, Copy)]
enum Flat<'a> {
    Box(DVec3),
    Hull(&'a Polyhedron),
}

/// A segment as a flat-sided shape sees it: its middle and half of it; a point is one without length.
struct Line<'a> {
    middle: DVec3,
    along: DVec3,
    flat: Flat<'a>,
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

impl<'a> Line<'a> {
    fn seen_from(a: &Placed, b: &Placed<'a>) -> Option<Self> {
        let (along, flat) = match (a.core, b.core) {
            (Core::Segment(h), Core::Box(half)) => (a.rot.y_axis * h, Flat::Box(half)),
            (Core::Segment(h), Core::Poly(hull)) => (a.rot.y_axis * h, Flat::Hull(hull)),
            (Core::Point, Core::Poly(hull)) => (DVec3::ZERO, Flat::Hull(hull)),
            _ => return None,
        };
        Some(Self {
            middle: b.local(a.at - b.at),
            along: b.local(along),
            flat,
        })
    }

    fn at(&self, t: f64) -> DVec3 {
        self.middle + self.along * t
    }

    /// Where it is nearest to the core of `b`, and the number of the face that looks most that way; an error as for
    /// [`axis`].
    fn find(&self, b: &Placed, reach: f64) -> Option<Result<(Nearest, usize), Apart>> {
        match self.flat {
            Flat::Box(half) => on_box::find(self, half).map(Ok),
            Flat::Hull(hull) => {
                let found = on_hull::find(self, hull, reach)?;
                Some(found.map_err(|far| Apart::along(b.rot * far.along, far.distance)))
            }
        }
    }

    /// Its contact, as that of a, with b.
    fn meet(&self, shapes: [&Placed; 2], reach: &Reach, out: &mut Vec<ContactPatch>) -> Outcome {
        let [a, b] = shapes;
        let (radii, prediction) = (a.radius + b.radius, reach.most());
        let (nearest, face) = match self.find(b, prediction + radii)? {
            Ok(found) => found,
            Err(far) => return Some(Err(Apart::along(far.along, far.distance - radii))),
        };
        let (axis, gap) = (nearest.axis(b), nearest.distance - radii);
        if reach.falls_short(gap, || axis.normal) {
            return Some(Err(Apart::along(axis.normal, gap)));
        }
        let (normal, level) = match self.flat {
            Flat::Box(half) => on_box::plane(half, face),
            Flat::Hull(hull) => (hull.faces[face].normal, hull.faces[face].level),
        };
        let cosine = normal.dot(nearest.up);
        let lies = cosine > LEAN && !matches!(a.core, Core::Point);
        let meeting = Meeting {
            line: self,
            shapes,
            axis,
            gap,
            normal,
            level,
            cosine,
            over: if lies { self.over(face) } else { None },
            prediction,
        };
        let over = lies.then(|| meeting.over_face(out)).flatten();
        Some(over.unwrap_or_else(|| meeting.at_closest(lies, out)))
    }

    /// Both ends of the stretch that lies over a face, if there is one.
    fn over(&self, face: usize) -> Option<[End; 2]> {
        match self.flat {
            Flat::Box(half) => within(on_box::borders(self, half, face)),
            Flat::Hull(hull) => within(on_hull::borders(self, hull, face)),
        }
    }
}

/// What of a segment lies within some borders: by the height of the middle above each (any unit, out of the border), and
/// of its end over that of the middle. Its own ends are named 0 and 1.
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

/// A segment that is near, and the face there.
struct Meeting<'a> {
    line: &'a Line<'a>,
    shapes: [&'a Placed<'a>; 2],
    /// From the segment to the other shape (world), and the gap between the surfaces (m).
    axis: Axis,
    gap: f64,
    /// Outward normal of the face and its height (m), in the frame of its shape; cosine to the way there.
    normal: DVec3,
    level: f64,
    cosine: f64,
    /// Both ends of what lies over it.
    over: Option<[End; 2]>,
    prediction: f64,
}

impl Meeting<'_> {
    /// Outward normal of the face (world).
    fn out_of_face(&self) -> DVec3 {
        self.shapes[1].rot * self.normal
    }

    /// The ends over the face; `slope` times their height is their gap along a unit vector out of it, and no less than
    /// `least` (m).
    fn ends(&self, slope: f64, along: DVec3, least: f64) -> impl Iterator<Item = PatchPoint> {
        let ([a, b], out) = (self.shapes, self.out_of_face());
        let level = self.level + a.radius + b.radius;
        self.over.into_iter().flatten().map(move |(t, name)| {
            let x = self.line.at(t);
            let gap = ((self.normal.dot(x) - level) * slope).max(least);
            let position_a = b.rot * x + b.at - out * a.radius;
            PatchPoint {
                position_a,
                position_b: position_a - along * gap,
                gap,
                feature: name | FACE_OF_B,
            }
        })
    }

    /// The points over the face, if it separates (nearly) as well as the way to the nearest place.
    fn over_face(&self, out: &mut Vec<ContactPatch>) -> Outcome {
        let ([a, b], line) = (self.shapes, self.line);
        let distance = self.gap + a.radius + b.radius;
        let slack = slack(a, b, distance);
        let n = self.normal;
        if n.dot(line.middle) - n.dot(line.along).abs() - self.level < distance - slack {
            return None;
        }
        let normal = self.out_of_face();
        let points = self.ends(1.0, normal, f64::NEG_INFINITY);
        let raw: Raw = points.filter(|p| p.gap <= self.prediction).collect();
        raw.iter().any(|p| p.gap <= self.gap + slack).then(|| {
            let hold = hold::over_face(a, Reference::FaceOfB, &raw);
            report(-normal, hold, &raw, Apart::by(self.prediction), out)
        })
    }

    /// The nearest places, and if it almost `lies` on the face the ends over it.
    fn at_closest(&self, lies: bool, out: &mut Vec<ContactPatch>) -> Found {
        let ([a, b], n) = (self.shapes, self.axis.normal);
        let (first, face) = (clip::witness(a, b, &self.axis), self.out_of_face());
        let mut raw = Raw::new();
        raw.push(first);
        let mut around = Hold::NONE;
        if lies {
            let put = beside(first, a, b, self.prediction, &mut raw);
            self.ends(1.0 / self.cosine, -n, first.gap).for_each(put);
            around = Hold::beside_face(Reference::BesideFaceOfB, face);
        }
        let hold = hold::closest([a, b], n, &[None, Some(face)], around, &raw);
        report(n, hold, &raw, Apart::by(self.prediction), out)
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
