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
use crate::params::{ContactParams, Params, Scheme, Softening};
use crate::problem::{ProblemRow, Term};
use crate::row::{Row, RowKind};
use core::f64::consts::TAU;

/// Depth at which a closed one-sided row is fully soft, as a share of the contact margin.
const FULL_SOFTNESS: f64 = 0.005;

/// Step and scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discretiser {
    /// Substep (s).
    pub h: f64,
    /// Implicitness.
    pub scheme: Scheme,
    /// Contact settings.
    pub contact: ContactParams,
    /// Soft step of hard joint rows.
    pub joint_softening: Option<Softening>,
}

impl Discretiser {
    /// The settings of a world at substep `h` (s).
    pub fn new(params: &Params, h: f64) -> Self {
        Self {
            h,
            scheme: params.scheme,
            contact: params.contact,
            joint_softening: params.joint_softening,
        }
    }

    /// Numbers of a row whose `J v` at the start of the step is `rate` (m/s or rad/s) and whose
    /// J W Jᵀ is `inv_mass` (1/kg or 1/(kg·m²)).
    pub fn row(&self, row: &Row, rate: f64, inv_mass: f64) -> ProblemRow {
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
                self.hard(row, rate - row.target, damping, inv_mass, &mut out);
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

    fn hard(&self, row: &Row, phi_dot: f64, d: f64, inv_mass: f64, out: &mut ProblemRow) {
        let h = self.h;
        let rigid = |bias: f64| Term {
            bias: bias - row.target,
            reg: 0.0,
        };
        if row.is_one_sided() {
            // φ ≥ 0 with λ ≥ 0, or φ ≤ 0 with λ ≤ 0: an open gap may close within the step; a closed
            // one is pushed out by the position pass only, so that the push leaves no velocity.
            let side = if row.lo == 0.0 { 1.0 } else { -1.0 };
            let gap = side * row.gap;
            out.velocity = rigid(side * gap.max(0.0) / h);
            out.position = match self.joint_softening {
                _ if gap >= 0.0 => out.velocity,
                Some(s) => self.yielding(row.gap, s, inv_mass, row.target),
                None => rigid(side * (gap / (h + d)).max(-self.contact.push_out)),
            };
        } else if let Some(s) = self.joint_softening {
            out.position = self.softened(row.gap, s, inv_mass, row.target);
            out.velocity = rigid(0.0);
        } else {
            let memory = h * (1.0 - self.scheme.beta);
            out.position = rigid((row.gap + memory * phi_dot) / (h + d));
            out.velocity = out.position;
        }
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
        if self.contact.smooth.is_some() {
            // γ φ⁺ = κ is a law of the gap at the end of the step, closed or not.
            let t = Term {
                bias: (gap / h).max(-self.contact.push_out),
                reg: 0.0,
            };
            return [t, t];
        }
        let position = if gap >= 0.0 {
            velocity
        } else if let Some(s) = self.contact.softening {
            let stiffer = Softening {
                rate: 2.0 * s.rate,
                ratio: 0.5 * s.ratio,
            };
            self.yielding(gap, if on_static { stiffer } else { s }, inv_mass, 0.0)
        } else {
            Term {
                bias: (gap / h).max(-self.contact.push_out),
                reg: 0.0,
            }
        };
        [position, velocity]
    }

    /// Soft step of a closed one-sided row, rigid at the touch and as soft as asked from
    /// [`FULL_SOFTNESS`] on. An open row is rigid, and one that closes ends its substep at a gap of
    /// zero give or take rounding: were it soft at once, rounding would choose between two answers.
    fn yielding(&self, gap: f64, s: Softening, inv_mass: f64, target: f64) -> Term {
        let soft = self.softened(gap, s, inv_mass, target);
        let full = FULL_SOFTNESS * self.contact.margin;
        let share = if full > 0.0 {
            (gap.abs() / full).min(1.0)
        } else {
            1.0
        };
        Term {
            reg: share * soft.reg,
            ..soft
        }
    }

    /// Soft step: compliance 1/(m ω²) and damping time 2ζ/ω, with m the row's own mass.
    fn softened(&self, gap: f64, s: Softening, inv_mass: f64, target: f64) -> Term {
        let h = self.h;
        let omega = TAU * s.rate / h;
        let denom = 2.0 * s.ratio + h * omega;
        let push = self.contact.push_out;
        let bias = (gap * omega / denom).clamp(-push, push);
        Term {
            bias: bias - target,
            reg: inv_mass / (h * omega * denom),
        }
    }
}
