//! Distance joint: rod, rope, strut or spring between two anchors.
//!
//! Equation   ℓ = |p_b − p_a|;  rod ℓ = L;  rope ℓ ≤ L;  range L₁ ≤ ℓ ≤ L₂;  spring −k (ℓ − L) − d ℓ̇
//! Jacobian   parts/point (distance)
//! Shapes     the rows of the drive on ℓ: 1 hard row for a rod, 1 boxed row for a taut rope, …
//! Units      m, N, N/m, N·s/m
//! Frames     anchors are the origins of the joint frames, local to each body
//! Sign       positive force pushes the anchors apart
//! Errors     a bound or rest length below zero, a rod or rope of length zero, by `validate`
//! Source     E. J. Haug, "Computer Aided Kinematics and Dynamics of Mechanical Systems", 1989, §9.4
//! Tests      tests/jacobian_fd.rs, tests/momentum.rs, tests/kinds.rs

use crate::axis::Axis;
use crate::drive::{Drive, drive_builders};
use crate::joint::{Coordinates, Joint, JointCx, Rows, check_frames};
use crate::memory::JointMemory;
use crate::parts::Frames;
use crate::placing::normalized;
use glam::DVec3;
use rb_core::Result;
use rb_core::draw::{DrawSink, color};
use rb_core::error::check;
use rb_core::math::Pose;
use serde::{Deserialize, Serialize};
use smallvec::smallvec;

/// Acts along the line between two anchors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Distance {
    frames: [Pose; 2],
    drive: Drive,
}

impl Distance {
    /// Between the origins of two local frames, free until bounds or a spring are given.
    pub fn new(frame_a: Pose, frame_b: Pose) -> Self {
        Self {
            frames: normalized(frame_a, frame_b),
            drive: Drive::default(),
        }
    }

    /// Between two world points (m), one carried by each body.
    pub fn at_world(pose_a: &Pose, pose_b: &Pose, point_a: DVec3, point_b: DVec3) -> Self {
        Self::new(
            Pose::from_translation(pose_a.inverse_point(point_a)),
            Pose::from_translation(pose_b.inverse_point(point_b)),
        )
    }

    /// Holds the distance at `length` (m).
    pub fn rod(self, length: f64) -> Self {
        self.limits(length, length)
    }

    /// Holds the distance below `length` (m).
    pub fn rope(self, length: f64) -> Self {
        self.limits(f64::NEG_INFINITY, length)
    }
}

drive_builders!(Distance, drive);

impl Joint for Distance {
    fn frames(&self) -> &[Pose; 2] {
        &self.frames
    }

    fn frames_mut(&mut self) -> Option<&mut [Pose; 2]> {
        Some(&mut self.frames)
    }

    fn constraints(&self, _cx: &JointCx, _memory: &JointMemory, _out: &mut Rows) {}

    fn coordinates(&self, cx: &JointCx, _memory: &JointMemory) -> Coordinates {
        smallvec![Frames::new(cx, &self.frames).distance()]
    }

    fn placement(&self, _values: &[f64; 6]) -> Option<Pose> {
        None
    }

    fn drive(&self, axis: Axis) -> Option<&Drive> {
        (axis == Axis::LinZ).then_some(&self.drive)
    }

    fn drive_mut(&mut self, axis: Axis) -> Option<&mut Drive> {
        (axis == Axis::LinZ).then_some(&mut self.drive)
    }

    fn validate(&self) -> Result<()> {
        check_frames(&self.frames)?;
        self.drive.validate()?;
        if let Some(limits) = self.drive.limits {
            limits
                .lower
                .map_or(Ok(0.0), |l| check::non_negative("limits.lower", l))?;
            limits
                .upper
                .map_or(Ok(0.0), |l| check::positive("limits.upper", l))?;
        }
        if let Some(spring) = self.drive.spring {
            check::non_negative("spring.rest", spring.rest)?;
        }
        Ok(())
    }

    fn draw(&self, cx: &JointCx, sink: &mut dyn DrawSink) {
        let frames = Frames::new(cx, &self.frames);
        sink.line(frames.a.p, frames.b.p, color::JOINT);
        sink.point(frames.a.p, color::JOINT);
        sink.point(frames.b.p, color::JOINT);
    }
}
