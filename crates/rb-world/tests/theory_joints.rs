//! Joint coordinates set and read, the sixteen prototypes, actuators, the wheel (theory T39).

mod common;
use common::*;
use rb_world::joint::{Cylindrical, Screw};
use rb_world::prelude::*;

/// Deterministic numbers in [−1, 1).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }

    fn pose(&mut self) -> Pose {
        Pose::new(
            self.vector(),
            rb_world::core::math::exp_rotation(self.vector() * 2.0),
        )
    }
}

fn prototypes(n: &mut Numbers) -> Vec<(String, AnyJoint, usize)> {
    let mut all: Vec<(String, AnyJoint, usize)> = Vec::new();
    for t in 0..4 {
        for r in 0..4 {
            let joint = SixDof::new(n.pose(), n.pose()).prototype(t, r).unwrap();
            all.push((SixDof::PROTOTYPES[t][r].into(), joint.into(), t + r));
        }
    }
    let mut add = |name: &str, joint: AnyJoint, free| all.push((name.into(), joint, free));
    add("piston", Cylindrical::new(n.pose(), n.pose()).into(), 2);
    add("slider", Slider::new(n.pose(), n.pose()).into(), 1);
    add("hinge", Hinge::new(n.pose(), n.pose()).into(), 1);
    add("universal", Universal::new(n.pose(), n.pose()).into(), 2);
    add("ball", Ball::new(n.pose(), n.pose()).into(), 3);
    add("screw", Screw::new(n.pose(), n.pose()).lead(0.3).into(), 1);
    add("planar", SixDof::new(n.pose(), n.pose()).planar().into(), 3);
    add("wheel", Wheel::new(n.pose(), n.pose()).into(), 3);
    all
}

fn chain(joints: &[AnyJoint]) -> (World, Vec<JointHandle>) {
    let mut world = World::new(params_of_a_tree()).unwrap();
    let mut a = world.add_body(BodyDesc::fixed()).unwrap();
    let mut handles = Vec::new();
    for joint in joints {
        let desc = BodyDesc::dynamic().mass(1.0, DVec3::new(0.1, 0.2, 0.25));
        let b = world.add_body(desc).unwrap();
        handles.push(world.add_joint(a, b, joint.clone()).unwrap());
        a = b;
    }
    (world, handles)
}

fn params_of_a_tree() -> Params {
    Params {
        gyroscopic: Gyroscopic::Variational,
        ..weightless()
    }
}

#[test]
fn t39_minimal_to_maximal_and_back() {
    let mut n = Numbers(3);
    for round in 0..20 {
        let kinds = prototypes(&mut n);
        let joints: Vec<AnyJoint> = kinds.iter().map(|(_, j, _)| j.clone()).collect();
        let (mut world, handles) = chain(&joints);
        let mut wanted = Vec::new();
        for (&joint, (name, _, free)) in handles.iter().zip(&kinds) {
            let values: Vec<f64> = (0..*free).map(|_| 1.2 * n.next()).collect();
            let rates: Vec<f64> = (0..*free).map(|_| 2.0 * n.next()).collect();
            world
                .set_coordinates(joint, &values, &rates)
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            wanted.push((values, rates));
        }
        // Setting a joint near the root again carries all that hangs on it.
        let (values, rates) = wanted[2].clone();
        world.set_coordinates(handles[2], &values, &rates).unwrap();
        for ((joint, (values, rates)), (name, _, _)) in handles.iter().zip(&wanted).zip(&kinds) {
            let found = world.coordinates(*joint).unwrap();
            for ((c, q), rate) in found.iter().zip(values).zip(rates) {
                assert!(
                    (c.value - q).abs() < 1e-12,
                    "{round} {name}: {} {q}",
                    c.value
                );
                assert!(
                    (c.rate - rate).abs() < 1e-12,
                    "{round} {name}: {} {rate}",
                    c.rate
                );
            }
        }
        // What was set satisfies every row: nothing happens to the joints in a step.
        let report = world.step(1e-6).unwrap();
        assert!(report.joint_error < 1e-10, "{:e}", report.joint_error);
    }
}

#[test]
fn t39_free_axes_move_and_locked_ones_hold() {
    let mut n = Numbers(5);
    for (name, joint, free) in prototypes(&mut n) {
        let (mut world, handles) = chain(&[joint]);
        let body = world.joint_bodies(handles[0]).unwrap()[1];
        world
            .set_coordinates(handles[0], &vec![0.0; free], &vec![0.0; free])
            .unwrap();
        let (force, torque) = (n.vector(), n.vector());
        let start = world.coordinates(handles[0]).unwrap();
        let mut worst = 0.0f64;
        run(&mut world, 1e-3, 100, |w, _| {
            w.add_force(body, force).unwrap();
            w.add_torque(body, torque).unwrap();
            worst = worst.max(w.report().joint_error);
        });
        let end = world.coordinates(handles[0]).unwrap();
        assert_eq!(end.len(), free, "{name}");
        for (a, b) in start.iter().zip(&end) {
            assert!(
                (b.value - a.value).abs() > 1e-6,
                "{name} {:?} did not move",
                a.axis
            );
        }
        assert!(worst < 1e-5, "{name}: joint error {worst:e}");
    }
}

