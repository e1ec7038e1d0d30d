//! Malformed input: no panic, no hang, and one of the documented exit statuses.
//!
//! Valid scenes and problems are damaged, byte by byte and as JSON, and given to the command. A few
//! hundred of them by default; `RB_FUZZ_SECONDS=600` goes on for that long, `RB_FUZZ_SEED` starts
//! elsewhere.

mod common;

use common::{rb, scene, scenes};
use rb_scenes::Random;
use serde_json::{Value, json};
use std::fs::File;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Cases without `RB_FUZZ_SECONDS`.
const CASES: u64 = 300;
/// A case that takes longer hangs: all of them are done in well under a second on an idle machine.
const HANG: Duration = Duration::from_secs(120);

/// What is damaged, and the command that reads it.
struct Base {
    text: String,
    args: Vec<&'static str>,
}

fn bases() -> Vec<Base> {
    let base = |text: String, args: &[&'static str]| Base {
        text,
        args: args.to_vec(),
    };
    let mut all = Vec::new();
    for path in scenes() {
        let text = std::fs::read_to_string(path).expect("ships");
        all.push(base(text.clone(), &["run", "-", "--steps", "3", "--json"]));
        all.push(base(text, &["dump", "-", "--step", "2"]));
    }
    let eye = json!({"rows": 3, "cols": 3, "i": [0, 1, 2], "j": [0, 1, 2], "v": [1, 1, 1]});
    let flat = json!({"rows": 2, "cols": 2, "i": [0, 1], "j": [0, 1], "v": [2, 1]});
    let problems = [
        json!({"type": "lcp", "n": 2, "M": [[2, 1], [1, 2]], "q": [-4, -1]}),
        json!({"type": "boxed_lcp", "n": 2, "M": [[2, 1], [1, 2]], "q": [-4, -1], "lo": [-1, "-inf"], "hi": [1, "inf"]}),
        json!({"type": "fc3d_local", "dim": 3, "nc": 1, "mu": [0.5], "q": [-1, 2, 0], "W": eye}),
        json!({"type": "fc2d_local", "dim": 2, "nc": 1, "mu": [0.5], "q": [-1, 2], "W": flat}),
        json!({"type": "fc3d_global", "dim": 3, "nc": 1, "mu": [0.5], "M": eye, "H": eye, "f": [-1, 2, 0], "w": [0, 0, 0]}),
    ];
    let solve = ["solve", "-", "--json"];
    all.extend(problems.map(|p| base(p.to_string(), &solve)));
    for (name, step) in [("arm", "300"), ("gears", "20"), ("ragdoll", "70")] {
        let args = ["dump", &scene(name), "--step", step, "--format", "island"];
        let (code, text) = rb(&args, "");
        assert_eq!(code, 0);
        all.push(base(text, &solve));
    }
    all
}

fn pick(random: &mut Random, n: usize) -> usize {
    ((f64::from(random.unit()) * n as f64) as usize).min(n.saturating_sub(1))
}

/// What no field expects, or every field expects somewhere else.
fn stranger(random: &mut Random) -> Value {
    let mut deep = json!(1);
    for _ in 0..100 {
        deep = json!([deep]);
    }
    let all = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(-0.5),
        json!(1e308),
        json!(-1e308),
        json!(1e-308),
        json!(1e12),
        json!(4294967296u64),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(""),
        json!("NaN"),
        json!("inf"),
        json!("no such name"),
        json!("\u{0}\u{ffff}"),
        json!([]),
        json!([0, 0, 0]),
        json!({}),
        json!({"unknown": 1}),
        deep,
    ];
    all[pick(random, all.len())].clone()
}

/// Number of values within a value, itself included.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(size).sum(),
        Value::Object(map) => map.values().map(size).sum(),
        _ => 0,
    }
}

/// The value with a number, in the order of [`size`].
fn nth(value: &mut Value, n: usize) -> Option<&mut Value> {
    if n == 0 {
        return Some(value);
    }
    let mut left = n - 1;
    let inner: Vec<&mut Value> = match value {
        Value::Array(list) => list.iter_mut().collect(),
        Value::Object(map) => map.values_mut().collect(),
        _ => return None,
    };
    for value in inner {
        let own = size(value);
        if left < own {
            return nth(value, left);
        }
        left -= own;
    }
    None
}

/// Where a value holds numbers, in the order of [`size`].
fn numbers(root: &Value) -> Vec<usize> {
    let mut copy = root.clone();
    let all = 0..size(root);
    all.filter(|&n| nth(&mut copy, n).is_some_and(|v| v.is_number()))
        .collect()
}

/// Scales one number: damage that changes the physics and not the form.
fn damage_number(root: &mut Value, random: &mut Random) {
    let all = numbers(root);
    let sign = if random.unit() < 0.3 { -1.0 } else { 1.0 };
    let exponent = pick(random, 25) as i32 - 12;
    let chosen = all.get(pick(random, all.len())).copied();
    let Some(place) = chosen.and_then(|n| nth(root, n)) else {
        return;
    };
    let scaled = place.as_f64().unwrap_or_default() * sign * 10f64.powi(exponent);
    *place = match random.unit() {
        u if u < 0.2 => json!(0),
        u if u < 0.6 && scaled.abs() < 1e9 => json!(scaled.round() as i64),
        _ => json!(scaled),
    };
}

