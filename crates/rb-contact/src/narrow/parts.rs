//! Composite shapes: pairs of parts, then one set of patches without duplicates.
//!
//! Patches with the same normal become one, since the parts belong to one rigid body: a table on
//! four legs has one patch of four points. Points at the same place count once.

use super::clip::{Raw, mix};
use super::half_space::{self, Plane};
use super::{Apart, ContactPatch, Found, PatchPoint, convex_pair, facet, report};
use crate::convex::{Part, Parts, Placed};
use crate::geom::Aabb;
use crate::reach::Reach;
use glam::{DMat3, DVec3};
use rb_core::anchor::{Hold, Reference};
use rb_core::math::Pose;
use smallvec::SmallVec;

/// Cosine above which two normals are the same (1.4 mrad).
const SAME_NORMAL: f64 = 1.0 - 1e-6;
/// Share of the patch's size within which two points are the same.
const SAME_POINT: f64 = 1e-4;
/// The same as a share of the distance from the pair's origin: a patch may be nothing but copies of
/// one point, found on both sides of an edge, and then its size is rounding.
const SAME_PLACE: f64 = 1e-6;

/// Distance between unit vectors along one line.
const SAME_LINE: f64 = 1e-9;

/// Share of the larger of depth and prediction within which two patches are equally deep.
const SAME_DEPTH: f64 = 1e-6;

fn place<'a>(part: &Part<'a>, pose: &Pose) -> Placed<'a> {
    Placed::new(part.core, part.radius, &(*pose * part.pose), DVec3::ZERO)
}

/// Contact of a convex shape (a) with the parts of b. Poses relative to the pair's origin.
///
/// Worked out along the axes of b and about the place of a, where triangles need no turning.
pub(crate) fn convex_with_parts(
    a: &Placed,
    b: &dyn Parts,
    pose_b: &Pose,
    prediction: f64,
    out: &mut Vec<ContactPatch>,
) -> Found {
    let turn = DMat3::from_quat(pose_b.q);
    let (back, center) = (turn.transpose(), a.at);
    let at = back * (center - pose_b.p);
    let a = Placed {
        rot: back * a.rot,
        at: DVec3::ZERO,
        ..*a
    };
    let near = a.aabb().inflated(prediction);
    let region = Aabb::new(near.min + at, near.max + at);
    let first = out.len();
    b.overlapping(&region, &mut |part| {
        let found = match part.facet {
            Some(f) => {
                let triangle = Placed {
                    core: part.core,
                    radius: part.radius,
                    rot: DMat3::IDENTITY,
                    at: -at,
                };
                swapped(out, |out| facet::collide(&triangle, f, &a, prediction, out))
            }
            None => {
                let b = Placed::new(part.core, part.radius, &part.pose, at);
                convex_pair(&a, &b, &Reach::all(prediction), out)
            }
        };
        name(found, [0, part.sub], out);
    });
    merge(first, prediction, out);
    for patch in &mut out[first..] {
        patch.normal = turn * patch.normal;
        patch.hold.along = patch.hold.along.map(|u| turn * u);
        for p in patch.points.iter_mut() {
            p.position_a = turn * p.position_a + center;
            p.position_b = turn * p.position_b + center;
        }
    }
    // Parts that are apart do not tell how far the whole is.
    Ok(())
}

/// Contact of two composites. Between two surfaces the triangles of b decide the normals.
pub(crate) fn parts_with_parts(
    a: &dyn Parts,
    b: &dyn Parts,
    [pose_a, pose_b]: &[Pose; 2],
    prediction: f64,
    out: &mut Vec<ContactPatch>,
) -> Found {
    let (to_a, to_b) = (pose_a.inverse(), pose_b.inverse());
    let mut bounds = Aabb::EMPTY;
    b.overlapping(&Aabb::EVERYWHERE, &mut |part| {
        bounds = bounds.merged(&place(&part, pose_b).aabb());
    });
    let first = out.len();
    a.overlapping(&bounds.inflated(prediction).placed(&to_a), &mut |pa| {
        let a = place(&pa, pose_a);
        let region = a.aabb().inflated(prediction).placed(&to_b);
        b.overlapping(&region, &mut |pb| {
            let b = place(&pb, pose_b);
            let mut turned = [DVec3::ZERO; 3];
            let found = match (pa.facet, pb.facet) {
                (_, Some(f)) => {
                    let (b, f) = facet::straight(&b, f, &mut turned);
                    swapped(out, |out| facet::collide(&b, &f, &a, prediction, out))
                }
                (Some(f), None) => {
                    let (a, f) = facet::straight(&a, f, &mut turned);
                    facet::collide(&a, &f, &b, prediction, out)
                }
                (None, None) => convex_pair(&a, &b, &Reach::all(prediction), out),
            };
            name(found, [pa.sub, pb.sub], out);
        });
    });
    merge(first, prediction, out);
    Ok(())
}

/// Contact of the parts of a with a half-space.
pub(crate) fn parts_with_plane(
    a: &dyn Parts,
    pose_a: &Pose,
    plane: Plane,
    prediction: f64,
    out: &mut Vec<ContactPatch>,
) -> Found {
    let first = out.len();
    a.overlapping(&Aabb::EVERYWHERE, &mut |part| {
        let found = half_space::collide(&place(&part, pose_a), plane, prediction, out);
        name(found, [part.sub, 0], out);
    });
    merge(first, prediction, out);
    Ok(())
}

