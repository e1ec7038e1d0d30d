//! Sliding, sticking and stopping on a plane, against closed forms (`data/analytic.json`).

mod common;
use common::cases::Case;
use common::*;
use rb_world::prelude::*;
use std::f64::consts::PI;

const SLOPE: f64 = PI / 6.0;

fn earth() -> Params {
    exact(DVec3::NEG_Y * G)
}

/// A box of 1 × 0.5 × 1 m.
fn slab(mu: f64, law: FrictionLaw) -> ColliderDesc {
    let shape = Shape::cuboid(DVec3::new(0.5, 0.25, 0.5)).unwrap();
    ColliderDesc::new(shape).friction(mu).friction_law(law)
}

/// The box at rest on a plane of 30°; the direction that leads down.
fn on_slope(mu: f64) -> (World, BodyHandle, DVec3) {
    let tilt = DQuat::from_rotation_z(-SLOPE);
    let mut world = World::new(earth()).unwrap();
    let plane = ColliderDesc::new(Shape::half_space(DVec3::Y).unwrap()).friction(mu);
    put(&mut world, BodyDesc::fixed().rotated(tilt), [plane]);
    let body = BodyDesc::dynamic().at(tilt * DVec3::Y * 0.25).rotated(tilt);
    let body = put(&mut world, body, [slab(mu, FrictionLaw::Conic)]);
    (world, body, tilt * DVec3::X)
}

#[test]
fn slope_threshold() {
    let case = Case::new("slope_threshold");
    let (h, t) = (0.01, 10.0);
    let threshold = case.expected("/mu_star");
    let bracket = case.tolerance("1%");
    let speed = |mu: f64| {
        let (mut world, body, down) = on_slope(mu);
        run(&mut world, h, (t / h) as usize, |_, _| {});
        world.velocity(body).unwrap().lin.dot(down)
    };
    let a = case.expected("/a_mu_0_5");
    case.check("acceleration, mu 0.5", speed(0.5) / t, a, "0.5%");
    let a = G * SLOPE.sin() * bracket;
    let below = speed(threshold * (1.0 - bracket)) / t;
    case.check("acceleration, mu 0.99 mu*", below, a, "0.5%");

    let (mut world, body, _) = on_slope(threshold * (1.0 + bracket));
    let start = world.position(body).unwrap();
    run(&mut world, h, (t / h) as usize, |_, _| {});
    let drift = world.position(body).unwrap().distance(start);
    case.below(
        "drift in 10 s, mu 1.01 mu*",
        drift,
        case.tolerance("1e-4 m"),
    );
}

/// Acceleration along gravity's tangential part, which points at `heading` from the tangent axes.
fn slope_acceleration(law: FrictionLaw, heading: f64) -> f64 {
    let (mu, h, n) = (0.5, 0.01, 100);
    let down = DVec3::new(heading.cos(), 0.0, heading.sin());
    let gravity = (down * SLOPE.sin() - DVec3::Y * SLOPE.cos()) * G;
    let mut world = World::new(exact(gravity)).unwrap();
    floor(&mut world, mu, law);
    let body = put(
        &mut world,
        BodyDesc::dynamic().at([0.0, 0.25, 0.0]),
        [slab(mu, law)],
    );
    run(&mut world, h, n, |_, _| {});
    world.velocity(body).unwrap().lin.dot(down) / (n as f64 * h)
}

#[test]
fn slope_isotropy() {
    let case = Case::new("slope_isotropy");
    let a = case.expected("/a");
    for degrees in (0..=90).step_by(15) {
        let found = slope_acceleration(FrictionLaw::Conic, f64::from(degrees).to_radians());
        case.check(
            &format!("acceleration at {degrees} deg, cone"),
            found,
            a,
            "1%",
        );
    }
    let boxed = slope_acceleration(FrictionLaw::Boxed, PI / 4.0);
    let wanted = case.expected("/box_model_a_at_45deg");
    case.within("acceleration at 45 deg, box", boxed, wanted, 1e-9);
    let pyramid = slope_acceleration(FrictionLaw::Pyramid, PI / 4.0);
    let wanted = case.expected("/pyramid_a_at_45deg");
    case.check("acceleration at 45 deg, pyramid", pyramid, wanted, "1%");
}

#[test]
fn slide_to_stop() {
    let case = Case::new("slide_to_stop");
    let (mu, h) = (0.3, 1e-3);
    let heading = PI / 8.0;
    let along = DVec3::new(heading.cos(), 0.0, heading.sin());
    let across = DVec3::new(-heading.sin(), 0.0, heading.cos());
    let mut world = World::new(earth()).unwrap();
    floor(&mut world, mu, FrictionLaw::Conic);
    let body = put(
        &mut world,
        BodyDesc::dynamic()
            .at([0.0, 0.25, 0.0])
            .velocity(along * 3.0),
        [slab(mu, FrictionLaw::Conic)],
    );
    let mut stop = 0.0;
    run(&mut world, h, 1500, |w, k| {
        if w.velocity(body).unwrap().lin.length() > 1e-9 {
            stop = k as f64 * h;
        }
    });
    let p = world.position(body).unwrap();
    case.check("distance", p.dot(along), case.expected("/d"), "1%");
    case.check("time", stop, case.expected("/t"), "1%");
    let allowed = case.tolerance("1e-3 d") * case.expected("/d");
    case.within("drift", p.dot(across), case.expected("/drift"), allowed);
}

