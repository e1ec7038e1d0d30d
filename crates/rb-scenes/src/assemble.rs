//! What all descriptions are put together with.

use crate::desc::{BodyDef, JointDef, JointKind, Quality, SceneDesc, ShapeDef, ShapeInst};
use glam::{Quat, Vec3};
use rb_world::core::body::BodyKind;

/// Friction coefficient of every body.
const FRICTION: f32 = 0.6;
/// Density (kg/m³) unless a scene says otherwise.
pub(crate) const DENSITY: f32 = 1000.0;

impl ShapeInst {
    /// A shape of the usual density, placed in the body frame (m).
    pub(crate) fn placed(shape: ShapeDef, pos: Vec3, rot: Quat) -> Self {
        let density = DENSITY;
        Self {
            shape,
            pos,
            rot,
            density,
        }
    }
}

impl BodyDef {
    /// A body of one shape, at rest at `pos` (m).
    pub(crate) fn new(kind: BodyKind, pos: Vec3, shape: ShapeDef) -> Self {
        Self {
            kind,
            pos,
            rot: Quat::IDENTITY,
            linvel: Vec3::ZERO,
            angvel: Vec3::ZERO,
            shapes: vec![ShapeInst::placed(shape, Vec3::ZERO, Quat::IDENTITY)],
            friction: FRICTION,
            ghost: false,
            assembly: None,
        }
    }

    /// A dynamic body of one shape, at rest at `pos` (m).
    pub(crate) fn dynamic(pos: Vec3, shape: ShapeDef) -> Self {
        Self::new(BodyKind::Dynamic, pos, shape)
    }

    /// A static body of one shape at `pos` (m).
    pub(crate) fn fixed(pos: Vec3, shape: ShapeDef) -> Self {
        Self::new(BodyKind::Static, pos, shape)
    }

    /// Turns the body.
    pub(crate) fn turned(mut self, rot: Quat) -> Self {
        self.rot = rot;
        self
    }

    /// Density (kg/m³) of all its shapes.
    pub(crate) fn density(mut self, density: f32) -> Self {
        self.shapes.iter_mut().for_each(|s| s.density = density);
        self
    }

    /// Lets it pass through other ghosts.
    pub(crate) fn ghost(mut self) -> Self {
        self.ghost = true;
        self
    }

    /// A world frame in the body frame.
    fn local(&self, point: Vec3, frame: Quat) -> (Vec3, Quat) {
        let inverse = self.rot.inverse();
        (inverse * (point - self.pos), inverse * frame)
    }
}

impl SceneDesc {
    /// An empty scene under the gravity of the earth.
    pub(crate) fn empty(name: &str, size: usize, steps: usize) -> Self {
        Self {
            name: name.into(),
            size,
            gravity: Vec3::new(0.0, -9.81, 0.0),
            default_steps: steps,
            bodies: Vec::new(),
            joints: Vec::new(),
            quality: Quality::default(),
        }
    }

    /// Adds a body and returns its index.
    pub(crate) fn add(&mut self, body: BodyDef) -> usize {
        self.bodies.push(body);
        self.bodies.len() - 1
    }

    /// Adds a floor whose top is at y = 0, `extent` (m) to each side.
    pub(crate) fn add_ground(&mut self, extent: f32) {
        let slab = ShapeDef::Box([extent, 1.0, extent]);
        self.add(BodyDef::fixed(Vec3::new(0.0, -1.0, 0.0), slab));
    }

    /// Joins two bodies as they stand, at a world point (m) with a world frame.
    pub(crate) fn join(&mut self, [a, b]: [usize; 2], point: Vec3, frame: Quat, kind: JointKind) {
        let (pos_a, rot_a) = self.bodies[a].local(point, frame);
        let (pos_b, rot_b) = self.bodies[b].local(point, frame);
        self.joints.push(JointDef {
            a,
            b,
            pos_a,
            rot_a,
            pos_b,
            rot_b,
            kind,
        });
    }

    /// Indices of the dynamic bodies.
    pub fn dynamic(&self) -> impl Iterator<Item = usize> {
        let moves = |&i: &usize| self.bodies[i].kind == BodyKind::Dynamic;
        (0..self.bodies.len()).filter(moves)
    }
}
