//! A constraint from outside this crate, shared by reference and stored by name.
//!
//! A file or snapshot holds the name only. After loading, the user supplies the behaviour again with
//! [`CustomConstraint::resolve`]; until then it states no row and `validate` refuses it.

use super::{Constraint, ConstraintCx, ConstraintRows, clash};
use rb_core::Result;
use rb_core::draw::DrawSink;
use rb_core::handle::JointHandle;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A named constraint of the user's own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CustomConstraint {
    name: String,
    #[serde(skip)]
    constraint: Option<Arc<dyn Constraint>>,
}

impl CustomConstraint {
    /// Wraps a constraint under the name files will hold.
    pub fn new(name: impl Into<String>, constraint: Arc<dyn Constraint>) -> Self {
        Self {
            name: name.into(),
            constraint: Some(constraint),
        }
    }

    /// Name in files.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the behaviour is present.
    pub fn is_resolved(&self) -> bool {
        self.constraint.is_some()
    }

    /// Supplies the behaviour after loading.
    pub fn resolve(&mut self, constraint: Arc<dyn Constraint>) {
        self.constraint = Some(constraint);
    }
}

/// Equal when the names are equal and the behaviour is the same object or missing on both sides.
impl PartialEq for CustomConstraint {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.constraint, &other.constraint) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        same && self.name == other.name
    }
}

impl Constraint for CustomConstraint {
    fn rows(&self, cx: &ConstraintCx, out: &mut ConstraintRows) {
        if let Some(c) = &self.constraint {
            c.rows(cx, out);
        }
    }

    fn joints(&self) -> Vec<JointHandle> {
        self.constraint
            .as_ref()
            .map_or_else(Vec::new, |c| c.joints())
    }

    fn bend(&self, cx: &ConstraintCx, slot: u8) -> Option<f64> {
        self.constraint.as_ref()?.bend(cx, slot)
    }

    fn validate(&self, bodies: usize) -> Result<()> {
        match &self.constraint {
            Some(c) => c.validate(bodies),
            None => Err(clash(
                "constraint",
                format!(
                    "supply the custom constraint \"{}\" after loading",
                    self.name
                ),
            )),
        }
    }

    fn draw(&self, cx: &ConstraintCx, sink: &mut dyn DrawSink) {
        if let Some(c) = &self.constraint {
            c.draw(cx, sink);
        }
    }
}
