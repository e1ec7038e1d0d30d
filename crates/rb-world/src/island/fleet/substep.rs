//! The substeps of a fleet: joints and contacts swept together, then trees exactly. Sections go on by themselves from
//! one visit of what lies between them to the next, as those of a convoy do (see [`Watch`](rb_solve::lanes::Watch)); but
//! joints between sections are never late, since the next substep begins with what they pull at.

use super::Fleet;
use crate::island::convoy::assign_contacts;
use crate::island::{Island, Shared};
use rb_core::discretise::Discretiser;
use rb_core::elimination::Elimination;
use rb_core::params::Precision;
use rb_core::problem::Pass;
use rb_solve::lanes::{JointLanes, Round};
use rb_solve::parallel;

/// Joints per task.
const RUN: usize = 256;

/// One pass: sweeps over joints and contacts; then trees exactly or not.
#[derive(Clone, Copy)]
pub(super) struct Leg {
    pub(super) pass: Pass,
    pub(super) round: Round,
    pub(super) exact: bool,
}

/// What all substeps share.
#[derive(Clone, Copy)]
struct Course<'a> {
    shared: &'a Shared<'a>,
    numbers: &'a Discretiser,
    plan: &'a Elimination,
}

impl Fleet {
    /// Runs all substeps. Members with a row that lanes cannot hold are no longer `linked`.
    pub(super) fn run(&mut self, islands: &mut [Island], shared: &Shared) {
        let mut numbers = Discretiser::new(shared.params, shared.h);
        self.pack(islands, shared, &numbers);
        if self.hard {
            // Solved exactly, so they need no softening, and rigid rows keep the energy.
            numbers.joint_step = None;
        }
        let plan = std::mem::take(&mut self.plan);
        let course = Course {
            shared,
            numbers: &numbers,
            plan: &plan,
        };
        // With what sections are to end the last substep.
        let mut left = None;
        for number in 0..shared.substeps {
            self.substep = number;
            left = Some(self.run_substep(islands, course, left));
            if !self.members.iter().any(|&k| islands[k as usize].linked) {
                self.plan = plan;
                return;
            }
        }
        self.squads(islands, |squad| {
            left.iter().for_each(|left| squad.close(left, &plan));
            squad.take_back();
        });
        self.plan = plan;
        self.links.tell_seam();
        let (_, seam) = self.links.split();
        seam.iter_mut().for_each(JointLanes::note_points);
        self.store(islands);
    }

    /// Hands the joints their impulses.
    fn store(&self, islands: &mut [Island]) {
        for &k in &self.members {
            let island = &mut islands[k as usize];
            let first = island.ranges.as_ref().map_or(0, |b| b.joints.start);
            parallel::for_each_run(&mut island.joints, RUN, |own, run| {
                for (j, joint) in (first + own..).zip(run) {
                    let links = self.links.of(j);
                    match links.pin_impulses(j) {
                        Some(pin) => joint.memory.take_impulses(&pin),
                        None => joint.memory.store(links.impulses(j)),
                    }
                }
            });
        }
    }

    fn pack(&mut self, islands: &mut [Island], shared: &Shared, numbers: &Discretiser) {
        self.special.clear();
        self.special.resize(self.movable, false);
        self.motions.reset(self.movable);
        self.squads(islands, |squad| squad.load(shared));
        self.guests(islands, |lanes, links, [body, guest], m| {
            lanes.set_mass(body, &m.inv);
            lanes.set_velocity(body, &m.vel);
            lanes.set_free(body, &m.vel);
            lanes.set_moved(body, &m.moved);
            links.set_guest_turned(guest, m.com, m.q);
        });
        let members = self.members.iter().map(|&k| &islands[k as usize]);
        assign_contacts(&mut self.lanes, members);
        let terms = shared.terms(numbers);
        self.lanes.repack(shared.contacts, self.movable, terms);
        // Pins alone may be swept in the precision of contacts.
        let single = terms.precision == Precision::Single && self.is_net(islands, numbers);
        let net = single && self.lanes.suits_single();
        if self.links.use_nets(net) {
            self.stayed = false;
        }
        self.lanes.use_narrow(net);
    }

