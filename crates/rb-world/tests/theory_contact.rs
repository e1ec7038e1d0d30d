//! Friction, restitution and rolling (theory T07, T08, T09, T14, T29, T37, T40).

mod common;
use common::*;
use rb_world::prelude::*;

fn sliding(params: Params, mu: f64, law: FrictionLaw, v: DVec3) -> (World, BodyHandle) {
    let mut world = World::new(params).unwrap();
    floor(&mut world, mu, law);
    let body = point_mass(&mut world, mu, law, v);
    (world, body)
}

fn earth() -> Params {
    exact(DVec3::NEG_Y * G)
}

#[test]
fn t07_friction_at_45_degrees() {
    let (mu, h) = (0.25, 0.01);
    for (law, wanted) in [
        (FrictionLaw::Boxed, mu * G * 2f64.sqrt()),
        (FrictionLaw::Conic, mu * G),
        (FrictionLaw::Pyramid, mu * G / 2f64.sqrt()),
    ] {
        let v0 = DVec3::new(1.0, 0.0, 1.0);
        let (mut world, body) = sliding(earth(), mu, law, v0);
        run(&mut world, h, 10, |_, _| {});
        let dv = (v0 - world.velocity(body).unwrap().lin).length();
        close(
            &format!("deceleration, {law:?}"),
            dv / (10.0 * h),
            wanted,
            1e-9,
        );
    }
}

#[test]
fn t08_oblique_slide() {
    let (mu, h) = (0.25, 1e-3);
    let v0 = DVec3::new(4.0, 0.0, 0.8);
    for (law, x, z, t) in [
        (FrictionLaw::Conic, 3.32658, 0.66532, 1.66329),
        (FrictionLaw::Boxed, 3.26198, 0.13048, 1.63099),
        (FrictionLaw::Pyramid, 3.39246, 1.30479, 1.95719),
    ] {
        let (mut world, body) = sliding(earth(), mu, law, v0);
        let mut stop = 0.0;
        run(&mut world, h, 2500, |w, k| {
            if w.velocity(body).unwrap().lin.length() > 1e-12 {
                stop = k as f64 * h;
            }
        });
        let p = world.position(body).unwrap() + 0.5 * h * v0;
        close(&format!("stop x, {law:?}"), p.x, x, 3e-3);
        close(&format!("stop z, {law:?}"), p.z, z, 3e-3);
        close(&format!("stop time, {law:?}"), stop, t, 3e-3);
    }
}

#[test]
fn t08_cone_is_isotropic() {
    let stop = |law, angle: f64| {
        let turn = DQuat::from_rotation_y(angle);
        let (mut world, body) = sliding(earth(), 0.25, law, turn * DVec3::new(4.0, 0.0, 0.8));
        run(&mut world, 1e-3, 2500, |_, _| {});
        let p = world.position(body).unwrap();
        turn.conjugate() * DVec3::new(p.x, 0.0, p.z)
    };
    let angle = 30f64.to_radians();
    let cone = (stop(FrictionLaw::Conic, angle) - stop(FrictionLaw::Conic, 0.0)).length();
    let boxed = (stop(FrictionLaw::Boxed, angle) - stop(FrictionLaw::Boxed, 0.0)).length();
    close("cone: difference after turning by 30°", cone, 0.0, 1e-10);
    assert!(boxed > 0.1, "the box must not be isotropic: {boxed}");
}

#[test]
fn t09_exact_discrete_stop() {
    for (beta, distance) in [(1.0, 1.2139875), (0.5, 1.22625)] {
        let p = Params {
            scheme: Scheme { alpha: 1.0, beta },
            ..earth()
        };
        let (mut world, body) = sliding(p, 0.25, FrictionLaw::Conic, DVec3::X * 2.4525);
        run(&mut world, 0.01, 99, |w, _| {
            assert!(w.velocity(body).unwrap().lin.x > 0.02)
        });
        run(&mut world, 0.01, 1001, |w, k| {
            let v = w.velocity(body).unwrap().lin.length();
            assert!(v < 1e-12, "{k} steps after the stop: {v:e}");
        });
        close(
            &format!("distance at beta {beta}"),
            world.position(body).unwrap().x,
            distance,
            1e-9,
        );
    }
    let (mut world, body) = sliding(earth(), 0.25, FrictionLaw::Conic, DVec3::ZERO);
    world.add_force(body, [0.125 * G, 0.0, 0.0]).unwrap();
    world.step(0.01).unwrap();
    close(
        "first step under half the limit",
        world.velocity(body).unwrap().lin.length(),
        0.0,
        1e-12,
    );
}

