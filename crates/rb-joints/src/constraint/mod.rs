//! Constraints over any number of bodies: what they see, what they state.
//!
//! A [`Joint`](crate::Joint) connects two bodies and has frames; a constraint is any function of any
//! number of bodies. [`Coupling`] covers affine combinations of coordinates (gear, rack, differential,
//! pulley, centre of mass, mapped springs and masses); a [`Constraint`] of the user's own is one file.
//!
//! Sign       positive λ acts along +J on every body
//! Frames     J is in world axes at the centres of mass: [linear | angular] per body
//! Source     theory §4.8: a row is a sparse list of (body, 1 × 6)

mod check;
mod coupling;
mod custom;
mod quantity;

pub use check::{check_constraint, check_joint};
pub use coupling::Coupling;
pub use custom::CustomConstraint;
pub use quantity::{Measure, Quantity};

use crate::joint::{Coordinate, Coordinates, JointBody, carried};
use glam::DVec3;
use rb_core::draw::DrawSink;
use rb_core::handle::{BodyHandle, JointHandle};
use rb_core::math::Twist;
use rb_core::row::Row;
use rb_core::{Error, Result};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// A joint whose coordinates a constraint reads.
#[derive(Clone, Debug, PartialEq)]
pub struct JointView {
    /// The joint.
    pub joint: JointHandle,
    /// Its bodies (a, b) as numbers in [`ConstraintCx::bodies`].
    pub bodies: [usize; 2],
    /// Its free coordinates.
    pub coordinates: Coordinates,
}

/// What a constraint may look at.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintCx<'a> {
    /// Bodies in the order given at creation.
    pub bodies: &'a [JointBody],
    /// Their handles.
    pub handles: &'a [BodyHandle],
    /// Joints it asked for by [`Constraint::joints`].
    pub joints: &'a [JointView],
    /// Substep (s).
    pub h: f64,
    /// Time at the start of the substep (s).
    pub time: f64,
}

impl ConstraintCx<'_> {
    /// Number of a body.
    pub fn index(&self, body: BodyHandle) -> Option<usize> {
        self.handles.iter().position(|&b| b == body)
    }

    /// Rows of a constraint with its bodies displaced by `by`, one translation (m) and rotation vector
    /// (rad) each; coordinates of joints stay as they are.
    pub fn rows_at(&self, constraint: &dyn Constraint, by: &[Twist]) -> ConstraintRows {
        let moved = self.bodies.iter().zip(by).map(|(b, d)| carried(b, d));
        let bodies: Vec<JointBody> = moved.collect();
        let mut rows = Vec::new();
        constraint.rows(
            &ConstraintCx {
                bodies: &bodies,
                ..self.clone()
            },
            &mut rows,
        );
        rows
    }

    /// Body `i` carried along its velocity for `time` (s): where a midpoint row takes its J.
    pub fn ahead(&self, i: usize, time: f64) -> JointBody {
        carried(&self.bodies[i], &(self.bodies[i].vel * time))
    }
}

/// Stands for J while a row is made: unit along its first component.
const PROBE: [Twist; 2] = [Twist::new(DVec3::X, DVec3::ZERO), Twist::ZERO];

/// A row over all bodies of a constraint. `row.jac` is not used.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintRow {
    /// Gap, target, kind, bounds and slot.
    pub row: Row,
    /// J, one 1 × 6 entry per body of the context.
    pub jac: SmallVec<[Twist; 4]>,
    /// Column map J + E, along which a positive λ acts; `None` acts along J.
    pub acts: Option<SmallVec<[Twist; 4]>>,
}

impl ConstraintRow {
    /// A row from J and a constructor of [`Row`], for example `|j| Row::velocity_limit(j, 2.0, 0)`.
    /// The constructor is handed a probe in place of J; what it does to the probe (limits turn J
    /// round) is done to J.
    pub fn new(jac: impl IntoIterator<Item = Twist>, make: impl FnOnce([Twist; 2]) -> Row) -> Self {
        let row = make(PROBE);
        let scale = turn(&row);
        Self {
            row,
            jac: jac.into_iter().map(|j| j * scale).collect(),
            acts: None,
        }
    }

    /// A row that measures J v⁺ and acts along J + `slip` = N′ − μQ′: a force that brings another one
    /// with it, as the normal force of a sliding contact brings −μ Q along the slip. Each entry of
    /// `slip` is ∂(force on the body)/∂λ beyond J, for the J handed in here.
    ///
    /// Momentum is kept if the entries of J + `slip` are equal and opposite forces along one line.
    /// Sweeps solve such rows, which have no symmetric matrix; the exact solver refuses them as
    /// unsupported. Where J W (J + E)ᵀ ≤ 0 (Painlevé) the row exerts nothing and is reported unmet:
    /// friction that may have to stick is a contact's. Source: theory §4.11.
    ///
    /// ```
    /// use glam::DVec3;
    /// use rb_core::{math::Twist, row::Row};
    /// use rb_joints::ConstraintRow;
    ///
    /// // A bead held above y = 0 that slides along +x with μ = 0.3.
    /// let force = |f: DVec3| [Twist::new(f, DVec3::ZERO)];
    /// let row = ConstraintRow::mapped(force(DVec3::Y), force(DVec3::X * -0.3), |j| {
    ///     Row::unilateral(j, 0.0, 0)
    /// });
    /// assert_eq!(row.jac[0].lin, DVec3::Y);
    /// assert_eq!(row.acting()[0].lin, DVec3::new(-0.3, 1.0, 0.0));
    /// ```
    pub fn mapped(
        jac: impl IntoIterator<Item = Twist>,
        slip: impl IntoIterator<Item = Twist>,
        make: impl FnOnce([Twist; 2]) -> Row,
    ) -> Self {
        let plain = Self::new(jac, make);
        let scale = turn(&plain.row);
        let acts = plain.jac.iter().zip(slip).map(|(&j, e)| j + e * scale);
        Self {
            acts: Some(acts.collect()),
            ..plain
        }
    }

