//! Rows over more than two bodies, mapped quantities, chains (theory T16, T31, T35).

mod common;
use common::*;
use rb_world::prelude::*;

/// Wheels of given inertias on hinges about z, side by side.
fn wheels(inertias: &[f64]) -> (World, Vec<BodyHandle>, Vec<JointHandle>) {
    let mut world = World::new(weightless()).unwrap();
    let frame = world.add_body(BodyDesc::fixed()).unwrap();
    let (mut bodies, mut joints) = (Vec::new(), Vec::new());
    for (k, &i) in inertias.iter().enumerate() {
        let at = DVec3::X * (2.0 * k as f64);
        let desc = BodyDesc::dynamic().at(at).mass(1.0, DVec3::splat(i));
        let body = world.add_body(desc).unwrap();
        let pose = Pose::from_translation(at);
        let hinge = Hinge::at_world(&Pose::IDENTITY, &pose, at, DVec3::Z).unwrap();
        joints.push(world.add_joint(frame, body, hinge).unwrap());
        bodies.push(body);
    }
    (world, bodies, joints)
}

fn spin(world: &World, body: BodyHandle) -> f64 {
    world.velocity(body).unwrap().ang.z
}

#[test]
fn t31a_differential() {
    let (mut world, b, j) = wheels(&[1.0, 3.0, 2.0]);
    let coupling = Coupling::differential([j[0], j[1]], j[2]).hold(0.0);
    let row = world.add_coupling(coupling).unwrap();
    let h = 0.01;
    run(&mut world, h, 100, |world, _| {
        world.add_torque(b[2], [0.0, 0.0, 5.0]).unwrap();
    });
    for (body, rate) in b.iter().zip([1.5, 0.5, 1.0]) {
        close("acceleration", spin(&world, *body) / (99.0 * h), rate, 1e-9);
    }
    close(
        "row force",
        world.constraint_forces(row).unwrap()[0].1,
        1.5,
        1e-9,
    );
}

#[test]
fn t31b_gear() {
    let (mut world, b, j) = wheels(&[2.0, 0.5]);
    let gear = Coupling::gear((j[0], Axis::AngZ), (j[1], Axis::AngZ), 3.0).hold(0.0);
    world.add_coupling(gear).unwrap();
    let h = 0.01;
    run(&mut world, h, 100, |world, _| {
        world.add_torque(b[1], [0.0, 0.0, 1.0]).unwrap();
    });
    close(
        "alpha 2",
        spin(&world, b[1]) / (99.0 * h),
        1.0 / 18.5,
        1e-10,
    );
    close(
        "alpha 1",
        spin(&world, b[0]) / (99.0 * h),
        3.0 / 18.5,
        1e-10,
    );
    let angle = |j| world.coordinate(j, Axis::AngZ).unwrap().value;
    close("mesh", angle(j[0]) - 3.0 * angle(j[1]), 0.0, 1e-12);
}

#[test]
fn t31c_centre_of_mass() {
    let mut world = World::new(exact(DVec3::Y * -9.81)).unwrap();
    let mut bodies = Vec::new();
    for k in 0..5 {
        let m = 1.0 + 0.5 * k as f64;
        let desc = BodyDesc::dynamic()
            .at([3.0 * k as f64, 0.2 * k as f64, 0.0])
            .mass(m, DVec3::splat(m));
        bodies.push(world.add_body(desc).unwrap());
    }
    let height = world.centre_of_mass(&bodies, DVec3::Y).unwrap();
    let (h0, _) = world.measure(&height).unwrap();
    let row = world
        .add_coupling(Coupling::new(height.clone()).hold(h0))
        .unwrap();
    let start: Vec<_> = bodies.iter().map(|&b| world.position(b).unwrap()).collect();
    run(&mut world, 0.01, 200, |_, _| {});
    let weight = (1.0 + 1.5 + 2.0 + 2.5 + 3.0) * 9.81;
    close(
        "row force",
        world.constraint_forces(row).unwrap()[0].1,
        weight,
        1e-9,
    );
    for (b, p) in bodies.iter().zip(start) {
        assert!(world.position(*b).unwrap().distance(p) < 1e-12);
    }
}

