//! The collection of stored problems, through every solver that claims their law.
//!
//! Prints one table per set; run with `--nocapture` to see them. The judge is always the residual.

use rb_solve::conic::{self, FrictionLaw, FrictionProblem, Residual};
use rb_solve::formats::{self, Model};
use rb_solve::lcp::{BoxedLcp, Method};
use std::path::Path;
use std::time::Instant;

/// Name, text and parsed JSON of every file of a set, by name.
fn set(folder: &str) -> Vec<(String, String, serde_json::Value)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../assets/problems")
        .join(folder);
    let mut files: Vec<_> = std::fs::read_dir(&root)
        .expect("the collection is part of the repository")
        .map(|e| e.expect("readable").path())
        .filter(|p| p.extension().is_some_and(|e| e == "json"))
        .collect();
    files.sort();
    let load = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("readable");
        let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        (
            json["name"].as_str().expect("a name").to_owned(),
            text,
            json,
        )
    };
    files.iter().map(load).collect()
}

/// The collection's own pass mark.
fn tolerance(name: &str) -> f64 {
    if name.contains("cond12") { 1e-6 } else { 1e-9 }
}

/// Files without a solution; every solver has to say so.
fn solvable(json: &serde_json::Value) -> bool {
    json["status"]
        .as_str()
        .is_some_and(|s| s.starts_with("solvable"))
}

/// Solves one problem, adds its line to the table and says whether it is solved.
fn run(table: &mut String, method: Method, name: &str, p: &BoxedLcp, solvable: bool) -> bool {
    let clock = Instant::now();
    let attempt = method.solve(p);
    let seconds = clock.elapsed().as_secs_f64();
    let grade = p.residual(&attempt.z);
    assert!(
        attempt.z.iter().all(|v| v.is_finite()),
        "{name}: {attempt:?}"
    );
    let solved = grade.relative <= tolerance(name);
    assert!(solvable || !solved, "{name} has no solution");
    *table += &format!(
        "{name:42} {:4} {:8} {:8} {:>9.1e} {:>7} {seconds:>9.6} {}\n",
        p.len(),
        method.name(),
        attempt.solver,
        grade.relative,
        attempt.iterations,
        if solved { "solved" } else { "-" },
    );
    solved
}

#[test]
fn boxed_problems() {
    let problems = set("lcp");
    assert_eq!(problems.len(), 77);
    for method in Method::ALL {
        let (mut solved, mut table) = (Vec::new(), String::new());
        for (name, text, json) in &problems {
            let Model::Boxed(p) = formats::parse(text).expect("well-formed").model else {
                panic!("{name} is not boxed");
            };
            if run(&mut table, method, name, &p, solvable(json)) {
                solved.push(name);
            }
        }
        println!(
            "{table}{}: {} of {}\n",
            method.name(),
            solved.len(),
            problems.len()
        );
        if method == Method::Auto {
            let unsolved: Vec<_> = problems
                .iter()
                .filter(|(name, _, json)| solvable(json) && !solved.contains(&name))
                .map(|(name, ..)| name)
                .collect();
            assert!(unsolved.is_empty(), "{unsolved:?}");
        }
    }
}

/// One friction problem through one method: residual, stage, iterations, seconds.
struct Run {
    residual: Residual,
    stage: &'static str,
    iterations: u32,
    seconds: f64,
}

fn run_friction(method: conic::Method, model: &Model, law: FrictionLaw) -> (Run, FrictionProblem) {
    let clock = Instant::now();
    let timed = |p: &FrictionProblem| {
        let attempt = method.solve(p, law);
        (attempt, clock.elapsed().as_secs_f64())
    };
    let (attempt, seconds, residual, problem) = match model {
        Model::Boxed(_) | Model::Island(_) => panic!("not a friction problem"),
        Model::Friction { problem, .. } => {
            let (attempt, seconds) = timed(problem);
            let residual = problem.residual(&attempt.r, law);
            (attempt, seconds, residual, problem.clone())
        }
        Model::GlobalFriction(global) => {
            let condensed = global.condense().expect("a regular mass matrix");
            let (attempt, seconds) = timed(&condensed.problem);
            let v = global.velocities(&condensed, &attempt.r);
            let residual = global.residual(&condensed.problem, &v, &attempt.r, law);
            (attempt, seconds, residual, condensed.problem)
        }
    };
    let run = Run {
        residual,
        stage: attempt.solver,
        iterations: attempt.iterations,
        seconds,
    };
    (run, problem)
}

/// Solves a set; prints its table and returns the names of what is unsolved.
fn friction_set(folder: &str, method: conic::Method, law: FrictionLaw) -> Vec<String> {
    let (mut solved, mut unsolved, mut table) = (0, Vec::new(), String::new());
    for (name, text, json) in set(folder) {
        let model = formats::parse(&text).expect("well-formed").model;
        let (run, problem) = run_friction(method, &model, law);
        let dim = json["dim"].as_u64().expect("dim") as usize;
        let full = json["W_info"]["rank_1e12"].as_u64() == Some((dim * problem.len()) as u64);
        let ok = run.residual.meets(if full { 1e-10 } else { 1e-8 });
        let reference = json["reference"]["residuals"]["natural_map_scaled_over_r"].as_f64();
        table += &format!(
            "{name:32} {:4} {:5} {:14} scaled {:>8.1e} relative {:>8.1e} cone {:>8.1e} {:>6} \
             {:>9.5} s reference {:>8.1e} {}\n",
            problem.len(),
            method.name(),
            run.stage,
            run.residual.scaled,
            run.residual.relative,
            run.residual.cone,
            run.iterations,
            run.seconds,
            reference.unwrap_or(f64::NAN),
            if ok { "solved" } else { "-" },
        );
        if ok {
            solved += 1;
        } else {
            unsolved.push(name);
        }
    }
    let all = solved + unsolved.len();
    println!(
        "{table}{folder} {} {}: {solved} of {all}\n",
        method.name(),
        law.name()
    );
    unsolved
}

#[test]
fn friction_problems() {
    for method in conic::Method::ALL {
        for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
            for folder in ["fc3d", "gfc3d"] {
                let unsolved = friction_set(folder, method, law);
                let may_fail = method == conic::Method::Sweep;
                assert!(
                    may_fail || unsolved.is_empty(),
                    "{method:?} {law:?} {unsolved:?}"
                );
            }
        }
    }
}

/// Weighed like an impulse, the velocity of a contact that slides at 1e-10 m/s is nothing beside the friction
/// it has left, and Newton's method takes it for one that sticks: these were left at 3e-10 and more.
#[test]
fn contacts_at_a_crawl_are_told_from_those_that_stick() {
    let mut count = 0;
    for (name, text, _) in set("gfc3d") {
        if !name.starts_with("stack_at_a_crawl") {
            continue;
        }
        let model = formats::parse(&text).expect("well-formed").model;
        let (run, _) = run_friction(conic::Method::Auto, &model, FrictionLaw::Coulomb);
        println!(
            "{name}: {:.1e} after {}",
            run.residual.scaled, run.iterations
        );
        assert!(run.residual.scaled <= 1e-11, "{name}: {:?}", run.residual);
        count += 1;
    }
    assert_eq!(count, 3);
}
