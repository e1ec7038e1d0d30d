//! Joints: kind and frames.

use super::drive::DriveEntry;
use super::fault::fault;
use super::names::Names;
use super::place::{Rotation, pose};
use super::{Customs, InputError};
use rb_world::joint::{
    AnyJoint, Custom, Joint, Placing, frame_across, frame_along, frames_at, single_axis,
};
use rb_world::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value};
use serde_path_to_error::Track;
use std::collections::BTreeMap;

/// One joint between the bodies `a` and `b`.
#[derive(Clone, Debug, Deserialize)]
pub struct JointEntry {
    /// Name, unique among joints; `joint0`, `joint1`, … unless stated.
    pub name: Option<String>,
    /// What it leaves free.
    pub kind: JointName,
    /// First body.
    pub a: String,
    /// Second body.
    pub b: String,
    /// World point at the start (m): the joint's origin, or where a distance holds a.
    pub anchor: Option<DVec3>,
    /// World point where a distance holds b (m).
    pub anchor_b: Option<DVec3>,
    /// World direction at the start: z of the joint; of a universal joint and a wheel the arm or strut of a.
    pub axis: Option<DVec3>,
    /// World direction of the arm or axle that b carries, for a universal joint and a wheel.
    pub axis_b: Option<DVec3>,
    /// Joint frame in the frame of a, instead of anchor and axis.
    pub frame_a: Option<FrameEntry>,
    /// Joint frame in the frame of b.
    pub frame_b: Option<FrameEntry>,
    /// What acts on the axis of a joint that has one.
    pub drive: Option<DriveEntry>,
    /// What acts on each axis.
    #[serde(default)]
    pub drives: BTreeMap<Axis, DriveEntry>,
    /// Whether the two bodies may touch.
    #[serde(default)]
    pub collide_connected: bool,
    /// Force above which it breaks (N).
    pub break_force: Option<f64>,
    /// Torque above which it breaks (N·m).
    pub break_torque: Option<f64>,
    /// Compliance, α and stabilisation of the locked directions.
    #[serde(default)]
    pub options: RowOptions,
    /// Its island is always solved exactly.
    #[serde(default)]
    pub precise: bool,
    /// What is particular to its kind: the lead of a screw, the locked axes of a six-dof joint.
    #[serde(flatten)]
    pub particular: Map<String, Value>,
}

/// Kind of a joint.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "a kind of joint is its name or {\"custom\": name}"
)]
pub enum JointName {
    /// One of [`AnyJoint::KINDS`].
    Kind(String),
    /// A joint of the program's own.
    Custom {
        /// What the program calls it.
        custom: String,
    },
}

/// A frame in a body.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FrameEntry {
    /// Origin (m).
    pub position: DVec3,
    /// Attitude.
    pub rotation: Rotation,
}

impl JointEntry {
    /// The joint it describes, between bodies at these poses.
    pub(super) fn desc(
        &self,
        poses: [Pose; 2],
        customs: &Customs,
        path: &str,
    ) -> Result<JointDesc, InputError> {
        let mut kind = self.joint(poses, customs, path)?;
        for (axis, drive, path) in self.all_drives(&kind, path)? {
            let slot = kind.drive_mut(axis).ok_or_else(|| {
                let reason = format!("this joint has no drive along {}", axis.name());
                InputError::new(path.as_str(), reason)
            })?;
            *slot = drive.drive(&path)?;
        }
        let desc = JointDesc {
            collide_connected: self.collide_connected,
            break_force: self.break_force,
            break_torque: self.break_torque,
            options: self.options.clone(),
            precise: self.precise,
            ..JointDesc::new(kind)
        };
        let options = |e| fault(&format!("{path}.options"), &["alpha"], &e);
        desc.options.validate().map_err(options)?;
        let mut fields = vec!["break_force", "break_torque"];
        fields.extend(self.particular.keys().map(String::as_str));
        desc.validate().map_err(|e| fault(path, &fields, &e))?;
        Ok(desc)
    }

    /// The drives with their axes and places in the file.
    fn all_drives(
        &self,
        joint: &AnyJoint,
        path: &str,
    ) -> Result<Vec<(Axis, &DriveEntry, String)>, InputError> {
        let each = self.drives.iter();
        let mut all: Vec<_> = each
            .map(|(axis, d)| {
                let name = axis.name().replace(' ', "_");
                (*axis, d, format!("{path}.drives.{name}"))
            })
            .collect();
        if let Some(drive) = &self.drive {
            let path = format!("{path}.drive");
            let axis = single_axis(joint).ok_or_else(|| {
                let reason = "this joint has no single axis; name it, as in drives.ang_z";
                InputError::new(path.as_str(), reason)
            })?;
            if self.drives.contains_key(&axis) {
                let reason = "the axis is in `drives` as well";
                return Err(InputError::new(path, reason));
            }
            all.push((axis, drive, path));
        }
        Ok(all)
    }

