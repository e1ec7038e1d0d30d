//! Rows over any number of bodies: constraints at the present poses of an island.

use super::{Island, Shared};
use rb_core::discretise::Discretiser;
use rb_core::handle::BodyHandle;
use rb_core::math::Twist;
use rb_core::problem::{Extra, Source};
use rb_joints::{Constraint, ConstraintCx, ConstraintRow, Joint, JointBody, JointCx, JointView};

impl Island {
    /// Calls `f` with what a constraint sees of its bodies at their present poses.
    pub(super) fn with_constraint_cx<T>(
        &self,
        shared: &Shared,
        c: usize,
        f: impl FnOnce(&ConstraintCx, &dyn Constraint) -> T,
    ) -> Option<T> {
        let mine = &self.constraints[c];
        let slot = shared.constraints.slot(mine.slot)?;
        let bodies: Vec<JointBody> = mine.movers.iter().map(|&m| self.see(m)).collect();
        let joints = slot
            .kind
            .joints()
            .into_iter()
            .filter_map(|joint| {
                let other = shared.joints.get(joint)?;
                let at = |h: BodyHandle| slot.bodies.iter().position(|&b| b == h);
                let [a, b] = [at(other.bodies[0])?, at(other.bodies[1])?];
                let cx = JointCx {
                    a: bodies[a],
                    b: bodies[b],
                    h: shared.h,
                };
                Some(JointView {
                    joint,
                    bodies: [a, b],
                    coordinates: other.desc.kind.coordinates(&cx, &other.memory),
                })
            })
            .collect::<Vec<_>>();
        let cx = ConstraintCx {
            bodies: &bodies,
            handles: &slot.bodies,
            joints: &joints,
            h: shared.h,
            time: shared.time + self.elapsed,
        };
        Some(f(&cx, &slot.kind))
    }

    /// Rows of a constraint, each with its last impulse as warm start.
    pub(super) fn constraint_rows(&self, shared: &Shared, c: usize) -> Vec<ConstraintRow> {
        let rows = self.with_constraint_cx(shared, c, |cx, constraint| {
            let mut rows = Vec::new();
            constraint.rows(cx, &mut rows);
            rows
        });
        let mut rows = rows.unwrap_or_default();
        for row in &mut rows {
            row.row.warm = self.constraints[c].memory.impulse(row.row.slot);
        }
        rows
    }

    /// Poses the rows of a constraint: the columns of its first two bodies inline, the others in the
    /// block's side list.
    pub(super) fn assemble_constraint(&mut self, shared: &Shared, numbers: &Discretiser, c: usize) {
        let movers = self.constraints[c].movers.clone();
        // Nothing gives way to it: all that it holds has been frozen.
        if movers
            .iter()
            .all(|&m| self.movers[m as usize].inv.is_zero())
        {
            return;
        }
        let rows = self.constraint_rows(shared, c);
        let mut extra = Extra {
            bodies: movers.iter().skip(2).copied().collect(),
            ..Extra::default()
        };
        // A constraint on one body repeats it with an empty column.
        let bodies = [movers[0], *movers.get(1).unwrap_or(&movers[0])];
        let mapped = rows.iter().any(|r| r.acts.is_some());
        let mut block = Vec::new();
        for row in rows.iter().filter(|r| r.fits(movers.len())) {
            let (mut rate, mut free_rate, mut inv_mass) = (0.0, 0.0, 0.0);
            for (&m, jac) in movers.iter().zip(&row.jac) {
                let (mover, body) = (&self.movers[m as usize], &self.problem.bodies[m as usize]);
                rate += jac.dot(&mover.vel);
                free_rate += jac.dot(&body.free);
                inv_mass += body.inv.apply(jac).dot(jac);
            }
            let mut inline = row.row;
            (inline.jac.iter_mut().zip(inline_first(&row.jac))).for_each(|(half, j)| *half = j);
            extra.jac.extend(row.jac.iter().skip(2));
            if mapped {
                extra.acts.extend(inline_first(row.acting()));
            }
            block.push(numbers.row(&inline, rate, free_rate, inv_mass));
        }
        let stiff = self.constraint_stiffness(shared, c);
        for (row, columns) in stiff {
            if mapped {
                extra.acts.extend(row.jac.iter().chain(&columns));
            }
            extra.jac.extend(columns);
            block.push(row);
        }
        let source = Source::Constraint(c as u32);
        self.problem.push_wide_block(bodies, source, &block, extra);
        self.note_bent(numbers, source, rows.iter().map(|r| &r.row));
    }
}

/// Columns of a row for a block, which has places for two bodies at least.
fn inline_first(columns: &[Twist]) -> impl Iterator<Item = Twist> + '_ {
    let missing = 2usize.saturating_sub(columns.len());
    columns
        .iter()
        .copied()
        .chain(std::iter::repeat_n(Twist::ZERO, missing))
}
