//! Rows of every class through the world: stabilisation, acceleration, nonholonomic (theory T14, T16,
//! T25, T26, T30, T33, T34).

mod common;
use common::rows::*;
use common::*;
use rb_world::joint::ConstraintRow;
use rb_world::prelude::*;

/// A unilateral row pressed in by 1 mm: what speed it leaves behind, and where it puts the body.
fn released(way: Option<Stabilisation>) -> [f64; 2] {
    let (mut world, body) = bead(weightless(), 1.0, -1e-3, 0.0);
    constrain(&mut world, &[body], move |cx, out| {
        let gap = cx.bodies[0].com.x;
        let mut row = along_x(|j| Row::unilateral(j, gap, 0));
        row.row.stabilise = way;
        out.push(row);
    });
    world.step(0.01).unwrap();
    bead_state(&world, body)
}

#[test]
fn t14_ways_out_of_a_penetration() {
    // The plain row lets go at φ/h, the split pass at rest, the capped one at its cap.
    let [x, v] = released(Some(Stabilisation::Implicit));
    close("plain speed", v, 0.1, 1e-12);
    close("plain place", x, 0.0, 1e-15);
    for way in [Some(Stabilisation::Split), None] {
        let [x, v] = released(way);
        close("split speed", v, 0.0, 1e-15);
        close("split place", x, 0.0, 1e-15);
    }
    let [x, v] = released(Some(Stabilisation::PushOut { speed: 0.03 }));
    close("capped speed", v, 0.03, 1e-15);
    close("capped place", x, -1e-3 + 3e-4, 1e-15);
}

#[test]
fn t16a_one_implicit_step() {
    let (h, k) = (0.01, 1000.0);
    let (mut world, body) = bead(weightless(), 1.0, -1.0, 0.0);
    world
        .add_coupling(
            Coupling::new(Quantity::point(body, DVec3::ZERO, DVec3::X))
                .drive(Drive::new().spring(Spring::new(0.0, k, 0.0))),
        )
        .unwrap();
    world.step(h).unwrap();
    let [x, v] = bead_state(&world, body);
    close("v+", v, 9.090_909_090_909_09, 1e-10);
    close("x+", x, -0.909_090_909_090_909, 1e-10);
    // General: v⁺ = (m v − h k q)/(m + h b + h² k).
    let (m, b, v0, x0) = (1.7, 3.0, 0.4, 0.25);
    let (mut world, body) = bead(weightless(), m, x0, v0);
    world
        .add_coupling(
            Coupling::new(Quantity::point(body, DVec3::ZERO, DVec3::X))
                .drive(Drive::new().spring(Spring::new(0.0, k, b))),
        )
        .unwrap();
    world.step(h).unwrap();
    let wanted = (m * v0 - h * k * x0) / (m + h * b + h * h * k);
    close("general v+", bead_state(&world, body)[1], wanted, 1e-14);
}

#[test]
fn t16d_there_and_back() {
    // The conserving scheme is its own inverse: a step, turned round, leads back to the start.
    let mut params = weightless();
    params.scheme = Scheme {
        alpha: 0.5,
        beta: 0.5,
    };
    let (mut world, body) = bead(params, 1.0, 1.0, 0.3);
    world
        .add_coupling(
            Coupling::new(Quantity::point(body, DVec3::ZERO, DVec3::X))
                .drive(Drive::new().spring(Spring::new(0.0, 50.0, 0.0))),
        )
        .unwrap();
    world.step(0.01).unwrap();
    let back = -bead_state(&world, body)[1];
    world
        .set_velocity(body, [back, 0.0, 0.0], DVec3::ZERO)
        .unwrap();
    world.step(0.01).unwrap();
    let [x, v] = bead_state(&world, body);
    close("x", x, 1.0, 1e-6);
    close("v", v, -0.3, 1e-6);
    // An implicit step, then an explicit one backwards in time: with the velocity turned round.
    let scheme = |alpha, beta| Params {
        scheme: Scheme { alpha, beta },
        ..weightless()
    };
    let (mut world, body) = bead(scheme(1.0, 1.0), 1.0, 1.0, 0.3);
    world
        .add_coupling(
            Coupling::new(Quantity::point(body, DVec3::ZERO, DVec3::X))
                .drive(Drive::new().spring(Spring::new(0.0, 50.0, 0.0))),
        )
        .unwrap();
    world.step(0.01).unwrap();
    let back = -bead_state(&world, body)[1];
    world
        .set_velocity(body, [back, 0.0, 0.0], DVec3::ZERO)
        .unwrap();
    world.set_params(scheme(0.0, 0.0)).unwrap();
    world.step(0.01).unwrap();
    let [x, v] = bead_state(&world, body);
    close("x, implicit and back", x, 1.0, 1e-6);
    close("v, implicit and back", v, -0.3, 1e-6);
}

