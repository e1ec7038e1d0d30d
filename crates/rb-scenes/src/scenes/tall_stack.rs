//! Boxes on top of one another: the longest path a weight can take to the ground.

use super::Scene;
use crate::desc::{BodyDef, SceneDesc, ShapeDef};
use glam::Vec3;

pub(super) const SCENE: Scene = Scene {
    name: "tall_stack",
    size: 30,
    steps: 600,
    about: "size: boxes on top of one another",
    fill,
};

fn fill(scene: &mut SceneDesc, count: usize) {
    scene.add_ground(100.0);
    for i in 0..count {
        let pos = Vec3::new(0.0, 0.5 + i as f32, 0.0);
        let id = scene.add(BodyDef::dynamic(pos, ShapeDef::Box([0.5; 3])));
        scene.quality.tops = vec![id];
    }
    scene.quality.stand_limit = Some(1.0);
}
