//! Boxed rows on joints: motors, also at their stops, dry friction, speed limits (theory T03, T04, T06).

mod common;
use common::*;
use rb_world::prelude::*;

#[test]
fn t03_motor_stall() {
    let h = 0.01;
    for (tau, rate) in [(3.0, -4.0), (8.0, 6.0)] {
        let motor = |hinge: Hinge| hinge.motor(Motor::velocity(6.0).max(tau));
        let (mut world, body, joint) = wheel(weightless(), 0.5, motor);
        for k in 1..=200 {
            world.add_torque(body, [0.0, 0.0, -5.0]).unwrap();
            world.step(h).unwrap();
            let t = k as f64 * h;
            let wanted = if rate < 0.0 {
                rate * t
            } else {
                (rate * t).min(6.0)
            };
            let w = world.velocity(body).unwrap().ang.z;
            assert!(
                (w - wanted).abs() < 1e-10,
                "tau {tau}, t {t}: {w} vs {wanted}"
            );
            // It holds the speed with the load's torque once it is reached.
            let torque = world.drive_loads(joint).unwrap()[0].force;
            let held = rate > 0.0 && k > 100;
            assert!(
                (torque - if held { 5.0 } else { tau }).abs() < 1e-10,
                "torque {torque} at {t}"
            );
        }
        close(
            "angular speed after 2 s",
            world.velocity(body).unwrap().ang.z,
            if rate < 0.0 { -8.0 } else { 6.0 },
            1e-10,
        );
    }
}

#[test]
fn t04_joint_dry_friction() {
    let h = 0.01;
    let start = |w0: f64| {
        let (mut world, body, joint) = wheel(weightless(), 2.0, |hinge| hinge.friction(1.5));
        world
            .set_velocity(body, DVec3::ZERO, [0.0, 0.0, w0])
            .unwrap();
        (world, body, joint)
    };
    let (mut world, body, _) = start(0.0);
    for _ in 0..100 {
        world.add_torque(body, [0.0, 0.0, 1.49]).unwrap();
        world.step(h).unwrap();
        assert!(world.velocity(body).unwrap().ang.length() < 1e-12);
    }
    let (mut world, body, _) = start(0.0);
    for _ in 0..100 {
        world.add_torque(body, [0.0, 0.0, 2.5]).unwrap();
        world.step(h).unwrap();
    }
    close(
        "speed after 1 s under 2.5 N·m",
        world.velocity(body).unwrap().ang.z,
        0.5,
        1e-9,
    );

    let (mut world, body, joint) = start(3.0);
    run(&mut world, h, 400, |w, _| {
        assert!(w.velocity(body).unwrap().ang.z > -1e-12, "reversed")
    });
    close(
        "speed at 4 s",
        world.velocity(body).unwrap().ang.z,
        0.0,
        1e-9,
    );
    close(
        "angle at rest",
        world.coordinate(joint, Axis::AngZ).unwrap().value,
        5.985,
        1e-9,
    );
    run(&mut world, h, 100, |w, _| {
        assert!(w.velocity(body).unwrap().ang.length() < 1e-12)
    });
}

#[test]
fn t06_velocity_limiter() {
    let h = 0.01;
    let (mut world, body, joint) =
        slider_mass(weightless(), 1.0, DVec3::X, |s| s.max_rate(2.0), 0.0);
    for k in 1..=40 {
        world.add_force(body, [10.0, 0.0, 0.0]).unwrap();
        world.step(h).unwrap();
        let wanted = (0.1 * k as f64).min(2.0);
        assert!(
            (world.velocity(body).unwrap().lin.x - wanted).abs() < 1e-10,
            "step {k}"
        );
    }
    let force: f64 = world
        .drive_loads(joint)
        .unwrap()
        .iter()
        .map(|d| d.force.abs())
        .sum();
    close("limiter force", force, 10.0, 1e-9);
    world.add_force(body, [-10.0, 0.0, 0.0]).unwrap();
    world.step(h).unwrap();
    let force: f64 = world
        .drive_loads(joint)
        .unwrap()
        .iter()
        .map(|d| d.force.abs())
        .sum();
    close("limiter force when slowing", force, 0.0, 1e-12);
}

/// Turning is motion, whether a body has a surface or not.
#[test]
fn a_rotor_without_colliders_does_not_fall_asleep() {
    for params in [Params::game(), Params::robotics()] {
        let mut world = World::new(params).unwrap();
        let base = world.add_body(BodyDesc::fixed()).unwrap();
        let rotor = BodyDesc::dynamic().mass(2.0, DVec3::splat(0.02));
        let rotor = world.add_body(rotor).unwrap();
        let hinge = Hinge::new(Pose::IDENTITY, Pose::IDENTITY).motor(Motor::velocity(14.0));
        world.add_joint(base, rotor, hinge).unwrap();
        run(&mut world, 1.0 / 60.0, 240, |_, _| {});
        let body = world.body(rotor).unwrap();
        assert!(!body.is_asleep());
        close("rate", body.vel.ang.length(), 14.0, 1e-6);
    }
}

/// A stop holds against a motor of any strength, and on either side.
#[test]
fn motors_stop_at_stops() {
    for params in [Params::game(), Params::robotics()] {
        for (max, rate) in [
            (0.2, 5.0),
            (50.0, 5.0),
            (50.0, -5.0),
            (1e9, 5.0),
            (f64::INFINITY, -5.0),
        ] {
            for bare in [false, true] {
                let mut world = World::new(params).unwrap();
                let base = world.add_body(BodyDesc::fixed()).unwrap();
                let rotor = BodyDesc::dynamic().mass(2.0, DVec3::splat(0.02));
                let rotor = world.add_body(rotor).unwrap();
                if !bare {
                    let ball = ColliderDesc::new(Shape::ball(0.2).unwrap());
                    world.add_collider(rotor, ball).unwrap();
                }
                let motor = Motor::velocity(rate);
                let motor = if max < f64::INFINITY {
                    motor.max(max)
                } else {
                    motor
                };
                let hinge = Hinge::new(Pose::IDENTITY, Pose::IDENTITY);
                let hinge = hinge.limits(-0.5, 0.5).motor(motor);
                let joint = world.add_joint(base, rotor, hinge).unwrap();
                run(&mut world, 1.0 / 60.0, 240, |w, _| {
                    let angle = w.coordinates(joint).unwrap()[0].value;
                    assert!(angle.abs() < 0.5 + 1e-6, "{angle} rad, {max} N·m");
                });
                close(
                    "angle",
                    world.coordinates(joint).unwrap()[0].value,
                    0.1 * rate,
                    1e-6,
                );
            }
        }
    }
}
