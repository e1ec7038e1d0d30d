//! Friction scenes harder than the stored problems: tall towers, mass ratios, jammed clusters.
//!
//! Prints a table; every family has a number of scenes it must solve to 1e-9, and none may fail
//! badly. What is left unsolved is reported as such.

mod common;

use common::{Random, Scene};
use glam::DVec3;
use rb_solve::conic::{FrictionLaw, FrictionProblem, Method};
use std::time::Instant;

/// Scenes per family.
const SCENES: u64 = 6;

/// Solves the scenes of a family; asserts that at least `least` of them are solved.
fn family(name: &str, mu: f64, least: usize, scene: impl Fn(&mut Random) -> Scene) {
    let (mut solved, mut worst, mut slowest, mut contacts) = (0, 0.0f64, 0.0f64, 0);
    let mut stages = Vec::new();
    for seed in 0..SCENES {
        let (w, q) = scene(&mut Random::new(seed)).delassus();
        contacts = q.len() / 3;
        let p = FrictionProblem::new(w, q, vec![mu; contacts]).expect("valid");
        let clock = Instant::now();
        let attempt = Method::Auto.solve(&p, FrictionLaw::Coulomb);
        slowest = slowest.max(clock.elapsed().as_secs_f64());
        let residual = p.residual(&attempt.r, FrictionLaw::Coulomb);
        solved += usize::from(residual.meets(1e-9));
        worst = worst.max(residual.scaled);
        stages.push(attempt.solver);
    }
    println!(
        "{name:26} {contacts:4} contacts: {solved}/{SCENES}, worst {worst:.0e}, {slowest:.3} s {stages:?}"
    );
    assert!(solved >= least, "{name}: {solved} solved");
    assert!(worst < 1e-2, "{name}: {worst}");
}

#[test]
fn towers() {
    let tower = |ratio: f64, speed: f64| {
        move |random: &mut Random| Scene::tower(10, ratio).disturb(speed, random)
    };
    family("tower of 10", 0.7, 6, tower(1.0, 0.1));
    family("tower, top 1000 : 1", 0.7, 3, tower(1e3, 0.1));
    family("tower, top 1 : 1000", 0.7, 6, tower(1e-3, 0.1));
    family("tower, top 1e6 : 1", 0.7, 3, tower(1e6, 0.01));
}

#[test]
fn pyramids() {
    let disturbed = |rows: usize, speed: f64| {
        move |random: &mut Random| Scene::pyramid(rows).disturb(speed, random)
    };
    family("pyramid of 5 rows", 0.7, 6, disturbed(5, 0.05));
    family("pyramid of 6 rows, impact", 0.7, 4, disturbed(6, 1.0));
    family("pyramid of 5 rows, mu 2", 2.0, 5, disturbed(5, 0.2));
    family("pyramid of 8 rows, pushed", 0.7, 6, |_| {
        Scene::pyramid(8).pushed(DVec3::new(1.0, 0.0, 0.0))
    });
}

#[test]
fn random_clusters() {
    let cluster = |bodies: usize, contacts: usize, ratio: f64| {
        move |random: &mut Random| Scene::random(bodies, contacts, ratio, random)
    };
    family("10 bodies, 30 contacts", 0.7, 6, cluster(10, 30, 1.0));
    family("10 bodies, 60 contacts", 0.3, 6, cluster(10, 60, 1.0));
    family("20 bodies, 100, 1e4 : 1", 0.7, 3, cluster(20, 100, 1e4));
    family("20 bodies, 150, mu 1", 1.0, 4, cluster(20, 150, 1.0));
}
