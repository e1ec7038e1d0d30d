//! The demonstrations build, step and do what they are there to show.

use rb_scenes::{DEMOS, demo};
use rb_world::prelude::*;

const DT: f64 = 1.0 / 60.0;

fn built(name: &str, size: usize) -> (World, Vec<BodyHandle>) {
    let mut world = World::new(Params::game()).expect("the profile is valid");
    let bodies = demo(name).expect(name).build(&mut world, size).expect(name);
    (world, bodies)
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        let report = world.step(DT).expect("a positive time step");
        assert!(report.frozen.is_empty());
    }
}

#[test]
fn every_demo_builds_and_steps() {
    for entry in DEMOS {
        let (mut world, bodies) = built(entry.name, entry.size.min(100));
        assert!(!bodies.is_empty(), "{}", entry.name);
        run(&mut world, 3);
    }
}
