//! Shapes with their surface and place on a body.

use super::fault::fault;
use super::kinds::{
    self, BallEntry, CuboidEntry, HeightEntry, HullEntry, MeshEntry, PillarEntry, PlaneEntry,
};
use super::place::{Rotation, pose};
use core::fmt;
use rb_solve::InputError;
use rb_world::contact::{Collider, ColliderEvents, Material};
use rb_world::prelude::*;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

/// Density unless the shape says otherwise (kg/m³).
const DENSITY: f64 = 1000.0;

/// One shape of a body: exactly one of the ten kinds, and what the collider needs beside it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShapeEntry {
    /// Ball.
    pub ball: Option<BallEntry>,
    /// Box.
    pub cuboid: Option<CuboidEntry>,
    /// Capsule along y.
    pub capsule: Option<PillarEntry>,
    /// Cylinder along y.
    pub cylinder: Option<PillarEntry>,
    /// Cone along y, apex up.
    pub cone: Option<PillarEntry>,
    /// Convex hull of points.
    pub convex_hull: Option<HullEntry>,
    /// Triangles, each pushing to its counter-clockwise side.
    pub tri_mesh: Option<MeshEntry>,
    /// Heights on a grid.
    pub height_field: Option<HeightEntry>,
    /// Everything below a plane.
    pub half_space: Option<PlaneEntry>,
    /// Convex shapes as one.
    pub compound: Option<Vec<ShapeEntry>>,
    /// Place in the body frame (m).
    pub position: DVec3,
    /// Attitude in the body frame.
    pub rotation: Rotation,
    /// Density (kg/m³); 1000 unless stated.
    pub density: Option<f64>,
    /// Surface, by name or in place.
    pub material: Option<MaterialEntry>,
    /// Who it collides with; everything unless stated.
    pub groups: Option<Groups>,
    /// Reports overlaps but pushes nothing.
    pub sensor: bool,
    /// Whether it asks for begin and end of contact, as it does unless stated.
    pub events: Option<bool>,
    /// Reports contacts above this force (N).
    pub force_threshold: Option<f64>,
}

/// A surface: the name of one of the file's `materials`, or the surface itself.
#[derive(Clone, Debug)]
pub enum MaterialEntry {
    /// Name.
    Named(String),
    /// Surface.
    Inline(Box<Material>),
}

/// Collision groups by number, 0 to 31; a list left out stands for all of them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Groups {
    /// Groups it belongs to.
    pub memberships: Option<Vec<u32>>,
    /// Groups it collides with.
    pub filter: Option<Vec<u32>>,
}

impl ShapeEntry {
    /// The collider it describes.
    pub(super) fn collider(
        &self,
        materials: &BTreeMap<String, Material>,
        path: &str,
    ) -> Result<ColliderDesc, InputError> {
        let mut desc = ColliderDesc::new(self.shape(path)?)
            .offset(pose(self.position, &self.rotation, path)?)
            .density(self.density.unwrap_or(DENSITY))
            .material(self.surface(materials, path)?)
            .groups(self.masks(path)?)
            .sensor(self.sensor);
        desc.force_threshold = self.force_threshold;
        if let Some(asks) = self.events {
            desc.events.set(ColliderEvents::CONTACT, asks);
        }
        // Also finds masses that overflow.
        let collider = Collider::new(desc);
        let collider = collider.map_err(|e| fault(path, &["density", "force_threshold"], &e))?;
        if !collider.mass_props().mass.is_finite() {
            return Err(InputError::new(path, "the mass of the shape overflows"));
        }
        Ok(collider.into())
    }

    /// The shape in its own frame.
    fn shape(&self, path: &str) -> Result<Shape, InputError> {
        let path = format!("{path}.{}", self.kind(path)?);
        if let Some(parts) = &self.compound {
            return self.joined(parts, &path);
        }
        let made = None
            .or_else(|| self.ball.map(BallEntry::shape))
            .or_else(|| self.cuboid.map(CuboidEntry::shape))
            .or_else(|| self.capsule.map(PillarEntry::capsule))
            .or_else(|| self.cylinder.map(PillarEntry::cylinder))
            .or_else(|| self.cone.map(PillarEntry::cone))
            .or_else(|| self.convex_hull.as_ref().map(HullEntry::shape))
            .or_else(|| self.tri_mesh.as_ref().map(MeshEntry::shape))
            .or_else(|| self.height_field.as_ref().map(HeightEntry::shape))
            .or_else(|| self.half_space.map(PlaneEntry::shape));
        made.ok_or_else(|| InputError::new(path.as_str(), "no shape"))?
            .map_err(|e| fault(&path, kinds::FIELDS, &e))
    }

