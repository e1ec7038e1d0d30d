//! From a problem and the wishes of the command line to a graded report.

use crate::report::{Report, Status};
use crate::{Law, SolveArgs, Solver};
use rb_core::problem::{Pass, Problem};
use rb_core::residual::{Grade, grade};
use rb_core::solver::{Budget, IslandSolver, Scratch, SolveStatus};
use rb_solve::conic::{self, FrictionLaw, FrictionProblem, GlobalFrictionProblem, Residual};
use rb_solve::formats::{Model, Named};
use rb_solve::lcp::{self, BoxedLcp, End};
use rb_solve::{Exact, Pgs};
use std::collections::BTreeMap;
use std::time::Instant;

/// Solves a problem and grades the answer.
pub(crate) fn run(named: &Named, args: &SolveArgs) -> Report {
    let report = match &named.model {
        Model::Boxed(p) => boxed(p, args),
        Model::Friction { problem, dim } => friction(problem, *dim, args),
        Model::GlobalFriction(p) => global(p, args),
        Model::Island(p) => island(p, args),
    };
    Report {
        name: named.name.clone(),
        ..report
    }
}

fn unsupported(args: &SolveArgs, law: &str) -> Report {
    let reason = format!("solver {:?} does not know {law}", args.solver).to_lowercase();
    Report::failed(Status::Unsupported, reason)
}

fn boxed(p: &BoxedLcp, args: &SolveArgs) -> Report {
    let method = match args.solver {
        Solver::Auto => lcp::Method::Auto,
        Solver::Pgs => lcp::Method::Sweep,
        Solver::Lemke => lcp::Method::Lemke,
        Solver::Lemke4 => lcp::Method::LemkeSplit,
        Solver::Pivot => lcp::Method::Pivot,
        Solver::Newton => lcp::Method::Newton,
        Solver::Conic => return unsupported(args, "bounds"),
    };
    let clock = Instant::now();
    let attempt = method.solve(p);
    let seconds = clock.elapsed().as_secs_f64();
    let grade = p.residual(&attempt.z);
    let tolerance = args.tol.unwrap_or(1e-9);
    let mut vectors = BTreeMap::from([("z", attempt.z)]);
    let status = match attempt.end {
        _ if grade.relative <= tolerance => Status::Solved,
        End::NoSolution { ray } => {
            vectors.insert("ray", ray);
            Status::NoSolution
        }
        End::Converged | End::Unmet => Status::Unmet,
    };
    Report {
        solver: attempt.solver.to_owned(),
        vectors,
        residual: BTreeMap::from([("abs", grade.abs), ("relative", grade.relative)]),
        tolerance,
        iterations: attempt.iterations,
        seconds,
        ..Report::failed(status, String::new())
    }
}

/// The method and law asked for, if the solver knows friction.
fn friction_method(args: &SolveArgs) -> Option<(conic::Method, FrictionLaw)> {
    let method = match args.solver {
        Solver::Auto => conic::Method::Auto,
        Solver::Pgs => conic::Method::Sweep,
        Solver::Conic => conic::Method::Interior,
        Solver::Lemke | Solver::Lemke4 | Solver::Pivot | Solver::Newton => return None,
    };
    let law = match args.law {
        Law::Coulomb => FrictionLaw::Coulomb,
        Law::Convex => FrictionLaw::Convex,
    };
    Some((method, law))
}

fn friction(p: &FrictionProblem, dim: usize, args: &SolveArgs) -> Report {
    let Some((method, law)) = friction_method(args) else {
        return unsupported(args, "friction cones");
    };
    let clock = Instant::now();
    let attempt = method.solve(p, law);
    let seconds = clock.elapsed().as_secs_f64();
    let residual = p.residual(&attempt.r, law);
    let r = attempt
        .r
        .chunks_exact(3)
        .flat_map(|c| c[..dim].to_vec())
        .collect();
    let vectors = BTreeMap::from([("r", r)]);
    graded(&attempt, vectors, residual, law, seconds, args)
}

