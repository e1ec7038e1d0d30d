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
use crate::bearing::Swing;
use crate::built::{Along, Jointed, Kind, Single};
use crate::drive::Drive;
use crate::gizmo;
use crate::joint::{Coordinates, JointCx, Rows};
use crate::memory::JointMemory;
use crate::parts::Frames;
use crate::parts::twist::{relative_turn, twist_angle};
use rb_core::draw::DrawSink;
use rb_core::math::Pose;
use serde::{Deserialize, Serialize};
use smallvec::smallvec;

/// One free rotation about z.
pub type Hinge = Jointed<Revolute>;

/// The turn about z is free.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revolute {}

impl Along for Revolute {}
impl Single for Revolute {}

impl Kind for Revolute {
    type Drives = [Drive; 1];
    const DRIVEN: &'static [Axis] = &[Axis::AngZ];

    fn constraints(&self, frames: &Frames, _h: f64, _memory: &JointMemory, out: &mut Rows) {
        frames.hold_point(out);
        let [x, y] = frames.swing();
        out.push(x.lock());
        out.push(y.lock());
    }

    fn coordinates(&self, frames: &Frames, memory: &JointMemory) -> Coordinates {
        smallvec![frames.twist(memory)]
    }

    fn driven(
        &self,
        [drive]: &[Drive; 1],
        frames: &Frames,
        h: f64,
        memory: &JointMemory,
        out: &mut Rows,
    ) {
        if !drive.is_idle() {
            drive.rows(&frames.twist(memory), h, out);
        }
    }

    fn turns(&self, [drive]: &[Drive; 1]) -> Option<(Swing, [f64; 2])> {
        Some((Swing::Locked, drive.bare_stops()?))
    }

    fn track(&self, cx: &JointCx, local: &[Pose; 2], memory: &mut JointMemory) {
        memory.angle[2] = twist_angle(relative_turn(cx, local), memory);
    }

    fn draw(&self, [drive]: &[Drive; 1], frames: &Frames, sink: &mut dyn DrawSink) {
        gizmo::hinge(frames, drive, sink);
    }
}
