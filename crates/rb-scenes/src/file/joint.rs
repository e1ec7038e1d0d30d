//! Joints: kind and frames.

use super::drive::DriveEntry;
use super::fault::fault;
use super::names::Names;
use super::place::{Rotation, pose};
use super::{Customs, InputError};
use rb_world::joint::{Cylindrical, Distance, Joint, Screw, frame_across, frame_along, frames_at};
use rb_world::prelude::*;
use serde::Deserialize;
use std::collections::BTreeMap;

/// One joint between the bodies `a` and `b`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
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
    /// Locked axes of a six-dof joint; the others are free.
    #[serde(default)]
    pub locked: Vec<Axis>,
    /// Largest angle between the z axes of a ball joint (rad).
    pub cone: Option<f64>,
    /// Dry friction of a ball joint about each axis (N·m).
    pub friction: Option<f64>,
    /// Slide per turn of a screw (m).
    pub lead: Option<f64>,
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
}

/// Kind of a joint.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JointName {
    /// Nothing.
    Fixed,
    /// Turn about z.
    Hinge,
    /// Slide along z.
    Slider,
    /// Slide along z and turn about it.
    Cylindrical,
    /// Turn about z that carries a slide.
    Screw,
    /// All rotations.
    Ball,
    /// Turns about the arms of a cross.
    Universal,
    /// Strut, steering and spin.
    Wheel,
    /// All but the distance of two points.
    Distance,
    /// All but the axes in `locked`.
    SixDof,
    /// A joint of the program's own.
    Custom(String),
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
        for (axis, drive, path) in self.all_drives(path)? {
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
        let fields = ["break_force", "break_torque", "cone", "friction", "lead"];
        desc.validate().map_err(|e| fault(path, &fields, &e))?;
        Ok(desc)
    }

    /// The drives with their axes and places in the file.
    fn all_drives(&self, path: &str) -> Result<Vec<(Axis, &DriveEntry, String)>, InputError> {
        let each = self.drives.iter();
        let mut all: Vec<_> = each
            .map(|(axis, d)| {
                let name = axis.name().replace(' ', "_");
                (*axis, d, format!("{path}.drives.{name}"))
            })
            .collect();
        if let Some(drive) = &self.drive {
            let path = format!("{path}.drive");
            let axis = match self.kind {
                JointName::Hinge | JointName::Screw => Axis::AngZ,
                JointName::Slider | JointName::Distance => Axis::LinZ,
                _ => {
                    let reason = "this joint has no single axis; name it, as in drives.ang_z";
                    return Err(InputError::new(path, reason));
                }
            };
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
        self.check_extras(path)?;
        if let JointName::Custom(name) = &self.kind {
            let joint = customs.joints.get(name).ok_or_else(|| {
                let reason = format!("this program has no joint called {name:?}");
                InputError::new(format!("{path}.kind.custom"), reason)
            })?;
            return Ok(rb_world::joint::Custom::new(name, joint.clone()).into());
        }
        let [a, b] = self.frames(poses, path)?;
        Ok(match &self.kind {
            JointName::Fixed | JointName::Custom(_) => Fixed::new(a, b).into(),
            JointName::Hinge => Hinge::new(a, b).into(),
            JointName::Slider => Slider::new(a, b).into(),
            JointName::Cylindrical => Cylindrical::new(a, b).into(),
            JointName::Screw => Screw::new(a, b).lead(self.lead.unwrap_or(0.0)).into(),
            JointName::Ball => {
                let ball = Ball::new(a, b).friction(self.friction.unwrap_or(0.0));
                self.cone
                    .map_or(ball.clone(), |angle| ball.cone(angle))
                    .into()
            }
            JointName::Universal => Universal::new(a, b).into(),
            JointName::Wheel => Wheel::new(a, b).into(),
            JointName::Distance => Distance::new(a, b).into(),
            JointName::SixDof => SixDof::new(a, b).lock(self.locked.iter().copied()).into(),
        })
    }

    /// Refuses what another kind of joint has.
    fn check_extras(&self, path: &str) -> Result<(), InputError> {
        let crossed = matches!(self.kind, JointName::Universal | JointName::Wheel);
        let (ball, screw) = (self.kind == JointName::Ball, self.kind == JointName::Screw);
        let extras = [
            ("cone", self.cone.is_some(), ball),
            ("friction", self.friction.is_some(), ball),
            ("lead", self.lead.is_some(), screw),
            (
                "locked",
                !self.locked.is_empty(),
                self.kind == JointName::SixDof,
            ),
            (
                "anchor_b",
                self.anchor_b.is_some(),
                self.kind == JointName::Distance,
            ),
            ("axis_b", self.axis_b.is_some(), crossed),
        ];
        match extras.iter().find(|(_, given, known)| *given && !known) {
            None => Ok(()),
            Some((field, ..)) => {
                let reason = "this kind of joint has no such thing";
                Err(InputError::new(format!("{path}.{field}"), reason))
            }
        }
    }

    /// Joint frames in both bodies.
    fn frames(&self, poses: [Pose; 2], path: &str) -> Result<[Pose; 2], InputError> {
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
        let world = match self.kind {
            JointName::Distance => {
                let other = need("anchor_b", self.anchor_b)?;
                let at = |p: DVec3, body: &Pose| Pose::from_translation(body.inverse_point(p));
                return Ok([at(anchor, &poses[0]), at(other, &poses[1])]);
            }
            JointName::Universal | JointName::Wheel => {
                let axes = (need("axis", self.axis)?, need("axis_b", self.axis_b)?);
                frame_across(anchor, axes.0, axes.1).map_err(across)?
            }
            _ => match self.axis {
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
