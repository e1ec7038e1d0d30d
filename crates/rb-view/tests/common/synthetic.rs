//! A run without physics: bodies of every shape fall, bounce, roll to rest and fall asleep.

use std::f64::consts::TAU;

use rb_view::{
    BodyInfo, BodyKind, ContactSample, FrameData, FrameStats, JointSample, Part, PoseSample,
    Recording, ShapeInfo,
};

/// Frames per second.
const RATE: f64 = 60.0;
const GRAVITY: f64 = 9.81;
/// Speed kept by a bounce.
const RESTITUTION: f64 = 0.55;
/// Height of a resting body's centre, m.
const REST: f64 = 0.35;
/// Bounces below this speed are rest, m/s.
const SETTLED: f64 = 0.25;

/// Half-space and paddle come before the falling bodies.
pub(crate) const FIRST_FALLING: usize = 2;

/// A recorded run of `falling` bodies (and ground and paddle) over `frames` frames.
pub(crate) fn run(title: &str, falling: usize, frames: usize) -> Recording {
    let mut recording = Recording::new(title);
    for body in bodies(falling) {
        recording.add_body(body).expect("a sound body");
    }
    for frame in 0..frames {
        let time = frame as f64 / RATE;
        let poses = poses(falling, time);
        let contacts = contacts(&poses);
        let turning = poses[1];
        recording
            .push_frame(&FrameData {
                time,
                poses: &poses,
                contacts: &contacts,
                joints: &[JointSample {
                    position: turning.position,
                    rotation: turning.rotation,
                }],
                stats: stats(&poses, contacts.len(), time),
            })
            .expect("a sound frame");
    }
    recording
}

/// The poses of all bodies at a time, s.
pub(crate) fn poses(falling: usize, time: f64) -> Vec<PoseSample> {
    let mut poses = vec![PoseSample::default(), paddle_pose(time)];
    poses.extend((0..falling).map(|n| falling_pose(n, time)));
    poses
}

fn bodies(falling: usize) -> Vec<BodyInfo> {
    let ground = BodyInfo {
        name: "ground".into(),
        kind: BodyKind::Static,
        mass: f64::INFINITY,
        parts: vec![Part::new(ShapeInfo::HalfSpace {
            normal: [0.0, 1.0, 0.0],
        })],
    };
    let bar = |half_extents| Part::new(ShapeInfo::Cuboid { half_extents });
    let paddle = BodyInfo {
        name: "paddle </script><b>".into(),
        kind: BodyKind::Kinematic,
        mass: 12.0,
        parts: vec![bar([1.6, 0.12, 0.12]), bar([0.12, 0.12, 1.6])],
    };
    let mut bodies = vec![ground, paddle];
    bodies.extend((0..falling).map(|n| BodyInfo {
        name: format!("body {n}"),
        kind: BodyKind::Dynamic,
        mass: 1.0 + (n % 7) as f64,
        parts: parts(n),
    }));
    bodies
}

fn parts(n: usize) -> Vec<Part> {
    let (half_height, radius) = (0.22, 0.2);
    let shape = match n % 7 {
        0 => ShapeInfo::Ball { radius: 0.35 },
        1 => ShapeInfo::Cuboid {
            half_extents: [0.3, 0.35, 0.26],
        },
        2 => ShapeInfo::Capsule {
            half_height,
            radius,
        },
        3 => ShapeInfo::Cylinder {
            half_height: 0.35,
            radius: 0.24,
        },
        4 => ShapeInfo::Cone {
            half_height: 0.35,
            radius: 0.32,
        },
        5 => octahedron(0.42),
        _ => return dumbbell(),
    };
    vec![Part::new(shape)]
}

fn octahedron(size: f32) -> ShapeInfo {
    let (p, n) = (size, -size);
    ShapeInfo::Mesh {
        vertices: vec![
            [p, 0.0, 0.0],
            [n, 0.0, 0.0],
            [0.0, p, 0.0],
            [0.0, n, 0.0],
            [0.0, 0.0, p],
            [0.0, 0.0, n],
        ],
        triangles: vec![
            [0, 2, 4],
            [2, 1, 4],
            [1, 3, 4],
            [3, 0, 4],
            [2, 0, 5],
            [1, 2, 5],
            [3, 1, 5],
            [0, 3, 5],
        ],
    }
}

