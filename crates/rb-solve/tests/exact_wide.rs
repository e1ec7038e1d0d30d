//! The exact island solver on what few blocks have: more than two bodies, column maps, coupled
//! compliance, resistance to spin, locked axes, negative R. Against closed forms and long sweeps.

#[expect(dead_code, reason = "shared with other tests")]
mod islands;
mod wide;

use glam::{DMat3, DVec3};
use islands::Builder;
use rb_core::law::Law;
use rb_core::math::Twist;
use rb_core::problem::{Extra, Pass, Problem, Term};
use rb_core::solver::{IslandSolver, Scratch};
use rb_solve::{Exact, Pgs};
use wide::{BUDGET, INF, grade, resist, row, wide};

/// The exact solution from a cold start, which must agree with that of many sweeps.
fn both(p: &Problem) -> Problem {
    let (mut exact, mut swept) = (p.clone(), p.clone());
    let e = grade(&mut exact, &Exact::default());
    let s = grade(&mut swept, &Pgs);
    assert!(e < 1e-10 && s < 1e-10, "exact {e:.1e}, swept {s:.1e}");
    for (a, b) in exact.bodies.iter().zip(&swept.bodies) {
        let apart = (a.vel.lin - b.vel.lin).length() + (a.vel.ang - b.vel.ang).length();
        assert!(apart < 1e-8, "{apart:.1e}");
    }
    exact
}

fn spin_z(x: f64) -> Twist {
    Twist::new(DVec3::ZERO, DVec3::Z * x)
}

/// Wheels on hinges about z with given inertias and spins.
fn wheels(b: &mut Builder, wheels: &[(f64, f64)]) -> Vec<u32> {
    let mut out = Vec::new();
    for (k, &(inertia, spin)) in wheels.iter().enumerate() {
        let at = DVec3::X * k as f64;
        let body = b.cube(1.0, at, DVec3::NEG_Y);
        let state = &mut b.problem.bodies[body as usize];
        state.inv.ang = DMat3::from_diagonal(DVec3::splat(1.0 / inertia));
        state.free.ang = DVec3::Z * spin;
        b.joint([0, body], at, false, &[]);
        out.push(body);
    }
    out
}

/// T31a and T31b: ω₀ = ½ (ω₁ + ω₂) and ω₀ = −3 ω₁: λ = −(g·ω)/Σ g²/I.
#[test]
fn differential_and_gear() {
    let state = [(2.0, 3.0), (0.5, -1.0), (0.25, 4.0)];
    for g in [[1.0, -0.5, -0.5], [1.0, 3.0, 0.0]] {
        let mut b = Builder::new();
        let bodies = wheels(&mut b, &state);
        let jac = g.map(spin_z).to_vec();
        wide(
            &mut b,
            &bodies,
            &[(row(-INF, INF, 0.0), jac)],
            Extra::default(),
        );
        let p = both(&b.problem);
        let rate: f64 = g.iter().zip(&state).map(|(g, (_, w))| g * w).sum();
        let a: f64 = g.iter().zip(&state).map(|(g, (i, _))| g * g / i).sum();
        for ((body, g), (inertia, spin)) in bodies.iter().zip(g).zip(state) {
            let (got, wanted) = (
                p.bodies[*body as usize].vel.ang.z,
                spin - rate / a * g / inertia,
            );
            assert!((got - wanted).abs() < 1e-12, "{got} {wanted}");
        }
    }
}

/// A gear with slack: the row pushes one way alone, and another row repeats it.
#[test]
fn a_one_sided_gear_and_its_copy() {
    for way in [1.0, -1.0] {
        let mut b = Builder::new();
        let bodies = wheels(&mut b, &[(1.0, way), (1.0, 0.0), (1.0, 0.0)]);
        let rows = [0, 1].map(|_| (row(0.0, INF, 0.0), [1.0, 1.0, -1.0].map(spin_z).to_vec()));
        wide(&mut b, &bodies, &rows, Extra::default());
        let p = both(&b.problem);
        let left = if way > 0.0 { 1.0 } else { -1.0 + 1.0 / 3.0 };
        assert!((p.bodies[1].vel.ang.z - left).abs() < 1e-12);
    }
}

