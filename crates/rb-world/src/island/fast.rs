//! A step with the contacts in lanes: what most islands of a game get.
//!
//! The substep is that of `substep`, with what may be kept for a whole step kept: contact arms, axes
//! and effective masses. Between substeps the impulses of a body's contacts are carried over as one
//! impulse and one torque, which is their warm start: v = ṽ + W Σ Jᵀλ, with W of the new attitude.
//!
//! Where the exact solver may take an island and its certificate fails, the step is taken back and made
//! again with rows. (Sweeping the last velocity pass on until it passes was tried: the impulses then fit
//! the velocity law better than the soft step that follows, and stacks begin to shake.)

use super::{Island, Shared};
use rb_core::discretise::Discretiser;
use rb_core::integrate::Mover;
use rb_core::law::{Law, LawSet};
use rb_core::mass::LockedAxes;
use rb_core::math::Twist;
use rb_core::params::{Gyroscopic, SolvePlan};
use rb_core::problem::{Pass, Problem, ProblemBody};
use rb_core::residual::{Grade, Scaled, grade_beside};
use rb_core::solver::Budget;
use rb_solve::Pgs;

impl Island {
    /// Whether the contacts of this step go to lanes: plain surfaces under the soft step.
    pub(super) fn takes_lanes(&self, shared: &Shared) -> bool {
        let params = shared.params;
        let plain = |i: u32| shared.contacts.is_plain(i as usize);
        let bare = self.is_bare();
        shared.solver.shares_contacts()
            && self.escalated.reason.is_none()
            && params.contact.softening.is_some()
            && params.gyroscopic == Gyroscopic::Implicit
            && (bare || !self.contacts.is_empty())
            && self.contacts.iter().all(|c| plain(c.manifold))
    }

    /// Whether there are contacts alone.
    fn is_bare(&self) -> bool {
        self.joints.is_empty() && self.constraints.is_empty()
    }

    /// Runs all substeps with the contacts in lanes; says whether the result may stand: finite, and, in
    /// an island the exact solver may take, within the tolerance.
    pub(super) fn step_in_lanes(&mut self, shared: &Shared) -> bool {
        let numbers = Discretiser::new(shared.params, shared.h);
        self.pack(shared, &numbers);
        let bare = self.is_bare() && self.clusters.is_empty();
        if !self.clusters.is_empty() {
            self.load_impulses(shared);
        }
        if !bare {
            let joints = self.joints.iter();
            let joints = joints.map(|j| (j.movers, j.memory.impulses().len()));
            self.links.seat(joints, self.movable, self.movers.len());
        }
        self.elapsed = 0.0;
        for k in 0..shared.params.substeps {
            if bare {
                self.bare_substep(shared, &numbers, k == 0);
            } else {
                self.joined_substep(shared, &numbers);
            }
            self.elapsed += shared.h;
        }
        self.unsound().is_empty() && self.is_good(shared)
    }

    pub(super) fn pack(&mut self, shared: &Shared, numbers: &Discretiser) {
        let lanes = &mut self.lanes;
        lanes.reset(self.movers.len());
        for (i, m) in self.movers.iter_mut().enumerate() {
            m.refresh();
            lanes.set_mass(i, &m.inv);
            lanes.set_velocity(i, &m.vel);
            lanes.set_free(i, &m.vel);
        }
        let loose = &self.contacts[..self.loose];
        let contacts = loose.iter().map(|c| (c.manifold, c.movers));
        let soft = [false, true].map(|still| numbers.contact_step(still));
        lanes.pack(
            shared.contacts,
            contacts,
            self.movable,
            soft,
            shared.warm_scale,
        );
    }

