//! The `island` file: bodies, and blocks of rows between them, as the step poses them.
//!
//! What the step solves is `v⁺ = ṽ + W Jᵀλ`, `w = J v⁺ + R λ + b`, `−w ∈ N_K(λ)` block by block
//! ([`rb_core::problem`]). The file says just that, of one pass:
//!
//! ```json
//! {"type": "island",
//!  "bodies": [{"free": [0, -0.16, 0, 0, 0, 0], "inv_mass": [1, 1, 1],
//!              "inv_inertia": [[6, 0, 0], [0, 6, 0], [0, 0, 6]], "extent": 0.5},
//!             {}],
//!  "blocks": [{"bodies": [1, 0], "law": {"cone": {"mu": 0.5}}, "rows": [
//!     {"jac": [[0, -1, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]]},
//!     {"jac": [[-1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, -0.5]]},
//!     {"jac": [[0, 0, -1, 0, 0, 0], [0, 0, 1, 0.5, 0, 0]]}]}]}
//! ```
//!
//! | field | meaning | left out |
//! |---|---|---|
//! | `free` | ṽ: linear (m/s), angular (rad/s), world axes | 0 |
//! | `inv_mass`, `inv_inertia` | W, world axes (1/kg, 1/(kg·m²)) | immovable |
//! | `extent` | distance of the surface (m), turns rad/s into m/s | 0 |
//! | `law` | `"rows"`, or `boxed`, `pyramid`, `cone` with `mu` over (n, t₁, t₂), or `spin` | `"rows"` |
//! | `jac` | J: linear and angular part for each of the block's bodies | |
//! | `bias`, `reg` | b (m/s, rad/s), R (1/kg, 1/(kg·m²)) | 0 |
//! | `lo`, `hi` | bounds of the impulse (N·s, N·m·s), numbers, `"inf"` or `"-inf"` | bilateral |
//! | `lambda` | impulse to start from, or found | 0 |
//! | `coupled` | off-diagonal part of R over the rows of the block | 0 |
//! | `normals` | row numbers whose impulses bound a `spin` block | none |

mod read;

use super::Bound;
use glam::DVec3;
use rb_core::law::Law;
use rb_core::math::Twist;
use rb_core::problem::{Block, Pass, Problem, ProblemBody};
use serde::{Deserialize, Serialize};

/// The file.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct IslandFile {
    bodies: Vec<BodyPart>,
    blocks: Vec<BlockPart>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
struct BodyPart {
    free: [f64; 6],
    inv_mass: DVec3,
    inv_inertia: [[f64; 3]; 3],
    extent: f64,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct BlockPart {
    bodies: Vec<u32>,
    #[serde(default)]
    law: LawPart,
    rows: Vec<RowPart>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    coupled: Vec<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    normals: Vec<u32>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct RowPart {
    jac: Vec<[f64; 6]>,
    #[serde(default)]
    bias: f64,
    #[serde(default)]
    reg: f64,
    #[serde(default = "lowest")]
    lo: Bound,
    #[serde(default = "highest")]
    hi: Bound,
    #[serde(default)]
    lambda: f64,
}

fn lowest() -> Bound {
    Bound(f64::NEG_INFINITY)
}

fn highest() -> Bound {
    Bound(f64::INFINITY)
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum LawPart {
    #[default]
    Rows,
    Boxed {
        mu: f64,
    },
    Pyramid {
        mu: f64,
    },
    Cone {
        mu: f64,
    },
    Spin {
        torsion: f64,
        rolling: f64,
    },
}

impl From<Law> for LawPart {
    fn from(law: Law) -> Self {
        match law {
            Law::Boxed { mu } => Self::Boxed { mu },
            Law::Pyramid { mu } => Self::Pyramid { mu },
            Law::Cone { mu } => Self::Cone { mu },
            Law::Spin { torsion, rolling } => Self::Spin { torsion, rolling },
            _ => Self::Rows,
        }
    }
}

impl From<LawPart> for Law {
    fn from(law: LawPart) -> Self {
        match law {
            LawPart::Rows => Self::Rows,
            LawPart::Boxed { mu } => Self::Boxed { mu },
            LawPart::Pyramid { mu } => Self::Pyramid { mu },
            LawPart::Cone { mu } => Self::Cone { mu },
            LawPart::Spin { torsion, rolling } => Self::Spin { torsion, rolling },
        }
    }
}

fn numbers(t: &Twist) -> [f64; 6] {
    [t.lin.x, t.lin.y, t.lin.z, t.ang.x, t.ang.y, t.ang.z]
}

impl IslandFile {
    /// The file of one pass of a problem.
    pub fn new(p: &Problem, pass: Pass) -> Self {
        let body = |b: &ProblemBody| BodyPart {
            free: numbers(&b.free),
            inv_mass: b.inv.lin,
            inv_inertia: b.inv.ang.transpose().to_cols_array_2d(),
            extent: b.extent,
        };
        Self {
            bodies: p.bodies.iter().map(body).collect(),
            blocks: p
                .blocks
                .iter()
                .map(|b| BlockPart::new(p, b, pass))
                .collect(),
        }
    }
}

impl BlockPart {
    fn new(p: &Problem, block: &Block, pass: Pass) -> Self {
        let extra = p.extra(block);
        let spilled = extra.map_or(&[][..], |e| &e.bodies);
        let row = |r: usize| {
            let (row, term) = (&p.rows[r], p.rows[r].term(pass));
            RowPart {
                jac: p.columns(block, r).map(|(_, j, _)| numbers(j)).collect(),
                bias: term.bias,
                reg: term.reg,
                lo: Bound(row.lo),
                hi: Bound(row.hi),
                lambda: row.lambda,
            }
        };
        let n = block.len as usize;
        let cross = extra.map_or(&[][..], |e| &e.cross);
        Self {
            bodies: block.bodies.iter().chain(spilled).copied().collect(),
            law: block.law.into(),
            rows: block.rows().map(row).collect(),
            coupled: cross.chunks(n.max(1)).map(<[f64]>::to_vec).collect(),
            normals: extra.map_or(Vec::new(), |e| e.normals.clone()),
        }
    }
}
