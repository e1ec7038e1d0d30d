//! What sleeps takes its contacts along, and gets them back.

use rb_world::ContactPoint;
use rb_world::prelude::*;

const DT: f64 = 1.0 / 60.0;

/// Stacks of boxes side by side on a floor, each an island, which sleep once they have settled; the floor and the boxes,
/// stack by stack.
fn stacks() -> (World, BodyHandle, Vec<Vec<BodyHandle>>) {
    let mut params = Params::game();
    params.sleep.time = 3.0;
    let mut world = World::new(params).unwrap();
    let floor = world.add_body(BodyDesc::fixed()).unwrap();
    let plane = Shape::cuboid(DVec3::new(50.0, 1.0, 50.0)).unwrap();
    let plane = ColliderDesc::new(plane).translation(DVec3::NEG_Y);
    world.add_collider(floor, plane).unwrap();
    let stack = |x: usize| {
        let boxes = (0..4).map(|y| [2.0 * x as f64, 0.5 + y as f64, 0.0]);
        boxes.map(|at| add_box(&mut world, at)).collect()
    };
    let stacks = (0..3).map(stack).collect();
    (world, floor, stacks)
}

fn add_box(world: &mut World, at: [f64; 3]) -> BodyHandle {
    let body = world.add_body(BodyDesc::dynamic().at(at)).unwrap();
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let cube = ColliderDesc::new(cube).static_ratio(1.1);
    world.add_collider(body, cube).unwrap();
    body
}

fn sleeps(world: &World, body: BodyHandle) -> bool {
    world.body(body).unwrap().is_asleep()
}

/// Steps until everything sleeps, and a few steps more.
fn lull(world: &mut World) {
    for _ in 0..600 {
        let report = world.step(DT).unwrap();
        if report.awake == 0 {
            break;
        }
    }
    assert!(
        world
            .bodies()
            .all(|(_, b)| b.kind != BodyKind::Dynamic || b.is_asleep())
    );
    for _ in 0..3 {
        let report = world.step(DT).unwrap();
        assert!(world.events().contact_end.is_empty());
        assert_eq!([report.manifolds, report.contacts], [12, 48]);
    }
}

/// Contact points by pair and place, so that their order does not matter.
fn contacts(world: &World) -> Vec<ContactPoint> {
    let mut points: Vec<_> = world.contact_points().collect();
    let key = |p: &ContactPoint| {
        (
            p.colliders,
            p.position.to_array().map(|x| (x * 1e3).round() as i64),
        )
    };
    points.sort_by_key(key);
    points
}

#[test]
fn sleepers_show_their_contacts_and_carry_their_load() {
    let (mut world, floor, stacks) = stacks();
    lull(&mut world);
    let points = contacts(&world);
    assert_eq!(points.len(), 48);
    let weight = 9.81 * 1000.0;
    let floor = world.colliders_of(floor).unwrap()[0];
    let load: f64 = points
        .iter()
        .filter(|p| p.colliders.contains(&floor))
        .map(|p| p.force.y)
        .sum();
    assert!((load - 12.0 * weight).abs() < 5e-3 * load, "{load}");
    let supports = world.explain(stacks[1][0]).unwrap().supports;
    assert_eq!(supports.len(), 2);
    // Half as long a step, and the forces are the same.
    world.step(0.5 * DT).unwrap();
    for (p, q) in points.iter().zip(contacts(&world)) {
        assert!((p.force - q.force).length() < 1e-9 * weight);
        assert_eq!((p.position, p.normal, p.gap), (q.position, q.normal, q.gap));
    }
}

#[test]
fn a_stack_that_is_woken_goes_on_as_it_stood() {
    let (mut world, _, stacks) = stacks();
    lull(&mut world);
    let before: Vec<_> = stacks[0]
        .iter()
        .map(|b| world.position(*b).unwrap())
        .collect();
    world.wake(stacks[0][0]).unwrap();
    for _ in 0..10 {
        let report = world.step(DT).unwrap();
        assert!(world.events().contact_begin.is_empty() && world.events().contact_end.is_empty());
        assert!(report.met && report.awake == 4);
        assert_eq!([report.manifolds, report.contacts], [12, 48]);
    }
    for (body, before) in stacks[0].iter().zip(before) {
        assert!(world.position(*body).unwrap().distance(before) < 1e-5);
        assert!(!sleeps(&world, *body));
    }
    assert!(sleeps(&world, stacks[1][0]));
    lull(&mut world);
}

#[test]
fn what_is_hit_wakes_within_the_step_with_its_contacts() {
    let (mut world, _, stacks) = stacks();
    lull(&mut world);
    let top = world.position(stacks[2][3]).unwrap();
    let ball = world
        .add_body(
            BodyDesc::dynamic()
                .at(top + DVec3::Y * 1.0)
                .velocity([0.0, -1.0, 0.0]),
        )
        .unwrap();
    world
        .add_collider(ball, ColliderDesc::new(Shape::ball(0.25).unwrap()))
        .unwrap();
    let (mut lowest, mut woken) = (0.0f64, false);
    for _ in 0..60 {
        world.step(DT).unwrap();
        let now = world.velocity(stacks[2][3]).unwrap().lin.y;
        lowest = lowest.min(now);
        woken |= !sleeps(&world, stacks[2][0]);
        assert!(sleeps(&world, stacks[1][0]));
    }
    assert!(woken);
    // Without the boxes below it the top one would have been let go for a step.
    assert!(lowest > -0.1, "{lowest}");
}

#[test]
fn sleepers_lose_their_floor() {
    let (mut world, floor, stacks) = stacks();
    lull(&mut world);
    world.remove_body(floor).unwrap();
    world.step(DT).unwrap();
    assert_eq!(world.events().contact_end.len(), 3);
    for _ in 0..30 {
        world.step(DT).unwrap();
    }
    let fallen = stacks
        .iter()
        .flatten()
        .map(|b| world.velocity(*b).unwrap().lin.y);
    fallen.for_each(|v| assert!((v + 9.81 * 31.0 * DT).abs() < 1e-4, "{v}"));
}

#[test]
fn a_sleeping_world_goes_on_with_the_same_bits_after_a_snapshot() {
    let run = |restored: bool| {
        let (mut world, _, stacks) = stacks();
        lull(&mut world);
        if restored {
            world = World::restore(&world.save().unwrap()).unwrap();
        }
        world.step(DT).unwrap();
        world
            .apply_impulse(stacks[1][3], [200.0, 50.0, 30.0])
            .unwrap();
        if restored {
            world = World::restore(&world.save().unwrap()).unwrap();
        }
        for _ in 0..90 {
            world.step(DT).unwrap();
        }
        world.state_hash()
    };
    assert_eq!(run(false), run(true));
}

#[test]
fn a_heap_at_rest_holds_little() {
    let desc = rb_scenes::scene("box_drop").unwrap().build(8);
    let (mut world, bodies) = desc.build(Params::game()).unwrap();
    let each = |world: &World| world.memory_bytes() / bodies.len();
    let mut most = 0;
    for step in 0..3000 {
        let report = world.step(DT).unwrap();
        most = most.max(each(&world));
        if step > 60 && report.awake == 0 {
            break;
        }
    }
    world.step(DT).unwrap();
    assert_eq!(world.report().awake, 0);
    println!(
        "{} bytes each, {most} at most while they fell",
        each(&world)
    );
    assert!(each(&world) < 2048, "{} bytes each", each(&world));
}
