//! What one thread looks after in a substep: the bodies of a section, and the joints that hold them. A fleet of
//! small islands is one section, a large island may have several.

use super::Fleet;
use super::bodies::{Bodies, PART};
use super::place::STOPS;
use crate::island::crew::Crew;
use crate::island::{Island, Shared};
use rb_core::discretise::Discretiser;
use rb_core::elimination::Elimination;
use rb_core::integrate::Mover;
use rb_core::problem::Pass;
use rb_solve::lanes::{BodyLines, JointLanes};
use rb_solve::parallel::{self, Parts};

/// Movable bodies of some sections: of one island, or of all members in the only section.
enum Movers<'a> {
    Own(&'a mut [Mover]),
    Members(&'a mut [Island], &'a [u32]),
}

/// Sections with their bodies and joints.
pub(super) struct Squads<'a> {
    movers: Movers<'a>,
    lines: BodyLines<'a>,
    links: &'a mut [JointLanes],
    stiff: &'a mut [bool],
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
            lines: self.lanes.lines(),
            links: self.links.split().0,
            stiff: &mut self.stiff,
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
        let at = (parts * self.lines.size()).min(movers.len());
        let (movers, movers2) = movers.split_at_mut(at);
        let (lines, lines2) = self.lines.split_at(parts);
        let (links, links2) = self.links.split_at_mut(parts);
        let (stiff, stiff2) = self.stiff.split_at_mut(at);
        let of = |movers, lines, links, stiff| Squads {
            movers: Movers::Own(movers),
            lines,
            links,
            stiff,
        };
        (
            of(movers, lines, links, stiff),
            of(movers2, lines2, links2, stiff2),
        )
    }
}

impl Squads<'_> {
    /// Runs `f` on the bodies of each island in turn.
    fn bodies(&mut self, f: impl Fn(Bodies)) {
        let Some(links) = self.links.first_mut() else {
            return;
        };
        let (turned, levers) = links.bodies();
        let (lines, stiff, mut first) = (&mut self.lines, &mut *self.stiff, 0);
        let mut run = |movers: &mut [Mover]| {
            let run = first..first + movers.len();
            first = run.end;
            f(Bodies {
                crew: Crew {
                    movers,
                    lines: lines.run(run.clone(), PART),
                },
                turned: &mut turned[run.clone()],
                levers: &levers[run.clone()],
                stiff: &mut stiff[run],
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
    pub(super) fn board(&mut self) {
        self.bodies(|bodies| bodies.board());
    }

    /// Free velocities of the present substep; after the first, rows are carried along to its start.
    pub(super) fn predict(&mut self, shared: &Shared, numbers: &Discretiser, first: bool) {
        self.bodies(|bodies| bodies.predict(shared, first));
        for links in self.links.iter_mut() {
            links.begin();
            if !first {
                links.carry(numbers);
            }
        }
    }

    /// Makes the rows of joints that were stated by their frames, and finds what all do to the inertia of their
    /// bodies.
    pub(super) fn pull(&mut self, numbers: &Discretiser, first: bool) {
        for links in self.links.iter_mut() {
            if first {
                links.carry_pins(numbers);
            }
            links.turn_bearings(&self.lines, numbers, &STOPS);
            links.pull();
        }
    }

    /// Makes all numbers of the joints from their rows, and starts from the free velocities and their last impulses.
    pub(super) fn prepare(&mut self, shared: &Shared, plan: Option<&Elimination>) {
        self.bodies(|bodies| bodies.stiffen(shared));
        for links in self.links.iter_mut() {
            links.prepare_in(&self.lines);
            if let Some(plan) = plan {
                links.lay_out(plan);
            }
            links.warm_in(&mut self.lines);
        }
    }

    /// Solves trees exactly.
    pub(super) fn settle(&mut self, plan: &Elimination, pass: Pass) {
        for links in self.links.iter_mut() {
            links.settle_in(&mut self.lines, plan, pass);
        }
    }

    /// Moves the bodies with the velocities found.
    pub(super) fn advance(&mut self, shared: &Shared) {
        self.bodies(|bodies| bodies.advance(shared));
    }

    /// Keeps the velocities of the last substep.
    pub(super) fn take_back(&mut self) {
        self.bodies(|bodies| bodies.crew.take_back());
        for links in self.links.iter_mut() {
            links.part_points();
        }
    }
}
