//! A chain of light links with a heavy ball at its end, hanging still.

use super::Scene;
use crate::desc::{BodyDef, JointKind, SceneDesc, ShapeDef};
use glam::{Quat, Vec3};
use std::f32::consts::PI;

pub(super) const SCENE: Scene = Scene {
    name: "chain",
    size: 100,
    steps: 600,
    about: "20 links hanging still; size: mass of the end body over that of a link",
    fill,
};

const LINKS: usize = 20;
/// Distance of the joints (m).
const LENGTH: f32 = 0.5;

fn fill(scene: &mut SceneDesc, ratio: usize) {
    hang(scene, ratio, Vec3::NEG_Y);
}

/// Adds a chain of 1 kg links that leaves the origin along `direction` (unit), and `ratio` kg at
/// its end.
pub(super) fn hang(scene: &mut SceneDesc, ratio: usize, direction: Vec3) {
    let rot = Quat::from_rotation_arc(Vec3::NEG_Y, direction);
    let (half, radius) = (0.2, 0.05);
    let volume = PI * radius * radius * 2.0 * half + 4.0 / 3.0 * PI * radius * radius * radius;
    let link = ShapeDef::Capsule { half, radius };

    let mut last = scene.add(BodyDef::fixed(Vec3::ZERO, ShapeDef::Sphere(0.05)).ghost());
    let mut append = |pos: Vec3, shape: ShapeDef, density: f32, joint: Vec3| {
        let body = BodyDef::dynamic(pos, shape)
            .turned(rot)
            .ghost()
            .density(density);
        let id = scene.add(body);
        scene.join([last, id], joint, rot, JointKind::Ball);
        last = id;
    };
    for i in 0..LINKS {
        let middle = direction * (LENGTH * (i as f32 + 0.5));
        append(
            middle,
            link.clone(),
            1.0 / volume,
            direction * (LENGTH * i as f32),
        );
    }
    let (total, r) = (LENGTH * LINKS as f32, 0.25);
    let density = ratio as f32 / (4.0 / 3.0 * PI * r * r * r);
    append(
        direction * (total + r),
        ShapeDef::Sphere(r),
        density,
        direction * total,
    );
    scene.quality.chain = Some((last, total + r));
}
