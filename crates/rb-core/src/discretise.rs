//! The only place where rows meet the step h and the scheme (α, β): physics in, numbers out.
//!
//! With c compliance, d damping time, φ gap, φ̇ = J v − target its rate at the start of the step,
//! l = α (h β + d):
//!
//! ```text
//! R = c / (h l),    b = [φ + (α h (1−β) + d (1−α)) φ̇] / l − target          (added to J v⁺)
//! ```
//!
//! α = β = 1 gives R = c/(h(h+d)), b = φ/(h+d) − target. Hard rows (c = 0) take α = 1 and, for a
//! global β < 1, d + (1−β) h, which is deadbeat for every β. l = 0 is an explicit force and becomes
//! a fixed impulse. Source: F. Faure, "A compliant body", 2012, with the corrections derived in
//! `docs/theory/alpha_beta.md`.

use crate::manifold::ContactMaterial;
use crate::params::{ContactParams, Scheme};
use crate::problem::{ProblemRow, Term};
use crate::row::{Row, RowKind};
use core::f64::consts::TAU;

/// Step and scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discretiser {
    /// Substep (s).
    pub h: f64,
    /// Implicitness.
    pub scheme: Scheme,
    /// Contact settings.
    pub contact: ContactParams,
}

impl Discretiser {
    /// Numbers of a row whose `J v` at the start of the step is `rate` (m/s or rad/s).
    pub fn row(&self, row: &Row, rate: f64) -> ProblemRow {
        let h = self.h;
        let mut out = ProblemRow {
            jac: row.jac,
            lo: h * row.lo,
            hi: h * row.hi,
            lambda: row.warm,
            gap: row.gap,
            slot: row.slot,
            ..ProblemRow::default()
        };
        match row.kind {
            RowKind::Velocity { viscous } => {
                let reg = viscous.map_or(0.0, |b| 1.0 / (h * b));
                out.position = Term {
                    bias: -row.target,
                    reg,
                };
                out.velocity = out.position;
            }
            RowKind::Position {
                compliance,
                damping,
            } if compliance > 0.0 => {
                self.compliant(row, rate - row.target, compliance, damping, &mut out);
            }
            RowKind::Position { damping, .. } => {
                self.hard(row, rate - row.target, damping, &mut out);
            }
        }
        out
    }

    fn compliant(&self, row: &Row, phi_dot: f64, c: f64, d: f64, out: &mut ProblemRow) {
        let (h, beta) = (self.h, self.scheme.beta);
        let bilateral = row.lo == f64::NEG_INFINITY && row.hi == f64::INFINITY;
        let alpha = if bilateral { self.scheme.alpha } else { 1.0 };
        let l = alpha * (h * beta + d);
        if l <= 0.0 {
            // λ does not enter its own average: an explicit force, imposed as a fixed impulse.
            let p = -h * (row.gap + (d + alpha * h) * phi_dot) / c;
            (out.lo, out.hi) = (p, p);
            return;
        }
        let memory = alpha * h * (1.0 - beta) + d * (1.0 - alpha);
        out.position = Term {
            bias: (row.gap + memory * phi_dot) / l - row.target,
            reg: c / (h * l),
        };
        out.velocity = out.position;
    }

    fn hard(&self, row: &Row, phi_dot: f64, d: f64, out: &mut ProblemRow) {
        let h = self.h;
        if !row.is_one_sided() {
            let memory = h * (1.0 - self.scheme.beta);
            let bias = (row.gap + memory * phi_dot) / (h + d) - row.target;
            out.position = Term { bias, reg: 0.0 };
            out.velocity = out.position;
            return;
        }
        // φ ≥ 0 with λ ≥ 0, or φ ≤ 0 with λ ≤ 0: an open gap may close within the step; a closed
        // one is pushed out by the position pass only, so that the push leaves no velocity behind.
        let side = if row.lo == 0.0 { 1.0 } else { -1.0 };
        let gap = side * row.gap;
        let push = (gap / (h + d)).max(-self.contact.push_out);
        out.position = Term {
            bias: side * if gap < 0.0 { push } else { gap / h } - row.target,
            reg: 0.0,
        };
        out.velocity = Term {
            bias: side * gap.max(0.0) / h - row.target,
            reg: 0.0,
        };
    }

    /// Terms of a contact's normal row. `rate` is the normal speed at the start of the step,
    /// `free_rate` after forces (m/s, + separating); `inv_mass` is J W Jᵀ (1/kg); `on_static` says
    /// that one side cannot move, whose contact is held twice as stiff.
    pub fn normal(
        &self,
        gap: f64,
        rate: f64,
        free_rate: f64,
        m: &ContactMaterial,
        inv_mass: f64,
        on_static: bool,
    ) -> [Term; 2] {
        let h = self.h;
        let closing = rate < -self.contact.bounce_threshold && gap + h * free_rate <= 0.0;
        if m.restitution > 0.0 && closing {
            // Newton's rule: w = u⁺ + e u⁻. Source: theory, "Restitution".
            let t = Term {
                bias: m.restitution * rate,
                reg: 0.0,
            };
            return [t, t];
        }
        if m.compliance > 0.0 {
            let l = h + m.damping;
            let t = Term {
                bias: gap / l,
                reg: m.compliance / (h * l),
            };
            return [t, t];
        }
        let velocity = Term {
            bias: gap.max(0.0) / h,
            reg: 0.0,
        };
        let position = if gap >= 0.0 {
            velocity
        } else if let Some(s) = self.contact.softening {
            self.softened(gap, s.frequency, s.ratio, inv_mass, on_static)
        } else {
            Term {
                bias: (gap / h).max(-self.contact.push_out),
                reg: 0.0,
            }
        };
        [position, velocity]
    }

    /// Soft step: compliance 1/(m ω²) and damping time 2ζ/ω, with m the contact's own mass.
    fn softened(
        &self,
        gap: f64,
        frequency: f64,
        ratio: f64,
        inv_mass: f64,
        on_static: bool,
    ) -> Term {
        let h = self.h;
        let (stiffer, zeta) = if on_static {
            (2.0, 0.5 * ratio)
        } else {
            (1.0, ratio)
        };
        let omega = TAU * stiffer * frequency.min(0.125 / h);
        let denom = 2.0 * zeta + h * omega;
        let bias = (gap * omega / denom).max(-self.contact.push_out);
        Term {
            bias,
            reg: inv_mass / (h * omega * denom),
        }
    }
}
