//! Contact points under a known normal: clipping of features, and reduction to four points.

use super::around::around;
use super::axis::{Axis, faces, slack, snap};
use super::{Apart, ContactPatch, Found, PatchPoint, Points, hold, report};
use crate::convex::{Core, Corner, Feature, Placed};
use glam::DVec3;
use rb_core::anchor::Reference;
use rb_core::manifold::MAX_POINTS;

/// Points before reduction.
pub(crate) type Raw = smallvec::SmallVec<[PatchPoint; 8]>;

/// Marks features whose reference face belongs to b.
pub(crate) const FACE_OF_B: u32 = 1 << 31;
/// Feature of a point that is no corner of anything: the closest points themselves.
const WITNESS: u32 = 0x7fff_ffff;

/// Contact of two convex shapes from their separating `axis`: the points over a
/// preferred face or along parallel edges if they reach the separation, the closest points if not.
/// Those with a gap of at most `prediction` (m).
pub(crate) fn contact(
    a: &Placed,
    b: &Placed,
    axis: &Axis,
    prediction: f64,
    out: &mut Vec<ContactPatch>,
) -> Found {
    let faces = faces(a, b, axis.normal);
    let (n, reference) = snap(a, b, axis, &faces);
    let long = |p: &Placed| !matches!(p.core, Core::Point | Core::Box(_) | Core::Poly(_));
    if reference != Reference::Neither || (long(a) && long(b)) {
        let mut raw = Raw::new();
        over(a, b, n, reference, prediction, &mut raw);
        let gap = axis.core_gap();
        let enough = gap - a.radius - b.radius + slack(a, b, gap);
        if raw.iter().any(|p| p.gap <= enough) {
            let other = if reference == Reference::FaceOfA {
                b
            } else {
                a
            };
            let hold = hold::over_face(other, reference, &raw);
            return report(n, hold, &raw, Apart::by(prediction), out);
        }
    }
    at_closest([a, b], axis, &faces, prediction, out)
}

/// Contact at the closest points of two convex shapes, and what lies around them. `faces` are those along
/// the normal of `axis`.
pub(crate) fn at_closest(
    [a, b]: [&Placed; 2],
    axis: &Axis,
    faces: &[Option<DVec3>; 2],
    prediction: f64,
    out: &mut Vec<ContactPatch>,
) -> Found {
    let mut raw = Raw::new();
    let (n, closest) = (axis.normal, witness(a, b, axis));
    if closest.gap > prediction {
        return Err(Apart::by(prediction));
    }
    let beside = around([a, b], n, faces, closest, prediction, &mut raw);
    let hold = hold::closest([a, b], n, faces, beside, &raw);
    report(axis.normal, hold, &raw, Apart::by(prediction), out)
}

/// Appends the points where the features that face each other along `n` overlap, those with a gap of
/// at most `prediction` (m).
pub(crate) fn over(
    a: &Placed,
    b: &Placed,
    n: DVec3,
    reference: Reference,
    prediction: f64,
    raw: &mut Raw,
) {
    let put = |p: PatchPoint| {
        if p.gap <= prediction {
            raw.push(p);
        }
    };
    match reference {
        Reference::FaceOfA => face_points(a, b, n, put),
        Reference::FaceOfB => face_points(b, a, -n, of_b(put)),
        _ => parallel_points(a, b, n, put),
    }
}

/// Takes points of which position a lies on a face of b.
pub(crate) fn of_b(mut put: impl FnMut(PatchPoint)) -> impl FnMut(PatchPoint) {
    move |p| {
        put(PatchPoint {
            position_a: p.position_b,
            position_b: p.position_a,
            feature: p.feature | FACE_OF_B,
            ..p
        })
    }
}

