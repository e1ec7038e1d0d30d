//! What sweeps reach, and how it is graded.

use crate::random::Random;
use crate::scene::{
    BODIES, H, both, cases, mass, pack_into, packed, problem, rebalance, scene, single, terms,
};
use glam::{DMat3, DVec3};
use rb_core::discretise::Discretiser;
use rb_core::mass::InvMass;
use rb_core::params::Params;
use rb_core::problem::{Pass, Problem};
use rb_core::residual::{Grade, grade_beside, grade_velocities};
use rb_solve::lanes::ContactLanes;

#[test]
fn sweeping_on_reaches_the_law_and_keeps_the_impulse_balance() {
    let numbers = Discretiser::new(&Params::game(), H);
    for (seed, laws, special, at) in cases(1) {
        let (_, mut lanes) = scene(seed, laws, special, at);
        // Sets the terms of the velocity pass.
        lanes.sweep(Pass::Position, &numbers, false);
        let before = grade_velocities(&problem(&lanes), 0.0).abs;
        for k in 0..4000 {
            lanes.sweep(Pass::Velocity, &numbers, k % 2 == 1);
        }
        let mut p = problem(&lanes);
        let off = rebalance(&mut p);
        let grade = grade_velocities(&p, 0.0);
        println!(
            "{laws:?}: {before:.1e} -> {:.1e} m/s, balance {off:.1e}",
            grade.abs
        );
        assert!(off < 1e-11, "v = free + W Jᵀλ, off by {off:e}");
        assert!(
            before > 1e-2 && grade.abs < 1e-8,
            "{laws:?}: {:e}",
            grade.abs
        );
        assert!(grade.outside < 1e-12, "impulses admissible");
    }
}

/// Round bodies of which every other one becomes another between two substeps, as stiff joints have it.
#[test]
fn impulses_act_on_bodies_as_they_are_now() {
    let numbers = Discretiser::new(&Params::game(), H);
    let round = InvMass {
        lin: DVec3::splat(2.0),
        ang: DMat3::from_diagonal(DVec3::splat(3.5)),
    };
    for (seed, laws, special, at) in cases(9) {
        let (set, mut like) = scene(seed, laws, special, at);
        (0..BODIES - 1).for_each(|i| like.set_mass(i, &round));
        let double = packed(&set, 0..set.len(), &like, 0, at);
        let (mut short, terms) = (ContactLanes::default(), single(terms(&numbers, at)));
        pack_into(&mut short, &set, 0..set.len(), &like, 0, terms);
        for (mut lanes, bound) in [(double, 1e-11), (short, 1e-5)] {
            for substep in 0..3 {
                if substep > 0 {
                    let mut random = Random(seed + substep);
                    for i in (0..BODIES - 1).step_by(2) {
                        let ang = mass(&mut random).ang;
                        lanes.set_mass(i, &InvMass { ang, ..round });
                    }
                    (0..BODIES).for_each(|i| lanes.set_velocity(i, &like.free(i)));
                    lanes.pose(|i| like.free(i.min(BODIES - 1)), &numbers);
                    lanes.warm();
                    assert_balanced(&lanes, bound, "after the warm start");
                }
                for pass in [Pass::Position, Pass::Velocity] {
                    lanes.sweep(pass, &numbers, false);
                    assert_balanced(&lanes, bound, "after a sweep");
                }
            }
        }
    }
}

fn assert_balanced(lanes: &ContactLanes, bound: f64, when: &str) {
    let off = rebalance(&mut problem(lanes));
    assert!(off < bound, "v = free + W Jᵀλ {when}, off by {off:e}");
}

/// Compares the certificate of lanes with that of their rows; returns the depth it measured.
pub(crate) fn assert_certificates_agree(lanes: &mut ContactLanes, floor: f64) -> f64 {
    let (depth, slide) = assert_certificates_agree_to(lanes, floor, [1e-9, 1e-12]);
    assert_eq!(slide[0], slide[1], "sliding");
    depth
}

/// The same with the given relative and absolute differences; returns how many slide by either, too. (What slides by
/// lanes of single precision may stick by seven of the sixteen digits that rows have.)
fn assert_certificates_agree_to(
    lanes: &mut ContactLanes,
    floor: f64,
    [share, most]: [f64; 2],
) -> (f64, [u32; 2]) {
    let (contacts, scaled, depth) = lanes.grade(floor);
    let empty = Problem::default();
    let ours = grade_beside(&empty, Pass::Velocity, floor, (contacts, scaled));
    let p = problem(lanes);
    let theirs = grade_velocities(&p, floor);
    for (name, a, b) in [
        ("abs", ours.abs, theirs.abs),
        ("rel", ours.rel, theirs.rel),
        ("rms", ours.rms, theirs.rms),
        ("contact", ours.contact, theirs.contact),
        ("outside", ours.outside, theirs.outside),
        ("closing", ours.closing, theirs.closing),
        (
            "complementarity",
            ours.complementarity,
            theirs.complementarity,
        ),
        ("dissipation", ours.dissipation, theirs.dissipation),
    ] {
        assert!(
            (a - b).abs() <= share * b.abs() + most,
            "{name}: {a:e} and {b:e}"
        );
    }
    let counts = |g: &Grade| (g.worst, g.open, g.stick + g.slide);
    assert_eq!(counts(&ours), counts(&theirs));
    (depth, [ours.slide, theirs.slide])
}

#[test]
fn both_certificates_agree() {
    let numbers = Discretiser::new(&Params::game(), H);
    for case in cases(5) {
        let bounds = [[1e-9, 1e-12], [1e-5, 1e-5]];
        for (mut lanes, bounds) in both(case, &numbers).into_iter().zip(bounds) {
            lanes.sweep(Pass::Position, &numbers, false);
            for _ in 0..3 {
                lanes.sweep(Pass::Velocity, &numbers, false);
            }
            let (depth, _) = assert_certificates_agree_to(&mut lanes, 0.01, bounds);
            let rigid = |k: &usize| case.2.is_none() || !k.is_multiple_of(5);
            let gaps = (0..40).filter(rigid).flat_map(|m| lanes.gaps(m));
            let deepest = gaps.fold(0.0f64, |d, g| d.max(-g));
            let off = (deepest - depth).abs();
            assert!(off < 1e-3 * bounds[1], "{deepest:e} and {depth:e}");
        }
    }
}
