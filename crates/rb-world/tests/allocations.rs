//! Steady steps need no memory they do not have.

use allocation_counter::measure;
use rb_world::prelude::*;

/// Allocations of 100 steps after `warm` ones, on one thread.
fn in_steady_steps(scene: &str, size: usize, warm: usize) -> u64 {
    let desc = rb_scenes::scenes::scene(scene).expect("known").build(size);
    let mut params = Params::game();
    params.sleep.enabled = false;
    let (mut world, _) = desc.build(params).expect("valid");
    world.set_threads(1).expect("a number");
    for _ in 0..warm {
        world.step(1.0 / 60.0).expect("a step");
    }
    let steps = || {
        for _ in 0..100 {
            world.step(1.0 / 60.0).expect("a step");
        }
    };
    let found = measure(steps);
    println!(
        "{scene} {size}: {} allocations, {} bytes",
        found.count_total, found.bytes_total
    );
    found.count_total
}

#[test]
fn steady_steps_do_not_allocate() {
    let control = measure(|| drop(std::hint::black_box(vec![1u8; 100])));
    assert_eq!(control.count_total, 1);
    for (scene, size, warm) in [
        ("large_pyramid", 10, 300),
        ("joint_grid", 12, 100),
        ("chain", 100, 100),
        ("card_house", 3, 300),
        ("tall_stack", 10, 300),
        ("ragdolls", 2, 600),
        ("box_drop", 3, 900),
    ] {
        assert_eq!(in_steady_steps(scene, size, warm), 0, "{scene}");
    }
}
