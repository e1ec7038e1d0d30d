//! Contacts with surfaces: one side, smooth over inner edges, the true normals of ridges, and points that keep their places.

mod common;

use common::{at, box_mesh, contacts, grid_mesh};
use rb_contact::Shape;
use rb_core::anchor::Reference;
use rb_core::glam::{DQuat, DVec3};
use rb_core::math::{Pose, exp_rotation};

#[test]
fn nothing_is_felt_sliding_over_a_flat_mesh() {
    let mesh = grid_mesh(8, |_, _| 0.0);
    let field = Shape::height_field(9, 9, vec![0.0; 81], [8.0, 8.0]).unwrap();
    let half = DVec3::new(0.3, 0.2, 0.25);
    let movers = [
        (Shape::cuboid(half).unwrap(), 0.2, 4),
        (Shape::ball(0.2).unwrap(), 0.2, 1),
        (Shape::capsule(0.3, 0.2).unwrap(), 0.5, 1),
        (Shape::cylinder(0.2, 0.3).unwrap(), 0.2, 4),
    ];
    for ground in [&mesh, &field] {
        for (s, height, count) in &movers {
            for k in 0..400 {
                let x = -3.0 + 0.015 * f64::from(k);
                let depth = -1e-3;
                let q = exp_rotation(DVec3::Y * 0.01 * f64::from(k));
                let pose = Pose::new(DVec3::new(x, height + depth, 0.37 * x), q);
                let found = contacts(s, &pose, ground, &Pose::IDENTITY, 0.02);
                assert_eq!(found.len(), 1, "{} at {x}: {found:?}", s.name());
                assert!((found[0].normal + DVec3::Y).length() < 1e-12);
                assert_eq!(found[0].points.len(), *count, "{} at {x}", s.name());
                let wrong = found[0]
                    .points
                    .iter()
                    .any(|p| (p.gap - depth).abs() > 1e-12);
                assert!(!wrong, "{} at {x}: {found:?}", s.name());
            }
        }
    }
}

#[test]
fn ridges_and_valleys_have_their_true_normals() {
    // A ball on a roof ridge touches the ridge; a box cannot be pushed sideways by it.
    let ridge = grid_mesh(4, |x, _| -0.5 * x.abs());
    let ball = Shape::ball(0.3).unwrap();
    let found = contacts(&ball, &at(0.0, 0.299, 0.2), &ridge, &Pose::IDENTITY, 0.01);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].normal + DVec3::Y).length() < 1e-9);
    // In the valley it touches both flanks.
    let valley = grid_mesh(4, |x, _| 0.5 * x.abs());
    let height = 0.3 * 1.25f64.sqrt();
    let found = contacts(
        &ball,
        &at(0.0, height - 1e-4, 0.2),
        &valley,
        &Pose::IDENTITY,
        0.01,
    );
    assert_eq!(found.len(), 2, "{found:?}");
    for patch in &found {
        assert!((patch.normal.x.abs() - 0.5 / 1.25f64.sqrt()).abs() < 1e-12);
        assert_eq!(patch.points.len(), 1);
    }
}

/// The closest points alone are where an end of the box crosses the ridge: it would sink at its other end.
#[test]
fn a_box_leaning_along_a_ridge_has_a_point_at_each_end() {
    let ridge = grid_mesh(4, |x, _| -0.5 * x.abs());
    let half = DVec3::new(0.3, 0.2, 0.4);
    let cuboid = Shape::cuboid(half).unwrap();
    for lean in [-0.03f64, 0.02, 0.05] {
        // Its lower end is .1 mm into the ridge.
        let height = half.y * lean.cos() + half.z * lean.abs().sin() - 1e-4;
        let pose = Pose::new(DVec3::new(0.02, height, 0.5), exp_rotation(DVec3::X * lean));
        let found = contacts(&cuboid, &pose, &ridge, &Pose::IDENTITY, 0.05);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0].normal + DVec3::Y).length() < 1e-9, "{found:?}");
        assert_eq!(found[0].hold.reference, Reference::BesideFaceOfA);
        let mut gaps: Vec<f64> = found[0].points.iter().map(|p| p.gap).collect();
        gaps.sort_by(f64::total_cmp);
        let rise = 2.0 * half.z * lean.abs().sin();
        assert_eq!(gaps.len(), 2, "{found:?}");
        assert!((gaps[0] + 1e-4).abs() < 1e-9, "{gaps:?}");
        assert!((gaps[1] + 1e-4 - rise).abs() < 0.02 * rise, "{gaps:?}");
    }
}

/// Both triangles of a ridge find it, each with its own direction; it is one line, and the contact keeps its place.
#[test]
fn round_shapes_on_a_ridge_keep_their_lines() {
    let ridge = grid_mesh(4, |x, _| -0.5 * x.abs());
    let across = exp_rotation(DVec3::new(0.0, 0.3, 1.4));
    for (shape, turn) in [
        (Shape::ball(0.2).unwrap(), DQuat::IDENTITY),
        (Shape::capsule(0.3, 0.2).unwrap(), across),
    ] {
        let pose = Pose::new(DVec3::new(0.0, 0.2, 0.4), turn);
        let found = contacts(&shape, &pose, &ridge, &Pose::IDENTITY, 0.02);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].points.len(), 1, "{found:?}");
        assert_eq!(found[0].hold.reference, Reference::Lines, "{found:?}");
    }
}

#[test]
fn meshes_push_to_their_front_only() {
    let mesh = grid_mesh(2, |_, _| 0.0);
    let ball = Shape::ball(0.2).unwrap();
    assert!(contacts(&ball, &at(0.1, -0.205, 0.1), &mesh, &Pose::IDENTITY, 0.01).is_empty());
    let cut = contacts(&ball, &at(0.1, -0.1, 0.3), &mesh, &Pose::IDENTITY, 0.01);
    assert!((cut[0].normal + DVec3::Y).length() < 1e-12);
    assert!((cut[0].points[0].gap + 0.3).abs() < 1e-12);
}

#[test]
fn closed_meshes_meet_closed_meshes() {
    let a = box_mesh(DVec3::splat(0.5));
    let found = contacts(&a, &Pose::IDENTITY, &a, &at(0.1, 0.999, 0.05), 0.01);
    let up = found
        .iter()
        .find(|p| p.normal.y > 0.999)
        .expect("faces meet");
    assert_eq!(up.points.len(), 4);
    assert!((up.points[0].gap + 1e-3).abs() < 1e-12);
}
