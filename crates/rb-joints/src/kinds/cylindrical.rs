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
use crate::built::{Along, Jointed, Kind};
use crate::drive::Drive;
use crate::gizmo;
use crate::joint::{Coordinates, Rows};
use crate::memory::JointMemory;
use crate::parts::Frames;
use rb_core::draw::DrawSink;
use serde::{Deserialize, Serialize};
use smallvec::smallvec;

/// One free translation along z and one free rotation about it.
pub type Cylindrical = Jointed<Sleeve>;

/// Slide along and turn about z are free.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sleeve {}

impl Along for Sleeve {}

impl Cylindrical {
    /// Sets what acts on the translation along z.
    pub fn slide(self, drive: Drive) -> Self {
        self.with(0, drive)
    }

    /// Sets what acts on the rotation about z.
    pub fn turn(self, drive: Drive) -> Self {
        self.with(1, drive)
    }
}

impl Kind for Sleeve {
    type Drives = [Drive; 2];
    const DRIVEN: &'static [Axis] = &[Axis::LinZ, Axis::AngZ];

    fn constraints(&self, frames: &Frames, _h: f64, _memory: &JointMemory, out: &mut Rows) {
        out.push(frames.along(Axis::LinX).lock());
        out.push(frames.along(Axis::LinY).lock());
        out.extend(frames.swing().map(|c| c.lock()));
    }

    fn coordinates(&self, frames: &Frames, memory: &JointMemory) -> Coordinates {
        smallvec![frames.along(Axis::LinZ), frames.twist(memory)]
    }

    fn draw(&self, [slide, _]: &[Drive; 2], frames: &Frames, sink: &mut dyn DrawSink) {
        gizmo::slider(frames, slide, sink);
    }
}
