//! The problem of one island, as every solver reads it, and its two passes.
//!
//! Unknowns v⁺ ∈ R⁶ᴺ and λ ∈ Rᵐ (N·s):
//! `v⁺ = ṽ + W Jᵀλ`, `w = J v⁺ + R λ + b`, `−w ∈ N_K(λ)` block by block (see [`Law`]).
//! Sign: b is added, here and in `docs/theory`.
//!
//! A substep poses the same rows twice. In the **position pass** b carries the correction of gaps and
//! R the solver's softening: its velocity moves the bodies. In the **velocity pass** closed one-sided
//! rows have b = 0 and R is physics alone: its velocity is the state. Rows that need no correction
//! have equal terms in both.

use crate::law::Law;
use crate::mass::InvMass;
use crate::math::Twist;
use serde::{Deserialize, Serialize};

/// Which terms of the rows hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pass {
    /// The velocity found moves the bodies.
    Position,
    /// The velocity found is the state at the end of the substep; graded by the certificate.
    Velocity,
}

/// Constant part and regularisation of a row: `w = J v⁺ + reg λ + bias`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// b (m/s or rad/s).
    pub bias: f64,
    /// R (1/kg or 1/(kg·m²)).
    pub reg: f64,
}

/// One body of the island.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProblemBody {
    /// ṽ: velocity after forces, before constraint impulses.
    pub free: Twist,
    /// v⁺ of the current multipliers.
    pub vel: Twist,
    /// W in world axes; zero for static and kinematic bodies.
    pub inv: InvMass,
    /// Largest distance of the surface from the centre of mass (m): turns rad/s into m/s.
    pub extent: f64,
}

/// One row, ready to solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProblemRow {
    /// J over the block's bodies (a, b).
    pub jac: [Twist; 2],
    /// W Jᵀ.
    pub mjt: [Twist; 2],
    /// Terms of the position pass.
    pub position: Term,
    /// Terms of the velocity pass.
    pub velocity: Term,
    /// Lowest impulse (N·s or N·m·s).
    pub lo: f64,
    /// Highest impulse.
    pub hi: f64,
    /// J W Jᵀ (1/kg or 1/(kg·m²)).
    pub diag: f64,
    /// The multiplier: warm start in, solution out.
    pub lambda: f64,
    /// Gap at the start of the substep (m or rad).
    pub gap: f64,
    /// Where the multiplier returns to in the producer's memory.
    pub slot: u8,
}

impl ProblemRow {
    /// The terms of a pass.
    #[inline]
    pub fn term(&self, pass: Pass) -> Term {
        match pass {
            Pass::Position => self.position,
            Pass::Velocity => self.velocity,
        }
    }

    /// Whether both bounds are infinite.
    pub fn is_bilateral(&self) -> bool {
        self.lo == f64::NEG_INFINITY && self.hi == f64::INFINITY
    }
}

/// Who stated a block, and where its multipliers go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// Slot of the joint.
    Joint(u32),
    /// Number of the manifold in this step's contact set, and of its point.
    Contact {
        /// Manifold number.
        manifold: u32,
        /// Point number.
        point: u8,
    },
}

/// Consecutive rows over one pair of bodies, under one law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Bodies a and b, as numbers within the island.
    pub bodies: [u32; 2],
    /// First row.
    pub first: u32,
    /// Number of rows.
    pub len: u8,
    /// Admissible set.
    pub law: Law,
    /// Who stated it.
    pub source: Source,
}

impl Block {
    /// Row numbers.
    #[inline]
    pub fn rows(&self) -> core::ops::Range<usize> {
        let first = self.first as usize;
        first..first + self.len as usize
    }
}

/// The problem of one island.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// Bodies; immovable ones have W = 0.
    pub bodies: Vec<ProblemBody>,
    /// Rows, block by block.
    pub rows: Vec<ProblemRow>,
    /// Blocks, in the order they are visited.
    pub blocks: Vec<Block>,
}

impl Problem {
    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.rows.clear();
        self.blocks.clear();
    }

    /// Appends a block; W Jᵀ and its diagonal are computed here. A row that moves nothing, not even
    /// through compliance, is left out: no impulse could change it.
    pub fn push_block(&mut self, bodies: [u32; 2], law: Law, source: Source, rows: &[ProblemRow]) {
        let first = self.rows.len() as u32;
        let inv = bodies.map(|b| self.bodies[b as usize].inv);
        for row in rows {
            let mjt = [inv[0].apply(&row.jac[0]), inv[1].apply(&row.jac[1])];
            let diag = mjt[0].dot(&row.jac[0]) + mjt[1].dot(&row.jac[1]);
            if diag > 0.0 || law != Law::Rows {
                self.rows.push(ProblemRow { mjt, diag, ..*row });
            }
        }
        let len = (self.rows.len() as u32 - first) as u8;
        if len > 0 {
            self.blocks.push(Block {
                bodies,
                first,
                len,
                law,
                source,
            });
        }
    }

    /// Sets v⁺ = ṽ + W Jᵀλ from scratch.
    pub fn rebuild_velocities(&mut self) {
        for b in &mut self.bodies {
            b.vel = b.free;
        }
        for block in &self.blocks {
            let [ia, ib] = block.bodies.map(|i| i as usize);
            for r in block.rows() {
                let row = &self.rows[r];
                self.bodies[ia].vel += row.mjt[0] * row.lambda;
                self.bodies[ib].vel += row.mjt[1] * row.lambda;
            }
        }
    }

    /// w of one row at the present velocities and multipliers (m/s or rad/s).
    #[inline]
    pub fn violation(&self, block: &Block, row: usize, pass: Pass) -> f64 {
        let r = &self.rows[row];
        let t = r.term(pass);
        r.jac[0].dot(&self.bodies[block.bodies[0] as usize].vel)
            + r.jac[1].dot(&self.bodies[block.bodies[1] as usize].vel)
            + t.reg * r.lambda
            + t.bias
    }

    /// Whether the two passes pose the same problem, so that one solve serves both.
    pub fn passes_agree(&self) -> bool {
        self.rows.iter().all(|r| r.position == r.velocity)
    }
}
