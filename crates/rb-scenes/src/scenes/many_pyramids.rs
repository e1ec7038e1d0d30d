//! A field of small pyramids: many islands of equal size.
//!
//! After the `many_pyramids` benchmark of Box3D.

use super::Scene;
use super::large_pyramid::add_pyramid;
use crate::desc::SceneDesc;
use glam::Vec3;

pub(super) const SCENE: Scene = Scene {
    name: "many_pyramids",
    size: 8,
    steps: 300,
    about: "pyramids of 55 boxes; size: pyramids along each side of the field",
    fill,
};

/// Boxes in the bottom row of each pyramid.
const BASE: usize = 10;

fn fill(scene: &mut SceneDesc, side: usize) {
    scene.add_ground(400.0);
    let middle = side as f32 * 0.5;
    for row in 0..side {
        for column in 0..side {
            let x = (column as f32 - middle) * 11.0;
            let z = (row as f32 - middle) * 10.0;
            let top = add_pyramid(scene, BASE, Vec3::new(x, 0.0, z));
            scene.quality.tops.push(top);
        }
    }
    scene.quality.stand_limit = Some(1.0);
}