/// Damages a value somewhere.
fn damage_value(root: &mut Value, random: &mut Random) {
    let other = {
        let n = pick(random, size(root));
        nth(root, n).cloned().unwrap_or_default()
    };
    let n = pick(random, size(root));
    let stranger = stranger(random);
    let choice = pick(random, 5);
    let at = pick(random, 1 << 20);
    let Some(place) = nth(root, n) else { return };
    match (choice, &mut *place) {
        (0, Value::Object(map)) if !map.is_empty() => {
            let key = map.keys().nth(at % map.len()).cloned();
            let value = key.as_ref().and_then(|k| map.remove(k));
            map.insert("misspelt".into(), value.unwrap_or_default());
        }
        (1, Value::Object(map)) if !map.is_empty() => {
            let key = map.keys().nth(at % map.len()).cloned();
            key.and_then(|k| map.remove(&k));
        }
        (1, Value::Array(list)) if !list.is_empty() => {
            list.remove(at % list.len());
        }
        (2, Value::Array(list)) => {
            let again = list.clone();
            list.extend(again);
        }
        (3, _) => *place = other,
        _ => *place = stranger,
    }
}

/// Damages text somewhere.
fn damage_text(text: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    let at = pick(random, bytes.len());
    let to = at + pick(random, bytes.len() - at);
    match pick(random, 6) {
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 1 << pick(random, 8),
        2 => {
            bytes.drain(at..to);
        }
        3 => {
            let again = bytes[at..to].to_vec();
            bytes.splice(at..at, again);
        }
        4 => {
            bytes.splice(at..at, std::iter::repeat_n(b'[', 100_000));
        }
        _ => {
            let digit = |b: &u8| b.is_ascii_digit();
            if let Some(k) = bytes[at..].iter().position(digit) {
                let strange: [&[u8]; 5] = [
                    b"1e999",
                    b"-1e400",
                    b"NaN",
                    b"0x10",
                    b"99999999999999999999",
                ];
                let new = strange[pick(random, strange.len())].iter().copied();
                bytes.splice(at + k..=at + k, new);
            }
        }
    }
    bytes
}

fn damaged(base: &Base, random: &mut Random) -> Vec<u8> {
    if random.unit() < 0.2 {
        return damage_text(&base.text, random);
    }
    let mut value: Value = serde_json::from_str(&base.text).expect("the base is valid");
    let shapes = random.unit() < 0.5;
    for _ in 0..=pick(random, 3) {
        if shapes {
            damage_value(&mut value, random);
        } else {
            damage_number(&mut value, random);
        }
    }
    value.to_string().into_bytes()
}

/// Runs the command; its status, if it ends by itself, and what it said about it.
fn outcome(args: &[&str], input: &[u8]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let errors = folder.path().join("stderr");
    let mut child = Command::new(env!("CARGO_BIN_EXE_rb"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(File::create(&errors).expect("a file"))
        .spawn()
        .expect("starts");
    let mut stdin = child.stdin.take().expect("piped");
    // A command may end before it has read everything.
    let _ = stdin.write_all(input);
    drop(stdin);
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child") {
            break status.code();
        }
        if started.elapsed() > HANG {
            child.kill().expect("a child");
            child.wait().expect("a child");
            return (None, "hangs".into());
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    (status, std::fs::read_to_string(errors).unwrap_or_default())
}

#[test]
fn damaged_files_end_with_a_documented_status() {
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let seconds = number("RB_FUZZ_SECONDS").map(Duration::from_secs);
    let mut random = Random::new(number("RB_FUZZ_SEED").unwrap_or(1) as u32);
    let bases = bases();
    let started = Instant::now();
    let mut counts = [0u64; 4];
    let mut case = 0;
    while seconds.map_or(case < CASES, |most| started.elapsed() < most) {
        let base = &bases[pick(&mut random, bases.len())];
        let input = damaged(base, &mut random);
        let (status, said) = outcome(&base.args, &input);
        let documented = matches!(status, Some(0 | 2 | 3)) && !said.contains("panicked");
        if !documented {
            let path = std::env::temp_dir().join(format!("rb_fuzz_{case}.json"));
            std::fs::write(&path, &input).expect("written");
            panic!("{:?} < {}: {status:?} {said}", base.args, path.display());
        }
        counts[status.unwrap_or_default() as usize] += 1;
        case += 1;
    }
    println!(
        "{case} cases: {} ran, {} unmet, {} malformed",
        counts[0], counts[2], counts[3]
    );
    // Damage that nobody notices would test nothing, and neither would damage that spoils everything.
    assert!(case > 0 && counts[3] > case / 5 && counts[0] > case / 5);
}
