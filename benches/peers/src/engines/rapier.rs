//! Rapier, with its defaults.

use super::{DT, Simulation, Stages, State};
use anyhow::Context;
use glam::{Quat, Vec3};
use rapier3d::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use rb_scenes::{BodyDef, JointDef, JointKind, SceneDesc, ShapeDef, ShapeInst};
use rb_world::core::body::BodyKind;
use std::f32::consts::FRAC_PI_2;

pub(super) struct Rapier {
    world: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
    pool: ThreadPool,
}

pub(super) fn settings() -> String {
    let p = IntegrationParameters::default();
    let warm = |on: bool| if on { "on" } else { "off" };
    format!(
        "rapier3d {}, f32, 8 lanes, defaults: {} substeps of {} + {} sweeps, contacts {} Hz \
         ({} Hz against fixed), zeta {}, {:?} friction, warm start of contacts {}, of joints {}",
        rapier3d::VERSION,
        p.num_solver_iterations,
        p.num_internal_pgs_iterations,
        p.num_internal_stabilization_iterations,
        p.contact_softness.natural_frequency,
        p.static_contact_softness.natural_frequency,
        p.contact_softness.damping_ratio,
        p.friction_model,
        warm(p.warmstart_coefficient > 0.0),
        warm(p.warmstart_joints),
    )
}

impl Rapier {
    pub(super) fn new(scene: &SceneDesc, threads: usize) -> anyhow::Result<Self> {
        let mut world = PhysicsWorld::new();
        world.gravity = scene.gravity;
        world.integration_parameters.dt = DT as f32;
        world.physics_pipeline.counters.enable();
        let mut bodies = Vec::with_capacity(scene.bodies.len());
        for body in &scene.bodies {
            bodies.push(add_body(&mut world, body)?);
        }
        for joint in &scene.joints {
            let (a, b) = (bodies[joint.a], bodies[joint.b]);
            world.impulse_joints.insert(a, b, generic(joint), true);
        }
        // The calling thread is one of the workers, as in the other engines.
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .use_current_thread()
            .build()?;
        Ok(Self {
            world,
            bodies,
            pool,
        })
    }
}

fn add_body(world: &mut PhysicsWorld, body: &BodyDef) -> anyhow::Result<RigidBodyHandle> {
    let builder = match body.kind {
        BodyKind::Static => RigidBodyBuilder::fixed(),
        BodyKind::Kinematic => RigidBodyBuilder::kinematic_velocity_based(),
        BodyKind::Dynamic => RigidBodyBuilder::dynamic(),
    };
    let builder = builder
        .pose(Pose::from_parts(body.pos, body.rot))
        .linvel(body.linvel)
        .angvel(body.angvel)
        .can_sleep(false);
    let handle = world.bodies.insert(builder);
    for part in &body.shapes {
        let mut collider = shape(&part.shape)?
            .position(place(part))
            .density(part.density)
            .friction(body.friction)
            .restitution(0.0);
        if body.ghost {
            collider = collider.collision_groups(ghosts());
        }
        let bodies = &mut world.bodies;
        world.colliders.insert_with_parent(collider, handle, bodies);
    }
    Ok(handle)
}

fn place(part: &ShapeInst) -> Pose {
    Pose::from_parts(part.pos, part.rot)
}

/// Groups of bodies that do not collide with one another.
fn ghosts() -> InteractionGroups {
    let own = Group::GROUP_2;
    InteractionGroups::new(own, !own, InteractionTestMode::And)
}

fn shape(def: &ShapeDef) -> anyhow::Result<ColliderBuilder> {
    let points = |p: &[[f32; 3]]| p.iter().copied().map(Vec3::from_array).collect::<Vec<_>>();
    Ok(match def {
        ShapeDef::Box(half) => ColliderBuilder::cuboid(half[0], half[1], half[2]),
        ShapeDef::Sphere(radius) => ColliderBuilder::ball(*radius),
        ShapeDef::Capsule { half, radius } => ColliderBuilder::capsule_y(*half, *radius),
        ShapeDef::Hull(hull) => {
            ColliderBuilder::convex_hull(&points(hull)).context("Rapier refuses a hull")?
        }
        ShapeDef::Mesh(mesh) => {
            ColliderBuilder::trimesh(points(&mesh.vertices), mesh.triangles.clone())?
        }
    })
}

fn generic(joint: &JointDef) -> GenericJoint {
    let locked = match joint.kind {
        JointKind::Hinge { .. } => JointAxesMask::LOCKED_REVOLUTE_AXES,
        JointKind::Ball | JointKind::Cone { .. } => JointAxesMask::LOCKED_SPHERICAL_AXES,
    };
    // The axis of hinge and twist is the frame's x here, the scene's z.
    let x_to_z = Quat::from_rotation_y(-FRAC_PI_2);
    let builder = GenericJointBuilder::new(locked)
        .local_frame1(Pose::from_parts(joint.pos_a, joint.rot_a * x_to_z))
        .local_frame2(Pose::from_parts(joint.pos_b, joint.rot_b * x_to_z))
        .contacts_enabled(false);
    let builder = match joint.kind {
        JointKind::Ball => builder,
        JointKind::Cone { swing, twist } => builder
            .limits(JointAxis::AngX, [-twist, twist])
            .limits(JointAxis::AngY, [-swing, swing])
            .limits(JointAxis::AngZ, [-swing, swing]),
        JointKind::Hinge { lo, hi } => builder.limits(JointAxis::AngX, [lo, hi]),
    };
    builder.build()
}

impl Simulation for Rapier {
    fn step(&mut self) -> anyhow::Result<()> {
        let world = &mut self.world;
        self.pool.install(|| world.step());
        Ok(())
    }

    fn stages(&self) -> Stages {
        let stages = &self.world.physics_pipeline.counters.stages;
        Stages {
            collide: stages.collision_detection_time.time_ms(),
            solve: stages.solver_time.time_ms(),
        }
    }

    fn states(&self) -> anyhow::Result<Vec<State>> {
        let state = |&handle: &RigidBodyHandle| {
            let body = &self.world.bodies[handle];
            let pose = body.position();
            State::widened(
                pose.translation,
                pose.rotation,
                body.linvel(),
                body.angvel(),
            )
        };
        Ok(self.bodies.iter().map(state).collect())
    }
}
