//! Contact extras: resistance to spin and rolling, grain, friction at rest (theory T40), and the rod and
//! rolling scenes (T27 at velocity level, T28, SimBenchmark).

mod common;
use common::*;
use rb_world::core::problem::Problem;
use rb_world::prelude::*;

fn ground(world: &mut World, make: impl FnOnce(ColliderDesc) -> ColliderDesc) -> BodyHandle {
    let floor = world.add_body(BodyDesc::fixed()).unwrap();
    let plane = ColliderDesc::new(Shape::half_space(DVec3::Y).unwrap());
    world.add_collider(floor, make(plane)).unwrap();
    floor
}

fn ball(world: &mut World, r: f64, m: f64, i: f64, desc: BodyDesc, mu: f64) -> BodyHandle {
    let body = world
        .add_body(desc.at([0.0, r, 0.0]).mass(m, DVec3::splat(i)))
        .unwrap();
    let collider = ColliderDesc::new(Shape::ball(r).unwrap()).friction(mu);
    world.add_collider(body, collider).unwrap();
    body
}

#[test]
fn t40_torsion() {
    // μ ρ = 0.01 m, I = 0.02: from 10 rad/s it stops after 2.038736 s and 10.19368 rad.
    for h in [1e-2, 1e-3] {
        let mut world = World::new(exact(DVec3::NEG_Y * G)).unwrap();
        ground(&mut world, |c| c.friction(0.5).torsion(0.02));
        let desc = BodyDesc::dynamic().spin([0.0, 10.0, 0.0]);
        let body = ball(&mut world, 0.5, 1.0, 0.02, desc, 0.5);
        let (mut angle, mut stop) = (0.0, None);
        run(&mut world, h, (3.0 / h) as usize, |w, k| {
            let spin = w.velocity(body).unwrap().ang.y;
            angle += h * spin;
            if stop.is_none() && spin.abs() < 1e-9 {
                stop = Some(k as f64 * h);
            }
            assert!(spin > -1e-9, "never turns back: {spin}");
        });
        close("stops after", stop.unwrap(), 2.038736, h);
        close("angle", angle + 0.5 * h * 10.0, 10.19368, h);
    }
}

#[test]
fn rolling_resistance_has_a_length() {
    // A ball rolling without slip: (I + m r²) α = −μ ρ m g, the same in every direction.
    let (r, m, i, mu, rho, h) = (0.5, 1.0, 0.1, 0.5, 0.02, 1e-3);
    for direction in [0.0, 0.4, 1.1] {
        let mut world = World::new(exact(DVec3::NEG_Y * G)).unwrap();
        ground(&mut world, |c| c.friction(mu).rolling(rho));
        let forward = DVec3::new(f64::cos(direction), 0.0, f64::sin(direction));
        let desc = BodyDesc::dynamic()
            .velocity(forward)
            .spin(DVec3::Y.cross(forward) / r);
        let body = ball(&mut world, r, m, i, desc, mu);
        run(&mut world, h, 500, |_, _| {});
        let v = world.velocity(body).unwrap().lin;
        let wanted = 1.0 - mu * rho * m * G / (i + m * r * r) * r * 0.5;
        close("speed", v.dot(forward), wanted, 1e-9);
        assert!(
            (v - forward * v.dot(forward)).length() < 1e-9,
            "straight on"
        );
        run(&mut world, h, 7500, |_, _| {});
        assert!(world.velocity(body).unwrap().lin.length() < 1e-9, "stops");
    }
}

#[test]
fn grain_makes_an_elliptic_cone() {
    // μ = 0.2 along x of the ground, 0.5 across: decelerations along the axes, and by maximal
    // dissipation at 45°.
    let slide = |v: DVec3| {
        let mut world = World::new(exact(DVec3::NEG_Y * G)).unwrap();
        ground(&mut world, |c| c.friction(0.2).grain(DVec3::X, 2.5));
        let body = point_mass(&mut world, 0.2, FrictionLaw::Conic, v);
        world.step(1e-3).unwrap();
        (v - world.velocity(body).unwrap().lin) / (1e-3 * G)
    };
    close("along", slide(DVec3::X).x, 0.2, 1e-9);
    close("across", slide(DVec3::Z).z, 0.5, 1e-9);
    let v = DVec3::new(1.0, 0.0, 1.0);
    let loss = slide(v);
    // The velocity at the end of the step decides: −w ∥ (f_x/μ₁², f_z/μ₂²).
    let after = v - loss * 1e-3 * G;
    let scale = (0.04 * after.x.powi(2) + 0.25 * after.z.powi(2)).sqrt();
    close("oblique x", loss.x, 0.04 * after.x / scale, 1e-9);
    close("oblique z", loss.z, 0.25 * after.z / scale, 1e-9);
}

