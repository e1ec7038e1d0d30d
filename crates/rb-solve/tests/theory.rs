//! Acceptance cases of the theory at solver level: T01, T02, T05, T17, T18, T28.

mod common;

use common::{Random, Scene};
use glam::DVec3;
use proptest::prelude::*;
use rb_solve::conic::{FrictionLaw, FrictionProblem, central_path};
use rb_solve::lcp::{BoxedLcp, End, Method};
use rb_solve::linalg::matrix::{Matrix, dot};

fn boxed(a: &[&[f64]], q: &[f64], lo: &[f64], hi: &[f64]) -> BoxedLcp {
    let n = q.len();
    let m = Matrix::from_fn(n, n, |i, j| a[i][j]);
    BoxedLcp::new(m, q.to_vec(), lo.to_vec(), hi.to_vec()).expect("valid")
}

#[test]
fn t01_truth_table_of_one_row() {
    // u₀, target, lo, hi → impulse, velocity.
    let table = [
        (2.0, 0.0, -0.5, 0.5, -0.5, 1.5),
        (-2.0, 0.0, -0.5, 0.5, 0.5, -1.5),
        (0.3, 0.0, -0.5, 0.5, -0.3, 0.0),
        (-0.3, 0.0, -0.5, 0.5, 0.3, 0.0),
        (0.0, 0.0, -0.5, 0.5, 0.0, 0.0),
        (0.0, 1.0, -0.2, 0.7, 0.7, 0.7),
        (2.0, 0.0, 0.1, 0.7, 0.1, 2.1),
    ];
    for (u0, target, lo, hi, impulse, velocity) in table {
        let p = boxed(&[&[1.0]], &[u0 - target], &[lo], &[hi]);
        for method in Method::ALL {
            let attempt = method.solve(&p);
            if lo > 0.0 && method == Method::LemkeSplit {
                // The split form cannot represent a box without 0; it has to say so.
                assert!(matches!(attempt.end, End::NoSolution { .. }));
                continue;
            }
            let z = attempt.z[0];
            assert!((z - impulse).abs() < 1e-12, "{method:?}: {z}");
            assert!((u0 + z - velocity).abs() < 1e-12, "{method:?}");
        }
    }
}

#[test]
fn t02_coupled_rows_are_not_clamped_one_by_one() {
    let p = boxed(
        &[&[2.0, 1.0], &[1.0, 2.0]],
        &[-4.0, -1.0],
        &[-1.0; 2],
        &[1.0; 2],
    );
    for method in Method::ALL {
        let z = method.solve(&p).z;
        assert!(
            (z[0] - 1.0).abs() < 1e-12 && z[1].abs() < 1e-12,
            "{method:?}: {z:?}"
        );
        assert!((p.rate(0, &z) + 2.0).abs() < 1e-12 && p.rate(1, &z).abs() < 1e-12);
    }
}