    /// One substep of an island without joints.
    fn bare_substep(&mut self, shared: &Shared, numbers: &Discretiser, first: bool) {
        self.carried.resize(self.movable, Twist::ZERO);
        let h = shared.h;
        for (i, m) in self.movers[..self.movable].iter_mut().enumerate() {
            if !first && !m.inertia.is_isotropic() {
                m.refresh();
                self.lanes.set_mass(i, &m.inv);
            }
            let free = m.predict(h, shared.params.gyroscopic);
            self.lanes.set_free(i, &free);
            let warm = if first {
                free
            } else {
                free + caused(m, &self.carried[i])
            };
            self.lanes.set_velocity(i, &warm);
        }
        self.pose_special(numbers);
        if first {
            self.lanes.warm();
        }
        for k in 0..shared.params.sweeps.position {
            self.lanes.sweep(Pass::Position, numbers, k % 2 == 1);
        }
        for (i, m) in self.movers.iter_mut().enumerate() {
            let (scheme, gyroscopic) = (&shared.params.scheme, shared.params.gyroscopic);
            m.advance_by_scheme(shared.h, scheme, self.lanes.velocity(i), gyroscopic);
            self.lanes.set_moved(i, &m.moved);
        }
        for k in 0..shared.params.sweeps.velocity {
            self.lanes.sweep(Pass::Velocity, numbers, k % 2 == 1);
        }
        for (i, m) in self.movers[..self.movable].iter_mut().enumerate() {
            let (v, free) = (self.lanes.velocity(i), self.lanes.free(i));
            self.carried[i] = cause(m, &(v - free));
            m.vel = v;
        }
        let sweeps = shared.params.sweeps;
        self.outcome.iterations += sweeps.position + sweeps.velocity;
    }

    /// One substep of an island with joints or stiff clusters, which take turns with the contacts.
    fn joined_substep(&mut self, shared: &Shared, numbers: &Discretiser) {
        let posed = self.assemble_joints(shared);
        self.assemble_clusters(shared, &posed);
        self.problem.rebuild_velocities();
        for (i, b) in self.problem.bodies.iter().enumerate() {
            self.lanes.set_mass(i, &b.inv);
            self.lanes.set_free(i, &b.free);
            self.lanes.set_velocity(i, &b.vel);
        }
        self.pose_special(numbers);
        self.lanes.warm();
        let beside = self.put_beside();
        self.take_velocities();
        self.solve_joined(shared, Pass::Position, beside);
        self.move_bodies(shared);
        for (i, m) in self.movers.iter().enumerate() {
            self.lanes.set_moved(i, &m.moved);
        }
        self.solve_joined(shared, Pass::Velocity, beside);
        for (m, b) in self.movers.iter_mut().zip(&self.problem.bodies) {
            m.vel = b.vel;
        }
        self.keep_impulses();
    }

    /// Sweeps of a pass in which joints or clusters take turns with the contacts.
    fn joined_sweeps(&self, shared: &Shared, pass: Pass) -> u32 {
        let sweeps = shared.params.sweeps;
        match pass {
            _ if !self.is_bare() => sweeps.coupled,
            Pass::Position => sweeps.position,
            Pass::Velocity => sweeps.velocity,
        }
    }

    fn solve_joined(&mut self, shared: &Shared, pass: Pass, beside: bool) {
        match beside {
            true => self.sweep_beside(shared, pass),
            false => self.sweep_joined(shared, pass, self.joined_sweeps(shared, pass)),
        }
    }

    pub(super) fn pose_special(&mut self, numbers: &Discretiser) {
        let movers = &self.movers;
        self.lanes
            .pose_special(|i| movers.get(i).map_or(Twist::ZERO, |m| m.vel), numbers);
    }

    /// Joints, clusters and contacts in turn.
    pub(super) fn sweep_joined(&mut self, shared: &Shared, pass: Pass, sweeps: u32) {
        let numbers = Discretiser::new(shared.params, shared.h);
        let lanes = &mut self.lanes;
        let mut backwards = false;
        let mut contacts = |bodies: &mut [ProblemBody]| {
            for (i, b) in bodies.iter().enumerate() {
                lanes.set_velocity(i, &b.vel);
            }
            lanes.sweep(pass, &numbers, backwards);
            backwards = !backwards;
            for (i, b) in bodies.iter_mut().enumerate() {
                b.vel = lanes.velocity(i);
            }
        };
        let budget = Budget {
            sweeps,
            stop: shared.params.sweeps.stop,
        };
        let (problem, scratch) = (&mut self.problem, &mut self.scratch);
        let out = Pgs.solve_beside(problem, pass, budget, scratch, Some(&mut contacts));
        self.outcome.iterations += out.iterations;
    }

