//! Falling back to the exact solver: on any number of threads, across snapshots, and no longer than
//! needed.

mod common;
use common::*;
use rb_world::prelude::*;

const DT: f64 = 1.0 / 60.0;

fn cube(world: &mut World, at: DVec3, mass: f64) {
    let desc = BodyDesc::dynamic()
        .at(at)
        .mass(mass, DVec3::splat(mass / 6.0))
        .no_sleep();
    let body = world.add_body(desc).unwrap();
    let shape = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    world
        .add_collider(body, ColliderDesc::new(shape).friction(0.6))
        .unwrap();
}

/// Many small islands: heavy on light, leaning towers that fall, cubes that rest.
fn scene() -> World {
    let mut params = Params::game();
    params.sweeps.velocity = 2;
    let mut world = World::new(params).unwrap();
    floor(&mut world, 0.6, FrictionLaw::Conic);
    for k in 0..24 {
        let x = 8.0 * f64::from(k);
        let heavy = if k % 3 == 0 { 200.0 } else { 1.0 };
        let lean = 0.11 * f64::from(k % 4);
        cube(&mut world, DVec3::new(x, 0.5, 0.0), 1.0);
        cube(&mut world, DVec3::new(x + lean, 1.5, 0.0), heavy);
        if k % 2 == 0 {
            cube(&mut world, DVec3::new(x + 2.0 * lean, 2.6, 0.1), 1.0);
        }
    }
    world
}

/// Hash of every step, and the islands that went to the exact solver.
fn run(mut world: World, steps: usize) -> (Vec<u64>, u32, World) {
    let mut exact = 0;
    let hashes = (0..steps)
        .map(|_| {
            exact += world.step(DT).unwrap().exact;
            world.state_hash()
        })
        .collect();
    (hashes, exact, world)
}

#[test]
fn any_number_of_threads_and_a_snapshot_give_the_same_bits() {
    let (one, exact, _) = run(scene(), 120);
    assert!(exact > 200, "{exact} fallbacks test little");
    for threads in [2, 3, 8] {
        let mut world = scene();
        world.set_threads(threads).unwrap();
        world.set_parallel_threshold(0);
        assert!(run(world, 120).0 == one, "{threads} threads");
    }
    let (_, _, half) = run(scene(), 60);
    let restored = World::restore(&half.save().unwrap()).unwrap();
    assert!(run(restored, 60).0 == one[60..]);
}

#[test]
fn islands_return_to_the_fast_solver() {
    let mut params = Params::game();
    params.escalation.hold = 5;
    let mut world = World::new(params).unwrap();
    floor(&mut world, 0.6, FrictionLaw::Conic);
    cube(&mut world, DVec3::new(0.0, 0.5, 0.0), 1.0);
    // One step that no two sweeps solve, then the profile's own sweeps.
    let mut hasty = params;
    hasty.tolerances.velocity = 1e-14;
    world.set_params(hasty).unwrap();
    let asked = |w: &mut World| w.step(DT).unwrap().islands[0].reason;
    assert!(matches!(asked(&mut world), Some(Reason::Residual(_))));
    world.set_params(params).unwrap();
    let held = (0..20)
        .map(|_| asked(&mut world))
        .take_while(|r| *r == Some(Reason::Held));
    assert_eq!(held.count(), 5);
    assert_eq!(asked(&mut world), None);
}

/// How many of several resting cubes on a floor go to the exact solver in one step and in the next.
fn exact_of_five(budget: u32) -> [u32; 2] {
    let mut params = Params::game();
    params.escalation.budget = budget;
    // No fast answer is this good.
    params.tolerances.velocity = 1e-14;
    let mut world = World::new(params).unwrap();
    floor(&mut world, 0.6, FrictionLaw::Conic);
    for k in 0..5 {
        cube(&mut world, DVec3::new(4.0 * f64::from(k), 0.5, 0.0), 1.0);
    }
    [0, 1].map(|_| world.step(DT).unwrap().exact)
}

#[test]
fn the_budget_bounds_how_many_islands_are_exact() {
    // A cube on its face has four points of three rows.
    assert_eq!(exact_of_five(u32::MAX), [5, 5]);
    assert_eq!(exact_of_five(30), [2, 2]);
    assert_eq!(exact_of_five(0), [0, 0]);
}

