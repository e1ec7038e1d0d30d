//! Small worlds with closed-form answers.
#![allow(dead_code, reason = "each test file uses its own part of this module")]

pub(crate) mod cases;
pub(crate) mod rows;
pub(crate) mod structures;

use rb_world::prelude::*;

pub(crate) const G: f64 = 9.81;

/// Robotics profile with one step of `h` per step, a given gravity and scheme (1, 1).
pub(crate) fn exact(gravity: DVec3) -> Params {
    Params {
        gravity,
        ..Params::robotics()
    }
}

/// Robotics profile without gravity.
pub(crate) fn weightless() -> Params {
    exact(DVec3::ZERO)
}

/// A static anchor at the origin and a body of `mass` (kg) on a slider along `axis`, at `x0` (m).
pub(crate) fn slider_mass(
    params: Params,
    mass: f64,
    axis: DVec3,
    joint: impl FnOnce(Slider) -> Slider,
    x0: f64,
) -> (World, BodyHandle, JointHandle) {
    let mut world = World::new(params).unwrap();
    let anchor = world.add_body(BodyDesc::fixed()).unwrap();
    let body = world
        .add_body(BodyDesc::dynamic().mass(mass, DVec3::splat(mass)))
        .unwrap();
    let slider = Slider::at_world(&Pose::IDENTITY, &Pose::IDENTITY, DVec3::ZERO, axis).unwrap();
    let handle = world.add_joint(anchor, body, joint(slider)).unwrap();
    world.set_position(body, axis * x0).unwrap();
    (world, body, handle)
}

/// A wheel of moment `i` (kg·m²) on a hinge about z through its centre.
pub(crate) fn wheel(
    params: Params,
    i: f64,
    joint: impl FnOnce(Hinge) -> Hinge,
) -> (World, BodyHandle, JointHandle) {
    let mut world = World::new(params).unwrap();
    let anchor = world.add_body(BodyDesc::fixed()).unwrap();
    let body = world
        .add_body(BodyDesc::dynamic().mass(1.0, DVec3::splat(i)))
        .unwrap();
    let hinge = Hinge::at_world(&Pose::IDENTITY, &Pose::IDENTITY, DVec3::ZERO, DVec3::Z).unwrap();
    let handle = world.add_joint(anchor, body, joint(hinge)).unwrap();
    (world, body, handle)
}

/// Floor y ≤ 0 with a friction law; friction is set on both sides.
pub(crate) fn floor(world: &mut World, mu: f64, law: FrictionLaw) -> BodyHandle {
    let floor = world.add_body(BodyDesc::fixed()).unwrap();
    let desc = ColliderDesc::new(Shape::half_space(DVec3::Y).unwrap())
        .friction(mu)
        .friction_law(law);
    world.add_collider(floor, desc).unwrap();
    floor
}

/// A point mass of 1 kg resting on the floor: a ball that cannot turn, its lowest point at the origin.
pub(crate) fn point_mass(
    world: &mut World,
    mu: f64,
    law: FrictionLaw,
    velocity: DVec3,
) -> BodyHandle {
    let radius = 0.5;
    let desc = BodyDesc::dynamic()
        .at([0.0, radius, 0.0])
        .velocity(velocity)
        .mass(1.0, DVec3::ONE)
        .lock(LockedAxes::ANGULAR);
    let body = world.add_body(desc).unwrap();
    let ball = ColliderDesc::new(Shape::ball(radius).unwrap())
        .friction(mu)
        .friction_law(law);
    world.add_collider(body, ball).unwrap();
    body
}

/// A homogeneous sphere of radius 0.5 m and 1 kg resting on the floor.
pub(crate) fn sphere(
    world: &mut World,
    mu: f64,
    restitution: f64,
    at: DVec3,
    velocity: DVec3,
) -> BodyHandle {
    let r = 0.5;
    let desc = BodyDesc::dynamic()
        .at(at)
        .velocity(velocity)
        .mass(1.0, DVec3::splat(0.4 * r * r));
    let body = world.add_body(desc).unwrap();
    let ball = ColliderDesc::new(Shape::ball(r).unwrap())
        .friction(mu)
        .restitution(restitution);
    world.add_collider(body, ball).unwrap();
    body
}

/// A body with colliders.
pub(crate) fn put(
    world: &mut World,
    body: BodyDesc,
    colliders: impl IntoIterator<Item = ColliderDesc>,
) -> BodyHandle {
    let handle = world.add_body(body).unwrap();
    for collider in colliders {
        world.add_collider(handle, collider).unwrap();
    }
    handle
}

/// A surface whose friction coefficient is the product of both sides, so that one body can meet two
/// others with different coefficients.
pub(crate) fn rubbing(shape: Shape, mu: f64) -> ColliderDesc {
    ColliderDesc::new(shape)
        .friction(mu)
        .friction_combine(Combine::Multiply)
}

/// A ball of `radius` (m) at `at` in its body's frame, its friction as [`rubbing`].
pub(crate) fn knob(radius: f64, at: DVec3, mu: f64) -> ColliderDesc {
    rubbing(Shape::ball(radius).unwrap(), mu).translation(at)
}

/// Steps `n` times and calls `f` after each.
pub(crate) fn run(world: &mut World, h: f64, n: usize, mut f: impl FnMut(&mut World, usize)) {
    for k in 1..=n {
        world.step(h).unwrap();
        f(world, k);
    }
}

/// Least-squares slope of log(error) against log(h), h halving from entry to entry.
pub(crate) fn order(errors: &[f64]) -> f64 {
    let n = errors.len() as f64;
    let x: Vec<f64> = (0..errors.len()).map(|k| -(k as f64)).collect();
    let y: Vec<f64> = errors.iter().map(|e| e.log2()).collect();
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let top: f64 = x.iter().zip(&y).map(|(a, b)| (a - mx) * (b - my)).sum();
    let low: f64 = x.iter().map(|a| (a - mx) * (a - mx)).sum();
    top / low
}

/// Asserts that errors at h, h/2, h/4, … fall with h and have not reached rounding.
#[track_caller]
pub(crate) fn first_order(what: &str, errors: &[f64]) {
    let slope = order(errors);
    println!("{what}: errors {errors:?}, fitted order {slope:.3}");
    assert!(
        slope >= 0.9 && errors[errors.len() - 1] > 1e-12,
        "{what}: {errors:?}"
    );
}

/// Asserts |value − wanted| ≤ tolerance, printing the figures.
#[track_caller]
pub(crate) fn close(what: &str, value: f64, wanted: f64, tolerance: f64) {
    println!(
        "{what}: {value:.12} (wanted {wanted:.12}, error {:.2e})",
        (value - wanted).abs()
    );
    assert!(
        (value - wanted).abs() <= tolerance,
        "{what}: {value} is not {wanted} within {tolerance:e}"
    );
}

/// Linear momentum, and the discrete angular momentum the variational update keeps.
pub(crate) fn momenta(world: &World, h: f64) -> [DVec3; 2] {
    let (mut p, mut l) = (DVec3::ZERO, DVec3::ZERO);
    for (_, b) in world.bodies() {
        let mv = b.vel.lin * b.mass.mass;
        let inertia = b.mass_props().inertia_local;
        let psi = b.q.conjugate() * b.vel.ang * (0.5 * h);
        let ip = inertia * psi;
        p += mv;
        l += b.com.cross(mv)
            + b.q * (ip * (1.0 - psi.length_squared()).sqrt() - psi.cross(ip)) * (2.0 / h);
    }
    [p, l]
}
