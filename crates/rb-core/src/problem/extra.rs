//! What few blocks have: bodies beyond the second, compliance that couples rows, forces that act along
//! other directions than their rows measure.
//!
//! Two bodies are the fast case and stay inline; the columns of further bodies spill here, so that a
//! row over any number of bodies is exact in every solver.

use super::ProblemRow;
use crate::math::Twist;
use serde::{Deserialize, Serialize};

/// The block has no [`Extra`].
pub const NO_EXTRA: u32 = u32::MAX;

/// For blocks stored before there were extras.
pub(super) fn none() -> u32 {
    NO_EXTRA
}

/// The rare parts of a block.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Extra {
    /// Bodies beyond the block's two, as numbers within the island.
    pub bodies: Vec<u32>,
    /// J over those bodies, row by row.
    pub jac: Vec<Twist>,
    /// W Jᵀ (W of the acting columns), in the order of `jac`.
    pub mjt: Vec<Twist>,
    /// Off-diagonal part of R, row-major, len × len with a zero diagonal; empty if R is diagonal.
    pub cross: Vec<f64>,
    /// Column map: J + E of every row over all its bodies, the block's two first, row by row. The row
    /// measures J v⁺ and its multiplier acts as (J + E)ᵀλ; empty if E = 0 throughout.
    #[serde(default)]
    pub acts: Vec<Twist>,
    /// Rows whose multipliers bound those of a [`Law::Spin`](crate::law::Law::Spin) block.
    #[serde(default)]
    pub normals: Vec<u32>,
}

impl Extra {
    /// Columns of row `k` of the block: (body, J, W Jᵀ).
    pub fn columns(&self, k: usize) -> impl Iterator<Item = (usize, &Twist, &Twist)> {
        let n = self.bodies.len();
        let at = k * n..(k + 1) * n;
        let bodies = self.bodies.iter().map(|&b| b as usize);
        let (jac, mjt) = (self.jac[at.clone()].iter(), self.mjt[at].iter());
        bodies.zip(jac.zip(mjt)).map(|(b, (j, m))| (b, j, m))
    }

    /// J of row `k` over all bodies.
    pub(super) fn measuring(&self, k: usize, row: &ProblemRow) -> Vec<Twist> {
        let n = self.bodies.len();
        let spilled = &self.jac[k * n..(k + 1) * n];
        row.jac.iter().chain(spilled).copied().collect()
    }

    /// J + E of row `k` over all bodies, if the block has a column map.
    pub(super) fn acting(&self, k: usize) -> Option<&[Twist]> {
        let n = self.bodies.len() + 2;
        self.acts.get(k * n..(k + 1) * n)
    }
}
