//! Tilted boxes in shifted layers fall into one pile.
//!
//! After the `boxes3` benchmark of Rapier, but tilted, so that they end as a pile and not as
//! columns.

use super::Scene;
use crate::desc::{BodyDef, SceneDesc, ShapeDef};
use crate::random::Random;
use crate::turn::yaw_pitch_roll;
use glam::Vec3;
use std::f32::consts::PI;

pub(super) const SCENE: Scene = Scene {
    name: "box_drop",
    size: 10,
    steps: 480,
    about: "size n: n x n x 2n boxes falling into a pile",
    fill,
};

/// Distance of neighbours (m).
const PITCH: f32 = 1.45;

fn fill(scene: &mut SceneDesc, n: usize) {
    scene.add_ground(400.0);
    let mut random = Random::new(7);
    let middle = 0.5 * (n as f32 - 1.0);
    for y in 0..2 * n {
        let shift = 0.5 * PITCH * (y % 2) as f32;
        for x in 0..n {
            for z in 0..n {
                let pos = Vec3::new(
                    (x as f32 - middle) * PITCH + shift + 0.1 * random.signed(),
                    1.0 + y as f32 * PITCH,
                    (z as f32 - middle) * PITCH + shift + 0.1 * random.signed(),
                );
                let yaw = PI * random.signed();
                let pitch = 0.25 * random.signed();
                let rot = yaw_pitch_roll(yaw, pitch, 0.25 * random.signed());
                scene.add(BodyDef::dynamic(pos, ShapeDef::Box([0.5; 3])).turned(rot));
            }
        }
    }
}
