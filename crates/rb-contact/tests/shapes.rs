//! Masses against closed forms and parry, boxes, typed errors, serialisation.

mod common;

use common::{Random, all_shapes, box_mesh, convex_shapes, grid_mesh};
use rb_contact::shapes::{Ball, Cuboid};
use rb_contact::{Collider, ColliderDesc, Shape};
use rb_core::Error;
use rb_core::draw::{Color, DrawSink};
use rb_core::glam::{DMat3, DVec3};
use rb_core::math::{Pose, exp_rotation};

fn close(a: DMat3, b: DMat3, tolerance: f64) -> bool {
    a.abs_diff_eq(b, tolerance)
}

#[test]
fn masses_agree_with_parry() {
    for (ours, theirs) in convex_shapes() {
        // parry leaves the rounding out of the mass; ours is exact, see below.
        if matches!(&ours, Shape::Cuboid(c) if c.border > 0.0) {
            continue;
        }
        let m = ours.mass_props(2.0);
        let p = theirs.mass_properties(2.0);
        let rounded = theirs.as_round_cylinder().is_some()
            || theirs.as_round_cone().is_some()
            || theirs.as_round_convex_polyhedron().is_some();
        if rounded {
            assert!(m.mass > f64::from(p.mass()));
            continue;
        }
        let mass = f64::from(p.mass());
        assert!(
            (m.mass - mass).abs() < 1e-5 * mass,
            "{}: {} {mass}",
            ours.name(),
            m.mass
        );
        assert!((m.com_local - p.local_com.as_dvec3()).length() < 1e-5);
        let i = p.reconstruct_inertia_matrix();
        let i = DMat3::from_cols(
            i.x_axis.as_dvec3(),
            i.y_axis.as_dvec3(),
            i.z_axis.as_dvec3(),
        );
        assert!(
            close(m.inertia_local, i, 1e-5 * mass),
            "{}: {} {i}",
            ours.name(),
            m.inertia_local
        );
        assert!(m.validate().is_ok());
    }
}

#[test]
fn different_roads_lead_to_the_same_mass() {
    let h = DVec3::new(0.3, 0.5, 0.4);
    let same = |a: &Shape, b: &Shape, tolerance: f64| {
        let (x, y) = (a.mass_props(1.0), b.mass_props(1.0));
        assert!((x.mass - y.mass).abs() < tolerance, "{} {}", x.mass, y.mass);
        assert!((x.com_local - y.com_local).length() < tolerance);
        assert!(close(x.inertia_local, y.inertia_local, tolerance));
    };
    let cuboid = Shape::cuboid(h).unwrap();
    same(&cuboid, &box_mesh(h), 1e-15);
    let corners: Vec<DVec3> = box_mesh(h).mesh().unwrap().vertices;
    same(
        &cuboid,
        &Shape::convex_hull(corners.clone()).unwrap(),
        1e-14,
    );
    let round = Shape::round_cuboid(h, 0.1).unwrap();
    same(
        &round,
        &Shape::round_convex_hull(corners, 0.1).unwrap(),
        1e-14,
    );
    // A capsule is a thin cylinder, much rounded; a compound of halves is the whole.
    let thin = Shape::round_cylinder(0.5, 1e-9, 0.2).unwrap();
    same(&Shape::capsule(0.5, 0.2).unwrap(), &thin, 1e-8);
    let half = Shape::cuboid(DVec3::new(0.15, 0.5, 0.4)).unwrap();
    let halves = [-0.15, 0.15].map(|x| (Pose::from_translation(DVec3::X * x), half.clone()));
    same(&cuboid, &Shape::compound(halves.to_vec()).unwrap(), 1e-14);
    // A slowly rounded cone against its own finely triangulated outline is covered by symmetry:
    // its sharp limit is the cone.
    same(
        &Shape::cone(0.5, 0.3).unwrap(),
        &Shape::round_cone(0.5, 0.3, 1e-12).unwrap(),
        1e-10,
    );
}

#[test]
fn surfaces_and_unbounded_shapes_have_no_mass() {
    for s in [
        grid_mesh(2, |_, _| 0.0),
        Shape::half_space(DVec3::Y).unwrap(),
    ] {
        assert_eq!(s.mass_props(1000.0).mass, 0.0);
    }
}

struct Lines(Vec<[DVec3; 2]>);

impl DrawSink for Lines {
    fn line(&mut self, a: DVec3, b: DVec3, _: Color) {
        self.0.push([a, b]);
    }
}

#[test]
fn outlines_lie_in_the_box() {
    let mut random = Random(1);
    for s in all_shapes() {
        // Sharp outlines of rounded shapes poke out at their corners once they are turned.
        let pose = Pose::from_translation(random.vector(2.0));
        let bounds = s.aabb(&pose).inflated(1e-9);
        let mut sink = Lines(Vec::new());
        s.draw(&pose, [255; 4], &mut sink);
        assert!(!sink.0.is_empty());
        for p in sink.0.iter().flatten() {
            assert!(
                bounds.contains(&rb_contact::Aabb::new(*p, *p)),
                "{}",
                s.name()
            );
        }
        assert!(s.inner_radius() <= s.bounding_radius());
    }
}

