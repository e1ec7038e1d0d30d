//! Attitudes as people write them.

use super::fault::fault;
use core::fmt;
use rb_solve::InputError;
use rb_world::core::error::check;
use rb_world::core::math::exp_rotation;
use rb_world::prelude::*;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// An attitude: a quaternion `[x, y, z, w]` of any length, a turn about an axis, or Euler angles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rotation {
    /// `[x, y, z, w]`.
    Quaternion(DQuat),
    /// `{"axis": [x, y, z], "angle": rad}` or with `degrees`.
    About {
        /// Direction of any length.
        axis: DVec3,
        /// Angle (rad), right-handed.
        angle: f64,
    },
    /// `{"euler": [x, y, z]}` (rad) or `{"euler_degrees": […]}`: about the fixed x, then y, then z.
    Euler(DVec3),
}

impl Default for Rotation {
    fn default() -> Self {
        Self::Quaternion(DQuat::IDENTITY)
    }
}

impl Rotation {
    /// The unit quaternion, local to parent.
    ///
    /// # Errors
    /// Numbers that are not finite, a quaternion or axis without length; at `path`.
    pub fn resolve(&self, path: &str) -> Result<DQuat, InputError> {
        let found = match *self {
            Self::Quaternion(q) => check::rotation("rotation", q),
            Self::About { axis, angle } => check::direction("axis", axis).and_then(|axis| {
                let angle = check::finite("angle", angle)?;
                Ok(exp_rotation(axis * angle))
            }),
            Self::Euler(e) => check::vector("euler", e).map(|e| {
                let about = |axis: DVec3, angle: f64| exp_rotation(axis * angle);
                about(DVec3::Z, e.z) * about(DVec3::Y, e.y) * about(DVec3::X, e.x)
            }),
        };
        found.map_err(|e| fault(path, &["axis", "angle", "euler"], &e))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    axis: Option<DVec3>,
    angle: Option<f64>,
    degrees: Option<f64>,
    euler: Option<DVec3>,
    euler_degrees: Option<DVec3>,
}

impl Turn {
    fn rotation(&self) -> Option<Rotation> {
        let angle = match (self.angle, self.degrees) {
            (angle, None) => angle,
            (None, Some(degrees)) => Some(degrees.to_radians()),
            _ => return None,
        };
        let euler = match (self.euler, self.euler_degrees) {
            (euler, None) => euler,
            (None, Some(degrees)) => Some(degrees * 1f64.to_radians()),
            _ => return None,
        };
        match (self.axis, angle, euler) {
            (Some(axis), Some(angle), None) => Some(Rotation::About { axis, angle }),
            (None, None, Some(euler)) => Some(Rotation::Euler(euler)),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Rotation {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Rotation;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(
                    "[x, y, z, w], {\"axis\", \"angle\" or \"degrees\"}, {\"euler\"} or {\"euler_degrees\"}",
                )
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Rotation, A::Error> {
                DQuat::deserialize(SeqAccessDeserializer::new(seq)).map(Rotation::Quaternion)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Rotation, A::Error> {
                let turn = Turn::deserialize(MapAccessDeserializer::new(map))?;
                turn.rotation()
                    .ok_or_else(|| serde::de::Error::custom("needs one attitude, stated one way"))
            }
        }
        d.deserialize_any(Either)
    }
}

/// The pose at a position (m) with an attitude.
pub(super) fn pose(position: DVec3, rotation: &Rotation, path: &str) -> Result<Pose, InputError> {
    let p = check::vector("position", position).map_err(|e| fault(path, &["position"], &e))?;
    Ok(Pose::new(p, rotation.resolve(&format!("{path}.rotation"))?))
}