/// T31c: the common centre of mass of stacked cubes held at a speed, by a row over all of them.
#[test]
fn centre_of_mass_of_a_stack() {
    let mut b = Builder::new();
    let masses = [1.0, 2.0, 4.0, 8.0];
    let mut bodies = Vec::new();
    for (k, m) in masses.into_iter().enumerate() {
        let y = k as f64;
        let body = b.cube(m, DVec3::new(0.0, y + 0.5, 0.0), DVec3::NEG_Y);
        for (x, z) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
            b.contact(
                [body - 1, body],
                DVec3::new(x, y, z),
                0.0,
                Law::Cone { mu: 0.5 },
            );
        }
        bodies.push(body);
    }
    let total: f64 = masses.iter().sum();
    let jac = masses.map(|m| Twist::new(DVec3::X * (m / total), DVec3::ZERO));
    let drive = (row(-INF, INF, -0.05), jac.to_vec());
    wide(&mut b, &bodies, &[drive], Extra::default());
    let mut p = b.problem;
    let e = grade(&mut p, &Exact::default());
    assert!(e < 1e-11, "{e:.1e}");
    let weighted = p.bodies[1..]
        .iter()
        .zip(masses)
        .map(|(b, m)| m * b.vel.lin.x);
    assert!((weighted.sum::<f64>() / total - 0.05).abs() < 1e-12);
}

/// Rows whose forces are turned away from what they measure.
fn mapped(rows: [[f64; 2]; 2], acts: [[f64; 2]; 2], lo: f64, free: DVec3) -> Problem {
    let mut b = Builder::new();
    let body = b.cube(2.0, DVec3::ZERO, DVec3::ZERO);
    b.problem.bodies[body as usize].free.lin = free;
    let along = |[x, y]: [f64; 2]| Twist::new(DVec3::new(x, y, 0.0), DVec3::ZERO);
    let extra = Extra {
        acts: acts.iter().flat_map(|a| [Twist::ZERO, along(*a)]).collect(),
        ..Extra::default()
    };
    let rows = rows.map(|j| (row(lo, INF, 0.0), vec![Twist::ZERO, along(j)]));
    wide(&mut b, &[0, body], &rows, extra);
    b.problem
}

/// T07 as a map: the matrix [[1, 0.2], [−0.4, 1]]/m of two one-sided rows.
#[test]
fn one_sided_column_maps() {
    let free = DVec3::new(-0.3, -0.5, 0.2);
    let p = both(&mapped(
        [[1.0, 0.0], [0.0, 1.0]],
        [[1.0, -0.4], [0.2, 1.0]],
        0.0,
        free,
    ));
    let det = 1.0 + 0.08;
    let wanted = [
        -2.0 * (free.x - 0.2 * free.y) / det,
        -2.0 * (free.y + 0.4 * free.x) / det,
    ];
    for (row, wanted) in p.rows.iter().zip(wanted) {
        assert!((row.lambda - wanted).abs() < 1e-12);
    }
}

/// Two equations that each act along the other's direction, one reversed: nothing on the diagonal, no
/// sweep can begin, and one solution.
#[test]
fn equations_that_act_across() {
    let free = DVec3::new(-0.3, 0.5, 0.2);
    let mut p = mapped(
        [[1.0, 0.0], [0.0, 1.0]],
        [[0.0, 1.0], [-1.0, 0.0]],
        -INF,
        free,
    );
    let e = grade(&mut p, &Exact::default());
    assert!(e < 1e-13, "{e:.1e}");
    assert!((p.rows[0].lambda + 2.0 * free.y).abs() < 1e-13);
    assert!((p.rows[1].lambda - 2.0 * free.x).abs() < 1e-13);
}

/// A body at rest on the ground under `Law::Spin`, with a spin of its own.
fn spinning(spin: DVec3, torsion: f64, rolling: f64, points: &[DVec3]) -> Problem {
    let mut b = Builder::new();
    let body = b.cube(1.0, DVec3::Y * 0.5, DVec3::NEG_Y);
    b.problem.bodies[body as usize].free.ang = spin;
    for &at in points {
        b.contact([0, body], at, 0.0, Law::Cone { mu: 0.6 });
    }
    let normals: Vec<u32> = (0..points.len() as u32).map(|k| 3 * k).collect();
    resist(&mut b.problem, [0, body], normals, torsion, rolling);
    b.problem
}

/// T40: one point below the centre carries m g h; spin about it falls by τ m g h/I in a step.
#[test]
fn torsion_has_the_load_of_the_same_step() {
    let load = 9.81 * 0.01;
    for (spin, torsion) in [(5.0, 0.02), (-5.0, 0.02), (0.001, 0.02), (5.0, 0.0)] {
        let p = both(&spinning(DVec3::Y * spin, torsion, 0.0, &[DVec3::ZERO]));
        let wanted = f64::max(spin.abs() - 6.0 * torsion * load, 0.0) * f64::signum(spin);
        let got = p.bodies[1].vel.ang.y;
        assert!((got - wanted).abs() < 1e-12, "{got} {wanted}");
        assert!((p.rows[0].lambda - load).abs() < 1e-12);
    }
}

