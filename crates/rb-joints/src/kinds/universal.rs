//! Universal joint (Cardan, Hooke): the anchors coincide and x of a stays perpendicular to y of b.
//!
//! Equation   e_i · (p_b − p_a) = 0 (i = x, y, z);  x_a · y_b = 0
//! Jacobian   parts/point, parts/cross
//! Shapes     4 hard rows, + the rows of the two drives
//! Units      m, rad (whole turns count); torques N·m
//! Frames     local to each body: x of a and y of b are the arms of the cross, z is the line of both
//!            shafts at zero angles; rows in world axes at the centres of mass
//! Sign       first angle right-handed about x of a, second about y of b, b relative to a
//! Errors     degenerate or parallel axes in `at_world`; those of the frames and the drives by
//!            `validate`
//! Source     E. J. Haug, "Computer Aided Kinematics and Dynamics of Mechanical Systems", 1989, §9.4
//! Tests      tests/jacobian_fd.rs, tests/momentum.rs, tests/ranks.rs, tests/kinds.rs

use crate::axis::Axis;
use crate::built::{Jointed, Kind};
use crate::drive::Drive;
use crate::joint::{Coordinates, Rows};
use crate::memory::JointMemory;
use crate::parts::Frames;
use crate::placing::{crossed, frame_across};
use crate::stated::Placing;
use glam::DVec3;
use rb_core::Result;
use rb_core::math::Pose;
use serde::{Deserialize, Serialize};

/// Two free rotations about crossing axes.
pub type Universal = Jointed<Cross>;

/// The turns about x of a and y of b are free.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cross {}

impl Universal {
    /// At the world `point` (m) with the arm `axis_a` carried by a and the arm `axis_b` carried by
    /// b (world directions, made perpendicular); both angles are zero now.
    ///
    /// # Errors
    /// `Degenerate` or `NotFinite` for `axis_a` or `axis_b`; parallel axes are degenerate.
    pub fn at_world(
        pose_a: &Pose,
        pose_b: &Pose,
        point: DVec3,
        [axis_a, axis_b]: [DVec3; 2],
    ) -> Result<Self> {
        let world = frame_across(point, axis_a, axis_b)?;
        Ok(Self::placed(pose_a, pose_b, &world))
    }

    /// Sets what acts on the rotation about x of a.
    pub fn first(self, drive: Drive) -> Self {
        self.with(0, drive)
    }

    /// Sets what acts on the rotation about y of b.
    pub fn second(self, drive: Drive) -> Self {
        self.with(1, drive)
    }
}

impl Kind for Cross {
    type Drives = [Drive; 2];
    const DRIVEN: &'static [Axis] = &[Axis::AngX, Axis::AngY];
    const PLACING: Placing = Placing::Across;

    fn constraints(&self, frames: &Frames, _h: f64, _memory: &JointMemory, out: &mut Rows) {
        frames.hold_point(out);
        out.push(frames.crossing().lock());
    }

    fn coordinates(&self, frames: &Frames, memory: &JointMemory) -> Coordinates {
        Coordinates::from_iter(frames.cross_angles(memory))
    }

    fn placement(&self, values: &[f64; 6]) -> Option<Pose> {
        Some(crossed(values))
    }
}
