//! Steps a world as the command line says.

use crate::summary::Summary;
use anyhow::{Context, ensure};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use rb_scenes::Recorder;
use rb_world::prelude::*;
use std::path::PathBuf;
use std::time::Instant;

/// Length of a step (s).
pub const DT: f64 = 1.0 / 60.0;

/// Command line of every example.
#[derive(Clone, Debug, Parser)]
pub struct Args {
    /// Steps of 1/60 s instead of the example's own number.
    #[arg(long)]
    pub steps: Option<usize>,
    /// Threads, the calling one included; 0 takes one per core. The result is the same.
    #[arg(long, default_value_t = 0)]
    pub threads: usize,
    /// Records the run into one page that plays in any browser.
    #[arg(long, value_name = "FILE.html")]
    pub out: Option<PathBuf>,
}

/// A run of an example.
#[derive(Debug)]
pub struct Run {
    title: &'static str,
    full: usize,
    steps: usize,
    args: Args,
}

impl Run {
    /// A run of `full` steps unless the command line says otherwise.
    ///
    /// Ends the process with a message if the command line cannot be understood.
    pub fn from_args(title: &'static str, full: usize) -> Self {
        let args = Args::parse();
        let steps = args.steps.unwrap_or(full);
        Self {
            title,
            full,
            steps,
            args,
        }
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Steps the world to the end and prints the summary.
    ///
    /// # Errors
    /// As [`play_with`](Self::play_with).
    pub fn play(&self, world: &mut World) -> anyhow::Result<()> {
        self.play_with(world, |_, _| Ok(()))
    }

    /// Steps the world to the end, calling `each` with the number of the step, from 0, before it;
    /// prints the summary.
    ///
    /// # Errors
    /// What `each` returns; a recording that cannot be written.
    pub fn play_with(
        &self,
        world: &mut World,
        mut each: impl FnMut(&mut World, usize) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        world.set_threads(self.args.threads)?;
        let mut recorder = self.args.out.is_some().then(|| Recorder::new(self.title));
        let mut summary = Summary::default();
        let bar = self.progress_bar();
        for step in 0..self.steps {
            each(world, step)?;
            let started = Instant::now();
            let report = world.step(DT)?;
            let seconds = started.elapsed().as_secs_f64();
            summary.add(&report, seconds);
            if let Some(recorder) = &mut recorder {
                recorder.record(world, seconds)?;
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        println!("{}\n{summary}", self.title);
        if let (Some(path), Some(recorder)) = (&self.args.out, recorder) {
            recorder
                .write(path)
                .with_context(|| path.display().to_string())?;
            println!("recorded into {}", path.display());
        }
        Ok(())
    }

    /// Fails with `what` unless it holds; says nothing about a run cut short by `--steps`.
    ///
    /// # Errors
    /// `holds` is false after a full run.
    pub fn expect(&self, holds: bool, what: &str) -> anyhow::Result<()> {
        ensure!(
            holds || self.steps < self.full,
            "{}: expected {what}",
            self.title
        );
        Ok(())
    }

    fn progress_bar(&self) -> ProgressBar {
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {eta} left");
        let bar = ProgressBar::new(self.steps as u64);
        match style {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }
    }
}
