//! Box3D, with its defaults.

#![allow(unsafe_code, reason = "Box3D is a C library")]

use super::{DT, Simulation, Stages, State};
use anyhow::ensure;
use box3d_sys as b3;
use glam::{Quat, Vec3};
use rb_scenes::{BodyDef, JointDef, JointKind, MeshDef, SceneDesc, ShapeDef, ShapeInst};
use rb_world::core::body::BodyKind;
use std::ptr::null_mut;

/// Substeps of a step; the number is the caller's to give, and this is what Box3D recommends.
const SUBSTEPS: i32 = 4;
/// Category of bodies that do not collide with one another.
const GHOSTS: u64 = 2;

pub(super) struct Box3d {
    world: b3::b3WorldId,
    bodies: Vec<b3::b3BodyId>,
    /// The world refers to its meshes without owning them.
    meshes: Vec<*mut b3::b3MeshData>,
}

pub(super) fn settings() -> String {
    // SAFETY: both only return values.
    let (version, def) = unsafe { (b3::b3GetVersion(), b3::b3DefaultWorldDef()) };
    format!(
        "Box3D {}.{}.{} (box3d-sys 0.1.16), f32, 4 lanes, defaults: {SUBSTEPS} substeps of 1 + 1 \
         sweeps, contacts {} Hz, zeta {}, warm start, continuous {}",
        version.major,
        version.minor,
        version.revision,
        def.contactHertz,
        def.contactDampingRatio,
        if def.enableContinuous { "on" } else { "off" },
    )
}

fn vector(v: Vec3) -> b3::b3Vec3 {
    let [x, y, z] = v.to_array();
    b3::b3Vec3 { x, y, z }
}

fn quaternion(q: Quat) -> b3::b3Quat {
    let [x, y, z, s] = q.to_array();
    let v = b3::b3Vec3 { x, y, z };
    b3::b3Quat { v, s }
}

fn transform(p: Vec3, q: Quat) -> b3::b3Transform {
    b3::b3Transform {
        p: vector(p),
        q: quaternion(q),
    }
}

fn from_vector(v: b3::b3Vec3) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

impl Box3d {
    pub(super) fn new(scene: &SceneDesc, threads: usize) -> anyhow::Result<Self> {
        // SAFETY: the definition is a complete one, made by the library.
        let world = unsafe {
            let mut def = b3::b3DefaultWorldDef();
            def.gravity = vector(scene.gravity);
            def.enableSleep = false;
            def.workerCount = u32::try_from(threads)?;
            b3::b3CreateWorld(&def)
        };
        let mut built = Self {
            world,
            bodies: Vec::with_capacity(scene.bodies.len()),
            meshes: Vec::new(),
        };
        for body in &scene.bodies {
            built.add_body(body)?;
        }
        for joint in &scene.joints {
            built.add_joint(joint);
        }
        Ok(built)
    }

    fn add_body(&mut self, body: &BodyDef) -> anyhow::Result<()> {
        // SAFETY: the world is alive and the definition a complete one, made by the library.
        let id = unsafe {
            let mut def = b3::b3DefaultBodyDef();
            def.type_ = match body.kind {
                BodyKind::Static => b3::b3BodyType_b3_staticBody,
                BodyKind::Kinematic => b3::b3BodyType_b3_kinematicBody,
                BodyKind::Dynamic => b3::b3BodyType_b3_dynamicBody,
            };
            def.position = vector(body.pos);
            def.rotation = quaternion(body.rot);
            def.linearVelocity = vector(body.linvel);
            def.angularVelocity = vector(body.angvel);
            def.enableSleep = false;
            b3::b3CreateBody(self.world, &def)
        };
        self.bodies.push(id);
        for part in &body.shapes {
            self.add_shape(id, &surface(body, part), part)?;
        }
        Ok(())
    }

