//! The chain of `chain`, released at 60 degrees: energy must not grow.

use super::Scene;
use super::chain::hang;
use crate::desc::SceneDesc;
use glam::Vec3;

pub(super) const SCENE: Scene = Scene {
    name: "chain_swing",
    size: 100,
    steps: 600,
    about: "20 links released at 60 degrees; size: mass of the end body over that of a link",
    fill,
};

fn fill(scene: &mut SceneDesc, ratio: usize) {
    let (sin, cos) = libm::sincosf(60f32.to_radians());
    hang(scene, ratio, Vec3::new(sin, -cos, 0.0));
    scene.quality.energy = true;
}