#[test]
fn t14_penetrated_contact_is_pushed_out_without_velocity() {
    let mut world = World::new(weightless()).unwrap();
    floor(&mut world, 0.0, FrictionLaw::Conic);
    let body = point_mass(&mut world, 0.0, FrictionLaw::Conic, DVec3::ZERO);
    world.set_position(body, [0.0, 0.5 - 1e-3, 0.0]).unwrap();
    world.step(0.01).unwrap();
    close(
        "gap after one step",
        world.position(body).unwrap().y - 0.5,
        0.0,
        1e-12,
    );
    close(
        "speed after one step",
        world.velocity(body).unwrap().lin.y,
        0.0,
        1e-12,
    );
}

#[test]
fn t14_hard_rows_are_deadbeat() {
    let (mut world, body, _) = slider_mass(weightless(), 1.0, DVec3::X, |s| s, 0.0);
    world.set_position(body, [0.0, 1e-2, 0.0]).unwrap();
    world.step(0.01).unwrap();
    close(
        "error after one step",
        world.position(body).unwrap().y,
        0.0,
        1e-12,
    );
    world.step(0.01).unwrap();
    close(
        "speed after two steps",
        world.velocity(body).unwrap().lin.y,
        0.0,
        1e-12,
    );
    // α = 1, β = ½, d = h/2, which hard rows take by themselves: both are gone after two steps.
    let p = Params {
        scheme: Scheme {
            alpha: 1.0,
            beta: 0.5,
        },
        ..weightless()
    };
    let (mut world, body, _) = slider_mass(p, 1.0, DVec3::X, |s| s, 0.0);
    world.set_position(body, [0.0, 1e-2, 0.0]).unwrap();
    run(&mut world, 0.01, 2, |_, _| {});
    let y = world.position(body).unwrap().y;
    close("error after two steps at beta 1/2", y, 0.0, 1e-12);
    let v = world.velocity(body).unwrap().lin.y;
    close("speed after two steps at beta 1/2", v, 0.0, 1e-12);
    // A scheme that would ring on hard rows must not.
    let p = Params {
        scheme: Scheme {
            alpha: 0.5,
            beta: 0.5,
        },
        ..weightless()
    };
    let (mut world, body, _) = slider_mass(p, 1.0, DVec3::X, |s| s, 0.0);
    world.set_position(body, [0.0, 1e-6, 0.0]).unwrap();
    run(&mut world, 0.01, 200, |_, _| {});
    let state = world.velocity(body).unwrap().lin.length() + world.position(body).unwrap().y.abs();
    close("hard row at (1/2, 1/2) after 200 steps", state, 0.0, 1e-12);
}

#[test]
fn t29_three_balls() {
    for (e, wanted) in [
        (1.0, [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]),
        (0.5, [0.0, 0.5, 0.5]),
    ] {
        let mut world = World::new(weightless()).unwrap();
        let balls: Vec<_> = (0..3)
            .map(|k| {
                let v = if k == 0 { DVec3::X } else { DVec3::ZERO };
                sphere(&mut world, 0.0, e, DVec3::X * k as f64, v)
            })
            .collect();
        world.step(0.01).unwrap();
        for (ball, v) in balls.iter().zip(wanted) {
            close(
                &format!("e = {e}"),
                world.velocity(*ball).unwrap().lin.x,
                v,
                1e-9,
            );
        }
    }
}

#[test]
fn t29_bounce_heights() {
    let h = 1e-3;
    let mut world = World::new(earth()).unwrap();
    let ground = world.add_body(BodyDesc::fixed()).unwrap();
    let plane = ColliderDesc::new(Shape::half_space(DVec3::Y).unwrap()).restitution(0.5);
    world.add_collider(ground, plane).unwrap();
    let ball = sphere(&mut world, 0.0, 0.5, DVec3::Y * 1.5, DVec3::ZERO);
    let (mut tops, mut rising, mut last, mut rest) = (Vec::new(), false, 1.0, 0.0);
    run(&mut world, h, 2000, |w, k| {
        let y = w.position(ball).unwrap().y - 0.5;
        if rising && y < last {
            tops.push(last);
        }
        rising = y > last;
        last = y;
        if w.velocity(ball).unwrap().lin.length() > 1e-9 {
            rest = k as f64 * h;
        }
    });
    for (top, wanted) in tops.iter().zip([0.25, 0.0625, 0.015625]) {
        close("bounce height", *top, wanted, 1e-3);
    }
    assert!(tops.len() >= 3);
    close("time of rest", rest, 1.354571, 0.02);
}

