//! The command line from outside: exit statuses, JSON and paths of faults.

use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

/// Runs `rb solve - ARGS` on the text: exit status and JSON output.
fn solve(text: &str, args: &[&str]) -> (i32, Value) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rb"))
        .args(["solve", "-", "--json"])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(text.as_bytes()).expect("reads");
    drop(stdin);
    let out = child.wait_with_output().expect("ends");
    let json = serde_json::from_slice(&out.stdout).expect("one JSON object");
    (out.status.code().expect("exits"), json)
}

fn contact() -> Value {
    // A unit mass on the floor, pushed sideways beyond friction: r = (1, −0.5, 0), u_t = 1.5.
    let eye = json!({"rows": 3, "cols": 3, "i": [0, 1, 2], "j": [0, 1, 2], "v": [1, 1, 1]});
    json!({"type": "fc3d_local", "dim": 3, "nc": 1, "mu": [0.5], "q": [-1, 2, 0], "W": eye})
}

fn near(found: &Value, expected: &[f64]) {
    let found: Vec<f64> = serde_json::from_value(found.clone()).expect("numbers");
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() < 1e-12, "{found:?}");
    }
}

#[test]
fn every_solver_solves_a_coupled_box() {
    let text = json!({"type": "boxed_lcp", "n": 2, "M": [[2, 1], [1, 2]], "q": [-4, -1],
        "lo": [-1, -1], "hi": [1, 1]});
    for solver in ["auto", "pgs", "lemke", "lemke4", "pivot", "newton"] {
        let (code, out) = solve(&text.to_string(), &["--solver", solver]);
        assert_eq!((code, &out["status"]), (0, &json!("solved")), "{solver}");
        near(&out["z"], &[1.0, 0.0]);
    }
    assert_eq!(solve(&text.to_string(), &["--solver", "conic"]).0, 2);
}

#[test]
fn friction_laws_differ_where_a_contact_slides() {
    let text = contact().to_string();
    for solver in ["auto", "pgs", "conic"] {
        let (code, out) = solve(&text, &["--solver", solver]);
        assert_eq!(code, 0, "{solver}: {out}");
        near(&out["r"], &[1.0, -0.5, 0.0]);
        let (code, out) = solve(
            &text,
            &["--solver", solver, "--law", "convex", "--tol", "1e-8"],
        );
        assert_eq!((code, &out["law"]), (0, &json!("convex")), "{out}");
        // u_n = μ u_t: r_n = 1 + μ u_t with u_t = 2 − μ r_n.
        assert!(
            (out["r"][0].as_f64().expect("number") - 1.6).abs() < 1e-7,
            "{out}"
        );
    }
    assert_eq!(
        solve(&text, &["--solver", "lemke"]).1["status"],
        "unsupported"
    );
}

#[test]
fn a_problem_without_solution_is_reported_with_its_ray() {
    let text = json!({"type": "lcp", "n": 1, "M": [[0]], "q": [-1]}).to_string();
    let (code, out) = solve(&text, &[]);
    assert_eq!((code, &out["status"]), (2, &json!("no_solution")));
    assert_eq!(out["ray"], json!([1.0]));
}

#[test]
fn an_answer_is_only_as_good_as_the_tolerance_asked_for() {
    let text = json!({"type": "lcp", "n": 1, "M": [[3]], "q": [-1]}).to_string();
    assert_eq!(solve(&text, &["--tol", "0"]).0, 2);
    assert_eq!(solve(&text, &[]).0, 0);
}

#[test]
fn a_small_file_cannot_ask_for_all_memory() {
    let n = 100_000;
    let nothing: [f64; 0] = [];
    let side = 3 * n;
    let empty = json!({"rows": side, "cols": side, "i": nothing, "j": nothing, "v": nothing});
    let text = json!({"type": "fc3d_local", "dim": 3, "nc": n, "mu": vec![0.5; n],
        "q": vec![0.0; side], "W": empty});
    let (code, out) = solve(&text.to_string(), &[]);
    assert_eq!((code, &out["path"]), (3, &json!("nc")), "{out}");
}

#[test]
fn faults_are_named_by_their_path() {
    let mut wrong = contact();
    wrong["W"]["i"][1] = json!(7);
    let cases = [
        ("{", "."),
        (r#"{"type": "knot"}"#, "type"),
        (
            r#"{"type": "lcp", "n": 1, "M": [["x"]], "q": [0]}"#,
            "M[0][0]",
        ),
        (
            r#"{"type": "lcp", "n": 2, "M": [[1, 0], [1]], "q": [0, 0]}"#,
            "M[1]",
        ),
        (
            r#"{"type": "boxed_lcp", "n": 1, "M": [[1]], "q": [0], "lo": [1], "hi": [0]}"#,
            "lo[0]",
        ),
        (
            r#"{"type": "boxed_lcp", "n": 1, "M": [[1]], "q": [0], "lo": ["x"], "hi": [0]}"#,
            "lo[0]",
        ),
        (&wrong.to_string(), "W.i[1]"),
        (
            r#"{"type": "island", "bodies": [], "blocks": [{"bodies": [0, 1], "rows": []}]}"#,
            "blocks[0].bodies",
        ),
        (
            r#"{"type": "island", "bodies": [{"inv_mass": [-1, 1, 1]}], "blocks": []}"#,
            "bodies[0].inv_mass",
        ),
        (
            r#"{"type": "island", "bodies": [{"inv_inertia": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]}], "blocks": []}"#,
            "bodies[0].inv_inertia",
        ),
        (
            r#"{"type": "island", "bodies": [{}, {}], "blocks": [{"bodies": [0, 1], "law": {"cone": {"mu": 1}}, "rows": [{"jac": [[0,0,0,0,0,0],[0,0,0,0,0,0]]}]}]}"#,
            "blocks[0].rows",
        ),
        (
            r#"{"type": "island", "bodies": [{"inv_mass": [1, 1, 1]}, {}], "blocks": [{"bodies": [0, 1], "rows": [{"jac": [[1,0,0,0,0,0],[0,0,0,0,0,0]], "lo": 1, "hi": 0}]}]}"#,
            "blocks[0].rows[0].lo",
        ),
    ];
    for (text, path) in cases {
        let (code, out) = solve(text, &[]);
        assert_eq!((code, &out["path"]), (3, &json!(path)), "{text}: {out}");
    }
}
