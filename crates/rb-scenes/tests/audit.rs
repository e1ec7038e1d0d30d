//! Whole scenes audited from outside: the certificate of a step against one whose velocities are made anew from nothing
//! but its impulses.

use rb_scenes::scene;
use rb_world::core::problem::Problem;
use rb_world::core::residual::grade;
use rb_world::prelude::*;

const DT: f64 = 1.0 / 60.0;

/// What single precision may hide of a speed: 1e-5 of those in the scenes (m/s).
const HIDDEN: f64 = 1e-4;

/// Lanes grade the velocities they hold. Were these others than ṽ + W Jᵀλ, a report could be flattered by impulses
/// that nothing follows from: so they are made anew, island by island, and every row is graded again.
///
/// Islands of contacts alone keep from one substep to the next what impulses did by the inverse inertia W of then
/// (`Convoy`). A body that is not round has turned by θ = |ω| dt at most since, which changes W by [θ]W − W[θ], and what
/// they did by twice a share of θ; so do both bodies of a contact.
#[test]
fn reports_are_what_their_impulses_do() {
    let scenes = [
        ("large_pyramid", 30),
        ("box_drop", 5),
        ("mixed_drop", 5),
        ("joint_grid", 30),
        ("ragdolls", 9),
        ("tall_stack", 20),
        ("card_house", 4),
        ("arch", 21),
        ("terrain", 60),
        ("washer", 5),
        ("chain", 100),
    ];
    for (name, size) in scenes {
        let mut params = Params::game();
        params.sleep.enabled = false;
        let floor = params.gravity.length() * DT / f64::from(params.substeps);
        let desc = scene(name).expect(name).build(size);
        let (mut world, _) = desc.build(params).expect(name);
        let (mut islands, mut most, mut worst) = (0, 0.0f64, 0.0f64);
        for step in 1..=240 {
            world.step(DT).expect("a positive time step");
            if step % 20 > 0 {
                continue;
            }
            for (problem, island) in world.problems().zip(world.report().islands.iter()) {
                let audited = grade(&problem, floor).abs;
                let off = (audited - island.grade.abs).abs();
                most = most.max(off);
                worst = worst.max(off / (HIDDEN + turned(&problem)));
                islands += 1;
            }
        }
        println!("{name}: {islands} islands, {most:.1e} m/s apart, {worst:.3} of what may be");
        assert!(islands > 0, "{name}");
        assert!(worst < 1.0, "{name}: {worst}");
        // Where nothing tumbles that is not round there is nothing to allow for.
        let tumbling = ["mixed_drop", "terrain"].contains(&name);
        assert!(tumbling || most < HIDDEN, "{name}: {most:e}");
    }
}

/// How much else (m/s, at the surface) impulses may do now to the body of which that is most, and to another.
fn turned(problem: &Problem) -> f64 {
    let bodies = problem.bodies.iter();
    let turned = bodies.map(|b| {
        let turn = b.vel.ang.length().max(b.free.ang.length()) * DT;
        4.0 * turn * (b.vel.ang - b.free.ang).length() * b.extent
    });
    turned.fold(0.0, f64::max)
}
