//! From a problem's rows to mass-scaled ones: the root of W of each body, Ĵ = J S/√a of each row.
//!
//! W = S Sᵀ with S lower triangular; a locked axis has a zero column. Where a column map E sets forces
//! apart from measures, the acting half is (J + E) S/√a, with the row's own √a.

use glam::{DMat3, DVec3};
use rb_core::mass::InvMass;
use rb_core::math::Twist;
use rb_core::problem::{Block, Pass, Problem};
use smallvec::SmallVec;

/// No body, or no row.
pub(super) const NOTHING: u32 = u32::MAX;

/// Part of a row over one body's unknowns.
pub(super) type Half = [f64; 6];

/// S of one body.
pub(super) struct Root {
    /// Its number among the movable bodies.
    pub(super) node: u32,
    lin: DVec3,
    ang: DMat3,
    /// ṽ with the fixed impulses.
    pub(super) free: Twist,
}

impl Root {
    pub(super) fn new(node: u32, inv: &InvMass, free: Twist) -> Self {
        Self {
            node,
            lin: DVec3::new(inv.lin.x.sqrt(), inv.lin.y.sqrt(), inv.lin.z.sqrt()),
            ang: cholesky(inv.ang),
            free,
        }
    }

    /// Whether some motion of the body is locked.
    pub(super) fn is_locked(&self) -> bool {
        self.lin.min_element() == 0.0 || (0..3).any(|k| self.ang.col(k)[k] == 0.0)
    }

    fn half(&self, jac: &Twist) -> Half {
        let (l, a) = (jac.lin * self.lin, self.ang.transpose() * jac.ang);
        [l.x, l.y, l.z, a.x, a.y, a.z]
    }
}

/// One row's share in one body: what it measures and along what it acts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) node: u32,
    pub(super) jac: Half,
    pub(super) act: Half,
}

/// A row in mass-scaled unknowns, over its movable bodies.
#[derive(Clone, Debug)]
pub(super) struct ScaledRow {
    /// √a.
    pub(super) root: f64,
    /// R̂.
    pub(super) reg: f64,
    /// ĉ.
    pub(super) free: f64,
    pub(super) parts: SmallVec<[Part; 2]>,
}

impl ScaledRow {
    /// Row `r` of a block, with its own scale or a given one.
    pub(super) fn new(
        p: &Problem,
        block: &Block,
        r: usize,
        pass: Pass,
        roots: &[Root],
        root: Option<f64>,
    ) -> Self {
        let row = &p.rows[r];
        let term = row.term(pass);
        // A negative R is the stiffness of a row under pressure.
        let root = root.unwrap_or_else(|| (row.diag + term.reg.abs()).sqrt());
        let root = if root > 0.0 { root } else { 1.0 };
        let (mut free, mut parts) = (term.bias, SmallVec::<[Part; 2]>::new());
        for (body, jac, _) in p.columns(block, r) {
            let body = &roots[body];
            free += jac.dot(&body.free);
            if body.node != NOTHING {
                let jac = body.half(jac).map(|x| x / root);
                let node = body.node;
                parts.push(Part {
                    node,
                    jac,
                    act: jac,
                });
            }
        }
        if p.is_mapped(block) {
            let acting = p.acting(block, r).map(|(body, act)| (&roots[body], act));
            let movable = acting.filter(|(body, _)| body.node != NOTHING);
            for (part, (body, act)) in parts.iter_mut().zip(movable) {
                part.act = body.half(&act).map(|x| x / root);
            }
        }
        Self {
            root,
            reg: term.reg / (root * root),
            free: free / root,
            parts: merged(parts),
        }
    }
}

/// One part per body: a block over one body alone names it twice.
fn merged(parts: SmallVec<[Part; 2]>) -> SmallVec<[Part; 2]> {
    let mut out = SmallVec::<[Part; 2]>::new();
    for part in parts {
        match out.iter_mut().find(|o| o.node == part.node) {
            Some(same) => {
                add(&mut same.jac, &part.jac);
                add(&mut same.act, &part.act);
            }
            None => out.push(part),
        }
    }
    out
}

/// sum += part.
pub(super) fn add(sum: &mut Half, part: &Half) {
    sum.iter_mut().zip(part).for_each(|(s, p)| *s += p);
}

/// The lower root of a positive semidefinite matrix; dependent columns are zero.
fn cholesky(a: DMat3) -> DMat3 {
    let mut l = DMat3::ZERO;
    let largest = (0..3).fold(0.0f64, |m, k| m.max(a.col(k)[k]));
    for j in 0..3 {
        let d = (0..j).fold(a.col(j)[j], |d, k| d - l.col(k)[j] * l.col(k)[j]);
        if d <= 1e-14 * largest {
            continue;
        }
        let d = d.sqrt();
        for i in j..3 {
            let s = (0..j).fold(a.col(j)[i], |s, k| s - l.col(k)[i] * l.col(k)[j]);
            l.col_mut(j)[i] = s / d;
        }
    }
    l
}
