//! Random, degenerate and badly scaled problems: no panic, no hang, no wrong "solved".

use proptest::prelude::*;
use rb_solve::conic::{self, FrictionLaw, FrictionProblem};
use rb_solve::lcp::{BoxedLcp, End, Method};
use rb_solve::linalg::matrix::{Matrix, dot};

/// A number of any size from 1e-12 to 1e12, or zero.
fn wild() -> impl Strategy<Value = f64> {
    (-1.0..1.0f64, -12..=12i32, 0u8..8).prop_map(|(x, exponent, zero)| {
        if zero == 0 {
            0.0
        } else {
            x * 10f64.powi(exponent)
        }
    })
}

/// Matrices of all classes, bounds of all kinds, scaled by rows and columns.
fn wild_box() -> impl Strategy<Value = BoxedLcp> {
    (0usize..=8).prop_flat_map(|n| {
        let list = |k| prop::collection::vec(-1.0..1.0f64, k);
        (
            (0u8..6, 1..=n.max(1), list(n * n), list(n * n)),
            prop::collection::vec((-12..=12i32, -12..=12i32), n),
            prop::collection::vec((wild(), wild(), wild(), 0u8..6), n),
        )
            .prop_map(move |((class, rank, g, k), scales, rows)| {
                let entry = |i: usize, j: usize| -> f64 {
                    let gram: f64 = (0..rank).map(|c| g[i * n + c] * g[j * n + c]).sum();
                    let skew = k[i * n + j] - k[j * n + i];
                    match class {
                        0 => gram,
                        1 => gram + skew,
                        2 => skew,
                        3 => k[i * n + j],
                        4 => k[i * n + j].round(),
                        _ => 0.0,
                    }
                };
                let unit = |e: i32| 10f64.powi(e);
                let m = Matrix::from_fn(n, n, |i, j| {
                    entry(i, j) * unit(scales[i].0) * unit(scales[j].1)
                });
                let bounds = |&(a, b, _, kind): &(f64, f64, f64, u8)| match kind {
                    0 => (f64::NEG_INFINITY, f64::INFINITY),
                    1 => (f64::NEG_INFINITY, b),
                    2 => (a, a),
                    3 => (a.min(b), a.max(b)),
                    _ => (0.0, f64::INFINITY),
                };
                let (lo, hi) = rows.iter().map(bounds).unzip();
                let q = rows.iter().map(|r| r.2).collect();
                BoxedLcp::new(m, q, lo, hi).expect("valid")
            })
    })
}

