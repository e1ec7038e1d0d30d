//! How long an island stays with the exact solver, and how long it is not asked for depth.

use super::{Island, Shared};
use rb_core::discretise::Discretiser;
use rb_core::law::Law;
use rb_core::params::SolvePlan;
use rb_core::problem::{Block, Source};
use rb_core::report::Reason;

/// Steps without a question for depth after one that did not help.
const REST: u8 = 60;

impl Island {
    /// How deep a soft step would let the contacts of the last substep sink under their loads (m): at
    /// rest the push-out of the depth balances R λ, as long as the contact is soft.
    fn soft_depth(&self, shared: &Shared) -> f64 {
        let numbers = Discretiser::new(shared.params, shared.h);
        let depth = |b: &Block| {
            let on_static = b
                .bodies
                .iter()
                .any(|&i| self.problem.bodies[i as usize].inv.is_zero());
            let (row, step) = (
                &self.problem.rows[b.first as usize],
                numbers.contact_step(on_static),
            );
            numbers.resting_depth(row.diag * row.lambda * step.reg / step.rate)
        };
        let contact = |b: &&Block| {
            matches!(b.source, Source::Contact { .. }) && !matches!(b.law, Law::Spin { .. })
        };
        let contacts = self.problem.blocks.iter().filter(contact);
        contacts.map(depth).fold(0.0, f64::max)
    }

    /// Counts the steps the island is to stay with the exact solver. One that was asked for depth and
    /// did not help, among bodies that are wedged or pushed apart as fast as they may be, is not asked
    /// for it again for a while.
    pub(super) fn settle_hold(&mut self, shared: &Shared) {
        let (policy, tolerance) = (shared.params.escalation, shared.params.tolerances.position);
        let holds = self.rigid() && self.outcome.position() <= tolerance;
        let would_sink = holds && self.soft_depth(shared) > tolerance;
        let e = &mut self.escalated;
        let asked = matches!(e.reason, Some(Reason::Position(_)));
        e.rest = match (asked, e.helped) {
            (true, false) => REST,
            _ => e.rest.saturating_sub(1),
        };
        e.hold = if policy.plan != SolvePlan::Fallback {
            0
        } else if e.failed || would_sink || (asked && e.helped) {
            policy.hold
        } else {
            e.hold.saturating_sub(1)
        };
    }
}
