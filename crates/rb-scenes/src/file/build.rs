//! From a file to a world.

use super::body::BodyEntry;
use super::coupling::find_bodies;
use super::fault::{check_count, fault};
use super::joint::JointEntry;
use super::names::{Names, name_or};
use super::shape::check_material;
use super::{InputError, SceneFile};
use rb_world::joint::Constraint;
use rb_world::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most bodies, shapes, joints and couplings of a file, each.
const MOST_OBJECTS: usize = 200_000;

/// Joints and constraints of the program's own, under the names files use.
#[derive(Clone, Debug, Default)]
pub struct Customs {
    /// Joints.
    pub joints: BTreeMap<String, Arc<dyn Joint>>,
    /// Constraints.
    pub constraints: BTreeMap<String, Arc<dyn Constraint>>,
}

/// A world, and what its file calls the parts of it.
#[derive(Clone, Debug)]
pub struct Built {
    /// The world at its start.
    pub world: World,
    /// Bodies in the order of the file; each carries its name.
    pub bodies: Vec<BodyHandle>,
    /// Joints in the order of the file.
    pub joints: Vec<(String, JointHandle)>,
    /// Couplings, then constraints, in the order of the file.
    pub constraints: Vec<(String, ConstraintHandle)>,
    names: Names,
}

impl SceneFile {
    /// Builds the world with the file's own settings.
    ///
    /// # Errors
    /// As [`build_with`](Self::build_with).
    pub fn build(&self) -> Result<Built, InputError> {
        self.build_with(self.settings()?, &Customs::default())
    }

    /// Builds the world with given settings and joints and constraints of the program's own.
    ///
    /// # Errors
    /// Numbers out of range, contradictions, names of nothing; with the path of the object.
    pub fn build_with(&self, params: Params, customs: &Customs) -> Result<Built, InputError> {
        let shapes = self.bodies.iter().map(|b| b.shapes.len()).sum();
        for (path, found) in [
            ("bodies", self.bodies.len().max(shapes)),
            ("joints", self.joints.len()),
            ("couplings", self.couplings.len()),
            ("constraints", self.constraints.len()),
        ] {
            check_count(path, found, MOST_OBJECTS)?;
        }
        for (name, material) in &self.materials {
            check_material(material, &format!("materials.{name}"))?;
        }
        let world = World::new(params).map_err(|e| fault("params", &[], &e))?;
        let mut built = Built {
            world,
            bodies: Vec::new(),
            joints: Vec::new(),
            constraints: Vec::new(),
            names: Names::default(),
        };
        for (i, body) in self.bodies.iter().enumerate() {
            built.add_body(self, body, i)?;
        }
        for (i, joint) in self.joints.iter().enumerate() {
            built.add_joint(joint, customs, i)?;
        }
        built.add_couplings(self)?;
        built.add_constraints(self, customs)?;
        Ok(built)
    }
}

impl Built {
    fn add_body(
        &mut self,
        scene: &SceneFile,
        entry: &BodyEntry,
        number: usize,
    ) -> Result<(), InputError> {
        let path = format!("bodies[{number}]");
        let name = name_or(entry.name.as_ref(), "body", number);
        let shapes = entry.shapes.iter().enumerate();
        let colliders: Vec<ColliderDesc> = shapes
            .map(|(i, s)| s.collider(&scene.materials, &format!("{path}.shapes[{i}]")))
            .collect::<Result<_, _>>()?;
        let desc = entry.desc(&name, &colliders, &path)?;
        let at = |e| fault(&path, &[], &e);
        let body = self.world.add_body(desc).map_err(at)?;
        self.names.add_body(&name, body, &path)?;
        for collider in colliders {
            self.world.add_collider(body, collider).map_err(at)?;
        }
        self.bodies.push(body);
        Ok(())
    }

    fn add_joint(
        &mut self,
        entry: &JointEntry,
        customs: &Customs,
        number: usize,
    ) -> Result<(), InputError> {
        let path = format!("joints[{number}]");
        let at = |e| fault(&path, &[], &e);
        let [a, b] = entry.bodies(&self.names, &path)?;
        let poses = [
            self.world.pose(a).map_err(at)?,
            self.world.pose(b).map_err(at)?,
        ];
        let desc = entry.desc(poses, customs, &path)?;
        let joint = self.world.add_joint(a, b, desc).map_err(at)?;
        let name = name_or(entry.name.as_ref(), "joint", number);
        self.names.add_joint(&name, joint, &path)?;
        self.joints.push((name, joint));
        Ok(())
    }

    fn add_couplings(&mut self, scene: &SceneFile) -> Result<(), InputError> {
        for (i, entry) in scene.couplings.iter().enumerate() {
            let path = format!("couplings[{i}]");
            let coupling = entry.coupling(&self.world, &self.names, &path)?;
            let handle = self.world.add_coupling(coupling);
            let handle = handle.map_err(|e| fault(&path, &["mass", "force"], &e))?;
            let name = name_or(entry.name.as_ref(), "coupling", i);
            self.constraints.push((name, handle));
        }
        Ok(())
    }

    fn add_constraints(&mut self, scene: &SceneFile, customs: &Customs) -> Result<(), InputError> {
        for (i, entry) in scene.constraints.iter().enumerate() {
            let path = format!("constraints[{i}]");
            let bodies = find_bodies(&entry.bodies, &self.names, &path)?;
            let inner = customs.constraints.get(&entry.custom).ok_or_else(|| {
                let reason = format!("this program has no constraint called {:?}", entry.custom);
                InputError::new(format!("{path}.custom"), reason)
            })?;
            let custom = CustomConstraint::new(&entry.custom, inner.clone());
            let handle = self.world.add_constraint(&bodies, custom);
            let handle = handle.map_err(|e| fault(&path, &["bodies"], &e))?;
            let name = name_or(entry.name.as_ref(), "constraint", i);
            self.constraints.push((name, handle));
        }
        Ok(())
    }

    /// What the file calls a body.
    pub fn body_name(&self, body: BodyHandle) -> &str {
        let name = self.world.body(body).ok().and_then(|b| b.name());
        name.unwrap_or("?")
    }

    /// What the file calls a contact's bodies, a joint or a constraint, for reports.
    pub fn name_of(&self, culprit: &Culprit) -> String {
        let carrier = |collider| match self.world.collider_body(collider) {
            Ok(body) => self.body_name(body),
            Err(_) => "?",
        };
        match culprit {
            Culprit::Contact(a, b) => format!("contact {} / {}", carrier(*a), carrier(*b)),
            Culprit::Joint(joint) => format!("joint {}", named(&self.joints, joint)),
            Culprit::Constraint(c) => format!("constraint {}", named(&self.constraints, c)),
        }
    }
}

fn named<'a, H: PartialEq>(list: &'a [(String, H)], handle: &H) -> &'a str {
    let found = list.iter().find(|(_, h)| h == handle);
    found.map_or("?", |(name, _)| name)
}