#[test]
fn t16f_restitution_of_a_row() {
    for e in [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0] {
        let (mut world, body) = bead(weightless(), 1.0, 0.05, -10.0);
        constrain(&mut world, &[body], move |cx, out| {
            let gap = cx.bodies[0].com.x;
            out.push(along_x(|j| Row::restitution(j, gap, e, 0.05, 0)));
        });
        world.step(0.01).unwrap();
        // With e = 0 the first step only closes the gap.
        if e > 0.0 {
            close("rebound", bead_state(&world, body)[1], 10.0 * e, 1e-10);
        }
        world.step(0.01).unwrap();
        close("after", bead_state(&world, body)[1], 10.0 * e, 1e-10);
    }
}

/// Error of the knife edge at t = 5 (theory T25), largest residual of the row as imposed.
fn knife_edge(h: f64, midpoint: bool) -> ([f64; 2], f64) {
    let mut params = exact(DVec3::X * (9.81 * 0.5));
    params.scheme.beta = if midpoint { 0.5 } else { 1.0 };
    let mut world = World::new(params).unwrap();
    let desc = BodyDesc::dynamic()
        .mass(1.0, DVec3::ONE)
        .spin([0.0, 0.0, 2.0])
        .lock(LockedAxes::LINEAR_Z | LockedAxes::ANGULAR_X | LockedAxes::ANGULAR_Y);
    let body = world.add_body(desc).unwrap();
    let side = |q: DQuat| q * DVec3::Y;
    constrain(&mut world, &[body], move |cx, out| {
        let q = if midpoint {
            cx.ahead(0, 0.5 * cx.h)
        } else {
            cx.bodies[0]
        }
        .pose
        .q;
        let jac = [Twist::new(side(q), DVec3::ZERO)];
        let make = if midpoint {
            Row::midpoint
        } else {
            Row::velocity
        };
        out.push(ConstraintRow::new(jac, |j| make(j, 0.0, 0)));
    });
    let mut worst = 0.0f64;
    for _ in 0..(5.0 / h).round() as usize {
        let (q, v) = (world.pose(body).unwrap().q, world.velocity(body).unwrap());
        world.step(h).unwrap();
        let now = world.velocity(body).unwrap().lin;
        let residual = if midpoint {
            let turned = rb_world::core::math::exp_rotation(v.ang * (0.5 * h)) * q;
            side(turned).dot(now + v.lin) * 0.5
        } else {
            side(q).dot(now)
        };
        worst = worst.max(residual.abs());
    }
    let p = world.position(body).unwrap();
    let wanted = [0.181_459_843, 5.851_375_222];
    ([p.x - wanted[0], p.y - wanted[1]], worst)
}

#[test]
fn t25_knife_edge() {
    let ([x, _], residual) = knife_edge(1e-3, false);
    assert!(residual < 1e-12, "end-of-step row {residual:e}");
    close("end-of-step error in x", x.abs(), 0.0123, 5e-4);
    let ([half, _], _) = knife_edge(5e-4, false);
    close("halves with h", x / half, 2.0, 0.02);
    let ([x, y], residual) = knife_edge(1e-3, true);
    assert!(residual < 1e-12, "midpoint row {residual:e}");
    assert!(
        x.abs() < 1.3e-7 && y.abs() < 8.1e-6,
        "midpoint errors {x:e} {y:e}"
    );
    println!("midpoint errors {x:.2e} {y:.2e}");
    let ([_, half], _) = knife_edge(5e-4, true);
    close("quarters with h", y / half, 4.0, 0.05);
}

