//! Running the command, and the scenes that ship.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs `rb ARGS` with a standard input: exit status and standard output.
pub(crate) fn rb(args: &[&str], input: &str) -> (i32, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rb"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut stdin = child.stdin.take().expect("piped");
    // A command that refuses its arguments does not read.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let out = child.wait_with_output().expect("ends");
    let text = String::from_utf8(out.stdout).expect("text");
    (out.status.code().expect("no signal"), text)
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/scenes")
}

/// Path of a scene that ships.
pub(crate) fn scene(name: &str) -> String {
    let path = folder().join(name).with_extension("json");
    path.display().to_string()
}

/// Paths of all scenes that ship.
pub(crate) fn scenes() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).expect("they ship");
    let mut all: Vec<String> = entries
        .map(|e| e.expect("readable").path().display().to_string())
        .collect();
    all.sort();
    all
}
