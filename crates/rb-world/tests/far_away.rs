//! Ten kilometres from the origin a pile falls as it does at the origin.
//!
//! A coordinate of 10 km is known to 1e-12 m. Impacts multiply such a difference, each by the ratio of
//! a free path to a contact arm, and a second of them makes micrometres of it. That is all they may
//! do: a choice that hangs on the last bit (which corner comes first, which of two equal faces, rigid
//! or soft at a gap of zero) would make centimetres of it at once, here and at the origin.

use rb_scenes::demo;
use rb_world::prelude::*;

/// Rounding of a coordinate of 10 km (m): what distance alone costs.
const ROUNDING: f64 = 1e-12;
const FAR: DVec3 = DVec3::new(1e4, 0.0, 0.0);
const STEPS: usize = 60;
const COUNT: usize = 2000;

/// Where the bodies are after each step, relative to the offset, and which met something by the end.
struct Run {
    places: Vec<Vec<DVec3>>,
    met: Vec<bool>,
}

/// Bodies of every convex shape fall on a scanned mesh; everything moved by `offset` (m) and the
/// falling bodies by up to ±`nudge` (m) more. Every `course` but the first begins up to a millimetre elsewhere.
fn pile(offset: DVec3, nudge: f64, course: usize) -> Run {
    let mut world = World::new(Params::game()).unwrap();
    let falling = demo("bunny_pile").expect("it is registered");
    let falling = falling.build(&mut world, COUNT).unwrap();
    let all: Vec<BodyHandle> = world.bodies().map(|(h, _)| h).collect();
    for (i, body) in all.into_iter().enumerate() {
        let at = world.position(body).unwrap();
        let i = i as f64;
        let aside = DVec3::new((7.0 * i).sin(), (11.0 * i).sin(), (13.0 * i).sin()) * nudge;
        let (c, size) = (course as f64, if course > 0 { 1e-3 } else { 0.0 });
        let start = DVec3::new((3.0 * i + c).sin(), 0.0, (5.0 * i - c).sin()) * size;
        let moves = world.body(body).unwrap().kind == BodyKind::Dynamic;
        let aside = if moves { aside + start } else { DVec3::ZERO };
        world.set_position(body, at + offset + aside).unwrap();
    }
    let place = |world: &World, h: &BodyHandle| world.position(*h).unwrap() - offset;
    let mut places = Vec::new();
    for step in 0..STEPS {
        world.step(1.0 / 60.0).unwrap();
        if step == 0 {
            assert_eq!(world.report().penetration, 0.0, "bodies start apart");
        }
        places.push(falling.iter().map(|h| place(&world, h)).collect());
    }
    // They fall straight and without spin: who turns or goes aside has met something.
    let met = falling.iter().map(|h| {
        let v = world.body(*h).unwrap().vel;
        v.ang != DVec3::ZERO || v.lin.x != 0.0 || v.lin.z != 0.0
    });
    let met = met.collect();
    Run { places, met }
}

/// How far the bodies that met something are apart in two runs after step `k` (m): the median, the
/// largest, how many beyond 1 mm.
fn apart(a: &Run, b: &Run, k: usize) -> (f64, f64, usize) {
    let pairs = a.places[k].iter().zip(&b.places[k]).zip(&a.met);
    let met = pairs.filter(|(_, met)| **met);
    let mut apart: Vec<f64> = met.map(|((a, b), _)| a.distance(*b)).collect();
    apart.sort_by(f64::total_cmp);
    let beyond = apart.iter().filter(|d| **d > 1e-3).count();
    (apart[apart.len() / 2], apart[apart.len() - 1], beyond)
}

#[test]
fn ten_kilometres_cost_micrometres_after_a_second_of_impacts() {
    let near = pile(DVec3::ZERO, 0.0, 0);
    let (far, nudged) = (pile(FAR, 0.0, 0), pile(DVec3::ZERO, ROUNDING, 0));
    let met = near.met.iter().filter(|m| **m).count();
    println!("{met} of {COUNT} bodies met something");
    println!("step   10 km out: median, largest, > 1 mm    nudged at the origin");
    let mut rows = Vec::new();
    for k in (9..STEPS).step_by(10) {
        let (f, n) = (apart(&near, &far, k), apart(&near, &nudged, k));
        let row = |x: (f64, f64, usize)| format!("{:.1e} m  {:.1e} m  {:4}", x.0, x.1, x.2);
        println!("{:4}   {}          {}", k + 1, row(f), row(n));
        rows.extend([f, n]);
    }
    for (median, most, beyond) in rows {
        assert!(median < 1e-6, "median {median:e} m");
        assert_eq!(beyond, 0, "largest {most:e} m");
    }
    // The rest is still on its way down.
    assert!(met > 1000, "only {met} met anything");
}

/// Of many courses of the pile some meet with a choice that rounding decides; few bodies part for it.
#[test]
fn in_few_courses_rounding_decides_for_few() {
    let (mut met, mut parted) = (0, 0);
    for course in 0..12 {
        let near = pile(DVec3::ZERO, 0.0, course);
        met += 2 * near.met.iter().filter(|m| **m).count();
        let others = [pile(FAR, 0.0, course), pile(DVec3::ZERO, ROUNDING, course)];
        for other in others {
            let (median, most, beyond) = apart(&near, &other, STEPS - 1);
            println!("course {course}: {median:.1e} m, {most:.1e} m, {beyond} beyond 1 mm");
            assert!(median < 1e-6, "median {median:e} m");
            parted += beyond;
        }
    }
    println!("{parted} of {met} parted");
    assert!(parted * 200 < met, "{parted} of {met}");
}
