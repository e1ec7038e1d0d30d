//! The table: Markdown that is readable as it stands.

use crate::line::Line;
use crate::run::Setup;

/// Heads of the columns; the first two are aligned left.
const COLUMNS: [&str; 13] = [
    "scene", "engine", "ms mean", "median", "first", "ratio", "deepest", "mean", "joints", "sag",
    "moved", "energy", "lost",
];
const WIDTHS: [usize; 13] = [18, 7, 7, 7, 7, 6, 8, 7, 7, 8, 9, 8, 4];
const LEFT: usize = 2;

/// Prints how the engines are set, and the head of the table.
pub(crate) fn print_head(setup: &Setup) {
    for engine in &setup.engines {
        println!("{}: {}", engine.name(), engine.settings());
    }
    println!(
        "threads: {}; {}, least of each step over {} repeats; built {}",
        setup.threads,
        setup.clock().name(),
        setup.reps,
        instructions(),
    );
    println!("ms per step of 1/60 s, ratio to the fastest peer; depths, joints, sag, moved in mm");
    println!();
    println!("{}", row(COLUMNS.map(String::from)));
    let rule = |i: usize| match WIDTHS[i] {
        width if i < LEFT => "-".repeat(width),
        width => format!("{}:", "-".repeat(width - 1)),
    };
    println!("{}", row(std::array::from_fn(rule)));
}

/// Prints one row for each engine.
pub(crate) fn print_rows(lines: &[Line]) {
    for line in lines {
        println!("{}", row(cells(line)));
    }
}

/// What is doubtful about a line, if anything.
pub(crate) fn remark(line: &Line) -> Option<String> {
    let mut remarks = Vec::new();
    if !line.repeatable {
        remarks.push("repeats differ, so times are of different work".to_owned());
    }
    if line.quality.doubtful > 0 {
        let count = line.quality.doubtful;
        remarks.push(format!(
            "the referee left out {count} pairs it could not judge"
        ));
    }
    let place = format!("{} {}, {}", line.scene, line.size, line.engine);
    (!remarks.is_empty()).then(|| format!("{place}: {}", remarks.join("; ")))
}

fn cells(line: &Line) -> [String; 13] {
    let (ms, quality) = (&line.ms, &line.quality);
    let fell = if quality.stands == Some(false) {
        "!"
    } else {
        ""
    };
    let sag = match quality.chain_sag_pct {
        Some(percent) => format!("{} %", digits(percent)),
        None => optional(quality.sag_mm),
    };
    [
        format!("{} {}", line.scene, line.size),
        line.engine.to_owned(),
        digits(ms.mean),
        digits(ms.median),
        digits(ms.first),
        line.ratio.map_or("-".into(), |ratio| format!("{ratio:.2}")),
        digits(quality.deepest_mm),
        digits(quality.mean_depth_mm),
        optional(quality.joint_separation_mm),
        sag,
        optional(quality.displacement_mm) + fell,
        quality
            .energy_drift_pct
            .map_or("-".into(), |percent| format!("{} %", digits(percent))),
        quality.lost.to_string(),
    ]
}

fn row(cells: [String; 13]) -> String {
    let pad = |(i, cell): (usize, String)| {
        let width = WIDTHS[i];
        match i < LEFT {
            true => format!(" {cell:<width$} |"),
            false => format!(" {cell:>width$} |"),
        }
    };
    let cells: String = cells.into_iter().enumerate().map(pad).collect();
    format!("|{cells}")
}

fn optional(value: Option<f64>) -> String {
    value.map_or("-".into(), digits)
}

/// Three significant digits, no exponent; below a thousandth it is 0.
fn digits(value: f64) -> String {
    match value.abs() {
        a if a < 5e-4 => "0".into(),
        a if a < 0.9995 => format!("{value:.3}"),
        a if a < 9.995 => format!("{value:.2}"),
        a if a < 99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// Instructions the compiler could count on.
fn instructions() -> &'static str {
    match (cfg!(target_feature = "avx2"), cfg!(target_feature = "fma")) {
        (true, true) => "for AVX2 and FMA",
        (true, false) => "for AVX2",
        _ => "for the target's baseline: on x86-64 start cargo in benches/peers",
    }
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn three_digits_remain() {
        let texts = [0.0, 0.04567, -0.5, 4.567, 45.67, 456.7, 45678.0].map(digits);
        let expected = ["0", "0.046", "-0.500", "4.57", "45.7", "457", "45678"];
        assert_eq!(texts, expected);
    }

    #[test]
    fn nonsense_shows() {
        assert_eq!([f64::NAN, f64::INFINITY].map(digits), ["NaN", "inf"]);
    }
}
