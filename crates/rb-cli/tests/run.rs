//! `rb run` and `rb dump` from outside: files, exit statuses, and that a dumped problem is the step's.

mod common;

use common::{rb, scene, scenes};
use rb_core::math::Twist;
use rb_core::params::SolvePlan;
use rb_core::problem::{Pass, Problem};
use rb_core::solver::{Budget, IslandSolver, Scratch};
use rb_scenes::file::SceneFile;
use rb_solve::Exact;
use rb_solve::formats::{self, Model};
use serde_json::{Value, json};
use std::fs;
use std::process::{Command, Stdio};

#[test]
fn a_run_writes_what_it_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (out, report, poses) = (path("run.html"), path("report.json"), path("poses.csv"));
    let args = ["run", &scene("stack"), "--steps", "100", "--json"];
    let files = ["--out", &out, "--report", &report, "--poses", &poses];
    let (code, text) = rb(&[&args[..], &files[..]].concat(), "");
    assert_eq!(code, 0, "{text}");
    let summary: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(summary["steps"], 100);

    let page = fs::read_to_string(out).expect("written");
    assert!(page.starts_with("<!doctype html>") && page.contains("Stack under a cone"));

    let told: Value =
        serde_json::from_str(&fs::read_to_string(report).expect("written")).expect("JSON");
    assert_eq!(told["summary"]["met"], summary["met"]);
    assert_eq!(told["run"]["tolerances"]["position"], 5e-3);
    let steps = told["steps"].as_array().expect("a list");
    assert_eq!(steps.len(), 100);
    let named = |field: &str, name: &str| {
        let says = |s: &Value| s[field].as_str().is_some_and(|w| w.contains(name));
        steps.iter().any(says)
    };
    assert!(named("worst_contact", "floor / box1"));
    assert!(steps.iter().all(|s| s["times"]["total"].is_number()));
    let worst = steps.iter().filter_map(|s| s["residual"].as_f64());
    assert_eq!(
        worst.fold(0.0, f64::max),
        summary["residual"]["value"].as_f64().expect("a number")
    );

    let table = fs::read_to_string(poses).expect("written");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 1 + 101 * 6);
    assert_eq!(
        lines[1],
        "0,0,floor,0.0,0.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,0.0,0.0"
    );
    assert!(lines[606].starts_with("100,") && lines[606].contains("bullet"));
}

#[test]
fn a_run_is_the_worlds_and_the_same_for_any_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = |threads: &str| {
        let path = folder.path().join(threads).display().to_string();
        let args = ["run", &scene("ragdoll"), "--steps", "80"];
        let more = ["--threads", threads, "--poses", &path];
        assert_eq!(rb(&[&args[..], &more[..]].concat(), "").0, 0);
        fs::read_to_string(path).expect("written")
    };
    let one = table("1");
    assert_eq!(one, table("3"));
    let text = fs::read_to_string(scene("ragdoll")).expect("ships");
    let file = SceneFile::parse(&text).expect("valid");
    let mut world = file.build().expect("valid").world;
    for _ in 0..80 {
        world.step(file.dt).expect("a positive step");
    }
    // Numbers read back to the same bits.
    let head = world.body_named("head").expect("named");
    let last = one.lines().rfind(|l| l.contains("head")).expect("there");
    let numbers: Vec<f64> = last
        .split(',')
        .skip(3)
        .map(|x| x.parse().expect("a number"))
        .collect();
    let pose = world.pose(head).expect("alive");
    assert_eq!(numbers[..3], pose.p.to_array());
    assert_eq!(numbers[3..7], pose.q.to_array());
}

#[test]
fn exit_statuses() {
    // A hinge between frames that contradict each other cannot meet any tolerance.
    let torn = json!({"profile": "robotics", "steps": 3, "bodies": [{"name": "a", "kind": "static"},
            {"name": "b", "mass": 1, "inertia": [1, 1, 1]}],
        "joints": [
            {"kind": "ball", "a": "a", "b": "b", "frame_a": {"position": [1, 0, 0]}},
            {"kind": "ball", "a": "a", "b": "b", "frame_a": {"position": [-1, 0, 0]}}]});
    let text = torn.to_string();
    assert_eq!(rb(&["run", "-"], &text).0, 0);
    assert_eq!(rb(&["run", "-", "--strict"], &text).0, 2);
    let mut strict = torn;
    strict["params"] = json!({"strict": true});
    let (code, out) = rb(&["run", "-", "--json"], &strict.to_string());
    let out: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        (code, &out["refused"], &out["steps"]),
        (2, &json!(true), &json!(1))
    );
    let falling = json!({"steps": 5, "bodies": [{"shapes": [{"ball": {"radius": 1}}]}]});
    assert_eq!(rb(&["run", "-", "--strict"], &falling.to_string()).0, 0);

    let wrong = r#"{"bodies": [{"kind": "static"}, {"shapes": [{"ball": {"radius": -1}}]}]}"#;
    for command in [&["run", "-", "--json"][..], &["dump", "-", "--step", "1"]] {
        let (code, out) = rb(command, wrong);
        assert_eq!(code, 3);
        assert!(out.contains("bodies[1].shapes[0].ball.radius"), "{out}");
    }
    let good = falling.to_string();
    for (args, place) in [
        (&["run", "-", "--dt", "0"][..], "--dt"),
        (&["run", "-", "--steps", "99999999"], "--steps"),
        (&["run", "-", "--threads", "99999"], "--threads"),
        (&["run", "-", "--poses", "/nowhere/poses.csv"], "/nowhere"),
        (&["run", "/nowhere/scene.json"], "/nowhere"),
        (&["dump", "-", "--step", "0"], "--step"),
        (&["dump", "-", "--step", "2", "--island", "7"], "--island"),
    ] {
        let (code, out) = rb(args, &good);
        assert_eq!(code, 3, "{args:?}");
        assert!(out.contains(place), "{out}");
    }
}

