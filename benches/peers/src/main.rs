//! The benchmark scenes on rb and on other engines, side by side, judged by one referee.
//! `README.md` says what is measured and how to read it.

mod clock;
mod engines;
mod line;
mod referee;
mod run;
mod table;

use anyhow::ensure;
use clap::{Parser, ValueEnum};
use engines::Engine;
use indicatif::{ProgressBar, ProgressStyle};
use line::Line;
use rb_scenes::Case;
use referee::Referee;
use run::Setup;

/// Speed and quality of rb and its peers in the same scenes.
#[derive(Debug, Parser)]
struct Args {
    /// Scene, with its size if it is not the usual one; may be given several times.
    #[arg(long, value_name = "NAME[=SIZE]")]
    scene: Vec<Case>,
    /// Engines, separated by commas; all of this build otherwise.
    #[arg(long, value_enum, value_delimiter = ',')]
    engines: Vec<Engine>,
    /// Steps of 1/60 s instead of the scene's own number.
    #[arg(long)]
    steps: Option<usize>,
    /// Threads, the calling one included.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Repeats, of which the least time of each step counts.
    #[arg(long, default_value_t = 3)]
    reps: usize,
    /// Prints one JSON line for each scene and engine instead of the table.
    #[arg(long)]
    json: bool,
}

impl Args {
    fn setup(&self) -> anyhow::Result<Setup> {
        ensure!(self.threads > 0, "--threads must be at least 1");
        ensure!(self.reps > 0, "--reps must be at least 1");
        let enough = self.steps.is_none_or(|n| n > 1);
        ensure!(enough, "--steps must be at least 2: the first is apart");
        let engines = match self.engines.is_empty() {
            true => Engine::value_variants().to_vec(),
            false => self.engines.clone(),
        };
        Ok(Setup {
            engines,
            threads: self.threads,
            steps: self.steps,
            reps: self.reps,
        })
    }
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let setup = args.setup()?;
    let cases = match args.scene.is_empty() {
        true => Case::usual().collect::<Vec<_>>(),
        false => args.scene,
    };
    let bar = progress((cases.len() * setup.reps * setup.engines.len()) as u64)?;
    if !args.json {
        bar.suspend(|| table::print_head(&setup));
    }
    let mut remarks = Vec::new();
    for case in cases {
        let lines = judged(&setup, case, &bar)?;
        bar.suspend(|| match args.json {
            true => lines.iter().try_for_each(print_json),
            false => {
                table::print_rows(&lines);
                Ok(())
            }
        })?;
        remarks.extend(lines.iter().filter_map(table::remark));
    }
    bar.finish_and_clear();
    remarks.iter().for_each(|remark| eprintln!("{remark}"));
    Ok(())
}

/// Runs all engines in a case and judges their last states.
fn judged(setup: &Setup, case: Case, bar: &ProgressBar) -> anyhow::Result<Vec<Line>> {
    let scene = case.scene.build(case.size);
    let referee = Referee::new(&scene)?;
    let runs = run::compare(setup, &scene, |engine| {
        bar.set_message(format!("{} {}: {}", scene.name, scene.size, engine.name()));
        bar.inc(1);
    })?;
    let judge = |run: &run::Run| referee.judge(&run.states);
    Ok(line::lines(setup, &scene, runs, judge))
}

fn print_json(line: &Line) -> anyhow::Result<()> {
    println!("{}", serde_json::to_string(line)?);
    Ok(())
}

/// A bar that is drawn between runs only: nothing ticks while an engine is under the clock.
fn progress(runs: u64) -> anyhow::Result<ProgressBar> {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}")?;
    Ok(ProgressBar::new(runs).with_style(style))
}
