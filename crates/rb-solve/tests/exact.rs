//! The exact island solver on every law and kind of row, judged by rb-core's certificate.

mod islands;

use glam::{DMat3, DVec3};
use islands::{Builder, box_stack, chain, quadruped, random_island, welded_ring};
use rb_core::law::Law;
use rb_core::math::Twist;
use rb_core::problem::{Pass, Problem};
use rb_core::residual::grade_pass;
use rb_core::solver::{Budget, IslandSolver, Scratch, SolveOutcome, SolveStatus};
use rb_solve::conic::FrictionLaw;
use rb_solve::{Exact, Part, Pgs};
use std::time::Instant;

const BUDGET: Budget = Budget::new(30, 1e-12);

fn solve(p: &mut Problem) -> SolveOutcome {
    Pgs.solve(p, Pass::Velocity, BUDGET, &mut Scratch::default());
    Exact::default().solve(p, Pass::Velocity, BUDGET, &mut Scratch::default())
}

/// Worst violation of either kind of grade after a solve (m/s).
fn residual(p: &mut Problem) -> f64 {
    solve(p);
    p.rebuild_velocities();
    grade_pass(p, Pass::Velocity, 0.1).abs
}

#[test]
fn stacks_of_every_law() {
    for law in [
        Law::Rows,
        Law::Boxed { mu: 0.5 },
        Law::Pyramid { mu: 0.5 },
        Law::Cone { mu: 0.5 },
        Law::Cone { mu: 0.0 },
    ] {
        for tilt in [0.0, 0.3, 0.7] {
            let mut p = box_stack(8, law, tilt, 1.0);
            let e = residual(&mut p);
            assert!(e < 1e-11, "{law:?} tilted {tilt}: {e}");
        }
    }
}

#[test]
fn heavy_on_light() {
    for ratio in [1e2, 1e3, 1e4] {
        let e = residual(&mut box_stack(2, Law::Cone { mu: 0.5 }, 0.1, ratio));
        assert!(e < 1e-10, "{ratio}: {e}");
    }
}

/// Sweeps that an exact solver may follow end once those left will not do, and what they would reach in time stays
/// as it is.
#[test]
fn sweeps_that_will_not_do_end_early() {
    let swept = |boxes: usize, followed: bool| {
        let mut p = box_stack(boxes, Law::Cone { mu: 0.5 }, 0.1, 1.0);
        let budget = Budget {
            followed,
            ..Budget::new(400, 1e-12)
        };
        let out = Pgs.solve(&mut p, Pass::Velocity, budget, &mut Scratch::default());
        (out.status, out.iterations, p)
    };
    let (low, low_followed) = (swept(2, false), swept(2, true));
    assert!(low.0 == SolveStatus::Converged && low.1 > 40, "{}", low.1);
    assert_eq!(low, low_followed);
    let (tall, tall_followed) = (swept(30, false), swept(30, true));
    assert_eq!((tall.0, tall.1), (SolveStatus::Unmet, 400));
    assert_eq!(tall_followed.0, SolveStatus::Unmet);
    assert!(tall_followed.1 <= 60, "{}", tall_followed.1);
}

/// What the parts of its methods find one after the other is as good as what [`Exact`] does.
#[test]
fn the_rest_comes_after_the_brief() {
    for seed in 0..40 {
        let mut whole = random_island(seed);
        let mut parts = whole.clone();
        let budget = Budget::new(0, 1e-12);
        let none = &mut Scratch::default();
        Exact::default().solve(&mut whole, Pass::Velocity, budget, none);
        for solver in [Part::Brief, Part::Firm, Part::Rest] {
            solver.solve(&mut parts, Pass::Velocity, budget, none);
        }
        let [whole, parts] = [whole, parts].map(|p| grade_pass(&p, Pass::Velocity, 0.1).abs);
        assert!(
            parts < 1e-9 || parts < 10.0 * whole,
            "{seed}: {parts}, {whole}"
        );
    }
}

#[test]
fn chains_with_motors_limits_and_springs() {
    for (links, ratio) in [(3, 1.0), (20, 1e3), (100, 10.0)] {
        let e = residual(&mut chain(links, ratio));
        assert!(e < 1e-9, "{links} links, {ratio} : 1: {e}");
    }
}

#[test]
fn redundant_loops_of_welds() {
    let e = residual(&mut welded_ring(12));
    assert!(e < 1e-10, "{e}");
}

#[test]
fn a_walking_robot() {
    for law in [Law::Cone { mu: 0.8 }, Law::Pyramid { mu: 0.8 }] {
        let e = residual(&mut quadruped(law));
        assert!(e < 1e-10, "{law:?}: {e}");
    }
}

#[test]
fn random_islands_of_everything() {
    let (mut solved, mut worst) = (0, 0.0f64);
    let count = 200;
    for seed in 0..count {
        let mut p = random_island(seed);
        let e = residual(&mut p);
        solved += u64::from(e < 1e-9);
        if e >= 1e-9 {
            println!("seed {seed}: {e:.1e}, {} rows", p.rows.len());
        }
        worst = worst.max(e);
    }
    println!("{solved} of {count}, worst {worst:.1e}");
    assert!(solved * 100 >= count * 99, "{solved} of {count}");
}

