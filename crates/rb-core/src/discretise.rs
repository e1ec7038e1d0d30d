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

mod soft;

pub use soft::{JointStep, SoftStep};

use crate::manifold::ContactMaterial;
use crate::params::{ContactParams, Params, Scheme, Softening};
use crate::problem::{ProblemRow, Term};
use crate::row::{Row, RowKind};
use crate::stabilise::Stabilisation;

/// Depth at which a closed one-sided row is fully soft, as a share of the contact margin.
const FULL_SOFTNESS: f64 = 0.005;
/// Depth from which on a contact is rigid, and the last part of it over which it becomes so, as shares
/// of the contact margin.
const FIRM: [f64; 2] = [0.25, 0.125];

/// Terms of a row whose J W Jᵀ is not known yet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RowTerms {
    /// Terms of the position pass, R without its relative part.
    pub position: Term,
    /// Terms of the velocity pass.
    pub velocity: Term,
    /// Further R of the position pass, in units of J W Jᵀ.
    pub soft: f64,
    /// Lowest and highest impulse (N·s or N·m·s).
    pub bounds: [f64; 2],
}

impl RowTerms {
    fn both(&mut self, bias: f64, reg: f64) {
        self.position = Term { bias, reg };
        self.velocity = self.position;
    }
}

/// Step and scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discretiser {
    /// Substep (s).
    pub h: f64,
    /// Implicitness.
    pub scheme: Scheme,
    /// Contact settings.
    pub contact: ContactParams,
    /// Soft steps of hard joint rows; none where they are solved exactly.
    pub joint_step: Option<JointStep>,
    /// How rows get rid of their error unless they say it themselves.
    pub stabilisation: Option<Stabilisation>,
}

impl Discretiser {
    /// The settings of a world at substep `h` (s).
    pub fn new(params: &Params, h: f64) -> Self {
        Self {
            h,
            scheme: params.scheme,
            contact: params.contact,
            joint_step: params.joint_softening.map(|s| JointStep::new(s, h)),
            stabilisation: params.stabilisation,
        }
    }

    /// Numbers of a row. `rate` is its `J v` at the start of the step and `free_rate` that of the
    /// velocity after forces (m/s or rad/s); `inv_mass` is J W Jᵀ (1/kg or 1/(kg·m²)).
    pub fn row(&self, row: &Row, rate: f64, free_rate: f64, inv_mass: f64) -> ProblemRow {
        let terms = self.terms(row, || [rate, free_rate]);
        let position = Term {
            reg: terms.position.reg + inv_mass * terms.soft,
            ..terms.position
        };
        ProblemRow {
            jac: row.jac,
            position,
            velocity: terms.velocity,
            lo: terms.bounds[0],
            hi: terms.bounds[1],
            lambda: row.warm,
            gap: row.gap,
            slot: row.slot,
            ..ProblemRow::default()
        }
    }

    /// Terms of a row. `rates` gives its `J v` at the start of the step and that of the velocity after
    /// forces (m/s or rad/s); few rows ask for them.
    #[inline]
    pub fn terms(&self, row: &Row, rates: impl Fn() -> [f64; 2]) -> RowTerms {
        let h = self.h;
        let mut out = RowTerms {
            bounds: [h * row.lo, h * row.hi],
            ..RowTerms::default()
        };
        let phi_dot = || rates()[0] - row.target;
        match row.kind {
            RowKind::Position {
                compliance,
                damping,
            } if compliance > 0.0 => {
                self.compliant(row, phi_dot, compliance, damping, &mut out);
            }
            RowKind::Position { damping, .. } => {
                self.hard(row, phi_dot, damping, &mut out);
            }
            RowKind::Restitution { e, threshold } => {
                let [rate, free_rate] = rates();
                let closing = rate < -threshold && row.gap + h * free_rate <= 0.0;
                if e > 0.0 && closing {
                    out.both(e * rate, 0.0);
                } else {
                    self.hard(row, phi_dot, 0.0, &mut out);
                }
            }
            RowKind::Velocity { viscous } => {
                out.both(-row.target, viscous.map_or(0.0, |b| 1.0 / (h * b)));
            }
            RowKind::Midpoint => out.both(rates()[0] - 2.0 * row.target, 0.0),
            RowKind::Acceleration {
                offset,
                epsilon,
                damping,
                frequency,
            } => {
                let feedback = 2.0 * damping * phi_dot() + frequency * frequency * row.gap;
                out.both(h * (offset + feedback) - rates()[0], epsilon);
            }
        }
        out
    }

