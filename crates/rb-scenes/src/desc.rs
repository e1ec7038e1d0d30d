//! Description of a scene that no engine owns; also a file format (JSON through serde).
//!
//! Numbers are f32, as in the engines it was made for; vectors serialise as `[x, y, z]`,
//! quaternions as `[x, y, z, w]`, shapes and joints under the name of their kind.

use glam::{Quat, Vec3};
use rb_world::core::body::BodyKind;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A triangle mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeshDef {
    /// Vertices (m).
    pub vertices: Vec<[f32; 3]>,
    /// Vertex indices, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// A shape in its own frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ShapeDef {
    /// Box by its half extents (m).
    Box([f32; 3]),
    /// Ball by its radius (m).
    Sphere(f32),
    /// Capsule along y.
    Capsule {
        /// Half the length of the cylindrical part (m).
        half: f32,
        /// Radius (m).
        radius: f32,
    },
    /// Convex hull of points (m), given relative to the centroid of the solid hull.
    Hull(Arc<Vec<[f32; 3]>>),
    /// Triangle mesh of a static body.
    Mesh(Arc<MeshDef>),
}

/// A shape on a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShapeInst {
    /// The shape.
    pub shape: ShapeDef,
    /// Place in the body frame (m).
    pub pos: Vec3,
    /// Attitude in the body frame.
    pub rot: Quat,
    /// Density (kg/m³).
    pub density: f32,
}

/// A body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyDef {
    /// How it moves.
    pub kind: BodyKind,
    /// Position of the body frame (m); for a dynamic body this is its centre of mass.
    pub pos: Vec3,
    /// Attitude.
    pub rot: Quat,
    /// Velocity (m/s).
    pub linvel: Vec3,
    /// Angular velocity (rad/s), world axes.
    pub angvel: Vec3,
    /// Its shapes.
    pub shapes: Vec<ShapeInst>,
    /// Friction coefficient of all of them; two bodies of equal friction meet with that friction.
    pub friction: f32,
    /// Ghosts never collide with one another, only with others.
    pub ghost: bool,
    /// Assembly (ragdoll) and part of it, for engines that filter collisions by assembly.
    pub assembly: Option<(u32, u32)>,
}

/// Kind of a joint; z is the axis of its frames.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum JointKind {
    /// All rotations free.
    Ball,
    /// Rotations within a cone and a symmetric twist.
    Cone {
        /// Largest angle between the z axes (rad).
        swing: f32,
        /// Largest twist about z to either side (rad).
        twist: f32,
    },
    /// Rotation about z, the angle of b relative to a.
    Hinge {
        /// Lowest angle (rad).
        lo: f32,
        /// Highest angle (rad).
        hi: f32,
    },
}

/// A joint between two bodies, which then do not collide with each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointDef {
    /// Index of the first body.
    pub a: usize,
    /// Index of the second body.
    pub b: usize,
    /// Anchor in the frame of a (m).
    pub pos_a: Vec3,
    /// Joint frame in the frame of a.
    pub rot_a: Quat,
    /// Anchor in the frame of b (m).
    pub pos_b: Vec3,
    /// Joint frame in the frame of b.
    pub rot_b: Quat,
    /// What it leaves free.
    pub kind: JointKind,
}

/// What to look at when judging a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// Bodies that must stay where they are.
    pub tops: Vec<usize>,
    /// A structure stands as long as no body has moved farther than this (m).
    pub stand_limit: Option<f32>,
    /// End body and length (m) of a chain that hangs from the origin.
    pub chain: Option<(usize, f32)>,
    /// Whether energy should be conserved.
    pub energy: bool,
}

/// A scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneDesc {
    /// Name of the registered scene.
    pub name: String,
    /// Size it was built with.
    pub size: usize,
    /// Gravity (m/s²).
    pub gravity: Vec3,
    /// Steps of 1/60 s that tell enough of it.
    pub default_steps: usize,
    /// Bodies.
    pub bodies: Vec<BodyDef>,
    /// Joints.
    pub joints: Vec<JointDef>,
    /// How to judge a run.
    pub quality: Quality,
}