    fn joint(
        &self,
        poses: [Pose; 2],
        customs: &Customs,
        path: &str,
    ) -> Result<AnyJoint, InputError> {
        match &self.kind {
            JointName::Kind(kind) => self.built_in(kind, poses, path),
            JointName::Custom { custom } => {
                let joint = customs.joints.get(custom).ok_or_else(|| {
                    let reason = format!("this program has no joint called {custom:?}");
                    InputError::new(format!("{path}.kind.custom"), reason)
                })?;
                self.refuse(self.particular.keys().next().map(String::as_str), path)?;
                Ok(Custom::new(custom, joint.clone()).into())
            }
        }
    }

    fn built_in(&self, kind: &str, poses: [Pose; 2], path: &str) -> Result<AnyJoint, InputError> {
        let unknown = || {
            let reason = format!("is none of {}", AnyJoint::KINDS.join(", "));
            InputError::new(format!("{path}.kind"), reason)
        };
        let placing = AnyJoint::placing(kind).ok_or_else(unknown)?;
        let frames = self.frames(placing, poses, path)?;
        let fields = &Value::Object(self.particular.clone());
        let mut track = Track::new();
        let fields = serde_path_to_error::Deserializer::new(fields, &mut track);
        let joint = AnyJoint::stated(kind, frames, fields).ok_or_else(unknown)?;
        joint.map_err(|e| InputError::new(format!("{path}.{}", track.path()), e.to_string()))
    }

    /// Refuses a field that another kind of joint has.
    fn refuse(&self, field: Option<&str>, path: &str) -> Result<(), InputError> {
        field.map_or(Ok(()), |field| {
            let reason = "this kind of joint has no such thing";
            Err(InputError::new(format!("{path}.{field}"), reason))
        })
    }

    /// Joint frames in both bodies.
    fn frames(
        &self,
        placing: Placing,
        poses: [Pose; 2],
        path: &str,
    ) -> Result<[Pose; 2], InputError> {
        let given = |field, value: Option<DVec3>| value.map(|_| field);
        self.refuse(
            match placing {
                Placing::Along => given("anchor_b", self.anchor_b).or(given("axis_b", self.axis_b)),
                Placing::Across => given("anchor_b", self.anchor_b),
                Placing::Apart => given("axis_b", self.axis_b).or(given("axis", self.axis)),
            },
            path,
        )?;
        let local = [("frame_a", &self.frame_a), ("frame_b", &self.frame_b)];
        if local.iter().any(|(_, f)| f.is_some()) {
            let world = [self.anchor, self.anchor_b, self.axis, self.axis_b];
            if world.iter().any(Option::is_some) {
                let reason = "give frames in the bodies, or anchor and axis in the world";
                return Err(InputError::new(path, reason));
            }
            let [a, b] = local.map(|(name, frame)| {
                let frame = frame.unwrap_or_default();
                pose(frame.position, &frame.rotation, &format!("{path}.{name}"))
            });
            return Ok([a?, b?]);
        }
        let need = |field: &str, value: Option<DVec3>| {
            value.ok_or_else(|| InputError::new(format!("{path}.{field}"), "missing field"))
        };
        let anchor = need("anchor", self.anchor)?;
        if !anchor.is_finite() {
            return Err(InputError::new(format!("{path}.anchor"), "must be finite"));
        }
        let across = |e| {
            let found = fault(path, &["axis_a", "axis_b"], &e);
            InputError::new(found.path.replace("axis_a", "axis"), found.reason)
        };
        let world = match placing {
            Placing::Apart => {
                let other = need("anchor_b", self.anchor_b)?;
                let at = |p: DVec3, body: &Pose| Pose::from_translation(body.inverse_point(p));
                return Ok([at(anchor, &poses[0]), at(other, &poses[1])]);
            }
            Placing::Across => {
                let axes = (need("axis", self.axis)?, need("axis_b", self.axis_b)?);
                frame_across(anchor, axes.0, axes.1).map_err(across)?
            }
            Placing::Along => match self.axis {
                Some(axis) => frame_along(anchor, axis).map_err(|e| fault(path, &["axis"], &e))?,
                None => Pose::from_translation(anchor),
            },
        };
        Ok(frames_at(&poses[0], &poses[1], &world))
    }

    /// The bodies it names.
    pub(super) fn bodies(&self, names: &Names, path: &str) -> Result<[BodyHandle; 2], InputError> {
        Ok([
            names.body(&self.a, &format!("{path}.a"))?,
            names.body(&self.b, &format!("{path}.b"))?,
        ])
    }
}