    /// α of a soft row: its own, or the world's; bounds act on averages, so one-sided rows use 1.
    fn alpha(&self, row: &Row) -> f64 {
        if row.is_bilateral() {
            row.alpha.unwrap_or(self.scheme.alpha)
        } else {
            1.0
        }
    }

    /// l = α (h β + d) of a soft row, h + d of a hard one: what the gap is divided by.
    pub fn divisor(&self, row: &Row) -> f64 {
        match row.kind {
            RowKind::Position {
                compliance,
                damping,
            } if compliance > 0.0 => self.alpha(row) * (self.h * self.scheme.beta + damping),
            RowKind::Position { damping, .. } => self.h + damping,
            _ => 0.0,
        }
    }

    /// Whether the bias of a hard row without a way of its own follows from its gap alone.
    pub fn depends_on_gap(&self) -> bool {
        self.stabilisation.is_none() && (self.joint_step.is_some() || self.scheme.beta == 1.0)
    }

    /// Off-diagonal part of R = C/(h l) from that of C over `rows`, row-major, padded to `size` rows.
    pub fn coupled(&self, rows: &[Row], cross: &[f64], size: usize) -> Vec<f64> {
        let n = rows.len();
        let mut out = vec![0.0; size * size];
        for i in 0..n {
            let l = self.divisor(&rows[i]);
            for j in (0..n).filter(|_| l > 0.0) {
                out[i * size + j] = cross[i * n + j] / (self.h * l);
            }
        }
        out
    }

    /// The way a row's error is taken out.
    #[inline]
    pub fn way(&self, row: &Row) -> Option<Stabilisation> {
        let world = self.stabilisation;
        let kept = world.filter(|way| *way != Stabilisation::Iterated || !row.is_one_sided());
        row.stabilise.or(kept)
    }

    fn compliant(&self, row: &Row, phi_dot: impl Fn() -> f64, c: f64, d: f64, out: &mut RowTerms) {
        let (h, beta) = (self.h, self.scheme.beta);
        let alpha = self.alpha(row);
        let l = self.divisor(row);
        if l <= 0.0 {
            // λ does not enter its own average: an explicit force, imposed as a fixed impulse.
            let p = -h * (row.gap + (d + alpha * h) * phi_dot()) / c;
            out.bounds = [p, p];
            return;
        }
        let memory = alpha * h * (1.0 - beta) + d * (1.0 - alpha);
        out.both(
            (row.gap + recalled(memory, phi_dot)) / l - row.target,
            c / (h * l),
        );
    }

    #[inline]
    fn hard(&self, row: &Row, phi_dot: impl Fn() -> f64, d: f64, out: &mut RowTerms) {
        match self.way(row) {
            None if row.is_one_sided() => self.split_one_sided(row, d, out),
            None => self.implicit(row, phi_dot, d, out),
            Some(way) => self.stabilised(row, phi_dot, d, way, out),
        }
    }

    /// A hard row whose way of stabilisation was asked for.
    fn stabilised(
        &self,
        row: &Row,
        phi_dot: impl Fn() -> f64,
        d: f64,
        way: Stabilisation,
        out: &mut RowTerms,
    ) {
        let h = self.h;
        // An open one-sided gap is not an error: it may close within the step, in every way.
        let side = if row.lo == 0.0 { 1.0 } else { -1.0 };
        if row.is_one_sided() && side * row.gap > 0.0 {
            return out.both(row.gap / h - row.target, 0.0);
        }
        let late = row.gap + recalled(h * (1.0 - self.scheme.beta), &phi_dot);
        let whole = late / (h + d);
        match way {
            Stabilisation::Implicit => out.both(whole - row.target, 0.0),
            Stabilisation::PushOut { speed } => {
                out.both(whole.clamp(-speed, speed) - row.target, 0.0);
            }
            Stabilisation::Split => {
                out.both(-row.target, 0.0);
                out.position.bias += whole;
            }
            Stabilisation::Baumgarte { damping, frequency } => {
                let feedback = frequency * frequency * row.gap / h;
                let kept = (1.0 - 2.0 * damping) * phi_dot();
                out.both(feedback - kept - row.target, 0.0);
            }
            Stabilisation::Iterated => out.both(late / h - row.target, 0.0),
        }
    }