/// Islands left above the tolerance of velocities, and islands that went to the exact solver, over the impacts of many
/// tumbling boxes; every step once in the world that goes on, and once in one restored before.
fn left_above(again: u32) -> [u32; 2] {
    let mut params = Params::game();
    params.escalation.again = again;
    let mut world = World::new(params).unwrap();
    floor(&mut world, 0.6, FrictionLaw::Conic);
    for k in 0..40 {
        let (x, turn) = (4.0 * f64::from(k), 0.2 + 0.07 * f64::from(k));
        let desc = BodyDesc::dynamic().at([x, 1.2, 0.0]).no_sleep();
        let desc = desc.rotated(DQuat::from_rotation_x(turn) * DQuat::from_rotation_z(2.0 * turn));
        let body = world.add_body(desc.velocity([0.0, -4.0, 0.0])).unwrap();
        let shape = Shape::cuboid(DVec3::new(0.5, 0.3, 0.2)).unwrap();
        world.add_collider(body, ColliderDesc::new(shape)).unwrap();
        cube(&mut world, DVec3::new(x + 0.3, 2.6, 0.1), 1.0);
    }
    let tolerance = params.tolerances.velocity;
    let mut counts = [0; 2];
    for _ in 0..150 {
        let mut restored = World::restore(&world.save().unwrap()).unwrap();
        restored.step(DT).unwrap();
        let report = world.step(DT).unwrap();
        let above = report.islands.iter().filter(|i| i.grade.abs > tolerance);
        counts[0] += above.count() as u32;
        counts[1] += report.exact;
        assert_eq!(world.state_hash(), restored.state_hash());
    }
    counts
}

#[test]
fn a_second_try_leaves_little_to_the_exact_solver() {
    let [once, again] = [0, 4].map(left_above);
    println!("above the tolerance, exact: {once:?}, {again:?}");
    assert!(5 * again[0] < once[0], "{once:?} {again:?}");
    assert!(again[1] < once[1], "{once:?} {again:?}");
    let mut params = Params::game();
    params.escalation.again = 1001;
    assert!(World::new(params).is_err());
}

/// Boxes that tumble on a floor that moves, some of which may not turn about all axes: one island.
fn tumbling() -> (World, Vec<BodyHandle>) {
    let mut params = Params::game();
    params.tolerances.velocity = 1e-3;
    params.escalation.budget = 0;
    let mut world = World::new(params).unwrap();
    let floor = BodyDesc::kinematic().at(DVec3::NEG_Y);
    let floor = floor.velocity([0.5, 0.0, 0.0]).spin([0.0, 1.0, 0.0]);
    let floor = world.add_body(floor).unwrap();
    let slab = Shape::cuboid(DVec3::new(20.0, 1.0, 20.0)).unwrap();
    world.add_collider(floor, ColliderDesc::new(slab)).unwrap();
    let mut boxes = Vec::new();
    for k in 0..3 {
        let k = f64::from(k);
        let turn = 0.4 * k;
        let at = DVec3::new(0.1 * k, 0.6 + 0.8 * k, 0.0);
        let mut desc = BodyDesc::dynamic().at(at).no_sleep();
        desc = desc.rotated(DQuat::from_rotation_x(turn) * DQuat::from_rotation_z(0.3));
        desc = desc.velocity([0.0, -3.0, 0.0]).spin([1.0, turn, 2.0]);
        if k == 1.0 {
            desc = desc.lock(LockedAxes::ANGULAR_Y);
        }
        let body = world.add_body(desc).unwrap();
        let shape = Shape::cuboid(DVec3::new(0.5, 0.3, 0.2)).unwrap();
        world.add_collider(body, ColliderDesc::new(shape)).unwrap();
        boxes.push(body);
    }
    (world, boxes)
}

/// A second try is the step as it would have been with those sweeps from the beginning, to the last bit.
#[test]
fn a_second_try_knows_nothing_of_the_first() {
    let (mut world, boxes) = tumbling();
    let usual = *world.params();
    let mut patient = usual;
    let times = usual.escalation.again;
    patient.escalation.again = 0;
    patient.sweeps = usual.sweeps.again(times);
    let mut tried = 0;
    for step in 0..300 {
        if step % 10 == 9 {
            let push = DVec3::new(-0.5, -2.0, 0.3);
            world
                .set_velocity(boxes[step / 10 % 3], push, DVec3::X)
                .unwrap();
        }
        let mut other = World::restore(&world.save().unwrap()).unwrap();
        other.set_params(patient).unwrap();
        let steps = [&mut world, &mut other].map(|w| w.step(DT).unwrap().islands);
        let [[one], [two]] = steps.each_ref().map(|islands| &islands[..]) else {
            continue;
        };
        if one.reason.is_none() && two.reason.is_none() && one.iterations == two.iterations {
            let saved = [&world, &other].map(|w| {
                let mut copy = w.clone();
                copy.set_params(usual).unwrap();
                copy.save().unwrap()
            });
            assert!(saved[0] == saved[1], "step {step}");
            tried += 1;
        }
    }
    println!("{tried} second tries");
    assert!(tried > 100, "{tried} second tries test little");
}

