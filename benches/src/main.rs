//! Speed and quality of every benchmark scene, one JSON line each. `README.md` says how to read it.

mod growth;
mod judged;
mod line;
mod quality;
mod run;
mod stats;

use anyhow::ensure;
use clap::{Parser, ValueEnum};
use line::Line;
use rb_scenes::Case;
use run::Setup;
use std::path::PathBuf;

/// Speed and quality of the rb physics engine, one JSON line per scene.
#[derive(Debug, Parser)]
struct Args {
    /// Scene, with its size if it is not the usual one; may be given several times.
    #[arg(long, value_name = "NAME[=SIZE]")]
    scene: Vec<Case>,
    /// Steps of 1/60 s instead of the scene's own number.
    #[arg(long)]
    steps: Option<usize>,
    /// Substeps instead of the profile's own number.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    substeps: Option<u32>,
    /// Grades one batch of a large island's contacts in so many.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    sampling: u32,
    /// Threads, the calling one included.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Settings of the world.
    #[arg(long, value_enum, default_value_t = Profile::Game)]
    profile: Profile,
    /// Runs a scene from a JSON description and writes the record a referee grades.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scene", "growth"])]
    scene_file: Option<PathBuf>,
    /// Where to write the record; standard output otherwise.
    #[arg(long, value_name = "FILE", requires = "scene_file")]
    out: Option<PathBuf>,
    /// Prints how time and memory grow with the number of falling boxes.
    #[arg(long, conflicts_with = "scene")]
    growth: bool,
}

/// A profile of `Params`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Profile {
    /// `Params::game`.
    Game,
    /// `Params::robotics`.
    Robotics,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let enough = args.steps.is_none_or(|n| n >= 4);
    ensure!(enough, "--steps must be at least 4");
    let setup = Setup {
        profile: args.profile,
        threads: args.threads,
        steps: args.steps,
        substeps: args.substeps,
        sampling: args.sampling,
    };
    if args.growth {
        return growth::print(&setup);
    }
    if let Some(file) = &args.scene_file {
        return judged::record(&setup, file, args.out.as_deref());
    }
    let cases = match args.scene.is_empty() {
        true => Case::usual().collect(),
        false => args.scene,
    };
    for case in cases {
        let desc = case.scene.build(case.size);
        let finished = run::run(&setup, &desc, &[])?;
        let line = Line::new(&setup, &desc, &finished);
        println!("{}", serde_json::to_string(&line)?);
    }
    Ok(())
}
