//! Small steps stay on the calling thread, whatever pool the world has.

use rb_world::prelude::*;
use std::sync::{Arc, Mutex};
use std::thread::{ThreadId, current};

/// Notes who asks.
#[derive(Default)]
struct Asked(Mutex<Vec<ThreadId>>);

impl Hooks for Asked {
    fn may_touch(&self, _colliders: [ColliderHandle; 2], _bodies: [BodyHandle; 2]) -> bool {
        self.0.lock().unwrap().push(current().id());
        true
    }
}

/// A heap of boxes whose steps are never too small for a pool.
fn heap() -> World {
    let mut world = World::new(Params::game()).unwrap();
    world.set_parallel_threshold(0);
    let floor = world.add_body(BodyDesc::fixed()).unwrap();
    let slab = Shape::cuboid(DVec3::new(20.0, 0.5, 20.0)).unwrap();
    world.add_collider(floor, ColliderDesc::new(slab)).unwrap();
    for k in 0..80 {
        let (x, y, z) = (k % 5, k / 20, k / 5 % 4);
        let at = DVec3::new(0.9 * x as f64, 1.1 + 1.2 * y as f64, 0.9 * z as f64);
        let body = world.add_body(BodyDesc::dynamic().at(at)).unwrap();
        let shape = Shape::cuboid(DVec3::splat(0.5)).unwrap();
        world.add_collider(body, ColliderDesc::new(shape)).unwrap();
    }
    world
}

/// Where everything is after some steps.
fn course(mut world: World) -> Vec<DVec3> {
    for _ in 0..60 {
        world.step(1.0 / 60.0).unwrap();
    }
    world.bodies().map(|(_, b)| b.com).collect()
}

#[test]
fn whose_threads_they_are_makes_no_difference() {
    let with = |threads: usize| {
        let mut world = heap();
        world.set_threads(threads).unwrap();
        world
    };
    let alone = course(with(1));
    assert_eq!(alone, course(heap()), "the surrounding pool, from outside");
    assert_eq!(alone, course(with(3)));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    let pool = pool.unwrap();
    assert_eq!(alone, pool.install(|| course(heap())), "from within");
    let (a, b) = pool.install(|| rayon::join(|| course(with(2)), || course(heap())));
    assert_eq!([&a, &b], [&alone; 2], "two worlds side by side");
}

/// Panics when it is asked.
struct Fails;

impl Hooks for Fails {
    fn may_touch(&self, _colliders: [ColliderHandle; 2], _bodies: [BodyHandle; 2]) -> bool {
        panic!("as told")
    }
}

#[test]
fn threads_that_wait_are_let_go_when_a_hook_panics() {
    let mut world = heap();
    world.set_threads(2).unwrap();
    world.set_hooks(Arc::new(Fails));
    let step = std::panic::AssertUnwindSafe(|| world.step(1.0 / 60.0));
    assert!(std::panic::catch_unwind(step).is_err());
    world.set_hooks(Arc::new(Asked::default()));
    world.step(1.0 / 60.0).unwrap();
}

/// Whether a box on a floor is stepped by the calling thread alone.
fn stays(threshold: Option<usize>) -> bool {
    let mut world = World::new(Params::game()).unwrap();
    let asked = Arc::new(Asked::default());
    world.set_hooks(asked.clone());
    world.set_threads(2).unwrap();
    if let Some(work) = threshold {
        world.set_parallel_threshold(work);
    }
    let unit = || Shape::cuboid(DVec3::splat(0.5)).unwrap();
    for (body, y) in [(BodyDesc::fixed(), 0.0), (BodyDesc::dynamic(), 1.0)] {
        let body = world.add_body(body.at([0.0, y, 0.0])).unwrap();
        world.add_collider(body, ColliderDesc::new(unit())).unwrap();
    }
    world.step(1.0 / 60.0).unwrap();
    let asked = asked.0.lock().unwrap();
    assert!(!asked.is_empty());
    asked.iter().all(|id| *id == current().id())
}

#[test]
fn small_steps_stay_with_the_caller() {
    assert!(stays(None));
    assert!(!stays(Some(0)), "a step of its pool");
}