#[test]
fn coulomb_oscillator() {
    let case = Case::new("coulomb_oscillator");
    let (mu, k, x0, h) = (0.1, 100.0, 0.2, 1e-3);
    let mut params = earth();
    // The trapezoidal rule: no numerical damping besides the friction.
    (params.scheme.alpha, params.scheme.beta) = (0.5, 0.5);
    let mut world = World::new(params).unwrap();
    let ground = floor(&mut world, mu, FrictionLaw::Conic);
    let body = point_mass(&mut world, mu, FrictionLaw::Conic, DVec3::ZERO);
    // A spring along x, anchored where it never turns over.
    let [anchor, hook] = [DVec3::new(-10.0, 0.5, 0.0), DVec3::ZERO].map(Pose::from_translation);
    let spring = rb_world::joint::Distance::new(anchor, hook).spring(Spring::new(10.0, k, 0.0));
    let spring = JointDesc::new(spring).collide_connected();
    world.add_joint(ground, body, spring).unwrap();
    world.set_position(body, [x0, 0.5, 0.0]).unwrap();

    let (mut turns, mut before, mut stop) = (vec![x0], 0.0f64, 0.0);
    run(&mut world, h, 4000, |w, n| {
        let (x, v) = (w.position(body).unwrap().x, w.velocity(body).unwrap().lin.x);
        // It turns, or it stops; which way rounding points while it stands is neither.
        if before.abs() > 1e-9 && (v * before < 0.0 || v.abs() < 1e-9) {
            turns.push(x);
            stop = n as f64 * h;
        }
        before = v;
    });
    let wanted = case.list("/turning_points");
    assert_eq!(turns.len(), wanted.len(), "{turns:?}");
    for (n, (x, wanted)) in turns.iter().zip(&wanted).enumerate() {
        case.check(&format!("turning point {n}"), *x, *wanted, "1e-3 m");
    }
    let rest = world.position(body).unwrap().x;
    case.check("place of rest", rest, case.expected("/stop_x"), "1e-3 m");
    // Half a period for each turning point; the time has no tolerance of its own in the file.
    let wanted = case.expected("/stop_t");
    case.within("time of rest", stop, wanted, 1e-3 * wanted);
    case.below(
        "rest is in the dead band",
        rest,
        case.expected("/dead_band"),
    );
}

#[test]
fn box_dragged() {
    let case = Case::new("box_dragged");
    let (mu, h) = (0.4, 1e-3);
    let mut world = World::new(earth()).unwrap();
    floor(&mut world, mu, FrictionLaw::Conic);
    let cube = ColliderDesc::new(Shape::cuboid(DVec3::splat(0.1)).unwrap()).friction(mu);
    let inertia = DVec3::splat(0.2 * 0.2 / 6.0);
    let body = BodyDesc::dynamic().at([0.0, 0.1, 0.0]).mass(1.0, inertia);
    let body = put(&mut world, body, [cube]);
    let (mut start, mut lift) = (0.0, 0.0f64);
    for k in 1..=1000 {
        // The mean of the ramp over the step.
        let force = 20.0 * (k as f64 - 0.5) * h;
        world.add_force(body, [force, 0.0, 0.0]).unwrap();
        world.step(h).unwrap();
        if world.velocity(body).unwrap().lin.x < world.params().tolerances.velocity {
            start = k as f64 * h;
        }
        lift = lift.max((world.position(body).unwrap().y - 0.1).abs());
    }
    case.check("time of release", start, case.expected("/t0"), "1%");
    let v = world.velocity(body).unwrap().lin.x;
    case.check("speed after 1 s", v, case.expected("/v_1s"), "1%");
    case.below("vertical motion", lift, world.params().tolerances.position);
}

/// Time until a disk of 1 kg and 0.1 m with an axial moment of `k` m R² stops spinning on its feet.
fn spin_down(k: f64, feet: impl IntoIterator<Item = ColliderDesc>) -> f64 {
    let (r, h) = (0.1, 1e-3);
    let mut world = World::new(earth()).unwrap();
    floor(&mut world, 0.2, FrictionLaw::Conic);
    let axial = k * r * r;
    let body = BodyDesc::dynamic()
        .at([0.0, FOOT, 0.0])
        .spin([0.0, 20.0, 0.0])
        .mass(1.0, [0.5 * axial, axial, 0.5 * axial]);
    let body = put(&mut world, body, feet);
    let mut stop = 0.0;
    run(&mut world, h, 1200, |w, n| {
        if w.velocity(body).unwrap().ang.y > w.params().tolerances.velocity {
            stop = n as f64 * h;
        }
    });
    stop
}

const FOOT: f64 = 0.01;

fn foot(radius: f64, angle: f64) -> ColliderDesc {
    let at = DVec3::new(radius * angle.cos(), 0.0, radius * angle.sin());
    let ball = Shape::ball(FOOT).unwrap();
    ColliderDesc::new(ball).friction(0.2).translation(at)
}

#[test]
fn spinning_disk_stop() {
    let case = Case::new("spinning_disk_stop");
    let rim = || (0..8).map(|k| foot(0.1, f64::from(k) * PI / 4.0));
    let disk = spin_down(0.5, rim());
    case.check("disk on 8 feet", disk, case.expected("/t_rim_disk"), "2%");
    let ring = spin_down(1.0, rim());
    case.check("ring on 8 feet", ring, case.expected("/t_rim_ring"), "2%");
    // Feet of equal area and equal stiffness carry equal loads: uniform pressure.
    let n = 128;
    let golden = PI * (3.0 - 5f64.sqrt());
    let spread = (0..n).map(|k| {
        let k = f64::from(k);
        let radius = 0.1 * ((k + 0.5) / f64::from(n)).sqrt();
        foot(radius, golden * k).contact_stiffness(1e3, 10.0)
    });
    let uniform = spin_down(0.5, spread);
    case.check(
        "disk on 128 feet",
        uniform,
        case.expected("/t_uniform"),
        "2%",
    );
}