#[test]
fn a_tense_rope_over_two_pulleys_halves_the_acceleration() {
    // A mass on a single rope, another below a movable pulley: 2 y₁ + … = const; Atwood with ratio 2.
    let mut world = World::new(exact(DVec3::Y * -9.81)).unwrap();
    let frame = world.add_body(BodyDesc::fixed()).unwrap();
    let drop = |world: &mut World, x: f64, m: f64| {
        let desc = BodyDesc::dynamic()
            .at([x, -2.0, 0.0])
            .mass(m, DVec3::splat(m))
            .lock(LockedAxes::ANGULAR);
        world.add_body(desc).unwrap()
    };
    let (one, two) = (drop(&mut world, 0.0, 1.0), drop(&mut world, 1.0, 1.0));
    let span = |body, x: f64| Quantity::distance(frame, DVec3::X * x, body, DVec3::ZERO);
    let rope = Quantity::sum([(1.0, span(one, 0.0)), (2.0, span(two, 1.0))]);
    world
        .add_coupling(Coupling::new(rope).at_most(6.0))
        .unwrap();
    let h = 1e-3;
    run(&mut world, h, 100, |_, _| {});
    // m a₁ = g m − T, m a₂ = g m − 2 T, a₁ = −2 a₂: T = 3 g m/5, a₁ = 2g/5 down, a₂ = g/5 up.
    let v = |b| world.velocity(b).unwrap().lin.y / (100.0 * h);
    close("single side", v(one), -0.4 * 9.81, 1e-9);
    close("movable pulley", v(two), 0.2 * 9.81, 1e-9);
}

#[test]
fn t16b_one_spring_stated_five_ways() {
    let spring = Spring::new(0.0, 300.0, 2.0);
    let answer = |make: &dyn Fn(BodyHandle, BodyHandle) -> Coupling| {
        let mut world = World::new(weightless()).unwrap();
        let put = |world: &mut World, x: f64| {
            let desc = BodyDesc::dynamic()
                .at([x, 0.0, 0.0])
                .mass(1.0 + x, DVec3::ONE)
                .lock(LockedAxes::ANGULAR);
            world.add_body(desc).unwrap()
        };
        let (a, b) = (put(&mut world, 0.0), put(&mut world, 1.3));
        world.add_coupling(make(a, b)).unwrap();
        world.step(0.01).unwrap();
        let problem = world.problems().next().unwrap();
        let row = problem.rows[0];
        let v = [a, b].map(|b| world.velocity(b).unwrap().lin.x);
        [row.diag, row.position.reg, row.position.bias, v[0], v[1]]
    };
    let x = |b| Quantity::point(b, DVec3::ZERO, DVec3::X);
    let drive = Drive::new().spring(spring);
    let direct = answer(&|a, b| {
        Coupling::new(Quantity::sum([(1.0, x(b)), (-1.0, x(a))]).plus(-1.0)).drive(drive)
    });
    let ways: [&dyn Fn(BodyHandle, BodyHandle) -> Coupling; 4] = [
        // Through a difference and a target on it.
        &|a, b| {
            let difference = Quantity::sum([(1.0, x(b)), (-1.0, x(a))]);
            Coupling::new(difference).drive(Drive::new().spring(spring.at(1.0)))
        },
        // Through a target of each point.
        &|a, b| {
            let terms = [(1.0, x(b).plus(-1.0)), (-1.0, x(a))];
            Coupling::new(Quantity::sum(terms)).drive(drive)
        },
        // Through a chain of identities.
        &|a, b| {
            let mut q = Quantity::sum([(1.0, x(b)), (-1.0, x(a))]).plus(-1.0);
            for _ in 0..5 {
                q = Quantity::sum([(1.0, q)]);
            }
            Coupling::new(q).drive(drive)
        },
        // Through a mapping with several parents, scaled there and back.
        &|a, b| {
            let half = Quantity::sum([(0.5, x(b)), (-0.5, x(a))]);
            Coupling::new(Quantity::sum([(2.0, half)]).plus(-1.0)).drive(drive)
        },
    ];
    for way in ways {
        for (value, wanted) in answer(way).into_iter().zip(direct) {
            assert!(
                (value - wanted).abs() <= 1e-12 * wanted.abs().max(1.0),
                "{value} {wanted}"
            );
        }
    }
}