/// The closest or deepest points of the cores, moved out to the surfaces.
pub(crate) fn witness(a: &Placed, b: &Placed, axis: &Axis) -> PatchPoint {
    let n = axis.normal;
    PatchPoint {
        position_a: axis.a + n * a.radius,
        position_b: axis.b - n * b.radius,
        gap: axis.core_gap() - a.radius - b.radius,
        feature: WITNESS,
    }
}

/// Points of `other`'s feature over the face of `face` with outward normal `n`.
fn face_points(face: &Placed, other: &Placed, n: DVec3, mut put: impl FnMut(PatchPoint)) {
    let polygon = face.feature(n);
    let level = height(&polygon, n) + face.radius;
    let buffers = [&mut other.feature(-n), &mut Feature::new()];
    for (p, feature) in clip(&polygon, buffers, n) {
        let on_other = p - n * other.radius;
        let gap = n.dot(on_other) - level;
        put(PatchPoint {
            position_a: on_other - n * gap,
            position_b: on_other,
            gap,
            feature: feature & !FACE_OF_B,
        });
    }
}

/// How high a feature reaches along `n` (m).
pub(crate) fn height(feature: &Feature, n: DVec3) -> f64 {
    let heights = feature.iter().map(|(p, _)| p.dot(n));
    heights.fold(f64::NEG_INFINITY, f64::max)
}

/// Share of an edge by which its border is moved out: corners on the border belong to the inside.
pub(crate) const BORDER: f64 = 1e-9;

/// What is left of `subject` inside the prism over `polygon` along `n` (Sutherland and Hodgman 1974);
/// it ends in one of the two buffers.
pub(crate) fn clip<'f>(
    polygon: &[Corner],
    [mut subject, mut spare]: [&'f mut Feature; 2],
    n: DVec3,
) -> &'f Feature {
    let sides = if polygon.len() < 3 { 0 } else { polygon.len() };
    for k in 0..sides {
        let (p, q) = (polygon[k].0, polygon[(k + 1) % sides].0);
        let edge = q - p;
        // As long as the edge: distances are only compared with one another.
        let side = edge.cross(n);
        let limit = side.dot(p) + BORDER * edge.length_squared();
        if cut(subject, spare, |x| side.dot(x) - limit, k as u32) {
            core::mem::swap(&mut subject, &mut spare);
        }
    }
    subject
}

/// Leaves in `out` the part of a polygon, segment or point that is not `beyond` a plane (distance, in
/// any unit); false, with nothing done, if that is all of it.
fn cut(subject: &Feature, out: &mut Feature, beyond: impl Fn(DVec3) -> f64, plane: u32) -> bool {
    if subject.iter().all(|c| beyond(c.0) <= 0.0) {
        return false;
    }
    out.clear();
    let count = subject.len();
    let mut here = beyond(subject[0].0);
    for (i, &(p, name)) in subject.iter().enumerate() {
        if here <= 0.0 {
            out.push((p, name));
        }
        let (q, next) = subject[if i + 1 < count { i + 1 } else { 0 }];
        let there = beyond(q);
        // A segment has one edge, a point none.
        let edge = count > 2 || (count == 2 && i == 0);
        if edge && ((here < 0.0 && there > 0.0) || (here > 0.0 && there < 0.0)) {
            let t = here / (here - there);
            out.push((p + (q - p) * t, mix(mix(name, next), plane + 1)));
        }
        here = there;
    }
    true
}

/// Name of something made of two named things.
pub(crate) fn mix(a: u32, b: u32) -> u32 {
    let x = (a.wrapping_mul(0x9e37_79b9) ^ b).wrapping_mul(0x85eb_ca6b);
    x ^ (x >> 15)
}

