//! A joint from outside this crate, shared by reference and stored by name.
//!
//! A file or snapshot holds the name only. After loading, the user supplies the behaviour again
//! with [`Custom::resolve`]; until then the joint states no row and `validate` refuses it.
//! The behaviour is shared between clones of a world and therefore has no editable parts here.

use crate::axis::Axis;
use crate::bearing::Bearing;
use crate::drive::Drive;
use crate::joint::{Coordinates, Joint, JointCx, Rows};
use crate::memory::JointMemory;
use rb_core::draw::DrawSink;
use rb_core::math::Pose;
use rb_core::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Frames of a joint whose behaviour is missing.
const UNRESOLVED: [Pose; 2] = [Pose::IDENTITY; 2];

/// A named joint of the user's own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Custom {
    name: String,
    #[serde(skip)]
    joint: Option<Arc<dyn Joint>>,
}

impl Custom {
    /// Wraps a joint under the name files will hold.
    pub fn new(name: impl Into<String>, joint: Arc<dyn Joint>) -> Self {
        Self {
            name: name.into(),
            joint: Some(joint),
        }
    }

    /// Name in files.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the behaviour is present.
    pub fn is_resolved(&self) -> bool {
        self.joint.is_some()
    }

    /// Supplies the behaviour after loading.
    pub fn resolve(&mut self, joint: Arc<dyn Joint>) {
        self.joint = Some(joint);
    }
}

/// Equal when the names are equal and the behaviour is the same object or missing on both sides.
impl PartialEq for Custom {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.joint, &other.joint) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        same && self.name == other.name
    }
}

impl Joint for Custom {
    fn frames(&self) -> &[Pose; 2] {
        self.joint.as_ref().map_or(&UNRESOLVED, |j| j.frames())
    }

    fn constraints(&self, cx: &JointCx, memory: &JointMemory, out: &mut Rows) {
        if let Some(joint) = &self.joint {
            joint.constraints(cx, memory, out);
        }
    }

    fn coordinates(&self, cx: &JointCx, memory: &JointMemory) -> Coordinates {
        let joint = self.joint.as_ref();
        joint.map_or_else(Coordinates::new, |j| j.coordinates(cx, memory))
    }

    fn drive(&self, axis: Axis) -> Option<&Drive> {
        self.joint.as_ref()?.drive(axis)
    }

    fn placement(&self, values: &[f64; 6]) -> Option<Pose> {
        self.joint.as_ref()?.placement(values)
    }

    fn validate(&self) -> Result<()> {
        match &self.joint {
            Some(joint) => joint.validate(),
            None => Err(Error::Contradiction {
                argument: "joint",
                reason: format!("supply the custom joint \"{}\" after loading", self.name),
            }),
        }
    }

    fn rows(&self, cx: &JointCx, memory: &JointMemory, out: &mut Rows) {
        if let Some(joint) = &self.joint {
            joint.rows(cx, memory, out);
        }
    }

    fn bearing(&self) -> Option<Bearing<'_>> {
        self.joint.as_ref()?.bearing()
    }

    fn track(&self, cx: &JointCx, memory: &mut JointMemory) {
        if let Some(joint) = &self.joint {
            joint.track(cx, memory);
        }
    }

    fn draw(&self, cx: &JointCx, sink: &mut dyn DrawSink) {
        if let Some(joint) = &self.joint {
            joint.draw(cx, sink);
        }
    }
}