/// Twelve times the sweeps in the last pass alone shake the stack of ten for ever, at 3 J, and the arch of fifteen.
#[test]
fn second_tries_shake_nothing() {
    for (scene, size) in [
        ("tall_stack", 8),
        ("tall_stack", 10),
        ("tall_stack", 20),
        ("arch", 15),
    ] {
        let desc = rb_scenes::scenes::scene(scene).expect("known").build(size);
        let mut params = Params::game();
        params.sleep.enabled = false;
        params.escalation.again_rows = 256;
        let (mut world, _) = desc.build(params).unwrap();
        let missed = (0..400).filter(|_| !world.step(DT).unwrap().met).count();
        let kinetic = world.energy().0;
        println!("{scene} {size}: {missed} of 400 steps missed, {kinetic:.0e} J");
        assert!(missed < 8 && kinetic < 0.1, "{scene} {size}");
    }
}

/// Where the same cubes lie on the same points in every step, lanes keep much from one step to the next; second tries
/// take their own, and leave nothing behind.
#[test]
fn second_tries_of_what_rests_leave_nothing_behind() {
    let mut params = Params::game();
    // No fast answer is this good.
    params.tolerances.velocity = 1e-14;
    params.escalation.budget = 0;
    let mut world = World::new(params).unwrap();
    floor(&mut world, 0.6, FrictionLaw::Conic);
    for k in 0..12 {
        let at = DVec3::new(4.0 * f64::from(k / 2), 0.5 + f64::from(k % 2), 0.0);
        cube(&mut world, at, 1.0);
    }
    for step in 0..40 {
        let mut restored = World::restore(&world.save().unwrap()).unwrap();
        restored.step(DT).unwrap();
        world.step(DT).unwrap();
        assert!(
            world.save().unwrap() == restored.save().unwrap(),
            "step {step}"
        );
    }
}

#[test]
fn a_heavy_load_does_not_wait_for_the_budget() {
    let mut params = Params::game();
    params.escalation.budget = 0;
    let mut world = World::new(params).unwrap();
    floor(&mut world, 0.6, FrictionLaw::Conic);
    cube(&mut world, DVec3::new(0.0, 0.5, 0.0), 1.0);
    cube(&mut world, DVec3::new(0.0, 1.5, 0.0), 100.0);
    let last = (0..10).map(|_| world.step(DT).unwrap().islands[0].reason);
    assert_eq!(last.last(), Some(Some(Reason::MassRatio)));
}

/// A tall stack needs more sweeps than it gets, though what they leave is within the tolerance.
#[test]
fn a_rigid_stack_is_not_swept_in_vain_in_every_step() {
    let mut world = World::new(Params::robotics()).unwrap();
    structures::ground(&mut world);
    structures::stack(&mut world, 30);
    let steps = 300;
    let sweeps: u32 = (0..steps)
        .map(|_| world.step(DT).unwrap().islands[0].iterations)
        .sum();
    assert!(sweeps < 200 * steps, "{} a step", sweeps / steps);
}

/// Contacts of what lies there are between two states, and redundant: methods for hard problems went on to ten thousand
/// iterations in five steps.
#[test]
fn a_ragdoll_that_lies_still_does_not_need_the_dear_methods() {
    let desc = rb_scenes::scene("ragdolls").expect("known").build(1);
    let mut params = Params::robotics();
    params.sleep.enabled = false;
    let (mut world, _) = desc.build(params).unwrap();
    let lying = (0..200).map(|_| {
        let report = world.step(DT).unwrap();
        let iterations: u32 = report.islands.iter().map(|i| i.iterations).sum();
        (iterations, report.residual)
    });
    let lying: Vec<(u32, f64)> = lying.skip(150).collect();
    let most = lying.iter().map(|l| l.0).max().unwrap();
    let worst = lying.iter().map(|l| l.1).fold(0.0, f64::max);
    println!("{most} iterations at most, {worst:.1e} m/s");
    assert!(most < 500 && worst < 1e-6, "{most} {worst}");
}
