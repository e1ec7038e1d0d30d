//! Lemke's method and principal pivoting as island solvers: the same velocities as the conic solver.

mod islands;

use islands::{box_stack, chain, quadruped, random_island, welded_ring};
use rb_core::law::Law;
use rb_core::problem::{Pass, Problem};
use rb_core::residual::grade_pass;
use rb_core::solver::{Budget, IslandSolver, Scratch, SolveStatus};
use rb_solve::{Exact, Pgs, Pivoting};
use std::time::Instant;

const BUDGET: Budget = Budget::new(30, 1e-12);
const BOTH: [Pivoting; 2] = [Pivoting::Lemke, Pivoting::Pivot];

fn solved(p: &Problem, solver: &dyn IslandSolver) -> (Problem, f64) {
    let mut p = p.clone();
    Pgs.solve(&mut p, Pass::Velocity, BUDGET, &mut Scratch::default());
    solver.solve(&mut p, Pass::Velocity, BUDGET, &mut Scratch::default());
    p.rebuild_velocities();
    let grade = grade_pass(&p, Pass::Velocity, 0.1).abs;
    (p, grade)
}

/// Largest difference of velocities (m/s, rad/s).
fn apart(a: &Problem, b: &Problem) -> f64 {
    let pairs = a.bodies.iter().zip(&b.bodies);
    pairs.fold(0.0, |m, (a, b)| {
        let d = a.vel - b.vel;
        m.max(d.lin.length()).max(d.ang.length())
    })
}

#[test]
fn the_same_as_conic_where_it_is_unique() {
    let mut scenes = vec![
        ("chain", chain(12, 10.0)),
        ("ring", welded_ring(8)),
        ("robot", quadruped(Law::Pyramid { mu: 0.8 })),
        ("robot", quadruped(Law::Boxed { mu: 0.8 })),
    ];
    for law in [Law::Rows, Law::Boxed { mu: 0.4 }, Law::Pyramid { mu: 0.4 }] {
        for tilt in [0.0, 0.3, 0.7] {
            scenes.push((law.name(), box_stack(4, law, tilt, 1.0)));
            scenes.push((law.name(), box_stack(2, law, tilt, 1e4)));
        }
    }
    for (name, p) in scenes {
        let (conic, e) = solved(&p, &Exact::default());
        assert!(e < 1e-10, "{name}: conic {e:.1e}");
        for solver in BOTH {
            let (q, e) = solved(&p, &solver);
            let d = apart(&q, &conic);
            assert!(e < 1e-9 && d < 1e-9, "{name}, {solver:?}: {e:.1e}, {d:.1e}");
        }
    }
}

/// Random islands without cones meet the certificate; with cones they are refused by name.
#[test]
fn random_islands() {
    let mut solved_by = [0; 2];
    let count = 40;
    for seed in 0..count {
        let p = random_island(seed);
        for (solver, solved_by) in BOTH.into_iter().zip(&mut solved_by) {
            let mut cones = p.clone();
            let out = solver.solve(&mut cones, Pass::Velocity, BUDGET, &mut Scratch::default());
            let has_cones = p.blocks.iter().any(|b| matches!(b.law, Law::Cone { .. }));
            assert_eq!(out.status == SolveStatus::Unsupported, has_cones);
            let mut flat = p.clone();
            for b in &mut flat.blocks {
                if let Law::Cone { mu } = b.law {
                    b.law = Law::Pyramid { mu };
                }
            }
            let (_, e) = solved(&flat, &solver);
            *solved_by += usize::from(e < 1e-9);
            if e >= 1e-9 {
                println!("seed {seed}, {solver:?}: {e:.1e}, {} rows", flat.rows.len());
            }
        }
    }
    println!("{solved_by:?} of {count}");
    assert!(solved_by.iter().all(|n| n * 100 >= count as usize * 95));
}

/// Solve times; run with `--ignored --nocapture`.
#[test]
#[ignore = "prints a table of times"]
fn times() {
    for (name, p) in [
        ("1 box", box_stack(1, Law::Boxed { mu: 0.5 }, 0.2, 1.0)),
        ("2 boxes", box_stack(2, Law::Boxed { mu: 0.5 }, 0.2, 1.0)),
        ("5 boxes", box_stack(5, Law::Boxed { mu: 0.5 }, 0.2, 1.0)),
        ("10 boxes", box_stack(10, Law::Boxed { mu: 0.5 }, 0.2, 1.0)),
        ("20 boxes", box_stack(20, Law::Boxed { mu: 0.5 }, 0.2, 1.0)),
        ("robot", quadruped(Law::Pyramid { mu: 0.8 })),
    ] {
        let solvers: [&dyn IslandSolver; 3] = [&Exact::default(), &BOTH[0], &BOTH[1]];
        for solver in solvers {
            let mut start = p.clone();
            Pgs.solve(&mut start, Pass::Velocity, BUDGET, &mut Scratch::default());
            let mut best = f64::INFINITY;
            for _ in 0..5 {
                let mut q = start.clone();
                let clock = Instant::now();
                solver.solve(&mut q, Pass::Velocity, BUDGET, &mut Scratch::default());
                best = best.min(1e3 * clock.elapsed().as_secs_f64());
            }
            println!(
                "{name:10} {:4} rows, {:6}: {best:8.3} ms",
                p.rows.len(),
                solver.name()
            );
        }
    }
}
