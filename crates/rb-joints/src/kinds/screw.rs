//! Screw (helical joint): b slides along z by one lead per turn about z.
//!
//! Equation   e_x · (p_b − p_a) = e_y · (p_b − p_a) = 0;  σ_x = σ_y = 0;
//!            e_z · (p_b − p_a) − (lead/2π) τ = 0, τ with whole turns
//! Jacobian   parts/point, parts/swing, parts/twist; the last row is a sum of two of them
//! Shapes     5 hard rows, + the rows of the drive
//! Units      lead m per turn; angle rad (whole turns count), N·m
//! Frames     local to each body, z along the screw; rows in world axes at the centres of mass
//! Sign       a positive lead is a right-handed thread
//! Errors     degenerate axis in `at_world`; lead not finite, frames and drive by `validate`
//! Source     R. Featherstone, "Rigid Body Dynamics Algorithms", 2008, §4.4 (helical joint)
//! Tests      tests/jacobian_fd.rs, tests/momentum.rs, tests/ranks.rs, and below

use crate::axis::Axis;
use crate::built::{Along, Jointed, Kind, Single};
use crate::drive::Drive;
use crate::gizmo;
use crate::joint::{Coordinates, Rows};
use crate::memory::JointMemory;
use crate::parts::Frames;
use crate::placing::swung;
use core::f64::consts::TAU;
use rb_core::Result;
use rb_core::draw::DrawSink;
use rb_core::error::check;
use rb_core::math::Pose;
use serde::{Deserialize, Serialize};
use smallvec::smallvec;

/// One free rotation about z that carries a translation along z; without lead until it is given.
pub type Screw = Jointed<Thread>;

/// The turn about z is free, the slide follows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Thread {
    lead: f64,
}

impl Along for Thread {}
impl Single for Thread {}

impl Screw {
    /// Sets the slide per turn (m); negative is a left-handed thread.
    pub fn lead(mut self, lead: f64) -> Self {
        self.kind.lead = lead;
        self
    }
}

impl Kind for Thread {
    type Drives = [Drive; 1];
    const DRIVEN: &'static [Axis] = &[Axis::AngZ];

    fn constraints(&self, frames: &Frames, _h: f64, memory: &JointMemory, out: &mut Rows) {
        let slide = frames.along(Axis::LinZ);
        out.push(frames.along(Axis::LinX).lock());
        out.push(frames.along(Axis::LinY).lock());
        out.push(slide.plus(-self.lead / TAU, &frames.twist(memory)).lock());
        out.extend(frames.swing().map(|c| c.lock()));
    }

    fn coordinates(&self, frames: &Frames, memory: &JointMemory) -> Coordinates {
        smallvec![frames.twist(memory)]
    }

    fn placement(&self, values: &[f64; 6]) -> Option<Pose> {
        let mut values = *values;
        values[Axis::LinZ.index()] = self.lead / TAU * values[Axis::AngZ.index()];
        Some(swung(&values))
    }

    fn validate(&self, _drives: &[Drive; 1]) -> Result<()> {
        check::finite("lead", self.lead).map(|_| ())
    }

    fn draw(&self, [drive]: &[Drive; 1], frames: &Frames, sink: &mut dyn DrawSink) {
        gizmo::hinge(frames, drive, sink);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint::{Joint, JointBody, JointCx};
    use glam::DVec3;
    use rb_core::math::exp_rotation;

    #[test]
    fn a_screw_advances_one_lead_per_turn() {
        let joint = Screw::default().lead(0.02);
        let mut memory = JointMemory::default();
        let mut cx = JointCx {
            a: JointBody::default(),
            b: JointBody::default(),
            h: 0.01,
        };
        for k in 0..=60 {
            let angle = 0.2 * f64::from(k);
            let slide = DVec3::Z * (0.02 * angle / TAU);
            cx.b.pose = Pose::new(slide, exp_rotation(DVec3::Z * angle));
            cx.b.com = slide;
            joint.track(&cx, &mut memory);
            let mut rows = Rows::new();
            joint.rows(&cx, &memory, &mut rows);
            assert!(rows.iter().all(|row| row.gap.abs() < 1e-14));
        }
        assert!((memory.angle[2] - 12.0).abs() < 1e-12);
    }

    #[test]
    fn a_lead_is_a_number() {
        assert!(Screw::default().lead(f64::NAN).validate().is_err());
    }
}