#[test]
fn friction_at_rest_is_higher_than_in_motion() {
    // μ = 0.2, at rest 0.3: a pull of 0.25 m g holds a resting block and accelerates a moving one.
    let push = |v: f64| {
        let mut world = World::new(exact(DVec3::NEG_Y * G)).unwrap();
        ground(&mut world, |c| c.friction(0.2).static_ratio(1.5));
        let body = point_mass(&mut world, 0.2, FrictionLaw::Conic, DVec3::X * v);
        run(&mut world, 1e-3, 200, |w, _| {
            w.add_force(body, DVec3::X * 0.25 * G).unwrap()
        });
        world.velocity(body).unwrap().lin.x - v
    };
    close("held", push(0.0), 0.0, 1e-9);
    close(
        "slides",
        push(0.5),
        0.05 * G * 199.0 * 1e-3 - 0.2 * G * 1e-3,
        1e-9,
    );
}

#[test]
fn resistance_to_rolling_is_remembered() {
    // Balls pushed by less than rolls them: held by friction and a couple, which later steps start from,
    // also after a snapshot.
    let mut world = World::new(exact(DVec3::NEG_Y * G)).unwrap();
    ground(&mut world, |c| c.friction(0.5).rolling(0.02).torsion(0.02));
    let balls: Vec<_> = (0..3)
        .map(|k| {
            let ball = ball(&mut world, 0.5, 1.0, 0.1, BodyDesc::dynamic(), 0.5);
            world
                .set_position(ball, [2.0 * f64::from(k), 0.5, 0.0])
                .unwrap();
            ball
        })
        .collect();
    let step = |world: &mut World| {
        for &b in &balls {
            world.add_force(b, [0.005 * G, 0.0, 0.003 * G]).unwrap();
            world.add_torque(b, [0.0, 0.02, 0.0]).unwrap();
        }
        let report = world.step(1e-2).unwrap();
        assert!(report.residual < 1e-10, "{:e}", report.residual);
        report.islands.iter().map(|i| i.iterations).max().unwrap()
    };
    let first = step(&mut world);
    let later: Vec<u32> = (0..20).map(|_| step(&mut world)).collect();
    println!(
        "sweeps: {first} in the first step, {} in the last",
        later[19]
    );
    assert!(later[19] < first && later[19] <= 4);
    for &b in &balls {
        assert!(world.velocity(b).unwrap().ang.length() < 1e-9);
    }
    let mut back = World::restore(&world.save().unwrap()).unwrap();
    step(&mut world);
    step(&mut back);
    assert_eq!(world.save().unwrap(), back.save().unwrap());
}

#[test]
fn bad_surfaces_are_refused() {
    let plane = || ColliderDesc::new(Shape::half_space(DVec3::Y).unwrap());
    let bad = [
        plane().grain(DVec3::X, 0.0),
        plane().grain(DVec3::NAN, 2.0),
        plane().static_ratio(0.9),
        plane().torsion(-1.0),
        plane().rolling(f64::INFINITY),
    ];
    let mut world = World::new(Params::robotics()).unwrap();
    let body = world.add_body(BodyDesc::fixed()).unwrap();
    for desc in bad {
        assert!(world.add_collider(body, desc).is_err());
    }
}

/// A uniform rod (length 2) that leans at `angle` with its tip on the floor, sliding at `slip`.
fn leaning_rod(mu: f64, angle: f64, slip: f64) -> (World, BodyHandle) {
    let mut world = World::new(exact(DVec3::NEG_Y * G)).unwrap();
    ground(&mut world, |c| c.friction(mu));
    let r = 1e-3;
    let desc = BodyDesc::dynamic()
        .at([0.0, angle.sin() + r, 0.0])
        .mass(1.0, DVec3::splat(1.0 / 3.0))
        .velocity([slip, 0.0, 0.0])
        .lock(LockedAxes::LINEAR_Z | LockedAxes::ANGULAR_X | LockedAxes::ANGULAR_Y);
    let rod = world.add_body(desc).unwrap();
    let tip = ColliderDesc::new(Shape::ball(r).unwrap())
        .friction(mu)
        .translation(DVec3::new(angle.cos(), -angle.sin(), 0.0));
    world.add_collider(rod, tip).unwrap();
    (world, rod)
}

