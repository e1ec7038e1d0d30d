//! A step posed in rows: what the exact solver takes, and every island that is not made for lanes.

use super::{Island, Outcome, Shared};
use glam::DVec3;
use rb_core::mass::InvMass;
use rb_core::math::Twist;
use rb_core::params::Gyroscopic;
use rb_core::problem::{Block, Pass};
use rb_core::solver::Budget;

impl Island {
    /// Runs the substeps with rows. A body whose state becomes non-finite is put back, held, and the
    /// island solved again without it, from cold.
    pub(super) fn run_rows(&mut self, shared: &Shared) {
        (self.in_lanes, self.linked) = (false, false);
        (self.ranges, self.fleet, self.again) = (None, None, None);
        self.links.clear();
        self.load_impulses(shared);
        for _attempt in 0..=self.movable {
            self.outcome = Outcome::default();
            let broken = self.substeps(shared);
            if broken.is_empty() {
                break;
            }
            self.put_back(shared);
            for c in &mut self.constraints {
                c.memory.store([]);
            }
            for joint in &mut self.joints {
                joint.memory.store([]);
            }
            for contact in &mut self.posed {
                contact.impulse = Default::default();
                contact.spin = DVec3::ZERO;
            }
            let held = self.frozen.len();
            self.frozen.extend(broken);
            self.frozen.sort_unstable();
            self.frozen.dedup();
            for &i in &self.frozen {
                let m = &mut self.movers[i as usize];
                (m.inv, m.vel) = (InvMass::ZERO, Twist::ZERO);
            }
            self.choose(shared);
            // What is no number for bodies that are held will be none again.
            if self.frozen.len() == held {
                break;
            }
        }
    }

    /// Runs the substeps; stops at the first that leaves a body in a non-finite state, and says who is
    /// to blame.
    fn substeps(&mut self, shared: &Shared) -> Vec<u32> {
        self.begin_substeps();
        let last = shared.substeps.saturating_sub(1);
        let pinned = self.is_pinned(shared);
        for k in 0..shared.substeps {
            match pinned && k < last {
                true => self.pinned_substep(shared),
                false => self.substep(shared),
            }
            let broken = self.unsound();
            if !broken.is_empty() {
                return broken;
            }
        }
        Vec::new()
    }

    /// Bodies to blame for a non-finite state: those that forces alone drive out of bounds, or else those that a
    /// row without numbers holds, or, if there is none of them either, all that ended up there.
    pub(super) fn unsound(&self) -> Vec<u32> {
        let bad = |t: &Twist| !(rb_core::body::sound(t.lin) && rb_core::body::sound(t.ang));
        let all = || 0..self.movable as u32;
        let end: Vec<u32> = all()
            .filter(|&i| !self.movers[i as usize].is_sound())
            .collect();
        let forced = |i: u32| {
            self.problem
                .bodies
                .get(i as usize)
                .is_some_and(|b| bad(&b.free))
        };
        let by_force: Vec<u32> = end.iter().copied().filter(|&i| forced(i)).collect();
        if end.is_empty() || !by_force.is_empty() {
            return by_force;
        }
        let by_row = self.misstated();
        if by_row.is_empty() { end } else { by_row }
    }

    /// Movable bodies of blocks with a row that is not made of numbers.
    fn misstated(&self) -> Vec<u32> {
        let p = &self.problem;
        let stated = |block: &Block, r: usize| {
            let mut columns = p.columns(block, r);
            p.rows[r].is_stated() && columns.all(|(_, j, m)| j.is_finite() && m.is_finite())
        };
        let blocks = p.blocks.iter();
        let blocks = blocks.filter(|b| !b.rows().all(|r| stated(b, r)));
        let held =
            blocks.flat_map(|b| p.columns(b, b.first as usize).map(|(body, ..)| body as u32));
        held.filter(|&body| body < self.movable as u32).collect()
    }

    fn substep(&mut self, shared: &Shared) {
        self.assemble(shared);
        self.solve(shared, Pass::Position);
        self.move_bodies(shared);
        // With contacts always: a gap that closed is zero give or take rounding, and rounding must not
        // decide how often the contacts are swept.
        if !self.contacts.is_empty() || !self.problem.passes_agree() {
            self.solve(shared, Pass::Velocity);
        }
        self.problem.rebuild_velocities();
        for (m, b) in self.movers.iter_mut().zip(&self.problem.bodies) {
            m.vel = b.vel;
        }
        self.keep_impulses();
        self.end_substep(shared);
    }

    /// Moves all poses with the velocities found, β v⁺ + (1−β) v.
    pub(super) fn advance(&mut self, shared: &Shared) {
        let gyroscopic = shared.params.gyroscopic;
        for (m, b) in self.movers.iter_mut().zip(&self.problem.bodies) {
            m.advance_by_scheme(shared.h, &shared.params.scheme, b.vel, gyroscopic);
        }
    }

    /// Solves one pass. With the variational rotation the problem is linear only around the present
    /// impulses, so it is posed again at the spin they really cause until that stands still.
    pub(super) fn solve(&mut self, shared: &Shared, pass: Pass) {
        if self.in_lanes {
            return self.sweep_joined(shared, pass, self.rounds(shared, pass));
        }
        let coupled = self.scratch.plan.work.is_some_and(|w| w > 0) && !self.contacts.is_empty();
        let coupled = if coupled {
            self.rounds(shared, pass)
        } else {
            0
        };
        let budget = Budget {
            sweeps: self.sweeps(shared, pass).max(coupled),
            stop: shared.params.sweeps.stop,
            backwards: self.backwards(),
            followed: false,
        };
        let variational = shared.params.gyroscopic == Gyroscopic::Variational;
        let rounds = if variational { 8 } else { 1 };
        for _ in 0..rounds {
            self.outcome.iterations += self.solve_pass(shared, pass, budget);
            if !variational || self.relinearise(shared.h) < 1e-13 {
                break;
            }
        }
    }

    /// Moves ṽ so that ṽ + W Jᵀλ is the spin the impulses really cause; returns the largest change.
    fn relinearise(&mut self, h: f64) -> f64 {
        let mut impulse = vec![DVec3::ZERO; self.movers.len()];
        for block in &self.problem.blocks {
            for r in block.rows() {
                let row = &self.problem.rows[r];
                for (body, column) in self.problem.acting(block, r) {
                    impulse[body] += column.ang * row.lambda;
                }
            }
        }
        let mut change = 0.0f64;
        for (i, m) in self.movers.iter().enumerate().take(self.movable) {
            let body = &mut self.problem.bodies[i];
            if body.inv.is_zero() {
                continue;
            }
            let calm = 1.0 + h * m.damping[1];
            let exact = m.spin_after(h, Gyroscopic::Variational, impulse[i] * calm) / calm;
            let free = exact - body.inv.ang * impulse[i];
            change = change.max((free - body.free.ang).length());
            body.free.ang = free;
            body.vel.ang = exact;
        }
        change
    }
}
