//! Scene files: what ships runs, every example of the guide runs, faults are told with their place.

use rb_scenes::file::{Customs, SceneFile};
use rb_world::joint::{AnyJoint, Quantity};
use rb_world::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Steps a scene; the share of steps that met the tolerances.
fn run(text: &str, steps: u32) -> (World, f64) {
    let scene = SceneFile::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let built = scene.build().unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut world = built.world;
    let mut met = 0;
    for _ in 0..steps {
        let report = world.step(scene.dt).expect("not strict");
        assert!(report.frozen.is_empty(), "{text}");
        met += u32::from(report.met);
    }
    (world, f64::from(met) / f64::from(steps))
}

#[test]
fn what_ships_runs() {
    let folder = root().join("assets/scenes");
    let mut found = 0;
    for entry in std::fs::read_dir(folder).expect("it ships") {
        let path = entry.expect("readable").path();
        let text = std::fs::read_to_string(&path).expect("readable");
        let steps = SceneFile::parse(&text).expect("valid").steps;
        let (_, met) = run(&text, steps);
        println!(
            "{}: {steps} steps, {:.1} % met",
            path.display(),
            100.0 * met
        );
        assert!(met > 0.97, "{} met {met}", path.display());
        found += 1;
    }
    assert_eq!(found, 8);
}

/// Fenced JSON of a page: what follows the language, and the text.
fn examples(page: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for piece in page.split("\n```json").skip(1) {
        let (kind, rest) = piece.split_once('\n').expect("a fence ends its line");
        let (text, _) = rest.split_once("\n```").expect("closed");
        out.push((kind.trim_start_matches(',').to_owned(), text.to_owned()));
    }
    out
}

/// A whole scene around an example of one part.
fn scene_around(kind: &str, text: &str) -> String {
    let part: Value = serde_json::from_str(text).expect("JSON");
    let floor = json!({"name": "floor", "kind": "static", "position": [0, -2, 0],
        "shapes": [{"half_space": {"normal": [0, 1, 0]}}]});
    let ball = json!([{"ball": {"radius": 0.3}}]);
    let solid = json!({"mass": 1, "inertia": [0.1, 0.1, 0.1]});
    let body = |name: &str, x: f64| {
        let mut body = solid.clone();
        (body["name"], body["position"]) = (name.into(), json!([x, 0, 0]));
        body
    };
    let scene = match kind {
        "" => part,
        "body" => json!({"bodies": [floor, part]}),
        "shape" => json!({"bodies": [floor, {"name": "it", "shapes": [part]}]}),
        "ground" => json!({"bodies": [
            {"name": "ground", "kind": "static", "position": [0, -1, 0], "shapes": [part]},
            {"name": "ball", "shapes": ball}]}),
        "joint" => json!({"bodies": [{"name": "a", "kind": "static"}, body("b", 1.0)],
            "joints": [part]}),
        "coupling" => json!({
            "bodies": [{"name": "frame", "kind": "static"}, body("wheel", 0.0), body("wheel2", 1.0),
                body("wheel3", 2.0), body("slider", 3.0)],
            "joints": [
                {"name": "turn", "kind": "hinge", "a": "frame", "b": "wheel", "anchor": [0, 0, 0], "axis": [0, 0, 1]},
                {"name": "turn2", "kind": "hinge", "a": "frame", "b": "wheel2", "anchor": [1, 0, 0], "axis": [0, 0, 1]},
                {"name": "turn3", "kind": "hinge", "a": "frame", "b": "wheel3", "anchor": [2, 0, 0], "axis": [0, 0, 1]},
                {"name": "slide", "kind": "slider", "a": "frame", "b": "slider", "anchor": [3, 0, 0], "axis": [1, 0, 0]}],
            "couplings": [part]}),
        other => panic!("an example of what? {other}"),
    };
    scene.to_string()
}

#[test]
fn every_example_of_the_guide_runs() {
    let page = std::fs::read_to_string(root().join("docs/guide/scene-file.md")).expect("there");
    let mut kinds = std::collections::BTreeMap::new();
    for (kind, text) in examples(&page) {
        run(&scene_around(&kind, &text), 30);
        *kinds.entry(kind).or_insert(0) += 1;
    }
    println!("{kinds:?}");
    let count = |kind: &str| kinds.get(kind).copied().unwrap_or(0);
    // Every kind of shape, joint and coupling has its own.
    assert!(count("shape") + count("ground") >= Shape::NAMES.len());
    assert!(count("joint") >= AnyJoint::NAMES.len());
    assert!(count("coupling") >= 5 && count("body") >= 3 && count("") >= 3);
}

#[test]
fn every_setting_can_be_changed() {
    // The example of the guide changes every field of the settings: none is left as the profile has it.
    let page = std::fs::read_to_string(root().join("docs/guide/scene-file.md")).expect("there");
    let (_, text) = examples(&page)
        .into_iter()
        .find(|(kind, text)| kind.is_empty() && text.contains("\"params\""))
        .expect("there is one");
    let scene = SceneFile::parse(&text).expect("valid");
    let all = serde_json::to_value(Params::game()).expect("plain data");
    assert_same_fields("", &all, &Value::Object(scene.params.clone()));
    let p = scene.settings().expect("valid");
    assert_eq!(p.gyroscopic, Gyroscopic::Variational);
    assert_eq!(p.escalation.plan, SolvePlan::Exact);
    assert_eq!(p.stabilisation, Some(Stabilisation::PushOut { speed: 3.0 }));
    assert_eq!(p.geometric, GeometricStiffness::Projected);
}