    /// What a positive λ pushes along, per body.
    pub fn acting(&self) -> &[Twist] {
        self.acts.as_deref().unwrap_or(&self.jac)
    }

    /// Whether J and the column map have one entry per body.
    pub fn fits(&self, bodies: usize) -> bool {
        self.jac.len() == bodies && self.acting().len() == bodies
    }

    /// J v of the bodies' velocities (m/s or rad/s).
    pub fn rate(&self, cx: &ConstraintCx) -> f64 {
        let halves = self.jac.iter().zip(cx.bodies);
        halves.map(|(j, b)| j.dot(&b.vel)).sum()
    }
}

/// What a constructor did to the probe: ±1, and 1 for one that ignores it.
fn turn(row: &Row) -> f64 {
    match row.jac[0].lin.x {
        0.0 => 1.0,
        turned => turned,
    }
}

/// Rows of one constraint.
pub type ConstraintRows = Vec<ConstraintRow>;

/// A constraint over any number of bodies.
///
/// Implementors state their rows; everything else has a default. Rows of a position kind must carry
/// the exact derivative of their gap: [`check_constraint`] compares it with finite differences.
pub trait Constraint: core::fmt::Debug + Send + Sync {
    /// Appends the rows; each slot at most once.
    fn rows(&self, cx: &ConstraintCx, out: &mut ConstraintRows);

    /// Joints whose coordinates `rows` reads.
    fn joints(&self) -> Vec<JointHandle> {
        Vec::new()
    }

    /// J̇ v of the row in `slot` (m/s² or rad/s²), where acceleration rows need it; `None` lets the
    /// check leave it out.
    fn bend(&self, _cx: &ConstraintCx, _slot: u8) -> Option<f64> {
        None
    }

    /// Checks the settings for `bodies` bodies.
    ///
    /// # Errors
    /// The first setting that is out of range.
    fn validate(&self, _bodies: usize) -> Result<()> {
        Ok(())
    }

    /// Draws it; by default lines from body to body.
    fn draw(&self, cx: &ConstraintCx, sink: &mut dyn DrawSink) {
        for pair in cx.bodies.windows(2) {
            sink.line(pair[0].com, pair[1].com, rb_core::draw::color::JOINT);
        }
    }
}

/// Any constraint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum AnyConstraint {
    /// Affine combination of coordinates.
    Coupling(Box<Coupling>),
    /// A constraint of the user's own, stored by name.
    Custom(CustomConstraint),
}

impl AnyConstraint {
    fn inner(&self) -> &dyn Constraint {
        match self {
            Self::Coupling(c) => &**c,
            Self::Custom(c) => c,
        }
    }
}

impl Constraint for AnyConstraint {
    fn rows(&self, cx: &ConstraintCx, out: &mut ConstraintRows) {
        self.inner().rows(cx, out);
    }

    fn joints(&self) -> Vec<JointHandle> {
        self.inner().joints()
    }

    fn bend(&self, cx: &ConstraintCx, slot: u8) -> Option<f64> {
        self.inner().bend(cx, slot)
    }

    fn validate(&self, bodies: usize) -> Result<()> {
        self.inner().validate(bodies)
    }

    fn draw(&self, cx: &ConstraintCx, sink: &mut dyn DrawSink) {
        self.inner().draw(cx, sink);
    }
}

impl From<Coupling> for AnyConstraint {
    fn from(c: Coupling) -> Self {
        Self::Coupling(Box::new(c))
    }
}

impl From<CustomConstraint> for AnyConstraint {
    fn from(c: CustomConstraint) -> Self {
        Self::Custom(c)
    }
}

/// The coordinate of a joint a constraint asked for.
fn coordinate(view: &JointView, axis: crate::Axis) -> Option<&Coordinate> {
    view.coordinates.iter().find(|c| c.axis == axis)
}

/// A unit direction.
fn unit(argument: &'static str, v: DVec3) -> Result<DVec3> {
    rb_core::error::check::direction(argument, v)
}

/// Something a constraint cannot work with.
fn clash(argument: &'static str, reason: impl Into<String>) -> Error {
    Error::Contradiction {
        argument,
        reason: reason.into(),
    }
}
