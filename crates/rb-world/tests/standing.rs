//! Structures that stand in rigid-body statics (tall stack, arch, card house) must stand here, and
//! whatever is loaded must not sink.

mod common;
use common::structures::{arch, card_house, ground, stack};
use rb_world::prelude::*;

/// Largest displacement in the first second, and from then to 60 s.
fn motion(build: fn(&mut World)) -> [f64; 2] {
    let mut params = Params::game();
    params.sleep.enabled = false;
    let mut world = World::new(params).unwrap();
    ground(&mut world);
    build(&mut world);
    let places = |w: &World| w.bodies().map(|(_, b)| b.com).collect::<Vec<_>>();
    let most = |a: &[DVec3], b: &[DVec3]| {
        a.iter()
            .zip(b)
            .map(|(p, q)| p.distance(*q))
            .fold(0.0, f64::max)
    };
    let start = places(&world);
    let mut second = start.clone();
    for k in 1..=3600 {
        world.step(1.0 / 60.0).unwrap();
        if k == 60 {
            second = places(&world);
        }
    }
    [most(&start, &second), most(&second, &places(&world))]
}

#[track_caller]
fn stands(name: &str, build: fn(&mut World)) {
    let [first, later] = motion(build);
    println!(
        "{name}: {:.3} mm in the first second, {:.3} mm in the next 59",
        1e3 * first,
        1e3 * later
    );
    assert!(later < 5e-3, "{name} moved {later} m");
}

#[test]
fn ten_high_stack() {
    stands("stack of ten", |w| stack(w, 10));
}

#[test]
fn arch_of_21() {
    stands("arch of 21", arch);
}

#[test]
fn card_house_of_four_levels() {
    stands("card house of four levels", card_house);
}

/// A soft step gives way in proportion to the load over the lighter mass: 17 mm here, if it did so
/// to the end.
#[test]
fn a_light_box_under_a_heavy_pile_does_not_sink() {
    let mut params = Params::game();
    params.sleep.enabled = false;
    params.escalation.plan = SolvePlan::Fast;
    let mut world = World::new(params).unwrap();
    ground(&mut world);
    let masses = [1.0, 9.0, 80.0, 300.0];
    for (y, mass) in (0..).map(|k| 0.5 + f64::from(k)).zip(masses) {
        let desc = BodyDesc::dynamic()
            .at(DVec3::Y * y)
            .mass(mass, DVec3::splat(mass / 6.0));
        let body = world.add_body(desc).unwrap();
        let shape = Shape::cuboid(DVec3::splat(0.5)).unwrap();
        world.add_collider(body, ColliderDesc::new(shape)).unwrap();
    }
    for _ in 0..600 {
        world.step(1.0 / 60.0).unwrap();
    }
    let depth = world.report().penetration;
    assert!(depth <= 5e-3, "{depth} m");
}

/// A plank dropped on two ridges with one end first: with the closest points alone the ends take turns in sinking.
#[test]
fn a_plank_on_ridges_comes_to_rest() {
    let mut params = Params::game();
    params.sleep.enabled = false;
    let mut world = World::new(params).unwrap();
    let profile = [[-1.5, 0.0], [-0.5, 0.5], [0.0, 0.0], [0.5, 0.5], [1.5, 0.0]];
    let corners = |z: f64| profile.map(|[x, y]| DVec3::new(x, y, z));
    let vertices = [corners(-2.0), corners(2.0)].concat();
    let strip = |k: u32| [[k, k + 5, k + 6], [k, k + 6, k + 1]];
    let triangles = (0..4).flat_map(strip).collect::<Vec<_>>();
    let ridges = Shape::tri_mesh(vertices, triangles).unwrap();
    let base = world.add_body(BodyDesc::fixed()).unwrap();
    world.add_collider(base, ColliderDesc::new(ridges)).unwrap();
    let lean = DQuat::from_rotation_z(0.1) * DQuat::from_rotation_x(0.15);
    let desc = BodyDesc::dynamic().at(DVec3::Y * 0.9).rotated(lean);
    let plank = world.add_body(desc).unwrap();
    let shape = Shape::cuboid(DVec3::new(0.8, 0.1, 0.5)).unwrap();
    world.add_collider(plank, ColliderDesc::new(shape)).unwrap();
    let (mut deepest, mut fastest) = (0.0f64, 0.0f64);
    for step in 0..360 {
        world.step(1.0 / 60.0).unwrap();
        if step >= 240 {
            let turn = world.body(plank).unwrap().vel.ang;
            deepest = deepest.max(world.report().penetration);
            fastest = fastest.max(turn.length());
        }
    }
    assert!(deepest < 1e-3, "{deepest} m deep");
    assert!(fastest < 1e-2, "turns at {fastest} rad/s");
}
