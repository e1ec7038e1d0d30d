//! Cylindrical joint: both frames share their z axis; b slides along it and turns about it.
//!
//! Equation   e_x · (p_b − p_a) = e_y · (p_b − p_a) = 0;  σ_x = σ_y = 0
//! Jacobian   parts/point, parts/swing; the slide: parts/point along z; the turn: parts/twist
//! Shapes     4 hard rows, + the rows of the two drives
//! Units      slide m, N; turn rad (whole turns count), N·m
//! Frames     local to each body, z along the axis; rows in world axes at the centres of mass
//! Sign       slide along +z of a, turn right-handed about z, b relative to a
//! Errors     degenerate axis in `at_world`; those of the frames and the drives by `validate`
//! Source     E. J. Haug, "Computer Aided Kinematics and Dynamics of Mechanical Systems", 1989, §9.4
//! Tests      tests/jacobian_fd.rs, tests/momentum.rs, tests/ranks.rs

use crate::axis::Axis;
use crate::drive::Drive;
use crate::gizmo;
use crate::joint::{Coordinates, Joint, JointCx, Rows};
use crate::memory::JointMemory;
use crate::parts::Frames;
use crate::placing::{frame_along, frames_at, normalized};
use glam::DVec3;
use rb_core::Result;
use rb_core::draw::DrawSink;
use rb_core::math::Pose;
use serde::{Deserialize, Serialize};
use smallvec::smallvec;

/// One free translation along z and one free rotation about it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cylindrical {
    frames: [Pose; 2],
    slide: Drive,
    turn: Drive,
}

impl Cylindrical {
    /// Cylindrical joint between two local frames; both coordinates are zero where they coincide.
    pub fn new(frame_a: Pose, frame_b: Pose) -> Self {
        Self {
            frames: normalized(frame_a, frame_b),
            ..Self::default()
        }
    }

    /// Through the world `point` (m) along the world `axis`; both coordinates are zero now.
    ///
    /// # Errors
    /// `Degenerate` or `NotFinite` for `axis`.
    pub fn at_world(pose_a: &Pose, pose_b: &Pose, point: DVec3, axis: DVec3) -> Result<Self> {
        let [a, b] = frames_at(pose_a, pose_b, &frame_along(point, axis)?);
        Ok(Self::new(a, b))
    }

    /// Sets what acts on the translation along z.
    pub fn slide(mut self, drive: Drive) -> Self {
        self.slide = drive;
        self
    }

    /// Sets what acts on the rotation about z.
    pub fn turn(mut self, drive: Drive) -> Self {
        self.turn = drive;
        self
    }
}

impl Joint for Cylindrical {
    fn frames(&self) -> &[Pose; 2] {
        &self.frames
    }

    fn frames_mut(&mut self) -> Option<&mut [Pose; 2]> {
        Some(&mut self.frames)
    }

    fn constraints(&self, cx: &JointCx, _memory: &JointMemory, out: &mut Rows) {
        let frames = Frames::new(cx, &self.frames);
        out.push(frames.along(Axis::LinX).lock());
        out.push(frames.along(Axis::LinY).lock());
        out.extend(frames.swing().map(|c| c.lock()));
    }

    fn coordinates(&self, cx: &JointCx, memory: &JointMemory) -> Coordinates {
        let frames = Frames::new(cx, &self.frames);
        smallvec![frames.along(Axis::LinZ), frames.twist(memory)]
    }

    fn drive(&self, axis: Axis) -> Option<&Drive> {
        match axis {
            Axis::LinZ => Some(&self.slide),
            Axis::AngZ => Some(&self.turn),
            _ => None,
        }
    }

    fn drive_mut(&mut self, axis: Axis) -> Option<&mut Drive> {
        match axis {
            Axis::LinZ => Some(&mut self.slide),
            Axis::AngZ => Some(&mut self.turn),
            _ => None,
        }
    }

    fn draw(&self, cx: &JointCx, sink: &mut dyn DrawSink) {
        gizmo::slider(&Frames::new(cx, &self.frames), &self.slide, sink);
    }
}
