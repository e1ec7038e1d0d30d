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
use crate::drive::Drive;
use crate::joint::{Coordinates, Joint, JointCx, Rows};
use crate::memory::JointMemory;
use crate::parts::Frames;
use crate::placing::{crossed, frame_across, frames_at, normalized};
use glam::DVec3;
use rb_core::Result;
use rb_core::math::Pose;
use serde::{Deserialize, Serialize};

/// One free translation and two free rotations about crossing axes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wheel {
    frames: [Pose; 2],
    /// Suspension, steering, spin.
    drives: Box<[Drive; 3]>,
}

impl Wheel {
    /// Wheel between two local frames; all three coordinates are zero where they coincide.
    pub fn new(frame_a: Pose, frame_b: Pose) -> Self {
        Self {
            frames: normalized(frame_a, frame_b),
            ..Self::default()
        }
    }

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
        let [a, b] = frames_at(pose_a, pose_b, &frame_across(point, strut, axle)?);
        Ok(Self::new(a, b))
    }

    /// Sets what acts along the strut.
    pub fn suspension(mut self, drive: Drive) -> Self {
        self.drives[0] = drive;
        self
    }

    /// Sets what acts about the strut.
    pub fn steering(mut self, drive: Drive) -> Self {
        self.drives[1] = drive;
        self
    }

    /// Sets what acts about the axle.
    pub fn spin(mut self, drive: Drive) -> Self {
        self.drives[2] = drive;
        self
    }
}

impl Joint for Wheel {
    fn frames(&self) -> &[Pose; 2] {
        &self.frames
    }

    fn frames_mut(&mut self) -> Option<&mut [Pose; 2]> {
        Some(&mut self.frames)
    }

    fn constraints(&self, cx: &JointCx, _memory: &JointMemory, out: &mut Rows) {
        let frames = Frames::new(cx, &self.frames);
        out.push(frames.along(Axis::LinY).lock());
        out.push(frames.along(Axis::LinZ).lock());
        out.push(frames.crossing().lock());
    }

    fn coordinates(&self, cx: &JointCx, memory: &JointMemory) -> Coordinates {
        let frames = Frames::new(cx, &self.frames);
        let mut out = Coordinates::from_iter([frames.along(Axis::LinX)]);
        out.extend(frames.cross_angles(memory));
        out
    }

    fn drive(&self, axis: Axis) -> Option<&Drive> {
        driven(axis).map(|k| &self.drives[k])
    }

    fn drive_mut(&mut self, axis: Axis) -> Option<&mut Drive> {
        driven(axis).map(|k| &mut self.drives[k])
    }

    fn placement(&self, values: &[f64; 6]) -> Option<Pose> {
        Some(crossed(values))
    }
}

/// Number of the drive of an axis.
fn driven(axis: Axis) -> Option<usize> {
    [Axis::LinX, Axis::AngX, Axis::AngY]
        .iter()
        .position(|&a| a == axis)
}
