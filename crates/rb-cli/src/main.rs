//! `rb`: the command line of the rb physics engine.
//!
//! `rb solve FILE.json` solves a stored problem and grades the answer by the certificate, which no
//! solver computes itself. `rb run SCENE.json` steps a scene file, `rb dump SCENE.json` writes the
//! problem of one island at one step as a file for `rb solve`.
//!
//! | exit status | `solve` | `run` | `dump` |
//! |---|---|---|---|
//! | 0 | solved to the tolerance | ran to the end | written |
//! | 2 | not solved | with `--strict`: a step above the tolerances | |
//! | 3 | malformed input | malformed input, a file that cannot be written | the same |

mod dump;
mod out;
mod poses;
mod report;
mod run;
mod scene;
mod solve;
mod steps;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;

/// Runs scenes of rigid bodies; solves contact and complementarity problems.
#[derive(Parser)]
#[command(name = "rb", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Solve a problem and grade the answer.
    Solve(SolveArgs),
    /// Step a scene file and tell how right each step was.
    Run(run::RunArgs),
    /// Write the problem of one island at one step for `rb solve`.
    Dump(dump::DumpArgs),
}

/// Arguments of `rb solve`.
#[derive(Args)]
struct SolveArgs {
    /// Problem in JSON: lcp, boxed_lcp, fc3d_local, fc2d_local, fc3d_global or island; `-` reads
    /// standard input.
    file: PathBuf,
    /// Solver; those that do not know the problem's law say so.
    #[arg(long, value_enum, default_value = "auto")]
    solver: Solver,
    /// Friction law of friction problems.
    #[arg(long, value_enum, default_value = "coulomb")]
    law: Law,
    /// Largest accepted residual: relative to 1 + max|q| (default 1e-9) for complementarity problems,
    /// scaled natural map over the largest impulse (default 1e-10) for friction and islands.
    #[arg(long)]
    tol: Option<f64>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

/// Solvers by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Solver {
    /// Whatever meets the certificate first.
    Auto,
    /// Projected Gauss–Seidel: with subspace minimisation for boxes, nonsmooth for friction.
    Pgs,
    /// Lemke's method, two unknowns per box.
    Lemke,
    /// Lemke's method, four unknowns per box.
    Lemke4,
    /// Principal pivoting.
    Pivot,
    /// Semismooth Newton on the Fischer–Burmeister function.
    Newton,
    /// Interior point on the friction cone.
    Conic,
}

/// Friction laws by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Law {
    /// Coulomb's law, exactly.
    Coulomb,
    /// Its convex relaxation, which lifts sliding contacts.
    Convex,
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Nothing sensible is left to do if the terminal is gone.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 3 } else { 0 });
        }
    };
    match cli.command {
        Command::Solve(args) => {
            let report = match load(&args) {
                Ok(named) => solve::run(&named, &args),
                Err(fault) => fault.into(),
            };
            report.print(args.json)
        }
        Command::Run(args) => run::run(&args),
        Command::Dump(args) => dump::run(&args),
    }
}

/// A problem, or where and why it cannot be read.
fn load(args: &SolveArgs) -> Result<rb_solve::formats::Named, rb_solve::InputError> {
    rb_solve::formats::parse(&scene::read(&args.file)?)
}
