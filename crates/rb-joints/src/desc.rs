//! A joint together with what the world has to know about it: collisions, breaking, a user's number.
//!
//! The reaction compared with the thresholds is the load all rows of the joint put on b, taken at
//! the origin of b's joint frame.

use crate::bearing::Bearing;
use crate::joint::{Joint, JointCx};
use crate::kinds::AnyJoint;
use crate::options::{RowOptions, Yield};
use crate::parts::Frames;
use rb_core::Result;
use rb_core::compliance::Compliance;
use rb_core::error::check;
use rb_core::math::{Pose, Wrench};
use rb_core::row::Row;
use rb_core::stabilise::Stabilisation;
use serde::{Deserialize, Serialize};

/// Input for creating a joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointDesc {
    /// The joint.
    pub kind: AnyJoint,
    /// Whether the two bodies may touch each other; off unless asked for.
    pub collide_connected: bool,
    /// Reaction force (N) above which the joint breaks.
    pub break_force: Option<f64>,
    /// Reaction torque (N·m) above which the joint breaks.
    pub break_torque: Option<f64>,
    /// Compliance, α and stabilisation of the locked directions.
    pub options: RowOptions,
    /// Whether the joint's island is always solved exactly.
    pub precise: bool,
    /// Anything the user wants to find again.
    pub user_data: u64,
}

impl JointDesc {
    /// An unbreakable joint between bodies that do not touch each other.
    pub fn new(kind: impl Into<AnyJoint>) -> Self {
        Self {
            kind: kind.into(),
            collide_connected: false,
            break_force: None,
            break_torque: None,
            options: RowOptions::default(),
            precise: false,
            user_data: 0,
        }
    }

    /// Lets the two bodies touch each other.
    pub fn collide_connected(mut self) -> Self {
        self.collide_connected = true;
        self
    }

    /// Has the joint's island always solved exactly.
    pub fn precise(mut self) -> Self {
        self.precise = true;
        self
    }

    /// Breaks the joint above a reaction force (N).
    pub fn break_force(mut self, force: f64) -> Self {
        self.break_force = Some(force);
        self
    }

    /// Breaks the joint above a reaction torque (N·m).
    pub fn break_torque(mut self, torque: f64) -> Self {
        self.break_torque = Some(torque);
        self
    }

    /// Sets the options of the locked directions.
    pub fn options(mut self, options: RowOptions) -> Self {
        self.options = options;
        self
    }

    /// Lets all locked directions yield by the same compliance.
    pub fn yielding(mut self, c: Compliance) -> Self {
        self.options.yields = Yield::Each(c);
        self
    }

    /// Lets the locked directions yield by a full matrix over them, row-major (m/N, rad/N,
    /// rad/(N·m)), with the damping time d (s).
    pub fn bushing(mut self, matrix: impl Into<Vec<f64>>, damping: f64) -> Self {
        self.options.yields = Yield::Block {
            matrix: matrix.into(),
            damping,
        };
        self
    }

    /// Sets how errors of the locked directions are taken out.
    pub fn stabilise(mut self, way: Stabilisation) -> Self {
        self.options.stabilise = Some(way);
        self
    }

    /// Sets α of the locked directions; only yielding ones may differ from 1.
    pub fn alpha(mut self, alpha: f64) -> Self {
        self.options.alpha = Some(alpha);
        self
    }

    /// Stores a number of the user's.
    pub fn user_data(mut self, data: u64) -> Self {
        self.user_data = data;
        self
    }

    /// # Errors
    /// Those of the joint; a threshold that is not above zero.
    pub fn validate(&self) -> Result<()> {
        self.kind.validate()?;
        self.options.validate()?;
        for (argument, threshold) in [
            ("break_force", self.break_force),
            ("break_torque", self.break_torque),
        ] {
            threshold.map_or(Ok(0.0), |value| check::positive(argument, value))?;
        }
        Ok(())
    }

    /// Its joint frames, if it is a firm [`pin`](crate::pin) between them.
    #[inline]
    pub fn pin(&self) -> Option<&[Pose; 2]> {
        let pin = self.kind.pin()?;
        self.options.is_default().then_some(pin)
    }

    /// What its rows follow from, if it is a firm [`bearing`](crate::bearing).
    #[inline]
    pub fn bearing(&self) -> Option<Bearing<'_>> {
        let bearing = self.kind.bearing()?;
        self.options.is_default().then_some(bearing)
    }

    /// Whether it may break.
    pub fn is_brittle(&self) -> bool {
        self.break_force.is_some() || self.break_torque.is_some()
    }

    /// Whether a reaction is above a threshold.
    pub fn breaks(&self, reaction: &Wrench) -> bool {
        let above = |load: f64, threshold: Option<f64>| threshold.is_some_and(|most| load > most);
        above(reaction.force.length(), self.break_force)
            || above(reaction.torque.length(), self.break_torque)
    }
}

impl<J: Into<AnyJoint>> From<J> for JointDesc {
    fn from(joint: J) -> Self {
        Self::new(joint)
    }
}

/// Load on b at the origin of its joint frame, world axes, from rows and their impulses
/// (N·s or N·m·s) over the substep `cx.h`.
pub fn reaction(joint: &dyn Joint, cx: &JointCx, rows: &[Row], impulses: &[f64]) -> Wrench {
    let arm = Frames::new(cx, joint.frames()).arm_b;
    let mut load = Wrench::ZERO;
    for (row, impulse) in rows.iter().zip(impulses) {
        let half = row.jac[1] * (impulse / cx.h);
        load += Wrench {
            force: half.lin,
            torque: half.ang - arm.cross(half.lin),
        };
    }
    load
}