#[test]
fn t16c_and_t35_hanging_chain() {
    let chain = |compliance: Option<f64>, g: f64, n: usize| {
        let mut world = World::new(exact(DVec3::Y * -g)).unwrap();
        let mut above = world.add_body(BodyDesc::fixed()).unwrap();
        let (mut rows, mut bodies) = (Vec::new(), Vec::new());
        for k in 1..=n {
            let desc = BodyDesc::dynamic()
                .at([0.0, -(k as f64), 0.0])
                .mass(1.0, DVec3::ONE)
                .lock(LockedAxes::ANGULAR);
            let body = world.add_body(desc).unwrap();
            let length = Quantity::distance(above, DVec3::ZERO, body, DVec3::ZERO);
            let mut link = Coupling::new(length).hold(1.0);
            if let Some(c) = compliance {
                link.options.yields =
                    rb_world::joint::Yield::Each(Compliance::new(c, 0.1).unwrap());
            }
            rows.push(world.add_coupling(link).unwrap());
            bodies.push(body);
            above = body;
        }
        run(
            &mut world,
            0.01,
            if compliance.is_some() { 4000 } else { 10 },
            |_, _| {},
        );
        let tension = |&r: &ConstraintHandle| -world.constraint_forces(r).unwrap()[0].1;
        let tensions: Vec<f64> = rows.iter().map(tension).collect();
        (
            tensions,
            -world.position(bodies[n - 1]).unwrap().y - n as f64,
        )
    };
    // Three unit masses under unit gravity: 3, 2, 1 (T16c); four hanging ones (T35).
    for (n, g) in [(3, 1.0), (4, 9.81)] {
        let (tensions, _) = chain(None, g, n);
        for (k, t) in tensions.iter().enumerate() {
            close("tension", *t, (n - k) as f64 * g, 1e-8);
        }
    }
    let c = 1e-3;
    let (_, extension) = chain(Some(c), 9.81, 4);
    close("extension", extension, 98.1 * c, 1e-10);
}

#[test]
fn t16e_affine_point() {
    let s = 0.2;
    let mut world = World::new(weightless()).unwrap();
    let put = |world: &mut World, at: [f64; 3], v: [f64; 3]| {
        let desc = BodyDesc::dynamic()
            .at(at)
            .velocity(v)
            .mass(1.0, DVec3::ONE)
            .lock(LockedAxes::ANGULAR);
        world.add_body(desc).unwrap()
    };
    let p1 = put(&mut world, [0.0, 0.0, 0.0], [0.3, 0.1, 0.0]);
    let p2 = put(&mut world, [1.0, 0.0, 0.0], [0.0, -0.4, 0.2]);
    let p3 = put(&mut world, [0.2, 0.0, 0.0], [0.0, 0.0, 0.0]);
    for e in [DVec3::X, DVec3::Y, DVec3::Z] {
        let x = |b| Quantity::point(b, DVec3::ZERO, e);
        let q = Quantity::sum([(1.0, x(p3)), (-(1.0 - s), x(p1)), (-s, x(p2))]);
        world.add_coupling(Coupling::new(q).hold(0.0)).unwrap();
    }
    let momentum = world.momentum().lin;
    run(&mut world, 0.01, 200, |world, _| {
        let at = |b| world.position(b).unwrap();
        let error = at(p3) - at(p1) * (1.0 - s) - at(p2) * s;
        assert!(error.length() < 1e-12, "{error}");
    });
    assert!((world.momentum().lin - momentum).length() < 1e-12);
}

