//! Column maps N′ − μQ′ (theory §4.11): rows whose force acts along another direction than they measure.
//! T27 at the acceleration level, T07's cone stated as a row, dry friction of a rail.

mod common;
use common::rows::constrain;
use common::*;
use rb_world::joint::ConstraintRow;
use rb_world::prelude::*;

/// Force `f` at the point `arm` from the centre of mass.
fn push(arm: DVec3, f: DVec3) -> Twist {
    Twist::new(f, arm.cross(f))
}

/// T27: a uniform rod (m = 1, length 2) at tan θ = 2, its tip sliding over the floor with the centre
/// behind it; the tip's normal acceleration is held at zero or above by N′ − μ Q′.
fn sliding_rod(mu: f64) -> (World, BodyHandle, ConstraintHandle) {
    let mut world = World::new(exact(DVec3::NEG_Y * G)).unwrap();
    let angle = 2f64.atan();
    let desc = BodyDesc::dynamic()
        .at([0.0, angle.sin(), 0.0])
        .mass(1.0, DVec3::splat(1.0 / 3.0))
        .velocity([1.0, 0.0, 0.0]);
    let rod = world.add_body(desc).unwrap();
    let arm = DVec3::new(angle.cos(), -angle.sin(), 0.0);
    let tip = constrain(&mut world, &[rod], move |cx, out| {
        let b = &cx.bodies[0];
        let arm = b.pose.q * arm;
        let lift = b.vel.lin + b.vel.ang.cross(b.vel.ang.cross(arm));
        out.push(ConstraintRow::mapped(
            [push(arm, DVec3::Y)],
            [push(arm, DVec3::X * -mu)],
            |j| Row::acceleration_contact(j, 0.0, 0.0, lift.y, 0).unwrap(),
        ));
    });
    (world, rod, tip)
}

#[test]
fn t27_painleve_rod_at_acceleration_level() {
    let h = 1e-3;
    let cases = [
        (1.3, 0.04),
        (4.0 / 3.0, 0.0),
        (1.4, -0.08),
        (-1.3, 3.16),
        (-4.0 / 3.0, 3.2),
        (-1.4, 3.28),
    ];
    for (mu, wanted) in cases {
        let (mut world, rod, tip) = sliding_rod(mu);
        let report = world.step(h).unwrap();
        let p = world.problems().next().unwrap();
        let block = &p.blocks[0];
        let own = p.shared(block, 0, block, 0);
        close("normal coefficient", own, wanted, 1e-12);
        let force = world.constraint_forces(tip).unwrap()[0].1;
        let fall = -world.velocity(rod).unwrap().lin.y / h;
        println!(
            "mu {mu:+.3}: coefficient {own:+.2e}, force {force:.3} N, residual {:.1e}",
            report.residual
        );
        assert!(world.body(rod).unwrap().is_sound());
        if wanted > 0.01 {
            // N = g / coefficient, and N − m g lifts the centre.
            close("normal force", force, G / wanted, 1e-9 * G / wanted);
            close("fall", fall, G - force, 1e-9 * force);
            assert!(report.residual < 1e-12, "mu {mu}: {:e}", report.residual);
        } else {
            // No force holds the tip: the row exerts none, and says so.
            close("force", force, 0.0, 0.0);
            close("unmet by", report.residual, G * h, 1e-12);
            assert!(!report.met && report.worst == Some(Culprit::Constraint(tip)));
        }
    }
}

/// A block on the floor y = 0, sliding along (cos, sin) in x and z: its normal row brings −μ along
/// the slip.
fn sliding_block(mu: f64, v: DVec3) -> (World, BodyHandle) {
    let mut world = World::new(exact(DVec3::NEG_Y * G)).unwrap();
    let body = world
        .add_body(BodyDesc::dynamic().mass(1.0, DVec3::ONE).velocity(v))
        .unwrap();
    constrain(&mut world, &[body], move |cx, out| {
        let slip = cx.bodies[0].vel.lin.normalize_or_zero();
        out.push(ConstraintRow::mapped(
            [push(DVec3::ZERO, DVec3::Y)],
            [push(DVec3::ZERO, slip * -mu)],
            |j| Row::unilateral(j, cx.bodies[0].com.y, 0),
        ));
    });
    (world, body)
}

#[test]
fn t07_sliding_friction_as_a_column_map() {
    let (h, n) = (1e-3, 100);
    let v0 = DVec3::new(3.0, 0.0, 3.0);
    let (mut world, body) = sliding_block(0.25, v0);
    for _ in 0..n {
        let report = world.step(h).unwrap();
        assert!(report.residual < 1e-12);
    }
    let v = world.velocity(body).unwrap().lin;
    let slowed = (v0.length() - v.length()) / (n as f64 * h);
    println!("deceleration off by {:.1e}", (slowed - 0.25 * G).abs());
    close("deceleration", slowed, 0.25 * G, 1e-9);
    close("direction", v.x, v.z, 1e-12);
    close("height", world.position(body).unwrap().y, 0.0, 1e-12);
}