#[test]
fn t27_painleve_rod_at_velocity_level() {
    // The tip runs ahead of the centre. Beyond μ = 4/3 the acceleration level has no solution while
    // sliding; impulses do, and the step is certified.
    let angle = 2.0f64.atan();
    for mu in [1.3, 4.0 / 3.0, 1.4, 2.0] {
        let coefficient = 1.0 + 3.0 * angle.cos() * (angle.cos() - mu * angle.sin());
        println!("mu {mu:.3}: normal coefficient {coefficient:+.3}");
        let (mut world, rod) = leaning_rod(mu, angle, 1.0);
        for _ in 0..50 {
            let report = world.step(1e-3).unwrap();
            assert!(
                report.residual < 1e-9,
                "mu {mu}: residual {:e}",
                report.residual
            );
            assert!(world.body(rod).unwrap().is_sound());
        }
        let v = world.velocity(rod).unwrap();
        assert!(v.lin.length() + v.ang.length() < 20.0, "mu {mu}: {v:?}");
    }
    // The signs of the theory: +0.04, 0, −0.08, and +3.16 … 3.28 for the other direction.
    let c = |mu: f64| 1.0 + 3.0 * angle.cos() * (angle.cos() - mu * angle.sin());
    for (mu, wanted) in [
        (1.3, 0.04),
        (4.0 / 3.0, 0.0),
        (1.4, -0.08),
        (-1.3, 3.16),
        (-1.4, 3.28),
    ] {
        close("coefficient", c(mu), wanted, 1e-12);
    }
}

/// A rod of 2 kg lying on both ends, each doubled `copies` times.
fn lying_rod(mu: f64, copies: usize) -> (World, BodyHandle) {
    let mut world = World::new(exact(DVec3::NEG_Y * G)).unwrap();
    ground(&mut world, |c| c.friction(mu));
    let r = 0.05;
    let desc = BodyDesc::dynamic()
        .at([0.0, r, 0.0])
        .mass(2.0, DVec3::splat(1.0));
    let rod = world.add_body(desc).unwrap();
    for x in [-1.0, 1.0] {
        for _ in 0..=copies {
            let end = ColliderDesc::new(Shape::ball(r).unwrap())
                .friction(mu)
                .translation(DVec3::X * x);
            world.add_collider(rod, end).unwrap();
        }
    }
    (world, rod)
}

#[test]
fn t28_rod_battery() {
    let h = 1e-3;
    for copies in 0..3 {
        let forces = |world: &World| -> f64 {
            let force = |p: &Problem| -> f64 {
                let firsts = p.blocks.iter().map(|b| b.first as usize);
                firsts.map(|f| p.rows[f].lambda / h).sum()
            };
            world.problems().map(|p| force(&p)).sum()
        };
        let friction = |world: &World| world.momentum().lin.x / h - 100.0;
        let (mut world, rod) = lying_rod(15.0, copies);
        world.add_force(rod, [100.0, 0.0, 0.0]).unwrap();
        world.step(h).unwrap();
        close("normal force", forces(&world), 19.62, 1e-8);
        close("friction", friction(&world), -100.0, 1e-8);
        assert!(
            world.velocity(rod).unwrap().lin.length() < 1e-8,
            "held by μ = 15"
        );
        let (mut world, rod) = lying_rod(0.1, copies);
        world.add_force(rod, [100.0, 0.0, 0.0]).unwrap();
        world.step(h).unwrap();
        let speed = world.velocity(rod).unwrap().lin.x;
        close("acceleration", speed / h, 49.019, 1e-8);
        close("friction", friction(&world), -1.962, 1e-8);
        let (mut world, rod) = lying_rod(0.1, copies);
        world.add_force(rod, [0.0, 30.0, 0.0]).unwrap();
        world.step(h).unwrap();
        close("pulled up", forces(&world), 0.0, 1e-12);
        let (mut world, rod) = lying_rod(0.1, copies);
        world
            .set_velocity(rod, [0.0, 1.0, 0.0], DVec3::ZERO)
            .unwrap();
        world.step(h).unwrap();
        close("moving up", forces(&world), 0.0, 1e-12);
    }
}

