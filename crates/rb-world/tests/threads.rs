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
