//! Impacts against closed forms (`data/analytic.json`).

mod common;
use common::cases::Case;
use common::*;
use rb_world::prelude::*;

/// A ball 1 m above a floor; its lower side is the height.
fn dropped(params: Params, e: f64) -> (World, BodyHandle) {
    let mut world = World::new(params).unwrap();
    let plane = ColliderDesc::new(Shape::half_space(DVec3::Y).unwrap()).restitution(e);
    put(&mut world, BodyDesc::fixed(), [plane]);
    let ball = sphere(&mut world, 0.0, e, DVec3::Y * 1.5, DVec3::ZERO);
    (world, ball)
}

fn scheme(alpha: f64, beta: f64) -> Params {
    let mut params = exact(DVec3::NEG_Y * G);
    params.scheme = Scheme { alpha, beta };
    // The series ends where bounces are slower than this.
    params.contact.bounce_threshold = 1e-3;
    params
}

#[test]
fn bounce_series() {
    let case = Case::new("bounce_series");
    let h = 2e-5;
    let (mut world, ball) = dropped(scheme(1.0, 1.0), 0.5);
    let (mut tops, mut last, mut rising, mut rest) = (vec![1.0], 1.0, false, 0.0);
    run(&mut world, h, (1.5 / h) as usize, |w, k| {
        let y = w.position(ball).unwrap().y - 0.5;
        if rising && y <= last {
            tops.push(last);
        }
        rising = y > last;
        last = y;
        if w.velocity(ball).unwrap().lin.length() > 1e-9 {
            rest = k as f64 * h;
        }
    });
    for (n, wanted) in case.list("/h").into_iter().enumerate() {
        case.check(&format!("height {n}, e 0.5"), tops[n], wanted, "1%");
    }
    case.check("time of rest, e 0.5", rest, case.expected("/t_rest"), "2%");

    let (mut world, ball) = dropped(scheme(1.0, 1.0), 0.0);
    let mut highest = 0.0f64;
    run(&mut world, 1e-3, 1000, |w, k| {
        if k as f64 * 1e-3 > 0.46 {
            highest = highest.max(w.position(ball).unwrap().y - 0.5);
        }
    });
    case.below("height after the impact, e 0", highest, 1e-9);
}

/// Heights of the tops of 100 bounces without loss at 1 ms: the highest and the lowest (m).
fn hundred_bounces(params: Params) -> [f64; 2] {
    let (mut world, ball) = dropped(params, 1.0);
    let (mut tops, mut rising, mut last) = (Vec::new(), false, 1.0);
    while tops.len() < 100 {
        world.step(1e-3).unwrap();
        let y = world.position(ball).unwrap().y - 0.5;
        if rising && y <= last {
            tops.push(last);
        }
        rising = y > last;
        last = y;
    }
    let most = tops.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = tops.iter().copied().fold(f64::INFINITY, f64::min);
    [most, least]
}

#[test]
fn bounce_without_loss() {
    let case = Case::new("bounce_series");
    let drift = case.tolerance("0.1%/100 bounces at 1 ms") / 100.0;
    for (alpha, beta) in [(0.5, 0.5), (1.0, 1.0)] {
        let [most, least] = hundred_bounces(scheme(alpha, beta));
        let name = format!("scheme ({alpha}, {beta})");
        // At the top all energy is potential; the top of 1 m is sampled within g h²/8.
        case.below(&format!("energy gain, e 1, {name}"), most - 1.0, 1e-5);
        case.below(&format!("energy loss, e 1, {name}"), 1.0 - least, drift);
    }
}

/// Velocities of `n` balls in a row with gaps (m) after the first arrived at 1 m/s.
fn cradle(n: usize, gap: f64) -> Vec<f64> {
    let mut world = World::new(weightless()).unwrap();
    let balls: Vec<_> = (0..n)
        .map(|k| {
            let v = if k == 0 { DVec3::X } else { DVec3::ZERO };
            sphere(&mut world, 0.0, 1.0, DVec3::X * (k as f64 * (1.0 + gap)), v)
        })
        .collect();
    run(&mut world, 1e-4, 100, |_, _| {});
    let speed = |b: &BodyHandle| world.velocity(*b).unwrap().lin.x;
    balls.iter().map(speed).collect()
}

#[test]
fn newton_cradle() {
    let case = Case::new("newton_cradle");
    for n in [3, 5] {
        // Touching: Moreau's law, every contact obeys Newton's rule in the same impact.
        let wanted = case.list(&format!("/n{n}"));
        for (k, (v, wanted)) in cradle(n, 0.0).into_iter().zip(wanted).enumerate() {
            case.check(&format!("{n} touching, ball {k}"), v, wanted, "1e-6");
        }
        for (k, v) in cradle(n, 1e-3).into_iter().enumerate() {
            let wanted = if k + 1 == n { 1.0 } else { 0.0 };
            case.check(&format!("{n} with gaps, ball {k}"), v, wanted, "1e-6");
        }
    }
}

#[test]
fn oblique_sphere_impact() {
    let case = Case::new("oblique_sphere_impact");
    let (r, mu, e) = (0.1, 0.2, 0.5);
    let hit = |vt: f64| {
        let mut world = World::new(weightless()).unwrap();
        let surface = |shape| ColliderDesc::new(shape).friction(mu).restitution(e);
        let plane = surface(Shape::half_space(DVec3::Y).unwrap());
        put(&mut world, BodyDesc::fixed(), [plane]);
        let body = BodyDesc::dynamic()
            .at([0.0, r + 1e-4, 0.0])
            .velocity([vt, -2.0, 0.0])
            .mass(1.0, DVec3::splat(0.4 * r * r));
        let ball = put(&mut world, body, [surface(Shape::ball(r).unwrap())]);
        run(&mut world, 1e-3, 10, |_, _| {});
        world.velocity(ball).unwrap()
    };
    for (name, vt) in [("stick", 1.0), ("slip", 6.0)] {
        let v = hit(vt);
        let wanted = |k: &str| case.expected(&format!("/{name}/{k}"));
        case.check(
            &format!("tangential, {name}"),
            v.lin.x,
            wanted("vt"),
            "0.5%",
        );
        case.check(&format!("spin, {name}"), -v.ang.z, wanted("w"), "0.5%");
        case.check(
            &format!("normal, {name}"),
            v.lin.y,
            case.expected("/vn"),
            "0.5%",
        );
    }
    // At the limit it just stops slipping; a little above it does not.
    let limit = case.expected("/limit_vt");
    let slip = |vt| hit(vt).at(DVec3::NEG_Y * r).x;
    case.below("slip after 0.995 of the limit", slip(0.995 * limit), 1e-9);
    case.above("slip after 1.005 of the limit", slip(1.005 * limit), 1e-3);
}
