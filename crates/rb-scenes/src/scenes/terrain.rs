//! Bodies of four shapes fall on rolling hills, a triangle mesh of 100 x 100 cells.
//!
//! After the `ConvexVsMesh` benchmark of Jolt.

use super::Scene;
use crate::desc::{BodyDef, MeshDef, SceneDesc, ShapeDef};
use crate::hull::mixed_shapes;
use crate::random::Random;
use glam::Vec3;
use std::sync::Arc;

pub(super) const SCENE: Scene = Scene {
    name: "terrain",
    size: 1000,
    steps: 480,
    about: "size: bodies of four shapes falling on a triangle mesh",
    fill,
};

/// Cells of 1 m along each side.
const CELLS: u32 = 100;

fn fill(scene: &mut SceneDesc, count: usize) {
    scene.add(BodyDef::fixed(
        Vec3::ZERO,
        ShapeDef::Mesh(Arc::new(hills())),
    ));
    let shapes = mixed_shapes();
    let mut random = Random::new(11);
    let side = ((count as f32 / 4.0).sqrt().ceil() as usize).max(1);
    let places = (0..).flat_map(|y| (0..side).flat_map(move |x| (0..side).map(move |z| (x, y, z))));
    for (x, y, z) in places.take(count) {
        let pos = Vec3::new(
            (x as f32 - 0.5 * side as f32) * 1.8 + 0.1 * random.signed(),
            3.0 + 1.5 * y as f32,
            (z as f32 - 0.5 * side as f32) * 1.8 + 0.1 * random.signed(),
        );
        let shape = shapes[(x + y + z) % 4].clone();
        scene.add(BodyDef::dynamic(pos, shape).turned(random.rotation()));
    }
}

fn hills() -> MeshDef {
    let half = 0.5 * CELLS as f32;
    let height = |x: f32, z: f32| 1.5 * libm::sinf(x * 0.5) * libm::cosf(z * 0.5);
    let corner = |(i, j): (u32, u32)| {
        let (x, z) = (i as f32 - half, j as f32 - half);
        [x, height(x, z), z]
    };
    let grid = |n: u32| (0..n).flat_map(move |i| (0..n).map(move |j| (i, j)));
    let cell = |(i, j): (u32, u32)| {
        let width = CELLS + 1;
        let first = i * width + j;
        let next = first + width;
        [[first, first + 1, next], [next, first + 1, next + 1]]
    };
    MeshDef {
        vertices: grid(CELLS + 1).map(corner).collect(),
        triangles: grid(CELLS).flat_map(cell).collect(),
    }
}