    /// Name of the one kind that is given.
    fn kind(&self, path: &str) -> Result<&'static str, InputError> {
        let kinds = [
            ("ball", self.ball.is_some()),
            ("cuboid", self.cuboid.is_some()),
            ("capsule", self.capsule.is_some()),
            ("cylinder", self.cylinder.is_some()),
            ("cone", self.cone.is_some()),
            ("convex_hull", self.convex_hull.is_some()),
            ("tri_mesh", self.tri_mesh.is_some()),
            ("height_field", self.height_field.is_some()),
            ("half_space", self.half_space.is_some()),
            ("compound", self.compound.is_some()),
        ];
        let given: Vec<_> = kinds.iter().filter(|k| k.1).map(|k| k.0).collect();
        match given[..] {
            [kind] => Ok(kind),
            [] => {
                let all = kinds.map(|k| k.0).join(", ");
                Err(InputError::new(
                    path,
                    format!("no shape: give one of {all}"),
                ))
            }
            _ => {
                let reason = format!("{}: a shape is of one kind", given.join(" and "));
                Err(InputError::new(path, reason))
            }
        }
    }

    /// Parts of a compound, each with its place.
    fn joined(&self, parts: &[Self], path: &str) -> Result<Shape, InputError> {
        let part = |(i, part): (usize, &Self)| {
            let path = format!("{path}[{i}]");
            if part.has_surface() {
                let reason =
                    "a part has a shape and a place; surface and density are the compound's";
                return Err(InputError::new(path, reason));
            }
            let place = pose(part.position, &part.rotation, &path)?;
            let shape = part.shape(&path)?;
            if !shape.is_convex() {
                return Err(InputError::new(path, "a part has to be convex and bounded"));
            }
            Ok((place, shape))
        };
        let parts: Vec<_> = parts
            .iter()
            .enumerate()
            .map(part)
            .collect::<Result<_, _>>()?;
        Shape::compound(parts).map_err(|e| fault(path, &[], &e))
    }

    fn has_surface(&self) -> bool {
        self.density.is_some()
            || self.material.is_some()
            || self.groups.is_some()
            || self.sensor
            || self.events.is_some()
            || self.force_threshold.is_some()
    }

    fn surface(
        &self,
        materials: &BTreeMap<String, Material>,
        path: &str,
    ) -> Result<Material, InputError> {
        let path = format!("{path}.material");
        match &self.material {
            None => Ok(Material::default()),
            Some(MaterialEntry::Inline(m)) => check_material(m, &path).map(|()| **m),
            Some(MaterialEntry::Named(name)) => materials.get(name).copied().ok_or_else(|| {
                InputError::new(path, format!("{name:?} is none of the file's materials"))
            }),
        }
    }

    fn masks(&self, path: &str) -> Result<CollisionGroups, InputError> {
        let Some(groups) = &self.groups else {
            return Ok(CollisionGroups::default());
        };
        let mask = |name: &str, list: &Option<Vec<u32>>| {
            let Some(list) = list else {
                return Ok(u32::MAX);
            };
            let mut mask = 0;
            for (i, &group) in list.iter().enumerate() {
                mask |= 1u32.checked_shl(group).ok_or_else(|| {
                    let at = format!("{path}.groups.{name}[{i}]");
                    InputError::new(at, format!("group {group} is not one of 0 to 31"))
                })?;
            }
            Ok(mask)
        };
        Ok(CollisionGroups::new(
            mask("memberships", &groups.memberships)?,
            mask("filter", &groups.filter)?,
        ))
    }
}

/// Checks the numbers of a surface.
pub(super) fn check_material(material: &Material, path: &str) -> Result<(), InputError> {
    let fields = [
        "friction",
        "restitution",
        "compliance",
        "damping",
        "surface_velocity",
        "extras",
    ];
    material.validate().map_err(|e| fault(path, &fields, &e))
}

impl<'de> Deserialize<'de> for MaterialEntry {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = MaterialEntry;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("the name of a material or a material")
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<MaterialEntry, E> {
                Ok(MaterialEntry::Named(name.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<MaterialEntry, A::Error> {
                let material = Material::deserialize(MapAccessDeserializer::new(map))?;
                Ok(MaterialEntry::Inline(Box::new(material)))
            }
        }
        d.deserialize_any(Either)
    }
}
