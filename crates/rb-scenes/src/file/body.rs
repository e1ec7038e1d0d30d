//! Bodies: pose, velocity, mass and shapes.

use super::fault::fault;
use super::place::{Rotation, pose};
use super::shape::ShapeEntry;
use rb_solve::InputError;
use rb_world::contact::Collider;
use rb_world::prelude::*;
use serde::Deserialize;

/// One body.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BodyEntry {
    /// Name, unique among bodies; `body0`, `body1`, … unless stated.
    pub name: Option<String>,
    /// How it moves.
    pub kind: BodyKind,
    /// Place of the body frame (m).
    pub position: DVec3,
    /// Attitude of the body frame.
    pub rotation: Rotation,
    /// Velocity of the centre of mass (m/s).
    pub velocity: DVec3,
    /// Angular velocity (rad/s), world axes.
    pub angular_velocity: DVec3,
    /// Mass (kg). Without it the shapes' densities count; with it alone their inertia is scaled to it.
    pub mass: Option<f64>,
    /// Inertia about the centre of mass, body axes (kg·m²).
    pub inertia: Option<Inertia>,
    /// Centre of mass in the body frame (m).
    pub centre_of_mass: Option<DVec3>,
    /// World axes it may not move along or turn about.
    pub locked: Vec<Axis>,
    /// Factor on gravity.
    pub gravity_scale: f64,
    /// Linear damping rate (1/s).
    pub linear_damping: f64,
    /// Angular damping rate (1/s).
    pub angular_damping: f64,
    /// Swept against dynamic bodies too.
    pub bullet: bool,
    /// Whether it may fall asleep.
    pub may_sleep: bool,
    /// Its island is always solved exactly.
    pub precise: bool,
    /// Shapes.
    pub shapes: Vec<ShapeEntry>,
}

impl Default for BodyEntry {
    fn default() -> Self {
        Self {
            name: None,
            kind: BodyKind::Dynamic,
            position: DVec3::ZERO,
            rotation: Rotation::default(),
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            mass: None,
            inertia: None,
            centre_of_mass: None,
            locked: Vec::new(),
            gravity_scale: 1.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
            bullet: false,
            may_sleep: true,
            precise: false,
            shapes: Vec::new(),
        }
    }
}

/// Principal moments along the body axes, or the whole symmetric matrix (kg·m²).
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Inertia {
    /// `[Ixx, Iyy, Izz]`.
    Diagonal([f64; 3]),
    /// Rows of the matrix.
    Full([[f64; 3]; 3]),
}

impl Inertia {
    fn matrix(self) -> DMat3 {
        match self {
            Self::Diagonal(d) => DMat3::from_diagonal(d.into()),
            Self::Full(rows) => DMat3::from_cols_array_2d(&rows).transpose(),
        }
    }
}

impl BodyEntry {
    /// The body it describes, with these colliders.
    pub(super) fn desc(
        &self,
        name: &str,
        colliders: &[ColliderDesc],
        path: &str,
    ) -> Result<BodyDesc, InputError> {
        let mut desc = BodyDesc::new(self.kind)
            .pose(pose(self.position, &self.rotation, path)?)
            .velocity(self.velocity)
            .spin(self.angular_velocity)
            .gravity_scale(self.gravity_scale)
            .damping(self.linear_damping, self.angular_damping)
            .named(name);
        for (flag, set) in [
            (BodyFlags::BULLET, self.bullet),
            (BodyFlags::NO_SLEEP, !self.may_sleep),
            (BodyFlags::PRECISE, self.precise),
        ] {
            desc.flags.set(flag, set);
        }
        for axis in &self.locked {
            // Both count translations first, x to z.
            desc.locked |= LockedAxes::from_bits_truncate(1 << axis.index());
        }
        desc.mass = self.mass(colliders, path)?;
        desc.validate().map_err(|e| {
            let fields = [
                "mass",
                "inertia",
                "velocity",
                "gravity_scale",
                "linear_damping",
                "angular_damping",
            ];
            fault(path, &fields, &e)
        })?;
        Ok(desc)
    }

    /// Mass by hand, or `None` where the world takes it from the shapes.
    fn mass(
        &self,
        colliders: &[ColliderDesc],
        path: &str,
    ) -> Result<Option<MassProps>, InputError> {
        let missing =
            |field: &str, reason: &str| Err(InputError::new(format!("{path}.{field}"), reason));
        let by_hand = match (self.mass, self.inertia) {
            (None, None) => {
                let solid = self.kind != BodyKind::Dynamic || weigh(colliders).mass > 0.0;
                return match (self.centre_of_mass, solid) {
                    (Some(_), _) => missing("centre_of_mass", "needs the mass beside it"),
                    (None, false) => missing(
                        "mass",
                        "zero: a dynamic body needs a shape with volume and density, or mass and inertia",
                    ),
                    (None, true) => Ok(None),
                };
            }
            (None, Some(_)) => return missing("mass", "missing beside the inertia"),
            (Some(mass), Some(inertia)) => MassProps {
                mass,
                com_local: DVec3::ZERO,
                inertia_local: inertia.matrix(),
            },
            (Some(mass), None) => {
                let shapes = weigh(colliders);
                if shapes.mass <= 0.0 {
                    let reason = "missing: there is no shape with volume to take it from";
                    return missing("inertia", reason);
                }
                MassProps {
                    mass,
                    inertia_local: shapes.inertia_local * (mass / shapes.mass),
                    ..shapes
                }
            }
        };
        Ok(Some(MassProps {
            com_local: self.centre_of_mass.unwrap_or(by_hand.com_local),
            ..by_hand
        }))
    }
}

/// Mass of the solid colliders by their densities.
fn weigh(colliders: &[ColliderDesc]) -> MassProps {
    let solid = colliders.iter().filter(|c| !c.sensor);
    let each = solid.filter_map(|c| Collider::new(c.clone()).ok());
    each.fold(MassProps::ZERO, |sum, c| sum.combine(&c.mass_props()))
}
