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

mod extra;

pub use extra::{Extra, NO_EXTRA};

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
    /// ṽ: velocity after forces, before constraint impulses (m/s, rad/s).
    pub free: Twist,
    /// v⁺ of the current multipliers (m/s, rad/s).
    pub vel: Twist,
    /// W in world axes; zero for static and kinematic bodies.
    pub inv: InvMass,
    /// Largest distance of its points from the centre of mass (m): turns rad/s into m/s.
    pub extent: f64,
}

/// One row, ready to solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProblemRow {
    /// J over the block's bodies (a, b).
    pub jac: [Twist; 2],
    /// W Jᵀ; W of the acting columns where a column map sets them apart (see [`Extra::acts`]).
    pub mjt: [Twist; 2],
    /// Terms of the position pass.
    pub position: Term,
    /// Terms of the velocity pass.
    pub velocity: Term,
    /// Lowest impulse (N·s or N·m·s).
    pub lo: f64,
    /// Highest impulse (N·s or N·m·s).
    pub hi: f64,
    /// J W Jᵀ (1/kg or 1/(kg·m²)).
    pub diag: f64,
    /// The multiplier (N·s or N·m·s): warm start in, solution out.
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

    /// w at the velocities of the block's two bodies.
    #[inline]
    fn violation(&self, vel: [&Twist; 2], pass: Pass) -> f64 {
        let t = self.term(pass);
        let moved = self.jac[0].dot(vel[0]) + self.jac[1].dot(vel[1]);
        moved + t.reg * self.lambda + t.bias
    }

    /// Whether what states the row beside its columns are numbers; bounds may be infinite.
    pub fn is_stated(&self) -> bool {
        let terms = [self.position, self.velocity];
        let known = terms
            .iter()
            .all(|t| t.bias.is_finite() && t.reg.is_finite());
        known && !self.lo.is_nan() && !self.hi.is_nan()
    }

    /// Sets equal terms for both passes.
    pub fn both(&mut self, bias: f64, reg: f64) {
        self.position = Term { bias, reg };
        self.velocity = self.position;
    }

    /// Whether both bounds are infinite.
    pub fn is_bilateral(&self) -> bool {
        self.lo == f64::NEG_INFINITY && self.hi == f64::INFINITY
    }
}

/// Who stated a block, and where its multipliers go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// Number of the joint.
    Joint(u32),
    /// Number of the constraint over any number of bodies.
    Constraint(u32),
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
    /// Number of its entry in [`Problem::extras`]; [`NO_EXTRA`] for almost all blocks.
    #[serde(default = "extra::none")]
    pub extra: u32,
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
    /// Further bodies and coupled compliance of the blocks that have them.
    #[serde(default)]
    pub extras: Vec<Extra>,
}

/// Whether the rows of friction move anything, and the first of them says how hard it presses.
fn loads(rows: &[ProblemRow]) -> bool {
    let yields = |n: &ProblemRow| n.diag + n.position.reg.min(n.velocity.reg) > 0.0;
    rows.first().is_some_and(yields) && rows.iter().any(|r| r.diag > 0.0)
}