/// Numbers to build a random boxed problem of at most 30 rows from.
fn random_box() -> impl Strategy<Value = BoxedLcp> {
    (1usize..=30).prop_flat_map(|n| {
        let numbers = |lo: f64, hi: f64, n| prop::collection::vec(lo..hi, n);
        let kinds = prop::collection::vec(0u8..30, n);
        (
            numbers(-1.0, 1.0, n * n),
            numbers(-3.0, 3.0, n),
            numbers(0.1, 1.0, n),
            numbers(0.1, 1.0, n),
            kinds,
        )
            .prop_map(move |(g, q, below, above, kind)| {
                let row = |i: usize| &g[i * n..(i + 1) * n];
                let m = Matrix::from_fn(n, n, |i, j| {
                    dot(row(i), row(j)) + if i == j { 1e-3 } else { 0.0 }
                });
                let bounds = |i: usize| match kind[i] {
                    // A third without one or both bounds, a tenth away from 0.
                    0..3 => (f64::NEG_INFINITY, f64::INFINITY),
                    3..7 => (-below[i], f64::INFINITY),
                    7..10 => (f64::NEG_INFINITY, above[i]),
                    10..13 => (below[i], below[i] + above[i]),
                    _ => (-below[i], above[i]),
                };
                let (lo, hi) = (0..n).map(bounds).unzip();
                BoxedLcp::new(m, q, lo, hi).expect("valid")
            })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn t02_solvers_agree_on_random_boxes(p in random_box()) {
        let reference = Method::Lemke.solve(&p);
        prop_assert_eq!(&reference.end, &End::Converged);
        for method in [Method::Pivot, Method::Newton, Method::Sweep, Method::Auto] {
            let z = method.solve(&p).z;
            for (a, b) in z.iter().zip(&reference.z) {
                prop_assert!((a - b).abs() < 1e-8, "{:?}: {} {}", method, a, b);
            }
        }
        // The active set of the solution is all a warm start needs.
        for method in [Method::Pivot, Method::Lemke] {
            let warm = method.solve_from(&p, Some(&reference.z));
            prop_assert!(warm.iterations <= 1, "{:?} {}", method, warm.iterations);
        }
    }
}

/// Σ|z w| − Σ min(z, 0) − Σ min(w, 0) over the one-sided pairs of all bounds.
fn error_measure(p: &BoxedLcp, z: &[f64]) -> f64 {
    let side = |room: f64, push: f64| {
        if room.is_finite() {
            (room * push.max(0.0)).abs() - room.min(0.0)
        } else {
            push.max(0.0)
        }
    };
    let rows = (0..p.len()).map(|i| {
        let w = p.rate(i, z);
        side(z[i] - p.lower()[i], w) + side(p.upper()[i] - z[i], -w)
    });
    rows.sum()
}

/// Delassus matrix and free velocities of a tower of unit cubes (1 kg), four contacts per interface,
/// disturbed by up to 0.1 m/s.
fn tower(cubes: usize) -> (Matrix, Vec<f64>) {
    Scene::tower(cubes, 1.0)
        .disturb(0.1, &mut Random::new(0))
        .delassus()
}

/// Friction as a box with the bounds of resting contacts.
fn boxed_tower(cubes: usize, mu: f64) -> BoxedLcp {
    let (w, q) = tower(cubes);
    let bounds = |row: usize| {
        let load = (cubes - row / 12) as f64 * 0.0981 / 4.0;
        if row.is_multiple_of(3) {
            (0.0, f64::INFINITY)
        } else {
            (-mu * load, mu * load)
        }
    };
    let (lo, hi) = (0..q.len()).map(bounds).unzip();
    BoxedLcp::new(w, q, lo, hi).expect("valid")
}

/// Edges of a friction pyramid, as tangent (1 or 2) and sign.
const EDGES: [(usize, f64); 4] = [(1, 1.0), (2, 1.0), (1, -1.0), (2, -1.0)];

/// Friction as a pyramid of given edges, for contacts of three rows each: unknowns (r_n, β, slip
/// speed), unsymmetric.
fn pyramid(w: &Matrix, q: &[f64], mu: f64, edges: &[(usize, f64)]) -> BoxedLcp {
    let (nc, k) = (q.len() / 3, edges.len());
    // Row of W and sign of an unknown; `None` for slip speeds.
    let part = |i: usize| match i {
        i if i < nc => Some((3 * i, 1.0)),
        i if i < (k + 1) * nc => {
            let (c, (row, sign)) = ((i - nc) / k, edges[(i - nc) % k]);
            Some((3 * c + row, sign))
        }
        _ => None,
    };
    let contact = |i: usize| match i {
        i if i < nc => i,
        i if i < (k + 1) * nc => (i - nc) / k,
        i => i - (k + 1) * nc,
    };
    let n = (k + 2) * nc;
    let m = Matrix::from_fn(n, n, |i, j| match (part(i), part(j)) {
        (Some((a, s)), Some((b, t))) => s * t * w[(a, b)],
        _ if contact(i) != contact(j) => 0.0,
        (Some(_), None) => f64::from(u8::from(i >= nc)),
        (None, Some(_)) => {
            if j < nc {
                mu
            } else {
                -1.0
            }
        }
        (None, None) => 0.0,
    });
    let offset = (0..n)
        .map(|i| part(i).map_or(0.0, |(row, sign)| sign * q[row]))
        .collect();
    BoxedLcp::nonnegative(m, offset).expect("valid")
}

/// T28: a rod of 2 kg lying on both ends under a force, its friction directions stated once and again.
/// Returns N and the friction (N) and the acceleration along x (m/s²).
fn lying_rod(mu: f64, force: DVec3, rising: f64, copies: usize, method: Method) -> [f64; 3] {
    let (m, h) = (2.0, 1e-3);
    let free = force * (h / m) - DVec3::Y * (9.81 * h - rising);
    let axes = [DVec3::Y, DVec3::X, DVec3::Z];
    let rows: Vec<(DVec3, DVec3)> = [-1.0, 1.0]
        .into_iter()
        .flat_map(|x| axes.map(|e| (e, DVec3::new(x, -0.05, 0.0).cross(e))))
        .collect();
    let w = Matrix::from_fn(6, 6, |i, j| {
        rows[i].0.dot(rows[j].0) / m + rows[i].1.dot(rows[j].1)
    });
    let q: Vec<f64> = rows.iter().map(|(e, _)| e.dot(free)).collect();
    let edges = EDGES.repeat(1 + copies);
    let p = pyramid(&w, &q, mu, &edges);
    let z = method.solve(&p).z;
    assert!(error_measure(&p, &z) < 1e-9, "{method:?}");
    let normal = (z[0] + z[1]) / h;
    let along = |(row, sign): (usize, f64)| if row == 1 { sign } else { 0.0 };
    let friction: f64 = (0..2 * edges.len())
        .map(|i| along(edges[i % edges.len()]) * z[2 + i] / h)
        .sum();
    [normal, friction, (free.x + friction * h / m) / h]
}

#[test]
fn t28_duplicated_friction_directions_change_nothing() {
    let push = DVec3::X * 100.0;
    let cases = [
        (15.0, push, 0.0, [19.62, -100.0, 0.0]),
        (0.1, push, 0.0, [19.62, -1.962, 49.019]),
        (0.1, DVec3::Y * 30.0, 0.0, [0.0; 3]),
        (0.1, DVec3::ZERO, 1.0, [0.0; 3]),
    ];
    let mut worst = 0.0f64;
    for (mu, force, rising, wanted) in cases {
        for copies in 0..=3 {
            for method in [Method::Lemke, Method::Auto] {
                let found = lying_rod(mu, force, rising, copies, method);
                for (value, wanted) in found.into_iter().zip(wanted) {
                    worst = worst.max((value - wanted).abs());
                }
            }
        }
    }
    println!("rod battery with 4 to 16 directions: {worst:.1e}");
    assert!(worst < 1e-8, "{worst:e}");
}

#[test]
fn t05_towers_of_boxes() {
    for mu in [0.2, 0.8] {
        for cubes in [2, 5, 10, 21] {
            let p = boxed_tower(cubes, mu);
            for (method, limit) in [
                (Method::Lemke, 1e-8),
                (Method::Pivot, 1e-8),
                (Method::Sweep, 1e-5),
            ] {
                let e = error_measure(&p, &method.solve(&p).z);
                println!(
                    "boxes   {:3} rows, mu {mu}, {:6} {e:.1e}",
                    p.len(),
                    method.name()
                );
                assert!(e <= limit, "{method:?} {e}");
            }
        }
        for cubes in [1, 2, 5, 10] {
            let (w, q) = tower(cubes);
            let p = pyramid(&w, &q, mu, &EDGES);
            for method in [Method::Lemke, Method::Auto] {
                let e = error_measure(&p, &method.solve(&p).z);
                println!(
                    "pyramid {:3} rows, mu {mu}, {:6} {e:.1e}",
                    p.len(),
                    method.name()
                );
                assert!(e <= 1e-8, "{method:?} {e}");
            }
        }
    }
}

fn one_contact(mass: f64, q: [f64; 3], mu: f64) -> FrictionProblem {
    let w = Matrix::from_fn(3, 3, |i, j| if i == j { 1.0 / mass } else { 0.0 });
    FrictionProblem::new(w, q.to_vec(), vec![mu]).expect("valid")
}

#[test]
fn t17_resting_bodies_hover() {
    let (g, h) = (9.81, 0.01);
    for (kappa, height) in [(1e-4, 1.019_368_0e-3), (1e-8, 1.019_368_0e-7)] {
        // At the height κ/(m g h) the step from rest ends at rest, carried by m g h.
        let q = [height / h - g * h, 0.0, 0.0];
        // The case has γ φ = κ at the new height φ = h s.
        let r = central_path(&one_contact(1.0, q, 0.5), FrictionLaw::Coulomb, kappa / h);
        let r = r.expect("on the path");
        assert!((r[0] / (g * h) - 1.0).abs() < 1e-6, "{r:?}");
    }
}

#[test]
fn t18_loaded_contacts_creep() {
    let (g, h, mu, kappa) = (9.81, 0.01, 0.5, 1e-4);
    let gamma = g * h;
    for (ratio, speed) in [
        (0.2, 4.247_366_6e-4),
        (0.5, 1.359_157_32e-3),
        (0.9, 9.657_170_45e-3),
    ] {
        let load = ratio * mu * gamma;
        // A normal velocity such that γ carries the weight, a tangential one that ends at `speed`.
        let q = [
            kappa / gamma - gamma,
            0.6 * (speed + load),
            0.8 * (speed + load),
        ];
        let r = central_path(&one_contact(1.0, q, mu), FrictionLaw::Coulomb, kappa);
        let r = r.expect("on the path");
        assert!((r[0] / gamma - 1.0).abs() < 1e-6, "{r:?}");
        for (share, k) in [(0.6, 1), (0.8, 2)] {
            let u = q[k] + r[k];
            assert!((u / (share * speed) - 1.0).abs() < 1e-6, "{u}");
        }
    }
}