#[test]
fn mass_given_at_a_combination_is_inertia() {
    // A flywheel that turns at 3 q₂ − q₁ adds Jᵀ m J.
    let (mut world, b, j) = wheels(&[2.0, 0.5]);
    let q = |k: usize| Quantity::joint(j[k], Axis::AngZ);
    let m = 0.7;
    let speed = Quantity::sum([(-1.0, q(0)), (3.0, q(1))]);
    world.add_coupling(Coupling::new(speed).mass(m)).unwrap();
    let h = 0.01;
    run(&mut world, h, 10, |world, _| {
        world.add_torque(b[1], [0.0, 0.0, 1.0]).unwrap();
    });
    let (a, d, e) = (2.0 + m, 0.5 + 9.0 * m, -3.0 * m);
    let det = a * d - e * e;
    close("alpha 1", spin(&world, b[0]) / (9.0 * h), -e / det, 1e-11);
    close("alpha 2", spin(&world, b[1]) / (9.0 * h), a / det, 1e-11);
}

#[test]
fn a_full_compliance_block_is_a_spring_matrix() {
    // C = K⁻¹ of a coupled spring: the static deflection is C F, off-diagonal terms included.
    let c = [2e-3, 5e-4, 0.0, 5e-4, 1e-3, 2e-4, 0.0, 2e-4, 3e-3];
    let mut world = World::new(weightless()).unwrap();
    let frame = world.add_body(BodyDesc::fixed()).unwrap();
    let desc = BodyDesc::dynamic()
        .mass(1.0, DVec3::ONE)
        .lock(LockedAxes::ANGULAR);
    let body = world.add_body(desc).unwrap();
    let ball = Ball::at_world(&Pose::IDENTITY, &Pose::IDENTITY, DVec3::ZERO);
    let desc = JointDesc::new(ball).bushing(c, 0.1);
    world.add_joint(frame, body, desc).unwrap();
    let force = DVec3::new(10.0, -20.0, 5.0);
    run(&mut world, 0.01, 3000, |world, _| {
        world.add_force(body, force).unwrap()
    });
    let p = world.position(body).unwrap();
    for i in 0..3 {
        let wanted: f64 = (0..3).map(|k| c[3 * i + k] * force[k]).sum();
        close("deflection", p[i], wanted, 1e-10);
    }
}

#[test]
fn couplings_are_stored_and_die_with_what_they_name() {
    let (mut world, b, j) = wheels(&[1.0, 3.0, 2.0]);
    let coupling = Coupling::differential([j[0], j[1]], j[2]).hold(0.0);
    let row = world.add_coupling(coupling).unwrap();
    let drive = |world: &mut World| {
        run(world, 0.01, 20, |world, _| {
            world.add_torque(b[2], [0.0, 0.0, 5.0]).unwrap()
        });
    };
    drive(&mut world);
    let mut back = World::restore(&world.save().unwrap()).unwrap();
    drive(&mut world);
    drive(&mut back);
    assert_eq!(world.state_hash(), back.state_hash());
    world.remove_joint(j[1]).unwrap();
    assert!(world.constraint(row).is_err());
    assert!(back.remove_body(b[0]).is_ok() && back.constraint(row).is_err());
}

#[test]
fn what_a_coupling_cannot_do_is_refused() {
    let (mut world, b, j) = wheels(&[1.0, 3.0]);
    let q = |k: usize| Quantity::joint(j[k], Axis::AngZ);
    let bad = [
        Coupling::new(Quantity::joint(j[0], Axis::LinX)).hold(0.0),
        Coupling::new(Quantity::sum([(0.0, q(0))])).hold(0.0),
        Coupling::new(Quantity::sum([(f64::NAN, q(0))])).hold(0.0),
        Coupling::new(q(0)).mass(-1.0),
        Coupling::new(q(0)).drive(Drive::new().limits(1.0, -1.0)),
        Coupling::new(Quantity::point(b[0], DVec3::ZERO, DVec3::ZERO)),
        Coupling::new(Quantity::distance(b[0], DVec3::ZERO, b[0], DVec3::X)),
        Coupling::new(Quantity::point(BodyHandle::INVALID, DVec3::ZERO, DVec3::X)),
    ];
    for coupling in bad {
        assert!(
            world.add_coupling(coupling.clone()).is_err(),
            "{coupling:?}"
        );
    }
    assert_eq!(world.constraints().count(), 0);
    let frame = world.joint_bodies(j[0]).unwrap()[0];
    let held = Coupling::new(Quantity::point(frame, DVec3::ZERO, DVec3::X)).hold(0.0);
    assert!(world.add_coupling(held).is_err(), "only a fixed body");
}
