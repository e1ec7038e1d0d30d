//! From patches to manifolds, and last step's impulses onto this step's points.

use crate::narrow::ContactPatch;
use glam::DVec3;
use rb_core::anchor::{Anchored, Stand};
use rb_core::manifold::{Impulses, MAX_POINTS, Manifold, ManifoldKey, Marks, WHOLE};
use rb_core::math::tangents;

/// The two sides of a manifold, index 0 for a and 1 for b.
#[derive(Clone, Copy, Debug)]
pub struct Sides<'a> {
    /// Collider slots.
    pub colliders: [u32; 2],
    /// Slots of their bodies.
    pub bodies: [u32; 2],
    /// Where the shapes stand.
    pub stands: [&'a Stand; 2],
}

impl Sides<'_> {
    fn key(&self, patch: &ContactPatch) -> ManifoldKey {
        ManifoldKey {
            pair: self.colliders,
            sub: patch.sub,
        }
    }

    /// Lever arms of a point from the centres of mass (m, world).
    fn arms(&self, places: [DVec3; 2]) -> [DVec3; 2] {
        let [a, b] = self.stands;
        [places[0] - a.center, places[1] - b.center]
    }
}

/// Makes of a manifold that of a patch: arms from the centres of mass. In its place, for it is large; its
/// material stays.
pub fn rewrite(manifold: &mut Manifold, patch: &ContactPatch, carried: &Impulses, sides: &Sides) {
    (manifold.bodies, manifold.key) = (sides.bodies, sides.key(patch));
    manifold.marks.remove(Marks::CLOSED);
    manifold.set_impulses(carried);
    manifold.normal = patch.normal;
    manifold.set_points(patch.points.iter().map(|p| {
        let arm = sides.arms([p.position_a, p.position_b]);
        (p.feature, Anchored { arm, gap: p.gap })
    }));
    let places = patch.points.iter().map(|p| [p.position_a, p.position_b]);
    let poses = sides.stands.map(|s| &s.pose);
    manifold
        .anchor
        .set(&patch.hold, patch.normal, places, poses);
}

/// Cosine of the angle between two normals beyond which impulses are not carried over (60°).
const RELATED: f64 = 0.5;

/// Impulses for `new` from whichever of the pair's old manifolds continues in it: the one with the
/// same sub-shapes, else the one with the nearest normal. Merged patches slide from sub-shape to
/// sub-shape, so the key alone would lose them.
pub fn warm_start(new: &ContactPatch, sides: &Sides, old: &[Manifold]) -> Impulses {
    let fit = |m: &&Manifold| {
        let cosine = m.normal.dot(new.normal);
        if m.key == sides.key(new) {
            cosine + 1.0
        } else {
            cosine
        }
    };
    let best = old.iter().max_by(|x, y| fit(x).total_cmp(&fit(y)));
    match best {
        Some(old) if new.normal.dot(old.normal) >= RELATED => carry_over(new, sides, old),
        _ => Impulses::default(),
    }
}

/// The impulses of `old` for `new`. Friction keeps its direction in the world: it is projected onto the new tangents.
fn carry_over(new: &ContactPatch, sides: &Sides, old: &Manifold) -> Impulses {
    let impulses = old.impulses();
    // Many contacts are near, but push nothing.
    if !impulses.pushes() {
        return Impulses::default();
    }
    let (before, now) = (tangents(old.normal), tangents(new.normal));
    // Nearly always.
    let features = new.points.iter().map(|p| p.feature);
    let same = features.eq(old.features[..usize::from(old.count)].iter().copied());
    if let (Impulses::Whole(line), true) = (impulses, same) {
        return Impulses::Whole(carry_whole(new, old, line, (before, now)));
    }
    let (mut points, spin) = old.each();
    for [_, x, y] in &mut points {
        let slip = before[0] * *x + before[1] * *y;
        [*x, *y] = now.map(|axis| slip.dot(axis));
    }
    if !same {
        points = match_points(new, sides, old, &points);
    }
    Impulses::Each { points, spin }
}

