//! Couplings of coordinates, and constraints of the program's own.

use super::InputError;
use super::drive::DriveEntry;
use super::fault::fault;
use super::names::Names;
use rb_world::prelude::*;
use serde::Deserialize;

/// One affine combination of coordinates with what acts on it: one of `gear`, `rack`, `differential`,
/// `pulley` and `quantity`. Unless told otherwise it is held at its value at the start.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CouplingEntry {
    /// Name for reports; `coupling0`, … unless stated.
    pub name: Option<String>,
    /// q₁ − ratio q₂.
    pub gear: Option<GearEntry>,
    /// s − radius θ.
    pub rack: Option<RackEntry>,
    /// θ_a + θ_b − 2 θ_c.
    pub differential: Option<DifferentialEntry>,
    /// Σ factor · distance: the length of a rope over pulleys (m).
    pub pulley: Option<Vec<SegmentEntry>>,
    /// Anything else.
    pub quantity: Option<QuantityEntry>,
    /// Value it is held at (m or rad).
    pub hold: Option<f64>,
    /// Largest value (m or rad): a rope or tendon.
    pub at_most: Option<f64>,
    /// What acts on it.
    pub drive: Option<DriveEntry>,
    /// Mass that moves at its rate (kg or kg·m²).
    pub mass: f64,
    /// Force along it (N or N·m).
    pub force: f64,
    /// Compliance, α and stabilisation of the held row.
    pub options: RowOptions,
}

/// A coordinate of a joint.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoordinateEntry {
    /// The joint.
    pub joint: String,
    /// Its axis.
    #[serde(default = "twist")]
    pub axis: Axis,
}

fn twist() -> Axis {
    Axis::AngZ
}

/// Two coordinates that run at a ratio.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GearEntry {
    /// q₁.
    pub first: CoordinateEntry,
    /// q₂.
    pub second: CoordinateEntry,
    /// q₁ per q₂; negative for wheels that mesh outside.
    pub ratio: f64,
}

/// A slide that follows a turn.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RackEntry {
    /// The slider.
    pub slide: String,
    /// The hinge.
    pub pinion: String,
    /// Pitch radius (m).
    pub radius: f64,
}

/// Three hinges of a differential.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DifferentialEntry {
    /// One side.
    pub a: String,
    /// The other.
    pub b: String,
    /// The carrier.
    pub carrier: String,
}

/// Two points of bodies and the rope between them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SegmentEntry {
    /// First body.
    pub a: String,
    /// Second body.
    pub b: String,
    /// Point in the frame of a (m).
    #[serde(default)]
    pub at_a: DVec3,
    /// Point in the frame of b (m).
    #[serde(default)]
    pub at_b: DVec3,
    /// How often the rope runs there.
    #[serde(default = "one")]
    pub factor: f64,
}

fn one() -> f64 {
    1.0
}

/// What is measured.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum QuantityEntry {
    /// A coordinate of a joint (m or rad).
    Joint(CoordinateEntry),
    /// A point of a body along a world direction (m).
    Point {
        /// The body.
        body: String,
        /// The point in its frame (m).
        #[serde(default)]
        at: DVec3,
        /// World direction.
        along: DVec3,
    },
    /// Distance of two points (m).
    Distance(SegmentEntry),
    /// Common centre of mass along a world direction (m).
    CentreOfMass {
        /// The bodies.
        bodies: Vec<String>,
        /// World direction.
        along: DVec3,
    },
    /// Σ factor · of + offset.
    Sum {
        /// Terms.
        terms: Vec<TermEntry>,
        /// Constant (m or rad).
        #[serde(default)]
        offset: f64,
    },
}

/// One term of a sum.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TermEntry {
    /// Coefficient.
    pub factor: f64,
    /// Quantity.
    pub of: QuantityEntry,
}

/// A constraint of the program's own over some bodies.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConstraintEntry {
    /// Name for reports; `constraint0`, … unless stated.
    pub name: Option<String>,
    /// What the program calls it.
    pub custom: String,
    /// Bodies in the order it sees them.
    pub bodies: Vec<String>,
}

impl CoordinateEntry {
    fn find(&self, names: &Names, path: &str) -> Result<(JointHandle, Axis), InputError> {
        let joint = names.joint(&self.joint, &format!("{path}.joint"))?;
        Ok((joint, self.axis))
    }
}

impl SegmentEntry {
    fn quantity(&self, names: &Names, path: &str) -> Result<Quantity, InputError> {
        let a = names.body(&self.a, &format!("{path}.a"))?;
        let b = names.body(&self.b, &format!("{path}.b"))?;
        Ok(Quantity::distance(a, self.at_a, b, self.at_b))
    }
}