    /// φ ≥ 0 with λ ≥ 0, or φ ≤ 0 with λ ≤ 0: an open gap may close within the step; a closed one is
    /// pushed out by the position pass only, so that the push leaves no velocity.
    fn split_one_sided(&self, row: &Row, d: f64, out: &mut RowTerms) {
        let side = if row.lo == 0.0 { 1.0 } else { -1.0 };
        let gap = side * row.gap;
        let h = self.h;
        out.both(side * gap.max(0.0) / h - row.target, 0.0);
        if gap >= 0.0 {
            return;
        }
        match self.joint_step {
            Some(s) => {
                let soft = self.yielding(row.gap, s.of(row), 1.0, row.target);
                (out.position.bias, out.soft) = (soft.bias, soft.reg);
            }
            None => {
                let push = side * (gap / (h + d)).max(-self.contact.push_out);
                out.position.bias = push - row.target;
            }
        }
    }

    #[inline]
    fn implicit(&self, row: &Row, phi_dot: impl Fn() -> f64, d: f64, out: &mut RowTerms) {
        if let Some(s) = self.joint_step {
            out.both(-row.target, 0.0);
            let soft = self.softened(row.gap, s.of(row), 1.0, row.target);
            (out.position.bias, out.soft) = (soft.bias, soft.reg);
        } else {
            let memory = self.h * (1.0 - self.scheme.beta);
            let late = row.gap + recalled(memory, phi_dot);
            out.both(late / (self.h + d) - row.target, 0.0);
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
        } else {
            self.pressed(gap, self.contact_step(on_static), inv_mass)
        };
        [position, velocity]
    }

    /// Soft step of a contact: twice as stiff against what cannot move.
    pub fn contact_step(&self, on_static: bool) -> SoftStep {
        let stiffer = |s: Softening| Softening {
            rate: 2.0 * s.rate,
            ratio: 0.5 * s.ratio,
        };
        match self.contact.softening {
            Some(s) => SoftStep::new(if on_static { stiffer(s) } else { s }, self.h),
            None => SoftStep::rigid(self.h),
        }
    }

    /// Depth (m) from which on a closed one-sided row is as soft as its [`SoftStep`] says.
    pub fn full_softness(&self) -> f64 {
        FULL_SOFTNESS * self.contact.margin
    }

    /// Depth (m) from which on a contact is rigid, and range (m) before it over which it becomes so.
    pub fn firmness(&self) -> [f64; 2] {
        match self.contact.margin {
            margin if margin > 0.0 => FIRM.map(|share| share * margin),
            _ => [f64::INFINITY, 1.0],
        }
    }

    /// Depth (m) at which a contact rests whose load would press it to a depth of `soft` (m) if it stayed
    /// as soft as its [`SoftStep`] says.
    pub fn resting_depth(&self, soft: f64) -> f64 {
        let [firm, range] = self.firmness();
        if soft + range <= firm {
            return soft;
        }
        firm * soft / (range + soft)
    }

    /// Soft step of a closed contact. Softness gives way in proportion to the load over the mass of the
    /// lighter body, however much that is, and a limb under a crowd would sink in to its bone; so
    /// it ends where a contact is deep, which is then pushed out under any load.
    fn pressed(&self, gap: f64, s: SoftStep, inv_mass: f64) -> Term {
        let [firm, range] = self.firmness();
        let left = ((gap + firm) / range).max(0.0);
        let soft = self.softened(gap, s, inv_mass, 0.0);
        Term {
            reg: self.softness(gap).min(left) * soft.reg,
            ..soft
        }
    }

    /// Soft step of a closed stop, rigid at the touch.
    fn yielding(&self, gap: f64, s: SoftStep, inv_mass: f64, target: f64) -> Term {
        let soft = self.softened(gap, s, inv_mass, target);
        Term {
            reg: self.softness(gap) * soft.reg,
            ..soft
        }
    }

    /// How much of its softness a closed one-sided row has: none at the touch, all of it from
    /// [`FULL_SOFTNESS`] on. An open row is rigid, and one that closes ends its substep at a gap of
    /// zero give or take rounding: were it soft at once, rounding would choose between two answers.
    fn softness(&self, gap: f64) -> f64 {
        let full = self.full_softness();
        if full > 0.0 {
            (gap.abs() / full).min(1.0)
        } else {
            1.0
        }
    }

    #[inline]
    fn softened(&self, gap: f64, s: SoftStep, inv_mass: f64, target: f64) -> Term {
        let push = self.contact.push_out;
        Term {
            bias: (gap * s.rate).clamp(-push, push) - target,
            reg: inv_mass * s.reg,
        }
    }
}

/// `memory` (s) times the rate at the start of the step, which is only asked for if it counts.
fn recalled(memory: f64, rate: impl Fn() -> f64) -> f64 {
    if memory == 0.0 { 0.0 } else { memory * rate() }
}
