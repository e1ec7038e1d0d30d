//! A house of cards: it stands by friction alone.

use super::Scene;
use crate::desc::{BodyDef, SceneDesc, ShapeDef};
use crate::turn::about_z;
use glam::Vec3;

pub(super) const SCENE: Scene = Scene {
    name: "card_house",
    size: 4,
    steps: 600,
    about: "a house of cards leaning by 20 degrees; size: levels",
    fill,
};

const LENGTH: f32 = 2.0;
const THICKNESS: f32 = 0.05;
const WIDTH: f32 = 1.2;
/// Gap between neighbouring tents (m).
const GAP: f32 = 0.02;

fn fill(scene: &mut SceneDesc, levels: usize) {
    scene.add_ground(100.0);
    let lean = 20f32.to_radians();
    let (sin, cos) = libm::sincosf(lean);
    let pitch = 2.0 * (LENGTH * sin + THICKNESS * cos) + GAP;
    let rise = 0.5 * THICKNESS * sin + 0.5 * LENGTH * cos;
    let reach = 0.5 * THICKNESS * cos + 0.5 * LENGTH * sin;

    let mut base = 0.0;
    for level in 0..levels {
        let tents = levels - level;
        let first = -0.5 * pitch * (tents as f32 - 1.0);
        for tent in 0..tents {
            let apex = first + tent as f32 * pitch;
            add_tent(scene, Vec3::new(apex, base + rise, 0.0), reach, lean);
        }
        let top = base + 2.0 * rise;
        for gap in 0..tents - 1 {
            let x = first + (gap as f32 + 0.5) * pitch;
            add_roof(scene, Vec3::new(x, top + 0.5 * THICKNESS, 0.0), pitch);
        }
        base = top + THICKNESS;
    }
    let last = scene.bodies.len() - 1;
    scene.quality.tops = vec![last - 1, last];
    scene.quality.stand_limit = Some(0.3);
}

/// Two cards that lean on each other, centred `reach` to each side of `middle` (m).
fn add_tent(scene: &mut SceneDesc, middle: Vec3, reach: f32, lean: f32) {
    let card = ShapeDef::Box([0.5 * THICKNESS, 0.5 * LENGTH, 0.5 * WIDTH]);
    for side in [-1.0, 1.0] {
        let pos = Vec3::new(middle.x + side * reach, middle.y, middle.z);
        scene.add(BodyDef::dynamic(pos, card.clone()).turned(about_z(side * lean)));
    }
}

/// A card that lies on two tents.
fn add_roof(scene: &mut SceneDesc, middle: Vec3, pitch: f32) {
    let card = ShapeDef::Box([0.5 * pitch - 0.005, 0.5 * THICKNESS, 0.5 * WIDTH]);
    scene.add(BodyDef::dynamic(middle, card));
}
