//! Hinge (revolute): both frames share their origin and their z axis; the turn about z is free.
//!
//! Equation   e_i · (p_b − p_a) = 0 (i = x, y, z);  σ_x = σ_y = 0
//! Jacobian   parts/point, parts/swing; the angle: parts/twist
//! Shapes     5 hard rows, + the rows of the drive
//! Units      m, rad; angle counts whole turns; torques N·m
//! Frames     local to each body, z along the hinge; rows in world axes at the centres of mass
//! Sign       the angle grows when b turns right-handed about z relative to a
//! Errors     degenerate axis in `at_world`; those of the frames and the drive by `validate`
//! Source     E. J. Haug, "Computer Aided Kinematics and Dynamics of Mechanical Systems", 1989, §9.4
//! Tests      tests/jacobian_fd.rs, tests/momentum.rs, tests/ranks.rs, tests/drives.rs

use crate::axis::Axis;
use crate::drive::{Drive, drive_builders};
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

/// One free rotation about z.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hinge {
    frames: [Pose; 2],
    drive: Drive,
}

impl Hinge {
    /// Hinge between two local frames; the angle is zero where they coincide.
    pub fn new(frame_a: Pose, frame_b: Pose) -> Self {
        Self {
            frames: normalized(frame_a, frame_b),
            drive: Drive::default(),
        }
    }

    /// Hinge through the world `point` (m) along the world `axis`; the present angle is zero.
    ///
    /// # Errors
    /// `Degenerate` or `NotFinite` for `axis`.
    pub fn at_world(pose_a: &Pose, pose_b: &Pose, point: DVec3, axis: DVec3) -> Result<Self> {
        let [a, b] = frames_at(pose_a, pose_b, &frame_along(point, axis)?);
        Ok(Self::new(a, b))
    }
}

drive_builders!(Hinge, drive);

impl Joint for Hinge {
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
    }

    fn coordinates(&self, cx: &JointCx, memory: &JointMemory) -> Coordinates {
        smallvec![Frames::new(cx, &self.frames).twist(memory)]
    }

    fn drive(&self, axis: Axis) -> Option<&Drive> {
        (axis == Axis::AngZ).then_some(&self.drive)
    }

    fn drive_mut(&mut self, axis: Axis) -> Option<&mut Drive> {
        (axis == Axis::AngZ).then_some(&mut self.drive)
    }

    fn draw(&self, cx: &JointCx, sink: &mut dyn DrawSink) {
        gizmo::hinge(&Frames::new(cx, &self.frames), &self.drive, sink);
    }
}