#[test]
fn t39_limits_of_the_free_axes_are_respected() {
    let mut n = Numbers(7);
    for (name, joint, free) in prototypes(&mut n).into_iter().filter(|p| p.2 > 0) {
        let mut joint = joint;
        let limited: Vec<Axis> = Axis::ALL
            .into_iter()
            .filter(|&axis| match joint.drive_mut(axis) {
                Some(drive) => {
                    *drive = Drive::new().limits(-0.1, 0.1);
                    true
                }
                None => false,
            })
            .collect();
        let (mut world, handles) = chain(&[joint]);
        let body = world.joint_bodies(handles[0]).unwrap()[1];
        world
            .set_coordinates(handles[0], &vec![0.0; free], &vec![0.0; free])
            .unwrap();
        let (force, torque) = (n.vector(), n.vector() * 0.3);
        let (mut worst, mut reached) = (0.0f64, false);
        run(&mut world, 1e-3, 3000, |w, _| {
            w.add_force(body, force).unwrap();
            w.add_torque(body, torque).unwrap();
            for c in w.coordinates(handles[0]).unwrap() {
                if limited.contains(&c.axis) {
                    worst = worst.max(c.value.abs() - 0.1);
                    reached |= c.value.abs() > 0.099;
                }
            }
        });
        println!("{name:18} beyond its limits by {worst:.1e}");
        assert!(limited.is_empty() || reached, "{name} reached no limit");
        assert!(worst < 1e-5, "{name}: {worst:e}");
    }
}

#[test]
fn t39_spring_energy_has_no_trend() {
    // Amplitude of the energy about its start over 10 s, spring on every free axis.
    let mut n = Numbers(11);
    for (name, joint, free) in prototypes(&mut n).into_iter().filter(|p| p.2 > 0) {
        let mut joint = joint;
        for axis in Axis::ALL {
            if let Some(drive) = joint.drive_mut(axis) {
                *drive = Drive::new().spring(Spring::new(0.0, 2.0, 0.0));
            }
        }
        let energy = |h: f64| {
            let mut params = params_of_a_tree();
            params.stabilisation = Some(Stabilisation::Iterated);
            params.scheme.alpha = 0.0;
            let mut world = World::new(params).unwrap();
            let a = world.add_body(BodyDesc::fixed()).unwrap();
            let b = world
                .add_body(BodyDesc::dynamic().mass(1.0, DVec3::new(0.1, 0.2, 0.25)))
                .unwrap();
            let joint = world.add_joint(a, b, joint.clone()).unwrap();
            let start: Vec<f64> = (0..free).map(|k| 0.25 + 0.05 * k as f64).collect();
            world
                .set_coordinates(joint, &start, &vec![0.0; free])
                .unwrap();
            let springs = |w: &World| -> f64 {
                let drive = |axis| w.joint(joint).unwrap().kind.drive(axis).is_some();
                let coordinates = w.coordinates(joint).unwrap();
                let driven = coordinates.iter().filter(|c| drive(c.axis));
                driven.map(|c| c.value * c.value).sum()
            };
            let mut trial = world.clone();
            trial.step(h).unwrap();
            let half = trial.velocity(b).unwrap() * -0.5;
            world.set_velocity(b, half.lin, half.ang).unwrap();
            let mut energies = Vec::new();
            for _ in 0..(10.0 / h) as usize {
                let (before, potential) = (world.velocity(b).unwrap(), springs(&world));
                let node = world.body(b).unwrap().clone();
                world.step(h).unwrap();
                let mean = (before + world.velocity(b).unwrap()) * 0.5;
                let spin = node.inertia.world(node.q) * mean.ang;
                energies.push(potential + 0.5 * (mean.lin.length_squared() + spin.dot(mean.ang)));
            }
            let third = energies.len() / 3;
            let mean = |e: &[f64]| e.iter().sum::<f64>() / e.len() as f64;
            let amplitude =
                |e: &[f64]| e.iter().fold(0.0f64, |m, x| m.max((x - energies[0]).abs()));
            let trend = mean(&energies[2 * third..]) - mean(&energies[..third]);
            (amplitude(&energies), trend)
        };
        let [(coarse, trend), (fine, _)] = [energy(4e-3), energy(2e-3)];
        println!(
            "{name:18} amplitude {coarse:.2e}, falls by {:.2}, trend {trend:.1e}",
            coarse / fine
        );
        assert!(trend.abs() <= 0.15 * coarse, "{name}: trend {trend:e}");
        if coarse > 1e-10 {
            let ratio = coarse / fine;
            assert!((3.9..4.1).contains(&ratio), "{name}: {coarse:e} {fine:e}");
        }
    }
}

