//! The substeps of a fleet: joints and contacts swept together, then trees exactly.

use super::Fleet;
use crate::island::convoy::{note_velocities, pack_contacts};
use crate::island::{Island, Shared};
use rb_core::discretise::Discretiser;
use rb_core::problem::Pass;

impl Fleet {
    /// Runs all substeps. Members with a row that lanes cannot hold are no longer `linked`.
    pub(super) fn run(&mut self, islands: &mut [Island], shared: &Shared) {
        let mut numbers = Discretiser::new(shared.params, shared.h);
        self.pack(islands, shared, &numbers);
        if self.hard {
            // Solved exactly, so they need no softening, and rigid rows keep the energy.
            numbers.joint_step = None;
        }
        for number in 0..shared.params.substeps {
            self.substep = number;
            self.run_substep(islands, shared, &numbers);
            if !self.members.iter().any(|&k| islands[k as usize].linked) {
                return;
            }
        }
        self.movers(islands, |bodies| bodies.crew.take_back());
        self.links.part_points();
        for (j, &[k, own]) in self.owners.iter().enumerate() {
            let joint = &mut islands[k as usize].joints[own as usize];
            joint.memory.store(self.links.impulses(j));
        }
    }

    fn pack(&mut self, islands: &mut [Island], shared: &Shared, numbers: &Discretiser) {
        self.lanes.reset(self.bodies);
        self.stiff.clear();
        self.stiff.resize(self.movable, false);
        self.movers(islands, |bodies| bodies.board());
        self.guests(islands, |lanes, links, body, m| {
            lanes.set_mass(body, &m.inv);
            lanes.set_velocity(body, &m.vel);
            lanes.set_free(body, &m.vel);
            links.set_turned(body, m.com, m.q);
        });
        let aboard = self.members.iter().map(|&k| &islands[k as usize]);
        pack_contacts(&mut self.lanes, aboard, self.movable, shared, numbers);
    }

    fn run_substep(&mut self, islands: &mut [Island], shared: &Shared, numbers: &Discretiser) {
        let first = self.substep == 0;
        self.movers(islands, |bodies| bodies.predict(shared, first));
        if !first {
            self.links.carry(numbers);
        }
        self.state(islands, shared, numbers, first);
        self.links.pull();
        self.movers(islands, |bodies| bodies.stiffen(shared));
        self.lanes.note_turn();
        self.links.prepare(&self.lanes);
        if self.hard {
            self.links.lay_out(&self.plan);
        }
        self.pose(islands, numbers);
        self.lanes.warm();
        self.links.warm(&mut self.lanes);
        self.solve(islands, shared, numbers, Pass::Position);
        self.advance(islands, shared);
        if !self.hard || self.touches() || !self.links.passes_agree() {
            self.solve(islands, shared, numbers, Pass::Velocity);
        }
    }

    /// Terms of the contacts that ask for the velocities at the start of the substep.
    fn pose(&mut self, islands: &[Island], numbers: &Discretiser) {
        if self.lanes.has_special() {
            let aboard = self.members.iter().map(|&k| &islands[k as usize]);
            note_velocities(&mut self.before, aboard);
        }
        let before = &self.before;
        let start = |i: usize| before.get(i).copied().unwrap_or_default();
        self.lanes.pose(start, numbers);
    }

    fn advance(&mut self, islands: &mut [Island], shared: &Shared) {
        self.movers(islands, |bodies| bodies.advance(shared));
        let (scheme, gyroscopic) = (&shared.params.scheme, shared.params.gyroscopic);
        self.guests(islands, |lanes, links, body, m| {
            let (com, q) = (m.com, m.q);
            m.advance_by_scheme(shared.h, scheme, lanes.velocity(body), gyroscopic);
            lanes.set_moved(body, &m.moved);
            links.set_turned(body, m.com - com, m.q * q.conjugate());
        });
    }

    /// One pass: sweeps over joints and contacts, then the trees exactly.
    fn solve(
        &mut self,
        islands: &mut [Island],
        shared: &Shared,
        numbers: &Discretiser,
        pass: Pass,
    ) {
        let last = self.substep + 1 == shared.params.substeps;
        let sweeps = match (self.hard, pass) {
            (true, _) if !self.touches() => 0,
            (true, _) => shared.params.sweeps.coupled_in(pass, last),
            (false, Pass::Position) => shared.params.sweeps.position,
            (false, Pass::Velocity) => shared.params.sweeps.velocity_in(last),
        };
        for k in 0..sweeps {
            // Every other substep is swept from the other end first.
            let backwards = (self.substep + k) % 2 == 1;
            self.links.sweep(&mut self.lanes, pass, backwards);
            self.lanes.sweep(pass, numbers, backwards);
        }
        if self.hard {
            self.links.settle(&mut self.lanes, &self.plan, pass);
        }
        let iterations = sweeps + u32::from(self.hard);
        for &k in &self.members {
            islands[k as usize].outcome.iterations += iterations;
        }
    }
}
