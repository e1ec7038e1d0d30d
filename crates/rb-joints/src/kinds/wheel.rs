//! Wheel: b hangs on a by a sprung strut, steers about it and spins about its own axle.
//!
//! Equation   e_y · (p_b − p_a) = e_z · (p_b − p_a) = 0;  x_a · y_b = 0
//! Jacobian   parts/point, parts/cross; suspension: parts/point along x; steering α about x of a and
//!            spin β about y of b: parts/cross
//! Shapes     3 hard rows, + the rows of three drives
//! Units      suspension m, N; steering and spin rad (whole turns count), N·m
//! Frames     x of a is the strut, y of b the axle; rows in world axes at the centres of mass
//! Sign       the suspension grows when b moves along +x of a
//! Errors     degenerate or parallel axes in `at_world`; those of the frames and drives by `validate`
//! Source     E. J. Haug, "Computer Aided Kinematics and Dynamics of Mechanical Systems", 1989, §9.4
//!            (universal joint, with the strut's translation freed)
//! Tests      tests/jacobian_fd.rs, tests/curvature_fd.rs, tests/momentum.rs, tests/ranks.rs

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

/// One free translation and two free rotations about crossing axes.
pub type Wheel = Jointed<Strut>;

/// The slide along x of a and the turns about it and about y of b are free.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strut {}

/// Suspension, steering, spin; boxed, since room for three would make every joint larger.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WheelDrives(Box<[Drive; 3]>);

impl AsRef<[Drive]> for WheelDrives {
    fn as_ref(&self) -> &[Drive] {
        &self.0[..]
    }
}

impl AsMut<[Drive]> for WheelDrives {
    fn as_mut(&mut self) -> &mut [Drive] {
        &mut self.0[..]
    }
}

impl Wheel {
    /// At the world `point` (m, the wheel's centre) with the `strut` carried by a and the `axle` by b
    /// (world directions, made perpendicular); all coordinates are zero now.
    ///
    /// # Errors
    /// `Degenerate` or `NotFinite` for `axis_a` (strut) or `axis_b` (axle); parallel ones are degenerate.
    pub fn at_world(
        pose_a: &Pose,
        pose_b: &Pose,
        point: DVec3,
        strut: DVec3,
        axle: DVec3,
    ) -> Result<Self> {
        let world = frame_across(point, strut, axle)?;
        Ok(Self::placed(pose_a, pose_b, &world))
    }

    /// Sets what acts along the strut.
    pub fn suspension(self, drive: Drive) -> Self {
        self.with(0, drive)
    }

    /// Sets what acts about the strut.
    pub fn steering(self, drive: Drive) -> Self {
        self.with(1, drive)
    }

    /// Sets what acts about the axle.
    pub fn spin(self, drive: Drive) -> Self {
        self.with(2, drive)
    }
}

impl Kind for Strut {
    type Drives = WheelDrives;
    const DRIVEN: &'static [Axis] = &[Axis::LinX, Axis::AngX, Axis::AngY];
    const PLACING: Placing = Placing::Across;

    fn constraints(&self, frames: &Frames, _h: f64, _memory: &JointMemory, out: &mut Rows) {
        out.push(frames.along(Axis::LinY).lock());
        out.push(frames.along(Axis::LinZ).lock());
        out.push(frames.crossing().lock());
    }

    fn coordinates(&self, frames: &Frames, memory: &JointMemory) -> Coordinates {
        let mut out = Coordinates::from_iter([frames.along(Axis::LinX)]);
        out.extend(frames.cross_angles(memory));
        out
    }

    fn placement(&self, values: &[f64; 6]) -> Option<Pose> {
        Some(crossed(values))
    }
}
