//! Rolling, and the limits of rolling, against closed forms (`data/analytic.json`).

mod common;
use common::cases::Case;
use common::*;
use rb_world::prelude::*;

/// Down a slope of `angle` (rad) along x: gravity is tilted instead of the floor.
fn tilted(angle: f64) -> Params {
    exact(DVec3::new(G * angle.sin(), -G * angle.cos(), 0.0))
}

/// A round body of 1 kg that rolls about z, with an axial moment of `k` m R².
fn roller(world: &mut World, shape: Shape, radius: f64, k: f64, mu: f64) -> BodyHandle {
    let axial = k * radius * radius;
    // y is the axis of a cylinder; a ball does not mind.
    let lying = DQuat::from_rotation_x(0.5 * std::f64::consts::PI);
    let body = BodyDesc::dynamic()
        .at([0.0, radius, 0.0])
        .rotated(lying)
        .mass(1.0, [axial, axial, axial]);
    put(world, body, [ColliderDesc::new(shape).friction(mu)])
}

/// Speed of the point that touches the floor.
fn slip(world: &World, body: BodyHandle, radius: f64) -> f64 {
    let v = world.velocity(body).unwrap();
    v.at(DVec3::NEG_Y * radius).length()
}

#[test]
fn ball_slide_to_roll() {
    let case = Case::new("ball_slide_to_roll");
    let (r, mu, h) = (0.1, 0.2, 1e-3);
    let mut world = World::new(tilted(0.0)).unwrap();
    floor(&mut world, mu, FrictionLaw::Conic);
    let ball = roller(&mut world, Shape::ball(r).unwrap(), r, 0.4, mu);
    world
        .set_velocity(ball, [5.0, 0.0, 0.0], DVec3::ZERO)
        .unwrap();
    let (mut t, mut x) = (0.0, 0.0);
    run(&mut world, h, 1000, |w, k| {
        if slip(w, ball, r) > 1e-9 {
            (t, x) = (k as f64 * h, w.position(ball).unwrap().x);
        }
    });
    let v = world.velocity(ball).unwrap().lin.x;
    case.check("time of rolling", t, case.expected("/t"), "1%");
    case.check("speed of rolling", v, case.expected("/v"), "1%");
    case.check("distance", x, case.expected("/x"), "1%");
}

#[test]
fn incline_rolling() {
    let case = Case::new("incline_rolling");
    let (r, h, n) = (0.1, 1e-3, 1000);
    let cylinder = || Shape::cylinder(0.1, r).unwrap();
    for (name, shape, k) in [
        ("sphere", Shape::ball(r).unwrap(), 0.4),
        ("cylinder", cylinder(), 0.5),
        ("hoop", cylinder(), 1.0),
    ] {
        let roll = |mu: f64| {
            let mut world = World::new(tilted(30f64.to_radians())).unwrap();
            floor(&mut world, mu, FrictionLaw::Conic);
            let body = roller(&mut world, shape.clone(), r, k, mu);
            run(&mut world, h, n, |_, _| {});
            let v = world.velocity(body).unwrap().lin.x;
            (v / (n as f64 * h), slip(&world, body, r))
        };
        let a = case.expected(&format!("/{name}/a"));
        let limit = case.expected(&format!("/{name}/mu_crit"));
        let bracket = case.tolerance("0.5%");
        case.check(&format!("acceleration, {name}"), roll(0.6).0, a, "0.5%");
        let [over, under] = [1.0 + bracket, 1.0 - bracket].map(|x| roll(x * limit).1);
        case.below(&format!("slip over the limit, {name}"), over, 1e-6);
        case.above(&format!("slip under the limit, {name}"), under, 1e-3);
    }
}

#[test]
fn spool() {
    let case = Case::new("spool");
    let (outer, hub, pull, h, n) = (0.2, 0.1, 1.0, 1e-3, 1000);
    let k = 0.5;
    let roll = |degrees: f64| {
        let mut world = World::new(tilted(0.0)).unwrap();
        floor(&mut world, 1.0, FrictionLaw::Conic);
        let wheel = Shape::cylinder(0.1, outer).unwrap();
        let body = roller(&mut world, wheel, outer, k, 1.0);
        let (sin, cos) = degrees.to_radians().sin_cos();
        for _ in 0..n {
            // The thread leaves the hub from below.
            let at = world.position(body).unwrap() + hub * DVec3::new(sin, -cos, 0.0);
            let force = pull * DVec3::new(cos, sin, 0.0);
            world.add_force_at(body, force, at).unwrap();
            world.step(h).unwrap();
        }
        let a = world.velocity(body).unwrap().lin.x / (f64::from(n) * h);
        let wanted = pull * (cos - hub / outer) / (1.0 + k);
        case.within(&format!("acceleration, {degrees} deg"), a, wanted, 1e-9);
        a
    };
    let critical = case.expected("/phi_crit_deg");
    let near = case.tolerance("58/62 deg");
    case.above("roll toward the pull", roll(near), 1e-3);
    case.below("roll away from it", roll(2.0 * critical - near), -1e-3);
}

#[test]
fn sphere_leaves_sphere() {
    let case = Case::new("sphere_leaves_sphere");
    let (big, small, h) = (1.0, 0.1, 2e-4);
    let leave = |mu: f64| {
        let mut world = World::new(tilted(0.0)).unwrap();
        let smooth = |r| ColliderDesc::new(Shape::ball(r).unwrap()).friction(mu);
        put(&mut world, BodyDesc::fixed(), [smooth(big)]);
        let start = 0.01f64;
        let at = (big + small) * DVec3::new(start.sin(), start.cos(), 0.0);
        let body = BodyDesc::dynamic()
            .at(at)
            .mass(1.0, DVec3::splat(0.4 * small * small));
        let ball = put(&mut world, body, [smooth(small)]);
        let mut last = 0.0;
        run(&mut world, h, (4.0 / h) as usize, |w, _| {
            if w.contact_points().any(|c| c.force.length() > 1e-9) {
                let p = w.position(ball).unwrap();
                last = p.x.atan2(p.y).to_degrees();
            }
        });
        last
    };
    // Rolling needs ever more friction as the normal force goes to zero.
    let roll = leave(1e3);
    case.check("rolling", roll, case.expected("/roll_deg"), "0.5 deg");
    let slide = leave(0.0);
    case.check("sliding", slide, case.expected("/slide_deg"), "0.5 deg");
}
