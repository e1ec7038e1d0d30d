//! Coupling: one affine combination of quantities that is held, bounded, driven or loaded.
//!
//! | thing | quantity | use |
//! |---|---|---|
//! | gear, ratio r | q₁ − r q₂ | [`hold`](Coupling::hold) |
//! | rack and pinion, radius r | s − r θ | hold |
//! | differential | ω_A + ω_B − 2 ω_C (angles) | hold |
//! | tendon, pulley | Σ distances | [`at_most`](Coupling::at_most) or hold |
//! | centre of mass | mean with masses as weights | hold |
//! | point on a line of two others | p₃ − (1−s) p₁ − s p₂ | hold |
//! | mapped spring, mass, force | any | [`drive`](Coupling::drive), [`mass`](Coupling::mass), [`force`](Coupling::force) |
//!
//! Equation   φ = q − q₀ with q, J from [`Quantity`]; mass m at q: F = −m (J v⁺ + h J̇ v − J v)/h
//! Shapes     one row per feature over all bodies of the quantity; J̇ v by central differences of J v
//! Units      those of the quantity; m in kg (kg·m²)
//! Errors     those of the quantity, the drive and the options; a mass below zero
//! Source     theory §4.8 and §3.4 (assembly: M += Jᵀ m J, f −= Jᵀ m J̇ v)

use super::{Constraint, ConstraintCx, ConstraintRow, ConstraintRows, Quantity};
use crate::axis::{Axis, Role, Slot};
use crate::drive::Drive;
use crate::elements::Limits;
use crate::joint::{Coordinate, JointBody, Rows, carried};
use crate::options::RowOptions;
use rb_core::Result;
use rb_core::error::check;
use rb_core::handle::JointHandle;
use rb_core::row::{Course, Row};
use serde::{Deserialize, Serialize};

/// Slot of the mapped mass.
const MASS_SLOT: u8 = Slot::new(Axis::LinX, Role::Lock).id();
/// Slot of the given force.
const FORCE_SLOT: u8 = Slot::new(Axis::LinY, Role::Lock).id();

/// A combination of coordinates with everything a [`Drive`] can do to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coupling {
    /// What is measured.
    pub quantity: Quantity,
    /// What acts on it.
    pub drive: Drive,
    /// Options of the held row.
    pub options: RowOptions,
    /// Mass at the quantity (kg or kg·m²).
    pub mass: f64,
    /// Force along the quantity (N or N·m).
    pub force: f64,
}

impl Coupling {
    /// A quantity nothing acts on yet.
    pub fn new(quantity: Quantity) -> Self {
        Self {
            quantity,
            drive: Drive::default(),
            options: RowOptions::default(),
            mass: 0.0,
            force: 0.0,
        }
    }

    /// Gear: q₁ − `ratio` q₂ is held at `phase` (rad or m); q₁ and q₂ are joint coordinates.
    pub fn gear(first: (JointHandle, Axis), second: (JointHandle, Axis), ratio: f64) -> Self {
        let q = |(joint, axis)| Quantity::joint(joint, axis);
        Self::new(Quantity::sum([(1.0, q(first)), (-ratio, q(second))]))
    }

    /// Rack and pinion: the slide follows the turn by `radius` (m).
    pub fn rack(slide: JointHandle, pinion: JointHandle, radius: f64) -> Self {
        Self::gear((slide, Axis::LinZ), (pinion, Axis::AngZ), radius)
    }

    /// Differential: θ_A + θ_B − 2 θ_C of three hinges.
    pub fn differential([a, b]: [JointHandle; 2], carrier: JointHandle) -> Self {
        let q = |joint| Quantity::joint(joint, Axis::AngZ);
        Self::new(Quantity::sum([
            (1.0, q(a)),
            (1.0, q(b)),
            (-2.0, q(carrier)),
        ]))
    }

    /// Holds the quantity at a value.
    pub fn hold(mut self, value: f64) -> Self {
        self.drive.limits = Some(Limits::new(value, value));
        self
    }

