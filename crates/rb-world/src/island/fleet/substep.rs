//! The substeps of a fleet: joints and contacts swept together, then trees exactly.

use super::Fleet;
use crate::island::convoy::pack_contacts;
use crate::island::{Island, Shared};
use rb_core::discretise::Discretiser;
use rb_core::problem::Pass;
use rb_solve::lanes::JointLanes;
use rb_solve::parallel;

/// Joints per task.
const RUN: usize = 256;

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
        self.squads(islands, |squad| squad.take_back());
        self.links.tell_seam();
        let (_, seam) = self.links.split();
        seam.iter_mut().for_each(JointLanes::note_points);
        self.store(islands);
    }

    /// Hands the joints their impulses.
    fn store(&self, islands: &mut [Island]) {
        for &k in &self.members {
            let island = &mut islands[k as usize];
            let first = island.berth.as_ref().map_or(0, |b| b.joints.start);
            parallel::for_each_run(&mut island.joints, RUN, |own, run| {
                for (j, joint) in (first + own..).zip(run) {
                    joint.memory.store(self.links.of(j).impulses(j));
                }
            });
        }
    }

    fn pack(&mut self, islands: &mut [Island], shared: &Shared, numbers: &Discretiser) {
        self.special.clear();
        self.special.resize(self.movable, false);
        self.motions.reset(self.movable);
        self.squads(islands, |squad| squad.board(shared));
        self.guests(islands, |lanes, links, [body, guest], m| {
            lanes.set_mass(body, &m.inv);
            lanes.set_velocity(body, &m.vel);
            lanes.set_free(body, &m.vel);
            lanes.set_moved(body, &m.moved);
            links.set_guest_turned(guest, m.com, m.q);
        });
        let aboard = self.members.iter().map(|&k| &islands[k as usize]);
        pack_contacts(&mut self.lanes, aboard, self.movable, shared, numbers);
    }

    fn run_substep(&mut self, islands: &mut [Island], shared: &Shared, numbers: &Discretiser) {
        let first = self.substep == 0;
        self.squads(islands, |squad| squad.predict(shared, numbers, first));
        self.carry_seam(numbers, first);
        self.state(islands, shared, numbers, first);
        self.squads(islands, |squad| squad.pull(numbers, first));
        self.pull_seam(numbers, first);
        let plan = self.hard.then(|| std::mem::take(&mut self.plan));
        self.squads(islands, |squad| squad.prepare(shared, plan.as_ref()));
        self.plan = plan.unwrap_or_default();
        self.prepare_seam();
        self.pose(numbers);
        self.lanes.warm();
        self.solve(islands, shared, numbers, Pass::Position);
        self.advance(islands, shared);
        if !self.hard || self.touches() || !self.links.passes_agree() {
            self.solve(islands, shared, numbers, Pass::Velocity);
        }
    }

    /// The joints between sections follow their bodies.
    fn carry_seam(&mut self, numbers: &Discretiser, first: bool) {
        self.links.tell_seam();
        for seam in self.links.split().1 {
            seam.begin();
            if !first {
                seam.carry(numbers);
            }
        }
    }

    fn pull_seam(&mut self, numbers: &Discretiser, first: bool) {
        for seam in self.links.split().1 {
            if first {
                seam.carry_pins(numbers);
            }
        }
        self.links.pull_seam();
    }

    fn prepare_seam(&mut self) {
        let mut lines = self.lanes.lines();
        for seam in self.links.split().1 {
            seam.start_in(&mut lines);
        }
    }

    fn pose(&mut self, numbers: &Discretiser) {
        let Self { lanes, motions, .. } = self;
        lanes.watch(motions, |mut watch| watch.pose(numbers, true));
        lanes.pose_seam(motions, numbers, true);
    }

    fn advance(&mut self, islands: &mut [Island], shared: &Shared) {
        self.squads(islands, |squad| squad.advance(shared));
        let (scheme, gyroscopic) = (&shared.params.scheme, shared.params.gyroscopic);
        self.guests(islands, |lanes, links, [body, guest], m| {
            let (com, q) = (m.com, m.q);
            m.advance_by_scheme(shared.h, scheme, lanes.velocity(body), gyroscopic);
            lanes.set_moved(body, &m.moved);
            links.set_guest_turned(guest, m.com - com, m.q * q.conjugate());
        });
    }

    /// One pass: sweeps over joints and contacts; then the trees exactly, where bodies move with the velocities found or
    /// the step ends with them.
    fn solve(
        &mut self,
        islands: &mut [Island],
        shared: &Shared,
        numbers: &Discretiser,
        pass: Pass,
    ) {
        let last = self.substep + 1 == shared.params.substeps;
        let untouched = !self.touches() && self.links.has_only_points();
        let sweeps = match (self.hard, pass) {
            (true, _) if !self.touches() => 0,
            (true, _) => shared.params.sweeps.coupled_in(pass, last),
            (false, Pass::Position) if untouched && numbers.joint_step.is_some() => {
                shared.params.sweeps.sparing()
            }
            (false, Pass::Position) => shared.params.sweeps.position,
            (false, Pass::Velocity) => shared.params.sweeps.velocity_in(last),
        };
        // Every other substep is swept from the other end first.
        let backwards = self.substep % 2 == 1;
        let lanes = &mut self.lanes;
        self.links.sweeps(lanes, pass, numbers, sweeps, backwards);
        // Velocities that move nothing may have a little left over: the next substep moves the bodies with exact ones.
        let exact = self.hard && (sweeps == 0 || last || pass == Pass::Position);
        if exact {
            let plan = std::mem::take(&mut self.plan);
            self.squads(islands, |squad| squad.settle(&plan, pass));
            self.plan = plan;
        }
        let iterations = sweeps + u32::from(exact);
        for &k in &self.members {
            islands[k as usize].outcome.iterations += iterations;
        }
    }
}
