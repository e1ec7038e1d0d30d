//! Ragdolls of eleven bodies fall in layers: cone and hinge joints at their limits, with contacts.
//!
//! After the `ragdolls3` benchmark of Rapier and the ragdoll of Jolt.

use super::Scene;
use crate::desc::{BodyDef, JointKind, SceneDesc, ShapeDef};
use crate::random::Random;
use crate::turn::{about_x, about_y, about_z};
use glam::{Quat, Vec3};
use std::f32::consts::{FRAC_PI_2, PI};

pub(super) const SCENE: Scene = Scene {
    name: "ragdolls",
    size: 64,
    steps: 480,
    about: "size: ragdolls of 11 bodies dropped on the ground",
    fill,
};

fn fill(scene: &mut SceneDesc, count: usize) {
    scene.add_ground(200.0);
    let side = ((count as f32 / 4.0).sqrt().ceil() as usize).max(1);
    let mut random = Random::new(3);
    for i in 0..count {
        let (x, z, layer) = (i % side, (i / side) % side, i / (side * side));
        let at = Vec3::new(
            (x as f32 - 0.5 * side as f32) * 1.3,
            0.6 + 2.0 * layer as f32,
            (z as f32 - 0.5 * side as f32) * 1.3,
        );
        let turn = about_y(random.unit() * 2.0 * PI);
        add_ragdoll(scene, i as u32, at, turn);
    }
}

/// Adds a ragdoll that stands at `at` (m); its pelvis is the first of its 11 bodies.
pub(crate) fn add_ragdoll(scene: &mut SceneDesc, group: u32, at: Vec3, turn: Quat) {
    Ragdoll {
        scene,
        group,
        at,
        turn,
        parts: 0,
    }
    .add();
}

/// A ragdoll under construction, its feet at `at` (m), looking along z before it is turned.
struct Ragdoll<'a> {
    scene: &'a mut SceneDesc,
    group: u32,
    at: Vec3,
    turn: Quat,
    parts: u32,
}

impl Ragdoll<'_> {
    fn add(mut self) {
        let along_x = about_z(-FRAC_PI_2);
        let pelvis = self.limb([0.0, 1.05, 0.0], 0.10, 0.12, along_x);
        let chest = self.limb([0.0, 1.35, 0.0], 0.12, 0.14, along_x);
        let head = self.limb([0.0, 1.66, 0.0], 0.0, 0.12, Quat::IDENTITY);
        let sides = [-1.0f32, 1.0];
        let mut pair = |x: f32, upper: [f32; 3], lower: [f32; 3]| {
            let mut bone =
                |[y, half, radius]: [f32; 3]| self.limb([x, y, 0.0], half, radius, Quat::IDENTITY);
            [bone(upper), bone(lower)]
        };
        let arms = sides.map(|k| pair(k * 0.33, [1.25, 0.13, 0.05], [0.90, 0.12, 0.045]));
        let legs = sides.map(|k| pair(k * 0.10, [0.78, 0.18, 0.07], [0.29, 0.18, 0.055]));

        // Frames whose z points up and down the limbs.
        let (up, down) = (about_x(-FRAC_PI_2), about_x(FRAC_PI_2));
        let cone = |swing: f32, twist: f32| JointKind::Cone { swing, twist };
        self.join([pelvis, chest], [0.0, 1.20, 0.0], up, cone(0.4, 0.4));
        self.join([chest, head], [0.0, 1.52, 0.0], up, cone(0.6, 0.8));
        for (k, (arm, leg)) in sides.into_iter().zip(arms.into_iter().zip(legs)) {
            self.join([chest, arm[0]], [k * 0.27, 1.42, 0.0], down, cone(1.3, 0.6));
            self.hinge(arm, [k * 0.33, 1.07, 0.0], -2.4, 0.0);
            self.join(
                [pelvis, leg[0]],
                [k * 0.10, 0.98, 0.0],
                down,
                cone(1.0, 0.5),
            );
            self.hinge(leg, [k * 0.10, 0.53, 0.0], 0.0, 2.4);
        }
    }

    /// Adds a capsule (a ball without length) at a place of the standing figure (m).
    fn limb(&mut self, place: [f32; 3], half: f32, radius: f32, rot: Quat) -> usize {
        let shape = match half > 0.0 {
            true => ShapeDef::Capsule { half, radius },
            false => ShapeDef::Sphere(radius),
        };
        let mut body = BodyDef::dynamic(self.point(place), shape).turned(self.turn);
        body.shapes[0].rot = rot;
        body.assembly = Some((self.group, self.parts));
        self.parts += 1;
        self.scene.add(body)
    }

    fn join(&mut self, bodies: [usize; 2], place: [f32; 3], frame: Quat, kind: JointKind) {
        let (point, frame) = (self.point(place), self.turn * frame);
        self.scene.join(bodies, point, frame, kind);
    }

    /// A knee or elbow: turns about x.
    fn hinge(&mut self, bodies: [usize; 2], place: [f32; 3], lo: f32, hi: f32) {
        let axis = about_y(FRAC_PI_2);
        self.join(bodies, place, axis, JointKind::Hinge { lo, hi });
    }

    fn point(&self, place: [f32; 3]) -> Vec3 {
        self.at + self.turn * Vec3::from_array(place)
    }
}
