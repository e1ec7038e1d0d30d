//! Time of impact: nothing thin is ever missed, and times are exact for plain cases.

mod common;

use common::{Random, all_shapes, convex_shapes, grid_mesh};
use rb_contact::Shape;
use rb_contact::query::distance;
use rb_contact::sweep::{Motion, time_of_impact};
use rb_core::glam::DVec3;
use rb_core::math::{Pose, Twist, exp_rotation};

const DT: f64 = 1.0 / 60.0;

fn moving(p: DVec3, v: DVec3) -> Motion {
    Motion::new(Pose::from_translation(p), Twist::new(v, DVec3::ZERO))
}

#[test]
fn a_thousand_bullets_hit_a_thin_wall() {
    let ball = Shape::ball(0.05).unwrap();
    let wall = Shape::cuboid(DVec3::new(2.0, 2.0, 0.005)).unwrap();
    let mut random = Random(1);
    for shot in 0..1000 {
        let q = exp_rotation(random.vector(3.0));
        let at = random.vector(10.0);
        let wall_motion = Motion::at_rest(Pose::new(at, q));
        let target = at + q * DVec3::new(random.range(-1.5, 1.5), random.range(-1.5, 1.5), 0.0);
        let slope =
            q * DVec3::new(random.range(-0.5, 0.5), random.range(-0.5, 0.5), 1.0).normalize();
        let start = target - slope * random.range(0.1, 1.5);
        let hit = time_of_impact(
            &ball,
            &moving(start, slope * 100.0),
            &wall,
            &wall_motion,
            DT,
            0.0,
        )
        .unwrap_or_else(|| panic!("shot {shot} went through"));
        let center = start + slope * 100.0 * DT * hit.fraction;
        let height = (q.conjugate() * (center - at)).z.abs();
        assert!((height - 0.055).abs() < 1e-6, "shot {shot}: {height}");
        assert!((hit.normal - q * DVec3::Z).length() < 1e-6);
    }
}

#[test]
fn every_convex_shape_stops_at_every_ground() {
    let grounds = [
        Shape::half_space(DVec3::Y).unwrap(),
        grid_mesh(8, |_, _| 0.0),
        Shape::height_field(9, 9, vec![0.0; 81], [8.0, 8.0]).unwrap(),
        Shape::compound(vec![(
            Pose::from_translation(DVec3::Y * -0.01),
            Shape::cuboid(DVec3::new(4.0, 0.01, 4.0)).unwrap(),
        )])
        .unwrap(),
    ];
    let mut random = Random(2);
    for (s, _) in convex_shapes() {
        for ground in &grounds {
            for _ in 0..20 {
                let pose = Pose::new(
                    DVec3::new(random.range(-1.0, 1.0), 2.0, random.range(-1.0, 1.0)),
                    exp_rotation(random.vector(3.0)),
                );
                let twist = Twist::new(DVec3::new(10.0, -200.0, 5.0), DVec3::ZERO);
                let hit = time_of_impact(
                    &s,
                    &Motion::new(pose, twist),
                    ground,
                    &Motion::at_rest(Pose::IDENTITY),
                    DT,
                    1e-3,
                )
                .unwrap_or_else(|| panic!("{} through {}", s.name(), ground.name()));
                let drop = 200.0 * DT * hit.fraction;
                let bottom = s.aabb(&pose).min.y;
                assert!(
                    (bottom - drop - 1e-3).abs() < 1e-6,
                    "{} {}",
                    s.name(),
                    ground.name()
                );
            }
        }
    }
}

#[test]
fn spinning_rods_reach_what_they_sweep_over() {
    // A rod turning about its end sweeps a quarter circle; a small ball sits at 45°.
    let rod = Shape::cuboid(DVec3::new(0.5, 0.01, 0.01)).unwrap();
    let start = Pose::from_translation(DVec3::X * 0.5);
    let spin = Motion::new(
        start,
        Twist::new(DVec3::ZERO, DVec3::Z * core::f64::consts::FRAC_PI_2),
    )
    .about(DVec3::ZERO);
    let ball = Shape::ball(0.02).unwrap();
    let at = DVec3::new(1.0, 1.0, 0.0).normalize() * 0.8;
    let hit =
        time_of_impact(&rod, &spin, &ball, &moving(at, DVec3::ZERO), 1.0, 0.0).expect("swept over");
    // Clearance 0.03 at radius 0.8: the rod stops this angle short of 45°.
    let expected = 0.5 - libm::asin(0.03 / 0.8) / core::f64::consts::FRAC_PI_2;
    assert!(
        (hit.fraction - expected).abs() < 1e-6,
        "{} vs {expected}",
        hit.fraction
    );
}

#[test]
fn parting_shapes_never_hit_and_touching_ones_hit_at_once() {
    let a = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let rest = Motion::at_rest(Pose::IDENTITY);
    let toi = |y: f64, v: f64| {
        let m = moving(DVec3::new(0.1, y, 0.0), DVec3::Y * v);
        time_of_impact(&a, &rest, &a, &m, 1.0, 0.0).map(|i| i.fraction)
    };
    assert_eq!(toi(1.0, 1.0), None);
    assert_eq!(toi(1.0, -1.0), Some(0.0));
    assert_eq!(toi(3.0, -1.0), None);
    assert!((toi(1.5, -1.0).unwrap() - 0.5).abs() < 1e-9);
}

#[test]
fn before_impact_shapes_are_apart() {
    let shapes = all_shapes();
    let mut random = Random(4);
    for a in &shapes {
        for b in &shapes {
            for _ in 0..4 {
                let away = random.vector(1.0).normalize() * 3.0;
                let spin = random.vector(2.0);
                let ma = Motion::new(random.pose(0.3), Twist::ZERO);
                let mb = Motion::new(
                    Pose::new(away, exp_rotation(random.vector(3.0))),
                    Twist::new(-away * 2.0, spin),
                );
                let Some(hit) = time_of_impact(a, &ma, b, &mb, 1.0, 1e-3) else {
                    continue;
                };
                assert!((0.0..=1.0).contains(&hit.fraction) && hit.normal.is_finite());
                if hit.fraction > 0.0 && a.is_convex() && b.is_convex() {
                    let t = hit.fraction;
                    let gap = distance(a, &ma.at(t), b, &mb.at(t), 1.0).unwrap().distance;
                    assert!(
                        (gap - 1e-3).abs() < 1e-5,
                        "{} {}: {gap}",
                        a.name(),
                        b.name()
                    );
                }
            }
        }
    }
}
