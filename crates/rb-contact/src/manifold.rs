//! From patches to manifolds, and last step's impulses onto this step's points.

use crate::narrow::ContactPatch;
use core::ops::Range;
use glam::DVec3;
use rb_core::anchor::{Anchor, Stand};
use rb_core::contact_block::ContactSet;
use rb_core::handle::{BodyHandle, ColliderHandle};
use rb_core::manifold::{ContactMaterial, MAX_POINTS, Manifold, ManifoldKey, ManifoldPoint};
use rb_core::math::tangents;
use smallvec::SmallVec;

/// The two sides of a manifold, index 0 for a and 1 for b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sides {
    /// Colliders.
    pub colliders: [ColliderHandle; 2],
    /// Their bodies.
    pub bodies: [BodyHandle; 2],
    /// Where the shapes stand.
    pub stands: [Stand; 2],
}

/// Manifold of a patch: arms from the centres of mass, no impulses yet.
pub fn manifold(patch: &ContactPatch, sides: &Sides, material: ContactMaterial) -> Manifold {
    let point = |p: &crate::narrow::PatchPoint| ManifoldPoint {
        arm: [
            p.position_a - sides.stands[0].center,
            p.position_b - sides.stands[1].center,
        ],
        gap: p.gap,
        feature: p.feature,
        impulse: [0.0; 3],
    };
    let places = patch.points.iter().map(|p| [p.position_a, p.position_b]);
    let poses = [&sides.stands[0].pose, &sides.stands[1].pose];
    Manifold {
        anchor: Anchor::new(patch.reference, patch.normal, places, poses),
        key: ManifoldKey {
            pair: sides.colliders.map(ColliderHandle::index),
            sub: patch.sub,
        },
        colliders: sides.colliders,
        bodies: sides.bodies,
        normal: patch.normal,
        points: patch.points.iter().map(point).collect(),
        material,
        spin: DVec3::ZERO,
    }
}

/// Cosine of the angle between two normals beyond which impulses are not carried over (60°).
const RELATED: f64 = 0.5;

/// Carries impulses from whichever of the pair's old manifolds (those numbered `range` in `old`)
/// continues in `new`: the one with the same sub-shapes, else the one with the nearest normal. Merged
/// patches slide from sub-shape to sub-shape, so the key alone would lose them.
pub fn warm_start(new: &mut Manifold, old: &ContactSet, range: Range<usize>) {
    let fit = |i: &usize| {
        let cosine = old.normal(*i).dot(new.normal);
        if old.key(*i) == new.key {
            cosine + 1.0
        } else {
            cosine
        }
    };
    let best = range.max_by(|x, y| fit(x).total_cmp(&fit(y)));
    if let Some(i) = best {
        let points: SmallVec<[ManifoldPoint; MAX_POINTS]> =
            (0..old.count(i)).map(|k| old.stored(i, k)).collect();
        if match_impulses(new, old.normal(i), &points) {
            // The patch's as a whole.
            new.spin = old.spin(i);
        }
    }
}

/// Carries each old point's impulse to at most one new point: by feature, else to the nearest point
/// within 1 cm per metre of arm (and at least 0.1 mm).
///
/// Distances are taken between arms on either body, whichever is smaller, in world axes: a point
/// that sticks keeps its arm on the resting body, one that rolls keeps its arm on the rolling body.
/// The tangential impulse is projected onto the new tangents. Nothing is carried when the normal has
/// turned by more than 60° from `normal`; says whether anything was.
pub fn match_impulses(new: &mut Manifold, normal: DVec3, old: &[ManifoldPoint]) -> bool {
    if new.normal.dot(normal) < RELATED {
        return false;
    }
    let from = tangents(normal);
    let onto = tangents(new.normal);
    let carry = |p: &ManifoldPoint| {
        let slip = from[0] * p.impulse[1] + from[1] * p.impulse[2];
        [p.impulse[0], slip.dot(onto[0]), slip.dot(onto[1])]
    };
    let mut taken = [false; MAX_POINTS];
    let mut matched = taken;
    for (i, p) in new.points.iter_mut().enumerate() {
        let same = |k: &usize| !taken[*k] && old[*k].feature == p.feature;
        if let Some(k) = (0..old.len()).find(same) {
            p.impulse = carry(&old[k]);
            (taken[k], matched[i]) = (true, true);
        }
    }
    for (i, p) in new.points.iter_mut().enumerate() {
        if matched[i] {
            continue;
        }
        let limit = (0.01 * p.arm[0].length().min(p.arm[1].length())).max(1e-4);
        let distance = |k: usize| {
            let o = &old[k];
            (o.arm[0] - p.arm[0])
                .length()
                .min((o.arm[1] - p.arm[1]).length())
        };
        let free = (0..old.len()).filter(|k| !taken[*k]);
        let nearest = free.min_by(|x, y| distance(*x).total_cmp(&distance(*y)));
        if let Some(k) = nearest.filter(|k| distance(*k) <= limit) {
            p.impulse = carry(&old[k]);
            taken[k] = true;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f64, feature: u32, impulse: [f64; 3]) -> ManifoldPoint {
        ManifoldPoint {
            arm: [DVec3::X * x, DVec3::X * (x - 5.0)],
            gap: 0.0,
            feature,
            impulse,
        }
    }

    #[test]
    fn features_match_first_then_places() {
        let manifold = |points: Vec<ManifoldPoint>| Manifold {
            normal: DVec3::Y,
            points: points.into(),
            ..Manifold::default()
        };
        let old = manifold(vec![
            point(1.0, 7, [1.0, 0.1, 0.0]),
            point(2.0, 8, [2.0, 0.2, 0.0]),
            point(3.0, 9, [3.0, 0.3, 0.0]),
        ]);
        let mut new = manifold(vec![
            point(2.005, 50, [0.0; 3]),
            point(1.5, 7, [0.0; 3]),
            point(3.5, 51, [0.0; 3]),
        ]);
        let mut set = ContactSet::default();
        set.push(&old);
        warm_start(&mut new, &set, 0..1);
        let normal: Vec<f64> = new.points.iter().map(|p| p.impulse[0]).collect();
        assert_eq!(normal, [2.0, 1.0, 0.0]);
    }

    #[test]
    fn friction_keeps_its_world_direction() {
        let n = DVec3::new(0.05, 1.0, 0.0).normalize();
        let old = Manifold {
            normal: DVec3::Y,
            points: [point(1.0, 1, [1.0, 0.5, -0.25])].into_iter().collect(),
            ..Manifold::default()
        };
        let mut new = Manifold {
            normal: n,
            points: [point(1.0, 1, [0.0; 3])].into_iter().collect(),
            ..Manifold::default()
        };
        match_impulses(&mut new, old.normal, &old.points);
        let world = |m: &Manifold| {
            let t = tangents(m.normal);
            t[0] * m.points[0].impulse[1] + t[1] * m.points[0].impulse[2]
        };
        assert!((world(&new) - world(&old)).length() < 0.03);
        new.normal = DVec3::NEG_Y;
        let before = new.clone();
        match_impulses(&mut new, old.normal, &old.points);
        assert_eq!(new, before);
    }
}
