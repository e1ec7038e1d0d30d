//! Cases of `data/analytic.json`: expected numbers and tolerances are read from there, by id.

use serde_json::Value;

const FILE: &str = include_str!("../data/analytic.json");

/// One entry of the file.
pub(crate) struct Case {
    id: &'static str,
    entry: Value,
}

impl Case {
    /// The entry of an id.
    pub(crate) fn new(id: &'static str) -> Self {
        let all: Vec<Value> = serde_json::from_str(FILE).unwrap();
        let entry = all.into_iter().find(|e| e["id"] == id);
        let entry = entry.unwrap_or_else(|| panic!("no case {id}"));
        Self { id, entry }
    }

    /// Expected number at a path such as `/sphere/a`.
    pub(crate) fn expected(&self, path: &str) -> f64 {
        let number = self.entry["expected"].pointer(path).and_then(Value::as_f64);
        number.unwrap_or_else(|| panic!("{}: no number at {path}", self.id))
    }

    /// Expected numbers of a list.
    pub(crate) fn list(&self, path: &str) -> Vec<f64> {
        let list = self.entry["expected"]
            .pointer(path)
            .and_then(Value::as_array);
        let list = list.unwrap_or_else(|| panic!("{}: no list at {path}", self.id));
        list.iter().map(|x| x.as_f64().unwrap()).collect()
    }

    /// The number that begins `text`, which the entry's tolerance must contain; per cent as a share.
    pub(crate) fn tolerance(&self, text: &str) -> f64 {
        let given = self.entry["tolerance"].as_str().unwrap();
        assert!(
            given.contains(text),
            "{}: {text} is not in \"{given}\"",
            self.id
        );
        let digit = |c: char| c.is_ascii_digit() || ".e+-".contains(c);
        let number: f64 = text[..text.find(|c| !digit(c)).unwrap_or(text.len())]
            .parse()
            .unwrap();
        if text.ends_with('%') {
            number / 100.0
        } else {
            number
        }
    }

    /// Asserts that `value` is `wanted` within the part `tolerance` of the entry's tolerance: a share
    /// of `wanted` if it is in per cent, an absolute error otherwise.
    #[track_caller]
    pub(crate) fn check(&self, what: &str, value: f64, wanted: f64, tolerance: &str) {
        let allowed = self.tolerance(tolerance);
        let relative = tolerance.ends_with('%');
        let scale = if relative { wanted.abs() } else { 1.0 };
        self.within(what, value, wanted, allowed * scale);
    }

    /// Asserts |value − wanted| ≤ allowed.
    #[track_caller]
    pub(crate) fn within(&self, what: &str, value: f64, wanted: f64, allowed: f64) {
        let error = (value - wanted).abs();
        let id = self.id;
        println!(
            "{id:26} {what:38} {value:>16.9} expected {wanted:>16.9} error {error:.1e} of {allowed:.1e}"
        );
        assert!(error <= allowed, "{id}, {what}: {value} is not {wanted}");
    }

    /// Asserts value < bound.
    #[track_caller]
    pub(crate) fn below(&self, what: &str, value: f64, bound: f64) {
        let id = self.id;
        println!("{id:26} {what:38} {value:>16.3e} must be below {bound:.1e}");
        assert!(value < bound, "{id}, {what}: {value} is not below {bound}");
    }

    /// Asserts value > bound.
    #[track_caller]
    pub(crate) fn above(&self, what: &str, value: f64, bound: f64) {
        let id = self.id;
        println!("{id:26} {what:38} {value:>16.3e} must be above {bound:.1e}");
        assert!(value > bound, "{id}, {what}: {value} is not above {bound}");
    }

    /// Prints a figure that is not asserted.
    pub(crate) fn note(&self, what: &str, value: f64) {
        println!("{:26} {what:48} {value:>16.6e} (for information)", self.id);
    }
}
