//! Kinematic bodies and bullets on the move: what they strike goes on before them, and is not passed over.

mod common;
use common::*;
use rb_world::prelude::*;

const DT: f64 = 1.0 / 60.0;

fn empty_world() -> World {
    World::new(Params {
        gravity: DVec3::ZERO,
        ..Params::game()
    })
    .unwrap()
}

fn add(world: &mut World, body: BodyDesc, shape: Shape) -> BodyHandle {
    let body = world.add_body(body).unwrap();
    world.add_collider(body, ColliderDesc::new(shape)).unwrap();
    body
}

/// A plate of 1 cm across x.
fn slab() -> Shape {
    Shape::cuboid(DVec3::new(0.005, 5.0, 5.0)).unwrap()
}

/// Balls, boxes and capsules, at rest or on their way to a plate that comes towards them, wherever in a step they meet.
#[test]
fn a_plate_takes_along_what_it_strikes() {
    let shapes = |r: f64| {
        let flat = Shape::cuboid(DVec3::new(r, 0.5 * r, r)).unwrap();
        let long = Shape::capsule(r, 0.5 * r).unwrap();
        [Shape::ball(r).unwrap(), flat, long]
    };
    for (plate, body) in [5.0, 30.0, 100.0]
        .into_iter()
        .flat_map(|plate| [0.0, 5.0, 60.0].map(|body| (plate, body)))
    {
        for (size, shape) in [0.025, 0.2]
            .into_iter()
            .flat_map(|r| shapes(r).map(|shape| (r, shape)))
        {
            for k in 0..10 {
                let mut world = empty_world();
                let plate_desc = BodyDesc::kinematic().velocity(DVec3::X * plate);
                let front = add(&mut world, plate_desc, slab());
                let from = DVec3::X * (1.5 + 0.037 * f64::from(k));
                let desc = BodyDesc::dynamic().at(from).velocity(DVec3::X * -body);
                let struck = add(&mut world, desc, shape.clone());
                let steps = 5 + (3.0 / ((plate + body) * DT)) as usize;
                run(&mut world, DT, steps, |_, _| {});
                let [x, front] = [struck, front].map(|b| world.position(b).unwrap().x);
                let said = format!("{shape:?} at {body} m/s, plate at {plate} m/s, way {k}");
                // Half of its thickness, or more, before the middle of the plate.
                assert!(x - front > 0.5 * size, "{said}: {x} m, plate {front} m");
                let speed = world.velocity(struck).unwrap().lin.x;
                assert!(speed > plate - 0.05, "{said}: {speed} m/s");
            }
        }
    }
}

/// A paddle that turns under a ball, by a third of a radian a step at most, throws it off ahead.
#[test]
fn a_paddle_does_not_pass_what_it_strikes() {
    for k in 0..60 {
        let spin = 10.0 + f64::from(k % 3) * 5.0;
        let mut world = empty_world();
        let blade = Shape::cuboid(DVec3::new(1.0, 0.01, 0.3)).unwrap();
        let desc = BodyDesc::kinematic().spin(DVec3::Z * spin);
        let paddle = add(&mut world, desc, blade);
        let angle = 0.5 + 0.05 * f64::from(k);
        let at = DVec3::new(angle.cos(), angle.sin(), 0.0) * 0.7;
        let ball = Shape::ball(0.03).unwrap();
        let ball = add(&mut world, BodyDesc::dynamic().at(at), ball);
        for _ in 0..30 {
            world.step(DT).unwrap();
            let seen = world.pose(paddle).unwrap();
            let seen = seen.inverse_point(world.position(ball).unwrap());
            let struck = world.velocity(ball).unwrap().lin != DVec3::ZERO;
            // Beyond the far side of either arm, until the ball leaves it at its end. (It may get as far: while the paddle
            // turns within a step, the ball goes in a straight line.)
            let ahead = seen.y * seen.x.signum();
            let passed = struck && seen.length() < 0.9 && ahead < -0.01;
            assert!(!passed, "{k}: passed at {spin} rad/s, seen at {seen}");
        }
        let speed = world.velocity(ball).unwrap().lin.length();
        assert!(speed > 0.9 * 0.7 * spin, "{k}: {speed} m/s at {spin} rad/s");
    }
}

/// What a piston drives at a wall stays between both, if there is room.
#[test]
fn a_piston_drives_nothing_through_a_wall() {
    for k in 0..20 {
        let mut world = empty_world();
        add(&mut world, BodyDesc::fixed().at([3.0, 0.0, 0.0]), slab());
        let speed = 20.0 + 5.0 * f64::from(k);
        let piston = BodyDesc::kinematic().velocity(DVec3::X * speed);
        let piston = add(&mut world, piston, slab());
        let ball = Shape::ball(0.1).unwrap();
        let ball = add(&mut world, BodyDesc::dynamic().at([1.0, 0.0, 0.0]), ball);
        for _ in 0..60 {
            if world.position(piston).unwrap().x + speed * DT > 2.6 {
                let none = DVec3::ZERO;
                world.set_velocity(piston, none, none).unwrap();
            }
            world.step(DT).unwrap();
            let [x, front] = [ball, piston].map(|b| world.position(b).unwrap().x);
            assert!(front < x && x < 3.0, "{k}: {x} m, piston {front} m");
        }
    }
}

/// A ball flies along a wall, towards a plate that moves across it: taken along, it stops at the wall.
#[test]
fn what_is_taken_along_stops_at_a_wall() {
    for k in 0..20 {
        let mut world = empty_world();
        let wall = Shape::cuboid(DVec3::new(5.0, 0.005, 5.0)).unwrap();
        add(&mut world, BodyDesc::fixed().at([0.0, 0.105, 0.0]), wall);
        let plate = BodyDesc::kinematic().at([-0.3 - 0.037 * f64::from(k), 0.0, 0.0]);
        add(&mut world, plate.velocity([10.0, 30.0, 0.0]), slab());
        let ball = BodyDesc::dynamic().velocity(DVec3::X * -60.0);
        let ball = add(&mut world, ball, Shape::ball(0.025).unwrap());
        for _ in 0..3 {
            world.step(DT).unwrap();
            let p = world.position(ball).unwrap();
            assert!(p.y > 0.01 && p.y < 0.0751, "{k}: {p}");
        }
    }
}

/// A bullet and a heavy plate that come towards each other.
#[test]
fn bullets_do_not_pass_what_comes_towards_them() {
    for k in 0..40 {
        let mut world = empty_world();
        let heavy = BodyDesc::dynamic().mass(1e3, DVec3::splat(1e4));
        let speed = 2.0 * f64::from(k);
        let plate = add(&mut world, heavy.velocity(DVec3::X * -speed), slab());
        let shot = BodyDesc::dynamic().at([-4.0, 0.0, 0.0]).bullet();
        let shot = shot
            .velocity(DVec3::X * 100.0)
            .mass(0.01, DVec3::splat(1e-6));
        let shot = add(&mut world, shot, Shape::ball(0.02).unwrap());
        for _ in 0..20 {
            world.step(DT).unwrap();
            let [x, plate] = [shot, plate].map(|b| world.position(b).unwrap().x);
            assert!(
                x < plate,
                "{speed} m/s: bullet at {x} m, plate at {plate} m"
            );
        }
    }
}
