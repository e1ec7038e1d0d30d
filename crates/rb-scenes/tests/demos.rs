//! The demonstrations build, step and do what they are there to show.

use rb_scenes::{DEMOS, demo};
use rb_world::prelude::*;

const DT: f64 = 1.0 / 60.0;

fn built(name: &str, size: usize) -> (World, Vec<BodyHandle>) {
    let mut world = World::new(Params::game()).expect("the profile is valid");
    let bodies = demo(name).expect(name).build(&mut world, size).expect(name);
    (world, bodies)
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        let report = world.step(DT).expect("a positive time step");
        assert!(report.frozen.is_empty());
    }
}

#[test]
fn every_demo_builds_and_steps() {
    for entry in DEMOS {
        let (mut world, bodies) = built(entry.name, entry.size.min(100));
        assert!(!bodies.is_empty(), "{}", entry.name);
        run(&mut world, 3);
    }
}

#[test]
fn dominoes_fall_one_after_the_other() {
    let (mut world, stones) = built("domino", 6);
    run(&mut world, 240);
    for (i, &stone) in stones.iter().enumerate() {
        let up = (world.rotation(stone).expect("alive") * DVec3::Y).y;
        assert!(up < 0.7, "stone {i} stands at {up}");
    }
}

#[test]
fn the_car_drives_along_x() {
    let (mut world, car) = built("rolling_car", 0);
    run(&mut world, 180);
    let at = world.position(car[0]).expect("alive");
    // Wheels of 0.4 m at 8 rad/s.
    assert!((4.0..9.8).contains(&at.x) && at.z.abs() < 0.1, "{at}");
    assert!((at.y - 0.65).abs() < 0.02, "{at}");
}

#[test]
fn the_belt_carries_boxes_at_its_speed() {
    let (mut world, boxes) = built("conveyor", 2);
    run(&mut world, 120);
    for &parcel in &boxes {
        let speed = world.velocity(parcel).expect("alive").lin.x;
        assert!((speed - 1.5).abs() < 0.01, "{speed} m/s");
    }
}

#[test]
fn bullets_do_not_pass() {
    let (mut world, bodies) = built("bullet", 300);
    run(&mut world, 60);
    let at = |i: usize| world.position(bodies[i]).expect("alive").x;
    assert!(at(0) < 0.0, "through the wall: {}", at(0));
    assert!(at(1) < at(2), "through the plate: {} and {}", at(1), at(2));
}

#[test]
fn the_cone_is_between_pyramid_and_box() {
    let (mut world, blocks) = built("incline", 20);
    let start: Vec<f64> = blocks
        .iter()
        .map(|&b| world.position(b).expect("alive").z)
        .collect();
    run(&mut world, 180);
    let across = |i: usize| world.position(blocks[i]).expect("alive").z - start[i];
    let [cone, pyramid, boxed] = [0, 1, 2].map(across);
    assert!(
        boxed < 0.9 * cone && cone < 0.9 * pyramid,
        "{boxed} {cone} {pyramid}"
    );
}

#[test]
fn the_top_precesses_and_does_not_fall() {
    let params = Params {
        substeps: 8,
        gyroscopic: Gyroscopic::Variational,
        ..Params::robotics()
    };
    let mut world = World::new(params).expect("the settings are valid");
    let top = demo("spinning_top")
        .expect("registered")
        .build(&mut world, 100)
        .expect("built")[0];
    run(&mut world, 240);
    let axis = world.rotation(top).expect("alive") * DVec3::NEG_Y;
    let lean = axis.y.acos().to_degrees();
    assert!((lean - 20.0).abs() < 2.0, "{lean} degrees");
    // g l / (I₃ ω₃ / m) = 9.81 · 0.225 / (0.3 · 0.3² · 100) rad/s, about −y seen from above.
    let turned = axis.z.atan2(axis.x).rem_euclid(std::f64::consts::TAU);
    let expected = (-0.8175f64 * 4.0).rem_euclid(std::f64::consts::TAU);
    assert!(
        (turned - expected).abs() < 0.2,
        "{turned} rad, expected {expected}"
    );
}
