//! Generic joint: each of the six relative directions is locked or free, a free one can be driven.
//!
//! Equation   locked: e_i · (p_b − p_a) = 0 (i = x, y, z);  σ_x = 0;  σ_y = 0;  τ = 0
//! Angles     swing and twist: z of b is tilted by the rotation vector (σ_x, σ_y, 0) in a's frame
//!            after b has been turned about its own z by τ, so that R = exp(σ) R_z(τ). All three are
//!            regular up to a tilt of half a turn; τ counts whole turns: a direction that shall
//!            turn on for ever belongs on z
//! Jacobian   parts/point, parts/swing, parts/twist
//! Shapes     1 hard row per locked direction, + the rows of the drives
//! Units      m, N; rad, N·m
//! Frames     local to each body; directions are those of a's frame; rows in world axes
//! Sign       b relative to a, right-handed
//! Errors     those of the frames and the drives by `validate`
//! Source     P. Baerlocher, R. Boulic, "Parametrization and range of motion of the ball-and-socket
//!            joint", 2001 (swing–twist); T. Howell et al., "Dojo: A Differentiable Physics Engine
//!            for Robotics", 2022 (translational × rotational prototypes)
//! Tests      tests/jacobian_fd.rs, tests/momentum.rs, tests/ranks.rs (all 64 combinations)

use crate::axis::Axis;
use crate::drive::Drive;
use crate::joint::{Coordinate, Coordinates, Joint, JointCx, Rows};
use crate::memory::JointMemory;
use crate::parts::Frames;
use crate::placing::{frames_at, normalized};
use crate::stated::Stated;
use rb_core::Error;
use rb_core::math::Pose;
use serde::{Deserialize, Deserializer, Serialize};

/// Any combination of free and locked directions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SixDof {
    frames: [Pose; 2],
    /// By [`Axis::index`]; `None` is locked.
    axes: Box<[Option<Drive>; 6]>,
}

impl SixDof {
    /// Between two local frames, all six directions free.
    pub fn new(frame_a: Pose, frame_b: Pose) -> Self {
        Self {
            frames: normalized(frame_a, frame_b),
            axes: Box::new([Some(Drive::default()); 6]),
        }
    }

    /// At the world frame `world`, all six directions free and at zero now.
    pub fn at_world(pose_a: &Pose, pose_b: &Pose, world: &Pose) -> Self {
        let [a, b] = frames_at(pose_a, pose_b, world);
        Self::new(a, b)
    }

    /// Locks directions; their drives are dropped.
    pub fn lock(mut self, axes: impl IntoIterator<Item = Axis>) -> Self {
        for axis in axes {
            self.axes[axis.index()] = None;
        }
        self
    }

    /// Locks what leaves the xy plane: z stays the common normal, two slides and the twist are free.
    pub fn planar(self) -> Self {
        self.lock([Axis::LinZ, Axis::AngX, Axis::AngY])
    }

    /// One of the sixteen prototypes: 0 to 3 free translations (1: z, 2: x and y) and 0 to 3 free
    /// rotations (1: the twist about z, 2: both swings). Names in [`SixDof::PROTOTYPES`].
    ///
    /// # Errors
    /// A number above 3.
    pub fn prototype(self, translations: usize, rotations: usize) -> rb_core::Result<Self> {
        let free = |n: usize, argument, [x, y, z]: [Axis; 3]| match n {
            0 => Ok(vec![x, y, z]),
            1 => Ok(vec![x, y]),
            2 => Ok(vec![z]),
            3 => Ok(vec![]),
            n => Err(Error::OutOfRange {
                argument,
                value: n as f64,
                valid: "0 to 3",
            }),
        };
        let lin = [Axis::LinX, Axis::LinY, Axis::LinZ];
        let ang = [Axis::AngX, Axis::AngY, Axis::AngZ];
        let slides = free(translations, "translations", lin)?;
        Ok(self.lock(slides).lock(free(rotations, "rotations", ang)?))
    }

    /// Names of the prototypes by [free translations][free rotations].
    /// Source: T. Howell and others, "Dojo", 2022.
    pub const PROTOTYPES: [[&str; 4]; 4] = [
        ["fixed", "revolute", "orbital", "spherical"],
        [
            "prismatic",
            "cylindrical",
            "prismatic orbital",
            "cylindrical free",
        ],
        ["planar", "planar axis", "planar orbital", "planar free"],
        [
            "fixed orientation",
            "free revolute",
            "free orbital",
            "floating",
        ],
    ];

    /// Frees a direction and sets what acts on it.
    pub fn free(mut self, axis: Axis, drive: Drive) -> Self {
        self.axes[axis.index()] = Some(drive);
        self
    }

    /// Whether a direction is locked.
    pub fn is_locked(&self, axis: Axis) -> bool {
        self.axes[axis.index()].is_none()
    }

    fn measure(&self, cx: &JointCx, twist: impl Fn(&Frames) -> Coordinate) -> [Coordinate; 6] {
        let frames = Frames::new(cx, &self.frames);
        let [x, y, z] = frames.point();
        let [swing_x, swing_y] = frames.swing();
        [x, y, z, swing_x, swing_y, twist(&frames)]
    }
}

/// Coinciding local frames, all free.
impl Default for SixDof {
    fn default() -> Self {
        Self::new(Pose::IDENTITY, Pose::IDENTITY)
    }
}

impl Stated for SixDof {
    fn stated<'de, D: Deserializer<'de>>([a, b]: [Pose; 2], fields: D) -> Result<Self, D::Error> {
        let Lock { locked } = Lock::deserialize(fields)?;
        Ok(Self::new(a, b).lock(locked))
    }
}

/// What a file states of it.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Lock {
    locked: Vec<Axis>,
}

impl Joint for SixDof {
    fn frames(&self) -> &[Pose; 2] {
        &self.frames
    }

    fn frames_mut(&mut self) -> Option<&mut [Pose; 2]> {
        Some(&mut self.frames)
    }

    fn constraints(&self, cx: &JointCx, _memory: &JointMemory, out: &mut Rows) {
        let all = self.measure(cx, Frames::twist_error);
        let locked = all.iter().filter(|c| self.is_locked(c.axis));
        out.extend(locked.map(Coordinate::lock));
    }

    fn coordinates(&self, cx: &JointCx, memory: &JointMemory) -> Coordinates {
        let all = self.measure(cx, |frames| frames.twist(memory));
        all.into_iter()
            .filter(|c| !self.is_locked(c.axis))
            .collect()
    }

    fn drive(&self, axis: Axis) -> Option<&Drive> {
        self.axes[axis.index()].as_ref()
    }

    fn drive_mut(&mut self, axis: Axis) -> Option<&mut Drive> {
        self.axes[axis.index()].as_mut()
    }
}
