//! Rows iterated to φ(x⁺) = 0, geometric stiffness, hard rows and partly fixed bodies (theory T24, T32,
//! T36).

mod common;
use common::rows::*;
use common::*;
use rb_world::prelude::*;

/// A light bead between a fixed point and a heavy load under tension, started aside (theory T24);
/// amplitudes after every step.
fn tense_bead(h: f64, steps: usize, geometric: GeometricStiffness) -> Vec<f64> {
    let mut params = weightless();
    params.geometric = geometric;
    let mut world = World::new(params).unwrap();
    let anchor = world.add_body(BodyDesc::fixed()).unwrap();
    let put = |world: &mut World, x: f64, y: f64, m: f64| {
        let desc = BodyDesc::dynamic()
            .at([x, y, 0.0])
            .mass(m, DVec3::ONE)
            .lock(LockedAxes::ANGULAR | LockedAxes::LINEAR_Z);
        world.add_body(desc).unwrap()
    };
    let start = 1e-6;
    let bead = put(&mut world, 1.0, start, 1.0);
    let load = put(&mut world, 2.0, 0.0, 1000.0);
    let link = |a, b| Coupling::new(Quantity::distance(a, DVec3::ZERO, b, DVec3::ZERO)).hold(1.0);
    world.add_coupling(link(anchor, bead)).unwrap();
    world.add_coupling(link(bead, load)).unwrap();
    (0..steps)
        .map(|_| {
            world.add_force(load, [1e4, 0.0, 0.0]).unwrap();
            world.step(h).unwrap();
            world.position(bead).unwrap().y.abs() / start
        })
        .collect()
}

#[test]
fn t24_geometric_stiffness() {
    let limit = 2.0 / (2.0 * 1e4f64).sqrt();
    let largest = |y: &[f64]| y.iter().fold(0.0f64, |m, x| m.max(*x));
    let below = tense_bead(0.98 * limit, 400, GeometricStiffness::Off);
    println!("0.98 h*: largest {:.3}", largest(&below));
    assert!(largest(&below) < 6.0);
    let above = tense_bead(1.02 * limit, 20, GeometricStiffness::Off);
    println!(
        "1.02 h*: {:.0} after 10, {:.0} after 20",
        largest(&above[..10]),
        largest(&above)
    );
    assert!(largest(&above[..10]) > 100.0 && largest(&above) > 5000.0);
    for way in [GeometricStiffness::Projected, GeometricStiffness::Exact] {
        for factor in [1.02, 5.0] {
            let y = tense_bead(factor * limit, 2000, way);
            println!(
                "{way:?} at {factor} h*: largest {:.3}, last {:.2e}",
                largest(&y),
                y[1999]
            );
            // The first step has no tension to go by yet.
            assert!(largest(&y) < 120.0 && y[1999] < 1.0, "{way:?}");
        }
    }
}

#[test]
fn t36_iterated_pendulum() {
    let h = 1e-3;
    let mut world = World::new(exact(DVec3::NEG_Y * G)).unwrap();
    let anchor = world.add_body(BodyDesc::fixed()).unwrap();
    let desc = BodyDesc::dynamic()
        .at([1.0, 0.0, 0.0])
        .mass(1.0, DVec3::ONE)
        .lock(LockedAxes::ANGULAR);
    let bob = world.add_body(desc).unwrap();
    let rod = rb_world::joint::Distance::new(Pose::IDENTITY, Pose::IDENTITY).rod(1.0);
    let desc = JointDesc::new(rod).stabilise(Stabilisation::Iterated);
    world.add_joint(anchor, bob, desc).unwrap();
    let (mut last, mut crossings, mut worst) = (1.0, Vec::new(), 0.0f64);
    run(&mut world, h, 100_000, |w, k| {
        let p = w.position(bob).unwrap();
        worst = worst.max((p.length() - 1.0).abs());
        if last * p.x < 0.0 {
            crossings.push((k as f64 - 1.0 + last / (last - p.x)) * h);
        }
        last = p.x;
    });
    println!("joint error in 100 s: {worst:.1e} m");
    assert!(worst < 1e-12, "joint error {worst:e}");
    close("period", crossings[2] - crossings[0], 2.367839, 2e-6);
    let n = crossings.len() - 1;
    let mean = 2.0 * (crossings[n] - crossings[0]) / n as f64;
    close("mean period over 100 s", mean, 2.367839, 2e-6);
}