/// What `find` appends, with the sides exchanged.
fn swapped(
    out: &mut Vec<ContactPatch>,
    find: impl FnOnce(&mut Vec<ContactPatch>) -> Found,
) -> Found {
    let first = out.len();
    let found = find(out);
    out[first..].iter_mut().for_each(ContactPatch::swap);
    found
}

/// Gives the patch just found, if one was, the names of its parts.
fn name(found: Found, sub: [u32; 2], out: &mut Vec<ContactPatch>) {
    let Some(patch) = out.last_mut().filter(|_| found.is_ok()) else {
        return;
    };
    patch.sub = sub;
    for p in patch.points.iter_mut() {
        p.feature = mix(p.feature, mix(sub[0], sub[1]));
    }
    // Parts too far out for f64 have neither a direction nor a depth.
    let straight = (patch.normal.length_squared() - 1.0).abs() < 1e-6;
    if !(straight && depth(patch).is_finite()) {
        out.pop();
    }
}

/// Gathers the patches from number `first` on of one normal around the deepest of them: one patch per
/// normal is left.
fn merge(first: usize, prediction: f64, out: &mut Vec<ContactPatch>) {
    if out.len() <= first + 1 {
        return;
    }
    let found = first..out.len();
    // Those that have gone into a patch are deeper than none.
    let mut depths: SmallVec<[f64; 16]> = out[first..].iter().map(depth).collect();
    loop {
        let deepest = depths.iter().copied().fold(f64::INFINITY, f64::min);
        // Parts that share a corner are equally deep there: the first lends its normal.
        let level = deepest + SAME_DEPTH * deepest.abs().max(prediction);
        let place = depths.iter().position(|d| *d <= level && d.is_finite());
        let Some(place) = place else {
            break;
        };
        let lender = out[first + place];
        let normal = lender.normal;
        // Mostly no other patch has it.
        let like = |p: &&ContactPatch| p.normal.dot(normal) >= SAME_NORMAL;
        if out[found.clone()].iter().filter(like).count() == 1 {
            depths[place] = f64::INFINITY;
            out.push(lender);
            continue;
        }
        let mut sub = [u32::MAX; 2];
        let mut raw = Raw::new();
        let mut kept = true;
        for (p, depth) in out[found.clone()].iter().zip(&mut depths) {
            if *depth < f64::INFINITY && p.normal.dot(normal) >= SAME_NORMAL {
                *depth = f64::INFINITY;
                sub = sub.min(p.sub);
                kept &= holds(&lender, p);
                raw.extend_from_slice(&p.points);
            }
        }
        for p in &mut raw {
            *p = p.straight(normal);
        }
        raw.retain(|p| p.gap <= prediction);
        let hold = if kept { lender.hold } else { Hold::NONE };
        if report(normal, hold, &distinct(&raw), Apart::by(prediction), out).is_ok()
            && let Some(patch) = out.last_mut()
        {
            patch.sub = sub;
        }
    }
    out.drain(found);
}

/// Whether the points of `p` keep their places as those of `lender`, whose normal they have, do. Lines lead to one
/// point, and a face leans from one crossing: parts that share an edge have both in common.
fn holds(lender: &ContactPatch, p: &ContactPatch) -> bool {
    let (a, b) = (&lender.hold, &p.hold);
    if matches!(a.reference, Reference::FaceOfA | Reference::FaceOfB) {
        return b.reference != Reference::Neither && a.radii == b.radii;
    }
    let parallel = |u: DVec3, v: DVec3| u.distance(v).min(u.distance(-v)) <= SAME_LINE;
    let [at, to] = [lender, p].map(|p| p.points[0].position_a);
    a.reference == b.reference
        && a.radii == b.radii
        && (0..2).all(|k| parallel(a.along[k], b.along[k]))
        && at.distance(to) <= SAME_PLACE * at.length()
}

fn depth(p: &ContactPatch) -> f64 {
    p.points.iter().fold(f64::INFINITY, |m, q| m.min(q.gap))
}

fn distinct(raw: &[PatchPoint]) -> Raw {
    let bounds = Aabb::from_points(raw.iter().map(|p| p.position_a));
    let away = raw
        .iter()
        .fold(0.0, |m: f64, p| m.max(p.position_a.length()));
    let near = (SAME_POINT * bounds.half_extents().length()).max(SAME_PLACE * away);
    let mut kept = Raw::new();
    for &p in raw {
        let known = kept
            .iter_mut()
            .find(|k| (k.position_a - p.position_a).length() <= near);
        match known {
            Some(k) if p.gap < k.gap - near => *k = p,
            Some(_) => {}
            None => kept.push(p),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_one_point_count_once() {
        let copy = |rounding: f64| PatchPoint {
            position_a: DVec3::new(0.3, 0.7 + rounding, -0.2),
            position_b: DVec3::new(0.3, 0.7, -0.2),
            gap: 0.0,
            feature: 0,
        };
        for rounding in [0.0, 1.1e-16, -1.1e-16, 1e-14] {
            let raw: Raw = [copy(0.0), copy(rounding)].into_iter().collect();
            assert_eq!(distinct(&raw).len(), 1, "{rounding:e}");
        }
        let raw: Raw = [copy(0.0), copy(1e-3)].into_iter().collect();
        assert_eq!(distinct(&raw).len(), 2);
    }
}
