//! Ball joint (spherical): the anchors coincide, all rotations are free within optional bounds.
//!
//! Equation   e_i · (p_b − p_a) = 0 (i = x, y, z);  cone: θ ≤ θ_max with θ the angle between the
//!            two z axes;  twist τ by a drive;  friction: ω_i = 0 with |torque_i| ≤ τ_f, i = x, y, z
//! Jacobian   parts/point, parts/swing (cone), parts/twist
//! Shapes     3 hard rows, + 1 for the cone, + 3 for friction, + the rows of the twist drive
//! Units      m, rad; torques N·m
//! Frames     local to each body, z along the bone or cone; rows in world axes
//! Friction   a box along the axes of a's frame: the bound holds for each axis on its own
//! Errors     cone outside (0, π], negative friction, friction given twice for the twist
//! Source     E. J. Haug, "Computer Aided Kinematics and Dynamics of Mechanical Systems", 1989, §9.4;
//!            P. Baerlocher, R. Boulic, "Parametrization and range of motion of the ball-and-socket
//!            joint", 2001
//! Tests      tests/jacobian_fd.rs, tests/momentum.rs, tests/ranks.rs, tests/kinds.rs

use crate::axis::{Axis, Role};
use crate::drive::Drive;
use crate::elements::Limits;
use crate::gizmo;
use crate::joint::{Coordinates, Joint, JointCx, Rows, check_frames};
use crate::memory::JointMemory;
use crate::parts::Frames;
use crate::parts::point::UNITS;
use crate::placing::{frame_along, frames_at, normalized};
use core::f64::consts::PI;
use glam::DVec3;
use rb_core::draw::DrawSink;
use rb_core::error::check;
use rb_core::math::Pose;
use rb_core::row::Row;
use rb_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// Three free rotations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ball {
    frames: [Pose; 2],
    cone: Option<f64>,
    twist: Drive,
    friction: f64,
}

impl Ball {
    /// Ball joint between two local frames.
    pub fn new(frame_a: Pose, frame_b: Pose) -> Self {
        Self {
            frames: normalized(frame_a, frame_b),
            ..Self::default()
        }
    }

    /// Ball joint at the world `point` (m); z is world z.
    pub fn at_world(pose_a: &Pose, pose_b: &Pose, point: DVec3) -> Self {
        let [a, b] = frames_at(pose_a, pose_b, &Pose::from_translation(point));
        Self::new(a, b)
    }

    /// Ball joint at the world `point` (m) whose cone and twist are about the world `axis`.
    ///
    /// # Errors
    /// `Degenerate` or `NotFinite` for `axis`.
    pub fn along_world(pose_a: &Pose, pose_b: &Pose, point: DVec3, axis: DVec3) -> Result<Self> {
        let [a, b] = frames_at(pose_a, pose_b, &frame_along(point, axis)?);
        Ok(Self::new(a, b))
    }

    /// Keeps the angle between the two z axes below `angle` (rad).
    pub fn cone(mut self, angle: f64) -> Self {
        self.cone = Some(angle);
        self
    }

    /// Sets what acts on the rotation about z.
    pub fn twist(mut self, drive: Drive) -> Self {
        self.twist = drive;
        self
    }

    /// Sets the largest dry friction torque about each axis (N·m).
    pub fn friction(mut self, torque: f64) -> Self {
        self.friction = torque;
        self
    }

    fn cone_rows(&self, frames: &Frames, h: f64, out: &mut Rows) {
        let Some(angle) = self.cone else { return };
        let stop = Drive::new().range(Limits::new(f64::NEG_INFINITY, angle));
        stop.rows(&frames.cone(), h, out);
    }

    fn friction_rows(&self, frames: &Frames, out: &mut Rows) {
        if self.friction == 0.0 {
            return;
        }
        for (axis, unit) in [Axis::AngX, Axis::AngY, Axis::AngZ].into_iter().zip(UNITS) {
            let turn = frames.torque(axis, 0.0, frames.a.q * unit);
            let slot = turn.slot(Role::Friction);
            out.push(Row::drive(turn.jac, 0.0, self.friction, slot));
        }
    }
}

impl Joint for Ball {
    fn frames(&self) -> &[Pose; 2] {
        &self.frames
    }

    fn frames_mut(&mut self) -> Option<&mut [Pose; 2]> {
        Some(&mut self.frames)
    }

    fn constraints(&self, cx: &JointCx, _memory: &JointMemory, out: &mut Rows) {
        let frames = Frames::new(cx, &self.frames);
        out.extend(frames.point().map(|c| c.lock()));
        self.friction_rows(&frames, out);
        self.cone_rows(&frames, cx.h, out);
    }

    fn coordinates(&self, cx: &JointCx, memory: &JointMemory) -> Coordinates {
        let frames = Frames::new(cx, &self.frames);
        let mut out = Coordinates::from_iter(frames.swing());
        out.push(frames.twist(memory));
        out
    }

    fn drive(&self, axis: Axis) -> Option<&Drive> {
        (axis == Axis::AngZ).then_some(&self.twist)
    }

    fn drive_mut(&mut self, axis: Axis) -> Option<&mut Drive> {
        (axis == Axis::AngZ).then_some(&mut self.twist)
    }

    fn validate(&self) -> Result<()> {
        check_frames(&self.frames)?;
        self.twist.validate()?;
        check::non_negative("friction", self.friction)?;
        if self.friction > 0.0 && self.twist.friction > 0.0 {
            return Err(Error::Contradiction {
                argument: "twist.friction",
                reason: "the friction of the ball already acts about z; give one of the two".into(),
            });
        }
        if let Some(angle) = self.cone
            && check::positive("cone", angle)? > PI
        {
            return Err(Error::OutOfRange {
                argument: "cone",
                value: angle,
                valid: "0 < cone <= pi",
            });
        }
        Ok(())
    }

    fn draw(&self, cx: &JointCx, sink: &mut dyn DrawSink) {
        gizmo::ball(&Frames::new(cx, &self.frames), self.cone, sink);
    }
}
