//! Screw (helical joint): b slides along z by one lead per turn about z.
//!
//! Equation   e_x · (p_b − p_a) = e_y · (p_b − p_a) = 0;  σ_x = σ_y = 0;
//!            e_z · (p_b − p_a) − (lead/2π) τ = 0, τ with whole turns
//! Jacobian   parts/point, parts/swing, parts/twist; the last row is a sum of two of them
//! Shapes     5 hard rows, + the rows of the drive
//! Units      lead m per turn; angle rad (whole turns count), N·m
//! Frames     local to each body, z along the screw; rows in world axes at the centres of mass
//! Sign       a positive lead is a right-handed thread
//! Errors     degenerate axis in `at_world`; lead not finite, frames and drive by `validate`
//! Source     R. Featherstone, "Rigid Body Dynamics Algorithms", 2008, §4.4 (helical joint)
//! Tests      tests/jacobian_fd.rs, tests/momentum.rs, tests/ranks.rs, tests/kinds.rs

use crate::axis::Axis;
use crate::drive::{Drive, drive_builders};
use crate::gizmo;
use crate::joint::{Coordinates, Joint, JointCx, Rows, check_frames};
use crate::memory::JointMemory;
use crate::parts::Frames;
use crate::placing::{frame_along, frames_at, normalized, swung};
use core::f64::consts::TAU;
use glam::DVec3;
use rb_core::Result;
use rb_core::draw::DrawSink;
use rb_core::error::check;
use rb_core::math::Pose;
use serde::{Deserialize, Serialize};
use smallvec::smallvec;

/// One free rotation about z that carries a translation along z.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Screw {
    frames: [Pose; 2],
    lead: f64,
    drive: Drive,
}

impl Screw {
    /// Screw between two local frames without lead; angle and slide are zero where they coincide.
    pub fn new(frame_a: Pose, frame_b: Pose) -> Self {
        Self {
            frames: normalized(frame_a, frame_b),
            ..Self::default()
        }
    }

    /// Through the world `point` (m) along the world `axis`; the present angle is zero.
    ///
    /// # Errors
    /// `Degenerate` or `NotFinite` for `axis`.
    pub fn at_world(pose_a: &Pose, pose_b: &Pose, point: DVec3, axis: DVec3) -> Result<Self> {
        let [a, b] = frames_at(pose_a, pose_b, &frame_along(point, axis)?);
        Ok(Self::new(a, b))
    }

    /// Sets the slide per turn (m); negative is a left-handed thread.
    pub fn lead(mut self, lead: f64) -> Self {
        self.lead = lead;
        self
    }
}

drive_builders!(Screw, drive);

impl Joint for Screw {
    fn frames(&self) -> &[Pose; 2] {
        &self.frames
    }

    fn frames_mut(&mut self) -> Option<&mut [Pose; 2]> {
        Some(&mut self.frames)
    }

    fn constraints(&self, cx: &JointCx, memory: &JointMemory, out: &mut Rows) {
        let frames = Frames::new(cx, &self.frames);
        let slide = frames.along(Axis::LinZ);
        out.push(frames.along(Axis::LinX).lock());
        out.push(frames.along(Axis::LinY).lock());
        out.push(slide.plus(-self.lead / TAU, &frames.twist(memory)).lock());
        out.extend(frames.swing().map(|c| c.lock()));
    }

    fn coordinates(&self, cx: &JointCx, memory: &JointMemory) -> Coordinates {
        smallvec![Frames::new(cx, &self.frames).twist(memory)]
    }

    fn placement(&self, values: &[f64; 6]) -> Option<Pose> {
        let mut values = *values;
        values[Axis::LinZ.index()] = self.lead / TAU * values[Axis::AngZ.index()];
        Some(swung(&values))
    }

    fn drive(&self, axis: Axis) -> Option<&Drive> {
        (axis == Axis::AngZ).then_some(&self.drive)
    }

    fn drive_mut(&mut self, axis: Axis) -> Option<&mut Drive> {
        (axis == Axis::AngZ).then_some(&mut self.drive)
    }

    fn validate(&self) -> Result<()> {
        check_frames(&self.frames)?;
        check::finite("lead", self.lead)?;
        self.drive.validate()
    }

    fn draw(&self, cx: &JointCx, sink: &mut dyn DrawSink) {
        gizmo::hinge(&Frames::new(cx, &self.frames), &self.drive, sink);
    }
}