#[test]
fn simbenchmark_rolling() {
    // One box of 10 kg pushed by 150 N under 25 balls, force along (0.5, 0.866): cone friction.
    let h = 1e-3;
    let mut world = World::new(exact(DVec3::NEG_Y * 9.81)).unwrap();
    ground(&mut world, |c| rubbing_as(c, 0.5));
    let desc = BodyDesc::dynamic().at([0.0, 0.5, 0.0]).mass(
        10.0,
        DVec3::splat(10.0 / 12.0) * DVec3::new(401.0, 800.0, 401.0),
    );
    let box_ = world.add_body(desc).unwrap();
    let cuboid = Shape::cuboid(DVec3::new(10.0, 0.5, 10.0)).unwrap();
    world.add_collider(box_, rubbing(cuboid, 0.8)).unwrap();
    let mut balls = Vec::new();
    for i in 0..25 {
        let (x, z) = (2.0 * f64::from(i % 5) - 4.0, 2.0 * f64::from(i / 5) - 4.0);
        let desc = BodyDesc::dynamic()
            .at([x, 1.5, z])
            .mass(1.0, DVec3::splat(0.4 * 0.25));
        let ball = world.add_body(desc).unwrap();
        world
            .add_collider(ball, rubbing(Shape::ball(0.5).unwrap(), 1.0))
            .unwrap();
        balls.push(ball);
    }
    let direction = DVec3::new(0.5, 0.0, 0.75f64.sqrt());
    // Ground μ = 0.4, ball μ = 0.8: accelerations from the balance of forces, rolling without slip.
    let n = 10.0 + 25.0;
    let ground_force = 0.4 * n * 9.81;
    let a_box = (150.0 - ground_force) / (10.0 + 25.0 * 2.0 / 7.0);
    let a_ball = a_box * 2.0 / 7.0;
    close("acceleration of the box", a_box, 0.7385, 1e-9);
    let (mut sum, steps) = (0.0, 4000);
    for k in 0..steps {
        let t = f64::from(k) * h;
        let v = |b| world.velocity(b).unwrap().lin;
        sum += (v(box_) - direction * a_box * t).length_squared();
        sum += (v(balls[12]) - direction * a_ball * t).length_squared();
        world.add_force(box_, direction * 150.0).unwrap();
        world.step(h).unwrap();
    }
    let error = sum / f64::from(steps);
    println!("SimBenchmark rolling: error {error:.2e} m²/s²");
    assert!(error <= 1e-12, "error {error:e}");
}

fn rubbing_as(c: ColliderDesc, mu: f64) -> ColliderDesc {
    c.friction(mu).friction_combine(Combine::Multiply)
}

#[test]
fn simbenchmark_bouncing() {
    // 49 balls, e = 1, no friction, h = 1e-3, 20 s: mean squared energy error of the whole scene.
    let h = 1e-3;
    let (m, r, height) = (10.0, 0.1, 5.0);
    let run_with = |alpha: f64, beta: f64| {
        let mut params = exact(DVec3::NEG_Y * 9.81);
        params.scheme = Scheme { alpha, beta };
        let mut world = World::new(params).unwrap();
        ground(&mut world, |c| c.friction(0.0).restitution(1.0));
        for i in 0..49 {
            let at = [2.0 * f64::from(i % 7), height, 2.0 * f64::from(i / 7)];
            let desc = BodyDesc::dynamic()
                .at(at)
                .mass(m, DVec3::splat(0.4 * m * r * r));
            let body = world.add_body(desc).unwrap();
            let ball = ColliderDesc::new(Shape::ball(r).unwrap())
                .friction(0.0)
                .restitution(1.0);
            world.add_collider(body, ball).unwrap();
        }
        let e0 = 49.0 * m * 9.81 * height;
        let mut sum = 0.0;
        for _ in 0..20_000 {
            world.step(h).unwrap();
            let (kinetic, potential) = world.energy();
            sum += (kinetic + potential - e0).powi(2);
        }
        sum / 20_000.0
    };
    for (alpha, beta) in [(1.0, 1.0), (1.0, 0.5)] {
        let error = run_with(alpha, beta);
        println!("SimBenchmark bouncing at ({alpha}, {beta}): error {error:.3e} J²");
        if beta == 0.5 {
            assert!(error < 0.019, "{error:e}");
        }
    }
}
