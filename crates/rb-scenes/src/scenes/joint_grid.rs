//! A cloth of balls and ball joints hung by its top row: loops of joints, no contacts.
//!
//! After the `joint_grid` benchmark of Box3D.

use super::Scene;
use crate::desc::{BodyDef, JointKind, SceneDesc, ShapeDef};
use glam::{Quat, Vec3};

pub(super) const SCENE: Scene = Scene {
    name: "joint_grid",
    size: 40,
    steps: 300,
    about: "size n: n x n balls joined by ball joints, the top row fixed",
    fill,
};

fn fill(scene: &mut SceneDesc, n: usize) {
    let ball = ShapeDef::Sphere(0.4);
    for column in 0..n {
        for row in 0..n {
            let at = Vec3::new(column as f32, -(row as f32), 0.0);
            if row == 0 {
                scene.add(BodyDef::fixed(at, ball.clone()).ghost());
                continue;
            }
            let id = scene.add(BodyDef::dynamic(at, ball.clone()).ghost());
            let mut join = |other: usize, toward: Vec3| {
                scene.join([other, id], at + toward, Quat::IDENTITY, JointKind::Ball);
            };
            join(id - 1, Vec3::new(0.0, 0.5, 0.0));
            if column > 0 {
                join(id - n, Vec3::new(-0.5, 0.0, 0.0));
            }
        }
    }
}