#[test]
fn t26_turntable() {
    let (r, spin, h) = (0.25, 2.0, 1e-3);
    let rate = 2.0 / 7.0 * spin;
    let turn = |midpoint: bool| {
        let mut params = weightless();
        params.scheme.beta = if midpoint { 0.5 } else { 1.0 };
        let mut world = World::new(params).unwrap();
        let v = DVec3::new(0.3, 0.0, 0.2);
        // Without slip at the origin, where the disc is at rest: v = r ŷ × … solved for ω.
        let omega = DVec3::Y.cross(v) / r;
        let desc = BodyDesc::dynamic()
            .mass(1.0, DVec3::splat(0.4 * r * r))
            .velocity(v)
            .spin(omega);
        let body = world.add_body(desc).unwrap();
        constrain(&mut world, &[body], move |cx, out| {
            let at = if midpoint {
                cx.ahead(0, 0.5 * cx.h)
            } else {
                cx.bodies[0]
            };
            let disc = (DVec3::Y * spin).cross(at.com);
            for (slot, e) in [DVec3::X, DVec3::Z].into_iter().enumerate() {
                let jac = [Twist::new(e, (DVec3::Y * -r).cross(e))];
                let make = if midpoint {
                    Row::midpoint
                } else {
                    Row::velocity
                };
                out.push(ConstraintRow::new(jac, |j| {
                    make(j, e.dot(disc), slot as u8)
                }));
            }
        });
        let speed = v.length();
        let period = std::f64::consts::TAU / rate;
        let steps = (period / h).round() as usize;
        let (mut low, mut high) = (DVec3::ZERO, DVec3::ZERO);
        for _ in 0..steps {
            world.step(h).unwrap();
            let p = world.position(body).unwrap();
            (low, high) = (low.min(p), high.max(p));
        }
        let end = world.velocity(body).unwrap().lin;
        let radius = 0.25 * ((high - low).x + (high - low).z);
        (
            end.length() / speed - 1.0,
            end.normalize().dot(v / speed),
            radius,
        )
    };
    let (growth, _, radius) = turn(false);
    close(
        "first order: change of speed in one turn",
        growth.abs(),
        1.8e-3,
        2e-4,
    );
    close("radius", radius, 0.630_971_5, 2e-3);
    let (growth, direction, radius) = turn(true);
    assert!(growth.abs() < 1e-6, "midpoint: change of speed {growth:e}");
    assert!(1.0 - direction < 1e-6, "back after 10.9956 s: {direction}");
    close("radius", radius, 0.630_971_5, 1e-5);
}

#[test]
fn t30_pd_with_effort_limit() {
    let h = 0.01;
    for (effort, impulse) in [(Some(3.0), 0.03), (None, 0.943_396_226_415_094_3)] {
        let mut motor = Motor::position(1.0, 100.0, 2.0);
        motor.max = effort;
        let (mut world, _, joint) = wheel(weightless(), 0.5, |hinge| hinge.motor(motor));
        world.step(h).unwrap();
        let torque = world.drive_loads(joint).unwrap()[0].force;
        close("first impulse", torque * h, impulse, 1e-12);
    }
}

/// Errors of a bead held at 0 by Baumgarte feedback, from (φ, φ̇) = (1, 0).
fn feedback(ah: f64, bh: f64, steps: usize) -> Vec<f64> {
    let (mut world, body) = bead(weightless(), 1.0, 1.0, 0.0);
    let h = 0.01;
    constrain(&mut world, &[body], move |cx, out| {
        let gap = cx.bodies[0].com.x;
        let gains = [ah / cx.h, bh / cx.h];
        out.push(along_x(|j| Row::acceleration(j, gap, 0.0, 0.0, gains, 0)));
    });
    let mut errors = vec![1.0];
    run(&mut world, h, steps, |world, _| {
        errors.push(bead_state(world, body)[0])
    });
    errors
}

#[test]
fn t33_baumgarte_boundaries() {
    // Deadbeat, and the popular gains that grow by 1.618 per step.
    let e = feedback(0.5, 1.0, 4);
    assert!(e[2].abs() < 1e-14 && e[3].abs() < 1e-14, "{e:?}");
    let e = feedback(1.0, 1.0, 30);
    close("growth", (e[30] / e[29]).abs(), 1.618_033_988_7, 1e-6);
    // On both sides of the boundary, sampled along it; refused exactly where it grows.
    for k in 0..10 {
        let ah = 0.05 + 0.1 * f64::from(k);
        let edge = (4.0 - 4.0 * ah).sqrt();
        for (bh, stable) in [(0.99 * edge, true), (1.01 * edge, false)] {
            let e = feedback(ah, bh, 4000);
            let late = e[3900..].iter().fold(0.0f64, |m, x| m.max(x.abs()));
            assert_eq!(late < 1.0, stable, "ah {ah}, bh {bh}: {late:e}");
            assert_eq!(Stabilisation::baumgarte(ah, bh, 1.0).is_ok(), stable);
        }
    }
    assert!(Stabilisation::baumgarte(1.01, 0.0, 1.0).is_err());
    assert!(Stabilisation::baumgarte(100.0, 100.0, 0.01).is_err());
    // The same feedback as a way of stabilising a position row obeys the same recurrence.
    let (ah, bh) = (0.3, 0.7);
    let (mut world, body) = bead(weightless(), 1.0, 1.0, 0.0);
    constrain(&mut world, &[body], move |cx, out| {
        let gap = cx.bodies[0].com.x;
        let mut row = along_x(|j| Row::bilateral(j, gap, 0));
        row.row.stabilise = Some(Stabilisation::Baumgarte {
            damping: ah,
            frequency: bh,
        });
        out.push(row);
    });
    let reference = feedback(ah, bh, 20);
    run(&mut world, 0.01, 20, |world, k| {
        close("φ", bead_state(world, body)[0], reference[k], 1e-12);
    });
}

