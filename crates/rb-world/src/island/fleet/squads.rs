//! What one thread looks after in a substep: the bodies of a section, and the joints that hold them. A fleet of
//! small islands is one section, a large island may have several.

use super::Fleet;
use super::bodies::{Bodies, PART, Travel};
use super::place::STOPS;
use crate::island::crew::Crew;
use crate::island::{Island, Shared};
use rb_core::discretise::Discretiser;
use rb_core::elimination::Elimination;
use rb_core::integrate::Mover;
use rb_core::problem::Pass;
use rb_solve::lanes::{JointLanes, Moving};
use rb_solve::parallel::{self, Parts};

/// Movable bodies of some sections: of one island, or of all members in the only section.
enum Movers<'a> {
    Own(&'a mut [Mover]),
    Members(&'a mut [Island], &'a [u32]),
}

/// Sections with their bodies and joints.
pub(super) struct Squads<'a> {
    movers: Movers<'a>,
    moving: Moving<'a>,
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
            moving: self.motions.with(self.lanes.lines()),
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
        let at = (parts * self.moving.lines.size()).min(movers.len());
        let (movers, movers2) = movers.split_at_mut(at);
        let (moving, moving2) = self.moving.split_at(parts);
        let (links, links2) = self.links.split_at_mut(parts);
        let (special, special2) = self.special.split_at_mut(at);
        let of = |movers, moving, links, special| Squads {
            movers: Movers::Own(movers),
            moving,
            links,
            special,
        };
        (
            of(movers, moving, links, special),
            of(movers2, moving2, links2, special2),
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
        let (moving, special, mut first) = (&mut self.moving, &mut *self.special, 0);
        let mut run = |movers: &mut [Mover]| {
            let run = first..first + movers.len();
            first = run.end;
            f(Bodies {
                crew: Crew {
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
    pub(super) fn board(&mut self, shared: &Shared) {
        self.bodies(|bodies| bodies.board(shared));
        if let Some(links) = self.links.first_mut() {
            self.moving.place(links.bodies().0);
        }
    }

    /// Free velocities of the present substep; after the first, rows are carried along to its start.
    pub(super) fn predict(&mut self, shared: &Shared, numbers: &Discretiser, first: bool) {
        if self.special.contains(&true) {
            self.bodies(|bodies| bodies.renew());
        }
        let moving = self.moving.run(0..self.moving.len(), PART);
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
            links.turn_bearings(&self.moving.lines, numbers, &STOPS);
            links.pull();
        }
    }

    /// Makes all numbers of the joints from their rows, and starts from the free velocities and their last impulses.
    pub(super) fn prepare(&mut self, shared: &Shared, plan: Option<&Elimination>) {
        self.bodies(|bodies| bodies.set_out(shared));
        for links in self.links.iter_mut() {
            links.start_in(&mut self.moving.lines);
            if let Some(plan) = plan {
                links.lay_out(plan);
            }
        }
    }

    /// Solves trees exactly.
    pub(super) fn settle(&mut self, plan: &Elimination, pass: Pass) {
        for links in self.links.iter_mut() {
            links.settle_in(&mut self.moving.lines, plan, pass);
        }
    }

    /// Moves the bodies with the velocities found.
    pub(super) fn advance(&mut self, shared: &Shared) {
        let Some(links) = self.links.first_mut() else {
            return;
        };
        let travel = Travel {
            moving: self.moving.run(0..self.moving.len(), PART),
            turned: links.bodies().0,
        };
        let beta = shared.params.scheme.beta;
        parallel::for_each_part(travel, &|mut part: Travel| {
            part.moving.advance(shared.h, beta, part.turned);
        });
    }

    /// Tells the bodies where they are.
    pub(super) fn tell(&mut self) {
        self.bodies(|bodies| bodies.crew.tell());
    }

    /// Keeps the velocities of the last substep.
    pub(super) fn take_back(&mut self) {
        self.bodies(|bodies| bodies.crew.take_back());
        for links in self.links.iter_mut() {
            links.note_points();
        }
    }
}
