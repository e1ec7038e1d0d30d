//! Springs: accuracy, stability and numerical damping, against closed forms
//! (`data/analytic.json`).

mod common;
use common::cases::Case;
use common::*;
use rb_world::joint::Distance;
use rb_world::prelude::*;

fn with_scheme(alpha: f64, beta: f64) -> Params {
    Params {
        scheme: Scheme { alpha, beta },
        ..weightless()
    }
}

#[test]
fn damped_oscillator() {
    let case = Case::new("damped_oscillator");
    let (m, k, c, x0, h) = (1.0, 1e4, 2.0, 0.01, 1e-4);
    let spring = Spring::new(0.0, k, c);
    let params = with_scheme(0.5, 0.5);
    let (mut world, body, _) = slider_mass(params, m, DVec3::X, |s| s.spring(spring), x0);
    let mut xs = vec![x0];
    run(&mut world, h, 2000, |w, _| {
        xs.push(w.position(body).unwrap().x)
    });
    let relative = case.tolerance("1e-4 rel");
    let wanted = case.expected("/x_0_1");
    case.within("x after 0.1 s", xs[1000], wanted, relative * wanted.abs());
    // Tops of the parabolas through three samples around each maximum.
    let tops: Vec<f64> = xs
        .windows(3)
        .filter(|w| w[1] > w[0] && w[1] >= w[2])
        .map(|w| w[1] - (w[2] - w[0]).powi(2) / (8.0 * (w[0] - 2.0 * w[1] + w[2])))
        .collect();
    let decrement = (tops[0] / tops[tops.len() - 1]).ln() / (tops.len() - 1) as f64;
    let wanted = case.expected("/log_decrement");
    case.within(
        "logarithmic decrement",
        decrement,
        wanted,
        relative * wanted,
    );
}

#[test]
fn stiff_decay_l_stability() {
    let case = Case::new("stiff_decay_L_stability");
    let (length, h) = (1.0, 1.0 / 60.0);
    for exponent in (2..=12).step_by(2) {
        let k = 10f64.powi(exponent);
        let name = format!("1e{exponent}");
        let mut world = World::new(exact(DVec3::NEG_Y * G)).unwrap();
        let hook = world.add_body(BodyDesc::fixed()).unwrap();
        // Pulled down by a centimetre.
        let mass = BodyDesc::dynamic()
            .at([0.0, -length - 0.01, 0.0])
            .mass(1.0, DVec3::ONE);
        let mass = world.add_body(mass).unwrap();
        let spring = Distance::new(Pose::IDENTITY, Pose::IDENTITY);
        let spring = spring.spring(Spring::new(length, k, 0.0));
        world.add_joint(hook, mass, spring).unwrap();
        let stretch = |w: &World| -w.position(mass).unwrap().y - length;
        let energy = |w: &World| {
            let (kinetic, potential) = w.energy();
            kinetic + potential + 0.5 * k * stretch(w).powi(2) + G * length
        };
        let (mut before, mut gain) = (energy(&world), 0.0f64);
        run(&mut world, h, 1800, |w, _| {
            let now = energy(w);
            gain = gain.max(now - before);
            before = now;
        });
        // Rounding of the energies at hand and, weighed by the spring, of a length of 1 m.
        let rounding = 1e-14 * (G * length + 0.5 * k * 0.01f64.powi(2));
        case.below(
            &format!("gain of energy in a step, k {name}"),
            gain,
            rounding,
        );
        let (found, wanted) = (stretch(&world), case.expected(&format!("/stretch/{name}")));
        if exponent <= 8 {
            case.check(&format!("stretch, k {name}"), found, wanted, "1%");
        } else {
            let allowed = case.tolerance("1e-6 beyond");
            case.below(&format!("stretch, k {name}"), found.abs(), allowed);
            case.note(&format!("stretch over m g / k, k {name}"), found / wanted);
        }
    }
}

/// Trace and determinant of one step in (x, h v) of x'' = −ω² x, ω = 100.
fn step_map(params: Params, h: f64) -> (f64, f64) {
    let step = |x: f64, hv: f64| {
        let spring = Spring::new(0.0, 1e4, 0.0);
        let (mut world, body, _) = slider_mass(params, 1.0, DVec3::X, |s| s.spring(spring), x);
        world
            .set_velocity(body, [hv / h, 0.0, 0.0], DVec3::ZERO)
            .unwrap();
        world.step(h).unwrap();
        let (p, v) = (world.position(body).unwrap(), world.velocity(body).unwrap());
        [p.x, h * v.lin.x]
    };
    let ([a, c], [b, d]) = (step(1.0, 0.0), step(0.0, 1.0));
    (a + d, a * d - b * c)
}

#[test]
fn integrator_amplification() {
    let case = Case::new("integrator_amplification");
    for (name, h) in [("0.001", 1e-3), ("0.01", 1e-2), ("0.01667", 1.0 / 60.0)] {
        let wanted = |what: &str| case.expected(&format!("/h={name}/{what}"));
        let check = |what: &str, value, wanted| {
            case.check(&format!("{what}, h {name}"), value, wanted, "1e-10");
        };
        // Both eigenvalues of a step are a conjugate pair: modulus² = determinant.
        let (_, det) = step_map(with_scheme(1.0, 1.0), h);
        check(
            "implicit Euler, factor",
            det.sqrt(),
            wanted("implicit_euler_factor_per_step"),
        );
        let (trace, det) = step_map(with_scheme(0.5, 0.5), h);
        check("midpoint, factor", det.sqrt(), wanted("midpoint_factor"));
        let phase = (0.5 * trace / det.sqrt()).acos();
        check("midpoint, phase", phase, wanted("midpoint_phase_per_step"));
    }
}
