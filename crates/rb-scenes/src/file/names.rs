//! What the file calls its bodies and joints.

use rb_solve::InputError;
use rb_world::prelude::*;
use std::collections::BTreeMap;

/// Objects by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    bodies: BTreeMap<String, BodyHandle>,
    joints: BTreeMap<String, JointHandle>,
}

impl Names {
    /// Enters a body, unless its name is taken.
    pub(super) fn add_body(
        &mut self,
        name: &str,
        body: BodyHandle,
        path: &str,
    ) -> Result<(), InputError> {
        add(&mut self.bodies, name, body, path)
    }

    /// Enters a joint, unless its name is taken.
    pub(super) fn add_joint(
        &mut self,
        name: &str,
        joint: JointHandle,
        path: &str,
    ) -> Result<(), InputError> {
        add(&mut self.joints, name, joint, path)
    }

    /// The body the file calls `name` at `path`.
    pub(super) fn body(&self, name: &str, path: &str) -> Result<BodyHandle, InputError> {
        find(&self.bodies, name, path, "body")
    }

    /// The joint the file calls `name` at `path`.
    pub(super) fn joint(&self, name: &str, path: &str) -> Result<JointHandle, InputError> {
        find(&self.joints, name, path, "joint")
    }
}

fn add<H>(
    map: &mut BTreeMap<String, H>,
    name: &str,
    handle: H,
    path: &str,
) -> Result<(), InputError> {
    if map.insert(name.to_owned(), handle).is_none() {
        return Ok(());
    }
    let reason = format!("the name {name:?} is taken");
    Err(InputError::new(format!("{path}.name"), reason))
}

fn find<H: Copy>(
    map: &BTreeMap<String, H>,
    name: &str,
    path: &str,
    what: &str,
) -> Result<H, InputError> {
    map.get(name)
        .copied()
        .ok_or_else(|| InputError::new(path, format!("there is no {what} called {name:?}")))
}

/// The name given, or the kind of object with its number.
pub(super) fn name_or(name: Option<&String>, kind: &str, number: usize) -> String {
    name.cloned().unwrap_or_else(|| format!("{kind}{number}"))
}