/// The same of a friction that is one. It acts where the load is, and what turns b about that place stays.
fn carry_whole(
    new: &ContactPatch,
    old: &Manifold,
    [loads @ .., x, y, twist]: [f64; WHOLE],
    (before, now): ([DVec3; 2], [DVec3; 2]),
) -> [f64; WHOLE] {
    let slip = before[0] * x + before[1] * y;
    let [x, y] = now.map(|axis| slip.dot(axis));
    let was = center(&loads, old.points().iter().map(|p| p.arm));
    let is = center(&loads, new.points.iter().map(|p| p.position_a));
    let left = old.normal * (twist - old.normal.dot(was.cross(slip)));
    let twist = new.normal.dot(left + is.cross(now[0] * x + now[1] * y));
    let [a, b, c, d] = loads;
    [a, b, c, d, x, y, twist]
}

/// From the first of some points to the centre of their loads, some of which there are.
fn center(loads: &[f64; MAX_POINTS], mut points: impl Iterator<Item = DVec3>) -> DVec3 {
    let first = points.next().unwrap_or_default();
    let total: f64 = loads.iter().sum();
    let others = loads[1..].iter().zip(points);
    others.map(|(load, p)| (p - first) * (load / total)).sum()
}

/// The impulse of each point from at most one of those `known` of `old`: by feature, else the nearest within 1 cm per
/// metre of arm (and at least 0.1 mm).
///
/// Distances are taken between arms on either body, whichever is smaller, in world axes: a point
/// that sticks keeps its arm on the resting body, one that rolls keeps its arm on the rolling body.
fn match_points(
    new: &ContactPatch,
    sides: &Sides,
    old: &Manifold,
    known: &[[f64; 3]; MAX_POINTS],
) -> [[f64; 3]; MAX_POINTS] {
    let (points, count) = (old.points(), usize::from(old.count));
    let mut impulse = [[0.0; 3]; MAX_POINTS];
    let mut taken = [false; MAX_POINTS];
    let mut matched = taken;
    for (i, p) in new.points.iter().enumerate() {
        let same = |k: &usize| !taken[*k] && old.features[*k] == p.feature;
        if let Some(k) = (0..count).find(same) {
            impulse[i] = known[k];
            (taken[k], matched[i]) = (true, true);
        }
    }
    for (i, p) in new.points.iter().enumerate() {
        if matched[i] || taken[..count].iter().all(|t| *t) {
            continue;
        }
        let arm = sides.arms([p.position_a, p.position_b]);
        let limit = (0.01 * arm[0].length().min(arm[1].length())).max(1e-4);
        let distance = |k: usize| {
            let o = old.arms(&points[k]);
            (o[0] - arm[0]).length().min((o[1] - arm[1]).length())
        };
        let free = (0..count).filter(|k| !taken[*k]);
        let nearest = free.min_by(|x, y| distance(*x).total_cmp(&distance(*y)));
        if let Some(k) = nearest.filter(|k| distance(*k) <= limit) {
            impulse[i] = known[k];
            taken[k] = true;
        }
    }
    impulse
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::PatchPoint;
    use rb_core::anchor::Hold;
    use rb_core::math::Pose;

    /// The bodies of both sides: b's five metres along x.
    const STANDS: [Stand; 2] = [
        Stand {
            pose: Pose::IDENTITY,
            center: DVec3::ZERO,
        },
        Stand {
            pose: Pose::IDENTITY,
            center: DVec3::new(5.0, 0.0, 0.0),
        },
    ];

    const SIDES: Sides = Sides {
        colliders: [0; 2],
        bodies: [0; 2],
        stands: [&STANDS[0], &STANDS[1]],
    };

    fn carried(new: &ContactPatch, old: &Manifold) -> [[f64; 3]; MAX_POINTS] {
        let mut carried = Manifold::default();
        carried.set_impulses(&warm_start(new, &SIDES, core::slice::from_ref(old)));
        carried.each().0
    }

    fn patch(normal: DVec3, points: &[(f64, u32)]) -> ContactPatch {
        let point = |&(x, feature): &(f64, u32)| PatchPoint {
            position_a: DVec3::X * x,
            position_b: DVec3::X * x,
            gap: 0.0,
            feature,
        };
        ContactPatch {
            sub: [0; 2],
            normal,
            hold: Hold::NONE,
            points: points.iter().map(point).collect(),
        }
    }

    fn known(points: &[(f64, u32, [f64; 3])]) -> Manifold {
        let point = |&(x, feature, _): &(f64, u32, [f64; 3])| {
            let arm = [DVec3::X * x, DVec3::X * (x - 5.0)];
            (feature, Anchored { arm, gap: 0.0 })
        };
        let mut manifold = Manifold {
            normal: DVec3::Y,
            ..Manifold::default()
        };
        manifold.set_points(points.iter().map(point));
        let spin = DVec3::ZERO;
        let mut impulses = [[0.0; 3]; MAX_POINTS];
        let places = impulses.iter_mut().zip(points);
        places.for_each(|(to, p)| *to = p.2);
        let points = impulses;
        manifold.set_impulses(&Impulses::Each { points, spin });
        manifold
    }

    #[test]
    fn features_match_first_then_places() {
        let old = known(&[
            (1.0, 7, [1.0, 0.1, 0.0]),
            (2.0, 8, [2.0, 0.2, 0.0]),
            (3.0, 9, [3.0, 0.3, 0.0]),
        ]);
        let new = patch(DVec3::Y, &[(2.005, 50), (1.5, 7), (3.5, 51)]);
        let impulse = carried(&new, &old);
        assert_eq!(impulse.map(|p| p[0]), [2.0, 1.0, 0.0, 0.0]);
    }

    /// What is stored as a whole comes over as each point's share of it does, where points move against each other too.
    #[test]
    fn whole_friction_goes_where_its_load_goes() {
        let mut whole = known(&[
            (1.0, 1, [1.0, 0.5, -0.25]),
            (2.0, 2, [2.0, 0.1, 0.3]),
            (2.5, 3, [0.0; 3]),
            (3.5, 4, [0.5, -0.2, 0.1]),
        ]);
        whole.set_impulses(&Impulses::Whole(whole.whole()));
        let (points, spin) = whole.each();
        let mut each = whole;
        each.set_impulses(&Impulses::Each { points, spin });
        let n = DVec3::new(0.05, 1.0, 0.02).normalize();
        let new = patch(n, &[(1.1, 1), (1.9, 2), (2.6, 3), (3.9, 4)]);
        let [whole, each] = [whole, each].map(|old| {
            let mut carried = Manifold::default();
            let impulses = warm_start(&new, &SIDES, &[old]);
            rewrite(&mut carried, &new, &impulses, &SIDES);
            carried
        });
        let form = |m: &Manifold| m.marks.contains(Marks::WHOLE);
        assert!(form(&whole) && !form(&each));
        for (a, b) in whole.whole().into_iter().zip(each.whole()) {
            assert!((a - b).abs() < 1e-15, "{a} {b}");
        }
    }

    #[test]
    fn friction_keeps_its_world_direction() {
        let old = known(&[(1.0, 1, [1.0, 0.5, -0.25])]);
        let n = DVec3::new(0.05, 1.0, 0.0).normalize();
        let world = |n: DVec3, impulse: [f64; 3]| {
            let t = tangents(n);
            t[0] * impulse[1] + t[1] * impulse[2]
        };
        let now = carried(&patch(n, &[(1.0, 1)]), &old)[0];
        assert!((world(n, now) - world(DVec3::Y, old.each().0[0])).length() < 0.03);
        let turned = patch(DVec3::NEG_Y, &[(1.0, 1)]);
        assert_eq!(carried(&turned, &old), [[0.0; 3]; MAX_POINTS]);
    }
}