/// Natural map by another route than the certificate's: as it is written in the books.
fn textbook_residual(p: &BoxedLcp, z: &[f64]) -> (f64, f64) {
    let (mut worst, mut rounding) = (0.0f64, 0.0f64);
    for i in 0..p.len() {
        let w = p.offset()[i] + dot(p.matrix().row(i), z);
        let e = z[i] - (z[i] - w).max(p.lower()[i]).min(p.upper()[i]);
        let terms = p.matrix().row(i).iter().zip(z).map(|(a, x)| (a * x).abs());
        worst = worst.max(e.abs());
        rounding = rounding.max(1e-14 * (terms.sum::<f64>() + w.abs() + z[i].abs()));
    }
    (worst, rounding)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_boxed_problem_breaks_a_solver(p in wild_box()) {
        for method in Method::ALL {
            let attempt = method.solve(&p);
            for (i, z) in attempt.z.iter().enumerate() {
                prop_assert!((p.lower()[i]..=p.upper()[i]).contains(z), "{:?} {}", method, z);
            }
            let grade = p.residual(&attempt.z);
            prop_assert!(!grade.abs.is_nan());
            let (textbook, rounding) = textbook_residual(&p, &attempt.z);
            prop_assert!((grade.abs - textbook).abs() <= rounding, "{} {}", grade.abs, textbook);
        }
    }

    /// A problem built around a solution is solved, to what its largest terms allow.
    #[test]
    fn monotone_problems_are_solved(
        p in wild_box(),
        sides in prop::collection::vec((0.0..2.0f64, 0.0..2.0f64, 0u8..3), 8),
        scale in -12..=12i32,
    ) {
        let n = p.len();
        let unit = 10f64.powi(scale);
        let g = |i: usize, j: usize| (p.matrix()[(i, j)] * 1e3).sin();
        let m = Matrix::from_fn(n, n, |i, j| {
            let gram: f64 = (0..n.div_ceil(2)).map(|k| g(i, k) * g(j, k)).sum();
            unit * (gram + 0.3 * (g(i, j) - g(j, i)))
        });
        let z: Vec<f64> = (0..n).map(|i| if sides[i].2 == 0 { 0.0 } else { sides[i].0 }).collect();
        let w = |i: usize| if sides[i].2 == 0 { unit * sides[i].1 } else { 0.0 };
        let q: Vec<f64> = (0..n).map(|i| w(i) - dot(m.row(i), &z)).collect();
        let p = BoxedLcp::nonnegative(m, q).expect("valid");
        let attempt = Method::Auto.solve(&p);
        let grade = p.residual(&attempt.z);
        prop_assert!(grade.relative <= 1e-9, "{:?} {:?}", grade, attempt);
        prop_assert_eq!(attempt.end, End::Converged);
    }

    /// Contacts of any rank, scale and coefficient: finite impulses inside their cones, and a grade
    /// that another evaluation confirms.
    #[test]
    fn no_friction_problem_breaks_a_solver(
        nc in 0usize..=4,
        rank in 1usize..=12,
        g in prop::collection::vec(-1.0..1.0f64, 144),
        scales in prop::collection::vec(-6..=6i32, 4),
        q in prop::collection::vec(wild(), 12),
        mu in prop::collection::vec((0.0..2.0f64, 0u8..4), 4),
        convex in any::<bool>(),
    ) {
        let n = 3 * nc;
        let unit = |i: usize| 10f64.powi(scales[i / 3]);
        let w = Matrix::from_fn(n, n, |i, j| {
            let gram: f64 = (0..rank).map(|k| g[i * 12 + k] * g[j * 12 + k]).sum();
            gram * unit(i) * unit(j)
        });
        let mu: Vec<f64> = mu[..nc].iter().map(|&(m, kind)| if kind == 0 { 0.0 } else { m }).collect();
        let law = if convex { FrictionLaw::Convex } else { FrictionLaw::Coulomb };
        let p = FrictionProblem::new(w, q[..n].to_vec(), mu).expect("valid");
        for method in conic::Method::ALL {
            let attempt = method.solve(&p, law);
            prop_assert!(attempt.r.iter().all(|r| r.is_finite()), "{:?} {:?}", method, attempt);
            let residual = p.residual(&attempt.r, law);
            prop_assert!(residual.cone <= 1e-12, "{:?} {:?}", method, residual);
            prop_assert!(!residual.scaled.is_nan());
            if residual.meets(1e-10) {
                prop_assert!(coulomb_by_cases(&p, &attempt.r) || convex, "{:?} {:?}", method, residual);
            }
        }
    }
}

/// Coulomb's law by its three cases instead of a projection.
fn coulomb_by_cases(p: &FrictionProblem, r: &[f64]) -> bool {
    let scales = p.scales();
    let stop = |c: usize| {
        let free = &p.free_velocity()[3 * c..3 * c + 3];
        dot(free, free).sqrt() / scales[c]
    };
    let largest = match r.iter().fold(0.0f64, |m, x| m.max(x.abs())) {
        0.0 => (0..p.len()).map(stop).fold(0.0, f64::max),
        largest => largest,
    };
    (0..p.len()).all(|c| {
        let u: Vec<f64> = (3 * c..3 * c + 3)
            .map(|i| p.free_velocity()[i] + dot(p.matrix().row(i), r))
            .collect();
        let terms = (3 * c..3 * c + 3).map(|i| {
            let row = p.matrix().row(i).iter().zip(r).map(|(a, b)| (a * b).abs());
            row.sum::<f64>() + p.free_velocity()[i].abs()
        });
        let rounding = 1e-8 * terms.fold(0.0, f64::max) + 1e-8 * scales[c] * largest;
        let (n, slip) = (r[3 * c], u[1].hypot(u[2]));
        let friction = r[3 * c + 1].hypot(r[3 * c + 2]);
        let opens = u[0] >= -rounding;
        let open = n <= 1e-8 * largest;
        let closed = u[0] <= rounding;
        let sticks = slip <= rounding;
        let slides = (friction - p.mu()[c] * n).abs() <= 1e-8 * largest
            && u[1] * r[3 * c + 1] + u[2] * r[3 * c + 2] <= rounding * largest;
        opens && (open || closed && (sticks || slides))
    })
}
