//! The contract of a joint: what it sees, what it states, what it remembers.
//!
//! A joint is a set of locked directions plus free coordinates with drives. It states both as
//! [`Row`]s: physics in SI units, no step size, no scheme, nothing special for any solver.
//!
//! Sign       coordinate = b relative to a, right-handed; impulse + on b, − on a
//! Frames     `frames` are local to each *body frame*; rows are in world axes at the centres of mass
//! Momentum   every row is a force along one common line or a pure pair of torques: its net force
//!            and net moment vanish at every state, admissible or not
//! Source     E. J. Haug, "Computer Aided Kinematics and Dynamics of Mechanical Systems", 1989,
//!            ch. 9 (constraint library); the common line of action is derived in `parts::point`

use crate::axis::Axis;
use crate::bearing::Bearing;
use crate::drive::Drive;
use crate::gizmo;
use crate::memory::JointMemory;
use crate::parts::Frames;
use crate::placing::swung;
use glam::DVec3;
use rb_core::draw::DrawSink;
use rb_core::math::{Pose, Twist, exp_rotation};
use rb_core::row::{Course, Row, RowKind};
use rb_core::{Error, Result, error::check};
use smallvec::SmallVec;

/// One body as a joint sees it. A static body has zero velocity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointBody {
    /// Body frame in the world.
    pub pose: Pose,
    /// Centre of mass in the world (m).
    pub com: DVec3,
    /// Velocity at the centre of mass (m/s, rad/s), world axes.
    pub vel: Twist,
}

impl JointBody {
    /// From the centre of mass to a point of the body frame (m, world axes). No place in the world is rounded into it.
    #[inline]
    pub fn arm(&self, point: DVec3) -> DVec3 {
        (self.pose.p - self.com) + self.pose.q * point
    }
}

/// A body displaced by a translation (m) and a rotation vector (rad) about its centre of mass.
pub fn carried(body: &JointBody, by: &Twist) -> JointBody {
    let turn = exp_rotation(by.ang);
    let mut out = *body;
    out.com += by.lin;
    out.pose.p = out.com + turn * (body.pose.p - body.com);
    out.pose.q = (turn * body.pose.q).normalize();
    out
}

/// What a joint may look at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointCx {
    /// First body.
    pub a: JointBody,
    /// Second body.
    pub b: JointBody,
    /// Substep (s). Decides only which limits are close enough to need a row.
    pub h: f64,
}

impl JointCx {
    /// Rows of a joint with both bodies displaced by `by`, one translation (m) and rotation vector
    /// (rad) each.
    pub fn rows_at(&self, joint: &dyn Joint, memory: &JointMemory, by: &[Twist]) -> Rows {
        let mut rows = Rows::new();
        joint.rows(&self.displaced(by), memory, &mut rows);
        rows
    }

    /// The context with both bodies displaced by `by`.
    pub fn displaced(&self, by: &[Twist]) -> Self {
        Self {
            a: carried(&self.a, &by[0]),
            b: carried(&self.b, &by[1]),
            h: self.h,
        }
    }
}

/// Rows of one joint, or of several one after another.
pub type Rows = Vec<Row>;

/// One scalar function of the two poses with its rate and exact derivative.
///
/// Pushing a generalised force u (N or N·m) along a coordinate is adding `jacᵀ u` to the bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinate {
    /// Which of the six directions it measures.
    pub axis: Axis,
    /// Value (m or rad); angles of unlimited rotation include whole turns.
    pub value: f64,
    /// Rate `jac · v` (m/s or rad/s).
    pub rate: f64,
    /// Derivative with respect to the motion of (a, b).
    pub jac: [Twist; 2],
    /// How a row that holds it moves with the bodies.
    pub course: Course,
}

/// Free coordinates of one joint.
pub type Coordinates = SmallVec<[Coordinate; 6]>;

/// A joint between two bodies.
///
/// Implementors state `frames`, `constraints` and `coordinates`, and `drive` where a coordinate can be
/// driven; everything else has a default.
pub trait Joint: core::fmt::Debug + Send + Sync {
    /// Joint frames in the body frames of (a, b).
    fn frames(&self) -> &[Pose; 2];

    /// Appends the rows no drive states: locked directions and joint-specific limits.
    fn constraints(&self, cx: &JointCx, memory: &JointMemory, out: &mut Rows);

    /// The free coordinates, in the order of their axes.
    fn coordinates(&self, cx: &JointCx, memory: &JointMemory) -> Coordinates;

    /// Joint frames for editing between steps; `None` where they cannot be edited.
    fn frames_mut(&mut self) -> Option<&mut [Pose; 2]> {
        None
    }

    /// The drive of a free coordinate.
    fn drive(&self, _axis: Axis) -> Option<&Drive> {
        None
    }

