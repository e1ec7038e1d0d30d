//! What built-in joints share: two frames, the drives of the free axes, and how they are placed.
//!
//! A kind of joint is what is particular to it, stated as a [`Kind`] in one file: which directions it
//! locks, which coordinates it leaves. [`Jointed`] makes a joint of it.

use crate::axis::Axis;
use crate::bearing::{Bearing, Swing};
use crate::drive::Drive;
use crate::gizmo;
use crate::joint::{Coordinates, Joint, JointCx, Rows, check_frames, drop_anchored, put_in_order};
use crate::memory::JointMemory;
use crate::parts::Frames;
use crate::placing::{frame_along, frames_at, normalized, swung};
use crate::stated::Placing;
use crate::{Actuator, Limits, Motor, Spring};
use core::fmt::Debug;
use glam::DVec3;
use rb_core::Result;
use rb_core::draw::DrawSink;
use rb_core::math::Pose;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Plain data that worlds and files can hold.
pub trait Plain:
    Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync
{
}

impl<T> Plain for T where
    T: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync
{
}

/// What sets one kind of joint apart from the others.
///
/// Frames, placing, drives, storage and the whole of [`Joint`] follow from it. Every function gets the
/// frames in the world: the rows are in world axes at the centres of mass.
pub trait Kind: Plain {
    /// One drive for each of [`Self::DRIVEN`]: `[Drive; N]`.
    type Drives: Plain + AsRef<[Drive]> + AsMut<[Drive]>;
    /// Axes of the drives, in their order.
    const DRIVEN: &'static [Axis];
    /// How files place it.
    const PLACING: Placing = Placing::Along;

    /// Appends the rows no drive states: locked directions and limits of the kind's own. `h` is the
    /// substep (s).
    fn constraints(&self, frames: &Frames, h: f64, memory: &JointMemory, out: &mut Rows);

    /// The free coordinates, in the order of their axes.
    fn coordinates(&self, frames: &Frames, memory: &JointMemory) -> Coordinates;

    /// Appends the rows of the drives. Kinds that need not know all coordinates for that say so.
    fn driven(
        &self,
        drives: &Self::Drives,
        frames: &Frames,
        h: f64,
        memory: &JointMemory,
        out: &mut Rows,
    ) {
        if drives.as_ref().iter().all(Drive::is_idle) {
            return;
        }
        for coordinate in self.coordinates(frames, memory) {
            let number = Self::DRIVEN.iter().position(|&a| a == coordinate.axis);
            if let Some(drive) = number.and_then(|n| drives.as_ref().get(n)) {
                drive.rows(&coordinate, h, out);
            }
        }
    }

    /// Swing and twist of a joint that holds its two points together and does nothing else but lock or stop
    /// these: see [`Joint::bearing`].
    fn turns(&self, _drives: &Self::Drives) -> Option<(Swing, [f64; 2])> {
        None
    }

    /// See [`Joint::track`]. Kinds of which only the twist counts turns say so.
    fn track(&self, cx: &JointCx, local: &[Pose; 2], memory: &mut JointMemory) {
        for c in self.coordinates(&Frames::new(cx, local), memory) {
            if c.axis.is_angular() {
                memory.angle[c.axis.index() - 3] = c.value;
            }
        }
    }

    /// See [`Joint::placement`].
    fn placement(&self, values: &[f64; 6]) -> Option<Pose> {
        Some(swung(values))
    }

    /// Checks what is beyond frames and drives.
    ///
    /// # Errors
    /// The first argument that is not finite, out of range or contradicts another.
    fn validate(&self, _drives: &Self::Drives) -> Result<()> {
        Ok(())
    }

    /// Draws the joint; by default both frames and the line between them.
    fn draw(&self, _drives: &Self::Drives, frames: &Frames, sink: &mut dyn DrawSink) {
        gizmo::frames(frames, sink);
    }
}

/// A kind with one drive, whose builder methods the joint then has itself.
pub trait Single: Kind<Drives = [Drive; 1]> {}

/// A kind that is placed by a point and an axis, the z of both frames.
pub trait Along: Kind {}

/// A joint of a built-in kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Jointed<K: Kind> {
    frames: [Pose; 2],
    pub(crate) kind: K,
    drives: K::Drives,
}

impl<K: Kind> Jointed<K> {
    /// Between two local frames: they coincide where every coordinate is zero.
    pub fn new(frame_a: Pose, frame_b: Pose) -> Self {
        Self {
            frames: normalized(frame_a, frame_b),
            ..Self::default()
        }
    }

    /// The same joint with another drive.
    pub(crate) fn with(mut self, number: usize, drive: Drive) -> Self {
        self.drives.as_mut()[number] = drive;
        self
    }

    /// The same joint with what is particular to its kind.
    pub(crate) fn of(self, kind: K) -> Self {
        Self { kind, ..self }
    }

