//! T20, first paragraph: the reference battery of the Dojo engine, with the exact solver throughout.

mod common;
use common::*;
use rb_world::prelude::*;

fn exact_plan() -> Params {
    let mut params = Params::robotics();
    params.escalation.plan = SolvePlan::Exact;
    params
}

fn cuboid(world: &mut World, half: DVec3, desc: BodyDesc) -> BodyHandle {
    let side = half * 2.0;
    let s = side * side;
    let inertia = DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y) / 12.0;
    let body = world.add_body(desc.mass(1.0, inertia)).unwrap();
    let shape = ColliderDesc::new(Shape::cuboid(half).unwrap()).friction(0.5);
    world.add_collider(body, shape).unwrap();
    body
}

#[test]
fn a_tossed_box_comes_to_rest() {
    for h in [0.1, 0.05, 0.01, 0.005] {
        let mut world = World::new(exact_plan()).unwrap();
        floor(&mut world, 0.5, FrictionLaw::Conic);
        let desc = BodyDesc::dynamic()
            .at([0.0, 1.0, 0.0])
            .velocity([1.0, 0.3, 0.2])
            .spin([0.5, 0.2, 1.0]);
        let body = cuboid(&mut world, DVec3::splat(0.25), desc);
        for _ in 0..(8.0 / h) as usize {
            world.step(h).unwrap();
        }
        let v = world.velocity(body).unwrap();
        let speed = v.lin.length() + v.ang.length();
        let height = world.position(body).unwrap().y;
        assert!(speed < 1e-8, "h {h}: {speed:e}");
        assert!((height - 0.25).abs() < 1e-3, "h {h}: {height}");
    }
}

#[test]
fn a_dice_in_the_air_keeps_momentum_and_energy() {
    let mut params = exact_plan();
    (params.gravity, params.gyroscopic) = (DVec3::ZERO, Gyroscopic::Variational);
    let mut world = World::new(params).unwrap();
    let desc = BodyDesc::dynamic()
        .velocity([1.0, 2.0, 3.0])
        .spin([2.0, -1.0, 0.5]);
    cuboid(&mut world, DVec3::splat(0.25), desc);
    let (momentum, energy) = (world.momentum(), world.energy().0);
    for _ in 0..1000 {
        world.step(0.01).unwrap();
    }
    let end = world.momentum();
    assert!((end.lin - momentum.lin).length() < 1e-8);
    assert!((end.ang - momentum.ang).length() < 1e-8);
    assert!((world.energy().0 - energy).abs() < 1e-8);
}

#[test]
fn a_falling_slider_keeps_its_energy() {
    let mut params = exact_plan();
    params.scheme.beta = 0.5;
    let (mut world, _, _) = slider_mass(params, 1.0, DVec3::Y, |s| s, 0.0);
    let before = world.energy();
    for _ in 0..100 {
        world.step(0.01).unwrap();
    }
    let after = world.energy();
    let change = after.0 + after.1 - before.0 - before.1;
    assert!(change.abs() < 1e-6, "{change:e}");
}

#[test]
fn a_pendulum_rests_at_its_limit() {
    let mut world = World::new(exact_plan()).unwrap();
    let anchor = world.add_body(BodyDesc::fixed()).unwrap();
    let desc = BodyDesc::dynamic()
        .at([0.0, 0.5, 0.0])
        .mass(1.0, DVec3::splat(1.0 / 12.0));
    let rod = world.add_body(desc).unwrap();
    let [pa, pb] = [anchor, rod].map(|b| world.pose(b).unwrap());
    let limit = std::f64::consts::FRAC_PI_4;
    let hinge = Hinge::at_world(&pa, &pb, DVec3::ZERO, DVec3::Z).unwrap();
    world
        .add_joint(anchor, rod, hinge.limits(-limit, limit))
        .unwrap();
    world.set_velocity(rod, DVec3::X * -0.5, DVec3::Z).unwrap();
    for _ in 0..100 {
        world.step(0.01).unwrap();
    }
    let p = world.position(rod).unwrap();
    let angle = (-p.x).atan2(p.y);
    assert!((angle - limit).abs() < 1e-3, "{angle}");
    assert!(world.velocity(rod).unwrap().ang.length() < 1e-8);
}

#[test]
fn a_sphere_dropped_on_a_sphere_rests_on_it() {
    let mut world = World::new(exact_plan()).unwrap();
    let ball = |w: &mut World, y: f64, desc: BodyDesc| {
        let body = w.add_body(desc.at([0.0, y, 0.0])).unwrap();
        w.add_collider(body, ColliderDesc::new(Shape::ball(0.5).unwrap()))
            .unwrap();
        body
    };
    let below = ball(&mut world, 0.0, BodyDesc::fixed());
    let above = ball(&mut world, 1.5, BodyDesc::dynamic());
    for _ in 0..100 {
        world.step(0.01).unwrap();
    }
    let distance = world
        .position(above)
        .unwrap()
        .distance(world.position(below).unwrap());
    assert!((distance - 1.0).abs() < 1e-4, "{distance}");
}

#[test]
fn a_force_on_a_turned_body_acts_along_the_world() {
    let mut params = exact_plan();
    params.gravity = DVec3::ZERO;
    let mut world = World::new(params).unwrap();
    let quarter = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let desc = BodyDesc::dynamic().rotated(quarter).mass(1.0, DVec3::ONE);
    let body = world.add_body(desc).unwrap();
    for _ in 0..50 {
        world.add_force(body, quarter * DVec3::X).unwrap();
        world.step(0.01).unwrap();
    }
    assert!((world.velocity(body).unwrap().lin.y - 0.5).abs() < 1e-3);
}

/// A parallelogram: the coupler does not turn, both cranks turn alike.
#[test]
fn a_four_bar_keeps_its_identities() {
    let mut world = World::new(exact_plan()).unwrap();
    let turn = DQuat::from_rotation_z(0.7);
    let crank = turn * DVec3::NEG_Y;
    let ground = world.add_body(BodyDesc::fixed()).unwrap();
    let bar = |w: &mut World, at: DVec3, q: DQuat| {
        let desc = BodyDesc::dynamic().at(at).rotated(q);
        w.add_body(desc.mass(1.0, DVec3::splat(0.1))).unwrap()
    };
    let pivots = [DVec3::ZERO, DVec3::X * 2.0];
    let cranks = pivots.map(|p| bar(&mut world, p + crank * 0.5, turn));
    let coupler = bar(&mut world, DVec3::X + crank, DQuat::IDENTITY);
    for (pivot, body) in pivots.into_iter().zip(cranks) {
        for (a, b, at) in [(ground, body, pivot), (body, coupler, pivot + crank)] {
            let [pa, pb] = [a, b].map(|h| world.pose(h).unwrap());
            let hinge = Hinge::at_world(&pa, &pb, at, DVec3::Z).unwrap();
            world.add_joint(a, b, hinge).unwrap();
        }
    }
    for _ in 0..500 {
        world.step(0.01).unwrap();
        let [a, b, c] = [cranks[0], cranks[1], coupler].map(|h| world.pose(h).unwrap());
        assert!((b.p - a.p - DVec3::X * 2.0).length() < 1e-5);
        assert!((c.p - a.p - DVec3::X - a.q * DVec3::NEG_Y * 0.5).length() < 1e-5);
        assert!(c.q.angle_between(DQuat::IDENTITY) < 1e-5);
    }
}
