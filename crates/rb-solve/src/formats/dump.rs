//! Problems of islands as files: the velocity pass of a step, for `rb solve` and for bug reports.
//!
//! | the island has | `type` |
//! |---|---|
//! | rows with bounds only | `boxed_lcp`: M = J W Jᵀ + R, q = J ṽ + b |
//! | rigid contacts under Coulomb's cone only | `fc3d_global`: M and v over the axes that can move |
//! | anything else, or more than a dense file may hold | `island` |
//!
//! Beside the problem stands what the step found, for comparison: readers ignore it.

use super::island::IslandFile;
use super::{Bound, Sparse};
use crate::linalg::lu::Lu;
use crate::linalg::matrix::Matrix;
use rb_core::law::Law;
use rb_core::math::Twist;
use rb_core::problem::{NO_EXTRA, Pass, Problem};
use serde_json::{Value, json};

const PASS: Pass = Pass::Velocity;

/// Shape of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// The plainest type that says everything.
    #[default]
    Plainest,
    /// `island`, whatever it holds.
    Island,
}

/// The velocity pass of an island under a name.
pub fn write(name: &str, p: &Problem, form: Form) -> Value {
    let ruled_by_cones = |b: &rb_core::problem::Block| {
        let rigid = p.rows[b.rows()].iter().all(|r| r.term(PASS).reg == 0.0);
        matches!(b.law, Law::Cone { .. }) && b.extra == NO_EXTRA && rigid
    };
    let mut file = if form == Form::Island || p.blocks.is_empty() || too_large(p) {
        island(p)
    } else if p.blocks.iter().all(|b| b.law == Law::Rows) {
        boxed(p)
    } else if p.blocks.iter().all(ruled_by_cones) {
        global(p)
    } else {
        island(p)
    };
    let found = json!({
        "lambda": p.rows.iter().map(|r| r.lambda).collect::<Vec<_>>(),
        "velocities": p.bodies.iter().map(|b| components(&b.vel)).collect::<Vec<_>>(),
    });
    if let Value::Object(fields) = &mut file {
        fields.insert("name".into(), name.into());
        fields.insert("found".into(), found);
    }
    file
}

/// Whether a dense file of the problem would be refused.
fn too_large(p: &Problem) -> bool {
    p.rows.len().max(6 * p.bodies.len()) > super::MOST_UNKNOWNS
}

fn components(t: &Twist) -> [f64; 6] {
    [t.lin.x, t.lin.y, t.lin.z, t.ang.x, t.ang.y, t.ang.z]
}

fn island(p: &Problem) -> Value {
    let mut file = serde_json::to_value(IslandFile::new(p, PASS)).unwrap_or_default();
    if let Value::Object(fields) = &mut file {
        fields.insert("type".into(), "island".into());
    }
    file
}

fn boxed(p: &Problem) -> Value {
    let n = p.rows.len();
    let mut m = Matrix::zeros(n, n);
    let mut q = vec![0.0; n];
    for a in &p.blocks {
        for i in a.rows() {
            let moved = p.columns(a, i).map(|(b, j, _)| j.dot(&p.bodies[b].free));
            q[i] = moved.sum::<f64>() + p.rows[i].term(PASS).bias;
            for b in &p.blocks {
                for j in b.rows() {
                    m[(i, j)] = p.shared(a, i, b, j);
                }
            }
            for j in a.rows() {
                m[(i, j)] += p.reg(a, i, j, PASS);
            }
        }
    }
    let bounds = |f: fn(&rb_core::problem::ProblemRow) -> f64| -> Vec<Bound> {
        p.rows.iter().map(|r| Bound(f(r))).collect()
    };
    json!({
        "type": "boxed_lcp",
        "n": n,
        "M": (0..n).map(|i| m.row(i)).collect::<Vec<_>>(),
        "q": q,
        "lo": bounds(|r| r.lo),
        "hi": bounds(|r| r.hi),
    })
}

/// An axis that can move: body and number among its six.
type Axis = (usize, usize);

/// Axes that can move, body by body; those W projects out are left to w.
fn free_axes(p: &Problem) -> Vec<Axis> {
    let mut axes = Vec::new();
    for (b, body) in p.bodies.iter().enumerate() {
        let diagonal = |k: usize| match k {
            0..3 => body.inv.lin[k],
            _ => body.inv.ang.col(k - 3)[k - 3],
        };
        axes.extend((0..6).filter(|&k| diagonal(k) > 0.0).map(|k| (b, k)));
    }
    axes
}

/// M over the free axes: the inverse of W, body by body.
fn masses(p: &Problem, axes: &[Axis]) -> Matrix {
    let inverse = |(a, i): Axis, (b, j): Axis| {
        let inv = &p.bodies[a].inv;
        match (i, j) {
            _ if a != b => 0.0,
            (0..3, 0..3) if i == j => inv.lin[i],
            (3..6, 3..6) => inv.ang.col(j - 3)[i - 3],
            _ => 0.0,
        }
    };
    let mut m = Matrix::zeros(axes.len(), axes.len());
    let mut first = 0;
    while first < axes.len() {
        let len = axes[first..]
            .iter()
            .take_while(|x| x.0 == axes[first].0)
            .count();
        let mine = &axes[first..first + len];
        let factor = Lu::new(Matrix::from_fn(len, len, |i, j| inverse(mine[i], mine[j])));
        for j in 0..len {
            let mut column = vec![0.0; len];
            column[j] = 1.0;
            factor.solve(&mut column);
            for i in 0..len {
                m[(first + i, first + j)] = column[i];
            }
        }
        first += len;
    }
    m
}

fn global(p: &Problem) -> Value {
    let axes = free_axes(p);
    let n = p.rows.len();
    let m = masses(p, &axes);
    let free: Vec<f64> = axes
        .iter()
        .map(|&(b, k)| components(&p.bodies[b].free)[k])
        .collect();
    let mut h = Matrix::zeros(axes.len(), n);
    let (mut w, mut mu) = (vec![0.0; n], Vec::new());
    for block in &p.blocks {
        if let Law::Cone { mu: friction } = block.law {
            mu.push(friction);
        }
        for r in block.rows() {
            w[r] = p.rows[r].term(PASS).bias;
            for (b, jac, _) in p.columns(block, r) {
                let (jac, carried) = (components(jac), components(&p.bodies[b].free));
                for k in 0..6 {
                    match axes.binary_search(&(b, k)) {
                        Ok(axis) => h[(axis, r)] += jac[k],
                        Err(_) => w[r] += jac[k] * carried[k],
                    }
                }
            }
        }
    }
    json!({
        "type": "fc3d_global",
        "dim": 3,
        "nc": mu.len(),
        "mu": mu,
        "f": m.apply(&free),
        "M": Sparse::of(&m),
        "H": Sparse::of(&h),
        "w": w,
        "axes": axes,
    })
}
