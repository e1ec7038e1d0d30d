//! What a step tells: stage times, counts, and how right it was.

use crate::handle::{BodyHandle, ColliderHandle, ConstraintHandle, JointHandle};
use crate::law::LawSet;
use crate::residual::Grade;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A contact or joint, by handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Culprit {
    /// A contact between two colliders.
    Contact(ColliderHandle, ColliderHandle),
    /// A joint.
    Joint(JointHandle),
    /// A constraint over any number of bodies.
    Constraint(ConstraintHandle),
}

/// Seconds spent in each stage; for telemetry only, never read by the physics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StageTimes {
    /// Broad phase.
    pub broad: f64,
    /// Narrow phase.
    pub narrow: f64,
    /// Islands and their order.
    pub partition: f64,
    /// Assembling, solving and integrating all substeps.
    pub solve: f64,
    /// Writing back, swept tests, events, sleep.
    pub publish: f64,
    /// The whole step.
    pub total: f64,
}

/// Why an island went to the exact solver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Reason {
    /// The plan says so.
    Plan,
    /// A precise body or joint.
    Precise,
    /// A loaded contact between bodies of very different masses.
    MassRatio,
    /// The fast solver left this violation (m/s).
    Residual(f64),
    /// The fast solver's soft step left this penetration or joint error (m).
    Position(f64),
    /// The fast solver was above the tolerance some steps ago.
    Held,
}

/// How one island went.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct IslandReport {
    /// Its lowest body.
    pub root: BodyHandle,
    /// Number of bodies.
    pub bodies: u32,
    /// Number of rows in the last substep.
    pub rows: u32,
    /// Equal parts it took the step in ([`Params::crowd_share`](crate::params::Params::crowd_share)).
    pub substeps: u32,
    /// Sweeps over all substeps and passes.
    pub iterations: u32,
    /// Who solved it.
    pub solver: &'static str,
    /// Stiff clusters, heavy on light, that were solved exactly between the sweeps over all else.
    pub clusters: u32,
    /// Why the exact solver was asked; the better of both answers was kept.
    pub reason: Option<Reason>,
    /// Laws solved, exactly as stated.
    pub laws: LawSet,
    /// Violation of the velocity law in the last substep.
    pub grade: Grade,
    /// Whether only a sample of its contacts was graded (see [`Params::sampling`](crate::params::Params)).
    pub sampled: bool,
    /// Contact of the largest violation of a contact.
    pub worst_contact: Option<Culprit>,
    /// Joint of the largest violation of a joint.
    pub worst_joint: Option<Culprit>,
    /// Deepest penetration at the end of the step (m).
    pub penetration: f64,
    /// Largest joint error at the end of the step (m; rad times body extent).
    pub joint_error: f64,
}

/// How the step went.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StepReport {
    /// Number of the step, from 1.
    pub step: u64,
    /// Bodies that were awake.
    pub awake: u32,
    /// Islands that went to the exact solver.
    pub exact: u32,
    /// Independent tasks offered to the threads.
    pub tasks: u32,
    /// Manifolds with at least one point.
    pub manifolds: u32,
    /// Contact points.
    pub contacts: u32,
    /// Rows of all islands in the last substep.
    pub rows: u32,
    /// One entry per awake island, in the order of their roots. Bodies that touch nothing form none.
    /// Shared with the world, which writes the next one in its place once nobody else holds it.
    pub islands: Arc<Vec<IslandReport>>,
    /// The worst grade over islands.
    pub grade: Grade,
    /// Largest violation of a velocity law (m/s).
    pub residual: f64,
    /// Deepest penetration (m) at the end of the step.
    pub penetration: f64,
    /// Largest joint error (m; rad times body extent).
    pub joint_error: f64,
    /// The contact or joint of the largest violation.
    pub worst: Option<Culprit>,
    /// Whether residual, penetration and joint error are within the profile's tolerances.
    pub met: bool,
    /// Bodies put back and frozen because their state became non-finite.
    pub frozen: Vec<BodyHandle>,
    /// Time spent (s).
    pub times: StageTimes,
}