/// Two points where the facing edges run parallel (capsules, lying cylinders); nothing otherwise.
fn parallel_points(a: &Placed, b: &Placed, n: DVec3, mut put: impl FnMut(PatchPoint)) {
    let (fa, fb) = (a.feature(n), b.feature(-n));
    if fa.len() != 2 || fb.len() != 2 {
        return;
    }
    let (u, v) = (fa[1].0 - fa[0].0, fb[1].0 - fb[0].0);
    let (lu, lv) = (u.length(), v.length());
    let parallel = u.cross(v).length() < 0.02 * lu * lv;
    if !parallel || u.dot(n).abs() > 0.02 * lu || v.dot(n).abs() > 0.02 * lv {
        return;
    }
    // Positions along a's edge, as fractions of it.
    let along = |p: DVec3| (p - fa[0].0).dot(u) / (lu * lu);
    let ends = [along(fb[0].0), along(fb[1].0)];
    let (lo, hi) = (ends[0].min(ends[1]).max(0.0), ends[0].max(ends[1]).min(1.0));
    if hi - lo < 1e-6 {
        return;
    }
    for (s, feature) in [(lo, 1), (hi, 2)] {
        let t = ((s - ends[0]) / (ends[1] - ends[0])).clamp(0.0, 1.0);
        let ends = PatchPoint {
            position_a: fa[0].0 + u * s + n * a.radius,
            position_b: fb[0].0 + v * t - n * b.radius,
            gap: 0.0,
            feature,
        };
        put(ends.straight(n));
    }
}

/// Share of the best score within which two choices are equal; the earlier one is taken, so that
/// rounding does not choose among corners that lie level.
const EQUAL: f64 = 1e-6;

/// The first of some points that has nearly the best score, whose size is at least `scale`.
fn best(raw: &[PatchPoint], scale: f64, score: impl Fn(usize) -> f64) -> usize {
    let mut each = 0..raw.len();
    let most = each.clone().map(&score).fold(f64::NEG_INFINITY, f64::max);
    let least = most - EQUAL * scale.max(most.abs());
    each.find(|i| score(*i) >= least).unwrap_or(0)
}

/// Appends at most four points that carry the same load, in the order given: the deepest, the one farthest
/// from it, and the ones that span the largest triangle on either side of the line between those two.
pub(crate) fn reduce(raw: &[PatchPoint], out: &mut Points) {
    if raw.len() <= MAX_POINTS {
        return out.extend(raw.iter().copied());
    }
    let at = |i: usize| raw[i].position_a;
    let size = raw.iter().map(|p| p.position_a.distance(at(0)));
    let deepest = best(raw, size.fold(0.0, f64::max), |i| -raw[i].gap);
    let from = |i: usize| at(i) - at(deepest);
    let far = best(raw, 0.0, |i| from(i).length_squared());
    let across = |i: usize| from(far).cross(from(i));
    // The widest point fixes which way is "one side".
    let wide = best(raw, 0.0, |i| across(i).length_squared());
    let up = across(wide);
    let opposite = best(raw, up.length_squared(), |i| -across(i).dot(up));
    let mut chosen = [deepest, far, wide, opposite];
    chosen.sort_unstable();
    let first = |k: &usize| !chosen[..*k].contains(&chosen[*k]);
    out.extend((0..4).filter(first).map(|k| raw[chosen[k]]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reduction_keeps_the_corners_of_a_crowd() {
        let mut raw = Raw::new();
        for x in -2..=2 {
            for z in -2..=2 {
                let p = DVec3::new(f64::from(x), 0.0, f64::from(z));
                raw.push(PatchPoint {
                    position_a: p,
                    position_b: p,
                    gap: if (x, z) == (-2, -2) { -1e-3 } else { 0.0 },
                    feature: 0,
                });
            }
        }
        let mut four = Points::NONE;
        reduce(&raw, &mut four);
        assert_eq!(four.len(), 4);
        let corner = DVec3::new(-2.0, 0.0, -2.0);
        assert!(four.iter().any(|p| p.position_a == corner));
        assert!(
            four.iter()
                .all(|p| p.position_a.abs().cmpeq(DVec3::new(2.0, 0.0, 2.0)).all())
        );
    }
}
