//! Ten kilometres from the origin a pile falls as it does at the origin, as far as a pile repeats
//! itself at all: impacts multiply rounding, and after a second of them the last bit has become
//! centimetres wherever the pile lies.

use rb_scenes::demo;
use rb_world::prelude::*;

/// Rounding of a coordinate of 10 km (m): what distance alone costs.
const ROUNDING: f64 = 1e-12;
const FAR: DVec3 = DVec3::new(1e4, 0.0, 0.0);
const STEPS: usize = 60;

/// Bodies of every convex shape fall on a scanned mesh; everything moved by `offset` (m) and the
/// falling bodies by up to ±`nudge` (m) more. Returns where they are after each step, relative to
/// `offset`.
fn pile(offset: DVec3, nudge: f64) -> Vec<Vec<DVec3>> {
    let mut world = World::new(Params::game()).unwrap();
    let falling = demo("bunny_pile").expect("it is registered");
    let falling = falling.build(&mut world, 2000).unwrap();
    let all: Vec<BodyHandle> = world.bodies().map(|(h, _)| h).collect();
    for (i, body) in all.into_iter().enumerate() {
        let at = world.position(body).unwrap();
        let i = i as f64;
        let aside = DVec3::new((7.0 * i).sin(), (11.0 * i).sin(), (13.0 * i).sin()) * nudge;
        let moves = world.body(body).unwrap().kind == BodyKind::Dynamic;
        let aside = if moves { aside } else { DVec3::ZERO };
        world.set_position(body, at + offset + aside).unwrap();
    }
    let place = |world: &World, h: &BodyHandle| world.position(*h).unwrap() - offset;
    let places = (0..STEPS).map(|_| {
        world.step(1.0 / 60.0).unwrap();
        falling.iter().map(|h| place(&world, h)).collect()
    });
    let places = places.collect();
    let touching = world.report().manifolds;
    assert!(
        touching > 100,
        "only {touching} contacts: nothing was tried"
    );
    places
}

/// How far bodies of two runs are apart (m): the median, the largest, how many beyond 1 mm.
fn apart(a: &[DVec3], b: &[DVec3]) -> (f64, f64, usize) {
    let mut apart: Vec<f64> = a.iter().zip(b).map(|(a, b)| a.distance(*b)).collect();
    apart.sort_by(f64::total_cmp);
    let beyond = apart.iter().filter(|d| **d > 1e-3).count();
    (apart[apart.len() / 2], apart[apart.len() - 1], beyond)
}

#[test]
fn distance_costs_no_more_than_the_rounding_of_a_coordinate() {
    let near = pile(DVec3::ZERO, 0.0);
    let (far, nudged) = (pile(FAR, 0.0), pile(DVec3::ZERO, ROUNDING));
    println!("step   10 km out: median, largest, > 1 mm    nudged at the origin");
    for k in (9..STEPS).step_by(10) {
        let (f, n) = (apart(&near[k], &far[k]), apart(&near[k], &nudged[k]));
        println!(
            "{:4}   {:.1e} m  {:.1e} m  {:4}          {:.1e} m  {:.1e} m  {:4}",
            k + 1,
            f.0,
            f.1,
            f.2,
            n.0,
            n.1,
            n.2
        );
        // Neither the typical body nor the number of strays tells the two apart.
        assert!(f.0 < 10.0 * n.0, "step {}: median {:e} m", k + 1, f.0);
        assert!(f.2 <= 2 * n.2 + 10, "step {}: {} strays", k + 1, f.2);
        if k < 20 {
            assert!(f.0 < 1e-6 && f.1 < 1e-3, "step {}: {f:?}", k + 1);
        }
    }
}

#[test]
#[ignore = "fails wherever the pile lies: a nudge of 1e-15 m at the origin grows as much"]
fn a_pile_ten_kilometres_out_is_within_a_millimetre_after_a_second() {
    let (near, far) = (pile(DVec3::ZERO, 0.0), pile(FAR, 0.0));
    let (median, most, _) = apart(&near[STEPS - 1], &far[STEPS - 1]);
    println!("median {median:.2e} m, largest {most:.2e} m");
    assert!(median < 1e-6, "median {median:e} m");
    assert!(most < 1e-3, "largest {most:e} m");
}