#[test]
fn solving_twice_gives_the_same_bits() {
    let solved = || {
        let mut p = quadruped(Law::Cone { mu: 0.8 });
        solve(&mut p);
        p
    };
    assert_eq!(solved(), solved());
}

fn clock(name: &str, make: impl Fn() -> Problem) {
    let mut best = [f64::INFINITY; 2];
    let (mut iterations, mut grade, mut warm) = (0, 0.0, f64::INFINITY);
    for _ in 0..5 {
        let mut p = make();
        let start = Instant::now();
        Pgs.solve(&mut p, Pass::Velocity, BUDGET, &mut Scratch::default());
        best[0] = best[0].min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        let out = Exact::default().solve(&mut p, Pass::Velocity, BUDGET, &mut Scratch::default());
        best[1] = best[1].min(start.elapsed().as_secs_f64());
        iterations = out.iterations;
        grade = grade_pass(&p, Pass::Velocity, 0.1).abs;
        // As in the next step: nearly the same problem, from the last solution.
        p.bodies.iter_mut().for_each(|b| b.free = b.free * 1.01);
        let start = Instant::now();
        Exact::default().solve(&mut p, Pass::Velocity, BUDGET, &mut Scratch::default());
        warm = warm.min(1e3 * start.elapsed().as_secs_f64());
    }
    let [pgs, exact] = best.map(|s| 1e3 * s);
    println!(
        "{name:28} pgs {pgs:8.3} ms, exact {exact:8.3} ms cold, {warm:8.3} ms warm, {iterations:3} iterations, {grade:.1e} m/s"
    );
}

/// Solve times; run with `--ignored --nocapture`.
#[test]
#[ignore = "prints a table of times"]
fn times() {
    let cone = Law::Cone { mu: 0.5 };
    for boxes in [2, 5, 10, 25, 50] {
        clock(&format!("{} contacts, box stack", 4 * boxes), || {
            box_stack(boxes, cone, 0.2, 1.0)
        });
    }
    clock("100 contacts, mass 100 : 1", || {
        box_stack(25, cone, 0.2, 100.0)
    });
    clock("100 contacts, pyramids", || {
        box_stack(25, Law::Pyramid { mu: 0.5 }, 0.2, 1.0)
    });
    clock("quadruped, 12 joints, 4 feet", || {
        quadruped(Law::Cone { mu: 0.8 })
    });
    for links in [10, 30, 100, 300, 1000] {
        clock(&format!("{links} links"), || chain(links, 1.0));
    }
}

/// T21: a block of 1 kg that slides at v on contacts with μ = ½, h = 0.01 s. Coulomb's law keeps the
/// gap at 0; the convex law has the gap h μ v after every step.
#[test]
fn t21_only_the_convex_law_glides() {
    let (mu, h, g) = (0.5, 0.01, 9.81);
    for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
        let convex = law == FrictionLaw::Convex;
        let mut speed = 1.0;
        let mut gap = if convex { h * mu * speed } else { 0.0 };
        for _ in 0..10 {
            let mut b = Builder::new();
            let body = b.cube(1.0, DVec3::Y * 0.5, DVec3::NEG_Y * (g / 9.81));
            b.contact([0, body], DVec3::ZERO, gap / h, Law::Cone { mu });
            let mut p = b.problem;
            // A point mass: the block neither tips nor turns.
            p = point_mass(&p, DVec3::new(speed, -g * h, 0.0));
            Exact { law }.solve(&mut p, Pass::Velocity, BUDGET, &mut Scratch::default());
            let v = p.bodies[1].vel.lin;
            gap += h * v.y;
            speed = v.x;
            let expected = if convex { h * mu * speed } else { 0.0 };
            assert!((gap - expected).abs() < 1e-12, "{law:?}: {gap}, {expected}");
        }
        let lost = 1.0 - 10.0 * mu * g * h;
        assert!(convex || (speed - lost).abs() < 1e-12, "{speed}, {lost}");
    }
}

/// The same contact on a body that cannot turn.
fn point_mass(p: &Problem, free: DVec3) -> Problem {
    let mut q = Problem::default();
    q.bodies.clone_from(&p.bodies);
    q.bodies[1].inv.ang = DMat3::ZERO;
    q.bodies[1].free = Twist::new(free, DVec3::ZERO);
    for block in &p.blocks {
        q.push_block(block.bodies, block.law, block.source, &p.rows[block.rows()]);
    }
    q
}

/// T27: the tip of a rod at tan θ = 2, ahead of its centre, for μ at and about Painlevé's critical 4/3,
/// where the acceleration has no solution; velocities always have one.
#[test]
fn t27_painleves_rod() {
    let theta = 2f64.atan();
    let half = DVec3::new(theta.cos(), theta.sin(), 0.0);
    for mu in [1.3, 4.0 / 3.0, 1.4] {
        for speed in [-2.0, -0.1, 0.1, 2.0] {
            let mut b = Builder::new();
            let body = b.cube(1.0, half, DVec3::NEG_Y);
            // A uniform rod of length 2: m l²/12.
            b.problem.bodies[1].inv.ang = DMat3::from_diagonal(DVec3::splat(3.0));
            b.problem.bodies[1].free.lin.x = speed;
            b.contact([0, body], DVec3::ZERO, 0.0, Law::Cone { mu });
            let e = residual(&mut b.problem);
            assert!(e < 1e-12, "mu {mu}, speed {speed}: {e}");
        }
    }
}
