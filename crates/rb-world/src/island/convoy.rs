//! Islands of bodies and contacts alone, a run of them in the same lanes.
//!
//! A small island fills few lanes: a pyramid of ten rows every third. Islands share no movable body, so
//! the contacts of several are packed together, swept together, and give each island what it would get by
//! itself (but for rounding, where the fill of the lanes decides how they are swept). Which islands are
//! together does not depend on the number of threads.

use super::{Island, Shared};
use core::ops::Range;
use rb_core::discretise::Discretiser;
use rb_core::integrate::Mover;
use rb_core::mass::LockedAxes;
use rb_core::math::Twist;
use rb_core::problem::Pass;
use rb_core::residual::grade_beside;
use rb_solve::lanes::ContactLanes;

/// Islands of a convoy: enough to fill lanes, and small ones are one task.
pub(crate) const RUN: usize = 8;

/// Where an island's contacts are in its convoy.
#[derive(Clone, Debug, Default)]
pub(crate) struct Berth {
    /// Its manifolds.
    pub(super) manifolds: Range<usize>,
    /// Its first movable body, and its first guest.
    pub(super) bodies: [u32; 2],
}

impl Berth {
    /// Number in the lanes of a mover of an island with so many movable ones.
    #[inline]
    pub(super) fn body(&self, mover: u32, movable: usize) -> u32 {
        let movable = movable as u32;
        if mover < movable {
            self.bodies[0] + mover
        } else {
            self.bodies[1] + mover - movable
        }
    }
}

/// The lanes of a run of islands; kept from step to step for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Convoy {
    pub(crate) lanes: ContactLanes,
    /// Numbers of its members within the run, and the first manifold of each.
    members: Vec<u32>,
    firsts: Vec<u32>,
    /// Manifold and bodies of each contact, as the lanes have them.
    contacts: Vec<(u32, [u32; 2])>,
    /// What the contacts of each movable body did to it in the last substep.
    carried: Vec<Twist>,
    /// Velocities at the start of the substep, where contacts ask for them.
    before: Vec<Twist>,
}

impl Convoy {
    /// Runs the islands through the step: those with contacts alone together, then the others one by
    /// one.
    pub(crate) fn run(&mut self, islands: &mut [Island], shared: &Shared) {
        self.members.clear();
        for (k, island) in islands.iter_mut().enumerate() {
            island.begin(shared);
            if island.in_convoy() {
                self.members.push(k as u32);
            }
        }
        if !self.members.is_empty() {
            self.sail(islands, shared);
        }
        for island in islands.iter_mut().filter(|i| i.berth.is_none()) {
            island.run(shared);
        }
        islands.iter_mut().for_each(|i| i.judge(shared));
    }

    fn sail(&mut self, islands: &mut [Island], shared: &Shared) {
        let numbers = Discretiser::new(shared.params, shared.h);
        self.assign(islands);
        self.pack(islands, shared, &numbers);
        for k in 0..shared.params.substeps {
            self.substep(islands, shared, &numbers, k == 0);
        }
        self.land(islands, shared);
    }

    /// Gives the members their berths: all movable bodies first.
    fn assign(&mut self, islands: &mut [Island]) {
        let movable: usize = self
            .members
            .iter()
            .map(|&k| islands[k as usize].movable)
            .sum();
        let (mut manifold, mut body, mut guest) = (0, 0, movable as u32);
        self.firsts.clear();
        self.contacts.clear();
        for &k in &self.members {
            let island = &mut islands[k as usize];
            let berth = Berth {
                manifolds: manifold..manifold + island.contacts.len(),
                bodies: [body, guest],
            };
            self.firsts.push(manifold as u32);
            let seat = |m: u32| berth.body(m, island.movable);
            let contacts = island.contacts.iter();
            self.contacts
                .extend(contacts.map(|c| (c.manifold, c.movers.map(seat))));
            manifold = berth.manifolds.end;
            body += island.movable as u32;
            guest += (island.movers.len() - island.movable) as u32;
            island.berth = Some(berth);
        }
        self.carried.clear();
        self.carried.resize(movable, Twist::ZERO);
        self.lanes.reset(guest as usize);
    }

