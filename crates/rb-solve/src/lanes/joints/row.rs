//! One row on its way into lanes.

use glam::DVec3;
use rb_core::discretise::RowTerms;
use rb_core::problem::ProblemRow;
use rb_core::row::{Course, Row, RowKind};

/// Rounding of a joint's anchors relative to their distance from the centres of mass.
const ROUNDING: f64 = 1e-9;

/// A row as lanes take it.
#[derive(Clone, Copy, Debug, Default)]
pub struct LaneRow {
    /// Linear half of b, the opposite of that of a.
    pub lin: DVec3,
    /// Angular halves of a and b.
    pub ang: [DVec3; 2],
    /// Terms of both passes.
    pub terms: RowTerms,
    /// φ (m or rad).
    pub gap: f64,
    /// Warm start (N·s or N·m·s).
    pub impulse: f64,
    /// Largest extent of the two bodies that can move (m): turns rad/s into m/s.
    pub extent: f64,
    /// Where the impulse returns to.
    pub slot: u8,
    /// Whether it is a hard anchored row without bounds, whose bias is that of its gap alone.
    pub anchored: bool,
}

impl LaneRow {
    /// A row as its joint states it; `None` if its linear halves are not opposite.
    #[inline]
    pub fn new(row: &Row, terms: RowTerms, extent: f64) -> Option<Self> {
        let [a, b] = &row.jac;
        if a.lin != -b.lin {
            return None;
        }
        let hard = row.kind == RowKind::HARD && row.is_bilateral() && row.stabilise.is_none();
        Some(Self {
            anchored: hard && row.course == Course::Anchored && row.target == 0.0,
            lin: b.lin,
            ang: [a.ang, b.ang],
            terms,
            gap: row.gap,
            impulse: row.warm,
            extent,
            slot: row.slot,
        })
    }

    /// A row of a problem; `None` if its linear halves are not opposite.
    #[inline]
    pub fn of(row: &ProblemRow, extent: f64) -> Option<Self> {
        let [a, b] = &row.jac;
        let terms = RowTerms {
            position: row.position,
            velocity: row.velocity,
            soft: 0.0,
            bounds: [row.lo, row.hi],
        };
        (a.lin == -b.lin).then_some(Self {
            anchored: false,
            lin: b.lin,
            ang: [a.ang, b.ang],
            terms,
            gap: row.gap,
            impulse: row.lambda,
            extent,
            slot: row.slot,
        })
    }

    /// Whether it is e·(p_b − p_a) of the anchors at these arms, with the centres of mass so far `apart`
    /// (m): a joint may measure between other frames than those it shows.
    #[inline]
    pub fn fits(&self, arm: [DVec3; 2], apart: DVec3) -> bool {
        let reach = apart + arm[1];
        let gap = self.lin.dot(reach - arm[0]) - self.gap;
        let turn = arm[1].cross(self.lin) - self.ang[1];
        let size = arm[0].length_squared() + arm[1].length_squared() + apart.length_squared();
        gap * gap + turn.length_squared() <= ROUNDING * ROUNDING * size
    }

    #[inline]
    pub(super) fn is_bounded(&self) -> bool {
        self.terms.bounds != [f64::NEG_INFINITY, f64::INFINITY]
    }
}
