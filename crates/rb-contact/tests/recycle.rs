//! Contacts placed anew from their anchors against contacts found anew.

mod common;

use common::Random;
use rb_contact::narrow::collide_shapes;
use rb_contact::recycle::{DRIFT, Memory, Recall};
use rb_contact::{ContactPatch, Shape};
use rb_core::anchor::{Anchor, Reference, Stand};
use rb_core::glam::DVec3;
use rb_core::math::{Pose, exp_rotation};

const PREDICTION: f64 = 0.02;

fn find(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose) -> Vec<ContactPatch> {
    let mut patches = Vec::new();
    collide_shapes(a, pa, b, pb, PREDICTION, &mut patches);
    patches
}

/// Boxes rest on faces of boxes and on planes, with a tilt of a milliradian, and creep by up to two
/// thirds of what ends the keeping: gaps of points that a search finds too are what it says.
#[test]
fn anchored_gaps_are_those_of_a_search() {
    let mut random = Random(5);
    let half = DVec3::new(0.5, 0.3, 0.4);
    let shapes = [
        Shape::cuboid(half).unwrap(),
        Shape::half_space(DVec3::Y).unwrap(),
    ];
    let (mut compared, mut alone, mut unanchored, mut worst) = (0, 0, 0, 0.0f64);
    for round in 0..2000 {
        let upper = &shapes[0];
        let lower = &shapes[round % 2];
        let floor = if round % 2 == 0 { half.y } else { 0.0 };
        let frame = Pose::new(random.vector(5.0), exp_rotation(random.vector(3.0)));
        let place = Pose::new(
            DVec3::new(0.0, floor + half.y, 0.0) + random.vector(0.25) * DVec3::new(1.0, 1e-3, 1.0),
            exp_rotation(DVec3::Y * random.range(-3.0, 3.0)) * exp_rotation(random.vector(1e-3)),
        );
        let before = frame * place;
        let spheres = |upper: &Pose| {
            let memory = Memory::new((&frame, 9.0), (&before, half.length()), 2.0 * PREDICTION);
            memory.recall((&frame, 9.0), (upper, half.length()), PREDICTION)
        };
        for patch in find(lower, &frame, upper, &before) {
            if patch.reference == Reference::Neither {
                // Tilted over an edge: always searched for.
                unanchored += 1;
                continue;
            }
            let places = patch.points.iter().map(|p| [p.position_a, p.position_b]);
            let anchor = Anchor::new(patch.reference, patch.normal, places, [&frame, &before]);
            let creep = 0.4 * DRIFT * half.length();
            let after = Pose::new(
                before.p + random.vector(creep) * 0.5,
                exp_rotation(random.vector(0.4 * DRIFT) * 0.5) * before.q,
            );
            assert_eq!(spheres(&after), Recall::InPlace);
            let stand = |pose: Pose| Stand {
                pose,
                center: pose.p,
            };
            let mut kept = Vec::new();
            anchor.renew(
                [&stand(frame), &stand(after)],
                patch.points.len(),
                |k, p| kept.push((patch.points[k].feature, p.gap)),
            );
            let fresh = find(lower, &frame, upper, &after);
            for (feature, gap) in kept {
                let same = |p: &&rb_contact::PatchPoint| p.feature == feature;
                let found = fresh.iter().flat_map(|p| &p.points).find(same);
                if let Some(found) = found {
                    compared += 1;
                    worst = worst.max((found.gap - gap).abs());
                } else {
                    alone += 1;
                }
            }
        }
    }
    println!("{compared} gaps compared, largest difference {worst:.1e} m");
    println!("{alone} points a search names otherwise, {unanchored} patches without anchor");
    assert!(compared > 5000, "{compared}");
    assert!(worst < 1e-6, "{worst:e}");
}