    fn pack(&mut self, islands: &mut [Island], shared: &Shared, numbers: &Discretiser) {
        let lanes = &mut self.lanes;
        for &k in &self.members {
            let island = &mut islands[k as usize];
            for (i, m) in island.movers.iter_mut().enumerate() {
                let Some(berth) = &island.berth else { continue };
                let body = berth.body(i as u32, island.movable) as usize;
                m.refresh();
                lanes.set_mass(body, &m.inv);
                lanes.set_velocity(body, &m.vel);
                lanes.set_free(body, &m.vel);
            }
        }
        let soft = [false, true].map(|still| numbers.contact_step(still));
        let (contacts, movable) = (self.contacts.iter().copied(), self.carried.len());
        lanes.pack(shared.contacts, contacts, movable, soft, shared.warm_scale);
    }

    fn substep(
        &mut self,
        islands: &mut [Island],
        shared: &Shared,
        numbers: &Discretiser,
        first: bool,
    ) {
        self.predict(islands, shared, first);
        let before = &self.before;
        let start = |i: usize| before.get(i).copied().unwrap_or_default();
        self.lanes.pose(start, numbers);
        if first {
            self.lanes.warm();
        }
        let sweeps = shared.params.sweeps;
        for k in 0..sweeps.position {
            self.lanes.sweep(Pass::Position, numbers, k % 2 == 1);
        }
        self.advance(islands, shared);
        for k in 0..sweeps.velocity {
            self.lanes.sweep(Pass::Velocity, numbers, k % 2 == 1);
        }
        self.take_back(islands);
    }

    /// Free velocities, with what the contacts did in the last substep.
    fn predict(&mut self, islands: &mut [Island], shared: &Shared, first: bool) {
        let (lanes, carried) = (&mut self.lanes, &self.carried);
        if lanes.has_special() {
            self.before.clear();
            let members = self.members.iter().map(|&k| &islands[k as usize]);
            let own = members.clone().flat_map(|i| &i.movers[..i.movable]);
            let guests = members.flat_map(|i| &i.movers[i.movable..]);
            self.before.extend(own.chain(guests).map(|m| m.vel));
        }
        let mut body = 0;
        for &k in &self.members {
            let island = &mut islands[k as usize];
            for m in &mut island.movers[..island.movable] {
                if !first && !m.inertia.is_isotropic() {
                    m.refresh();
                    lanes.set_mass(body, &m.inv);
                }
                let free = m.predict(shared.h, shared.params.gyroscopic);
                lanes.set_free(body, &free);
                let warm = if first {
                    free
                } else {
                    free + caused(m, &carried[body])
                };
                lanes.set_velocity(body, &warm);
                body += 1;
            }
        }
    }

    fn advance(&mut self, islands: &mut [Island], shared: &Shared) {
        let (scheme, gyroscopic) = (&shared.params.scheme, shared.params.gyroscopic);
        for &k in &self.members {
            let island = &mut islands[k as usize];
            let Some(berth) = &island.berth else { continue };
            for (i, m) in island.movers.iter_mut().enumerate() {
                let body = berth.body(i as u32, island.movable) as usize;
                m.advance_by_scheme(shared.h, scheme, self.lanes.velocity(body), gyroscopic);
                self.lanes.set_moved(body, &m.moved);
            }
        }
    }

    fn take_back(&mut self, islands: &mut [Island]) {
        let mut body = 0;
        for &k in &self.members {
            let island = &mut islands[k as usize];
            for m in &mut island.movers[..island.movable] {
                let (v, free) = (self.lanes.velocity(body), self.lanes.free(body));
                self.carried[body] = cause(m, &(v - free));
                m.vel = v;
                body += 1;
            }
        }
    }

    /// Grades and impulses to the islands.
    fn land(&mut self, islands: &mut [Island], shared: &Shared) {
        let sweeps = shared.params.sweeps;
        let floor = shared.params.gravity.length() * shared.h;
        let mut members = self.members.iter();
        self.lanes.grade_parts(&self.firsts, floor, |graded| {
            let Some(&k) = members.next() else { return };
            let island = &mut islands[k as usize];
            let (grade, scaled, depth) = graded;
            let out = &mut island.outcome;
            out.grade = grade_beside(&island.problem, Pass::Velocity, floor, (grade, scaled));
            out.penetration = depth;
            out.iterations = shared.params.substeps * (sweeps.position + sweeps.velocity);
        });
        for &k in &self.members {
            let island = &mut islands[k as usize];
            if let Some(run) = island.berth.as_ref().map(|b| b.manifolds.clone()) {
                island.land(&self.lanes, run);
            }
        }
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
