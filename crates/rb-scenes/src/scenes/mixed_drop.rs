//! Boxes, balls, capsules and boulders fall into one pile.

use super::Scene;
use crate::desc::{BodyDef, SceneDesc};
use crate::hull::mixed_shapes;
use crate::random::Random;
use glam::Vec3;

pub(super) const SCENE: Scene = Scene {
    name: "mixed_drop",
    size: 10,
    steps: 480,
    about: "size n: n x n x 2n bodies of four shapes falling into a pile",
    fill,
};

/// Distance of neighbours (m).
const PITCH: f32 = 1.2;

fn fill(scene: &mut SceneDesc, n: usize) {
    scene.add_ground(400.0);
    let mut random = Random::new(7);
    let shapes = mixed_shapes();
    let middle = 0.5 * (n as f32 - 1.0);
    for y in 0..2 * n {
        for x in 0..n {
            for z in 0..n {
                let pos = Vec3::new(
                    (x as f32 - middle) * PITCH + 0.1 * random.signed(),
                    1.0 + y as f32 * PITCH,
                    (z as f32 - middle) * PITCH + 0.1 * random.signed(),
                );
                let shape = shapes[(x + y + z) % 4].clone();
                scene.add(BodyDef::dynamic(pos, shape).turned(random.rotation()));
            }
        }
    }
}