fn dumbbell() -> Vec<Part> {
    let ball = |x| Part {
        position: [x, 0.0, 0.0],
        color: Some([232, 220, 196]),
        ..Part::new(ShapeInfo::Ball { radius: 0.19 })
    };
    let bar = Part::new(ShapeInfo::Cuboid {
        half_extents: [0.24, 0.07, 0.07],
    });
    vec![ball(-0.24), bar, ball(0.24)]
}

fn paddle_pose(time: f64) -> PoseSample {
    PoseSample {
        position: [0.0, 0.5, 0.0],
        rotation: about([0.0, 1.0, 0.0], 0.9 * time),
        velocity: Some([0.0; 3]),
        asleep: false,
    }
}

/// Falls from a sunflower head of starting points, bounces, drifts outwards, comes to rest.
fn falling_pose(n: usize, time: f64) -> PoseSample {
    let angle = n as f64 * TAU * 0.381_966;
    let radius = 2.2 + 0.62 * (n as f64).sqrt();
    let start = REST + 1.5 + 4.0 * (n as f64 * 0.754_877).fract();
    let (height, climb, rest_time) = bounce(start - REST, time);
    let rolled = time.min(rest_time);
    let out = radius + 0.25 * rolled;
    let asleep = time > rest_time + 0.5;
    let drift = if time < rest_time { 0.25 } else { 0.0 };
    let axis = [angle.sin(), 0.4, -angle.cos()];
    PoseSample {
        position: [out * angle.cos(), REST + height, out * angle.sin()],
        rotation: about(axis, (1.0 + (n % 5) as f64) * rolled),
        velocity: Some([drift * angle.cos(), climb, drift * angle.sin()].map(|v| v as f32)),
        asleep,
    }
}

/// Height and vertical speed of a ball dropped from `drop`, and when it is at rest.
fn bounce(drop: f64, time: f64) -> (f64, f64, f64) {
    let (mut height, mut climb, mut begin) = (drop, 0.0_f64, 0.0);
    let mut state = None;
    loop {
        let landing = (climb + (climb * climb + 2.0 * GRAVITY * height).sqrt()) / GRAVITY;
        let since = time - begin;
        if state.is_none() && since < landing {
            let now = height + climb * since - 0.5 * GRAVITY * since * since;
            state = Some((now, climb - GRAVITY * since));
        }
        climb = RESTITUTION * (GRAVITY * landing - climb);
        begin += landing;
        height = 0.0;
        if climb < SETTLED {
            let (now, speed) = state.unwrap_or((0.0, 0.0));
            return (now, speed, begin);
        }
    }
}

fn contacts(poses: &[PoseSample]) -> Vec<ContactSample> {
    let near = poses[FIRST_FALLING..]
        .iter()
        .filter(|p| p.position[1] < REST + 0.02);
    near.map(|pose| ContactSample {
        point: [pose.position[0] as f32, 0.0, pose.position[2] as f32],
        normal: [0.0, 1.0, 0.0],
        impulse: if pose.asleep { 0.16 } else { 0.8 },
    })
    .collect()
}

fn stats(poses: &[PoseSample], contacts: usize, time: f64) -> FrameStats {
    let square = |v: [f32; 3]| v.iter().map(|c| f64::from(c * c)).sum::<f64>();
    let awake = poses.iter().filter(|p| !p.asleep).count();
    FrameStats {
        residual: 1e-4 * (-2.0 * time).exp() * (1.2 + (9.0 * time).sin()) + 1e-9,
        kinetic_energy: poses
            .iter()
            .filter_map(|p| p.velocity)
            .map(|v| 0.5 * square(v))
            .sum(),
        contacts: contacts as u32,
        step_ms: 0.1 + 0.004 * awake as f32 + 0.1 * (13.0 * time).sin().abs() as f32,
    }
}

fn about(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let length = axis.iter().map(|c| c * c).sum::<f64>().sqrt();
    let (sin, cos) = (angle / 2.0).sin_cos();
    [
        axis[0] / length * sin,
        axis[1] / length * sin,
        axis[2] / length * sin,
        cos,
    ]
}