    /// The drive of a free coordinate, for commands between steps.
    fn drive_mut(&mut self, _axis: Axis) -> Option<&mut Drive> {
        None
    }

    /// Pose of b's joint frame in a's for given values of the free coordinates, by [`Axis::index`]
    /// (m, rad; locked and absent ones are zero): the way from joint coordinates to poses. The default
    /// is a translation followed by swing and twist. `None` where the values do not fix the pose, as
    /// for a distance.
    fn placement(&self, values: &[f64; 6]) -> Option<Pose> {
        Some(swung(values))
    }

    /// Checks frames and drives.
    ///
    /// # Errors
    /// The first argument that is not finite, out of range or contradicts another.
    fn validate(&self) -> Result<()> {
        check_frames(self.frames())?;
        for drive in Axis::ALL.into_iter().filter_map(|axis| self.drive(axis)) {
            drive.validate()?;
        }
        Ok(())
    }

    /// Appends all rows, hard bilateral ones first, each with its last impulse as warm start.
    fn rows(&self, cx: &JointCx, memory: &JointMemory, out: &mut Rows) {
        let first = out.len();
        self.constraints(cx, memory, out);
        let driven = |axis| self.drive(axis).is_some_and(|drive| !drive.is_idle());
        if Axis::ALL.into_iter().any(driven) {
            for coordinate in self.coordinates(cx, memory) {
                if let Some(drive) = self.drive(coordinate.axis) {
                    drive.rows(&coordinate, cx.h, out);
                }
            }
        }
        put_in_order(&mut out[first..], memory);
    }

    /// Appends the rows that are not anchored: all that is left to state for whoever carries the others along
    /// with the bodies.
    fn loose_rows(&self, cx: &JointCx, memory: &JointMemory, out: &mut Rows) {
        let first = out.len();
        self.rows(cx, memory, out);
        drop_anchored(out, first);
    }

    /// What [`rows`](Self::rows) follow from, if they are those of a [`bearing`](crate::bearing), of whose angles
    /// the twist alone counts turns.
    fn bearing(&self) -> Option<Bearing<'_>> {
        None
    }

    /// The joint frames, if [`rows`](Self::rows) are those of a [`pin`](crate::pin) between them, and of its angles
    /// the twist alone counts turns.
    fn pin(&self) -> Option<&[Pose; 2]> {
        let bearing = self.bearing()?;
        bearing.is_pin().then_some(bearing.frames)
    }

    /// Writes the angles reached by a step into the memory, so that turns are not lost.
    /// Exact while no angle changes by more than half a turn per call.
    fn track(&self, cx: &JointCx, memory: &mut JointMemory) {
        for c in self.coordinates(cx, memory) {
            if c.axis.is_angular() {
                memory.angle[c.axis.index() - 3] = c.value;
            }
        }
    }

    /// Draws both joint frames and the line between their origins.
    fn draw(&self, cx: &JointCx, sink: &mut dyn DrawSink) {
        gizmo::frames(&Frames::new(cx, self.frames()), sink);
    }
}

/// Drops the anchored rows from the `first` on.
pub(crate) fn drop_anchored(rows: &mut Rows, first: usize) {
    let loose = |row: &Row| row.course != Course::Anchored;
    if rows[first..].iter().all(loose) {
        return;
    }
    let mut number = 0;
    rows.retain(|row| {
        number += 1;
        number <= first || loose(row)
    });
}

/// Hard bilateral rows first, each row with its last impulse as warm start.
pub(crate) fn put_in_order(rows: &mut [Row], memory: &JointMemory) {
    if !rows.is_sorted_by_key(|row| !is_rigid(row)) {
        rows.sort_by_key(|row| !is_rigid(row));
    }
    for row in rows {
        row.warm = memory.impulse(row.slot);
    }
}

/// Whether a row is hard, bilateral and on the position: the ones that remove a freedom.
#[inline]
pub fn is_rigid(row: &Row) -> bool {
    row.kind == RowKind::HARD && row.lo == f64::NEG_INFINITY && row.hi == f64::INFINITY
}

/// Finite positions and unit rotations.
///
/// # Errors
/// `NotFinite`, `Degenerate` or `OutOfRange` naming the frame.
pub fn check_frames(frames: &[Pose; 2]) -> Result<()> {
    for (frame, [position, rotation]) in frames
        .iter()
        .zip([["frame_a.p", "frame_a.q"], ["frame_b.p", "frame_b.q"]])
    {
        check::vector(position, frame.p)?;
        check::rotation(rotation, frame.q)?;
        let length = frame.q.length();
        if (length - 1.0).abs() > 1e-6 {
            return Err(Error::OutOfRange {
                argument: rotation,
                value: length,
                valid: "a unit quaternion",
            });
        }
    }
    Ok(())
}
