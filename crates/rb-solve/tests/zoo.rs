//! The collection of stored problems, through every solver that claims their law.
//!
//! Prints one table per set; run with `--nocapture` to see them. The judge is always the residual.

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

fn run(method: Method, name: &str, p: &BoxedLcp, solvable: bool) -> bool {
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
    println!(
        "{name:42} {:4} {:8} {:8} {:>9.1e} {:>7} {seconds:>9.6} {}",
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
        let mut solved = Vec::new();
        for (name, text, json) in &problems {
            let Model::Boxed(p) = formats::parse(text).expect("well-formed").model;
            if run(method, name, &p, solvable(json)) {
                solved.push(name);
            }
        }
        println!(
            "{}: {} of {}\n",
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