fn assert_same_fields(path: &str, all: &Value, given: &Value) {
    if let (Value::Object(all), Value::Object(given)) = (all, given) {
        for (key, value) in all {
            let path = format!("{path}.{key}");
            let given = given.get(key).unwrap_or_else(|| panic!("{path}"));
            assert_same_fields(&path, value, given);
        }
    }
}

#[test]
fn a_scene_says_what_the_builders_say() {
    let text = r#"{"profile": "robotics", "dt": 0.01,
        "bodies": [
            {"name": "frame", "kind": "static"},
            {"name": "bob", "position": [1, 0, 0], "mass": 2, "inertia": [0.1, 0.2, 0.3], "angular_velocity": [0, 0, 1], "velocity": [0, 1, 0]}],
        "joints": [{"name": "pin", "kind": "hinge", "a": "frame", "b": "bob", "anchor": [0, 0, 0], "axis": [0, 0, 1],
            "drive": {"friction": 0.5, "motor": {"position": 1, "velocity": 0.5, "stiffness": 20, "damping": 2, "max": 9}}}]}"#;
    let mut built = SceneFile::parse(text)
        .expect("valid")
        .build()
        .expect("valid");
    let mut world = World::new(Params::robotics()).expect("valid");
    let frame = world.add_body(BodyDesc::fixed()).expect("valid");
    let bob = BodyDesc::dynamic()
        .at([1.0, 0.0, 0.0])
        .mass(2.0, [0.1, 0.2, 0.3]);
    let bob = world
        .add_body(bob.velocity([0.0, 1.0, 0.0]).spin([0.0, 0.0, 1.0]))
        .expect("valid");
    let poses = [frame, bob].map(|b| world.pose(b).expect("alive"));
    let pin = Hinge::at_world(&poses[0], &poses[1], DVec3::ZERO, DVec3::Z)
        .expect("valid")
        .friction(0.5)
        .motor(Motor::position(1.0, 20.0, 2.0).rate(0.5).max(9.0));
    world.add_joint(frame, bob, pin).expect("valid");
    for _ in 0..100 {
        built.world.step(0.01).expect("a positive step");
        world.step(0.01).expect("a positive step");
    }
    let at = built.world.body_named("bob").expect("named");
    assert_eq!(built.world.pose(at), world.pose(bob));
    assert_eq!(built.world.velocity(at), world.velocity(bob));
}

#[test]
fn a_mass_scales_the_shapes() {
    let text = r#"{"bodies": [{"name": "x", "mass": 5, "shapes": [{"cuboid": {"half_extents": [0.5, 1, 1.5]}, "density": 3}]}]}"#;
    let built = SceneFile::parse(text)
        .expect("valid")
        .build()
        .expect("valid");
    let mass = built
        .world
        .body(built.bodies[0])
        .expect("alive")
        .mass_props();
    assert!((mass.mass - 5.0).abs() < 1e-12);
    // I_x = m/12 (2² + 3²).
    assert!((mass.inertia_local.x_axis.x - 65.0 / 12.0).abs() < 1e-12);
}

/// Holds a body at the height it is told, as a program's own constraint.
#[derive(Debug)]
struct Height;

impl rb_world::joint::Constraint for Height {
    fn rows(&self, cx: &rb_world::joint::ConstraintCx, out: &mut rb_world::joint::ConstraintRows) {
        let jac = [Twist::new(DVec3::Y, DVec3::ZERO)];
        let gap = cx.bodies[0].com.y - 1.0;
        out.push(rb_world::joint::ConstraintRow::new(jac, |j| {
            Row::bilateral(j, gap, 0)
        }));
    }
}

#[test]
fn a_program_brings_its_own() {
    let text = r#"{"profile": "robotics", "bodies": [{"name": "a", "kind": "static"},
            {"name": "b", "position": [0, 1, 0], "mass": 1, "inertia": [1, 1, 1]},
            {"name": "c", "position": [0, 3, 0], "mass": 1, "inertia": [1, 1, 1]}],
        "joints": [{"kind": {"custom": "weld"}, "a": "a", "b": "c"}],
        "constraints": [{"name": "shelf", "custom": "height", "bodies": ["b"]}]}"#;
    let mut customs = Customs::default();
    let weld = Fixed::new(Pose::from_translation(DVec3::Y * 3.0), Pose::IDENTITY);
    customs.joints.insert("weld".into(), Arc::new(weld));
    customs
        .constraints
        .insert("height".into(), Arc::new(Height));
    let scene = SceneFile::parse(text).expect("valid");
    let mut built = scene
        .build_with(scene.settings().expect("valid"), &customs)
        .expect("valid");
    for _ in 0..60 {
        built.world.step(scene.dt).expect("a positive step");
    }
    for (body, height) in [(1, 1.0), (2, 3.0)] {
        let y = built.world.position(built.bodies[body]).expect("alive").y;
        assert!((y - height).abs() < 1e-9, "{y}");
    }
    let shelf = Culprit::Constraint(built.constraints[0].1);
    assert_eq!(built.name_of(&shelf), "constraint shelf");
}

#[test]
fn couplings_hold_what_the_start_has_unless_told() {
    let text = r#"{"profile": "robotics", "bodies": [{"name": "frame", "kind": "static"},
            {"name": "b", "position": [0, 1, 0], "mass": 1, "inertia": [1, 1, 1]}],
        "couplings": [{"quantity": {"point": {"body": "b", "along": [0, 1, 0]}}}]}"#;
    let (world, met) = run(text, 30);
    let b = world.body_named("b").expect("named");
    let (value, _) = world
        .measure(&Quantity::point(b, DVec3::ZERO, DVec3::Y))
        .expect("alive");
    assert!((value - 1.0).abs() < 1e-9 && met == 1.0, "{value}");
}
