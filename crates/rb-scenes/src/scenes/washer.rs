//! Boxes tumble in a turning drum with paddles: a kinematic body of many shapes.
//!
//! After the `washer` benchmark of Box3D, scaled so that it is always filled alike.

use super::Scene;
use crate::desc::{BodyDef, SceneDesc, ShapeDef, ShapeInst};
use crate::turn::about_z;
use glam::{Quat, Vec3};
use rb_world::core::body::BodyKind;
use std::f32::consts::PI;

pub(super) const SCENE: Scene = Scene {
    name: "washer",
    size: 12,
    steps: 600,
    about: "size n: n^3 boxes in a drum that turns at 25 degrees per second",
    fill,
};

const SEGMENTS: usize = 36;
/// One paddle for so many segments.
const PADDLE_EVERY: usize = 9;
/// Half the edge of a box (m).
const HALF: f32 = 0.2;

fn fill(scene: &mut SceneDesc, n: usize) {
    scene.add(drum(n as f32 / 20.0));
    let middle = 0.5 * (n as f32 - 1.0);
    for x in 0..n {
        for y in 0..n {
            for z in 0..n {
                let place = Vec3::new(x as f32 - middle, y as f32 - middle, z as f32 - middle);
                let pos = place * (4.0 * HALF);
                scene.add(BodyDef::dynamic(pos, ShapeDef::Box([HALF; 3])));
            }
        }
    }
}

/// A drum along z with an inner radius of 16 `scale` (m).
fn drum(scale: f32) -> BodyDef {
    let [tip, inner, outer, depth] = [14.0, 16.0, 18.0, 10.0].map(|r| r * scale);
    let tangential = outer * libm::tanf(PI / SEGMENTS as f32);
    let mut shapes = Vec::new();
    for i in 0..SEGMENTS {
        let rot = about_z((i as f32 + 0.5) * 2.0 * PI / SEGMENTS as f32);
        let mut plate = |from: f32, to: f32, width: f32| {
            let shape = ShapeDef::Box([0.5 * (to - from), width, depth]);
            let pos = rot * Vec3::new(0.5 * (from + to), 0.0, 0.0);
            shapes.push(ShapeInst::placed(shape, pos, rot));
        };
        plate(inner, outer, tangential);
        if i % PADDLE_EVERY == 0 {
            plate(tip, inner, 0.5 * tangential);
        }
    }
    for side in [-1.0, 1.0] {
        let lid = ShapeDef::Box([outer, outer, 0.5]);
        let pos = Vec3::new(0.0, 0.0, side * (depth + 0.5));
        shapes.push(ShapeInst::placed(lid, pos, Quat::IDENTITY));
    }
    BodyDef {
        angvel: Vec3::new(0.0, 0.0, 25f32.to_radians()),
        shapes,
        ..BodyDef::new(BodyKind::Kinematic, Vec3::ZERO, ShapeDef::Sphere(outer))
    }
}
