//! α/β scheme and compliance (theory T10, T11, T12, T13, T15).

mod common;
use common::*;
use proptest::prelude::*;
use rb_world::prelude::*;

fn with_scheme(alpha: f64, beta: f64) -> Params {
    Params {
        scheme: Scheme { alpha, beta },
        ..weightless()
    }
}

/// Position and velocity of a spring-mass after `n` steps.
fn oscillate(
    params: Params,
    spring: Spring,
    m: f64,
    h: f64,
    n: usize,
    x0: f64,
    v0: f64,
) -> [f64; 2] {
    let (mut world, body, _) = slider_mass(params, m, DVec3::X, |s| s.spring(spring), x0);
    world
        .set_velocity(body, [v0, 0.0, 0.0], DVec3::ZERO)
        .unwrap();
    run(&mut world, h, n, |_, _| {});
    [
        world.position(body).unwrap().x,
        world.velocity(body).unwrap().lin.x,
    ]
}

/// α, β, x and v after 100 steps; E/E₀ where it is a closed form, by its 100th root.
const T10: [(f64, f64, f64, f64, Option<f64>); 7] = [
    (0.0, 0.0, -1.408846982916, 0.848506928758, Some(1.01)),
    (0.0, 1.0, -0.809384821133, 0.548202119544, None),
    (1.0, 0.0, -0.864205033088, 0.548202119544, None),
    (0.5, 0.5, -0.843569150876, 0.537020565426, Some(1.0)),
    (0.5, 1.0, -0.648262211998, 0.416581537306, None),
    (1.0, 0.5, -0.669091288863, 0.416581537306, None),
    (1.0, 1.0, -0.520866526040, 0.313702525301, Some(1.0 / 1.01)),
];

#[test]
fn t10_undamped_oscillator() {
    for (alpha, beta, x, v, factor) in T10 {
        let p = with_scheme(alpha, beta);
        let [px, pv] = oscillate(p, Spring::new(0.0, 1.0, 0.0), 1.0, 0.1, 100, 1.0, 0.0);
        close(&format!("x100 at ({alpha}, {beta})"), px, x, 1e-11);
        close(&format!("v100 at ({alpha}, {beta})"), pv, v, 1e-11);
        if let Some(factor) = factor {
            let name = format!("energy at ({alpha}, {beta})");
            close(&name, px * px + pv * pv, f64::powi(factor, 100), 1e-12);
        }
    }
}