    /// Between the bodies as they are, with the world frame `world` on both.
    pub(crate) fn placed(pose_a: &Pose, pose_b: &Pose, world: &Pose) -> Self {
        let [a, b] = frames_at(pose_a, pose_b, world);
        Self::new(a, b)
    }
}

impl<K: Along> Jointed<K> {
    /// Through the world `point` (m) along the world `axis`; every coordinate is zero now.
    ///
    /// # Errors
    /// `Degenerate` or `NotFinite` for `axis`.
    pub fn at_world(pose_a: &Pose, pose_b: &Pose, point: DVec3, axis: DVec3) -> Result<Self> {
        Ok(Self::placed(pose_a, pose_b, &frame_along(point, axis)?))
    }
}

/// The builder methods of the drive.
impl<K: Single> Jointed<K> {
    fn driven(mut self, change: impl Fn(Drive) -> Drive) -> Self {
        self.drives = self.drives.map(change);
        self
    }

    /// Keeps the coordinate within [`lower`, `upper`] (m or rad) by hard stops; ±∞ is open.
    pub fn limits(self, lower: f64, upper: f64) -> Self {
        self.driven(|d| d.limits(lower, upper))
    }

    /// Keeps the coordinate within a range that may yield.
    pub fn range(self, limits: Limits) -> Self {
        self.driven(|d| d.range(limits))
    }

    /// Adds a motor.
    pub fn motor(self, motor: Motor) -> Self {
        self.driven(|d| d.motor(motor))
    }

    /// Adds a spring.
    pub fn spring(self, spring: Spring) -> Self {
        self.driven(|d| d.spring(spring))
    }

    /// Adds a force-controlled input.
    pub fn actuator(self, actuator: Actuator) -> Self {
        self.driven(|d| d.actuator(actuator))
    }

    /// Sets the largest dry friction force (N or N·m).
    pub fn friction(self, force: f64) -> Self {
        self.driven(|d| d.friction(force))
    }

    /// Sets the viscous damping (N·s/m or N·m·s/rad).
    pub fn damping(self, damping: f64) -> Self {
        self.driven(|d| d.damping(damping))
    }

    /// Sets the largest rate (m/s or rad/s).
    pub fn max_rate(self, rate: f64) -> Self {
        self.driven(|d| d.max_rate(rate))
    }
}

impl<K: Kind> Joint for Jointed<K> {
    fn frames(&self) -> &[Pose; 2] {
        &self.frames
    }

    fn frames_mut(&mut self) -> Option<&mut [Pose; 2]> {
        Some(&mut self.frames)
    }

    fn constraints(&self, cx: &JointCx, memory: &JointMemory, out: &mut Rows) {
        let frames = Frames::new(cx, &self.frames);
        self.kind.constraints(&frames, cx.h, memory, out);
    }

    fn coordinates(&self, cx: &JointCx, memory: &JointMemory) -> Coordinates {
        let frames = Frames::new(cx, &self.frames);
        self.kind.coordinates(&frames, memory)
    }

    fn rows(&self, cx: &JointCx, memory: &JointMemory, out: &mut Rows) {
        let (frames, first) = (Frames::new(cx, &self.frames), out.len());
        self.kind.constraints(&frames, cx.h, memory, out);
        self.kind.driven(&self.drives, &frames, cx.h, memory, out);
        put_in_order(&mut out[first..], memory);
    }

    fn loose_rows(&self, cx: &JointCx, memory: &JointMemory, out: &mut Rows) {
        let (frames, first) = (Frames::new(cx, &self.frames).loose(), out.len());
        self.kind.constraints(&frames, cx.h, memory, out);
        drop_anchored(out, first);
        self.kind.driven(&self.drives, &frames, cx.h, memory, out);
        put_in_order(&mut out[first..], memory);
    }

    fn bearing(&self) -> Option<Bearing<'_>> {
        let (swing, twist) = self.kind.turns(&self.drives)?;
        Some(Bearing {
            frames: &self.frames,
            swing,
            twist,
        })
    }

    fn track(&self, cx: &JointCx, memory: &mut JointMemory) {
        self.kind.track(cx, &self.frames, memory);
    }

    fn placement(&self, values: &[f64; 6]) -> Option<Pose> {
        self.kind.placement(values)
    }

    fn drive(&self, axis: Axis) -> Option<&Drive> {
        let at = K::DRIVEN.iter().position(|&a| a == axis)?;
        self.drives.as_ref().get(at)
    }

    fn drive_mut(&mut self, axis: Axis) -> Option<&mut Drive> {
        let at = K::DRIVEN.iter().position(|&a| a == axis)?;
        self.drives.as_mut().get_mut(at)
    }

    fn validate(&self) -> Result<()> {
        check_frames(&self.frames)?;
        for drive in self.drives.as_ref() {
            drive.validate()?;
        }
        self.kind.validate(&self.drives)
    }

    fn draw(&self, cx: &JointCx, sink: &mut dyn DrawSink) {
        let frames = Frames::new(cx, &self.frames);
        self.kind.draw(&self.drives, &frames, sink);
    }
}
