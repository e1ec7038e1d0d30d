//! Free rotation of an asymmetric body and the pendulum (theory T22, T36).

mod common;
use common::*;
use rb_world::prelude::*;

fn free_body(gyroscopic: Gyroscopic) -> (World, BodyHandle) {
    let mut world = World::new(Params {
        gyroscopic,
        ..weightless()
    })
    .unwrap();
    let desc = BodyDesc::dynamic()
        .mass(1.0, [1.0, 2.0, 3.0])
        .spin([0.01, 5.0, 0.01]);
    let body = world.add_body(desc).unwrap();
    (world, body)
}

/// Body-frame angular velocity about the middle axis.
fn omega2(world: &World, body: BodyHandle) -> f64 {
    (world.rotation(body).unwrap().conjugate() * world.velocity(body).unwrap().ang).y
}

/// Times at which the middle component changes sign, ω after k steps belonging to t = k h.
fn crossings(h: f64, t_end: f64) -> Vec<f64> {
    let (mut world, body) = free_body(Gyroscopic::Variational);
    let (mut before, mut out) = (omega2(&world, body), Vec::new());
    run(&mut world, h, (t_end / h).round() as usize, |w, k| {
        let now = omega2(w, body);
        if before * now < 0.0 {
            out.push((k as f64 - 1.0 + before / (before - now)) * h);
        }
        before = now;
    });
    out
}

#[test]
fn t22_free_asymmetric_body() {
    let exact = [2.74107, 7.76700, 12.79293, 17.81886];
    let coarse = crossings(0.01, 18.0);
    assert_eq!(coarse.len(), 4);
    for (t, e) in coarse.iter().zip(exact).take(3) {
        close("crossing at h = 0.01", *t, e, 6e-3);
    }
    for (t, e) in coarse.iter().zip([2.74006, 7.76414, 12.78822, 17.81230]) {
        close("crossing of the reference script", *t, e, 2e-5);
    }
    let fine = crossings(0.005, 18.0);
    for k in 0..4 {
        let ratio = (coarse[k] - exact[k]) / (fine[k] - exact[k]);
        assert!(
            (3.5..4.6).contains(&ratio),
            "error ratio {ratio} when h halves"
        );
    }
}

#[test]
fn t22_variational_keeps_momentum_and_energy() {
    let h = 0.01;
    let (mut world, body) = free_body(Gyroscopic::Variational);
    let inertia = DVec3::new(1.0, 2.0, 3.0);
    // The discrete momentum at the end of a step.
    let momentum = |w: &World| {
        let q = w.rotation(body).unwrap();
        let psi = q.conjugate() * w.velocity(body).unwrap().ang * (0.5 * h);
        let ip = inertia * psi;
        q * (ip * (1.0 - psi.length_squared()).sqrt() - psi.cross(ip)) * (2.0 / h)
    };
    let (l0, e0) = (momentum(&world), world.energy().0);
    let (mut dl, mut de) = (0.0f64, 0.0f64);
    run(&mut world, h, 2000, |w, _| {
        dl = dl.max((momentum(w) - l0).length() / l0.length());
        de = de.max((w.energy().0 - e0).abs() / e0);
    });
    close("momentum error", dl, 0.0, 1e-12);
    close("energy error", de, 0.0, 1e-12);
    let (mut world, _) = free_body(Gyroscopic::Implicit);
    run(&mut world, h, 2000, |_, _| {});
    println!(
        "implicit energy factor after 20 s: {:.3}",
        world.energy().0 / e0
    );
}

#[test]
fn t36_pendulum() {
    // A point mass on a hard row of length 1 from 90°, linearised once per step.
    let h = 1e-3;
    let mut params = exact(DVec3::NEG_Y * G);
    params.stabilisation = Some(Stabilisation::Implicit);
    let mut world = World::new(params).unwrap();
    let anchor = world.add_body(BodyDesc::fixed()).unwrap();
    let desc = BodyDesc::dynamic()
        .at([1.0, 0.0, 0.0])
        .mass(1.0, DVec3::ONE)
        .lock(LockedAxes::ANGULAR);
    let bob = world.add_body(desc).unwrap();
    let rod = rb_world::joint::Distance::new(Pose::IDENTITY, Pose::IDENTITY).rod(1.0);
    let rod = world.add_joint(anchor, bob, rod).unwrap();
    let (mut last, mut crossings, mut worst, mut bottom) = (1.0, Vec::new(), 0.0f64, 0.0f64);
    run(&mut world, h, 100_000, |w, k| {
        let p = w.position(bob).unwrap();
        let stretch = (p.length() - 1.0).abs();
        worst = worst.max(stretch);
        if k == 10_000 {
            println!("joint error in 10 s: {worst:.3e} m");
        }
        if last * p.x < 0.0 {
            crossings.push((k as f64 - 1.0 + last / (last - p.x)) * h);
            bottom = bottom.max(w.reaction(rod).unwrap().force.length());
        }
        last = p.x;
    });
    let period = crossings[2] - crossings[0];
    close("period", period, 2.367841948, 5e-6 * 2.367841948);
    assert!(
        worst <= 1.05 * h * h * G && worst > 0.95 * h * h * G,
        "joint error {worst:e} m, bound {:e}",
        h * h * G
    );
    println!(
        "joint error in 100 s: {worst:.3e} m (h² g = {:.3e})",
        h * h * G
    );
    close("tension at the bottom / m g", bottom / G, 3.0, 0.03);
}