/// Rolling in any direction, over patches of one and four points, with torsion beside it.
#[test]
fn rolling_and_torsion_together() {
    let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
    let corners = corners.map(|(x, z)| DVec3::new(x, 0.0, z));
    for points in [&[DVec3::ZERO][..], &corners] {
        for spin in [
            DVec3::new(1.0, 2.0, -0.5),
            DVec3::new(0.01, 0.0, 0.02),
            DVec3::ZERO,
        ] {
            for (torsion, rolling) in [(0.02, 0.03), (0.0, 0.05), (0.3, 0.3)] {
                both(&spinning(spin, torsion, rolling, points));
            }
        }
    }
}

/// Compliance that couples rows: two equations, and an equation with a bounded row.
#[test]
fn coupled_compliance() {
    for lo in [-INF, 0.0] {
        for push in [-1.0, 1.0] {
            let mut b = Builder::new();
            let body = b.cube(2.0, DVec3::ZERO, DVec3::ZERO);
            b.problem.bodies[body as usize].free.lin = DVec3::new(push, 0.5, 0.0);
            let (r, c) = ([0.7, 0.4], 0.3);
            let rows = [0, 1].map(|k| {
                let mut row = row(if k == 0 { lo } else { -INF }, INF, 0.0);
                row.both(0.0, r[k]);
                (
                    row,
                    vec![Twist::ZERO, Twist::new(DVec3::AXES[k], DVec3::ZERO)],
                )
            });
            let extra = Extra {
                cross: vec![0.0, c, c, 0.0],
                ..Extra::default()
            };
            wide(&mut b, &[0, body], &rows, extra);
            let p = both(&b.problem);
            // [[½ + 0.7, 0.3], [0.3, ½ + 0.4]] λ = −(push, ½), the first λ not negative.
            let (a, d) = (0.5 + r[0], 0.5 + r[1]);
            let free = [
                -(d * push - 0.5 * c) / (a * d - c * c),
                -(0.5 * a - c * push) / (a * d - c * c),
            ];
            let wanted = if free[0] < lo { [0.0, -0.5 / d] } else { free };
            for (row, wanted) in p.rows.iter().zip(wanted) {
                assert!(
                    (row.lambda - wanted).abs() < 1e-12,
                    "{} {wanted}",
                    row.lambda
                );
            }
        }
    }
}

/// A body that cannot turn, welded to one that can and hangs from nothing else: the weld's moments act
/// on the other side alone.
#[test]
fn welds_to_a_body_with_locked_axes() {
    let mut b = Builder::new();
    let a = b.cube(1.0, DVec3::ZERO, DVec3::NEG_Y);
    let c = b.cube(3.0, DVec3::X, DVec3::NEG_Y);
    b.problem.bodies[a as usize].free.ang = DVec3::new(1.0, -2.0, 3.0);
    b.problem.bodies[c as usize].inv.ang = DMat3::ZERO;
    b.joint([a, c], DVec3::X * 0.5, true, &[]);
    let p = both(&b.problem);
    assert!(p.bodies[a as usize].vel.ang.length() < 1e-12);
}

/// A row under pressure (negative R) among rigid ones.
#[test]
fn negative_compliance() {
    let mut b = Builder::new();
    let body = b.cube(1.0, DVec3::ZERO, DVec3::NEG_Y);
    let mut pressed = row(-INF, INF, 0.1);
    pressed.both(0.1, -3.0);
    let along = |e| vec![Twist::ZERO, Twist::new(e, DVec3::ZERO)];
    let rows = [
        (pressed, along(DVec3::Y)),
        (row(-INF, INF, 0.0), along(DVec3::X)),
    ];
    wide(&mut b, &[0, body], &rows, Extra::default());
    let mut p = b.problem;
    let e = grade(&mut p, &Exact::default());
    assert!(e < 1e-13, "{e:.1e}");
    let wanted = -(p.bodies[1].free.lin.y + 0.1) / (1.0 - 3.0);
    assert!((p.rows[0].lambda - wanted).abs() < 1e-13);
}

/// The position pass of a wide row has a bias of its own.
#[test]
fn terms_of_both_passes_are_read() {
    let mut b = Builder::new();
    let bodies = wheels(&mut b, &[(1.0, 1.0), (1.0, 2.0), (1.0, 4.0)]);
    let mut sum = row(-INF, INF, 0.0);
    sum.position = Term {
        bias: -1.0,
        reg: 0.0,
    };
    wide(
        &mut b,
        &bodies,
        &[(sum, [1.0; 3].map(spin_z).to_vec())],
        Extra::default(),
    );
    for (pass, wanted) in [(Pass::Position, 1.0), (Pass::Velocity, 0.0)] {
        let mut p = b.problem.clone();
        Exact::default().solve(&mut p, pass, BUDGET, &mut Scratch::default());
        let sum: f64 = p.bodies.iter().map(|b| b.vel.ang.z).sum();
        assert!((sum - wanted).abs() < 1e-12, "{pass:?}: {sum}");
    }
}
