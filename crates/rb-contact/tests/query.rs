//! Rays, casts, overlaps and closest points over a small scene.

mod common;

use common::{Random, all_shapes, convex_shapes};
use parry3d::query::Ray as Ray32;
use rb_contact::broad::{BroadPhase, Mobility};
use rb_contact::query::*;
use rb_contact::{Collider, ColliderDesc, Shape};
use rb_core::glam::DVec3;
use rb_core::grid::Grid;
use rb_core::math::Pose;

struct Scene {
    broad: BroadPhase,
    things: Vec<(Collider, Pose)>,
}

impl Scene {
    fn new(things: Vec<(Shape, Pose)>) -> Self {
        let mut broad = BroadPhase::new();
        let things: Vec<_> = things
            .into_iter()
            .map(|(s, pose)| (Collider::new(ColliderDesc::new(s)).unwrap(), pose))
            .collect();
        for (slot, (c, pose)) in things.iter().enumerate() {
            broad.set(
                slot as u32,
                &c.aabb(pose, Grid::NONE),
                0.05,
                Mobility::Moving,
            );
        }
        Self { broad, things }
    }

    fn row() -> Self {
        let cube = || Shape::cuboid(DVec3::splat(0.5)).unwrap();
        let at = |x: f64| Pose::from_translation(DVec3::X * x);
        Self::new(vec![
            (cube(), at(4.0)),
            (Shape::ball(0.5).unwrap(), at(2.0)),
            (cube(), at(6.0)),
            (
                Shape::half_space(DVec3::Y).unwrap(),
                Pose::from_translation(DVec3::Y * -3.0),
            ),
        ])
    }
}

fn ray(origin: DVec3, direction: DVec3) -> Ray {
    Ray {
        origin,
        direction,
        max: 100.0,
    }
}

#[test]
fn rays_meet_a_row_of_things_in_order() {
    let scene = Scene::row();
    let get = |slot: u32| scene.things.get(slot as usize).map(|(c, p)| (c, *p));
    let hits = cast_ray_all(&scene.broad, &get, &ray(DVec3::ZERO, DVec3::X));
    let seen: Vec<(u32, f64)> = hits.iter().map(|h| (h.slot, h.distance)).collect();
    assert_eq!(seen.len(), 3);
    for ((slot, d), (s, e)) in seen.iter().zip([(1, 1.5), (0, 3.5), (2, 5.5)]) {
        assert!(*slot == s && (d - e).abs() < 1e-12, "{seen:?}");
    }
    let first = cast_ray(&scene.broad, &get, &ray(DVec3::ZERO, DVec3::X)).unwrap();
    assert_eq!(first, hits[0]);
    assert!((first.normal + DVec3::X).length() < 1e-12);
    let down = cast_ray(&scene.broad, &get, &ray(DVec3::ZERO, DVec3::NEG_Y)).unwrap();
    assert_eq!((down.slot, down.distance, down.normal), (3, 3.0, DVec3::Y));
    assert!(cast_ray(&scene.broad, &get, &ray(DVec3::ZERO, DVec3::Y)).is_none());
    let inside = cast_ray(&scene.broad, &get, &ray(DVec3::X * 4.0, DVec3::X)).unwrap();
    assert_eq!((inside.slot, inside.distance), (0, 0.0));
}

#[test]
fn casts_overlaps_and_closest_points() {
    let scene = Scene::row();
    let get = |slot: u32| scene.things.get(slot as usize).map(|(c, p)| (c, *p));
    let probe = Shape::ball(0.25).unwrap();
    let hit = cast_shape(
        &scene.broad,
        &get,
        &probe,
        &Pose::IDENTITY,
        &ray(DVec3::ZERO, DVec3::X),
    )
    .unwrap();
    assert_eq!(hit.slot, 1);
    assert!((hit.distance - 1.25).abs() < 1e-6 && (hit.normal + DVec3::X).length() < 1e-6);
    let wide = Shape::cuboid(DVec3::new(1.2, 0.2, 0.2)).unwrap();
    let at = Pose::from_translation(DVec3::X * 5.0);
    assert_eq!(overlapping(&scene.broad, &get, &wide, &at), [0, 2]);
    let near = closest_point(&scene.broad, &get, DVec3::new(4.0, 1.0, 0.0), 5.0).unwrap();
    assert_eq!(near.slot, 0);
    assert!((near.distance - 0.5).abs() < 1e-12);
    assert!((near.point - DVec3::new(4.0, 0.5, 0.0)).length() < 1e-12);
    assert!(closest_point(&scene.broad, &get, DVec3::Y * 50.0, 5.0).is_none());
}

#[test]
fn rays_agree_with_parry() {
    let mut random = Random(6);
    let (mut hits, mut odd) = (0, 0);
    for (ours, theirs) in convex_shapes() {
        // parry marches rays at rounded shapes with a coarse tolerance.
        let tolerance = 2e-3;
        for _ in 0..200 {
            let origin = random.vector(1.0).normalize() * 3.0;
            let direction = (random.vector(0.5) - origin).normalize();
            let r = Ray {
                origin,
                direction,
                max: 10.0,
            };
            let mine = ray_shape(&ours, &Pose::IDENTITY, &r);
            let r32 = Ray32::new(origin.as_vec3(), direction.as_vec3());
            match (mine, theirs.cast_local_ray(&r32, 10.0, true)) {
                (Some(h), Some(t)) => {
                    hits += 1;
                    odd += usize::from((h.distance - f64::from(t)).abs() > tolerance);
                    assert!(h.normal.dot(direction) < 0.0);
                }
                (mine, theirs) => odd += usize::from(mine.is_some() != theirs.is_some()),
            }
        }
    }
    println!("{odd} of {hits} differ");
    assert!(hits > 500 && odd < 20);
}

#[test]
fn projections_lie_on_every_shape() {
    let mut random = Random(8);
    for s in all_shapes() {
        for _ in 0..20 {
            let pose = random.pose(0.5);
            let p = random.vector(2.0);
            let Some((d, on)) = project(&s, &pose, p, 10.0) else {
                panic!("{} is within reach", s.name());
            };
            assert!(((on - p).length() - d).abs() < 1e-9);
            assert!(
                project(&s, &pose, on, 1.0).unwrap().0 < 1e-7,
                "{}",
                s.name()
            );
        }
    }
}