    /// Whether the certificate passes, or the island is too large for the exact solver anyway.
    fn is_good(&mut self, shared: &Shared) -> bool {
        let policy = shared.params.escalation;
        let small = self.rows() <= policy.rows && !self.lanes.is_empty();
        if policy.plan == SolvePlan::Fast || !small {
            return true;
        }
        let good = self.grade(shared).0.abs <= shared.params.tolerances.velocity;
        self.escalated.failed |= !good;
        good
    }

    /// Grade of the last substep, and the deepest penetration at the end of the step (m).
    pub(super) fn grade(&self, shared: &Shared) -> (Grade, f64) {
        let floor = shared.params.gravity.length() * shared.h;
        let (grade, scaled, depth) = if self.in_lanes {
            self.lanes.grade(floor)
        } else {
            (Grade::default(), Scaled::default(), 0.0)
        };
        let mut beside = (grade, scaled);
        if self.linked {
            beside = graded_together(beside, self.links.grade(&self.lanes, floor));
        }
        (
            grade_beside(&self.problem, Pass::Velocity, floor, beside),
            depth,
        )
    }

    /// Constraint rows of the last substep.
    pub(crate) fn rows(&self) -> u32 {
        let lanes = if self.in_lanes { self.lanes.rows() } else { 0 };
        let links = if self.linked { self.links.rows() } else { 0 };
        (self.problem.rows.len() + lanes + links) as u32
    }

    /// Laws of the rows in lanes.
    pub(crate) fn lane_laws(&self) -> impl Iterator<Item = LawSet> {
        let laws = self.lanes.laws().filter(|_| self.in_lanes);
        let links = self.linked.then_some(Law::Rows.as_set());
        laws.map(|law| Law::friction(law, 0.0).as_set())
            .chain(links)
    }

    /// The problem of the last substep with its contacts, wherever they are kept.
    pub(crate) fn whole_problem(&self) -> Problem {
        let mut p = self.problem.clone();
        if self.in_lanes {
            if p.bodies.is_empty() {
                let body = |(i, m): (usize, &Mover)| ProblemBody {
                    extent: m.extent,
                    ..self.lanes.body(i)
                };
                p.bodies = self.movers.iter().enumerate().map(body).collect();
            }
            if self.linked {
                self.links.append_to(&mut p);
            }
            self.lanes.append_to(&mut p);
        }
        p
    }
}

/// Impulse and torque that cause a change of velocity; those of a body whose W does not turn with it
/// are left as the change itself.
fn cause(m: &Mover, change: &Twist) -> Twist {
    if turns(m) {
        Twist::new(change.lin, m.inertia.times(m.q, change.ang))
    } else {
        *change
    }
}

/// The reverse of [`cause`], at the present attitude.
fn caused(m: &Mover, carried: &Twist) -> Twist {
    if turns(m) {
        Twist::new(carried.lin, m.inv.ang * carried.ang)
    } else {
        *carried
    }
}

fn turns(m: &Mover) -> bool {
    !m.inertia.is_isotropic() && !m.locked.intersects(LockedAxes::ANGULAR) && !m.inv.is_zero()
}

/// The grade of contacts and joints that do not know of each other.
fn graded_together(contacts: (Grade, Scaled), joints: (Grade, Scaled)) -> (Grade, Scaled) {
    let ((c, s), (j, t)) = (contacts, joints);
    let grade = Grade {
        worst_contact: c.worst_contact,
        worst_joint: j.worst_joint,
        ..c.worst_of(j)
    };
    let scaled = Scaled {
        error: s.error.max(t.error),
        scale: s.scale.max(t.scale),
        error2: s.error2 + t.error2,
        scale2: s.scale2 + t.scale2,
    };
    (grade, scaled)
}
