//! The referee on states whose measures are known.

use super::{Quality, Referee};
use crate::engines::State;
use glam::{DQuat, DVec3, Vec3};
use rb_scenes::{SceneDesc, ShapeDef, scene};

/// Tolerance (mm): rounding of a query against a floor of 800 m.
const CLOSE: f64 = 0.01;

fn described(name: &str, size: usize) -> SceneDesc {
    scene(name).expect("it is registered").build(size)
}

/// The bodies of a scene where they start, at rest.
fn start(scene: &SceneDesc) -> Vec<State> {
    let state = |body: &rb_scenes::BodyDef| State {
        pos: body.pos.as_dvec3(),
        rot: body.rot.as_dquat().normalize(),
        lin: DVec3::ZERO,
        ang: DVec3::ZERO,
    };
    scene.bodies.iter().map(state).collect()
}

fn judge(scene: &SceneDesc, states: &[State]) -> Quality {
    Referee::new(scene)
        .expect("its shapes are sound")
        .judge(states)
}

/// A stack of two boxes of 1 m, the upper one `depth` (m) inside the lower one.
fn pair(depth: f64) -> (SceneDesc, Vec<State>) {
    let scene = described("tall_stack", 2);
    let mut states = start(&scene);
    states[2].pos.y -= depth;
    (scene, states)
}

#[test]
fn depth_of_two_boxes() {
    let (scene, states) = pair(0.03);
    let quality = judge(&scene, &states);
    assert!((quality.deepest_mm - 30.0).abs() < CLOSE);
    // The lower box stands on the floor without depth: two pairs touch.
    assert_eq!(quality.touching, 2);
    assert!((quality.mean_depth_mm - 15.0).abs() < CLOSE);
    assert!((quality.sag_mm.expect("a stack has a top") - 30.0).abs() < CLOSE);
    assert_eq!((quality.stands, quality.lost), (Some(true), 0));
}

#[test]
fn depth_of_tilted_boxes() {
    // An edge down: the half diagonal of the square reaches into the face below by 1 cm.
    let (scene, mut states) = pair(0.0);
    states[2].pos.y = 1.0 + 0.5_f64.sqrt() - 0.01;
    states[2].rot = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4);
    let quality = judge(&scene, &states);
    assert!((quality.deepest_mm - 10.0).abs() < CLOSE);
}

#[test]
fn boxes_apart_do_not_touch() {
    let (scene, states) = pair(-0.003);
    assert_eq!(judge(&scene, &states).touching, 1);
    let (scene, states) = pair(-0.001);
    let quality = judge(&scene, &states);
    assert_eq!((quality.touching, quality.doubtful), (2, 0));
    assert!(quality.deepest_mm < CLOSE);
}

/// Boxes lying flat anywhere on the floor of 800 m, where queries in f32 answer metres.
#[test]
fn boxes_flat_on_a_large_floor() {
    let scene = described("large_pyramid", 1);
    for depth in [0.0, 1e-9, 1e-6, 1e-4, 1e-3, 1e-2] {
        for place in -40..=40 {
            let mut states = start(&scene);
            let at = f64::from(place);
            states[1].pos = DVec3::new(9.37 * at, 0.5 - depth, 5.11 * at);
            states[1].rot = DQuat::from_rotation_y(0.1 * at);
            let quality = judge(&scene, &states);
            assert_eq!((quality.touching, quality.doubtful), (1, 0));
            assert!((quality.deepest_mm - 1e3 * depth).abs() < CLOSE);
        }
    }
}

/// Height of the centre of a shape over its lowest point (m), by its support function.
fn stature(shape: &ShapeDef, rot: DQuat) -> f64 {
    let lowest = |points: &[[f32; 3]]| {
        let heights = points
            .iter()
            .map(|p| (rot * Vec3::from_array(*p).as_dvec3()).y);
        -heights.fold(f64::INFINITY, f64::min)
    };
    match shape {
        ShapeDef::Box([x, y, z]) => {
            let corner = |i: usize| [[*x, -x][i & 1], [*y, -y][i >> 1 & 1], [*z, -z][i >> 2]];
            lowest(&(0..8).map(corner).collect::<Vec<_>>())
        }
        ShapeDef::Sphere(radius) => f64::from(*radius),
        ShapeDef::Capsule { half, radius } => {
            f64::from(*half) * (rot * DVec3::Y).y.abs() + f64::from(*radius)
        }
        ShapeDef::Hull(points) => lowest(points),
        ShapeDef::Mesh(_) => panic!("a mesh has no depth"),
    }
}

