//! Cases of the theory for the exact solver and smooth contact through `World`: T17, T18, T19, T38.

mod common;
use common::*;
use rb_world::prelude::*;

/// Robotics profile on the central path.
fn smooth(kappa: f64) -> Params {
    let mut params = Params::robotics();
    params.contact.smooth = Some(kappa);
    params
}

/// A sphere of 1 kg and radius ½ that cannot turn, over the floor y ≤ 0, its lowest point at `y`.
fn point_mass(params: Params, mu: f64, y: f64, v: DVec3) -> (World, BodyHandle) {
    let mut world = World::new(params).unwrap();
    floor(&mut world, mu, FrictionLaw::Conic);
    let desc = BodyDesc::dynamic()
        .at([0.0, 0.5 + y, 0.0])
        .velocity(v)
        .mass(1.0, DVec3::ONE)
        .lock(LockedAxes::ANGULAR)
        .no_sleep();
    let body = world.add_body(desc).unwrap();
    let shape = ColliderDesc::new(Shape::ball(0.5).unwrap()).friction(mu);
    world.add_collider(body, shape).unwrap();
    (world, body)
}

#[track_caller]
fn close(got: f64, expected: f64, relative: f64) {
    let error = (got / expected - 1.0).abs();
    assert!(
        error < relative,
        "{got:e}, expected {expected:e}: {error:.1e}"
    );
}

#[test]
fn t17_hover() {
    for (kappa, height) in [(1e-4, 1.019_368_0e-3), (1e-8, 1.019_368_0e-7)] {
        let (mut world, body) = point_mass(smooth(kappa), 0.5, 1.5 * height, DVec3::ZERO);
        for _ in 0..2000 {
            world.step(0.01).unwrap();
        }
        assert_eq!(world.report().islands[0].solver, "smooth");
        close(world.position(body).unwrap().y - 0.5, height, 1e-6);
    }
}

#[test]
fn t18_creep() {
    let speeds = [
        (0.2, 4.247_366_6e-4),
        (0.5, 1.359_157_32e-3),
        (0.9, 9.657_170_45e-3),
    ];
    for (share, speed) in speeds {
        let (mut world, body) = point_mass(smooth(1e-4), 0.5, 1.02e-3, DVec3::ZERO);
        let force = DVec3::X * (share * 0.5 * G);
        for _ in 0..2000 {
            world.add_force(body, force).unwrap();
            world.step(0.01).unwrap();
        }
        close(world.velocity(body).unwrap().lin.x, speed, 1e-6);
    }
}

/// Height after one step of 0.1 s under a lift of `force` (N), from contact at rest.
fn lifted(force: f64) -> f64 {
    let (mut world, body) = point_mass(smooth(1e-4), 0.5, 0.0, DVec3::ZERO);
    world.add_force(body, DVec3::Y * force).unwrap();
    world.step(0.1).unwrap();
    world.position(body).unwrap().y - 0.5
}

#[test]
fn t19_one_step_and_t38b_its_gradient() {
    let cases = [
        (9.81, 3.162_277_7e-3, 5e-3),
        (4.905, 2.030_331_81e-4, 4.105_324_10e-5),
        (14.715, 0.049_253_033_2, 0.009_958_946_76),
    ];
    for (force, height, slope) in cases {
        close(lifted(force), height, 1e-6);
        let d = 1e-3;
        close(
            (lifted(force + d) - lifted(force - d)) / (2.0 * d),
            slope,
            1e-5,
        );
    }
}

/// Where a point mass sent off at `v0` (m/s) has come to rest.
fn stop(mu: f64, v0: f64) -> f64 {
    let mut params = Params::robotics();
    params.escalation.plan = SolvePlan::Exact;
    let (mut world, body) = point_mass(params, mu, 0.0, DVec3::X * v0);
    for _ in 0..150 {
        world.step(0.01).unwrap();
    }
    world.position(body).unwrap().x
}

#[test]
fn t38a_stopping_distance_and_gradients() {
    close(stop(0.25, 2.44), 1.201_612_5, 1e-10);
    let d = 1e-6;
    let by_mu = (stop(0.25 + d, 2.44) - stop(0.25 - d, 2.44)) / (2.0 * d);
    close(by_mu, -4.855_95, 1e-6);
    let by_v0 = (stop(0.25, 2.44 + d) - stop(0.25, 2.44 - d)) / (2.0 * d);
    close(by_v0, 0.99, 1e-6);
}
