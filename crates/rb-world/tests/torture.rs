//! Mass ratios, chains, loops and standing structures in both profiles, without tuning, at 60 Hz.
//!
//! Bars: sag ≤ 1 mm; joint gap ≤ 0.1 mm hanging and in loops, ≤ 1 mm swinging; creep on a slope
//! ≤ 1e-9 m/s (robotics) and ≤ 1e-6 m/s (game); no turning point above the start and energy excess
//! ≤ ½ h Σ m |g·v|; the certificate within the profile's tolerance at every step.

mod common;
mod scenes;

use scenes::{Outcome, Scene, profiles, run};

/// Runs a scene in a profile and checks what it says of itself.
#[track_caller]
fn check(profile: &str, scene: &Scene) {
    let (_, params) = profiles()
        .into_iter()
        .find(|(name, _)| *name == profile)
        .unwrap();
    let out = run(scene, params);
    println!("{profile} {}: {out}", scene.name);
    let failures = failures(&out, scene, profile);
    assert!(
        failures.is_empty(),
        "{profile} {}: {failures:?}",
        scene.name
    );
}

/// Every bar that is not met.
fn failures(out: &Outcome, scene: &Scene, profile: &str) -> Vec<String> {
    let creep = if profile == "game" { 1e-6 } else { 1e-9 };
    let bars = [
        ("sag", out.sag, 1e-3, scene.rests),
        ("joint gap", out.gap, scene.gap, true),
        ("creep", out.creep, creep, scene.creeps),
        ("turning point", out.above, 0.0, scene.swings),
        ("energy excess", out.excess, 0.0, scene.swings),
        ("residual", out.residual, out.tolerance, true),
    ];
    bars.iter()
        .filter(|(_, value, bar, applies)| *applies && (value.is_nan() || value > bar))
        .map(|(name, value, bar, _)| format!("{name} {value:.2e} > {bar:.0e}"))
        .collect()
}

macro_rules! both {
    ($($name:ident: $scene:expr;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn game() {
                check("game", &$scene);
            }

            #[test]
            fn robotics() {
                check("robotics", &$scene);
            }
        }
    )*};
}

both! {
    cubes_100: Scene::cubes(100.0);
    cubes_1000: Scene::cubes(1000.0);
    cubes_10000: Scene::cubes(10_000.0);
    hanging_10_links_100_kg: Scene::chain(10, 100.0, 0.0);
    hanging_10_links_1000_kg: Scene::chain(10, 1000.0, 0.0);
    hanging_20_links_100_kg: Scene::chain(20, 100.0, 0.0);
    hanging_20_links_1000_kg: Scene::chain(20, 1000.0, 0.0);
    swinging_10_links_100_kg: Scene::chain(10, 100.0, 60.0);
    swinging_10_links_1000_kg: Scene::chain(10, 1000.0, 60.0);
    swinging_20_links_100_kg: Scene::chain(20, 100.0, 60.0);
    swinging_20_links_1000_kg: Scene::chain(20, 1000.0, 60.0);
    four_bar_1000_kg: Scene::four_bar(1000.0);
    four_bar_10000_kg: Scene::four_bar(10_000.0);
    slope: Scene::slope();
}

#[test]
fn robotics_stack_of_30() {
    check("robotics", &Scene::stack());
}

#[test]
fn robotics_arch() {
    check("robotics", &Scene::arch());
}

#[test]
fn robotics_card_house() {
    check("robotics", &Scene::card_house());
}

/// The table; run with `--ignored --nocapture`.
#[test]
#[ignore = "prints a table of times"]
fn table() {
    for (profile, params) in profiles() {
        let mut scenes = vec![
            Scene::cubes(100.0),
            Scene::cubes(1000.0),
            Scene::cubes(10_000.0),
        ];
        for angle in [0.0, 60.0] {
            for links in [10, 20] {
                scenes.extend([100.0, 1000.0].map(|bob| Scene::chain(links, bob, angle)));
            }
        }
        scenes.extend([
            Scene::four_bar(1000.0),
            Scene::four_bar(10_000.0),
            Scene::slope(),
        ]);
        scenes.extend([Scene::stack(), Scene::arch(), Scene::card_house()]);
        for scene in scenes {
            let out = run(&scene, params);
            let failed = failures(&out, &scene, profile);
            println!("{profile:8} {:26} {out} {failed:?}", scene.name);
        }
    }
}