#[test]
fn the_solver_asked_for_is_the_one_that_runs() {
    let exact = |plan: &str| {
        let args = [
            "run",
            &scene("stack"),
            "--steps",
            "20",
            "--solver",
            plan,
            "--json",
        ];
        let (code, text) = rb(&args, "");
        assert_eq!(code, 0);
        let summary: Value = serde_json::from_str(&text).expect("JSON");
        summary["exact"].as_u64().expect("a count")
    };
    assert_eq!((exact("fast"), exact("exact")), (0, 20));
}

/// The problem of an island after some steps, and the file `rb dump` makes of it.
fn dumped(name: &str, step: usize, more: &[&str]) -> (Problem, Value) {
    let text = fs::read_to_string(scene(name)).expect("ships");
    let file = SceneFile::parse(&text).expect("valid");
    let mut world = file.build().expect("valid").world;
    if more.contains(&"exact") {
        let mut params = *world.params();
        params.escalation.plan = SolvePlan::Exact;
        world.set_params(params).expect("valid");
    }
    for _ in 0..step {
        world.step(file.dt).expect("a positive step");
    }
    let problem = world.problems().next().expect("awake").clone();
    let number = step.to_string();
    let args = ["dump", &scene(name), "--step", &number];
    let (code, out) = rb(&[&args[..], more].concat(), "");
    assert_eq!(code, 0, "{out}");
    (problem, serde_json::from_str(&out).expect("JSON"))
}

/// The file without the impulses the step found: the solver has to find them.
fn cold(mut file: Value) -> Value {
    let blocks = file["blocks"].as_array_mut().into_iter().flatten();
    for row in blocks.flat_map(|b| b["rows"].as_array_mut().into_iter().flatten()) {
        row["lambda"] = json!(0);
    }
    file
}

/// Velocities of impulses.
fn velocities(p: &Problem, lambda: &[f64]) -> Vec<Twist> {
    let mut p = p.clone();
    p.rows
        .iter_mut()
        .zip(lambda)
        .for_each(|(r, l)| r.lambda = *l);
    p.rebuild_velocities();
    p.bodies.iter().map(|b| b.vel).collect()
}

/// The island solved by the engine's exact solver, from where the step left it.
fn solved_exactly(p: &Problem) -> Vec<Twist> {
    let mut p = p.clone();
    let budget = Budget::new(1, 1e-14);
    Exact::default().solve(&mut p, Pass::Velocity, budget, &mut Scratch::default());
    p.bodies.iter().map(|b| b.vel).collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    serde_json::from_value(value.clone()).expect("numbers")
}

#[test]
fn a_dumped_island_is_the_steps_own() {
    let mut types = std::collections::BTreeSet::new();
    for (name, step, more) in [
        ("stack", 90, &["--solver", "exact"][..]),
        ("conveyor", 60, &[]),
        ("arm", 400, &[]),
        ("ragdoll", 90, &[]),
        ("four_bar", 50, &[]),
        ("pendulum_chain", 100, &[]),
        ("gears", 100, &[]),
        ("stack", 90, &["--solver", "exact", "--format", "island"]),
        ("four_bar", 50, &["--format", "island"]),
    ] {
        let (problem, file) = dumped(name, step, more);
        let (code, out) = rb(&["solve", "-", "--json"], &cold(file.clone()).to_string());
        let out: Value = serde_json::from_str(&out).expect("JSON");
        let kind = file["type"].as_str().expect("text").to_owned();
        assert_eq!(
            (code, &out["status"]),
            (0, &json!("solved")),
            "{name} {kind}: {out}"
        );
        let lambda = numbers(out.get("r").unwrap_or(&out["z"]));
        let ours = velocities(&problem, &lambda);
        let many = |b| problem.extra(b).is_some_and(|e| !e.bodies.is_empty());
        let wide = problem.blocks.iter().any(many);
        let exact = if wide {
            // The exact solver knows no rows over many bodies; the step's direct solve does.
            problem.bodies.iter().map(|b| b.vel).collect()
        } else {
            solved_exactly(&problem)
        };
        let far = |a: &Twist, b: &Twist| (a.lin - b.lin).length().max((a.ang - b.ang).length());
        let worst = ours
            .iter()
            .zip(&exact)
            .map(|(a, b)| far(a, b))
            .fold(0.0, f64::max);
        println!(
            "{name}, step {step}, {kind}: {} rows, {worst:.1e}",
            problem.rows.len()
        );
        assert!(worst < 1e-8, "{name} {kind}: {worst}");
        if kind == "fc3d_global" {
            check_axes(&file, &numbers(&out["v"]), &ours);
        }
        types.insert(kind);
    }
    assert_eq!(types.len(), 3, "{types:?}");
}