/// Boxes, balls, capsules and hulls, turned at random, in the floor by known depths.
#[test]
fn depth_of_every_shape_in_a_large_floor() {
    let scene = described("mixed_drop", 4);
    let mut states = start(&scene);
    let depth = |body: usize| 1e-4 * body as f64;
    for body in scene.dynamic() {
        let rest = stature(&scene.bodies[body].shapes[0].shape, states[body].rot);
        states[body].pos = DVec3::new(2.0 * body as f64 - 100.0, rest - depth(body), 7.3);
    }
    let quality = judge(&scene, &states);
    let count = scene.dynamic().count();
    assert_eq!((quality.touching, quality.doubtful), (count, 0));
    assert!((quality.deepest_mm - 1e3 * depth(count)).abs() < CLOSE);
    let mean = scene.dynamic().map(depth).sum::<f64>() / count as f64;
    assert!((quality.mean_depth_mm - 1e3 * mean).abs() < CLOSE);
}

#[test]
fn joined_bodies_may_overlap() {
    let scene = described("chain", 1);
    let quality = judge(&scene, &start(&scene));
    assert_eq!(quality.touching, 0);
    assert!(quality.joint_separation_mm.expect("it has joints") < CLOSE);
    assert!(quality.chain_sag_pct.expect("it is a chain").abs() < 1e-4);
}

#[test]
fn separation_of_a_joint() {
    let scene = described("chain", 1);
    let mut states = start(&scene);
    // The last link swings out by a right angle about its centre, which shifts both its anchors by
    // half its length down or up and half to the side.
    let last = states.len() - 2;
    states[last].rot = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let apart = 1e3 * 0.25 * 2.0_f64.sqrt();
    let measured = judge(&scene, &states).joint_separation_mm;
    assert!((measured.expect("it has joints") - apart).abs() < CLOSE);
    // The end body 2 cm lower lengthens 10.25 m by 0.195 %.
    let mut states = start(&scene);
    states[last + 1].pos.y -= 0.02;
    let quality = judge(&scene, &states);
    assert!((quality.joint_separation_mm.expect("it has joints") - 20.0).abs() < CLOSE);
    assert!((quality.chain_sag_pct.expect("it is a chain") - 2.0 / 10.25).abs() < 1e-4);
}

#[test]
fn energy_of_a_fall() {
    let scene = described("chain_swing", 100);
    let at_rest = judge(&scene, &start(&scene));
    assert!(at_rest.energy_drift_pct.expect("it swings").abs() < 1e-9);
    // All bodies fall freely by 1 m: speed sqrt(2 g h), no energy lost.
    let mut states = start(&scene);
    let g = f64::from(-scene.gravity.y);
    for body in scene.dynamic() {
        states[body].pos.y -= 1.0;
        states[body].lin.y = -(2.0 * g).sqrt();
    }
    assert!(
        judge(&scene, &states)
            .energy_drift_pct
            .expect("it swings")
            .abs()
            < 1e-9
    );
}

#[test]
fn the_lost_are_counted() {
    let scene = described("box_drop", 2);
    let mut states = start(&scene);
    assert_eq!(judge(&scene, &states).lost, 0);
    states[1].pos.y = -6.0;
    states[2].pos.x = f64::NAN;
    let quality = judge(&scene, &states);
    assert_eq!(quality.lost, 2);
    assert!(quality.deepest_mm.is_finite());
}

#[test]
fn a_stack_that_falls_does_not_stand() {
    let scene = described("tall_stack", 3);
    let mut states = start(&scene);
    states[3].pos = DVec3::new(2.0, 0.5, 0.0);
    let quality = judge(&scene, &states);
    assert_eq!(quality.stands, Some(false));
    assert!(
        (quality.displacement_mm.expect("it has a limit") - 8.0_f64.sqrt() * 1e3).abs() < CLOSE
    );
}