#[test]
fn an_actuator_has_a_gear_a_limit_and_a_rotor() {
    let u = |command: f64| {
        let mut actuator = Actuator::new().gear(10.0).max(0.5).rotor(0.01);
        actuator.command = command;
        actuator
    };
    for (command, torque) in [(0.3, 3.0), (0.9, 5.0), (-2.0, -5.0)] {
        let (mut world, body, joint) = wheel(weightless(), 0.5, |h| h.actuator(u(command)));
        run(&mut world, 0.01, 100, |_, _| {});
        // Reflected inertia 10² · 0.01 = 1 on top of 0.5.
        let rate = world.velocity(body).unwrap().ang.z;
        close("rate", rate, torque / 1.5, 1e-11);
        let loads = world.drive_loads(joint).unwrap();
        let force = loads
            .iter()
            .find(|l| l.slot.role == rb_world::joint::Role::Actuator);
        close("force", force.unwrap().force, torque, 1e-11);
    }
}

#[test]
fn a_wheel_springs_steers_and_spins() {
    let mut world = World::new(exact(DVec3::NEG_Y * G)).unwrap();
    let car = world.add_body(BodyDesc::fixed()).unwrap();
    let m = 2.0;
    let body = world
        .add_body(BodyDesc::dynamic().mass(m, DVec3::new(0.1, 0.1, 0.2)))
        .unwrap();
    let wheel = Wheel::at_world(
        &Pose::IDENTITY,
        &Pose::IDENTITY,
        DVec3::ZERO,
        DVec3::Y,
        DVec3::Z,
    )
    .unwrap()
    .suspension(Drive::new().spring(Spring::new(0.0, 1000.0, 60.0)))
    .steering(Drive::new().motor(Motor::position(0.3, 500.0, 20.0)))
    .spin(Drive::new().motor(Motor::velocity(5.0)));
    let joint = world.add_joint(car, body, wheel).unwrap();
    run(&mut world, 1e-3, 4000, |_, _| {});
    let q = |axis| world.coordinate(joint, axis).unwrap();
    close("deflection", q(Axis::LinX).value, -m * G / 1000.0, 1e-6);
    close("steering", q(Axis::AngX).value, 0.3, 1e-6);
    close("spin", q(Axis::AngY).rate, 5.0, 1e-9);
}

#[test]
fn what_cannot_be_set_is_refused() {
    let mut n = Numbers(1);
    let hinge = AnyJoint::from(Hinge::new(n.pose(), n.pose()));
    let (mut world, handles) = chain(&[hinge.clone(), hinge.clone()]);
    assert!(world.set_coordinates(handles[0], &[], &[]).is_err());
    assert!(
        world
            .set_coordinates(handles[0], &[f64::NAN], &[0.0])
            .is_err()
    );
    let [ground, first] = world.joint_bodies(handles[0]).unwrap();
    let last = world.joint_bodies(handles[1]).unwrap()[1];
    let back = world.add_joint(last, ground, hinge).unwrap();
    let error = world
        .set_coordinates(handles[0], &[0.1], &[0.0])
        .unwrap_err();
    assert!(error.to_string().contains("loop"), "{error}");
    world.remove_joint(back).unwrap();
    assert!(world.set_coordinates(handles[0], &[0.1], &[0.0]).is_ok());
    let rope = rb_world::joint::Distance::new(Pose::IDENTITY, Pose::IDENTITY);
    let rope = world.add_joint(first, last, rope).unwrap();
    assert!(world.set_coordinates(rope, &[1.0], &[0.0]).is_err());
}

/// Coordinates and rates without end lead nowhere, and nobody has moved.
#[test]
fn what_is_refused_changes_nothing() {
    let frame = Pose::from_translation(DVec3::X);
    let mut refused = 0;
    for kind in AnyJoint::all(frame, frame) {
        for (value, rate) in [(f64::MAX, 0.0), (0.1, f64::MAX)] {
            let (mut world, handles) = chain(&[kind.clone(), kind.clone()]);
            let free = world.coordinates(handles[0]).unwrap().len();
            let before = world.save().unwrap();
            let set = world.set_coordinates(handles[0], &vec![value; free], &vec![rate; free]);
            if let Err(error) = set {
                refused += 1;
                assert!(world.save().unwrap() == before, "{}: {error}", kind.name());
            }
        }
    }
    assert!(refused > 8, "{refused}");
}

