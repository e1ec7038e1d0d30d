//! Random islands of wide rows, column maps and resistance to spin: the exact solver and the
//! central path.

#[expect(dead_code, reason = "shared with other tests")]
mod islands;
mod wide;

use glam::DVec3;
use islands::{Builder, Random};
use rb_core::law::Law;
use rb_core::math::Twist;
use rb_core::problem::{Extra, Pass, Problem};
use rb_core::residual::grade_pass;
use rb_core::solver::{IslandSolver, Scratch, SolveStatus};
use rb_solve::{Exact, Smooth};
use wide::{BUDGET, INF, grade, resist, row, wide};

/// Stacks, joints, wide rows, maps and resistance to spin at random.
fn random(seed: u64) -> Problem {
    let mut random = Random::new(seed);
    let mut b = Builder::new();
    let n = 3 + (random.next() * 5.0) as u32;
    for _ in 0..n {
        let mass = 10f64.powf(random.next() - 0.5);
        let centre = random.vector() * 2.0;
        let body = b.cube(mass, centre, DVec3::NEG_Y + random.vector());
        b.problem.bodies[body as usize].free.ang = random.vector() * 2.0;
    }
    for k in 0..n {
        let bodies = [k, k + 1];
        let at = random.vector();
        if k % 3 == 0 {
            b.joint(bodies, at, false, &[Builder::motor(random.next(), 0.05)]);
            continue;
        }
        let first = b.problem.rows.len() as u32;
        let law = [Law::Cone { mu: 0.5 }, Law::Boxed { mu: 0.5 }][(k % 2) as usize];
        b.contact(bodies, at, 0.0, law);
        resist(
            &mut b.problem,
            bodies,
            vec![first],
            0.1 * random.next(),
            0.1 * random.next(),
        );
    }
    for k in 0..2 {
        let bodies: Vec<u32> = (0..=n).collect();
        let mut columns = || -> Vec<Twist> {
            bodies
                .iter()
                .map(|_| Twist::new(random.vector(), random.vector()))
                .collect()
        };
        let (jac, mut act) = (columns(), columns());
        // Close enough to what it measures for every row to answer to its own force.
        act.iter_mut()
            .zip(&jac)
            .for_each(|(a, j)| *a = *a * 0.2 + *j);
        let extra = Extra {
            acts: if k == 0 { vec![] } else { act },
            ..Extra::default()
        };
        let lo = if seed.is_multiple_of(2) { 0.0 } else { -INF };
        wide(&mut b, &bodies, &[(row(lo, INF, 0.0), jac)], extra);
    }
    b.problem
}

#[test]
fn random_islands_of_wide_rows() {
    let (count, mut solved) = (100, 0);
    for seed in 0..count {
        let mut p = random(seed);
        let e = grade(&mut p, &Exact::default());
        solved += u64::from(e < 1e-9);
        if e >= 1e-9 {
            println!("seed {seed}: {e:.1e}, {} rows", p.rows.len());
        }
    }
    println!("{solved} of {count}");
    assert!(solved * 100 >= count * 95, "{solved} of {count}");
}

/// The point of the central path exists for them too, and tends to the exact one with κ.
#[test]
fn smooth_contact_with_gear_map_and_spin() {
    let point = |seed, kappa| {
        let mut p = random(seed);
        let smooth = Smooth { kappa, h: 0.01 };
        let out = smooth.solve(&mut p, Pass::Velocity, BUDGET, &mut Scratch::default());
        let found = out.status == SolveStatus::Converged;
        found.then(|| grade_pass(&p, Pass::Velocity, 0.1).abs)
    };
    let mut found = 0;
    for seed in 0..40 {
        let (Some(far), Some(near)) = (point(seed, 1e-4), point(seed, 1e-6)) else {
            continue;
        };
        assert!(near < far, "seed {seed}: {near:.1e} after {far:.1e}");
        found += 1;
    }
    println!("{found} of 40");
    assert!(found >= 32, "{found} of 40");
}
