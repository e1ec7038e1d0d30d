//! `rb`: the command line of the rb physics engine.
//!
//! `rb solve FILE.json` solves a stored problem and grades the answer by the certificate, which no
//! solver computes itself. Exit status: 0 solved to the tolerance, 2 not solved, 3 malformed input.

mod report;
mod solve;

use clap::{Args, Parser, Subcommand, ValueEnum};
use report::Report;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Tools for contact and complementarity problems.
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
}

/// Arguments of `rb solve`.
#[derive(Args)]
struct SolveArgs {
    /// Problem in JSON: lcp, boxed_lcp, fc3d_local, fc2d_local or fc3d_global; `-` reads standard
    /// input.
    file: PathBuf,
    /// Solver; those that do not know the problem's law say so.
    #[arg(long, value_enum, default_value = "auto")]
    solver: Solver,
    /// Friction law of friction problems.
    #[arg(long, value_enum, default_value = "coulomb")]
    law: Law,
    /// Largest accepted residual: relative to 1 + max|q| (default 1e-9) for complementarity problems,
    /// scaled natural map over the largest impulse (default 1e-10) for friction.
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
    let Command::Solve(args) = cli.command;
    let report = match load(&args.file) {
        Ok(named) => solve::run(&named, &args),
        Err((path, reason)) => Report::malformed(path, reason),
    };
    if args.json {
        println!("{}", report.json());
    } else {
        print!("{report}");
    }
    report.exit()
}

/// A problem, or where and why it cannot be read.
fn load(path: &Path) -> Result<rb_solve::formats::Named, (String, String)> {
    let mut text = String::new();
    let read = if path == Path::new("-") {
        std::io::stdin().read_to_string(&mut text)
    } else {
        std::fs::File::open(path).and_then(|mut file| file.read_to_string(&mut text))
    };
    read.map_err(|e| (path.display().to_string(), e.to_string()))?;
    rb_solve::formats::parse(&text).map_err(|e| (e.path, e.reason))
}
