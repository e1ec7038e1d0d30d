//! A semicircular arch of loose stones; it stands as long as its thickness is above 0.107 radii.
//!
//! Source: J. Heyman, "The safety of masonry arches", 1969.

use super::Scene;
use crate::desc::{BodyDef, SceneDesc};
use crate::hull::centred;
use glam::Vec3;
use std::f32::consts::PI;

pub(super) const SCENE: Scene = Scene {
    name: "arch",
    size: 21,
    steps: 600,
    about: "a semicircular arch, thickness / radius 0.2; size: stones",
    fill,
};

/// Inner and outer radius (m).
const RADII: [f32; 2] = [4.5, 5.5];
/// Half the depth along z (m).
const DEPTH: f32 = 0.5;

fn fill(scene: &mut SceneDesc, stones: usize) {
    scene.add_ground(100.0);
    let step = PI / stones as f32;
    for i in 0..stones {
        let (stone, centroid) = centred(&wedge(i as f32 * step, (i as f32 + 1.0) * step));
        let id = scene.add(BodyDef::dynamic(centroid, stone));
        if i == stones / 2 {
            scene.quality.tops = vec![id];
        }
    }
    scene.quality.stand_limit = Some(0.5);
}

/// Corners of the stone between two angles (rad from the ground).
fn wedge(from: f32, to: f32) -> Vec<Vec3> {
    let mut corners = Vec::with_capacity(8);
    for angle in [from, to] {
        for r in RADII {
            for z in [-DEPTH, DEPTH] {
                corners.push(Vec3::new(r * libm::cosf(angle), r * libm::sinf(angle), z));
            }
        }
    }
    corners
}
