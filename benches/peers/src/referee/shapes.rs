//! The shapes of a scene, as parry knows them.

use crate::engines::State;
use anyhow::Context;
use glam::{DQuat, DVec3, Quat, Vec3};
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Pose;
use parry3d_f64::shape::SharedShape;
use rb_scenes::{SceneDesc, ShapeDef};
use std::fmt;

/// A shape of a body.
pub(super) struct Part {
    /// Index of the body.
    pub(super) body: usize,
    /// Place in the body frame.
    pub(super) local: Pose,
    pub(super) shape: SharedShape,
    /// Density (kg/m³).
    pub(super) density: f64,
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of body {}", self.shape.shape_type(), self.body)
    }
}

impl Part {
    /// Place in the world.
    pub(super) fn place(&self, states: &[State]) -> Pose {
        let state = &states[self.body];
        Pose::from_parts(state.pos, state.rot) * self.local
    }

    /// Bounds in world axes (m).
    pub(super) fn bounds(&self, states: &[State]) -> Aabb {
        self.shape.compute_aabb(&self.place(states))
    }
}

/// All shapes of a scene.
pub(super) fn parts(scene: &SceneDesc) -> anyhow::Result<Vec<Part>> {
    let mut parts = Vec::new();
    for (body, def) in scene.bodies.iter().enumerate() {
        for part in &def.shapes {
            parts.push(Part {
                body,
                local: Pose::from_parts(part.pos.as_dvec3(), unit(part.rot)),
                shape: shape(&part.shape)?,
                density: f64::from(part.density),
            });
        }
    }
    Ok(parts)
}

/// A rotation in f64, of unit length again.
fn unit(q: Quat) -> DQuat {
    q.as_dquat().normalize()
}

fn shape(def: &ShapeDef) -> anyhow::Result<SharedShape> {
    let points = |p: &[[f32; 3]]| -> Vec<DVec3> {
        let widen = |p: &[f32; 3]| Vec3::from_array(*p).as_dvec3();
        p.iter().map(widen).collect()
    };
    Ok(match def {
        ShapeDef::Box(half) => {
            let [x, y, z] = half.map(f64::from);
            SharedShape::cuboid(x, y, z)
        }
        ShapeDef::Sphere(radius) => SharedShape::ball(f64::from(*radius)),
        ShapeDef::Capsule { half, radius } => {
            SharedShape::capsule_y(f64::from(*half), f64::from(*radius))
        }
        ShapeDef::Hull(hull) => {
            SharedShape::convex_hull(&points(hull)).context("the referee refuses a hull")?
        }
        ShapeDef::Mesh(mesh) => {
            SharedShape::trimesh(points(&mesh.vertices), mesh.triangles.clone())?
        }
    })
}
