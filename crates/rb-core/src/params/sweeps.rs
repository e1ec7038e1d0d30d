//! How much the iterative solver does.

use crate::problem::Pass;
use serde::{Deserialize, Serialize};

/// Work of the iterative solver in one substep.
///
/// Sweeps go there and back by turns, and every other substep begins at the far end: with few sweeps,
/// whoever always came last would always be right.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sweeps {
    /// Sweeps of the pass that moves positions, at most.
    pub position: u32,
    /// Sweeps of the pass that leaves velocities, at most.
    pub velocity: u32,
    /// So many more of them in the last substep, whose velocities are those the step ends with; as many more rounds,
    /// and twice as many more coupled sweeps.
    pub last: u32,
    /// Sweeps of either pass over contacts and joints that are solved directly, with a direct solve of the joints at
    /// the end, where an island is in lanes as a whole: that needs more than contacts among themselves.
    pub coupled: u32,
    /// The same, at most, in an island some of which is stated as rows: sweeps, or rounds in which joints and contacts
    /// take turns.
    pub rounds: u32,
    /// Both passes stop once no row changed by more than this (m/s).
    pub stop: f64,
}

impl Sweeps {
    /// Those of a second try: so many times as many, and twice that in the pass that leaves the velocities of the step.
    /// (Many more in that pass alone fit its impulses better to the velocities than the next step's soft contacts do,
    /// and make stacks shake.)
    pub fn again(self, times: u32) -> Self {
        let more = |sweeps: u32| sweeps.saturating_mul(times);
        let last = more(self.velocity_in(true)).saturating_mul(2);
        Self {
            position: more(self.position),
            velocity: more(self.velocity),
            last: last.saturating_sub(more(self.velocity)),
            ..self
        }
    }

    /// Sweeps of the velocity pass in the last substep, or in another.
    pub fn velocity_in(&self, last: bool) -> u32 {
        self.velocity + if last { self.last } else { 0 }
    }

    /// Sweeps of the position pass over softened ball joints in lanes that touch nothing: over-relaxed, two do what takes
    /// contacts three.
    pub fn sparing(&self) -> u32 {
        (2 * self.position).div_ceil(3)
    }

    /// Sweeps over contacts and joints together in lanes, in a pass of the last substep or of another.
    pub fn coupled_in(&self, pass: Pass, last: bool) -> u32 {
        match pass {
            Pass::Velocity if last => self.coupled + 2 * self.last,
            _ => self.coupled,
        }
    }

    /// The same in an island that is not in lanes as a whole.
    pub fn rounds_in(&self, pass: Pass, last: bool) -> u32 {
        match pass {
            Pass::Velocity if last => self.rounds + self.last,
            _ => self.rounds,
        }
    }
}