    fn add_shape(
        &mut self,
        body: b3::b3BodyId,
        def: &b3::b3ShapeDef,
        part: &ShapeInst,
    ) -> anyhow::Result<()> {
        let at = |local: Vec3| vector(part.pos + part.rot * local);
        // SAFETY: the body is alive; hulls and primitives are copied; a mesh outlives the world.
        unsafe {
            match &part.shape {
                ShapeDef::Box([x, y, z]) => {
                    let place = transform(part.pos, part.rot);
                    let hull = b3::b3MakeTransformedBoxHull(*x, *y, *z, place);
                    b3::b3CreateHullShape(body, def, &hull.base);
                }
                ShapeDef::Sphere(radius) => {
                    let center = vector(part.pos);
                    let radius = *radius;
                    b3::b3CreateSphereShape(body, def, &b3::b3Sphere { center, radius });
                }
                ShapeDef::Capsule { half, radius } => {
                    let capsule = b3::b3Capsule {
                        center1: at(-half * Vec3::Y),
                        center2: at(half * Vec3::Y),
                        radius: *radius,
                    };
                    b3::b3CreateCapsuleShape(body, def, &capsule);
                }
                ShapeDef::Hull(points) => {
                    let points = points.iter().map(|p| at(Vec3::from_array(*p)));
                    let points: Vec<_> = points.collect();
                    let count = i32::try_from(points.len())?;
                    let hull = b3::b3CreateHull(points.as_ptr(), count, count);
                    ensure!(!hull.is_null(), "Box3D refuses a hull");
                    b3::b3CreateHullShape(body, def, hull);
                    b3::b3DestroyHull(hull);
                }
                ShapeDef::Mesh(triangles) => {
                    let mesh = mesh(triangles)?;
                    b3::b3CreateMeshShape(body, def, mesh, vector(Vec3::ONE));
                    self.meshes.push(mesh);
                }
            }
        }
        Ok(())
    }

    fn add_joint(&self, joint: &JointDef) {
        let base = |mut base: b3::b3JointDef| {
            base.bodyIdA = self.bodies[joint.a];
            base.bodyIdB = self.bodies[joint.b];
            base.localFrameA = transform(joint.pos_a, joint.rot_a);
            base.localFrameB = transform(joint.pos_b, joint.rot_b);
            base
        };
        // SAFETY: world and bodies are alive, the definitions complete ones, made by the library.
        unsafe {
            if let JointKind::Hinge { lo, hi } = joint.kind {
                let mut def = b3::b3DefaultRevoluteJointDef();
                def.base = base(def.base);
                def.enableLimit = true;
                (def.lowerAngle, def.upperAngle) = (lo, hi);
                b3::b3CreateRevoluteJoint(self.world, &def);
                return;
            }
            let mut def = b3::b3DefaultSphericalJointDef();
            def.base = base(def.base);
            if let JointKind::Cone { swing, twist } = joint.kind {
                (def.enableConeLimit, def.enableTwistLimit) = (true, true);
                def.coneAngle = swing;
                (def.lowerTwistAngle, def.upperTwistAngle) = (-twist, twist);
            }
            b3::b3CreateSphericalJoint(self.world, &def);
        }
    }
}

/// Density, friction and collision groups of a shape.
fn surface(body: &BodyDef, part: &ShapeInst) -> b3::b3ShapeDef {
    // SAFETY: it only returns a value.
    let mut def = unsafe { b3::b3DefaultShapeDef() };
    def.density = part.density;
    def.baseMaterial.friction = body.friction;
    def.baseMaterial.restitution = 0.0;
    if body.ghost {
        def.filter.categoryBits = GHOSTS;
        def.filter.maskBits = !GHOSTS;
    }
    def
}