fn global(p: &GlobalFrictionProblem, args: &SolveArgs) -> Report {
    let Some((method, law)) = friction_method(args) else {
        return unsupported(args, "friction cones");
    };
    let clock = Instant::now();
    let condensed = match p.condense() {
        Ok(condensed) => condensed,
        Err(fault) => return fault.into(),
    };
    let attempt = method.solve(&condensed.problem, law);
    let v = p.velocities(&condensed, &attempt.r);
    let seconds = clock.elapsed().as_secs_f64();
    let residual = p.residual(&condensed.problem, &v, &attempt.r, law);
    let vectors = BTreeMap::from([("r", attempt.r.clone()), ("v", v)]);
    graded(&attempt, vectors, residual, law, seconds, args)
}

fn graded(
    attempt: &conic::Attempt,
    vectors: BTreeMap<&'static str, Vec<f64>>,
    residual: Residual,
    law: FrictionLaw,
    seconds: f64,
    args: &SolveArgs,
) -> Report {
    let tolerance = args.tol.unwrap_or(1e-10);
    let status = if residual.meets(tolerance) {
        Status::Solved
    } else {
        Status::Unmet
    };
    Report {
        solver: attempt.solver.to_owned(),
        law: Some(law.name()),
        vectors,
        residual: BTreeMap::from([
            ("scaled", residual.scaled),
            ("relative", residual.relative),
            ("plain", residual.plain),
            ("cone", residual.cone),
            ("momentum", residual.momentum),
        ]),
        tolerance,
        iterations: attempt.iterations,
        seconds,
        ..Report::failed(status, String::new())
    }
}

/// Sweeps over an island, and violation (m/s) below which neither solver goes on.
const BUDGET: Budget = Budget::new(100_000, 1e-14);

/// The solvers asked for: the exact one first, which does not know every row.
fn island_solvers(args: &SolveArgs) -> Option<Vec<Box<dyn IslandSolver>>> {
    if args.law == Law::Convex {
        return None;
    }
    match args.solver {
        Solver::Auto => Some(vec![Box::new(Exact::default()), Box::new(Pgs)]),
        Solver::Conic => Some(vec![Box::new(Exact::default())]),
        Solver::Pgs => Some(vec![Box::new(Pgs)]),
        Solver::Lemke | Solver::Lemke4 | Solver::Pivot | Solver::Newton => None,
    }
}

fn island(p: &Problem, args: &SolveArgs) -> Report {
    let Some(solvers) = island_solvers(args) else {
        return unsupported(args, "islands under this law");
    };
    let clock = Instant::now();
    let tolerance = args.tol.unwrap_or(1e-10);
    let mut best: Option<(Problem, Grade, &str, u32)> = None;
    for solver in solvers {
        let mut found = best.as_ref().map_or(p, |b| &b.0).clone();
        let out = solver.solve(&mut found, Pass::Velocity, BUDGET, &mut Scratch::default());
        if out.status == SolveStatus::Unsupported {
            continue;
        }
        found.rebuild_velocities();
        let graded = grade(&found, 0.0);
        if best.as_ref().is_none_or(|b| graded.abs < b.1.abs) {
            best = Some((found, graded, solver.name(), out.iterations));
        }
        if graded.rel <= tolerance {
            break;
        }
    }
    let seconds = clock.elapsed().as_secs_f64();
    let Some((found, grade, solver, iterations)) = best else {
        return unsupported(args, "every row of this island");
    };
    let solved = grade.rel <= tolerance && grade.abs.is_finite();
    let r = found.rows.iter().map(|r| r.lambda).collect();
    let velocity = |b: &rb_core::problem::ProblemBody| {
        let [l, a] = [b.vel.lin, b.vel.ang];
        [l.x, l.y, l.z, a.x, a.y, a.z]
    };
    let v = found.bodies.iter().flat_map(velocity).collect();
    Report {
        solver: solver.to_owned(),
        law: Some("coulomb"),
        vectors: BTreeMap::from([("r", r), ("v", v)]),
        residual: BTreeMap::from([("scaled", grade.rel), ("abs", grade.abs)]),
        tolerance,
        iterations,
        seconds,
        ..Report::failed(
            if solved {
                Status::Solved
            } else {
                Status::Unmet
            },
            String::new(),
        )
    }
}