#[test]
fn serialised_shapes_come_back_equal() {
    for s in all_shapes() {
        let text = serde_json::to_string(&s).unwrap();
        let back: Shape = serde_json::from_str(&text).unwrap();
        assert_eq!(s, back);
        assert_eq!(s.mass_props(3.0), back.mass_props(3.0));
        assert_eq!(s.mesh(), back.mesh());
    }
    assert!(serde_json::from_str::<Shape>(r#"{"ConvexHull":{"points":[]}}"#).is_err());
}

#[test]
fn bad_arguments_are_named() {
    let nan = f64::NAN;
    let flat = vec![
        DVec3::ZERO,
        DVec3::X,
        DVec3::Z,
        DVec3::new(1.0, 0.0, 1.0),
        DVec3::new(0.3, 0.0, 0.2),
    ];
    let line: Vec<DVec3> = (0..9).map(|i| DVec3::X * f64::from(i)).collect();
    let tri = || vec![DVec3::ZERO, DVec3::X, DVec3::Z];
    let ball = || (Pose::IDENTITY, Shape::ball(1.0).unwrap());
    let cases: Vec<(rb_core::Result<Shape>, &str)> = vec![
        (Shape::ball(nan), "radius"),
        (Shape::ball(0.0), "radius"),
        (Shape::ball(-1.0), "radius"),
        (Shape::ball(f64::INFINITY), "radius"),
        (Shape::cuboid(DVec3::new(1.0, 0.0, 1.0)), "half_extents"),
        (Shape::round_cuboid(DVec3::ONE, -0.1), "border"),
        (Shape::capsule(0.0, 1.0), "half_height"),
        (Shape::cylinder(1.0, nan), "radius"),
        (Shape::round_cylinder(1.0, 1.0, nan), "border"),
        (Shape::cone(-1.0, 1.0), "half_height"),
        (Shape::half_space(DVec3::ZERO), "normal"),
        (Shape::half_space(DVec3::splat(nan)), "normal"),
        (Shape::convex_hull(vec![]), "points"),
        (Shape::convex_hull(tri()), "points"),
        (Shape::convex_hull(vec![DVec3::ONE; 8]), "points"),
        (Shape::convex_hull(flat), "points"),
        (Shape::convex_hull(line), "points"),
        (Shape::convex_hull(vec![DVec3::splat(nan); 8]), "points"),
        (Shape::tri_mesh(tri(), vec![]), "triangles"),
        (Shape::tri_mesh(tri(), vec![[0, 1, 3]]), "triangles"),
        (Shape::tri_mesh(tri(), vec![[0, 1, 1]]), "triangles"),
        (
            Shape::tri_mesh(vec![DVec3::splat(nan); 3], vec![[0, 1, 2]]),
            "vertices",
        ),
        (
            Shape::height_field(2, 2, vec![0.0; 3], [1.0, 1.0]),
            "heights",
        ),
        (
            Shape::height_field(1, 4, vec![0.0; 4], [1.0, 1.0]),
            "heights",
        ),
        (
            Shape::height_field(2, 2, vec![nan; 4], [1.0, 1.0]),
            "heights",
        ),
        (Shape::height_field(2, 2, vec![0.0; 4], [0.0, 1.0]), "size"),
        (Shape::compound(vec![]), "parts"),
        (
            Shape::compound(vec![(
                Pose::IDENTITY,
                Shape::compound(vec![ball()]).unwrap(),
            )]),
            "parts",
        ),
    ];
    for (result, argument) in cases {
        let error = result.expect_err(argument);
        let named = match &error {
            Error::NotFinite { argument, .. }
            | Error::OutOfRange { argument, .. }
            | Error::Degenerate { argument, .. }
            | Error::BadGeometry { argument, .. } => argument,
            other => panic!("{other}"),
        };
        assert_eq!(*named, argument, "{error}");
    }
    assert!(Shape::from(Ball { radius: -1.0 }).validate().is_err());
    let bad = Cuboid {
        half_extents: DVec3::NAN,
        border: 0.0,
    };
    assert!(Shape::from(bad).validate().is_err());
}

#[test]
fn hulls_are_found_anywhere_and_at_any_size() {
    let mut random = Random(9);
    for scale in [1e-3, 1.0, 1e3] {
        for _ in 0..30 {
            let cloud: Vec<DVec3> = (0..40)
                .map(|_| random.vector(scale) + DVec3::X * 10.0 * scale)
                .collect();
            let hull = Shape::convex_hull(cloud.clone()).unwrap();
            let bounds = hull.local_aabb().inflated(1e-6 * scale);
            assert!(
                cloud
                    .iter()
                    .all(|p| bounds.contains(&rb_contact::Aabb::new(*p, *p)))
            );
            assert!(hull.mass_props(1.0).mass > 0.0);
        }
    }
    // Duplicates and points on a grid, where everything is coplanar with something.
    let grid: Vec<DVec3> = (0..54)
        .map(|i| DVec3::new(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9 % 3)))
        .collect();
    let hull = Shape::convex_hull(grid).unwrap();
    assert!((hull.mass_props(1.0).mass - 8.0).abs() < 1e-12);
    let turned = exp_rotation(DVec3::new(0.1, 0.2, 0.3));
    let corners: Vec<DVec3> = (0..8)
        .map(|i| turned * DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)))
        .collect();
    assert_eq!(
        Shape::convex_hull(corners)
            .unwrap()
            .mesh()
            .unwrap()
            .triangles
            .len(),
        12
    );
}

#[test]
fn shapes_of_the_size_of_a_galaxy_are_refused() {
    let ball = Shape::ball(0.2).unwrap();
    for far in [1e13, 1e300, 1e308] {
        let parts = vec![
            (Pose::IDENTITY, ball.clone()),
            (Pose::from_translation(DVec3::Z * -far), ball.clone()),
        ];
        let compound = Shape::compound(parts).unwrap();
        let refused = Collider::new(ColliderDesc::new(compound)).unwrap_err();
        assert!(refused.to_string().contains("1e12"), "{refused}");
        let away = ColliderDesc::new(ball.clone()).offset(Pose::from_translation(DVec3::X * far));
        assert!(Collider::new(away).is_err());
    }
    assert!(Collider::new(ColliderDesc::new(Shape::half_space(DVec3::Y).unwrap())).is_ok());
}
