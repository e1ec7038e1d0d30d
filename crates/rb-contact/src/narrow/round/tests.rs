//! What the general search finds of the same pairs.

use super::collide;
use crate::convex::{Core, Placed};
use crate::narrow::axis::iterate;
use crate::narrow::wave::vector;
use crate::narrow::{ContactPatch, Found, clip};
use crate::polyhedron::Polyhedron;
use crate::reach::Reach;
use glam::DVec3;
use rb_core::math::{Pose, exp_rotation};

const PREDICTION: f64 = 0.1;

fn general(a: &Placed, b: &Placed, out: &mut Vec<ContactPatch>) -> Found {
    let axis = iterate(a, b, 9.0)?;
    clip::contact(a, b, &axis, PREDICTION, out)
}

/// Heights and places of the points, in an order of their own.
fn sorted(patch: &ContactPatch) -> Vec<[f64; 4]> {
    let number = |p: DVec3, gap: f64| [gap, p.x, p.y, p.z];
    let points = patch.points.iter().map(|p| number(p.position_a, p.gap));
    let mut points: Vec<_> = points.collect();
    points.sort_by(|p, q| (p[1] + 3.0 * p[2]).total_cmp(&(q[1] + 3.0 * q[2])));
    points
}

/// Says how many patches there were with one, two and three points.
fn compare(round: Core, radius: f64, flat: Core) -> [usize; 3] {
    let mut seen = [0; 3];
    for k in 0..6000 {
        // Half of them lie flat, or almost.
        let tilt = if k % 2 == 0 { 3.0 } else { 0.02 };
        let turn = exp_rotation(vector(3 * k) * tilt);
        let side = exp_rotation(DVec3::Z * std::f64::consts::FRAC_PI_2);
        let pose = Pose::new(vector(5 * k + 1) * 1.1, turn * side);
        let b_pose = Pose::new(vector(7 * k), exp_rotation(vector(11 * k) * 3.0));
        let a = Placed::new(round, radius, &(b_pose * pose), b_pose.p);
        let b = Placed::new(flat, 0.0, &b_pose, b_pose.p);
        let (mut mine, mut others) = (Vec::new(), Vec::new());
        let Some(found) = collide(&a, &b, &Reach::all(PREDICTION), &mut mine) else {
            continue;
        };
        let known = general(&a, &b, &mut others);
        assert_eq!(found.is_ok(), known.is_ok(), "{k}: {round:?} {flat:?}");
        let [Some(mine), Some(other)] = [mine.first(), others.first()] else {
            continue;
        };
        let [mine_points, other_points] = [mine, other].map(sorted);
        assert!((mine.normal - other.normal).length() < 1e-6, "{k}");
        assert_eq!(mine_points.len(), other_points.len(), "{k}: {round:?}");
        for (p, q) in mine_points
            .iter()
            .flatten()
            .zip(other_points.iter().flatten())
        {
            assert!(
                (p - q).abs() < 1e-6,
                "{k}: {mine_points:?} {other_points:?}"
            );
        }
        assert_eq!(mine.hold.reference, other.hold.reference, "{k}");
        seen[mine_points.len() - 1] += 1;
        let mut flipped = Vec::new();
        assert!(collide(&b, &a, &Reach::all(PREDICTION), &mut flipped) == Some(Ok(())));
        flipped[0].swap();
        assert_eq!(flipped, [*mine]);
    }
    seen
}

#[test]
fn closed_forms_find_what_iteration_does() {
    let cloud: Vec<DVec3> = (0..18).map(|k| 0.6 * vector(3 * k + 7)).collect();
    let hull = Polyhedron::from_points(&cloud).unwrap();
    let cube = Core::Box(DVec3::new(0.5, 0.3, 0.4));
    for (round, flat) in [
        (Core::Segment(0.4), cube),
        (Core::Segment(0.4), Core::Poly(&hull)),
        (Core::Point, Core::Poly(&hull)),
    ] {
        let [one, two, three] = compare(round, 0.2, flat);
        let lines = matches!(round, Core::Segment(_));
        assert!(one > 300 && (two > 200) == lines, "{one} {two}");
        assert!((three > 20) == lines, "{three}");
    }
}