#[test]
fn t34_acceleration_rows() {
    // ε acts as an added inverse mass: λ = −5, v̇ = 2.5.
    let (mut world, body) = bead(weightless(), 2.0, 0.0, 0.0);
    let held = constrain(&mut world, &[body], |_, out| {
        out.push(along_x(|j| {
            Row::acceleration(j, 0.0, 0.0, 0.5, [0.0; 2], 0)
        }));
    });
    let h = 0.01;
    for _ in 0..50 {
        let before = bead_state(&world, body)[1];
        world.add_force(body, [10.0, 0.0, 0.0]).unwrap();
        world.step(h).unwrap();
        let after = bead_state(&world, body)[1];
        close("v̇", (after - before) / h, 2.5, 1e-11);
        close(
            "λ",
            world.constraint_forces(held).unwrap()[0].1,
            -5.0,
            1e-11,
        );
    }
    // One-sided with an open gap: the body falls freely; in contact: λ carries its weight.
    for (x, force, fall) in [(1.0, 0.0, 9.81), (0.0, 9.81, 0.0)] {
        let (mut world, body) = bead(exact(DVec3::X * -9.81), 1.0, x, 0.0);
        let held = constrain(&mut world, &[body], |cx, out| {
            let (gap, rate) = (cx.bodies[0].com.x, cx.bodies[0].vel.lin.x);
            let row = |j| Row::acceleration_contact(j, gap, rate, 0.0, 0);
            if let Ok(row) = row([Twist::ZERO; 2]) {
                out.push(along_x(|_| row));
            }
        });
        run(&mut world, h, 10, |_, _| {});
        close(
            "fall",
            -bead_state(&world, body)[1] / (10.0 * h),
            fall,
            1e-12,
        );
        let forces = world.constraint_forces(held).unwrap();
        close("λ", forces.first().map_or(0.0, |f| f.1), force, 1e-12);
    }
    let jac = [Twist::ZERO; 2];
    assert!(Row::acceleration_contact(jac, 1.0, 0.0, 0.0, 0).is_err());
    assert!(Row::acceleration_contact(jac, 0.0, 0.1, 0.0, 0).is_err());
}

#[test]
fn limits_of_speed_and_acceleration() {
    let (mut world, body) = bead(weightless(), 1.0, 0.0, 0.0);
    let held = constrain(&mut world, &[body], |_, out| {
        out.push(along_x(|j| Row::velocity_limit(j, 2.0, 0)));
        out.push(along_x(|j| Row::acceleration_limit(j, 4.0, 1)));
    });
    let h = 0.01;
    run(&mut world, h, 100, |world, k| {
        let wanted = (4.0 * (k as f64 - 1.0) * h).min(2.0);
        if k > 1 {
            close("v", bead_state(world, body)[1], wanted, 1e-11);
        }
        world.add_force(body, [10.0, 0.0, 0.0]).unwrap();
    });
    let forces = world.constraint_forces(held).unwrap();
    close("row force", forces[0].1 + forces[1].1, 10.0, 1e-11);
}

#[test]
fn prescribed_motion_is_met_at_the_end_of_every_step() {
    let (mut world, body) = bead(weightless(), 1.0, 0.0, 0.0);
    let wanted = |t: f64| 0.3 * (2.0 * t).sin();
    constrain(&mut world, &[body], move |cx, out| {
        let (t, h) = (cx.time, cx.h);
        let rate = (wanted(t + h) - wanted(t)) / h;
        let gap = cx.bodies[0].com.x - wanted(t);
        out.push(along_x(|j| Row::prescribed(j, gap, rate, 0)));
    });
    run(&mut world, 0.01, 500, |world, _| {
        let x = bead_state(world, body)[0];
        assert!((x - wanted(world.time())).abs() < 1e-12);
    });
}

#[test]
fn t28_limit_impulse_and_generic_bias() {
    // A limit met at 1 m/s by 2 kg takes m v = 2; asked to rebound at the same speed it takes 4.
    let h = 0.01;
    for (least, impulse) in [(0.0, 2.0), (1.0, 4.0)] {
        let (mut world, body) = bead(weightless(), 2.0, 0.0, -1.0);
        let limit = constrain(&mut world, &[body], move |_, out| {
            out.push(along_x(|j| Row::velocity_floor(j, least, 0)));
        });
        world.step(h).unwrap();
        let force = world.constraint_forces(limit).unwrap()[0].1;
        close("impulse", force * h, impulse, 1e-12);
    }
    // A generic bilateral row with bias 1: J v⁺ + 1 = 0.
    let (mut world, body, _) = wheel(weightless(), 0.5, |hinge| hinge);
    constrain(&mut world, &[body], |_, out| {
        let jac = [Twist::new(DVec3::ZERO, DVec3::Z)];
        out.push(ConstraintRow::new(jac, |j| Row::velocity(j, -1.0, 0)));
    });
    world.step(h).unwrap();
    close("spin", world.velocity(body).unwrap().ang.z, -1.0, 1e-12);
}