impl QuantityEntry {
    fn quantity(&self, world: &World, names: &Names, path: &str) -> Result<Quantity, InputError> {
        match self {
            Self::Joint(q) => {
                let (joint, axis) = q.find(names, &format!("{path}.joint"))?;
                Ok(Quantity::joint(joint, axis))
            }
            Self::Point { body, at, along } => {
                let body = names.body(body, &format!("{path}.point.body"))?;
                Ok(Quantity::point(body, *at, *along))
            }
            Self::Distance(segment) => {
                let q = segment.quantity(names, &format!("{path}.distance"))?;
                Ok(Quantity::sum([(segment.factor, q)]))
            }
            Self::CentreOfMass { bodies, along } => {
                let path = format!("{path}.centre_of_mass");
                let bodies = find_bodies(bodies, names, &path)?;
                let q = world.centre_of_mass(&bodies, *along);
                q.map_err(|e| fault(&path, &["bodies", "along"], &e))
            }
            Self::Sum { terms, offset } => {
                let each = terms.iter().enumerate().map(|(i, term)| {
                    let path = format!("{path}.sum.terms[{i}].of");
                    Ok((term.factor, term.of.quantity(world, names, &path)?))
                });
                let terms: Vec<_> = each.collect::<Result<_, InputError>>()?;
                Ok(Quantity::Sum {
                    terms,
                    offset: *offset,
                })
            }
        }
    }
}

/// The bodies of a list.
pub(super) fn find_bodies(
    list: &[String],
    names: &Names,
    path: &str,
) -> Result<Vec<BodyHandle>, InputError> {
    let each = list.iter().enumerate();
    each.map(|(i, name)| names.body(name, &format!("{path}.bodies[{i}]")))
        .collect()
}

impl CouplingEntry {
    /// The coupling it describes.
    pub(super) fn coupling(
        &self,
        world: &World,
        names: &Names,
        path: &str,
    ) -> Result<Coupling, InputError> {
        let mut coupling = self.measured(world, names, path)?;
        coupling.options = self.options.clone();
        (coupling.mass, coupling.force) = (self.mass, self.force);
        if let Some(drive) = &self.drive {
            coupling.drive = drive.drive(&format!("{path}.drive"))?;
        }
        let stated = [self.hold.is_some(), self.at_most.is_some()];
        let limited = self.drive.is_some_and(|d| d.limits.is_some());
        let free = self.drive.is_some() || self.mass != 0.0 || self.force != 0.0;
        Ok(match (self.hold, self.at_most) {
            _ if stated == [true; 2] || (limited && stated != [false; 2]) => {
                let reason = "give one of hold, at_most and drive.limits";
                return Err(InputError::new(path, reason));
            }
            (Some(value), _) => coupling.hold(value),
            (_, Some(value)) => coupling.at_most(value),
            _ if free => coupling,
            _ => {
                let now = world.measure(&coupling.quantity);
                let (value, _) = now.map_err(|e| fault(path, &[], &e))?;
                coupling.hold(value)
            }
        })
    }

    /// The quantity, with nothing acting on it.
    fn measured(&self, world: &World, names: &Names, path: &str) -> Result<Coupling, InputError> {
        let joint = |name: &str, field: &str| names.joint(name, &format!("{path}.{field}"));
        let gear = self.gear.as_ref().map(|g| {
            let first = g.first.find(names, &format!("{path}.gear.first"))?;
            let second = g.second.find(names, &format!("{path}.gear.second"))?;
            Ok(Coupling::gear(first, second, g.ratio))
        });
        let rack = self.rack.as_ref().map(|r| {
            let slide = joint(&r.slide, "rack.slide")?;
            Ok(Coupling::rack(
                slide,
                joint(&r.pinion, "rack.pinion")?,
                r.radius,
            ))
        });
        let differential = self.differential.as_ref().map(|d| {
            let sides = [
                joint(&d.a, "differential.a")?,
                joint(&d.b, "differential.b")?,
            ];
            Ok(Coupling::differential(
                sides,
                joint(&d.carrier, "differential.carrier")?,
            ))
        });
        let pulley = self.pulley.as_ref().map(|segments| {
            let each = segments.iter().enumerate().map(|(i, s)| {
                let q = s.quantity(names, &format!("{path}.pulley[{i}]"))?;
                Ok((s.factor, q))
            });
            let terms = each.collect::<Result<Vec<_>, InputError>>()?;
            Ok(Coupling::new(Quantity::sum(terms)))
        });
        let quantity = self.quantity.as_ref().map(|q| {
            let q = q.quantity(world, names, &format!("{path}.quantity"))?;
            Ok(Coupling::new(q))
        });
        let given = [gear, rack, differential, pulley, quantity];
        let mut given = given.into_iter().flatten();
        match (given.next(), given.next()) {
            (Some(one), None) => one,
            _ => {
                let reason = "give one of gear, rack, differential, pulley, quantity";
                Err(InputError::new(path, reason))
            }
        }
    }
}