/// Friction of one joint where another already holds: as a row it repeats those of the other, but for rounding.
#[test]
fn joints_that_repeat_each_other_do_not_fly_apart() {
    let mut n = Numbers(7);
    for case in 0..60 {
        let mut world = World::new(Params::game()).unwrap();
        let base = world
            .add_body(BodyDesc::fixed().rotated(n.pose().q))
            .unwrap();
        let body = BodyDesc::dynamic().pose(Pose::new(n.vector() * 9.0, n.pose().q));
        let body = body.mass(1.3, DVec3::new(10.0, 12.0, 15.0));
        let body = world.add_body(body).unwrap();
        let (a, b) = (world.pose(base).unwrap(), world.pose(body).unwrap());
        let (point, axis) = (n.vector() * 3.0, n.vector().normalize());
        let hinge = Hinge::at_world(&a, &b, point, axis).unwrap().friction(9.0);
        let frame = rb_world::joint::frame_along(n.vector() * 9.0, axis).unwrap();
        let rubs = Drive::new().friction(0.3);
        let sleeve = SixDof::at_world(&a, &b, &frame).free(Axis::LinZ, rubs);
        world.add_joint(base, body, sleeve).unwrap();
        world.add_joint(base, body, hinge).unwrap();
        let energy = |w: &World| w.energy().0 + w.energy().1;
        let start = energy(&world);
        for step in 0..400 {
            world.step(1.0 / 60.0).unwrap();
            let gain = energy(&world) - start;
            assert!(gain < 1.0, "{gain} J gained by step {step} of case {case}");
        }
    }
}

/// A chain of ball joints, each with friction about all axes beside limits: more rows than turns.
#[derive(Clone, Copy)]
struct Stiff {
    links: usize,
    /// Mass of the last link (kg); the others have 1 kg.
    bob: f64,
    /// Largest tilt of a joint (rad).
    cone: f64,
    /// Largest angular velocity of a link at the start, about each axis (rad/s).
    spin: f64,
}

impl Stiff {
    /// Hangs it on a body of its own at `at`.
    fn hang(self, world: &mut World, at: DVec3, n: &mut Numbers) {
        let mut last = world.add_body(BodyDesc::fixed().at(at)).unwrap();
        let mut point = at;
        for k in 1..=self.links {
            let way = n.vector().normalize();
            let mass = if k < self.links { 1.0 } else { self.bob };
            let link = BodyDesc::dynamic()
                .pose(Pose::new(point + 0.5 * way, n.pose().q))
                .spin(n.vector() * self.spin)
                .mass(mass, DVec3::new(0.1, 0.12, 0.15) * mass);
            let link = world.add_body(link).unwrap();
            let (a, b) = (world.pose(last).unwrap(), world.pose(link).unwrap());
            let twist = Drive::new().limits(0.2 * (n.next() - 1.0), 0.2 * (n.next() + 1.0));
            let ball = Ball::along_world(&a, &b, point, n.vector()).unwrap();
            let ball = ball.friction(0.3).cone(self.cone).twist(twist);
            world.add_joint(last, link, ball).unwrap();
            (last, point) = (link, point + way);
        }
    }
}

/// Nothing drives these chains, so they have no energy to gain: alone, and where chains share lanes.
#[test]
fn friction_beside_limits_does_not_fly_apart() {
    let light = Stiff {
        links: 3,
        bob: 100.0,
        cone: std::f64::consts::PI,
        spin: 5.0,
    };
    let heavy = Stiff {
        links: 5,
        bob: 1000.0,
        cone: 0.5,
        spin: 20.0,
    };
    stay_together(11, [(light, 1), (light, 4), (heavy, 1), (heavy, 4)]);
    // Light links whirl about, and often point away from the one before, where their twist has no derivative.
    for seed in 20..30 {
        stay_together(seed, [(light, 1), (light, 4), (light, 1), (light, 4)]);
    }
}

/// Sixty times so many such chains, for five seconds each.
fn stay_together(seed: u64, cases: [(Stiff, u32); 4]) {
    let mut n = Numbers(seed);
    for (case, (chain, chains)) in cases.into_iter().cycle().take(60).enumerate() {
        let mut world = World::new(Params::game()).unwrap();
        for k in 0..chains {
            chain.hang(&mut world, DVec3::X * 20.0 * f64::from(k), &mut n);
        }
        let energy = |w: &World| w.energy().0 + w.energy().1;
        let start = energy(&world);
        for step in 0..300 {
            let report = world.step(1.0 / 60.0).unwrap();
            let gain = energy(&world) - start;
            assert!(
                gain < 1e-3,
                "{gain} J gained by step {step} of case {case} of {seed}"
            );
            assert!(report.frozen.is_empty() && report.residual.is_finite());
        }
    }
}
