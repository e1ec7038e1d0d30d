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
use crate::bearing::Swing;
use crate::built::{Jointed, Kind};
use crate::drive::Drive;
use crate::elements::Limits;
use crate::gizmo;
use crate::joint::{Coordinates, JointCx, Rows};
use crate::memory::JointMemory;
use crate::parts::Frames;
use crate::parts::point::UNITS;
use crate::parts::twist::{relative_turn, twist_angle};
use crate::placing::frame_along;
use core::f64::consts::PI;
use glam::DVec3;
use rb_core::draw::DrawSink;
use rb_core::error::check;
use rb_core::math::Pose;
use rb_core::row::Row;
use rb_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// Three free rotations.
pub type Ball = Jointed<Socket>;

/// All rotations are free, within a cone if there is one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Socket {
    cone: Option<f64>,
    friction: f64,
}

impl Ball {
    /// Ball joint at the world `point` (m); z is world z.
    pub fn at_world(pose_a: &Pose, pose_b: &Pose, point: DVec3) -> Self {
        Self::placed(pose_a, pose_b, &Pose::from_translation(point))
    }

    /// Ball joint at the world `point` (m) whose cone and twist are about the world `axis`.
    ///
    /// # Errors
    /// `Degenerate` or `NotFinite` for `axis`.
    pub fn along_world(pose_a: &Pose, pose_b: &Pose, point: DVec3, axis: DVec3) -> Result<Self> {
        Ok(Self::placed(pose_a, pose_b, &frame_along(point, axis)?))
    }

    /// Keeps the angle between the two z axes below `angle` (rad).
    pub fn cone(mut self, angle: f64) -> Self {
        self.kind.cone = Some(angle);
        self
    }

    /// Sets what acts on the rotation about z.
    pub fn twist(self, drive: Drive) -> Self {
        self.with(0, drive)
    }

    /// Sets the largest dry friction torque about each axis (N·m).
    pub fn friction(mut self, torque: f64) -> Self {
        self.kind.friction = torque;
        self
    }
}

impl Socket {
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

impl Kind for Socket {
    type Drives = [Drive; 1];
    const DRIVEN: &'static [Axis] = &[Axis::AngZ];

    fn constraints(&self, frames: &Frames, h: f64, _memory: &JointMemory, out: &mut Rows) {
        frames.hold_point(out);
        self.friction_rows(frames, out);
        self.cone_rows(frames, h, out);
    }

    fn coordinates(&self, frames: &Frames, memory: &JointMemory) -> Coordinates {
        let mut out = Coordinates::from_iter(frames.swing());
        out.push(frames.twist(memory));
        out
    }

    fn driven(
        &self,
        [twist]: &[Drive; 1],
        frames: &Frames,
        h: f64,
        memory: &JointMemory,
        out: &mut Rows,
    ) {
        if !twist.is_idle() {
            twist.rows(&frames.twist(memory), h, out);
        }
    }

    fn turns(&self, [twist]: &[Drive; 1]) -> Option<(Swing, [f64; 2])> {
        let stops = twist.bare_stops().filter(|_| self.friction == 0.0)?;
        Some((self.cone.map_or(Swing::Free, Swing::Cone), stops))
    }

    fn track(&self, cx: &JointCx, local: &[Pose; 2], memory: &mut JointMemory) {
        memory.angle[2] = twist_angle(relative_turn(cx, local), memory);
    }

    fn validate(&self, [twist]: &[Drive; 1]) -> Result<()> {
        check::non_negative("friction", self.friction)?;
        if self.friction > 0.0 && twist.friction > 0.0 {
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

    fn draw(&self, _drives: &[Drive; 1], frames: &Frames, sink: &mut dyn DrawSink) {
        gizmo::ball(frames, self.cone, sink);
    }
}
