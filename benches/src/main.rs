//! Speed and quality of every benchmark scene, one JSON line each. `README.md` says how to read it.

mod growth;
mod judged;
mod line;
mod quality;
mod run;
mod stats;

use anyhow::{Context, ensure};
use clap::{Parser, ValueEnum};
use line::Line;
use rb_scenes::{SCENES, Scene, scene};
use run::Setup;
use std::path::PathBuf;
use std::str::FromStr;

/// What runs when no scene is asked for.
const CASES: &[(&str, usize)] = &[
    ("large_pyramid", 20),
    ("large_pyramid", 50),
    ("many_pyramids", 8),
    ("box_drop", 10),
    ("mixed_drop", 10),
    ("joint_grid", 40),
    ("chain", 100),
    ("chain", 1000),
    ("ragdolls", 64),
    ("tall_stack", 30),
    ("arch", 21),
    ("card_house", 4),
    ("terrain", 1000),
    ("washer", 12),
];

/// Speed and quality of the rb physics engine, one JSON line per scene.
#[derive(Debug, Parser)]
struct Args {
    /// Scene, with its size if it is not the usual one; may be given several times.
    #[arg(long, value_name = "NAME[=SIZE]")]
    scene: Vec<Case>,
    /// Steps of 1/60 s instead of the scene's own number.
    #[arg(long)]
    steps: Option<usize>,
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

/// A scene at a size.
#[derive(Clone, Copy, Debug)]
struct Case {
    scene: &'static Scene,
    size: usize,
}

impl FromStr for Case {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let (name, size) = match text.split_once('=') {
            Some((name, size)) => (name, Some(size.parse().context("the size is no number")?)),
            None => (text, None),
        };
        let known = || SCENES.iter().map(|s| s.name).collect::<Vec<_>>().join(", ");
        let scene = scene(name).with_context(|| format!("no such scene; there are {}", known()))?;
        let size = size.unwrap_or(scene.size);
        Ok(Self { scene, size })
    }
}

/// The cases of [`CASES`].
fn usual() -> impl Iterator<Item = Case> {
    let case = |&(name, size)| scene(name).map(|scene| Case { scene, size });
    CASES.iter().filter_map(case)
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let enough = args.steps.is_none_or(|n| n >= 4);
    ensure!(enough, "--steps must be at least 4");
    let setup = Setup {
        profile: args.profile,
        threads: args.threads,
        steps: args.steps,
    };
    if args.growth {
        return growth::print(&setup);
    }
    if let Some(file) = &args.scene_file {
        return judged::record(&setup, file, args.out.as_deref());
    }
    let cases = match args.scene.is_empty() {
        true => usual().collect(),
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
