//! Slider (prismatic): the attitudes agree and b's origin stays on a's z axis; the slide is free.
//!
//! Equation   e_x · (p_b − p_a) = e_y · (p_b − p_a) = 0;  σ_x = σ_y = 0;  τ = 0
//! Jacobian   parts/point, parts/swing, parts/twist; the slide: parts/point along z
//! Shapes     5 hard rows, + the rows of the drive
//! Units      m, rad; forces N
//! Frames     local to each body, z along the slide; rows in world axes at the centres of mass
//! Sign       the slide grows when b moves along +z of a
//! Errors     degenerate axis in `at_world`; those of the frames and the drive by `validate`
//! Source     E. J. Haug, "Computer Aided Kinematics and Dynamics of Mechanical Systems", 1989, §9.4
//! Tests      tests/jacobian_fd.rs, tests/momentum.rs, tests/ranks.rs, tests/drives.rs

use crate::axis::Axis;
use crate::built::{Along, Jointed, Kind, Single};
use crate::drive::Drive;
use crate::gizmo;
use crate::joint::{Coordinates, Rows};
use crate::memory::JointMemory;
use crate::parts::Frames;
use rb_core::draw::DrawSink;
use serde::{Deserialize, Serialize};
use smallvec::smallvec;

/// One free translation along z.
pub type Slider = Jointed<Prismatic>;

/// The slide along z is free.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prismatic {}

impl Along for Prismatic {}
impl Single for Prismatic {}

impl Kind for Prismatic {
    type Drives = [Drive; 1];
    const DRIVEN: &'static [Axis] = &[Axis::LinZ];

    fn constraints(&self, frames: &Frames, _h: f64, _memory: &JointMemory, out: &mut Rows) {
        out.push(frames.along(Axis::LinX).lock());
        out.push(frames.along(Axis::LinY).lock());
        out.extend(frames.swing().map(|c| c.lock()));
        out.push(frames.twist_error().lock());
    }

    fn coordinates(&self, frames: &Frames, _memory: &JointMemory) -> Coordinates {
        smallvec![frames.along(Axis::LinZ)]
    }

    fn draw(&self, [drive]: &[Drive; 1], frames: &Frames, sink: &mut dyn DrawSink) {
        gizmo::slider(frames, drive, sink);
    }
}
