//! Fixed joint (weld): b keeps its place and attitude relative to a; no rotation or slide is free.
//!
//! Equation   e_i · (p_b − p_a) = 0 (i = x, y, z);  σ_x = σ_y = 0;  τ = 0
//! Jacobian   parts/point, parts/swing, parts/twist
//! Shapes     6 hard rows
//! Units      m, rad; reactions N, N·m
//! Frames     local to each body; rows in world axes at the centres of mass
//! Errors     frames that are not finite or not unit rotations, by `validate`; none while stepping
//! Source     E. J. Haug, "Computer Aided Kinematics and Dynamics of Mechanical Systems", 1989, §9.4
//! Tests      tests/jacobian_fd.rs, tests/momentum.rs, tests/ranks.rs

use crate::joint::{Coordinates, Joint, JointCx, Rows};
use crate::memory::JointMemory;
use crate::parts::Frames;
use crate::placing::{frames_at, normalized};
use glam::DVec3;
use rb_core::math::Pose;
use serde::{Deserialize, Serialize};

/// Welds b to a.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fixed {
    frames: [Pose; 2],
}

impl Fixed {
    /// Makes the two local frames coincide.
    pub fn new(frame_a: Pose, frame_b: Pose) -> Self {
        Self {
            frames: normalized(frame_a, frame_b),
        }
    }

    /// Welds the bodies where they are; the reaction is reported at the world `point` (m).
    pub fn at_world(pose_a: &Pose, pose_b: &Pose, point: DVec3) -> Self {
        let world = Pose::from_translation(point);
        let [a, b] = frames_at(pose_a, pose_b, &world);
        Self::new(a, b)
    }
}

impl Joint for Fixed {
    fn frames(&self) -> &[Pose; 2] {
        &self.frames
    }

    fn frames_mut(&mut self) -> Option<&mut [Pose; 2]> {
        Some(&mut self.frames)
    }

    fn constraints(&self, cx: &JointCx, _memory: &JointMemory, out: &mut Rows) {
        let frames = Frames::new(cx, &self.frames);
        out.extend(frames.point().map(|c| c.lock()));
        out.extend(frames.swing().map(|c| c.lock()));
        out.push(frames.twist_error().lock());
    }

    fn coordinates(&self, _cx: &JointCx, _memory: &JointMemory) -> Coordinates {
        Coordinates::new()
    }
}