    /// Keeps the quantity at or below a value: rope, tendon.
    pub fn at_most(mut self, value: f64) -> Self {
        self.drive.limits = Some(Limits::new(f64::NEG_INFINITY, value));
        self
    }

    /// Sets what acts on the quantity.
    pub fn drive(mut self, drive: Drive) -> Self {
        self.drive = drive;
        self
    }

    /// Sets the options of the held row.
    pub fn options(mut self, options: RowOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the mass that moves at the rate of the quantity (kg or kg·m²).
    pub fn mass(mut self, mass: f64) -> Self {
        self.mass = mass;
        self
    }

    /// Sets the force along the quantity (N or N·m).
    pub fn force(mut self, force: f64) -> Self {
        self.force = force;
        self
    }

    /// J̇ v: how the rate changes along the present motion, by central differences.
    fn bend_of(&self, cx: &ConstraintCx) -> Option<f64> {
        let speed = cx.bodies.iter().fold(0.0f64, |s, b| {
            s.max(b.vel.lin.length()).max(b.vel.ang.length())
        });
        if speed == 0.0 {
            return Some(0.0);
        }
        let step = 1e-5 / speed;
        let rate = |sign: f64| {
            let moved: Vec<JointBody> = cx
                .bodies
                .iter()
                .map(|b| carried(b, &(b.vel * (sign * step))))
                .collect();
            // Coordinates of joints keep their J here: their own bend is zero for hinges, and for
            // slides on a body that does not turn.
            let there = ConstraintCx {
                bodies: &moved,
                ..cx.clone()
            };
            let jac = self.quantity.measure(&there)?.jac;
            Some(
                jac.iter()
                    .zip(cx.bodies)
                    .map(|(j, b)| j.dot(&b.vel))
                    .sum::<f64>(),
            )
        };
        Some((rate(1.0)? - rate(-1.0)?) / (2.0 * step))
    }
}

/// A drive scales J by ±1; reading the scale off a unit probe lets it serve any number of bodies.
fn probe(value: f64, rate: f64) -> Coordinate {
    Coordinate {
        axis: Axis::LinZ,
        value,
        rate,
        jac: super::PROBE,
        course: Course::Stated,
    }
}

impl Constraint for Coupling {
    fn rows(&self, cx: &ConstraintCx, out: &mut ConstraintRows) {
        let Some(m) = self.quantity.measure(cx) else {
            return;
        };
        let rate: f64 = m
            .jac
            .iter()
            .zip(cx.bodies)
            .map(|(j, b)| j.dot(&b.vel))
            .sum();
        let q = probe(m.value, rate);
        let mut rows = Rows::new();
        self.drive.rows(&q, cx.h, &mut rows);
        self.options.apply(&mut rows);
        if self.mass > 0.0 {
            let bend = self.bend_of(cx).unwrap_or(0.0);
            rows.push(Row::inertia(q.jac, self.mass, rate, bend, cx.h, MASS_SLOT));
        }
        if self.force != 0.0 {
            rows.push(Row::force(q.jac, self.force, FORCE_SLOT));
        }
        let wide = |row| ConstraintRow::new(m.jac.iter().copied(), |_| row);
        out.extend(rows.into_iter().map(wide));
    }

    fn joints(&self) -> Vec<JointHandle> {
        let mut out = Vec::new();
        self.quantity.joints(&mut out);
        let mut joints: Vec<_> = out.into_iter().map(|(j, _)| j).collect();
        joints.dedup();
        joints
    }

    fn bend(&self, cx: &ConstraintCx, _slot: u8) -> Option<f64> {
        self.bend_of(cx)
    }

    fn validate(&self, _bodies: usize) -> Result<()> {
        self.quantity.validate()?;
        self.drive.validate()?;
        self.options.validate()?;
        check::non_negative("mass", self.mass)?;
        check::finite("force", self.force).map(|_| ())
    }
}
