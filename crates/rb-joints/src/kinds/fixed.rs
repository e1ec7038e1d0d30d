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

use crate::axis::Axis;
use crate::built::{Jointed, Kind};
use crate::drive::Drive;
use crate::joint::{Coordinates, Rows};
use crate::memory::JointMemory;
use crate::parts::Frames;
use glam::DVec3;
use rb_core::math::Pose;
use serde::{Deserialize, Serialize};

/// Welds b to a.
pub type Fixed = Jointed<Weld>;

/// No free coordinate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weld {}

impl Fixed {
    /// Welds the bodies where they are; the reaction is reported at the world `point` (m).
    pub fn at_world(pose_a: &Pose, pose_b: &Pose, point: DVec3) -> Self {
        Self::placed(pose_a, pose_b, &Pose::from_translation(point))
    }
}

impl Kind for Weld {
    type Drives = [Drive; 0];
    const DRIVEN: &'static [Axis] = &[];

    fn constraints(&self, frames: &Frames, _h: f64, _memory: &JointMemory, out: &mut Rows) {
        frames.hold_point(out);
        out.extend(frames.swing().map(|c| c.lock()));
        out.push(frames.twist_error().lock());
    }

    fn coordinates(&self, _frames: &Frames, _memory: &JointMemory) -> Coordinates {
        Coordinates::new()
    }
}
