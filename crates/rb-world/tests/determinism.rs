//! The same bits on any number of threads, and after saving and restoring.

use rb_scenes::scene;
use rb_world::prelude::*;

const DT: f64 = 1.0 / 60.0;
const STEPS: usize = 600;

/// Scenes that between them use every stage: piles of boxes and of mixed shapes that fall asleep,
/// a crowd with limits, a triangle mesh with many islands, a kinematic drum of many shapes, and islands large
/// enough to be divided, with joints and without.
const SCENES: [(&str, usize); 6] = [
    ("box_drop", 4),
    ("mixed_drop", 4),
    ("ragdolls", 30),
    ("terrain", 80),
    ("washer", 5),
    ("large_pyramid", 46),
];

fn build(name: &str, size: usize) -> World {
    let desc = scene(name).expect("it is registered").build(size);
    desc.build(Params::game()).unwrap().0
}

/// What a run leaves behind: a hash and the events of every step, and the bytes of the end.
#[derive(PartialEq)]
struct Trace {
    hashes: Vec<u64>,
    events: Vec<Events>,
    end: Vec<u8>,
}

/// Runs a scene on `threads`; also returns the most tasks a step offered them.
fn trace(name: &str, size: usize, threads: usize) -> (Trace, u32) {
    let mut world = build(name, size);
    world.set_threads(threads).unwrap();
    world.set_parallel_threshold(0);
    let (mut hashes, mut events, mut tasks) = (Vec::new(), Vec::new(), 0);
    for _ in 0..STEPS {
        tasks = tasks.max(world.step(DT).unwrap().tasks);
        hashes.push(world.state_hash());
        events.push(world.events().clone());
    }
    let end = world.save().unwrap();
    let trace = Trace {
        hashes,
        events,
        end,
    };
    (trace, tasks)
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let mut slept = 0;
    for (name, size) in SCENES {
        let (one, tasks) = trace(name, size, 1);
        // Fewer tasks than threads would leave threads without work, and prove nothing.
        assert!(tasks > 8, "{name}: {tasks} tasks at most");
        for threads in [2, 3, 4, 8] {
            let (other, _) = trace(name, size, threads);
            let differs = (0..STEPS).find(|&k| one.hashes[k] != other.hashes[k]);
            assert_eq!(
                differs, None,
                "{name}: first step that differs on {threads} threads"
            );
            let differs = (0..STEPS).find(|&k| one.events[k] != other.events[k]);
            assert_eq!(
                differs, None,
                "{name}: first events that differ on {threads} threads"
            );
            assert!(
                one.end == other.end,
                "{name}: snapshots differ on {threads} threads"
            );
        }
        let told: usize = one.events.iter().map(|e| e.contact_begin.len()).sum();
        assert!(
            told > 0,
            "{name}: no contact began, so there was nothing to compare"
        );
        slept += one.events.iter().map(|e| e.sleep.len()).sum::<usize>();
        let hash = one.hashes[STEPS - 1];
        println!("{name:14} {tasks:3} tasks, {told:5} contacts begun, hash {hash:016x}");
    }
    assert!(slept > 0, "nothing fell asleep");
}

#[test]
fn a_restored_world_goes_on_with_the_same_bits() {
    for (name, size) in SCENES {
        let mut world = build(name, size);
        let mut copies: Vec<World> = Vec::new();
        for k in 0..STEPS {
            // In free fall, in the thick of it, and while things come to rest.
            if [1, 50, 200].contains(&k) {
                copies.push(World::restore(&world.save().unwrap()).unwrap());
            }
            world.step(DT).unwrap();
            for (i, copy) in copies.iter_mut().enumerate() {
                copy.step(DT).unwrap();
                assert_eq!(
                    copy.state_hash(),
                    world.state_hash(),
                    "{name}, copy {i}, step {k}"
                );
                assert_eq!(copy.events(), world.events(), "{name}, copy {i}, step {k}");
            }
        }
        let end = world.save().unwrap();
        for (i, copy) in copies.iter().enumerate() {
            assert!(
                copy.save().unwrap() == end,
                "{name}: snapshot of copy {i} differs"
            );
        }
    }
}

/// What stays in lanes from step to step, contacts and joints, goes on as if taken anew when the step has another length.
#[test]
fn a_restored_world_goes_on_with_a_step_of_another_length() {
    let scenes = [
        ("tall_stack", 12),
        ("large_pyramid", 46),
        ("joint_grid", 8),
        ("ragdolls", 30),
    ];
    for (name, size) in scenes {
        let mut world = build(name, size);
        for k in 0..240 {
            if k % 40 != 39 {
                world.step(DT).unwrap();
                continue;
            }
            let mut copy = World::restore(&world.save().unwrap()).unwrap();
            for world in [&mut world, &mut copy] {
                world.step(0.5 * DT).unwrap();
            }
            let same = copy.state_hash() == world.state_hash();
            assert!(same, "{name}: step {k}");
        }
    }
}

/// A quaternion that is normalised a second time need not stay the same to the bit.
#[test]
fn a_compound_comes_back_to_the_bit() {
    let part = |k: i32| {
        let turn = DQuat::from_scaled_axis(DVec3::new(0.3, 0.7, 1.1) * f64::from(k));
        (
            Pose::new(DVec3::X * f64::from(k), turn),
            Shape::ball(0.5).unwrap(),
        )
    };
    let parts: Vec<_> = (1..200).map(part).collect();
    let mut world = World::new(Params::game()).unwrap();
    let body = world.add_body(BodyDesc::dynamic()).unwrap();
    let shape = Shape::compound(parts).unwrap();
    world.add_collider(body, ColliderDesc::new(shape)).unwrap();
    let saved = world.save().unwrap();
    assert!(saved == World::restore(&saved).unwrap().save().unwrap());
}