#[test]
fn friction_of_a_rail_grows_with_the_load_across_it() {
    // A bead on a rail along x, pressed by F along −y: the rail's row answers F and brings μ F along.
    let (mu, load, h) = (0.3, 10.0, 1e-2);
    let mut world = World::new(weightless()).unwrap();
    let desc = BodyDesc::dynamic()
        .velocity([2.0, 0.0, 0.0])
        .lock(LockedAxes::ANGULAR);
    let bead = world.add_body(desc.mass(2.0, DVec3::ONE)).unwrap();
    let rail = constrain(&mut world, &[bead], move |cx, out| {
        let back = -cx.bodies[0].vel.lin.x.signum();
        out.push(ConstraintRow::mapped(
            [push(DVec3::ZERO, DVec3::Y)],
            [push(DVec3::ZERO, DVec3::X * (back * mu))],
            |j| Row::unilateral(j, cx.bodies[0].com.y, 0),
        ));
    });
    for k in 1..=50 {
        world.add_force(bead, DVec3::NEG_Y * load).unwrap();
        world.step(h).unwrap();
        let v = 2.0 - mu * load / 2.0 * h * f64::from(k);
        close("speed", world.velocity(bead).unwrap().lin.x, v, 1e-12);
        close(
            "load",
            world.constraint_forces(rail).unwrap()[0].1,
            load,
            1e-9,
        );
    }
}

/// One rod slides along another body through a mapped row at their common point: nothing else acts, so
/// both momenta stay, for the default and the variational rotation.
#[test]
fn a_column_map_between_bodies_keeps_momentum() {
    for gyroscopic in [Gyroscopic::default(), Gyroscopic::Variational] {
        let mut params = weightless();
        params.gyroscopic = gyroscopic;
        let mut world = World::new(params).unwrap();
        let inertia = DVec3::new(0.5, 0.7, 0.9);
        let a = BodyDesc::dynamic()
            .mass(2.0, inertia)
            .spin([0.3, -0.2, 0.5]);
        let b = BodyDesc::dynamic()
            .mass(1.0, inertia * 0.3)
            .at([0.1, 0.8, 0.2])
            .velocity([1.0, -0.5, 0.3]);
        let [a, b] = [a, b].map(|d| world.add_body(d).unwrap());
        constrain(&mut world, &[a, b], |cx, out| {
            let [a, b] = [cx.bodies[0], cx.bodies[1]];
            let point = a.pose.point(DVec3::new(0.1, 0.4, 0.0));
            let arms = [point - a.com, point - b.com];
            let slip = (b.vel.at(arms[1]) - a.vel.at(arms[0])).reject_from(DVec3::Y);
            let along = slip.normalize_or_zero() * -0.4;
            let sides = |f: DVec3| [push(arms[0], -f), push(arms[1], f)];
            out.push(ConstraintRow::mapped(sides(DVec3::Y), sides(along), |j| {
                Row::velocity_floor(j, 0.0, 0)
            }));
        });
        let h = 1e-3;
        world.step(h).unwrap();
        let pressed = world.problems().next().unwrap().rows[0].lambda;
        let start = momenta(&world, h);
        for _ in 0..500 {
            let report = world.step(h).unwrap();
            assert!(report.residual < 1e-11, "{:e}", report.residual);
        }
        let end = momenta(&world, h);
        let [lin, ang] = [0, 1].map(|k| (end[k] - start[k]).length());
        println!(
            "{gyroscopic:?}: pressed by {pressed:.2} N·s, momentum off by {lin:.1e} N·s, {ang:.1e} N·m·s"
        );
        assert!(pressed > 0.1 && lin < 1e-13);
        if gyroscopic == Gyroscopic::Variational {
            assert!(ang < 1e-12, "{ang:e}");
        }
    }
}

/// With a joint, solved directly beside it: the sweep between the two ends at both laws.
#[test]
fn a_column_map_beside_a_joint() {
    let (mu, h) = (0.3, 1e-3);
    let (mut world, sled) = sliding_block(mu, DVec3::X * 2.0);
    let bob = BodyDesc::dynamic()
        .at([0.3, 0.4, 0.0])
        .mass(0.5, DVec3::splat(0.01))
        .velocity([2.0, 0.0, 0.0]);
    let bob = world.add_body(bob).unwrap();
    let [pa, pb] = [sled, bob].map(|b| world.pose(b).unwrap());
    let hinge = Hinge::at_world(&pa, &pb, DVec3::ZERO, DVec3::Z).unwrap();
    world.add_joint(sled, bob, hinge).unwrap();
    for _ in 0..100 {
        let before = world.momentum().lin;
        let report = world.step(h).unwrap();
        assert!(report.residual < 1e-9, "{:e}", report.residual);
        // The floor gives N and −μ N to the pair, whatever the bob does.
        let impulse = world.momentum().lin - before + DVec3::Y * (1.5 * G * h);
        close("friction", impulse.x, -mu * impulse.y, 1e-10);
        assert!(impulse.y > 0.0);
    }
}
