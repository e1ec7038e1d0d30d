//! From a world to a recording: every body, shape, contact point and joint frame.

use crate::error::SceneError;
use glam::DVec3;
use rb_view::{
    BodyInfo, ContactSample, FrameData, FrameStats, JointSample, Part, PoseSample, Recording,
    ShapeInfo, ViewError,
};
use rb_world::ContactPoint;
use rb_world::contact::shape::Mesh;
use rb_world::core::Result as Edit;
use rb_world::prelude::*;
use std::collections::HashMap;
use std::path::Path;

/// Contact points recorded in each frame at most: more only make the page large.
const MOST_CONTACTS: usize = 1000;

/// Records a world step by step. Bodies may come and go; those that went stay where they were.
#[derive(Debug)]
pub struct Recorder {
    recording: Recording,
    index: HashMap<BodyHandle, usize>,
    poses: Vec<PoseSample>,
    /// Time of the last frame (s).
    time: f64,
}

impl Recorder {
    /// An empty recording.
    pub fn new(title: &str) -> Self {
        Self {
            recording: Recording::new(title),
            index: HashMap::new(),
            poses: Vec::new(),
            time: 0.0,
        }
    }

    /// Appends the state of the world after a step that took `seconds` (s) of real time.
    ///
    /// # Errors
    /// A number that cannot be drawn.
    pub fn record(&mut self, world: &World, seconds: f64) -> Result<(), SceneError> {
        for (handle, body) in world.bodies() {
            let index = match self.index.get(&handle) {
                Some(&index) => index,
                None => self.add(world, handle, body)?,
            };
            self.poses[index] = pose_sample(body);
        }
        let report = world.report();
        let stats = FrameStats {
            residual: report.residual,
            kinetic_energy: world.energy().0,
            contacts: report.contacts,
            step_ms: (1e3 * seconds) as f32,
        };
        self.recording.push_frame(&FrameData {
            time: world.time(),
            poses: &self.poses,
            contacts: &contacts(world, world.time() - self.time),
            joints: &joints(world)?,
            stats,
        })?;
        self.time = world.time();
        Ok(())
    }

    /// Writes the page.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), ViewError> {
        self.recording.write_html(path)
    }

    fn add(&mut self, world: &World, handle: BodyHandle, body: &Body) -> Result<usize, SceneError> {
        let mut parts = Vec::new();
        for &collider in &body.colliders {
            let collider = world.collider(collider)?;
            append(collider.shape(), collider.offset(), &mut parts);
        }
        let kind = match body.kind {
            BodyKind::Static => rb_view::BodyKind::Static,
            BodyKind::Kinematic => rb_view::BodyKind::Kinematic,
            BodyKind::Dynamic => rb_view::BodyKind::Dynamic,
        };
        let mass = match body.kind {
            BodyKind::Dynamic => body.mass.mass,
            _ => f64::INFINITY,
        };
        let name = body
            .name()
            .map_or_else(|| format!("body {handle:?}"), str::to_owned);
        let index = self.recording.add_body(BodyInfo {
            name,
            kind,
            mass,
            parts,
        })?;
        self.index.insert(handle, index);
        self.poses.push(PoseSample::default());
        Ok(index)
    }
}

fn pose_sample(body: &Body) -> PoseSample {
    let pose = body.pose();
    PoseSample {
        position: pose.p.to_array(),
        rotation: pose.q.to_array(),
        velocity: Some(body.vel.lin.as_vec3().to_array()),
        asleep: body.is_asleep(),
    }
}

/// The contact points that carry the largest forces, with the impulse of a step of `dt` (s).
fn contacts(world: &World, dt: f64) -> Vec<ContactSample> {
    let force = |c: &ContactPoint| c.force.dot(c.normal);
    let mut pressed: Vec<_> = world.contact_points().filter(|c| force(c) > 0.0).collect();
    let mut forces: Vec<f64> = pressed.iter().map(force).collect();
    if forces.len() > MOST_CONTACTS {
        let (_, least, _) = forces.select_nth_unstable_by(MOST_CONTACTS, |a, b| b.total_cmp(a));
        pressed.retain(|c| force(c) > *least);
    }
    let sample = |c: &ContactPoint| ContactSample {
        point: c.position.as_vec3().to_array(),
        normal: c.normal.as_vec3().to_array(),
        impulse: (force(c) * dt) as f32,
    };
    pressed.iter().map(sample).collect()
}

