//! `rb dump`: the problem of one island at one step, as a file for `rb solve`.

use crate::report::Report;
use crate::scene::{SceneArgs, unwritten};
use clap::{Args, ValueEnum};
use rb_scenes::file::{InputError, check_steps};
use rb_solve::formats::dump::{Form, write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `rb dump`.
#[derive(Args)]
pub(crate) struct DumpArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Step, from 1, whose last substep is written.
    #[arg(long)]
    step: u32,
    /// Island, from 0, in the order of the report.
    #[arg(long, default_value_t = 0)]
    island: usize,
    /// Type of the file.
    #[arg(long, value_enum, default_value = "auto")]
    format: FormName,
    /// File to write; standard output unless stated.
    #[arg(long, value_name = "FILE.json")]
    out: Option<PathBuf>,
}

/// Types of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormName {
    /// `boxed_lcp` or `fc3d_global` where they say it all, else `island`.
    Auto,
    /// `island`.
    Island,
}

/// Steps the scene and writes the problem.
pub(crate) fn run(args: &DumpArgs) -> ExitCode {
    match dumped(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => Report::from(fault).print(false),
    }
}

fn dumped(args: &DumpArgs) -> Result<(), InputError> {
    check_steps("--step", args.step)?;
    if args.step == 0 {
        return Err(InputError::new("--step", "the first step is 1"));
    }
    let mut scene = args.scene.load()?;
    let world = &mut scene.built.world;
    for _ in 0..args.step {
        let step = world.step(scene.dt);
        step.map_err(|e| InputError::new("--step", e.to_string()))?;
    }
    let problem = world.problems().nth(args.island).ok_or_else(|| {
        let reason = format!("there are {} awake islands", world.problems().count());
        InputError::new("--island", reason)
    })?;
    let form = match args.format {
        FormName::Auto => Form::Plainest,
        FormName::Island => Form::Island,
    };
    let name = format!(
        "{}, step {}, island {}",
        scene.title, args.step, args.island
    );
    let file = write(&name, &problem, form);
    match &args.out {
        Some(path) => std::fs::write(path, format!("{file}\n")).map_err(|e| unwritten(path, e)),
        None => {
            crate::out::print(&format!("{file}\n"));
            Ok(())
        }
    }
}
