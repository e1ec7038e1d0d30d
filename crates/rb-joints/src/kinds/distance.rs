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
use crate::built::{Jointed, Kind, Single};
use crate::drive::Drive;
use crate::joint::{Coordinates, Rows};
use crate::memory::JointMemory;
use crate::parts::Frames;
use crate::stated::Placing;
use glam::DVec3;
use rb_core::Result;
use rb_core::draw::{DrawSink, color};
use rb_core::error::check;
use rb_core::math::Pose;
use serde::{Deserialize, Serialize};
use smallvec::smallvec;

/// Acts along the line between two anchors; free until bounds or a spring are given.
pub type Distance = Jointed<Span>;

/// The distance of the anchors is the only coordinate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {}

impl Single for Span {}

impl Distance {
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

impl Kind for Span {
    type Drives = [Drive; 1];
    const DRIVEN: &'static [Axis] = &[Axis::LinZ];
    const PLACING: Placing = Placing::Apart;

    fn constraints(&self, _frames: &Frames, _h: f64, _memory: &JointMemory, _out: &mut Rows) {}

    fn coordinates(&self, frames: &Frames, _memory: &JointMemory) -> Coordinates {
        smallvec![frames.distance()]
    }

    fn placement(&self, _values: &[f64; 6]) -> Option<Pose> {
        None
    }

    fn validate(&self, [drive]: &[Drive; 1]) -> Result<()> {
        if let Some(limits) = drive.limits {
            limits
                .lower
                .map_or(Ok(0.0), |l| check::non_negative("limits.lower", l))?;
            limits
                .upper
                .map_or(Ok(0.0), |l| check::positive("limits.upper", l))?;
        }
        if let Some(spring) = drive.spring {
            check::non_negative("spring.rest", spring.rest)?;
        }
        Ok(())
    }

    fn draw(&self, _drives: &[Drive; 1], frames: &Frames, sink: &mut dyn DrawSink) {
        sink.line(frames.a.p, frames.b.p, color::JOINT);
        sink.point(frames.a.p, color::JOINT);
        sink.point(frames.b.p, color::JOINT);
    }
}
