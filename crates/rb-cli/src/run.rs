//! `rb run`: steps a scene and says how right each step was.

use crate::poses::Poses;
use crate::report::Report;
use crate::scene::{Scene, SceneArgs, unwritten};
use crate::steps::{StepLog, Summary};
use clap::Args;
use rb_scenes::Recorder;
use rb_scenes::file::{InputError, check_steps};
use rb_world::prelude::*;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Arguments of `rb run`.
#[derive(Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Steps instead of the file's number.
    #[arg(long)]
    steps: Option<u32>,
    /// Records the run into one page that plays in any browser.
    #[arg(long, value_name = "FILE.html")]
    out: Option<PathBuf>,
    /// Writes the grade of every step, the worst contact and joint, and who solved what.
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
    /// Writes pose and velocity of every body at every step.
    #[arg(long, value_name = "FILE.csv")]
    poses: Option<PathBuf>,
    /// Ends with status 2 if some step is above the tolerances.
    #[arg(long)]
    strict: bool,
    /// Prints the summary as one JSON object.
    #[arg(long)]
    json: bool,
}

/// Steps the scene and prints the summary.
pub(crate) fn run(args: &RunArgs) -> ExitCode {
    match play(args) {
        Ok(summary) => {
            crate::out::print(&match args.json {
                true => format!("{}\n", summary.json()),
                false => summary.to_string(),
            });
            let failed = summary.refused() || (args.strict && !summary.met());
            ExitCode::from(if failed { 2 } else { 0 })
        }
        Err(fault) => Report::from(fault).print(args.json),
    }
}

/// Files that grow with the run.
struct Outputs<'a> {
    args: &'a RunArgs,
    recorder: Option<Recorder>,
    poses: Option<Poses>,
    log: Option<StepLog>,
}

impl<'a> Outputs<'a> {
    fn open(args: &'a RunArgs, scene: &Scene) -> Result<Self, InputError> {
        let mut out = Self {
            args,
            recorder: args.out.as_ref().map(|_| Recorder::new(&scene.title)),
            poses: args.poses.as_deref().map(Poses::create).transpose()?,
            log: None,
        };
        if let Some(path) = &args.report {
            out.log = Some(StepLog::create(path, scene)?);
        }
        out.state(&scene.built.world, 0.0)?;
        Ok(out)
    }

    /// Notes the state of the world, reached in `seconds` (s) of real time.
    fn state(&mut self, world: &World, seconds: f64) -> Result<(), InputError> {
        if let (Some(recorder), Some(path)) = (&mut self.recorder, &self.args.out) {
            let drawn = recorder.record(world, seconds);
            drawn.map_err(|e| unwritten(path, e))?;
        }
        self.poses.as_mut().map_or(Ok(()), |poses| poses.add(world))
    }

    fn close(self, summary: &Summary) -> Result<(), InputError> {
        if let (Some(recorder), Some(path)) = (&self.recorder, &self.args.out) {
            recorder.write(path).map_err(|e| unwritten(path, e))?;
        }
        self.poses.map_or(Ok(()), Poses::close)?;
        self.log.map_or(Ok(()), |log| log.close(summary))
    }
}

fn play(args: &RunArgs) -> Result<Summary, InputError> {
    let mut scene = args.scene.load()?;
    let steps = args.steps.unwrap_or(scene.file.steps);
    check_steps("--steps", steps)?;
    let mut outputs = Outputs::open(args, &scene)?;
    let mut summary = Summary::new(&scene);
    for _ in 0..steps {
        let started = Instant::now();
        let step = scene.built.world.step(scene.dt);
        let seconds = started.elapsed().as_secs_f64();
        let (report, refused) = match step {
            Ok(report) => (report, false),
            Err(StepError::Unmet(report)) => (*report, true),
            Err(error) => return Err(InputError::new("--dt", error.to_string())),
        };
        summary.add(&report, &scene.built, refused);
        if let Some(log) = &mut outputs.log {
            log.add(&report, &scene.built)?;
        }
        // A world that refuses a step stays where it is, and would refuse the next as well.
        if refused {
            break;
        }
        outputs.state(&scene.built.world, seconds)?;
    }
    outputs.close(&summary)?;
    Ok(summary)
}
