//! The end of an island's step: the certificate of its last substep, and gaps at the end poses.

use super::{Island, Shared};
use glam::DVec3;
use rb_core::row::{Row, RowKind};
use rb_joints::Joint;
use rb_solve::lanes::Carried;

impl Island {
    /// Grades the last substep and measures gaps at the end of the step.
    pub(super) fn finish(&mut self, shared: &Shared) {
        let mut out = self.outcome;
        (out.grade, out.penetration) = self.grade(shared);
        let in_lanes = if self.in_lanes { self.loose } else { 0 };
        let rows = self.contacts.iter().zip(&mut self.posed).skip(in_lanes);
        for (c, posed) in rows {
            let manifold = &shared.contacts.manifolds[c.manifold as usize];
            let surface = shared.contacts.surface(manifold);
            let rigid = surface.is_none_or(|m| m.compliance == 0.0);
            let moved = c.movers.map(|m| self.movers[m as usize].moved);
            for (p, gap) in manifold.views().zip(&mut posed.gap) {
                *gap = p.gap + p.rate(0, &moved);
                if rigid {
                    out.penetration = out.penetration.max(-*gap);
                }
            }
        }
        self.outcome = out;
        self.measure_joints(shared, |_| Carried::None);
    }

    /// Measures gaps of joints at the end of the step, beside what is known of the rows that have been
    /// carried along to there.
    pub(super) fn measure_joints(&mut self, shared: &Shared, carried: impl Fn(usize) -> Carried) {
        let mut error = self.outcome.joint_error;
        for j in 0..self.joints.len() {
            let carried = carried(j);
            if carried == Carried::All {
                continue;
            }
            let Some(slot) = shared.joints.slot(self.joints[j].slot) else {
                continue;
            };
            let cx = self.joint_cx(&self.joints[j], shared.h);
            let (kind, memory) = (&slot.desc.kind, &self.joints[j].memory);
            self.rows.clear();
            match carried {
                Carried::First => kind.loose_rows(&cx, memory, &mut self.rows),
                _ => kind.rows(&cx, memory, &mut self.rows),
            }
            if !slot.desc.options.is_default() {
                slot.desc.options.apply(&mut self.rows);
            }
            let extent = self.joints[j]
                .movers
                .map(|m| self.movers[m as usize].extent);
            let extent = extent[0].max(extent[1]);
            let rows = self.rows.iter();
            error = rows.fold(error, |e, r| e.max(row_error(r, extent)));
        }
        for c in 0..self.constraints.len() {
            for row in self.constraint_rows(shared, c) {
                let angular = row.jac.iter().all(|j| j.lin == DVec3::ZERO);
                let movers = self.constraints[c].movers.iter();
                let extent = movers.map(|&m| self.movers[m as usize].extent);
                let length = if angular {
                    extent.fold(0.0, f64::max)
                } else {
                    1.0
                };
                error = error.max(gap_error(&row.row) * length);
            }
        }
        self.outcome.joint_error = error;
    }
}

/// How far a hard position row is from holding (m; rad times `extent`).
pub(crate) fn row_error(row: &Row, extent: f64) -> f64 {
    let gap = gap_error(row);
    let angular = row.jac.iter().all(|j| j.lin == DVec3::ZERO);
    if angular { gap * extent } else { gap }
}

/// How far the gap of a hard position row is outside what it may be (m or rad).
fn gap_error(row: &Row) -> f64 {
    let hard = matches!(
        row.kind,
        RowKind::Position {
            compliance: 0.0,
            ..
        }
    );
    match (row.lo < 0.0, row.hi > 0.0) {
        _ if !hard => 0.0,
        (true, true) => row.gap.abs(),
        (false, true) => (-row.gap).max(0.0),
        (true, false) => row.gap.max(0.0),
        (false, false) => 0.0,
    }
}