#[test]
fn t37_sliding_to_rolling() {
    let mu = 0.2;
    let run_at = |h: f64| {
        let mut world = World::new(earth()).unwrap();
        floor(&mut world, mu, FrictionLaw::Conic);
        let ball = sphere(&mut world, mu, 0.0, DVec3::Y * 0.5, DVec3::X * 7.0);
        let (mut t, mut x) = (0.0, 0.0);
        run(&mut world, h, (1.2 / h) as usize, |w, k| {
            let v = w.velocity(ball).unwrap();
            if (v.lin.x + 0.5 * v.ang.z).abs() > 1e-9 {
                (t, x) = (k as f64 * h, w.position(ball).unwrap().x);
            }
        });
        (t, x, world.velocity(ball).unwrap().lin.x)
    };
    let (t, x, v) = run_at(1e-3);
    close("time of rolling", t, 1.019368, 1e-3);
    close("distance", x, 6.116208, 7e-3);
    close("speed", v, 5.0, 1e-9);
    // Where it is at t = 2, long after it rolls.
    let exact = 12.0 * 49.0 / (49.0 * mu * G) + 5.0 * (2.0 - 14.0 / (7.0 * mu * G));
    let at_two = |h: f64| {
        let mut world = World::new(earth()).unwrap();
        floor(&mut world, mu, FrictionLaw::Conic);
        let ball = sphere(&mut world, mu, 0.0, DVec3::Y * 0.5, DVec3::X * 7.0);
        run(&mut world, h, (2.0 / h).round() as usize, |_, _| {});
        (world.position(ball).unwrap().x - exact).abs()
    };
    let errors = [4e-3, 2e-3, 1e-3, 5e-4].map(at_two);
    assert!(errors[2] < 0.01 * exact);
    first_order("place at t = 2", &errors);
}

#[test]
fn t37_rolling_down_a_plane() {
    let slope = 20f64.to_radians();
    let tilted = exact(DVec3::new(G * slope.sin(), -G * slope.cos(), 0.0));
    let slip = |mu: f64| {
        let mut world = World::new(tilted).unwrap();
        floor(&mut world, mu, FrictionLaw::Conic);
        let ball = sphere(&mut world, mu, 0.0, DVec3::Y * 0.5, DVec3::ZERO);
        run(&mut world, 1e-3, 1000, |_, _| {});
        let v = world.velocity(ball).unwrap();
        (v.lin.x, (v.lin.x + 0.5 * v.ang.z).abs())
    };
    close("acceleration when rolling", slip(0.5).0, 2.396584, 1e-6);
    assert!(slip(0.10).1 > 1e-3, "0.10 must slip");
    assert!(slip(0.108).1 < 1e-9, "0.108 must roll");
}

#[test]
fn t40_conveyor() {
    let on_belt = |h: f64| {
        let mut world = World::new(earth()).unwrap();
        let belt = world.add_body(BodyDesc::fixed()).unwrap();
        let top = ColliderDesc::new(Shape::half_space(DVec3::Y).unwrap())
            .friction(0.3)
            .surface_velocity(DVec3::X);
        world.add_collider(belt, top).unwrap();
        let block = point_mass(&mut world, 0.3, FrictionLaw::Conic, DVec3::ZERO);
        let mut caught = 0.0;
        run(&mut world, h, (1.0 / h).round() as usize, |w, k| {
            if (w.velocity(block).unwrap().lin.x - 1.0).abs() > 1e-9 {
                caught = k as f64 * h;
            }
        });
        let slid = 1.0 - world.position(block).unwrap().x;
        (caught, slid, world.velocity(block).unwrap().lin.x)
    };
    let h = 1e-3;
    let (caught, slid, speed) = on_belt(h);
    close("time to catch up", caught, 0.339789, h);
    close("sliding back", slid, 0.169895 - 0.5 * h, h);
    close("slip afterwards", speed, 1.0, 1e-12);
    let exact = 0.5 / (0.3 * G);
    let errors = [4e-3, 2e-3, 1e-3, 5e-4].map(|h| (on_belt(h).1 - exact).abs());
    first_order("sliding back", &errors);
}
