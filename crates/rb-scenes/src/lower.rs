//! From a description to a world.

use crate::desc::{BodyDef, JointDef, JointKind, SceneDesc, ShapeDef, ShapeInst};
use glam::{DVec3, Quat, Vec3};
use rb_world::core::Result;
use rb_world::joint::Drive;
use rb_world::prelude::*;

/// Group of bodies that do not collide with one another.
const GHOSTS: CollisionGroups = CollisionGroups {
    memberships: 2,
    filter: !2,
};

impl SceneDesc {
    /// A world with the bodies of this scene, their handles in the same order.
    ///
    /// Gravity is the scene's, everything else as `params` says. Restitution is 0, nothing is
    /// damped, joined bodies do not collide.
    ///
    /// # Errors
    /// A number in the description or in `params` that the world refuses, by name.
    pub fn build(&self, params: Params) -> Result<(World, Vec<BodyHandle>)> {
        let mut world = World::new(Params {
            gravity: self.gravity.as_dvec3(),
            ..params
        })?;
        let bodies = self.add_to(&mut world)?;
        Ok((world, bodies))
    }

    /// Adds the bodies and joints of this scene to a world; returns the bodies' handles in order.
    ///
    /// # Errors
    /// A number in the description that the world refuses, by name.
    pub fn add_to(&self, world: &mut World) -> Result<Vec<BodyHandle>> {
        let mut shapes = Shapes::default();
        let add = |body| add_body(world, body, &mut shapes);
        let bodies = self.bodies.iter().map(add).collect::<Result<Vec<_>>>()?;
        for joint in &self.joints {
            add_joint(world, &bodies, joint)?;
        }
        Ok(bodies)
    }
}

/// Hulls and meshes made so far: equal ones are kept once, so that bodies of one kind share their memory.
#[derive(Default)]
struct Shapes<'a>(Vec<(&'a ShapeDef, Shape)>);

impl<'a> Shapes<'a> {
    fn get(&mut self, def: &'a ShapeDef) -> Result<Shape> {
        if !matches!(def, ShapeDef::Hull(_) | ShapeDef::Mesh(_)) {
            return shape(def);
        }
        if let Some((_, known)) = self.0.iter().find(|(known, _)| *known == def) {
            return Ok(known.clone());
        }
        let new = shape(def)?;
        self.0.push((def, new.clone()));
        Ok(new)
    }
}

fn add_body<'a>(
    world: &mut World,
    body: &'a BodyDef,
    shapes: &mut Shapes<'a>,
) -> Result<BodyHandle> {
    let mut desc = BodyDesc::new(body.kind).pose(pose(body.pos, body.rot));
    if body.kind != BodyKind::Static {
        desc = desc
            .velocity(body.linvel.as_dvec3())
            .spin(body.angvel.as_dvec3());
    }
    let handle = world.add_body(desc)?;
    for part in &body.shapes {
        let groups = if body.ghost {
            GHOSTS
        } else {
            CollisionGroups::default()
        };
        let collider = ColliderDesc::new(shapes.get(&part.shape)?)
            .offset(place(part))
            .density(f64::from(part.density))
            .friction(f64::from(body.friction))
            .groups(groups);
        world.add_collider(handle, collider)?;
    }
    Ok(handle)
}

fn add_joint(world: &mut World, bodies: &[BodyHandle], joint: &JointDef) -> Result<JointHandle> {
    let find = |index: usize| {
        bodies
            .get(index)
            .copied()
            .ok_or(rb_world::core::Error::OutOfRange {
                argument: "joint.body",
                value: index as f64,
                valid: "the index of a body",
            })
    };
    let (a, b) = (find(joint.a)?, find(joint.b)?);
    let frames = (
        pose(joint.pos_a, joint.rot_a),
        pose(joint.pos_b, joint.rot_b),
    );
    let kind: AnyJoint = match joint.kind {
        JointKind::Ball => Ball::new(frames.0, frames.1).into(),
        JointKind::Cone { swing, twist } => {
            let twist = f64::from(twist);
            let drive = Drive::new().limits(-twist, twist);
            Ball::new(frames.0, frames.1)
                .cone(f64::from(swing))
                .twist(drive)
                .into()
        }
        JointKind::Hinge { lo, hi } => Hinge::new(frames.0, frames.1)
            .limits(f64::from(lo), f64::from(hi))
            .into(),
    };
    world.add_joint(a, b, kind)
}

fn shape(def: &ShapeDef) -> Result<Shape> {
    let double = |points: &[[f32; 3]]| -> Vec<DVec3> {
        points
            .iter()
            .map(|p| Vec3::from_array(*p).as_dvec3())
            .collect()
    };
    match def {
        ShapeDef::Box(half) => Shape::cuboid(Vec3::from_array(*half).as_dvec3()),
        ShapeDef::Sphere(radius) => Shape::ball(f64::from(*radius)),
        ShapeDef::Capsule { half, radius } => Shape::capsule(f64::from(*half), f64::from(*radius)),
        ShapeDef::Hull(points) => Shape::convex_hull(double(points)),
        ShapeDef::Mesh(mesh) => Shape::tri_mesh(double(&mesh.vertices), mesh.triangles.clone()),
    }
}

fn place(part: &ShapeInst) -> Pose {
    pose(part.pos, part.rot)
}

/// A pose in f64, its rotation of unit length again.
fn pose(p: Vec3, q: Quat) -> Pose {
    Pose::new(p.as_dvec3(), q.as_dquat().normalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn equal_hulls_are_kept_once() {
        let wedge = |height: f32| {
            let corners = [
                [0.0; 3],
                [1.0, 0.0, 0.0],
                [0.0, height, 0.0],
                [0.0, 0.0, 1.0],
            ];
            ShapeDef::Hull(Arc::new(corners.to_vec()))
        };
        let defs = [wedge(1.0), wedge(2.0), wedge(1.0)];
        let mut shapes = Shapes::default();
        let made = defs.each_ref().map(|def| shapes.get(def).unwrap());
        assert_eq!(shapes.0.len(), 2);
        assert!(made[0] == made[2] && made[0] != made[1]);
    }
}