/// The frame of every joint on its first body.
fn joints(world: &World) -> Edit<Vec<JointSample>> {
    let sample = |(handle, desc): (JointHandle, &JointDesc)| {
        let [a, _] = world.joint_bodies(handle)?;
        let frame = world.pose(a)? * desc.kind.frames()[0];
        Ok(JointSample {
            position: frame.p.to_array(),
            rotation: frame.q.to_array(),
        })
    };
    world.joints().map(sample).collect()
}

/// Appends a shape; a compound becomes its parts. Rounded edges are drawn sharp.
fn append(shape: &Shape, place: &Pose, parts: &mut Vec<Part>) {
    let info = match shape {
        Shape::Compound(compound) => {
            let inner = compound.parts().iter();
            return inner.for_each(|(pose, s)| append(s, &(*place * *pose), parts));
        }
        Shape::Ball(s) => ShapeInfo::Ball {
            radius: s.radius as f32,
        },
        Shape::Cuboid(s) => ShapeInfo::Cuboid {
            half_extents: single(s.half_extents + DVec3::splat(s.border)),
        },
        Shape::Capsule(s) => ShapeInfo::Capsule {
            half_height: s.half_height as f32,
            radius: s.radius as f32,
        },
        Shape::Cylinder(s) => ShapeInfo::Cylinder {
            half_height: (s.half_height + s.border) as f32,
            radius: (s.radius + s.border) as f32,
        },
        Shape::Cone(s) => ShapeInfo::Cone {
            half_height: (s.half_height + s.border) as f32,
            radius: (s.radius + s.border) as f32,
        },
        Shape::HalfSpace(s) => ShapeInfo::HalfSpace {
            normal: single(s.normal),
        },
        other => match other.mesh() {
            Some(mesh) => mesh_info(&mesh),
            None => return,
        },
    };
    parts.push(Part {
        shape: info,
        position: single(place.p),
        rotation: place.q.as_quat().to_array(),
        color: None,
    });
}

fn mesh_info(mesh: &Mesh) -> ShapeInfo {
    ShapeInfo::Mesh {
        vertices: mesh.vertices.iter().copied().map(single).collect(),
        triangles: mesh.triangles.clone(),
    }
}

fn single(v: DVec3) -> [f32; 3] {
    v.as_vec3().to_array()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_demo_can_be_recorded() {
        for demo in crate::DEMOS {
            let mut world = World::new(Params::game()).expect("the profile is valid");
            let built = demo.build(&mut world, demo.size.min(20));
            built.expect(demo.name);
            let mut recorder = Recorder::new(demo.name);
            for _ in 0..3 {
                world.step(1.0 / 60.0).expect("a positive time step");
                recorder.record(&world, 1e-3).expect(demo.name);
            }
            assert_eq!(recorder.poses.len(), world.bodies().count());
            assert_eq!(recorder.recording.frame_count(), 3);
        }
    }

    #[test]
    fn a_removed_body_stays_where_it_was_and_a_new_one_appears() {
        let mut world = World::new(Params::game()).expect("the profile is valid");
        let first = world
            .add_body(BodyDesc::fixed().at([1.0, 0.0, 0.0]))
            .expect("valid");
        let mut recorder = Recorder::new("coming and going");
        recorder.record(&world, 0.0).expect("finite");
        world.remove_body(first).expect("alive");
        world
            .add_body(BodyDesc::fixed().at([2.0, 0.0, 0.0]))
            .expect("valid");
        recorder.record(&world, 0.0).expect("finite");
        let x: Vec<f64> = recorder.poses.iter().map(|p| p.position[0]).collect();
        assert_eq!(x, [1.0, 2.0]);
    }
}