/// The velocities `rb solve` prints are those of the file's axes.
fn check_axes(file: &Value, v: &[f64], bodies: &[Twist]) {
    let axes: Vec<(usize, usize)> = serde_json::from_value(file["axes"].clone()).expect("pairs");
    for (&(body, axis), v) in axes.iter().zip(v) {
        let t = &bodies[body];
        let all = [t.lin.x, t.lin.y, t.lin.z, t.ang.x, t.ang.y, t.ang.z];
        assert!((all[axis] - v).abs() < 1e-8, "{body} {axis}");
    }
}

#[test]
fn an_island_file_reads_back_as_it_was() {
    for name in ["arm", "gears", "terrain", "ragdoll"] {
        let (problem, file) = dumped(name, 70, &["--format", "island"]);
        let read = formats::parse(&file.to_string()).expect("valid");
        let Model::Island(read) = read.model else {
            panic!("{name} is an island")
        };
        assert_eq!(read.rows.len(), problem.rows.len());
        for (a, b) in read.rows.iter().zip(&problem.rows) {
            assert_eq!((a.jac, a.lo, a.hi, a.lambda), (b.jac, b.lo, b.hi, b.lambda));
            assert_eq!(a.velocity, b.velocity);
        }
        for (a, b) in read.bodies.iter().zip(&problem.bodies) {
            assert_eq!((a.free, a.inv, a.extent), (b.free, b.inv, b.extent));
        }
        let grades = [&read, &problem].map(|p| rb_core::residual::grade(p, 0.0).abs);
        assert!((grades[0] - grades[1]).abs() < 1e-12, "{name}: {grades:?}");
    }
}

#[test]
fn locked_axes_and_compliance_survive_the_dump() {
    for (extra, kind) in [
        (json!({"friction": 0.4}), "fc3d_global"),
        (
            json!({"friction": 0.4, "compliance": 1e-4, "damping": 0.01}),
            "island",
        ),
        (json!({"friction": 0.4, "law": "none"}), "boxed_lcp"),
        (json!({"friction": 0.4, "law": "pyramid"}), "island"),
        (
            json!({"friction": 0.4, "extras": {"rolling": 0.05, "torsion": 0.05}}),
            "island",
        ),
    ] {
        let text = json!({"profile": "robotics", "dt": 0.01, "bodies": [
            {"name": "floor", "kind": "static", "shapes": [{"half_space": {"normal": [0, 1, 0]}, "material": extra}]},
            {"name": "box", "position": [0, 0.5, 0], "velocity": [1, 0, 0.3], "locked": ["lin_z", "ang_y"],
             "angular_velocity": [0, 0, -0.5],
             "shapes": [{"ball": {"radius": 0.5}, "material": extra}]}]})
        .to_string();
        let file = SceneFile::parse(&text).expect("valid");
        let mut world = file.build().expect("valid").world;
        (0..3).for_each(|_| {
            world.step(file.dt).expect("a positive step");
        });
        let (code, dump) = rb(&["dump", "-", "--step", "3"], &text);
        assert_eq!(code, 0, "{dump}");
        let value: Value = serde_json::from_str(&dump).expect("JSON");
        assert_eq!(value["type"], kind, "{extra}");
        let (code, out) = rb(&["solve", "-", "--json"], &cold(value).to_string());
        assert_eq!(code, 0, "{extra}: {out}");
        let out: Value = serde_json::from_str(&out).expect("JSON");
        let problem = world.problems().next().expect("awake");
        let ours = velocities(&problem, &numbers(out.get("r").unwrap_or(&out["z"])));
        for (ours, body) in ours.iter().zip(&problem.bodies) {
            assert!((ours.lin - body.vel.lin).length() < 1e-8, "{extra}");
            assert!((ours.ang - body.vel.ang).length() < 1e-8, "{extra}");
        }
    }
}

#[test]
fn everything_that_ships_runs() {
    for path in scenes() {
        let (code, out) = rb(&["run", &path, "--steps", "20"], "");
        assert_eq!(code, 0, "{path}: {out}");
    }
}

/// Whoever reads what is printed may have seen enough.
#[test]
fn a_closed_pipe_is_no_fault() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rb"))
        .args(["dump", &scene("stack"), "--step", "30"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    drop(child.stdout.take());
    let out = child.wait_with_output().expect("ends");
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!((out.status.code(), said.as_ref()), (Some(0), ""));
}
