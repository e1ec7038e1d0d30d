//! What every solver looks like from outside.

use crate::elimination::Elimination;
use crate::law::LawSet;
use crate::math::Twist;
use crate::problem::{Block, Pass, Problem};
use serde::{Deserialize, Serialize};

/// How a solve ended, by the solver's own account; the certificate decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SolveStatus {
    /// Stopped by its own criterion.
    #[default]
    Converged,
    /// Ran out of sweeps; best point so far.
    Unmet,
    /// A law in the problem is not supported.
    Unsupported,
}

/// What a solver says of one solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SolveOutcome {
    /// How it ended.
    pub status: SolveStatus,
    /// Sweeps or iterations.
    pub iterations: u32,
    /// Largest change of a row in the last sweep (m/s): the free estimate of the residual.
    pub change: f64,
}

/// Budget of one solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Sweeps or iterations, at most.
    pub sweeps: u32,
    /// Stop once no row changes by more than this (m/s).
    pub stop: f64,
    /// Whether the first sweep goes from last to first; the others take turns with it.
    pub backwards: bool,
    /// Whether an exact solver may follow: sweeps then end as soon as those left will not do.
    pub followed: bool,
}

impl Budget {
    /// Sweeps that start with the first.
    pub const fn new(sweeps: u32, stop: f64) -> Self {
        Self {
            sweeps,
            stop,
            backwards: false,
            followed: false,
        }
    }
}

/// Memory a solver may keep between the solves of one island.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Elimination order of the island's joints, numbered as in [`Source::Joint`]; its `work` is
    /// `None` where a direct solve would cost too much.
    ///
    /// [`Source::Joint`]: crate::problem::Source::Joint
    pub plan: Elimination,
    /// Blocks of the present problem that are to be solved exactly as one block of the sweep's order,
    /// cluster by cluster; blocks over two bodies each, without extras.
    pub clusters: Vec<Vec<u32>>,
    /// Violation (m/s) at which a cluster is left as it is.
    pub cluster_stop: f64,
    /// Dense matrices of blocks.
    pub numbers: Vec<f64>,
    /// Where each block's matrix starts.
    pub offsets: Vec<u32>,
    /// What a direct solve of the joints keeps.
    pub joints: DirectMemory,
}

/// Memory of a direct solve of the joints: blocks by position in the elimination order, rows one after
/// another in that order.
#[derive(Clone, Debug, Default)]
pub struct DirectMemory {
    /// Block of each joint and constraint.
    pub stated: Vec<Option<Block>>,
    /// Block at each position, if any of the joint's rows can move anything.
    pub blocks: Vec<Option<Block>>,
    /// First row of each position, and the number of rows.
    pub first: Vec<u32>,
    /// Side of each row: −1 and 1 at a bound, 0 within.
    pub sides: Vec<i8>,
    /// Sides the factor was made for, as long as it is of the present problem: whoever changes the
    /// problem clears it.
    pub factored: Vec<i8>,
    /// Factor of the joint system.
    pub factor: Vec<f64>,
    /// Where each block of the factor starts, and its end.
    pub factor_at: Vec<u32>,
    /// Diagonal of the system before elimination.
    pub scale: Vec<f64>,
    /// One column, or part of one, before it is overwritten.
    pub column: Vec<f64>,
    /// Right-hand side and solution.
    pub solution: Vec<f64>,
    /// Multipliers before a visit.
    pub before: Vec<f64>,
    /// Velocities of all bodies before a visit, where there are rows with bounds.
    pub velocities: Vec<Twist>,
}

/// Reads a problem and improves its multipliers and velocities in place.
pub trait IslandSolver: Sync {
    /// Name for reports.
    fn name(&self) -> &'static str;
    /// Laws it can solve exactly in the limit.
    fn laws(&self) -> LawSet;
    /// Whether contacts may be kept from it and swept by the lane kernels instead, which take the same
    /// visits in the same order. Solvers that want to see every contact say no.
    fn shares_contacts(&self) -> bool {
        false
    }
    /// Solves one pass from the multipliers present; on return `vel = free + W Jᵀλ`.
    fn solve(
        &self,
        p: &mut Problem,
        pass: Pass,
        budget: Budget,
        scratch: &mut Scratch,
    ) -> SolveOutcome;
}