fn mesh(def: &MeshDef) -> anyhow::Result<*mut b3::b3MeshData> {
    let vertices = def.vertices.iter().map(|p| vector(Vec3::from_array(*p)));
    let mut vertices: Vec<_> = vertices.collect();
    let indices = def.triangles.iter().flatten().map(|&i| i32::try_from(i));
    let mut indices = indices.collect::<Result<Vec<_>, _>>()?;
    let def = b3::b3MeshDef {
        vertices: vertices.as_mut_ptr(),
        indices: indices.as_mut_ptr(),
        vertexCount: i32::try_from(def.vertices.len())?,
        triangleCount: i32::try_from(def.triangles.len())?,
        identifyEdges: true,
        ..Default::default()
    };
    // SAFETY: the arrays are as long as the definition says, and are copied.
    let mesh = unsafe { b3::b3CreateMesh(&def, null_mut(), 0) };
    ensure!(!mesh.is_null(), "Box3D refuses a mesh");
    Ok(mesh)
}

impl Simulation for Box3d {
    fn step(&mut self) -> anyhow::Result<()> {
        // SAFETY: the world is alive and used by this thread alone.
        unsafe { b3::b3World_Step(self.world, DT as f32, SUBSTEPS) };
        Ok(())
    }

    fn stages(&self) -> Stages {
        // SAFETY: the world is alive.
        let profile = unsafe { b3::b3World_GetProfile(self.world) };
        Stages {
            collide: f64::from(profile.pairs + profile.collide),
            solve: f64::from(profile.solve),
        }
    }

    fn states(&self) -> anyhow::Result<Vec<State>> {
        let state = |&body: &b3::b3BodyId| {
            // SAFETY: the body is alive.
            let (place, lin, ang) = unsafe {
                (
                    b3::b3Body_GetTransform(body),
                    b3::b3Body_GetLinearVelocity(body),
                    b3::b3Body_GetAngularVelocity(body),
                )
            };
            let q = Quat::from_vec4(from_vector(place.q.v).extend(place.q.s));
            State::widened(from_vector(place.p), q, from_vector(lin), from_vector(ang))
        };
        Ok(self.bodies.iter().map(state).collect())
    }
}

impl Drop for Box3d {
    fn drop(&mut self) {
        // SAFETY: the world is alive and goes before the meshes that it refers to.
        unsafe {
            b3::b3DestroyWorld(self.world);
            for mesh in &self.meshes {
                b3::b3DestroyMesh(*mesh);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every call of the library: all shapes and joints, one thread and two, and worlds that have gone before
    /// the next is made. What is handed over comes back, falls, and is held by what is fixed.
    #[test]
    fn scenes_come_back_and_are_held() {
        for (name, size) in [
            ("mixed_drop", 2),
            ("terrain", 20),
            ("ragdolls", 1),
            ("joint_grid", 20),
            ("washer", 2),
        ] {
            let scene = rb_scenes::scene(name).expect("registered").build(size);
            let runs = [1, 2].map(|threads| {
                let mut world = Box3d::new(&scene, threads).unwrap();
                for (state, body) in world.states().unwrap().iter().zip(&scene.bodies) {
                    assert!(state.pos.distance(body.pos.as_dvec3()) < 1e-5, "{name}");
                    let turn = state.rot.dot(body.rot.as_dquat().normalize()).abs();
                    assert!(turn > 1.0 - 1e-6, "{name}");
                    assert_eq!(state.lin, body.linvel.as_dvec3(), "{name}");
                    assert_eq!(state.ang, body.angvel.as_dvec3(), "{name}");
                }
                (0..60).for_each(|_| world.step().unwrap());
                let stages = world.stages();
                assert!(stages.collide >= 0.0 && stages.solve >= 0.0, "{name}");
                world.states().unwrap()
            });
            let [one, two] = &runs;
            assert_eq!(one, two, "{name}: threads");
            let moving = one.iter().zip(&scene.bodies);
            let moving = moving.filter(|(_, body)| body.kind == BodyKind::Dynamic);
            let mut fallen = false;
            for (state, body) in moving {
                assert!(state.is_finite() && state.pos.length() < 1e3, "{name}");
                fallen |= state.pos.y < f64::from(body.pos.y) - 0.01;
            }
            assert!(fallen, "{name}");
        }
    }
}