#[test]
fn iterated_rows_of_every_hinge_hold_to_rounding() {
    // A chain in free fall and swing: momentum about the pivot is exact, joints hold at 1e-13.
    let mut params = weightless();
    params.stabilisation = Some(Stabilisation::Iterated);
    params.gyroscopic = Gyroscopic::Variational;
    let mut world = World::new(params).unwrap();
    let mut before = None;
    for k in 0..5 {
        let at = DVec3::X * k as f64;
        let desc = BodyDesc::dynamic()
            .at(at)
            .mass(1.0, DVec3::new(0.02, 0.1, 0.1))
            .spin([0.0, 0.0, if k % 2 == 0 { 2.0 } else { -1.0 }])
            .velocity([0.0, if k == 2 { 1.0 } else { 0.0 }, 0.3]);
        let body = world.add_body(desc).unwrap();
        if let Some(a) = before {
            let poses = [a, body].map(|x| world.pose(x).unwrap());
            let ball = Ball::at_world(&poses[0], &poses[1], at - DVec3::X * 0.5);
            world.add_joint(a, body, ball).unwrap();
        }
        before = Some(body);
    }
    world.step(1e-2).unwrap();
    let momentum = world.momentum().lin;
    let mut worst = 0.0f64;
    run(&mut world, 1e-2, 500, |w, _| {
        worst = worst.max(w.report().joint_error)
    });
    println!("joint error {worst:.1e} m");
    assert!(worst < 1e-13);
    assert!((world.momentum().lin - momentum).length() < 1e-13);
}

#[test]
fn t32_partial_projection() {
    let inertia = DMat3::from_cols_array(&[2.0, 1.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 3.0]);
    let mass = MassProps {
        inertia_local: inertia,
        ..MassProps::diagonal(1.0, DVec3::ONE)
    };
    let spin = |extra: DVec3| {
        let mut world = World::new(weightless()).unwrap();
        let desc = BodyDesc::dynamic()
            .mass_props(mass)
            .lock(LockedAxes::ANGULAR_Y | LockedAxes::ANGULAR_Z | LockedAxes::LINEAR);
        let body = world.add_body(desc).unwrap();
        world.add_torque(body, DVec3::X + extra).unwrap();
        world.add_force(body, extra * 10.0).unwrap();
        world.step(0.01).unwrap();
        world.velocity(body).unwrap()
    };
    let plain = spin(DVec3::ZERO);
    close("acceleration", plain.ang.x / 0.01, 0.5, 1e-12);
    let loaded = spin(DVec3::new(0.0, 7.0, -3.0));
    assert!((loaded.ang - plain.ang).length() < 1e-14 && loaded.lin == DVec3::ZERO);
}

#[test]
fn a_spring_with_its_own_alpha_follows_its_own_scheme() {
    // α per row: at β = ½ a spring with α = ½ keeps its energy, one with α = 1 loses it by 1/(1+a/2).
    let energy = |alpha: f64| {
        let mut params = weightless();
        params.scheme.beta = 0.5;
        let (mut world, body) = bead(params, 1.0, 1.0, 0.0);
        constrain(&mut world, &[body], move |cx, out| {
            let gap = cx.bodies[0].com.x;
            let mut row = along_x(|j| Row::spring(j, gap, 1.0, 0.0, 0));
            row.row.alpha = Some(alpha);
            out.push(row);
        });
        run(&mut world, 0.1, 100, |_, _| {});
        let [x, v] = bead_state(&world, body);
        x * x + v * v
    };
    close("α = 1/2", energy(0.5), 1.0, 1e-12);
    // Theory T10 gives 0.621223 for (1, 1/2).
    close("α = 1", energy(1.0), 0.621_223, 1e-6);
}

#[test]
fn settings_out_of_range_are_refused_with_the_bound() {
    let hinge = Hinge::default();
    let bad = [
        JointDesc::new(hinge.clone()).alpha(0.0),
        JointDesc::new(hinge.clone()).alpha(1.5),
        JointDesc::new(hinge.clone()).stabilise(Stabilisation::Baumgarte {
            damping: 1.0,
            frequency: 1.0,
        }),
        JointDesc::new(hinge.clone()).stabilise(Stabilisation::PushOut { speed: -1.0 }),
        JointDesc::new(hinge.clone()).bushing([1.0, 2.0, 2.0, 1.0], 0.0),
        JointDesc::new(hinge.clone()).bushing([1.0, 0.5, 0.4, 1.0], 0.0),
        JointDesc::new(hinge.clone()).bushing([1.0, 0.5, 0.4], 0.0),
        JointDesc::new(hinge.clone()).yielding(Compliance {
            compliance: -1.0,
            damping: 0.0,
        }),
        JointDesc::new(hinge.clone().actuator(Actuator::new().gear(0.0))),
        JointDesc::new(hinge.actuator(Actuator::new().rotor(-1.0))),
    ];
    for desc in bad {
        let error = desc.validate().unwrap_err();
        println!("{error}");
    }
    let mut params = Params::robotics();
    params.stabilisation = Some(Stabilisation::Baumgarte {
        damping: 0.5,
        frequency: 2.0,
    });
    let error = World::new(params).err().unwrap().to_string();
    assert!(error.contains("4 - 4 a h"), "{error}");
}