    /// Whether it holds one island whose joints are softened pins, all of them.
    fn is_net(&self, islands: &[Island], numbers: &Discretiser) -> bool {
        let softened = numbers.joint_step.is_some() && numbers.stabilisation.is_none();
        let mut members = self.members.iter();
        !self.hard && softened && members.all(|&k| islands[k as usize].pinned)
    }

    /// Runs a substep after what is `left` of the one before; returns what is left of this one.
    fn run_substep(&mut self, islands: &mut [Island], course: Course, left: Option<Leg>) -> Leg {
        let Course {
            shared,
            numbers,
            plan,
        } = course;
        self.begin(islands, course, left);
        self.squads(islands, |squad| {
            squad.prepare(shared, plan);
            squad.pose(numbers);
        });
        self.prepare_seam(numbers);
        let position = self.leg(islands, Pass::Position, shared, numbers);
        self.squads(islands, |squad| squad.open(&position));
        self.cross(&position);
        let velocity = self.leg(islands, Pass::Velocity, shared, numbers);
        self.squads(islands, |squad| {
            squad.close(&position, plan);
            squad.advance(shared);
            squad.reopen(&velocity);
        });
        self.advance_guests(islands, shared);
        self.cross(&velocity);
        velocity
    }

    /// Ends the substep before, and finds free velocities and rows at the start of another.
    fn begin(&mut self, islands: &mut [Island], course: Course, left: Option<Leg>) {
        let Course {
            shared,
            numbers,
            plan,
        } = course;
        let first = self.substep == 0;
        let stated = self.are_stated(islands, numbers, first);
        self.squads(islands, |squad| {
            left.iter().for_each(|left| squad.close(left, plan));
            squad.predict(shared, numbers, first);
            if !stated {
                squad.pull(numbers, first);
            }
        });
        self.carry_seam(numbers, first);
        if stated {
            self.state(islands, shared, numbers, first);
            self.squads(islands, |squad| squad.pull(numbers, first));
        }
        self.pull_seam(numbers, first);
    }

    fn cross(&mut self, leg: &Leg) {
        let Self {
            lanes,
            links,
            motions,
            ..
        } = self;
        links.cross(lanes, motions, &leg.round);
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

    fn prepare_seam(&mut self, numbers: &Discretiser) {
        let mut lines = self.lanes.lines();
        for seam in self.links.split().1 {
            seam.start_in(&mut lines);
        }
        self.lanes.pose_seam(&self.motions, numbers, true);
        self.lanes.warm_seam();
    }

    /// Has the bodies that nothing moves go on with the velocities they have.
    fn advance_guests(&mut self, islands: &mut [Island], shared: &Shared) {
        let (scheme, gyroscopic) = (&shared.params.scheme, shared.params.gyroscopic);
        self.guests(islands, |lanes, links, [body, guest], m| {
            let (com, q) = (m.com, m.q);
            m.advance_by_scheme(shared.h, scheme, lanes.velocity(body), gyroscopic);
            lanes.set_moved(body, &m.moved);
            links.set_guest_turned(guest, m.com - com, m.q * q.conjugate());
        });
    }

    /// What is to be done in a pass.
    fn leg(
        &mut self,
        islands: &mut [Island],
        pass: Pass,
        shared: &Shared,
        numbers: &Discretiser,
    ) -> Leg {
        let last = self.substep + 1 == shared.substeps;
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
        // A second pass over the same rows would find nothing to do.
        let idle = pass == Pass::Velocity && self.hard && !self.touches();
        let idle = idle && self.links.passes_agree();
        // Velocities that move nothing may have a little left over: the next substep moves the bodies with exact ones.
        let exact = self.hard && !idle && (sweeps == 0 || last || pass == Pass::Position);
        let iterations = sweeps + u32::from(exact);
        for &k in &self.members {
            islands[k as usize].outcome.iterations += iterations;
        }
        // Every other substep is swept from the other end first.
        let backwards = self.substep % 2 == 1;
        let round = self
            .links
            .round(&self.lanes, pass, numbers, sweeps, backwards);
        Leg { pass, round, exact }
    }
}
