//! One wall of boxes in the shape of a pyramid: a single island, many boxes deep.
//!
//! After the `large_pyramid` benchmark of Box3D.

use super::Scene;
use crate::desc::{BodyDef, SceneDesc, ShapeDef};
use glam::Vec3;

pub(super) const SCENE: Scene = Scene {
    name: "large_pyramid",
    size: 50,
    steps: 300,
    about: "a wall of boxes; size: boxes in the bottom row",
    fill,
};

fn fill(scene: &mut SceneDesc, base: usize) {
    scene.add_ground(400.0);
    let top = add_pyramid(scene, base, Vec3::ZERO);
    scene.quality.tops = vec![top];
    scene.quality.stand_limit = Some(1.0);
}

/// Adds a pyramid of 1 m boxes (100 kg/m³) over the ground point `at` (m); returns the top box.
pub(super) fn add_pyramid(scene: &mut SceneDesc, base: usize, at: Vec3) -> usize {
    let h = 0.5;
    let mut top = 0;
    for row in 0..base {
        let y = (2.0 * row as f32 + 1.0) * h;
        for column in row..base {
            let x = (row as f32 + 1.0) * h + 2.0 * (column - row) as f32 * h - h * base as f32;
            let pos = Vec3::new(x + at.x, y, at.z);
            top = scene.add(BodyDef::dynamic(pos, ShapeDef::Box([h; 3])).density(100.0));
        }
    }
    top
}