impl Problem {
    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.rows.clear();
        self.blocks.clear();
        self.extras.clear();
    }

    /// Appends a block; W Jᵀ and its diagonal are computed here. A row that moves nothing, not even
    /// through compliance, is left out: no impulse could change it. Friction whose normal cannot give way is
    /// left out whole: nothing says how hard it presses.
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
        if law != Law::Rows && !loads(&self.rows[first as usize..]) {
            self.rows.truncate(first as usize);
        }
        self.close_block(bodies, law, source, first, NO_EXTRA);
    }

    /// Appends a row whose W Jᵀ and diagonal are there already, unless it moves nothing.
    #[inline]
    pub fn push_row(&mut self, row: ProblemRow) {
        if row.diag > 0.0 {
            self.rows.push(row);
        }
    }

    /// Makes the rows from number `first` on one block.
    #[inline]
    pub fn push_joint(&mut self, bodies: [u32; 2], source: Source, first: usize) {
        self.close_block(bodies, Law::Rows, source, first as u32, NO_EXTRA);
    }

    /// Appends a block over `bodies` and those of `extra`, whose `jac` holds the further columns of
    /// every row, whose `cross` may couple the rows and whose `acts` may turn their forces. Rows that
    /// move nothing are kept, without effect.
    pub fn push_wide_block(
        &mut self,
        bodies: [u32; 2],
        source: Source,
        rows: &[ProblemRow],
        mut extra: Extra,
    ) {
        let first = self.rows.len() as u32;
        extra.mjt.clear();
        for (k, row) in rows.iter().enumerate() {
            let inv = |i: usize| match i {
                0 | 1 => &self.bodies[bodies[i] as usize].inv,
                _ => &self.bodies[extra.bodies[i - 2] as usize].inv,
            };
            let jac = extra.measuring(k, row);
            let diag = (jac.iter().enumerate()).map(|(i, j)| inv(i).apply(j).dot(j));
            let diag = diag.sum();
            let columns = extra.acting(k).unwrap_or(&jac).iter().enumerate();
            let columns: Vec<Twist> = columns.map(|(i, c)| inv(i).apply(c)).collect();
            let mjt = [columns[0], columns[1]];
            extra.mjt.extend_from_slice(&columns[2..]);
            self.rows.push(ProblemRow { mjt, diag, ..*row });
        }
        let number = self.extras.len() as u32;
        self.extras.push(extra);
        self.close_block(bodies, Law::Rows, source, first, number);
    }

    #[inline]
    fn close_block(&mut self, bodies: [u32; 2], law: Law, source: Source, first: u32, extra: u32) {
        let len = (self.rows.len() as u32 - first) as u8;
        if len > 0 {
            self.blocks.push(Block {
                bodies,
                first,
                len,
                law,
                source,
                extra,
            });
        }
    }

    /// The rare parts of a block.
    #[inline]
    pub fn extra(&self, block: &Block) -> Option<&Extra> {
        self.extras.get(block.extra as usize)
    }

    /// Whether forces of a block act along other directions than its rows measure.
    pub fn is_mapped(&self, block: &Block) -> bool {
        self.extra(block).is_some_and(|e| !e.acts.is_empty())
    }

    /// Acting columns of one row of a block: (body, column), by which λ moves its bodies.
    pub fn acting(&self, block: &Block, row: usize) -> impl Iterator<Item = (usize, Twist)> {
        let mapped = self
            .extra(block)
            .and_then(|e| e.acting(row - block.first as usize));
        let columns = self.columns(block, row).enumerate();
        columns.map(move |(i, (b, j, _))| (b, mapped.map_or(*j, |acts| acts[i])))
    }

    /// Sum of the normal impulses that bound a [`Law::Spin`] block (N·s).
    pub fn load(&self, block: &Block) -> f64 {
        let loads = self.normals(block).map(|&r| self.rows[r as usize].lambda);
        loads.sum()
    }

    /// Rows whose multipliers bound those of a [`Law::Spin`] block.
    pub fn normals(&self, block: &Block) -> impl Iterator<Item = &u32> {
        self.extra(block).into_iter().flat_map(|e| &e.normals)
    }

    /// All columns of one row of a block: (body, J, W Jᵀ).
    pub fn columns(
        &self,
        block: &Block,
        row: usize,
    ) -> impl Iterator<Item = (usize, &Twist, &Twist)> {
        let r = &self.rows[row];
        let inline = (0..2).map(move |s| (block.bodies[s] as usize, &r.jac[s], &r.mjt[s]));
        let k = row - block.first as usize;
        let spilled = self
            .extra(block)
            .into_iter()
            .flat_map(move |e| e.columns(k));
        inline.chain(spilled)
    }

    /// Entry of J W Jᵀ between rows of two blocks: over the bodies they share.
    pub fn shared(&self, a: &Block, ra: usize, b: &Block, rb: usize) -> f64 {
        let mut sum = 0.0;
        for (i, jac, _) in self.columns(a, ra) {
            for (j, _, mjt) in self.columns(b, rb) {
                if i == j {
                    sum += jac.dot(mjt);
                }
            }
        }
        sum
    }

    /// Entry of R between two rows of one block.
    #[inline]
    pub fn reg(&self, block: &Block, i: usize, j: usize, pass: Pass) -> f64 {
        if i == j {
            return self.rows[i].term(pass).reg;
        }
        match self.extra(block) {
            Some(e) if !e.cross.is_empty() => {
                let first = block.first as usize;
                e.cross[(i - first) * block.len as usize + (j - first)]
            }
            _ => 0.0,
        }
    }

    /// Adds an impulse to a row and moves its bodies.
    #[inline]
    pub fn push_impulse(&mut self, block: &Block, row: usize, delta: f64) {
        let r = &mut self.rows[row];
        r.lambda += delta;
        let mjt = r.mjt;
        self.bodies[block.bodies[0] as usize].vel += mjt[0] * delta;
        self.bodies[block.bodies[1] as usize].vel += mjt[1] * delta;
        if block.extra != NO_EXTRA {
            let k = row - block.first as usize;
            for (b, _, m) in self.extras[block.extra as usize].columns(k) {
                self.bodies[b].vel += *m * delta;
            }
        }
    }

    /// Sets v⁺ = ṽ + W Jᵀλ from scratch.
    pub fn rebuild_velocities(&mut self) {
        for b in &mut self.bodies {
            b.vel = b.free;
        }
        for block in &self.blocks {
            let mut sums = [Twist::ZERO; 2];
            let rows = &self.rows[block.rows()];
            for row in rows {
                sums[0] += row.mjt[0] * row.lambda;
                sums[1] += row.mjt[1] * row.lambda;
            }
            if let Some(e) = self.extras.get(block.extra as usize) {
                for (k, row) in rows.iter().enumerate() {
                    for (b, _, m) in e.columns(k) {
                        self.bodies[b].vel += *m * row.lambda;
                    }
                }
            }
            self.bodies[block.bodies[0] as usize].vel += sums[0];
            self.bodies[block.bodies[1] as usize].vel += sums[1];
        }
    }

    /// w of one row at the present velocities and multipliers (m/s or rad/s).
    #[inline]
    pub fn violation(&self, block: &Block, row: usize, pass: Pass) -> f64 {
        let vel = block.bodies.map(|b| &self.bodies[b as usize].vel);
        let w = self.rows[row].violation(vel, pass);
        if block.extra == NO_EXTRA {
            return w;
        }
        w + self.rare_violation(block, row)
    }

    /// w of all rows of a block, in their order.
    #[inline]
    pub fn violations(&self, block: &Block, pass: Pass) -> impl Iterator<Item = f64> {
        let vel = block.bodies.map(|b| &self.bodies[b as usize].vel);
        let (block, rows) = (*block, self.rows[block.rows()].iter().zip(block.rows()));
        rows.map(move |(row, number)| {
            let w = row.violation(vel, pass);
            if block.extra == NO_EXTRA {
                return w;
            }
            w + self.rare_violation(&block, number)
        })
    }

    /// Share of w due to further bodies and coupled compliance.
    #[cold]
    fn rare_violation(&self, block: &Block, row: usize) -> f64 {
        let e = &self.extras[block.extra as usize];
        let k = row - block.first as usize;
        let moved: f64 = e
            .columns(k)
            .map(|(b, j, _)| j.dot(&self.bodies[b].vel))
            .sum();
        let n = block.len as usize;
        let coupled = e.cross.iter().skip(k * n).take(n);
        let lambda = self.rows[block.rows()].iter().map(|r| r.lambda);
        moved + coupled.zip(lambda).map(|(c, l)| c * l).sum::<f64>()
    }

    /// Whether the two passes pose the same problem, so that one solve serves both.
    pub fn passes_agree(&self) -> bool {
        self.rows.iter().all(|r| r.position == r.velocity)
    }
}
