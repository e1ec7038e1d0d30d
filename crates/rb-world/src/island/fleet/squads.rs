//! What one thread looks after in a substep: the bodies of a section, and the joints that hold them. A fleet of
//! small islands is one section, a large island may have several.

use super::Fleet;
use super::bodies::{Bodies, PART, Travel};
use super::place::STOPS;
use super::substep::Leg;
use crate::island::body_run::BodyRun;
use crate::island::{Island, Shared};
use rb_core::discretise::Discretiser;
use rb_core::elimination::Elimination;
use rb_core::integrate::Mover;
use rb_solve::lanes::{JointLanes, Moving, Watch};
use rb_solve::parallel::{self, Parts};

/// Movable bodies of some sections: of one island, or of all members in the only section.
enum Movers<'a> {
    Own(&'a mut [Mover]),
    Members(&'a mut [Island], &'a [u32]),
}

/// Sections with their bodies and joints.
pub(super) struct Squads<'a> {
    movers: Movers<'a>,
    watch: Watch<'a>,
    links: &'a mut [JointLanes],
    special: &'a mut [bool],
}

impl Fleet {
    /// Runs `f` on every section.
    pub(super) fn squads(&mut self, islands: &mut [Island], f: impl Fn(&mut Squads) + Sync) {
        let movers = match self.members[..] {
            [only] => {
                let island = &mut islands[only as usize];
                Movers::Own(&mut island.movers[..island.movable])
            }
            _ => Movers::Members(islands, &self.members),
        };
        let squads = Squads {
            movers,
            watch: self.lanes.watches(&mut self.motions),
            links: self.links.split().0,
            special: &mut self.special,
        };
        parallel::for_each_part(squads, &|mut squad: Squads| f(&mut squad));
    }
}

impl Parts for Squads<'_> {
    fn parts(&self) -> usize {
        self.links.len()
    }

    fn split_at(self, parts: usize) -> (Self, Self) {
        let Movers::Own(movers) = self.movers else {
            unreachable!("several members are one section");
        };
        let at = (parts * self.watch.moving.lines.size()).min(movers.len());
        let (movers, movers2) = movers.split_at_mut(at);
        let (watch, watch2) = self.watch.split_at(parts);
        let (links, links2) = self.links.split_at_mut(parts);
        let (special, special2) = self.special.split_at_mut(at);
        let of = |movers, watch, links, special| Squads {
            movers: Movers::Own(movers),
            watch,
            links,
            special,
        };
        (
            of(movers, watch, links, special),
            of(movers2, watch2, links2, special2),
        )
    }
}

impl Squads<'_> {
    /// Runs `f` on the bodies of each island in turn.
    fn bodies(&mut self, f: impl Fn(Bodies)) {
        let Some(links) = self.links.first_mut() else {
            return;
        };
        let (_, levers) = links.bodies();
        let (moving, special, mut first) = (&mut self.watch.moving, &mut *self.special, 0);
        let mut run = |movers: &mut [Mover]| {
            let run = first..first + movers.len();
            first = run.end;
            f(Bodies {
                run: BodyRun {
                    movers,
                    moving: moving.run(run.clone(), PART),
                },
                levers: &levers[run.clone()],
                special: &mut special[run],
            });
        };
        match &mut self.movers {
            Movers::Own(movers) => run(movers),
            Movers::Members(islands, members) => {
                for &k in *members {
                    let island = &mut islands[k as usize];
                    run(&mut island.movers[..island.movable]);
                }
            }
        }
    }

    /// Brings the lanes what they need to know of the bodies at the start of the step.
    pub(super) fn load(&mut self, shared: &Shared) {
        self.bodies(|bodies| bodies.load(shared));
        if let Some(links) = self.links.first_mut() {
            self.watch.moving.place(links.bodies().0);
        }
    }

    /// Free velocities of the present substep; after the first, rows are carried along to its start.
    pub(super) fn predict(&mut self, shared: &Shared, numbers: &Discretiser, first: bool) {
        if self.special.contains(&true) {
            self.bodies(|bodies| bodies.renew());
        }
        let moving = self.watch.moving.run(0..self.watch.moving.len(), PART);
        parallel::for_each_part(moving, &|mut part: Moving| {
            part.begin(shared.h, !first, false);
        });
        for links in self.links.iter_mut() {
            links.begin();
            if !first && !links.has_only_points() {
                links.carry(numbers);
            }
        }
    }

    /// Makes the rows of joints that were stated by their frames, and finds what all do to the inertia of their
    /// bodies.
    pub(super) fn pull(&mut self, numbers: &Discretiser, first: bool) {
        for links in self.links.iter_mut() {
            if links.has_only_points() {
                links.carry_points(numbers, first);
                continue;
            }
            if first {
                links.carry_pins(numbers);
            }
            links.turn_bearings(&self.watch.moving.lines, numbers, &STOPS);
            links.pull();
        }
    }

    /// Makes all numbers of the joints from their rows, and starts from the free velocities and their last impulses.
    pub(super) fn prepare(&mut self, shared: &Shared, plan: &Elimination) {
        self.bodies(|bodies| bodies.set_out(shared));
        self.watch.moving.lines.take_over();
        for links in self.links.iter_mut() {
            links.start_in(&mut self.watch.moving.lines);
            if !plan.trees.is_empty() {
                links.lay_out(plan);
            }
        }
    }

    /// Terms of the contacts.
    pub(super) fn pose(&mut self, numbers: &Discretiser) {
        self.watch.pose(numbers, true);
    }

    /// Starts the contacts from their last impulses, and opens the first pass.
    pub(super) fn open(&mut self, leg: &Leg) {
        self.watch.warm();
        self.sweep(leg);
    }

    /// Opens the second pass, with the velocities of the first.
    pub(super) fn reopen(&mut self, leg: &Leg) {
        self.watch.moving.lines.take_over();
        self.sweep(leg);
    }

    /// Opens a pass.
    fn sweep(&mut self, leg: &Leg) {
        for links in self.links.iter_mut() {
            links.open_beside(&mut self.watch, &leg.round);
        }
    }

    /// Closes a pass.
    pub(super) fn close(&mut self, leg: &Leg, plan: &Elimination) {
        for links in self.links.iter_mut() {
            links.close_beside(&mut self.watch, &leg.round);
            if leg.exact {
                links.settle_in(&mut self.watch.moving.lines, plan, leg.pass);
            }
        }
        self.watch.moving.lines.give_back();
    }

    /// Moves the bodies with the velocities found.
    pub(super) fn advance(&mut self, shared: &Shared) {
        let Some(links) = self.links.first_mut() else {
            return;
        };
        let travel = Travel {
            moving: self.watch.moving.run(0..self.watch.moving.len(), PART),
            turned: links.bodies().0,
        };
        let beta = shared.params.scheme.beta;
        parallel::for_each_part(travel, &|mut part: Travel| {
            part.moving.advance(shared.h, beta, part.turned);
        });
    }

    /// Tells the bodies where they are.
    pub(super) fn tell(&mut self) {
        self.bodies(|bodies| bodies.run.write_poses());
    }

    /// Keeps the velocities of the last substep.
    pub(super) fn take_back(&mut self) {
        self.bodies(|bodies| bodies.run.take_back());
        for links in self.links.iter_mut() {
            links.note_points();
        }
    }
}