#[test]
fn t11_damped_oscillator() {
    let cases = [
        (1.0, 1.0, 0.046622714592, 4.706851162995, 1e-11),
        (0.5, 0.5, 0.096277362, 5.900464686, 1e-9),
        (0.5, 1.0, 0.090463587726, 5.242438565612, 1e-11),
    ];
    for (alpha, beta, x, v, tol) in cases {
        let p = with_scheme(alpha, beta);
        let [px, pv] = oscillate(p, Spring::new(0.0, 100.0, 2.0), 1.0, 0.01, 50, 1.0, 0.0);
        close(&format!("x at ({alpha}, {beta})"), px, x, tol);
        close(&format!("v at ({alpha}, {beta})"), pv, v, tol);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    /// Determinant and trace of one step in (x, h v) against the closed form, to 1e-12 of the terms they
    /// are differences of (which are of order one unless the step is far beyond stability).
    #[test]
    fn t12_amplification(
        alpha in 0.05..1.0f64, beta in 0.0..1.0f64, d in 0.0..0.1f64, k in 0.1..1e4f64, h in 1e-3..0.1f64,
    ) {
        prop_assume!(h * beta + d > 1e-3 * h);
        let step = |x, v| oscillate(with_scheme(alpha, beta), Spring::new(0.0, k, d * k), 1.0, h, 1, x, v);
        let ([a, c], [b, e]) = (step(1.0, 0.0), step(0.0, 1.0 / h));
        let (c, e) = (c * h, e * h);
        let (s, bp) = (h * h * k, beta + d / h);
        let den = 1.0 + s * alpha * bp;
        let det = (1.0 + s * (1.0 - alpha) * (1.0 - bp)) / den;
        let trace = 2.0 - s * (alpha + bp) / den;
        prop_assert!((a * e - b * c - det).abs() < 1e-12 * (a * e).abs().max(1.0), "det");
        prop_assert!((a + e - trace).abs() < 1e-12 * a.abs().max(e.abs()).max(1.0), "trace");
    }
}

#[test]
fn t12_growth_at_the_limit_of_stability() {
    // (0, 1) at h ω = 1.999 stays bounded for 1e5 steps, at 2.001 it grows by 1.065 per step.
    let largest = |hw: f64, n: usize| {
        let spring = Spring::new(0.0, hw * hw * 1e4, 0.0);
        let (mut world, body, _) = slider_mass(
            with_scheme(0.0, 1.0),
            1.0,
            DVec3::X,
            |s| s.spring(spring),
            1.0,
        );
        let mut largest = 0.0f64;
        run(&mut world, 0.01, n, |w, _| {
            largest = largest.max(w.position(body).unwrap().x.abs());
        });
        largest
    };
    let bounded = largest(1.999, 100_000);
    println!("largest amplitude at 1.999: {bounded:.2}");
    // Amplitude of the conserved quadratic form x² + x p + p² near h ω = 2: 1/√(1 − (h ω/2)²).
    assert!(bounded < 1.01 / (1.0 - 0.9995f64 * 0.9995).sqrt());
    assert!(largest(2.001, 400) > 1e6);
}

#[test]
fn t13_order() {
    let error = |alpha, beta, n: usize| {
        let p = with_scheme(alpha, beta);
        let [x, v] = oscillate(
            p,
            Spring::new(0.0, 1.0, 0.0),
            1.0,
            1.0 / n as f64,
            n,
            1.0,
            0.0,
        );
        ((x - 1f64.cos()).powi(2) + (v + 1f64.sin()).powi(2)).sqrt()
    };
    let cases = [
        (0.5, 0.5, 3.9999),
        (0.0, 1.0, 2.0014),
        (1.0, 0.0, 1.9988),
        (1.0, 1.0, 1.9960),
        (0.5, 1.0, 1.9947),
    ];
    for (alpha, beta, ratio) in cases {
        let found = error(alpha, beta, 64) / error(alpha, beta, 128);
        close(
            &format!("error ratio at ({alpha}, {beta})"),
            found,
            ratio,
            0.01 * ratio,
        );
    }
}

#[test]
fn t15_static_deflection() {
    for (alpha, beta, damping) in [
        (1.0, 1.0, 0.0),
        (0.5, 1.0, 0.0),
        (1.0, 0.5, 0.0),
        (0.5, 0.5, 20.0),
        (0.3, 1.0, 20.0),
    ] {
        let p = Params {
            scheme: Scheme { alpha, beta },
            ..exact(DVec3::NEG_Y * G)
        };
        let spring = Spring::new(0.0, 1000.0, damping);
        let (mut world, body, _) = slider_mass(p, 2.0, DVec3::Y, |s| s.spring(spring), 0.0);
        run(&mut world, 0.01, 5000, |_, _| {});
        close(
            &format!("rest at ({alpha}, {beta})"),
            world.position(body).unwrap().y,
            -0.01962,
            1e-10,
        );
    }
    // Two springs in series: a weightless carrier between them.
    let (mut world, carrier, _) = slider_mass(
        exact(DVec3::NEG_Y * G),
        1.0,
        DVec3::Y,
        |s| s.spring(Spring::new(0.0, 1000.0, 0.0)),
        0.0,
    );
    world.set_gravity_scale(carrier, 0.0).unwrap();
    let load = world
        .add_body(BodyDesc::dynamic().mass(2.0, DVec3::ONE))
        .unwrap();
    let slider = Slider::at_world(&Pose::IDENTITY, &Pose::IDENTITY, DVec3::ZERO, DVec3::Y).unwrap();
    world
        .add_joint(carrier, load, slider.spring(Spring::new(0.0, 2000.0, 0.0)))
        .unwrap();
    run(&mut world, 0.01, 5000, |_, _| {});
    close(
        "two springs in series",
        world.position(load).unwrap().y,
        -0.02943,
        1e-10,
    );
}
